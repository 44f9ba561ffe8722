/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines and branches of the drivers under test that the cases of runs with --driver-coverage reached. gcov(1) reads the
 * files that framework/qemu/gcov.h has saved. Lines are those of .c files; header files are left out.
 */
#ifndef PV_RUN_DRIVER_LINES_H
#define PV_RUN_DRIVER_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"
#include "reports/result.h"

/* A line with code. */
struct pv_driver_line {
	unsigned number;
	char *function;	 /* "": the compiler has inlined it */
	uint32_t *cases; /* cases that reach the line: indices into the cases of struct pv_driver_lines, ascending */
	size_t n_cases;
	unsigned char *taken; /* for each branch: some case takes it */
	size_t n_branches;
};

struct pv_source_file {
	char *path;		      /* as the compiler was given it: "drivers/perf/dwc_pcie_pmu.c" */
	char *text;		      /* the file to read it from: the run's copy, or where the compiler found it */
	struct pv_driver_line *lines; /* ascending */
	size_t n_lines;
};

struct pv_driver_lines {
	char **cases; /* "plan/case" of all runs */
	size_t n_cases;
	struct pv_source_file *files; /* by path */
	size_t n_files;
};

/*
 * Adds a run. The environment's GCOV names the program, which must be of the compiler's version; the default is that of
 * the cross compiler, aarch64-linux-gnu-gcov. 0; -ENOENT: no case of the run has saved counts, or there is no gcov;
 * -EBADMSG: gcov cannot read the files; -errno. Free *l in any case.
 */
int pv_driver_lines_add_run(struct pv_driver_lines *l, const struct pv_run_result *run, struct pv_error *e);
void pv_driver_lines_free(struct pv_driver_lines *l);

#endif
