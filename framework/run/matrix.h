/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a matrix of runs: a run folder for each combination of what was tested, and matrix.json, which lists
 * them.
 */
#ifndef PV_RUN_MATRIX_H
#define PV_RUN_MATRIX_H

#include <stddef.h>

#include "framework/util/error.h"

enum { PV_MATRIX_RUNS = 26, PV_MATRIX_NAME = 64 };

/* A run of the matrix. Strings are not owned; NULL: not given. */
struct pv_matrix_run {
	char name[PV_MATRIX_NAME]; /* of its folder, from what the runs of the matrix differ in: "fast-newest" */
	const char *target, *kernel, *driver;
};

/*
 * Creates the folder: `path`, new or empty, else pcieval-results/TIME with its link `latest`. *out gets its path, which
 * the caller frees.
 */
int pv_matrix_create(const char *path, const struct pv_matrix_run *runs, size_t n, char **out, struct pv_error *e);
/*
 * Returns the paths of the run folders of a matrix that exist, NULL-terminated; free with pv_matrix_folders_free().
 * NULL: *e; -ENOENT: the folder is not that of a matrix.
 */
char **pv_matrix_folders(const char *path, struct pv_error *e);
void pv_matrix_folders_free(char **folders);

#endif
