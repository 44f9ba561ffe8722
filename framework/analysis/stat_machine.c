/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a dump by requester ID: see stat_machine.h. */
#include "framework/analysis/stat_machine.h"

#include <stdio.h>
#include <stdlib.h>

static int by_requester(const void *a, const void *b)
{
	const struct pv_stat_function *x = a, *y = b;

	return (x->requester > y->requester) - (x->requester < y->requester);
}

size_t pv_stat_functions_sort(struct pv_stat_function *functions, size_t n)
{
	size_t kept = 0;

	qsort(functions, n, sizeof(*functions), by_requester);
	for (size_t i = 0; i < n; i++) {
		uint16_t requester = functions[i].requester;

		if (kept && functions[kept - 1].requester == requester)
			functions[kept - 1] = (struct pv_stat_function){.requester = requester, .ambiguous = true};
		else
			functions[kept++] = functions[i];
	}
	return kept;
}

const struct pv_stat_function *pv_stat_function_of(const struct pv_stat_machine *m, uint16_t requester)
{
	const struct pv_stat_function key = {.requester = requester};

	return m && m->n ? bsearch(&key, m->functions, m->n, sizeof(key), by_requester) : NULL;
}

const char *pv_stat_function_bdf(const struct pv_stat_machine *m, uint16_t requester, char buf[20])
{
	const struct pv_stat_function *f = pv_stat_function_of(m, requester);

	if (f && *f->bdf)
		snprintf(buf, 20, "%s", f->bdf);
	else
		snprintf(buf, 20, "%02x:%02x.%x", requester >> 8, requester >> 3 & 0x1f, requester & 7);
	return buf;
}
