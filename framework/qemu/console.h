/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel says on its console when something is wrong with it. */
#ifndef PV_QEMU_CONSOLE_H
#define PV_QEMU_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

enum pv_kernel_trouble {
	PV_TROUBLE_NONE,
	PV_TROUBLE_GUEST,  /* the guest is short of memory or has no module: no driver's fault */
	PV_TROUBLE_REPORT, /* a WARNING, lockdep or sanitizer report: the kernel goes on */
	PV_TROUBLE_OOPS,   /* who caused it was ended, and may have left locks or interrupts as they were */
	PV_TROUBLE_PANIC,  /* the kernel is dead */
};

/*
 * Looks for the first trouble in `text` (n bytes, lines as the kernel prints them, with or without time stamps).
 * *line, *line_n: what it says in one line, without its time; *report_n: bytes of the whole report, from *line on,
 * up to its end mark, the end of its call trace or 200 lines. Both point into `text`. Returns the worst of the report.
 */
enum pv_kernel_trouble pv_console_trouble(const char *text, size_t n, const char **line, size_t *line_n,
					  size_t *report_n);

/* The worst that is in `text`. */
enum pv_kernel_trouble pv_console_worst(const char *text, size_t n);

#endif
