/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of runs: an SQLite file with the verdict, duration and rate of each case of each run. A case is
 * identified by plan and name, and by its round if it was repeated. A run tests a target, board, driver and kernel, by
 * a version and revision of pcieval, with planted defects and known failures: a verdict that changes while these are
 * the same is flaky.
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
 * Opens a history: a file, which is checked, and created if `create`; or a folder of run folders, which are read into
 * memory. In a folder, other folders are ignored, and runs in progress and shards are left out. 0; -EINVAL: the file is
 * no history, of a later version, or damaged; otherwise the error of the file or of a run. Free it with
 * pv_history_close(), also after an error.
 */
int pv_history_open(struct pv_history *h, const char *path, bool create, struct pv_error *e);
void pv_history_close(struct pv_history *h);

/*
 * Adds a run in one transaction. Sets *known, and adds nothing, if the history has the run. A run that was
 * resumed since it was added replaces what is there. -EBUSY: the run is in
 * progress, or another process writes to the history; -EIO, -ENOSPC: the run was not added.
 */
int pv_history_add(struct pv_history *h, const struct pv_run_result *r, bool *known, struct pv_error *e);

/* Returns the rate of a case in bytes per second: the last "N MB/s" in the figures of its checks. 0: none. */
double pv_history_rate(const struct pv_case_result *c);

/* ---- queries ---- */

/* A run. Strings are valid during the call only; unknown ones are "". */
struct pv_history_run {
	int64_t id, started; /* started: seconds since 1970, UTC */
	const char *folder, *target, *board, *driver, *kernel, *revision, *version;
	const char *defects; /* planted ones */
	bool unrecorded;     /* an earlier version added the run without its planted defects and known failures */
	int64_t count[PV_VERDICTS];
	double seconds;
	bool interrupted;
};

/* Returns what to say of the planted defects of a run; "": it had none. */
static inline const char *pv_history_planted(const struct pv_history_run *run)
{
	return run->unrecorded ? "not recorded" : run->defects;
}

/* A case in all runs that have a result of it. Times are 0 if there is none. */
struct pv_history_case {
	int64_t id;
	const char *plan, *name;
	int64_t results, judged; /* judged: number of results that passed or failed */
	int64_t count[PV_VERDICTS];
	int64_t retried; /* number of passes after a retry */
	int64_t changes; /* number of changes of its verdict while the tested properties were the same */
	/* Start times of runs. `since`: of the first failure or error after the last pass. */
	int64_t first_bad, last_bad, last_pass, since;
	enum pv_verdict last;
	const char *message; /* of its last failure or error */
	double mean_seconds;
	const char *strip; /* one letter per result, oldest first, at most PV_HISTORY_STRIP: P, F, E or S */
};
enum { PV_HISTORY_STRIP = 40 };

/* The result of a case in a run. */
struct pv_history_result {
	const struct pv_history_run *run;
	enum pv_verdict verdict;
	double seconds, rate; /* rate: bytes per second, 0: none */
};

/* Selects cases: all conditions must hold. */
struct pv_history_filter {
	const char *glob; /* for "plan/name"; NULL: any */
	bool flaky;	  /* only cases with retries or changes */
	bool bad;	  /* only cases with a failure or an error */
};

/* Calls fn for the last `most` runs (0: all), oldest first. 0; the first other value of fn; or an error with *e. */
int pv_history_runs(struct pv_history *h, size_t most, int (*fn)(void *ctx, const struct pv_history_run *run),
		    void *ctx, struct pv_error *e);
/* Same for cases: most changes first, then latest failure first. */
int pv_history_cases(struct pv_history *h, const struct pv_history_filter *filter,
		     int (*fn)(void *ctx, const struct pv_history_case *c), void *ctx, struct pv_error *e);
/* Same for the results of a case, oldest first. */
int pv_history_results(struct pv_history *h, int64_t case_id, int (*fn)(void *ctx, const struct pv_history_result *r),
		       void *ctx, struct pv_error *e);

/*
 * Returns the share of results that passed after a retry, or differ from the previous result with the same tested
 * properties: 0 to 1.
 */
double pv_history_flaky_rate(const struct pv_history_case *c);

#endif
