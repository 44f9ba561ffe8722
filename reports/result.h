/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result model: a run, its environment and its results. It is the only input of report writers. It is made from the
 * run folder (settings, case list, journal), so reports can be made again later.
 */
#ifndef PV_REPORTS_RESULT_H
#define PV_REPORTS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "framework/util/error.h"

enum pv_verdict { PV_PASS, PV_FAIL, PV_ERROR, PV_SKIP, PV_VERDICTS };

/* An earlier attempt at a case, which could not be judged (--retry-errors). */
struct pv_attempt {
	char *type, *message, *log; /* as in pv_case_result */
	char **artefacts;
	double seconds;
};

/* A rule of use (docs/hardware-notes.md) that the driver broke in a case. */
struct pv_rule_count {
	char *rule;    /* "CP-1" */
	char *message; /* of the first time: the access, and the line of the register log */
	uint64_t count;
};

struct pv_case_result {
	char *plan, *name, *file;
	char **formerly; /* names that it had before this run; NULL-terminated; NULL: none */
	char *was;	 /* its name in this run, if a later one renamed it (reports/renamed.h); NULL: `name` */
	int line;
	enum pv_verdict verdict;
	char *type;    /* FAIL: "check", "errno", "unexpected-pass"; ERROR: "crash", "timeout", "memory", "incomplete",
			* "protocol", "infrastructure", "not-run"; SKIP: "target", "known-failure", ... */
	char *message; /* one line: expected and got */
	char *text;    /* all failures of the case, in order */
	char *where;   /* in a run merged from shards: the shard and its machine; NULL: those of the run */
	char *log;     /* messages of the agent, the driver and the kernel */
	char **verifies;  /* NULL-terminated */
	char **roles;	  /* functions of a real machine that played the roles: "rp0=0000:3a:01.0"; NULL-terminated */
	char **artefacts; /* paths, NULL-terminated */
	uint64_t seed;
	double seconds;
	int64_t checks, sim_ns;	     /* number of checks; duration by the target's clock; 0: unknown */
	char **figures;		     /* findings of the checks as text, NULL-terminated; NULL: unknown */
	struct pv_rule_count *rules; /* broken rules of use */
	size_t n_rules;
	unsigned round;		     /* repeated case: number of the repetition, from 1; 0: not repeated */
	struct pv_attempt *attempts; /* earlier attempts */
	size_t n_attempts;
	bool interrupted; /* the run ended while the case ran, which may not be its fault */
	bool stopped;	  /* it is not: pcieval was told to end the run, and stopped the case */
};

struct pv_run_result {
	char *target, *board, *driver, *command, *hostname, *version;
	char *folder; /* the run folder */
	char *id;     /* random digits, which a resumed run keeps; NULL, "": an earlier version made the folder */
	char *rerun;  /* "pcieval run --defect x": repeats one case if --name and a file are added; NULL, "": unknown */
	char **properties;  /* the environment: name, value, name, value, NULL */
	char **environment; /* facts about the machine under test, in the same format; NULL: unknown */
	int64_t started;    /* seconds since 1970, UTC */
	double seconds;	    /* wall time */
	bool interrupted;
	char *known;	/* digest of the known failures that the run was told; NULL: none */
	bool running;	/* still running: cases without a verdict may get one */
	size_t damaged; /* lines of the journal that were skipped */
	char *why;	/* reason for an early end, "interrupted by SIGINT"; NULL: none, or unknown */
	struct pv_case_result *cases;
	size_t n_cases;
	size_t count[PV_VERDICTS];
	size_t flaky; /* cases that passed after a retry */
};

const char *pv_verdict_name(enum pv_verdict v); /* "pass" */
/* Returns the word after a number of cases with a verdict: "passed", "error" after 1, "errors" after others. */
const char *pv_verdict_counted(enum pv_verdict v, size_t n);
/* Formats the totals of a run: "1 passed, 0 failed, 2 errors, 0 skipped". */
enum { PV_TOTALS_MAX = 128 };
const char *pv_run_totals(const struct pv_run_result *r, char out[PV_TOTALS_MAX]);
int pv_verdict_by_name(const char *name); /* -1: no such verdict */

/*
 * Returns the exit status of a run: a failure outweighs everything (1), then an error (3). A run without a case proves
 * nothing and has not passed (3), nor has one that still runs, was killed or could not write its results (3), nor one
 * whose cases were all skipped (4).
 */
enum pv_exit pv_run_exit(const struct pv_run_result *r);

/* Returns true if the case failed or could not be judged; false if it only did not start before the run ended. */
bool pv_case_is_bad(const struct pv_case_result *c);
/* Returns true if the case failed as a file of known failures says; its verdict is then PV_SKIP. */
bool pv_case_is_known_failure(const struct pv_case_result *c);
size_t pv_run_known_failures(const struct pv_run_result *r);
/* Returns true if the case has its own verdict: a known failure has one, other skipped cases have none. */
bool pv_case_is_judged(const struct pv_case_result *c);
/* Returns the message of a case without its step: it is the same for all cases skipped for one reason. */
const char *pv_case_reason(const struct pv_case_result *c);

/*
 * Formats the tested properties: "target qemu, driver kernel, kernel 6.12.1, drivers fixed, planted defects: x". The
 * kernel is left out if it is unknown, the drivers if they lack the fixes of ci/driver-fixes.
 */
enum { PV_TESTED_MAX = 1024 };
const char *pv_run_tested(const struct pv_run_result *r, char *buf, size_t size);

/* Returns true if the case passed only after a retry. */
bool pv_case_is_flaky(const struct pv_case_result *c);

/* Returns the value of a property of the run; NULL: no such property. */
const char *pv_run_property(const struct pv_run_result *r, const char *name);

/* Returns a fact of the machine's environment; NULL: unknown. */
const char *pv_run_fact(const struct pv_run_result *r, const char *name);

/* Returns the version of the kernel under test; NULL: there is none, or it is unknown. */
const char *pv_run_kernel(const struct pv_run_result *r);

/* Sets r->count and r->flaky from the cases. */
void pv_run_count(struct pv_run_result *r);

/* Returns "PLAN/NAME", with " #N" in a later round of a repeated case; the caller frees it. NULL: no memory. */
char *pv_case_full_name(const struct pv_case_result *c);

/* Formats seconds with three decimals and a point in any locale: "12.034". NaN and negative values: "0.000". */
const char *pv_seconds_text(double seconds, char out[32]);

/* Writes one word of a shell command, quoted if necessary. */
void pv_shell_word(FILE *f, const char *s);

/* Returns the length of a case's name without "@ROLE=BDF", the function that it ran on. */
size_t pv_case_base_length(const char *name);

/* Returns the shell command that repeats one case of the run; the caller frees it. NULL: unknown, or no memory. */
char *pv_rerun_command(const struct pv_run_result *r, const struct pv_case_result *c);

void pv_run_result_free(struct pv_run_result *r);
void pv_case_result_free(struct pv_case_result *c); /* frees the members */
/* Removes the findings of an attempt at the case: its figures, and the broken rules. */
void pv_case_result_forget(struct pv_case_result *c);

/* A report writer: an entry of the table in reports/writers.c. Replaces `path` atomically; "-": standard output. */
struct pv_report_writer {
	const char *name, *option, *help;
	int (*write)(const struct pv_run_result *r, const char *path, struct pv_error *e);
};
extern const struct pv_report_writer pv_report_writers[]; /* ends with name NULL */

/* Returns all cases, the slowest first; the caller frees the array. NULL: no memory. */
const struct pv_case_result **pv_run_slowest(const struct pv_run_result *r);

#endif
