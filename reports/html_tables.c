/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of the page: repeated cases, rules of use, skips, the slowest cases, requirements, and all cases by plan.
 */
#include <inttypes.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/html_page.h"
#include "reports/statements.h"

enum { MESSAGE_BYTES = 4096, RULE_BYTES = 512, REASON_BYTES = 1000, SLOWEST = 10, OPEN_CASES = 100 };

/* ---- flaky ---- */

void pv_page_attempts(struct pv_page *p, const struct pv_case_result *c)
{
	for (size_t k = 0; k < c->n_attempts; k++) {
		fprintf(p->f, "%sattempt %zu: ", k ? "<br/>" : "", k + 1);
		pv_page_verdict(p, PV_ERROR);
		fputs(" ", p->f);
		pv_page_line(p, c->attempts[k].type);
		fputs(": ", p->f);
		pv_page_short(p, c->attempts[k].message, MESSAGE_BYTES);
	}
}

void pv_page_flaky(struct pv_page *p)
{
	fputs("<table>\n<tr><th scope=\"col\">case</th><th scope=\"col\">before it passed</th></tr>\n", p->f);
	for (size_t i = 0; i < p->run->n_cases; i++) {
		const struct pv_case_result *c = &p->run->cases[i];

		if (!pv_case_is_flaky(c))
			continue;
		fputs("<tr><td>", p->f);
		pv_page_case(p, i);
		fputs("</td><td>", p->f);
		pv_page_attempts(p, c);
		fputs("</td></tr>\n", p->f);
	}
	fputs("</table>\n", p->f);
}

/* ---- repeated ---- */

static void put_repeated(struct pv_page *p, const struct pv_group *g)
{
	fprintf(p->f, "<tr><td><a href=\"#c%zu\">", g->members[0].index);
	pv_page_line(p, g->key);
	fprintf(p->f, "</a></td><td class=\"n\">%zu</td>", g->n);
	pv_page_counts(p, g->count);
	fputs("<td class=\"n\">", p->f);
	pv_page_duration(p, g->seconds / (double)g->n);
	fputs("</td></tr>\n", p->f);
}

/* Cases with different verdicts come first. */
void pv_page_repeats(struct pv_page *p)
{
	const struct pv_groups *g = &p->repeats;

	fputs("<table>\n<tr><th scope=\"col\">case</th><th scope=\"col\" class=\"n\">runs</th>", p->f);
	pv_page_counts_head(p);
	fputs("<th scope=\"col\" class=\"n\">mean time</th></tr>\n", p->f);
	for (int agree = 0; agree < 2; agree++)
		for (size_t i = 0; i < g->n; i++)
			if (pv_group_agrees(&g->groups[i]) == agree)
				put_repeated(p, &g->groups[i]);
	fputs("</table>\n", p->f);
}

/* ---- rules of use that the driver broke ---- */

static void put_rule(struct pv_page *p, const struct pv_group *g)
{
	size_t first = g->members[0].index;

	fputs("<tr><td>", p->f);
	pv_page_line(p, g->key);
	fprintf(p->f, "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%zu</td><td>", pv_rules_total(p->run, g),
		g->n);
	pv_page_line(p, pv_rules_sentence(g->key));
	fputs("<br/><span class=\"dim\">first in ", p->f);
	pv_page_case(p, first);
	fputs(": ", p->f);
	pv_page_short(p, pv_rules_first(&p->run->cases[first], g->key), RULE_BYTES);
	fputs("</span></td></tr>\n", p->f);
}

void pv_page_rules(struct pv_page *p)
{
	fputs("<table>\n<tr><th scope=\"col\">rule</th><th scope=\"col\" class=\"n\">times</th><th scope=\"col\" "
	      "class=\"n\">cases</th><th scope=\"col\">what software must not do</th></tr>\n",
	      p->f);
	for (size_t i = 0; i < p->rules.n; i++)
		put_rule(p, &p->rules.groups[i]);
	fputs("</table>\n", p->f);
}

/* ---- skipped cases ---- */

static void put_members(struct pv_page *p, const struct pv_group *g)
{
	if (g->n == 1) {
		pv_page_case(p, g->members[0].index);
		return;
	}
	fprintf(p->f, "<details><summary>%zu cases</summary><ul>\n", g->n);
	for (size_t i = 0; i < g->n; i++) {
		fputs("<li>", p->f);
		pv_page_case(p, g->members[i].index);
		fputs("</li>\n", p->f);
	}
	fputs("</ul></details>", p->f);
}

void pv_page_skips(struct pv_page *p)
{
	fputs("<table>\n", p->f);
	for (size_t i = 0; i < p->skips.n; i++) {
		const struct pv_group *g = &p->skips.groups[i];

		fprintf(p->f, "<tr><td class=\"n\">%zu</td><td>", g->n);
		pv_page_short(p, *g->key ? g->key : "no reason", REASON_BYTES);
		fputs("</td><td>", p->f);
		put_members(p, g);
		fputs("</td></tr>\n", p->f);
	}
	fputs("</table>\n", p->f);
}

/* ---- the slowest cases ---- */

size_t pv_page_slowest_count(const struct pv_page *p)
{
	return p->run->n_cases < SLOWEST ? p->run->n_cases : SLOWEST;
}

void pv_page_slowest(struct pv_page *p)
{
	const struct pv_run_result *r = p->run;
	_autofree_ const struct pv_case_result **sorted = pv_run_slowest(r);
	char time[32];

	if (!sorted) {
		p->failed = true;
		return;
	}
	fputs("<table>\n", p->f);
	for (size_t i = 0; i < pv_page_slowest_count(p); i++) {
		fprintf(p->f, "<tr><td class=\"n\">%s s</td><td>", pv_seconds_text(sorted[i]->seconds, time));
		pv_page_verdict(p, sorted[i]->verdict);
		fputs("</td><td>", p->f);
		pv_page_case(p, (size_t)(sorted[i] - r->cases));
		fputs("</td></tr>\n", p->f);
	}
	fputs("</table>\n", p->f);
}

/* ---- requirements ---- */

/*
 * Returns the end of the members, from `from` on, that are one case with different parameters; these are consecutive.
 */
static size_t same_case(const struct pv_page *p, const struct pv_group *g, size_t from)
{
	const struct pv_case_result *first = &p->run->cases[g->members[from].index];
	size_t length = strcspn(first->name, "["), i = from + 1;

	for (; i < g->n; i++) {
		const struct pv_case_result *c = &p->run->cases[g->members[i].index];
		bool same = !strcmp(c->plan, first->plan) && !strncmp(c->name, first->name, length) &&
			    (!c->name[length] || c->name[length] == '[');

		if (!same)
			break;
	}
	return i;
}

/* Writes "plan/case", and for several cases their number and the number of those that did not pass. */
static void put_proof(struct pv_page *p, const struct pv_group *g, size_t from, size_t to)
{
	const struct pv_case_result *first = &p->run->cases[g->members[from].index];
	size_t count[PV_VERDICTS] = {0};
	_autofree_ char *name = NULL;

	if (asprintf(&name, "%s/%.*s", first->plan, (int)strcspn(first->name, "["), first->name) < 0) {
		name = NULL;
		p->failed = true;
	}
	for (size_t i = from; i < to; i++)
		count[p->run->cases[g->members[i].index].verdict]++;
	fprintf(p->f, "<a href=\"#c%zu\">", g->members[from].index);
	pv_page_line(p, name);
	fputs("</a>", p->f);
	if (to - from > 1)
		fprintf(p->f, " &#215;%zu", to - from);
	for (int v = PV_FAIL; v < PV_VERDICTS; v++)
		if (count[v])
			fprintf(p->f, ", <span class=\"%s\">%zu %s</span>", pv_verdict_name(v), count[v],
				pv_verdict_name(v));
}

void pv_page_requirements(struct pv_page *p)
{
	fputs("<table>\n<tr><th scope=\"col\">requirement</th><th scope=\"col\">worst</th>", p->f);
	pv_page_counts_head(p);
	fputs("<th scope=\"col\">verified by</th></tr>\n", p->f);
	for (size_t i = 0; i < p->proofs.n; i++) {
		const struct pv_group *g = &p->proofs.groups[i];

		fputs("<tr><th scope=\"row\">", p->f);
		pv_page_line(p, g->key);
		fputs("</th><td>", p->f);
		pv_page_verdict(p, pv_group_verdict(g));
		fputs("</td>", p->f);
		pv_page_counts(p, g->count);
		fputs("<td class=\"proofs\">", p->f);
		for (size_t from = 0, to; from < g->n; from = to) {
			to = same_case(p, g, from);
			fputs(from ? "; " : "", p->f);
			put_proof(p, g, from, to);
		}
		fputs("</td></tr>\n", p->f);
	}
	fputs("</table>\n", p->f);
}

/* ---- all cases ---- */

/* Names the file with each case only if the plan has several. */
static void put_row(struct pv_page *p, size_t index, bool with_file)
{
	const struct pv_case_result *c = &p->run->cases[index];
	char time[32];

	fprintf(p->f, "<tr id=\"c%zu\" data-v=\"%s\"><td>", index, pv_verdict_name(c->verdict));
	pv_page_verdict(p, c->verdict);
	fputs("</td><td>", p->f);
	if (pv_page_is_told(c))
		fprintf(p->f, "<a href=\"#b%zu\">", index);
	pv_page_name(p, c);
	if (pv_page_is_told(c))
		fputs("</a>", p->f);
	if (c->verdict == PV_SKIP && !pv_page_is_told(c)) {
		fputs("<br/>", p->f);
		pv_page_short(p, c->message, REASON_BYTES);
	}
	fprintf(p->f, "</td><td class=\"n\">%s s</td><td>", pv_seconds_text(c->seconds, time));
	for (char **v = c->verifies; v && *v; v++) {
		fputs(v == c->verifies ? "" : " ", p->f);
		pv_page_line(p, *v);
	}
	fputs("</td><td>", p->f);
	if (with_file)
		pv_page_place(p, c);
	else
		fprintf(p->f, "line %d", c->line);
	fputs("</td></tr>\n", p->f);
}

static bool in_one_file(const struct pv_page *p, const struct pv_group *g)
{
	const char *file = p->run->cases[g->members[0].index].file;

	for (size_t i = 1; i < g->n; i++)
		if (strcmp(p->run->cases[g->members[i].index].file, file))
			return false;
	return true;
}

static void put_plan_head(struct pv_page *p, const struct pv_group *g, bool one_file)
{
	fputs("<summary>", p->f);
	pv_page_verdict(p, pv_group_verdict(g));
	fputs(" <b>", p->f);
	pv_page_line(p, g->key);
	fprintf(p->f, "</b> <span class=\"dim\">%zu case%s", g->n, g->n == 1 ? "" : "s");
	for (int v = PV_FAIL; v < PV_VERDICTS; v++)
		if (g->count[v])
			fprintf(p->f, ", %zu %s", g->count[v], pv_verdict_name(v));
	if (one_file) {
		fputs(" &#183; ", p->f);
		pv_page_line(p, p->run->cases[g->members[0].index].file);
	}
	fputs("</span></summary>\n", p->f);
}

static void put_plan(struct pv_page *p, size_t number)
{
	const struct pv_group *g = &p->plans.groups[number];
	bool one_file = in_one_file(p, g);

	fprintf(p->f, "<details class=\"plan\" id=\"p%zu\"%s>", number,
		p->run->n_cases <= OPEN_CASES ? " open=\"open\"" : "");
	put_plan_head(p, g, one_file);
	fputs("<table class=\"cases\">\n<tr><th scope=\"col\">verdict</th><th scope=\"col\">case</th>"
	      "<th scope=\"col\" class=\"n\">time</th><th scope=\"col\">verifies</th><th "
	      "scope=\"col\">place</th></tr>\n",
	      p->f);
	for (size_t i = 0; i < g->n; i++)
		put_row(p, g->members[i].index, !one_file);
	fputs("</table></details>\n", p->f);
}

void pv_page_all(struct pv_page *p)
{
	for (size_t i = 0; i < p->plans.n; i++)
		put_plan(p, i);
}
