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

static void print_clean(FILE *out, const char *text)
{
	_autofree_ char *line = pv_text_line(text);

	fputs(line ? line : "?", out);
}

static void print_run(FILE *out, const char *which, const struct pv_run_result *r)
{
	char totals[PV_TOTALS_MAX];

	fprintf(out, "%-7s ", which);
	print_clean(out, r->folder);
	fprintf(out, ": %s, %s, driver %s, version %s", r->target, r->board, r->driver, r->version);
	const char *revision = pv_run_property(r, "revision"), *defects = pv_run_property(r, "defects");
	fprintf(out, "%s%s%s", revision ? " (" : "", revision ? revision : "", revision ? ")" : "");
	if (defects) {
		fputs(", planted defects: ", out);
		print_clean(out, defects);
	}
	fprintf(out, "; %s\n", pv_run_totals(r, totals));
}

static void print_change(FILE *out, const struct pv_change *c, bool colour)
{
	const struct pv_case_result *shown = c->after ? c->after : c->before;

	fprintf(out, "  %s%s%s", pv_verdict_colour(shown->verdict, colour), pv_verdict_word(shown->verdict),
		pv_colour_off(colour));
	fputc(' ', out);
	print_clean(out, shown->plan);
	fputc('/', out);
	print_clean(out, shown->name);
	if (shown->round > 1)
		fprintf(out, " #%u", shown->round);
	if (c->before && c->after && c->before->verdict != c->after->verdict)
		fprintf(out, " (before: %s)", pv_verdict_name(c->before->verdict));
	const char *text = c->text ? c->text : shown->verdict != PV_PASS ? shown->message : NULL;
	if (text && *text) {
		fputs("\n      ", out);
		print_clean(out, text);
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
	print_clean(f->out, name);
	fputs(": ", f->out);
	print_clean(f->out, before ? before : "unknown");
	fputs(" before, ", f->out);
	print_clean(f->out, after ? after : "unknown");
	fputs(" now\n", f->out);
}

/* Renamed cases can be many, and none of them is a change. */
void pv_renamed_print(const struct pv_renamed *list, size_t n, FILE *out)
{
	if (n)
		fprintf(out, "\nRenamed, and compared (%zu)\n", n);
	for (size_t i = 0; i < n && i < RENAMED_MAX; i++) {
		const struct pv_renamed *r = &list[i];

		fprintf(out, "  %s%s", r->runs, *r->runs ? ": " : "");
		print_clean(out, r->plan);
		fputc('/', out);
		print_clean(out, r->before);
		fputs(" is now ", out);
		print_clean(out, r->after);
		fputc('\n', out);
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
		print_change(out, &c->changes[i], colour);
	}
	pv_comparison_facts(c, print_fact, &(struct facts){.out = out});
	pv_renamed_print(c->renamed, c->n_renamed, out);
	print_totals(c, out);
}
