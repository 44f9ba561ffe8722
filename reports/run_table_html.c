/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of several runs as one HTML page. */
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/html.h"
#include "reports/html_page.h"
#include "reports/run_table.h"
#include "reports/writers.h"

enum { TEXT_BYTES = 4096 };

extern const char pv_report_css[], pv_report_css_sha256[];

static void put_totals(struct pv_page *p, const struct pv_run_table *t)
{
	const char *look = pv_run_table_regressed(t)	? "fail"
			   : pv_run_table_incomplete(t) ? "error"
			   : pv_run_table_blind(t)	? "skip"
							: "pass";

	fprintf(p->f, "<h1><span class=\"v %s\">%s</span> %zu runs compared</h1>\n<ul class=\"totals\">", look,
		pv_run_table_word(t), t->n_runs);
	for (int k = 0; k < PV_ROW_KINDS; k++)
		fprintf(p->f, "<li class=\"none\"><b>%zu</b> %s</li>", t->count[k], pv_row_looks[k].title);
	fputs("</ul>\n", p->f);
}

static void put_runs(struct pv_page *p, const struct pv_run_table *t)
{
	pv_page_runs_head(p);
	for (size_t i = 0; i < t->n_runs; i++)
		pv_page_runs_row(p, (const char[]){(char)('a' + i), 0}, t->runs[i]);
	fputs("</table></div>\n", p->f);
	for (size_t i = 0; i < t->n_runs; i++) {
		if (!pv_run_table_lost(t, i))
			continue;
		fprintf(p->f, "<p><span class=\"v error\">ERROR</span> %c: ", (char)('a' + i));
		pv_page_line(p, pv_run_table_lost(t, i));
		fputs("</p>\n", p->f);
	}
}

/* ---- changes since the first run ---- */

static void put_against(struct pv_page *p, const struct pv_run_table *t)
{
	fprintf(p->f, "<section id=\"against\"><h2>Against run %c</h2>\n<ul>\n", (char)('a' + t->first));
	for (size_t i = 1; i < t->n_runs; i++) {
		const struct pv_comparison *c = &t->against_first[i];
		const char *comma = ": ";

		if (!pv_run_table_compares(t, i))
			continue;
		fprintf(p->f, "<li>%c: %s", (char)('a' + i), pv_comparison_word(c));
		for (int k = 0; k < PV_CHANGE_KINDS; k++) {
			if (!c->count[k])
				continue;
			fprintf(p->f, "%s%zu %s", comma, c->count[k], pv_change_looks[k].title);
			comma = "; ";
		}
		fputs("</li>\n", p->f);
	}
	fputs("</ul></section>\n", p->f);
}

/* ---- rows ---- */

static void put_reason(void *ctx, const char *runs, const char *reason)
{
	struct pv_page *p = ctx;

	fprintf(p->f, "<br/>%s: <code>", runs);
	pv_page_short(p, reason, TEXT_BYTES);
	fputs("</code>", p->f);
}

/* If the run lacks the round, the number of the one that was compared follows. */
static void put_cell(struct pv_page *p, const struct pv_run_table *t, const struct pv_table_row *row, size_t i)
{
	const struct pv_case_result *c = row->compared[i];
	bool lost = pv_run_table_lost(t, i);

	pv_html_td((const char[]){(char)('a' + i), 0}, c || lost ? NULL : "none", p->f);
	if (c || lost)
		pv_page_verdict(p, lost ? PV_ERROR : c->verdict);
	else
		fputs("-", p->f);
	if (c != row->cells[i])
		fprintf(p->f, " (#%u)", pv_case_round(c));
	fputs("</td>", p->f);
}

static void put_row(struct pv_page *p, const struct pv_run_table *t, const struct pv_table_row *row)
{
	_autofree_ char *name = pv_table_row_name(t, row);

	p->failed |= !name;
	fputs("<tr><td>", p->f);
	pv_page_line(p, name);
	if (row->kind == PV_ROW_figures)
		fputs(" <span class=\"none\">other figures</span>", p->f);
	pv_table_row_reasons(t, row, put_reason, p);
	fputs("</td>", p->f);
	for (size_t i = 0; i < t->n_runs; i++)
		put_cell(p, t, row, i);
	fputs("</tr>\n", p->f);
}

static void put_rows(struct pv_page *p, const struct pv_run_table *t, bool all)
{
	if (!(all ? t->n : t->count[PV_ROW_differ])) {
		fputs("<p>No verdict is different.</p>\n", p->f);
		return;
	}
	fprintf(p->f,
		"<section id=\"cases\"><h2>%s</h2>\n<div class=\"wide\"><table class=\"blocks\">\n"
		"<tr><th scope=\"col\">case</th>",
		all ? "All cases" : "Cases whose verdicts differ");
	for (size_t i = 0; i < t->n_runs; i++)
		fprintf(p->f, "<th scope=\"col\">%c</th>", (char)('a' + i));
	fputs("</tr>\n", p->f);
	for (size_t i = 0; i < t->n; i++)
		if (all || t->rows[i].kind == PV_ROW_differ)
			put_row(p, t, &t->rows[i]);
	fputs("</table></div></section>\n", p->f);
}

/* A table, and which of its rows are shown. */
struct shown {
	const struct pv_run_table *table;
	bool all;
};

static void put_page(struct pv_page *p, const void *what)
{
	const struct shown *shown = what;
	const struct pv_run_table *t = shown->table;
	char title[64];

	snprintf(title, sizeof(title), "%s: pcieval compare", pv_run_table_word(t));
	pv_html_begin(title, &PV_HTML_CODE(pv_report_css), NULL, p->f);
	fputs("<header>\n", p->f);
	put_totals(p, t);
	put_runs(p, t);
	fputs("</header>\n<main>\n", p->f);
	put_rows(p, t, shown->all);
	put_against(p, t);
	pv_page_renamed(p, t->renamed, t->n_renamed);
	fputs("</main>\n", p->f);
	pv_html_end(NULL, p->f);
}

int pv_run_table_write_html(const struct pv_run_table *t, bool all, const char *path, struct pv_error *e)
{
	struct pv_page p = {.run = t->runs[0], .room = TEXT_BYTES};

	return pv_page_write(&p, put_page, &(struct shown){t, all}, path, e);
}
