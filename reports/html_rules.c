/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use that the driver broke: how often, in which cases, and how it was the first time. */
#include <inttypes.h>

#include "reports/html_page.h"
#include "reports/rules.h"

enum { MESSAGE_BYTES = 512 };

size_t pv_page_rules_count(const struct pv_page *p)
{
	return p->rules.n;
}

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
	pv_page_short(p, pv_rules_first(&p->run->cases[first], g->key), MESSAGE_BYTES);
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
