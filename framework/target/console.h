/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of kernel bugs on the console. */
#ifndef PV_TARGET_CONSOLE_H
#define PV_TARGET_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

enum pv_kernel_trouble {
	PV_TROUBLE_NONE,
	PV_TROUBLE_GUEST,  /* the guest lacks memory or a module: not a driver's fault */
	PV_TROUBLE_REPORT, /* a WARNING, lockdep or sanitizer report: the kernel continues */
	PV_TROUBLE_OOPS,   /* the task was killed, and may have left locks held or interrupts disabled */
	PV_TROUBLE_PANIC,  /* the kernel is dead */
};

/*
 * Searches `text` (n bytes, kernel log lines with or without time stamps) for the first report of trouble. *line,
 * *line_n: its summary line, without the time stamp; *report_n: bytes of the whole report, from *line to its end mark,
 * the end of its call trace or 200 lines. *line points into `text`. Returns the worst trouble in the report.
 */
enum pv_kernel_trouble pv_console_trouble(const char *text, size_t n, const char **line, size_t *line_n,
					  size_t *report_n);

/* Returns the worst trouble in `text`. */
enum pv_kernel_trouble pv_console_worst(const char *text, size_t n);

#endif
