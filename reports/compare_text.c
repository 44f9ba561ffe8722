/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of two runs as text for a terminal. */
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/compare.h"
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
	fprintf(out, "%-7s ", which);
	print_clean(out, r->folder);
	fprintf(out, ": %s, %s, driver %s, version %s", r->target, r->board, r->driver, r->version);
	const char *revision = pv_run_property(r, "revision");
	fprintf(out, "%s%s%s; %zu passed, %zu failed, %zu errors, %zu skipped\n", revision ? " (" : "",
		revision ? revision : "", revision ? ")" : "", r->count[PV_PASS], r->count[PV_FAIL], r->count[PV_ERROR],
		r->count[PV_SKIP]);
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

static void count_renamed(void *ctx, const char *plan, const char *before, const char *after)
{
	(*(size_t *)ctx)++;
}

/* Renamed cases can be many, and none of them is a change. */
static void print_renamed_case(void *ctx, const char *plan, const char *before, const char *after)
{
	struct facts *r = ctx;

	if (r->n++ >= RENAMED_MAX)
		return;
	fputs("  ", r->out);
	print_clean(r->out, plan);
	fputc('/', r->out);
	print_clean(r->out, before);
	fputs(" is now ", r->out);
	print_clean(r->out, after);
	fputc('\n', r->out);
}

static void print_renamed(const struct pv_comparison *c, FILE *out)
{
	struct facts r = {.out = out};
	size_t n = 0;

	pv_comparison_renamed(c, count_renamed, &n);
	if (!n)
		return;
	fprintf(out, "\nRenamed, and compared (%zu)\n", n);
	pv_comparison_renamed(c, print_renamed_case, &r);
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
	print_renamed(c, out);
	print_totals(c, out);
}
