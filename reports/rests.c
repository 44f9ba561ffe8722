/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statements that a failed case rests on. */
#include "reports/rests.h"

size_t pv_case_rests(const struct pv_case_result *c, const struct pv_statement *out[PV_RESTS_MAX])
{
	return c->verdict == PV_FAIL ? pv_law_rests((const char *const *)c->verifies, out, PV_RESTS_MAX) : 0;
}

static void print_one(const struct pv_statement *s, const char *indent, FILE *f)
{
	fprintf(f, "%srests on %s (%s%s%s) %s\n", indent, s->id, pv_known_name(s->how), s->source ? ": " : "",
		s->source ? s->source : "", s->sentence);
}

void pv_rests_print(const struct pv_case_result *c, const char *indent, size_t max, FILE *f)
{
	const struct pv_statement *rests[PV_RESTS_MAX];
	size_t n = pv_case_rests(c, rests);

	for (size_t i = 0; i < n && i < max; i++)
		print_one(rests[i], indent, f);
	if (n <= max)
		return;
	fprintf(f, "%sand on", indent);
	for (size_t i = max; i < n; i++)
		fprintf(f, " %s", rests[i]->id);
	fputs(" (docs/hardware-notes.md)\n", f);
}
