/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tags of plans, with how many cases have each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/cli.h"
#include "framework/util/cleanup.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_tags(const struct pv_plans *plans)
{
	size_t n = 0;

	for (size_t i = 0; i < plans->n_cases; i++)
		for (const char *const *t = plans->cases[i]->tags; *t; t++)
			n++;
	return n;
}

static size_t take_tags(const struct pv_plans *plans, const struct pv_selection *s, const char **out)
{
	size_t n = 0;

	for (size_t i = 0; i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], s))
			for (const char *const *t = plans->cases[i]->tags; *t; t++)
				out[n++] = *t;
	return n;
}

void pv_cli_list_tags(const struct pv_plans *plans, const struct pv_selection *s)
{
	_autofree_ const char **tags = calloc(count_tags(plans) + 1, sizeof(*tags));
	size_t n = tags ? take_tags(plans, s, tags) : 0;

	if (!tags)
		pv_cli_error("no memory");
	if (n)
		qsort(tags, n, sizeof(*tags), by_text);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i; next < n && !strcmp(tags[next], tags[i]);)
			next++;
		printf("%6zu  %s\n", next - i, tags[i]);
	}
}
