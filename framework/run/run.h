/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs cases, each in its own process. The state of the run is on disk first; results are made from the disk alone.
 * The exit status of a run is computed by pv_run_exit() (reports/result.h).
 *
 * A run folder holds settings.json (options), cases.json (cases to run), journal.jsonl (events in order, one object
 * per line) and cases/NNNN-plan-case/ (log.txt and artefacts of each case that did not pass).
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

/* One case to run. The caller owns all strings; they must outlive the run. */
struct pv_job {
	const char *plan, *name, *file; /* name: may end in "@ROLE=BDF" (--every-match) */
	const char *const *formerly;	/* names that it had, without that; NULL-terminated; NULL: none */
	int line;
	unsigned timeout_s;
	uint64_t seed;
	const char *const *verifies; /* NULL-terminated; NULL: none */
	const char *skip;	     /* NULL, or why it is not to run ... */
	const char *skip_type;	     /* ... and the type of that; NULL: "plan" */
	unsigned round;		     /* repeated case: number of the repetition, from 1; 0: not repeated */
	size_t position;	     /* of a shard: among the jobs of all shards */
	const void *source;	     /* for opt->case_json */
	json_object *bound; /* instead of that, with the functions of the machine under test; NULL: as in the plan */
	const struct pv_case_result *before; /* resumed run: the earlier result, the case is not run; NULL: to run */
};

/*
 * The connection to the machine under test. It stays open between cases, of which one runs at a time. begin() gives the
 * two descriptors that the agent inherits (case message: "far", "streams"), to read and to write; 0 or -errno with *e.
 * end() follows every begin() that succeeded; *said goes to the case's log, and is freed. If end() fails, its case
 * cannot be judged; but if *kernel, it has failed.
 */
struct pv_run_line {
	void *ctx;
	int (*begin)(void *ctx, int fds[2], struct pv_error *e);
	int (*end)(void *ctx, char **said, bool *kernel, struct pv_error *e);
};

struct pv_shard;

struct pv_run_options {
	json_object *guest;  /* "guest" of the case messages; NULL: none */
	const char *vm_pool; /* "keeper" of them: the pool of VMs of this process and its children; NULL: none */
	json_object
		*far; /* "far" of them, but for the streams: found anew whenever a run begins or goes on; NULL: none */
	const struct pv_run_line *line; /* NULL: none */
	/* Alternating names and values, to repeat a case; NULL-terminated. Value "": a flag; NULL: not given. */
	const char *const *guest_options;
	json_object *environment; /* what the machine says of itself; NULL: a guest is asked by its first case, if there
				     is one */
	json_object *deviations;  /* known deviations of drivers (deviations.h); NULL: only those of the plans */
	const char *known_failures; /* file that some of them are from, to repeat a case; NULL: none */
	/* The system under test; goes to settings.json and to the agent. */
	const char *target, *board, *driver;
	const char *seed;					  /* NULL: as the plans say */
	const char *const *defects;				  /* NULL-terminated; NULL: none */
	const char *golden_folder, *golden_mode, *golden_staging; /* mode "check" or "record"; NULL: none */
	bool golden_given;	     /* the folder is an option: part of the command that repeats a case */
	uint64_t max_artefact_bytes; /* larger files are removed, with a note in the log; 0: no limit */
	uint64_t max_memory_bytes;   /* a case that uses more is stopped; 0: no limit */
	bool max_memory_given;	     /* that is an option, too */
	const char *command;	     /* how the run was started, for the reports */
	json_object *digests;	     /* of the programs and of files under test, for a later run; NULL: none */
	const char *rerun_of;	     /* the folder of the run whose cases these are; NULL: none */
	const char *differs;	     /* what is tested that the earlier run has not tested; NULL: nothing */

	const struct pv_shard *shard; /* NULL: all of the run */

	/* How to run it. */
	unsigned workers;      /* parallel cases; 0: 1 */
	double timeout_scale;  /* 0: 1 */
	unsigned grace_ms;     /* from SIGTERM to SIGKILL, and from the verdict to the exit; 0: 2000 */
	bool fail_fast;	       /* start no case after the first failure or error */
	bool abort_on_taint;   /* start no case after one during which the kernel became tainted */
	bool health_check;     /* start no case of another plan unless the first one's passed; with one worker */
	unsigned max_fail;     /* start no case after this many failures and errors; 0: no limit */
	bool until_failure;    /* like fail_fast; the result leaves out jobs of later rounds that did not start */
	unsigned retry_errors; /* maximum retries of a case that could not be judged */
	unsigned repeat;       /* rounds; 0: one */
	const char *shuffle;   /* seed of a random order; NULL: order of the plans */
	bool keep;	       /* keep folders and artefacts of passed cases */
	const char *agent;     /* program that runs a case, started as "PROGRAM agent"; NULL: this binary */
	const struct pv_interrupted *goes_on; /* the run to resume; NULL: a new one */

	/* Progress output. */
	FILE *out; /* NULL: nothing */
	bool live; /* out is a terminal: redraw one line */
	bool colour, verbose;
	bool quiet; /* no output about cases while they run */

	/* Returns the case part of the case message (docs/protocol.md), a new reference. NULL: no memory. */
	json_object *(*case_json)(const struct pv_job *job);
};

/* A run folder. A claim excludes other processes; it ends with the process that holds it. */
struct pv_run_folder {
	char *path;
	int claim; /* its journal, locked; -1: not claimed */
};

/*
 * Creates and claims the run folder and writes its settings and case list. `path` NULL: pcieval-results/<time in UTC>,
 * with a symbolic link `latest` beside it. An existing folder must be empty; of two concurrent callers one gets it.
 * Free with pv_run_folder_free().
 */
int pv_folder_create(const char *path, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
		     struct pv_run_folder *out, struct pv_error *e);
void pv_run_folder_free(struct pv_run_folder *f);
void pv_run_folder_unclaim(struct pv_run_folder *f);

/*
 * Runs the jobs; claims the folder first if necessary, and releases it. 0: the journal is complete, whatever the
 * verdicts, even if a signal ended the run early. Else the journal could not be written (-ENOSPC, ...) or the run could
 * not be set up; -EXDEV: the folder was replaced while the run went on, and has another run's results. No child is
 * left.
 */
int pv_run(struct pv_run_folder *folder, const struct pv_run_options *opt, const struct pv_job *jobs, size_t n,
	   struct pv_error *e);

/*
 * An interrupted run, loaded from its folder: its options and results so far. Cases that had started without reaching a
 * verdict are "incomplete" and are not run again unless requested: a case that crashes the machine would crash it
 * every time.
 */
struct pv_interrupted {
	struct pv_run_result *result;  /* so far; cases still to run have type "not-run" */
	json_object *settings, *cases; /* as in the folder */
	bool anew;		       /* do not resume: its cases are for a new run, possibly by another version */
	bool again;		       /* run interrupted cases again: the user vouches that they are harmless */
	const char **defects, **guest_options;
};
/*
 * Fills *opt with the run's target and settings; its strings are valid as long as *run. Fails if the current folder
 * differs or, for a resumed run, the version. Free with pv_interrupted_free(), also after an error.
 */
int pv_interrupted_load(const char *folder, struct pv_interrupted *run, struct pv_run_options *opt, struct pv_error *e);
void pv_interrupted_free(struct pv_interrupted *run);
/*
 * Returns the files of its plans, in the order of their first cases, *n of them. The caller frees the list. NULL: no
 * memory.
 */
const char **pv_interrupted_plans(const struct pv_interrupted *run, size_t *n);
/*
 * Returns the jobs of all its cases, in its order, from `all` the jobs of its plans. Cases that have started get
 * `before` and are not run again; with run->again, those that were interrupted are. The caller frees the list. NULL:
 * *e; -ESTALE: the plans have changed.
 */
struct pv_job *pv_interrupted_rest(const struct pv_interrupted *run, const struct pv_run_options *opt,
				   const struct pv_job *all, size_t n_all, struct pv_error *e);
/* Returns the same of its "failed" or "incomplete" cases (`which`) alone, each once, to run again. *n may be 0. */
extern const char *const pv_interrupted_reruns[]; /* values of `which`, NULL-terminated */
struct pv_job *pv_interrupted_again(const struct pv_interrupted *run, const char *which, const struct pv_job *all,
				    size_t n_all, size_t *n, struct pv_error *e);

/*
 * Loads the result of a run from its folder. A case without a verdict is an error: "incomplete" if it had
 * started, else "not-run". Free with pv_run_result_free().
 */
int pv_run_load(const char *folder, struct pv_run_result **out, struct pv_error *e);

#endif
