/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases that ran more than once: because they could not be judged at first, or because it was asked for. */
#include "reports/html_page.h"

enum { MESSAGE_BYTES = 4096 };

/* ---- flaky ---- */

size_t pv_page_flaky_count(const struct pv_page *p)
{
	return p->run->flaky;
}

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

size_t pv_page_repeats_count(const struct pv_page *p)
{
	return p->repeats.groups.n;
}

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
	const struct pv_groups *g = &p->repeats.groups;

	fputs("<table>\n<tr><th scope=\"col\">case</th><th scope=\"col\" class=\"n\">runs</th>", p->f);
	pv_page_counts_head(p);
	fputs("<th scope=\"col\" class=\"n\">mean time</th></tr>\n", p->f);
	for (int agree = 0; agree < 2; agree++)
		for (size_t i = 0; i < g->n; i++)
			if (pv_repeats_agree(&g->groups[i]) == agree)
				put_repeated(p, &g->groups[i]);
	fputs("</table>\n", p->f);
}
