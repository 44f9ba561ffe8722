/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for terminals: verdicts, and the summary at the end of a run. */
#ifndef PV_REPORTS_TERMINAL_H
#define PV_REPORTS_TERMINAL_H

#include <stdio.h>

#include "reports/result.h"

struct pv_terminal_style {
	bool colour;  /* only pv_terminal_colour() sets it */
	bool verbose; /* also lists the slowest cases */
	bool quiet;   /* only failures, errors and totals */
};

/*
 * Returns true if the output to fd must be coloured: by the value of --color, "always", "never", "auto" or NULL; for
 * the latter two on a terminal, unless NO_COLOR is set (https://no-color.org).
 */
bool pv_terminal_colour(const char *when, int fd);

/* Return "PASS" in its colour, and the escape sequences alone; empty strings without colour. */
const char *pv_verdict_word(enum pv_verdict v);
const char *pv_verdict_colour(enum pv_verdict v, bool colour);
const char *pv_colour_off(bool colour);

/* Prints n bytes of text, at most a line or two. If it is cut, prints its length and `where` to find it. */
void pv_terminal_text(const char *text, size_t n, const char *where, FILE *out);

/*
 * Prints totals by plan and verdict, failures and errors with the commands that repeat them, and the path of the
 * artefacts.
 */
void pv_terminal_summary(const struct pv_run_result *r, const struct pv_terminal_style *style, FILE *out);

#endif
