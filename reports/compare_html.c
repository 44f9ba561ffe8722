/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of two runs as one HTML page, with the style of a run's page. */
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/html.h"
#include "reports/compare.h"
#include "reports/html_page.h"
#include "reports/writers.h"

enum { TEXT_BYTES = 4096 };

extern const char pv_report_css[], pv_report_css_sha256[];

static void put_totals(struct pv_page *p, const struct pv_comparison *c)
{
	const char *look = pv_comparison_regressed(c) ? "fail" : pv_comparison_blind(c) ? "skip" : "pass";

	fprintf(p->f, "<h1><span class=\"v %s\">%s</span> two runs compared</h1>\n<ul class=\"totals\">", look,
		pv_comparison_word(c));
	for (int k = 0; k < PV_CHANGE_KINDS; k++)
		if (c->count[k])
			fprintf(p->f, "<li class=\"%s\"><b>%zu</b> <a href=\"#%s\">%s</a></li>",
				pv_change_looks[k].regression ? "fail" : "none", c->count[k], pv_change_looks[k].name,
				pv_change_looks[k].title);
	fputs("</ul>\n", p->f);
}

static void put_runs(struct pv_page *p, const struct pv_comparison *c)
{
	pv_page_runs_head(p);
	pv_page_runs_row(p, "before", c->before);
	pv_page_runs_row(p, "after", c->after);
	fputs("</table></div>\n", p->f);
}

static void put_side(struct pv_page *p, const char *head, const struct pv_case_result *c)
{
	char time[32];

	pv_html_td(head, c ? NULL : "none", p->f);
	if (!c) {
		fputs("absent</td>", p->f);
		return;
	}
	pv_page_verdict(p, c->verdict);
	fprintf(p->f, " %s&#160;s</td>", pv_seconds_text(c->seconds, time));
}

static void put_change(struct pv_page *p, const struct pv_change *c)
{
	const struct pv_case_result *shown = c->after ? c->after : c->before;
	const char *text = c->text ? c->text : shown->verdict != PV_PASS ? shown->message : NULL;

	fputs("<tr><td>", p->f);
	pv_page_line(p, shown->plan);
	fputc('/', p->f);
	pv_page_name(p, shown);
	if (text && *text) {
		fputs("<br/><code>", p->f);
		pv_page_short(p, text, TEXT_BYTES);
		fputs("</code>", p->f);
	}
	fputs("</td>", p->f);
	put_side(p, "before", c->before);
	put_side(p, "after", c->after);
	fputs("</tr>\n", p->f);
}

static void put_kind(struct pv_page *p, const struct pv_comparison *c, int kind)
{
	if (!c->count[kind])
		return;
	fprintf(p->f, "<section id=\"%s\"><h2>%s (%zu)</h2>\n<div class=\"wide\">", pv_change_looks[kind].name,
		pv_change_looks[kind].title, c->count[kind]);
	pv_html_table((const char *const[]){"case", "before", "after", NULL}, p->f);
	for (size_t i = 0; i < c->n; i++)
		if (c->changes[i].kind == (enum pv_change_kind)kind)
			put_change(p, &c->changes[i]);
	fputs("</table></div></section>\n", p->f);
}

struct facts {
	struct pv_page *p;
	size_t n;
};

static void put_facts_head(struct pv_page *p)
{
	fputs("<section id=\"environment\"><h2>The machine is different</h2>\n<div class=\"wide\">", p->f);
	pv_html_table((const char *const[]){"fact", "before", "after", NULL}, p->f);
}

static void put_fact(void *ctx, const char *name, const char *before, const char *after)
{
	struct facts *f = ctx;

	if (!f->n++)
		put_facts_head(f->p);
	fputs("<tr><th scope=\"row\">", f->p->f);
	pv_page_line(f->p, name);
	fputs("</th>", f->p->f);
	pv_page_cell(f->p, "before", before ? before : "unknown");
	pv_page_cell(f->p, "after", after ? after : "unknown");
	fputs("</tr>\n", f->p->f);
}

static void put_facts(struct pv_page *p, const struct pv_comparison *c)
{
	struct facts f = {.p = p};

	pv_comparison_facts(c, put_fact, &f);
	if (f.n)
		fputs("</table></div></section>\n", p->f);
}

static void put_page(struct pv_page *p, const void *comparison)
{
	const struct pv_comparison *c = comparison;
	char title[64];

	snprintf(title, sizeof(title), "%s: pcieval compare", pv_comparison_word(c));
	pv_html_begin(title, &PV_HTML_CODE(pv_report_css), NULL, p->f);
	fputs("<header>\n", p->f);
	put_totals(p, c);
	put_runs(p, c);
	fputs("</header>\n<main>\n", p->f);
	for (int k = 0; k < PV_CHANGE_KINDS; k++)
		put_kind(p, c, k);
	put_facts(p, c);
	pv_page_renamed(p, c->renamed, c->n_renamed);
	fputs(c->n ? "</main>\n" : "<p>Nothing is different.</p>\n</main>\n", p->f);
	pv_html_end(NULL, p->f);
}

int pv_comparison_write_html(const struct pv_comparison *c, const char *path, struct pv_error *e)
{
	struct pv_page p = {.run = c->after, .room = TEXT_BYTES};

	return pv_page_write(&p, put_page, c, path, e);
}
