/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements of the law in a run: broken rules of use, and the statements behind failed cases. */
#include "reports/statements.h"

#include <inttypes.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/xmltext.h"

/* ---- rules of use ---- */

void pv_rules_group(const struct pv_run_result *r, struct pv_groups *out)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_rules; k++)
			pv_groups_add(out, r->cases[i].rules[k].rule, i);
	pv_groups_make(out, r, PV_GROUPS_BY_KEY);
}

static const struct pv_rule_count *find(const struct pv_case_result *c, const char *rule)
{
	for (size_t k = 0; k < c->n_rules; k++)
		if (!strcmp(c->rules[k].rule, rule))
			return &c->rules[k];
	return NULL;
}

static uint64_t count_in(const struct pv_case_result *c, const char *rule)
{
	const struct pv_rule_count *k = find(c, rule);

	return k ? k->count : 0;
}

uint64_t pv_rules_total(const struct pv_run_result *r, const struct pv_group *group)
{
	uint64_t n = 0;

	for (size_t i = 0; i < group->n; i++)
		n += count_in(&r->cases[group->members[i].index], group->key);
	return n;
}

const char *pv_rules_first(const struct pv_case_result *c, const char *rule)
{
	const struct pv_rule_count *k = find(c, rule);

	return k ? k->message : "";
}

const char *pv_rules_sentence(const char *rule)
{
	const struct pv_statement *s = pv_statement_find(rule);

	return s ? s->sentence : "";
}

static void print_rule(const struct pv_run_result *r, const struct pv_group *g, FILE *out)
{
	const struct pv_case_result *c = &r->cases[g->members[0].index];
	_autofree_ char *rule = pv_text_line(g->key), *plan = pv_text_line(c->plan), *name = pv_text_line(c->name),
			*first = pv_text_line(pv_rules_first(c, g->key));

	fprintf(out, "\nRULE %s broken %" PRIu64 " time%s in %zu case%s: %s\n", rule ? rule : "?", pv_rules_total(r, g),
		pv_rules_total(r, g) == 1 ? "" : "s", g->n, g->n == 1 ? "" : "s", pv_rules_sentence(g->key));
	fprintf(out, "      first in %s/%s: %s\n", plan ? plan : "?", name ? name : "?", first ? first : "?");
}

void pv_rules_print(const struct pv_run_result *r, FILE *out)
{
	_cleanup_(pv_groups_free) struct pv_groups rules = {0};

	pv_rules_group(r, &rules);
	for (size_t i = 0; i < rules.n; i++)
		print_rule(r, &rules.groups[i], out);
}

/* ---- statements behind a failed case ---- */

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
