/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for people: verdict words and the summary at the end of a run. */
#ifndef PV_REPORTS_TERMINAL_H
#define PV_REPORTS_TERMINAL_H

#include <stdio.h>

#include "reports/result.h"

struct pv_terminal_style {
	bool colour;  /* only pv_terminal_colour() */
	bool verbose; /* the slowest cases too */
	bool quiet;   /* only what did not pass, and the totals */
};

/*
 * Whether to colour what goes to fd: by the value of --color, "always", "never", "auto" or NULL, else on a terminal
 * unless NO_COLOR is set (https://no-color.org).
 */
bool pv_terminal_colour(const char *when, int fd);

/* "PASS" in its colour, and the sequences alone; all empty strings without colour. */
const char *pv_verdict_word(enum pv_verdict v);
const char *pv_verdict_colour(enum pv_verdict v, bool colour);
const char *pv_colour_off(bool colour);

/*
 * A text of n bytes, of which a terminal gets a line or two of the longest: what is cut ends with how much there was,
 * and `where` it is.
 */
void pv_terminal_text(const char *text, size_t n, const char *where, FILE *out);

/* Totals by plan and verdict, what did not pass with how to repeat it, where the artefacts are. */
void pv_terminal_summary(const struct pv_run_result *r, const struct pv_terminal_style *style, FILE *out);

#endif
