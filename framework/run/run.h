/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running cases: each in a process of its own, the state of the run on disk first, results made from the
 * disk alone.
 *
 * A run folder holds settings.json (what was asked), cases.json (what is to run), journal.jsonl (what
 * happened, one object a line, in order) and cases/NNNN-plan-case/ (log.txt and artefacts of each case
 * that did not pass).
 */
#ifndef PV_RUN_RUN_H
#define PV_RUN_RUN_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "framework/util/error.h"
#include "reports/result.h"

/* One case to run; all strings are the caller's and outlive the run. */
struct pv_job {
	const char *plan, *name, *file;
	int line;
	unsigned timeout_s;
	uint64_t seed;
	const char *const *verifies; /* NULL-terminated; NULL: none */
	const char *skip;	     /* NULL, or why it is not to run ... */
	const char *skip_type;	     /* ... and the type of that; NULL: "plan" */
	unsigned round;		     /* of a repeated case: which time this is, from 1; 0: it is run once */
	const void *source;	     /* for opt->case_json */
	const struct pv_case_result
		*before; /* a run that goes on: what came of it before, it is not run; NULL: to run */
};

struct pv_run_options {
	json_object *guest; /* "guest" of the case messages; NULL: none */
	json_object *far;   /* "far" of them: found anew whenever a run begins or goes on; NULL: none */
	/* Names and values in turn, to run a case again; ended by NULL. Value "": it has none; NULL: it was not given. */
	const char *const *guest_options;
	json_object *deviations; /* known deviations of drivers (deviations.h); NULL: only those of the plans */
	/* What is tested; goes to settings.json and to the agent. */
	const char *target, *board, *driver;
	const char *seed;					  /* NULL: as the plans say */
	const char *const *defects;				  /* NULL-terminated; NULL: none */
	const char *golden_folder, *golden_mode, *golden_staging; /* mode "check" or "record"; NULL: none */
	bool golden_given;	     /* the folder was asked for: it belongs to the command that repeats a case */
	uint64_t max_artefact_bytes; /* larger files are removed, with a note in the log; 0: no limit */
	uint64_t max_memory_bytes;   /* a case that takes more is stopped; 0: no limit */
	const char *command;	     /* how the run was started, for the reports */

	/* How it is run. */
	unsigned workers;      /* cases at a time; 0: 1 */
	double timeout_scale;  /* 0: 1 */
	unsigned grace_ms;     /* from SIGTERM to SIGKILL, and from the verdict to the exit; 0: 2000 */
	bool fail_fast;	       /* no new case after the first that failed or could not be judged */
	unsigned max_fail;     /* the same after so many; 0: no limit */
	bool until_failure;    /* as fail_fast; jobs of later rounds that are not begun are no part of the result */
	unsigned retry_errors; /* how often a case that could not be judged is run again */
	unsigned repeat;       /* how often each job is among the jobs; 0: once */
	const char *shuffle;   /* the seed of the order of the jobs; NULL: that of the plans */
	bool keep;	       /* folders of passed cases stay, with their artefacts */
	const char *agent;     /* program that runs a case, started as "PROGRAM agent"; NULL: this binary */
	const struct pv_interrupted *goes_on; /* the run that this one goes on with; NULL: a new one */

	/* What is shown while it runs. */
	FILE *out; /* NULL: nothing */
	bool live; /* out is a terminal: one line that is redrawn */
	bool colour, verbose;
	bool quiet; /* nothing of cases while they run */

	/* The case part of the case message (docs/protocol.md); a new reference for the caller, NULL: no memory. */
	json_object *(*case_json)(const struct pv_job *job);
};

/* A run folder. While it is claimed no other process can run in it; the end of the holder ends the claim. */
struct pv_run_folder {
	char *path;
	int claim; /* its journal, locked; -1: not claimed */
};

/*
 * Claims the run folder and writes its settings and case list. `path` NULL: pcieval-results/<time in UTC>, with a
 * symbolic link `latest` beside it. An existing folder must be empty: of two that want it at a time one gets it.
 * pv_run_folder_free() frees it.
 */
int pv_folder_create(const char *path, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
		     struct pv_run_folder *out, struct pv_error *e);
void pv_run_folder_free(struct pv_run_folder *f);
void pv_run_folder_unclaim(struct pv_run_folder *f);

/*
 * Runs the jobs, and claims the folder first where it is not claimed. 0: the journal is complete, whatever the verdicts,
 * also when a signal ended the run early. Else the journal could not be written (-ENOSPC, ...) or the run not be set up;
 * children are gone by then. The claim ends.
 */
int pv_run(struct pv_run_folder *folder, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
	   struct pv_error *e);

/*
 * A run that broke off, from its folder: what was asked, and how far it came. Unless it is asked for, cases that had
 * begun are not run again, also where no verdict was written: a case that takes the machine down would do so for ever.
 * They are "incomplete".
 */
struct pv_interrupted {
	struct pv_run_result *result;  /* so far; cases that are still to be run are of type "not-run" */
	json_object *settings, *cases; /* as in the folder */
	bool anew;  /* it is not to go on: its cases are to be run in a new run, perhaps by another version */
	bool again; /* interrupted cases are run again: whoever asks for it takes them for harmless */
	const char **defects, **guest_options;
};
/*
 * *opt gets the target and how it is tested, as it was asked; its strings live as long as *run. Refused when the current
 * folder or, of a run that goes on, the version is another. pv_interrupted_free() frees it, also after an error.
 */
int pv_interrupted_load(const char *folder, struct pv_interrupted *run, struct pv_run_options *opt, struct pv_error *e);
void pv_interrupted_free(struct pv_interrupted *run);
/*
 * Is `job` case number i of the run, to the letter? Then job->before is set, unless it is to be run: what has not begun,
 * and with run->again what was interrupted. Else the plan has changed: -ESTALE.
 */
int pv_interrupted_match(const struct pv_interrupted *run, size_t i, const struct pv_run_options *opt,
			 struct pv_job *job, struct pv_error *e);

/*
 * The result of a run from its folder alone. A case without a verdict is an error: "incomplete" when it had
 * begun, "not-run" when not. pv_run_result_free() frees it.
 */
int pv_run_load(const char *folder, struct pv_run_result **out, struct pv_error *e);

#endif
