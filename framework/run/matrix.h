/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A matrix of runs: each combination of several targets, kernels and drivers. Its folder has a run folder for each
 * combination, and matrix.json, which lists them.
 */
#ifndef PV_RUN_MATRIX_H
#define PV_RUN_MATRIX_H

#include <stddef.h>

#include "reports/result.h"

enum { PV_MATRIX_RUNS = 26, PV_MATRIX_NAME = 64 };

/* Values of --target, --kernel and --driver, each list terminated by NULL; NULL: not given. */
struct pv_matrix_values {
	const char *const *targets, *const *kernels, *const *drivers;
};

/* A run of the matrix. Strings are not owned; NULL: not given. */
struct pv_matrix_run {
	char name[PV_MATRIX_NAME]; /* of its folder, from what the runs of the matrix differ in: "fast-newest" */
	const char *target, *kernel, *driver;
	unsigned shards; /* in subfolder shards, merged into subfolder all; 0: the folder is that of the run */
};

/* Returns true if one of the options has several different values. */
bool pv_matrix_is_several(const struct pv_matrix_values *v);
/* Returns the first value that an option has twice, and sets *option to its name; NULL: none. */
const char *pv_matrix_repeated(const struct pv_matrix_values *v, const char **option);
/* Fills `runs` with all combinations, each once, and sets *n. 0 or -E2BIG. */
int pv_matrix_combine(const struct pv_matrix_values *v, struct pv_matrix_run runs[PV_MATRIX_RUNS], size_t *n,
		      struct pv_error *e);
/* Writes the list of runs into the folder of a matrix. 0 or *e. */
int pv_matrix_write(const char *folder, const struct pv_matrix_run *runs, size_t n, struct pv_error *e);

/*
 * Creates the folder: `path`, new or empty, else pcieval-results/TIME with its link `latest`. *out gets its path, which
 * the caller frees.
 */
int pv_matrix_create(const char *path, const struct pv_matrix_run *runs, size_t n, char **out, struct pv_error *e);
/* Returns the result of a run that is not there: without cases, `why` in its member. NULL: no memory. */
struct pv_run_result *pv_matrix_lost_run(const struct pv_matrix_run *run, const char *board, const char *folder,
					 const char *why);
/*
 * Loads the runs of a matrix, at most `max`, and sets *n; free each with pv_run_result_free(), also after an error. A
 * run is lost if it has not begun, or if its shards are not merged. 0 or *e.
 */
int pv_matrix_load(const char *path, struct pv_run_result **runs, size_t max, size_t *n, struct pv_error *e);

#endif
