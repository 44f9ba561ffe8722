/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of runs: an SQLite file with the verdict, duration and rate of each case of each run. Cases are known by
 * plan and name, repeated ones by their round, too. Target, board, driver, kernel and
 * revision of pcieval are what a run has tested: a verdict that changes while they stay the same is flaky.
 */
#ifndef PV_HISTORY_HISTORY_H
#define PV_HISTORY_HISTORY_H

#include <sqlite3.h>

#include "framework/util/error.h"
#include "reports/result.h"

struct pv_history {
	sqlite3 *db;
	char *path;
};

/*
 * Opens a history. A file is checked first, and created if `create`; a folder is one of run folders, which are read
 * into memory: those that are no run are passed over, and runs that go on and shards are left out. 0; -EINVAL: the file
 * is no history, of a later version, or damaged; other errors as of a file or a run. Free with pv_history_close(), also
 * after an error.
 */
int pv_history_open(struct pv_history *h, const char *path, bool create, struct pv_error *e);
void pv_history_close(struct pv_history *h);

/*
 * Adds a run in one transaction. Sets *known if it is there already, in which case nothing is done. -EBUSY: the run
 * goes on, or another process writes to the history; -EIO and -ENOSPC: nothing of it was written.
 */
int pv_history_add(struct pv_history *h, const struct pv_run_result *r, bool *known, struct pv_error *e);

/* Returns a number of the checks of a case, in bytes per second: of the last "N MB/s" of its figures. 0: none. */
double pv_history_rate(const struct pv_case_result *c);

/* ---- queries ---- */

/* Strings are valid during the call only; what is not known is "". */
struct pv_history_run {
	int64_t id, started; /* started: seconds since 1970, UTC */
	const char *folder, *target, *board, *driver, *kernel, *revision, *version;
	int64_t count[PV_VERDICTS];
	double seconds;
	bool interrupted;
};

/* A case over all runs that have a result of it. Times are 0 if it never happened. */
struct pv_history_case {
	int64_t id;
	const char *plan, *name;
	int64_t results, judged; /* judged: passed or failed */
	int64_t count[PV_VERDICTS];
	int64_t retried; /* passed after a retry */
	int64_t changes; /* of its verdict, while what was tested stayed the same */
	/* When: `started` of the runs. `since`: the first failure or error since the last pass. */
	int64_t first_bad, last_bad, last_pass, since;
	enum pv_verdict last;
	const char *message; /* of its last failure or error */
	double mean_seconds;
	const char *strip; /* a letter for each result, the oldest first, at most PV_HISTORY_STRIP: P, F, E or S */
};
enum { PV_HISTORY_STRIP = 40 };

/* A result of a case in a run. */
struct pv_history_result {
	const struct pv_history_run *run;
	enum pv_verdict verdict;
	double seconds, rate; /* rate: bytes per second; 0: none */
};

/* Selects cases: all members must hold. */
struct pv_history_filter {
	const char *glob; /* of "plan/name"; NULL: any */
	bool flaky;	  /* with retries or changes */
	bool bad;	  /* that did not pass at some time */
};

/* Calls fn for runs in order of time: the last `most` (0: all). 0, or fn's first other value, or *e. */
int pv_history_runs(struct pv_history *h, size_t most, int (*fn)(void *ctx, const struct pv_history_run *run),
		    void *ctx, struct pv_error *e);
/* The same for cases: those that changed most first, then those that failed last. */
int pv_history_cases(struct pv_history *h, const struct pv_history_filter *filter,
		     int (*fn)(void *ctx, const struct pv_history_case *c), void *ctx, struct pv_error *e);
/* The same for the results of a case, in order of time. */
int pv_history_results(struct pv_history *h, int64_t case_id, int (*fn)(void *ctx, const struct pv_history_result *r),
		       void *ctx, struct pv_error *e);

/* The share of results that came by a retry, or differ from the one before of what was tested then: 0 to 1. */
double pv_history_flaky_rate(const struct pv_history_case *c);

#endif
