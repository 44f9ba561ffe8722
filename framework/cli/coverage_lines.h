/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval coverage --lines: the lines of the drivers that the cases of runs reach. */
#ifndef PV_CLI_COVERAGE_LINES_H
#define PV_CLI_COVERAGE_LINES_H

/*
 * Prints the lines, branches and functions of each driver, and the lines that no case reaches; with `at`, "FILE:N", the
 * cases that reach this line. Writes a tracefile of lcov unless `lcov` is NULL. Returns the exit status.
 */
int pv_cli_coverage_lines(const char *const *runs, const char *at, const char *lcov);

#endif
