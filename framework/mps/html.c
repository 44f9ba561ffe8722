/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the tree as SVG: a row for each function, indented by its level. The width of its line shows the speed of its
 * link.
 */
#include "framework/mps/html.h"

#include <math.h>

#include "framework/mps/budget.h"
#include "framework/mps/facts.h"
#include "framework/mps/text.h"
#include "framework/util/cleanup.h"
#include "framework/util/html.h"

extern const char pv_mps_css[], pv_mps_css_sha256[];

enum { ROW = 40, STEP = 15, DEPTH_MAX = 8, LEFT = 8, TOP = 14 };

struct drawing {
	const struct pv_mps_page *page;
	unsigned row;
	FILE *f;
};

/* Returns the width in pixels: 1 at 2.5 GT/s x1, plus 1 for each doubling. */
static double line_width(const struct pv_pci_func *func)
{
	struct pv_link_rate link = pv_link_now(func);
	double lanes = link.width * (link.speed_mt / 2500.0);

	return lanes > 1 ? 1 + log2(lanes) : 1;
}

static void put_line(struct drawing *d, double x1, double y1, double x2, double y2, double width)
{
	fprintf(d->f, "<line class=\"w\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke-width=\"%.1f\"/>", x1,
		y1, x2, y2, width);
}

static void put_sizes(struct drawing *d, const struct pv_pci_func *func)
{
	struct pv_link_rate now = pv_link_now(func), most = pv_link_most(func);
	const char *separator = "";

	if (pv_has_sizes(func)) {
		fprintf(d->f, "MPS %d of %d, MRRS %d", pv_mps_of(func), pv_mpss_of(func), pv_mrrs_of(func));
		separator = ", ";
	}
	if (!most.width)
		return;
	fprintf(d->f, "%s%s", separator, now.width ? pv_link_text(now).s : "no link");
	if (now.width && (now.speed_mt != most.speed_mt || now.width != most.width))
		fprintf(d->f, " of %s", pv_link_text(most).s);
}

static void put_func(struct drawing *d, const struct pv_pci_func *func, unsigned depth, unsigned parent_row)
{
	unsigned level = depth < DEPTH_MAX ? depth : DEPTH_MAX;
	double x = LEFT + STEP * level, y = TOP + ROW * d->row, up = TOP + ROW * parent_row;
	const char *bad = pv_is_mismatched(d->page->found, func) ? " class=\"x\"" : "";

	if (depth) {
		put_line(d, x - STEP, up, x - STEP, y, 1);
		put_line(d, x - STEP, y, x, y, line_width(func));
	}
	fprintf(d->f, "<circle%s cx=\"%.0f\" cy=\"%.0f\" r=\"4\"/>", *bad ? bad : " class=\"f\"", x, y);
	fprintf(d->f, "<text%s x=\"%.0f\" y=\"%.0f\">%s %s</text>", bad, x + 10, y + 4, func->name,
		pv_func_type(func)->name);
	fprintf(d->f, "<text class=\"d\" x=\"%.0f\" y=\"%.0f\">", x + 10, y + 20);
	put_sizes(d, func);
	fputs("</text>\n", d->f);
}

static void put_level(struct drawing *d, const struct pv_pci_func *first, unsigned depth, unsigned parent_row)
{
	for (const struct pv_pci_func *func = first; func; func = func->sibling) {
		unsigned row = d->row;

		put_func(d, func, depth, parent_row);
		d->row++;
		put_level(d, func->child, depth + 1, row);
	}
}

static void put_tree(const struct pv_mps_page *page, FILE *f)
{
	_autofree_ char *rows = NULL;
	size_t n = 0;
	struct drawing d = {page, 0, open_memstream(&rows, &n)};

	if (!d.f)
		return;
	put_level(&d, pv_pci_first_root(page->machine), 0, 0);
	if (fclose(d.f))
		return;
	fputs("<h2>The tree</h2>\n<p class=\"dim\">MPS as set, of the most that the function supports. A line is "
	      "wider, the "
	      "faster its link is.",
	      f);
	if (page->found->n)
		fputs(" <span class=\"bad\">Red</span>: an end of a mismatch.", f);
	fprintf(f,
		"</p>\n<div class=\"tree\"><svg height=\"%u\" role=\"img\"><title>the tree</title>\n%s</svg></div>\n",
		ROW * d.row + TOP, rows);
}

/* ---- the page ---- */

static void print_answers(const void *ctx, FILE *f)
{
	const struct pv_mps_page *page = ctx;

	pv_text_check(page->found, page->cures, f);
	pv_text_remarks(page->remarks, f);
	for (size_t i = 0; i < page->found->n_unjudged; i++)
		fprintf(f, "cannot judge %s: %s\n", page->found->unjudged[i].func->name, page->found->unjudged[i].why);
}

static void print_policies(const void *ctx, FILE *f)
{
	const struct pv_mps_page *page = ctx;

	pv_text_all(page->cures, page->peers, f);
}

static void print_budgets(const void *ctx, FILE *f)
{
	pv_text_budgets(ctx, f);
}

/* Returns true if an uplink has a known budget. */
static bool has_budget(const struct pv_pci_machine *m)
{
	struct pv_budget b;

	for (size_t i = 0; i < m->n; i++)
		if (pv_budget_find(&m->funcs[i], &b))
			return true;
	return false;
}

static void put_budgets(const struct pv_mps_page *page, FILE *f)
{
	if (!has_budget(page->machine))
		return;
	fputs("<h2>Uplinks of switches</h2>\n<p class=\"dim\">GB/s: what the uplink carries, and what the links below "
	      "it "
	      "bring (!: more than it carries); payload of all devices at once, beside the sum of what each writes and "
	      "reads alone.</p>\n",
	      f);
	pv_html_pre(print_budgets, page->machine, f);
}

void pv_mps_html(const struct pv_mps_page *page, FILE *f)
{
	size_t n = page->found->n, unjudged = page->found->n_unjudged;

	pv_html_begin(page->name, &PV_HTML_CODE(pv_mps_css), NULL, f);
	fputs("<h1>", f);
	pv_html_put(page->name, f);
	fprintf(f, "</h1>\n<p>%zu function%s: <span%s>%zu mismatch%s</span>", page->machine->n,
		page->machine->n == 1 ? "" : "s", n ? " class=\"bad\"" : "", n, n == 1 ? "" : "es");
	if (unjudged)
		fprintf(f, ", <span class=\"bad\">%zu cannot be judged</span>", unjudged);
	fputs("</p>\n", f);
	pv_html_pre(print_answers, page, f);
	put_tree(page, f);
	put_budgets(page, f);
	fputs("<h2>What each policy sets</h2>\n<p class=\"dim\">MPS of each function under pci=pcie_bus_POLICY; MRRS "
	      "under "
	      "perf, which alone sets it.</p>\n",
	      f);
	pv_html_pre(print_policies, page, f);
	pv_html_end(NULL, f);
}
