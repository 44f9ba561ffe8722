/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report writers: each is one line here and one file. Functions, table, command-line options and help are made from
 * the list. All accept "-" for standard output.
 */
#ifndef PV_REPORTS_WRITERS_H
#define PV_REPORTS_WRITERS_H

#include "reports/result.h"

#define PV_REPORT_WRITERS(X)                                            \
	X(junit, "JUnit XML, for Jenkins, GitLab and GitHub")           \
	X(html, "one self-contained HTML page")                         \
	X(json, "everything as one JSON object")                        \
	X(ktap, "KTAP, as the kernel's own tests write it")             \
	X(kcidb, "KCIDB JSON, for the kernel's common report database") \
	X(text, "a page of text, for a mail")

enum pv_report {
#define X(name, help) PV_REPORT_##name,
	PV_REPORT_WRITERS(X)
#undef X
		PV_REPORTS
};

#define X(name, help) int pv_##name##_write(const struct pv_run_result *r, const char *path, struct pv_error *e);
PV_REPORT_WRITERS(X)
#undef X

/*
 * Writes JUnit of several runs: the suites of each run have its tested properties (`tested`, different for each run) in
 * their names, between board and plan. A run without cases is lost (see run_table.h): it has one case, an error.
 */
int pv_junit_write_runs(const struct pv_run_result *const *runs, const char *const *tested, size_t n, const char *path,
			struct pv_error *e);

/* Replaces the content of a file by a report. `text` NULL: memory ran out while it was made. */
int pv_report_write(const char *path, const char *text, size_t n, struct pv_error *e);

#endif
