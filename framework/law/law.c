/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups in the tables of the law. */
#include "framework/law/law.h"

#include <stdbool.h>
#include <string.h>

const char *pv_known_name(enum pv_known how)
{
	static const char *const names[PV_KNOWN] = {"text", "two", "driver", "decision", "unpublished"};

	return names[how];
}

const struct pv_statement *pv_statement_find(const char *id)
{
	for (const struct pv_statement *s = pv_statements; s->id; s++)
		if (!strcmp(s->id, id))
			return s;
	return NULL;
}

const struct pv_requirement *pv_requirement_find(const char *id)
{
	for (const struct pv_requirement *r = pv_requirements; r->id; r++)
		if (!strcmp(r->id, id))
			return r;
	return NULL;
}

/* Adds `s` if it is not among the first of `out` yet. */
static size_t add(const struct pv_statement **out, size_t n, size_t max, const struct pv_statement *s)
{
	for (size_t i = 0; i < n && i < max; i++)
		if (out[i] == s)
			return n;
	if (n < max)
		out[n] = s;
	return n + 1;
}

size_t pv_law_rests(const char *const *ids, const struct pv_statement **out, size_t max)
{
	size_t n = 0;

	for (; ids && *ids; ids++) {
		const struct pv_requirement *r = pv_requirement_find(*ids);

		for (const char *const *id = r ? r->rests : NULL; id && *id; id++)
			n = add(out, n, max, pv_statement_find(*id));
	}
	return n;
}

/* A sentence ends in a full stop before a space and a capital, or before the end; "7.5.3.4, e.g. so" goes on. */
size_t pv_statement_sentence(const struct pv_statement *s)
{
	for (const char *stop = strstr(s->text, ". "); stop; stop = strstr(stop + 1, ". "))
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ[`0123456789", stop[2]))
			return (size_t)(stop - s->text) + 1;
	return strlen(s->text);
}
