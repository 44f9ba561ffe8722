/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups in the tables of the law. */
#include "framework/law/law.h"

#include <string.h>

const char *pv_known_name(enum pv_known how)
{
	static const char *const names[PV_KNOWN] = {"text", "two", "driver", "decision", "unpublished"};

	return names[how];
}

bool pv_statement_is_rule(const struct pv_statement *s)
{
	return strncmp(s->id, "F-", 2) != 0;
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

static bool contains(const struct pv_statement *const *list, size_t n, const struct pv_statement *s)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == s)
			return true;
	return false;
}

size_t pv_law_rests(const char *const *ids, const struct pv_statement **out, size_t max)
{
	size_t n = 0;

	for (; ids && *ids; ids++) {
		const struct pv_requirement *r = pv_requirement_find(*ids);

		for (const char *const *id = r ? r->rests : NULL; id && *id; id++) {
			const struct pv_statement *s = pv_statement_find(*id);

			if (n < max && !contains(out, n, s))
				out[n++] = s;
		}
	}
	return n;
}
