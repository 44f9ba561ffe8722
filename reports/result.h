/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result model: what a run was and what came of it. Every report writer reads this and nothing else;
 * it is made from the run folder (settings, case list, journal), so that reports can be made again.
 */
#ifndef PV_REPORTS_RESULT_H
#define PV_REPORTS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "framework/util/error.h"

enum pv_verdict { PV_PASS, PV_FAIL, PV_ERROR, PV_SKIP, PV_VERDICTS };

/* An earlier try at a case that could not be judged (--retry-errors). */
struct pv_attempt {
	char *type, *message, *log; /* as those of the case */
	char **artefacts;
	double seconds;
};

struct pv_case_result {
	char *plan, *name, *file;
	int line;
	enum pv_verdict verdict;
	char *type;    /* FAIL: "check", "errno", "unexpected-pass"; ERROR: "crash", "timeout", "memory", "incomplete",
				 * "protocol", "infrastructure", "not-run"; SKIP: "target", "known-failure", ... */
	char *message; /* one line: expected and got */
	char *text;    /* everything: all failures of the case, in order */
	char *log;     /* what the agent, driver and kernel said */
	char **verifies;  /* NULL-terminated */
	char **artefacts; /* paths, NULL-terminated */
	uint64_t seed;
	double seconds;
	int64_t checks, sim_ns;	     /* how many there were, and how long it took by the target's clock; 0: not known */
	char **figures;		     /* what they found, in words, NULL-terminated; NULL: not known */
	unsigned round;		     /* of a repeated case: which time this was, from 1; 0: it is not repeated */
	struct pv_attempt *attempts; /* before the one that counts */
	size_t n_attempts;
	bool interrupted; /* it had begun, and the run ended before it did: no fault of its own that is known */
};

struct pv_run_result {
	char *target, *board, *driver, *command, *hostname, *version;
	char *folder;	   /* the run folder */
	char *rerun;	   /* "pcieval run --defect x": with --name and a file it repeats one case; NULL: not known */
	char **properties; /* the environment: name, value, name, value, NULL */
	int64_t started;   /* seconds since 1970, UTC */
	double seconds;	   /* wall time */
	bool interrupted;
	bool running;	/* it goes on while this is read: what has no verdict may get one */
	size_t damaged; /* lines of the journal that were passed over */
	char *why; /* why it ended before its time, "interrupted by SIGINT"; NULL: it did not, or it is not known */
	struct pv_case_result *cases;
	size_t n_cases;
	size_t count[PV_VERDICTS];
	size_t flaky; /* passed cases that could not be judged at first */
};

const char *pv_verdict_name(enum pv_verdict v); /* "pass" */
int pv_verdict_by_name(const char *name);	/* -1: no such verdict */

/*
 * The exit status of a run: a failure outweighs everything (1), then what could not be judged (3). A run
 * without a case proves nothing and is not passed (3).
 */
enum pv_exit pv_run_exit(const struct pv_run_result *r);

/* Did it pass only when it was tried again? */
bool pv_case_is_flaky(const struct pv_case_result *c);

/* The value of a property of the run; NULL: it has none of that name. */
const char *pv_run_property(const struct pv_run_result *r, const char *name);

/* Sets r->count and r->flaky from the cases. */
void pv_run_count(struct pv_run_result *r);

/* Seconds with exactly three decimals and a point, whatever the locale: "12.034". Not a number and below 0: "0.000". */
const char *pv_seconds_text(double seconds, char out[32]);

/* One word of a shell command, quoted when it needs to be. */
void pv_shell_word(FILE *f, const char *s);

/* The shell command that repeats one case of the run. NULL: not known, or no memory. The caller frees. */
char *pv_rerun_command(const struct pv_run_result *r, const struct pv_case_result *c);

void pv_run_result_free(struct pv_run_result *r);
void pv_case_result_free(struct pv_case_result *c); /* what it holds */

/* A report writer: one table entry each (reports/writers.c). Writes to `path` whole or not at all; "-": standard output. */
struct pv_report_writer {
	const char *name, *option, *help;
	int (*write)(const struct pv_run_result *r, const char *path, struct pv_error *e);
};
extern const struct pv_report_writer pv_report_writers[]; /* ends with name NULL */

#endif
