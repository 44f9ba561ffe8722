/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of two runs as text for a terminal. */
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/compare.h"
#include "reports/compare_internal.h"
#include "reports/terminal.h"
#include "reports/xmltext.h"

enum { RENAMED_MAX = 10 };

/* ---- text ---- */

static void print_run(FILE *out, const char *which, const struct pv_run_result *r)
{
	const char *revision = pv_run_property(r, "revision"), *defects = pv_run_property(r, "defects");
	char totals[PV_TOTALS_MAX];

	pv_text_printf(out, "%-7s %s: %s, %s, driver %s, version %s", which, r->folder, r->target, r->board, r->driver,
		       r->version);
	if (revision)
		pv_text_printf(out, " (%s)", revision);
	if (defects)
		pv_text_printf(out, ", planted defects: %s", defects);
	fprintf(out, "; %s\n", pv_run_totals(r, totals));
}

static void print_change(FILE *out, const struct pv_change *c, bool colour)
{
	const struct pv_case_result *shown = c->after ? c->after : c->before;

	fprintf(out, "  %s%s%s", pv_verdict_colour(shown->verdict, colour), pv_verdict_word(shown->verdict),
		pv_colour_off(colour));
	pv_text_printf(out, " %s/%s", shown->plan, shown->name);
	if (shown->round > 1)
		fprintf(out, " #%u", shown->round);
	if (c->before && c->after && c->before->verdict != c->after->verdict)
		fprintf(out, " (before: %s)", pv_verdict_name(c->before->verdict));
	const char *text = c->text ? c->text : shown->verdict != PV_PASS ? shown->message : NULL;
	if (text && *text) {
		fputs("\n      ", out);
		pv_text_printf(out, "%s", text);
	}
	fputc('\n', out);
}

struct facts {
	FILE *out;
	size_t n;
};

static void print_fact(void *ctx, const char *name, const char *before, const char *after)
{
	struct facts *f = ctx;

	fputs(f->n++ ? "  " : "\nThe machine is different\n  ", f->out);
	pv_text_printf(f->out, "%s: %s before, %s now\n", name, before ? before : "unknown", after ? after : "unknown");
}

/* Renamed cases can be many, and none of them is a change. */
void pv_renamed_print(const struct pv_renamed *list, size_t n, FILE *out)
{
	if (n)
		fprintf(out, "\nRenamed, and compared (%zu)\n", n);
	for (size_t i = 0; i < n && i < RENAMED_MAX; i++) {
		const struct pv_renamed *r = &list[i];

		pv_text_printf(out, "  %s%s%s/%s is now %s\n", r->runs, *r->runs ? ": " : "", r->plan, r->before,
			       r->after);
	}
	if (n > RENAMED_MAX)
		fprintf(out, "  and %zu more\n", n - RENAMED_MAX);
}

static void print_totals(const struct pv_comparison *c, FILE *out)
{
	const char *comma = ": ";

	fprintf(out, "\n%s", pv_comparison_word(c));
	for (int k = 0; k < PV_CHANGE_KINDS; k++) {
		if (!c->count[k])
			continue;
		fprintf(out, "%s%zu %s", comma, c->count[k], pv_change_looks[k].title);
		comma = "; ";
	}
	fputc('\n', out);
}

void pv_comparison_print(const struct pv_comparison *c, bool colour, FILE *out)
{
	print_run(out, "before", c->before);
	print_run(out, "after", c->after);
	for (size_t i = 0; i < c->n; i++) {
		if (!i || c->changes[i].kind != c->changes[i - 1].kind)
			fprintf(out, "\n%s (%zu)\n", pv_change_looks[c->changes[i].kind].title,
				c->count[c->changes[i].kind]);
		if (c->changes[i].kind != PV_CHANGE_not_again) /* these are most of a run */
			print_change(out, &c->changes[i], colour);
	}
	pv_comparison_facts(c, print_fact, &(struct facts){.out = out});
	pv_renamed_print(c->renamed, c->n_renamed, out);
	print_totals(c, out);
}
