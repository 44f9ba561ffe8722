/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints statistics into a string. */
#ifndef PV_ANALYSIS_TESTS_PRINTED_H
#define PV_ANALYSIS_TESTS_PRINTED_H

#include <criterion/criterion.h>
#include <stdio.h>

#include "framework/analysis/stat_report.h"

/* Returns what a writer prints. The caller frees it. Not inline: gcc would think that the text is gone with `text`. */
static __attribute__((noinline)) char *printed(void (*fn)(const struct pv_stat *, const struct pv_stat_report *,
							  FILE *),
					       const struct pv_stat *s, const struct pv_stat_report *r)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	fn(s, r, f);
	cr_assert_eq(fclose(f), 0);
	return text;
}

#endif
