/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of several runs as text for a terminal: a legend of the columns, the table, totals. */
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"
#include "framework/util/wrap.h"
#include "reports/compare_internal.h"
#include "reports/run_table.h"
#include "reports/terminal.h"
#include "reports/xmltext.h"

enum { LEAST_COLUMNS = 80, WORDS_MAX = 6, WORD = 6, LETTER = 2 };

struct printer {
	const struct pv_run_table *t;
	FILE *out;
	bool colour;
	unsigned columns;
};

/* ---- lines ---- */

/* Prints a line of text; "..." replaces the part that exceeds the terminal. */
static void print_cut(const struct printer *p, const char *head, const char *text)
{
	_autofree_ char *line = pv_text_line(text);
	size_t room = p->columns - strlen(head);

	if (!line)
		line = strdup("?");
	if (line && pv_utf8_characters(line) <= room)
		fprintf(p->out, "%s%s\n", head, line);
	else if (line)
		fprintf(p->out, "%s%.*s...\n", head, (int)pv_utf8_bytes(line, room - 3), line);
}

/* ---- legend ---- */

static bool is_same_program(const struct pv_run_table *t)
{
	for (size_t i = 1; i < t->n_runs; i++) {
		const char *first = pv_run_property(t->runs[t->first], "revision");
		const char *other = pv_run_property(t->runs[i], "revision");

		if (!pv_run_table_compares(t, i))
			continue;
		if (strcmp(t->runs[t->first]->version, t->runs[i]->version) ||
		    strcmp(first ? first : "", other ? other : ""))
			return false;
	}
	return true;
}

/* Returns the tested properties of a run; the caller frees it. NULL: no memory. */
static char *tested_text(const struct pv_run_table *t, const struct pv_run_result *r)
{
	const char *revision = pv_run_property(r, "revision");
	char tested[PV_TESTED_MAX], *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fprintf(f, "%s, board %s", pv_run_tested(r, tested, sizeof(tested)), r->board);
	if (!is_same_program(t))
		fprintf(f, ", version %s (%s)", r->version, revision ? revision : "unknown revision");
	return fclose(f) ? NULL : text;
}

static void print_run(const struct printer *p, size_t i)
{
	const struct pv_run_result *r = p->t->runs[i];
	const char *lost = pv_run_table_lost(p->t, i);
	_autofree_ char *text = lost ? NULL : tested_text(p->t, r);
	char head[8], totals[PV_TOTALS_MAX];

	snprintf(head, sizeof(head), "%c  ", (char)('a' + i));
	print_cut(p, head, r->folder);
	if (lost) {
		pv_put_wrapped(p->out, "   ERROR:", lost, 6);
		return;
	}
	print_cut(p, "   ", text ? text : "?");
	fprintf(p->out, "   %s\n", pv_run_totals(r, totals));
}

/* ---- the table ---- */

static bool has_words(const struct printer *p)
{
	return p->t->n_runs <= WORDS_MAX;
}

/* Two columns of the terminal are reserved for a mark. */
static size_t name_columns(const struct printer *p)
{
	return p->columns - LETTER - p->t->n_runs * (has_words(p) ? WORD : LETTER);
}

static void pad(const struct printer *p, size_t n)
{
	fprintf(p->out, "%*s", (int)n, "");
}

static void print_cell(const struct printer *p, const struct pv_table_row *row, size_t i)
{
	const struct pv_case_result *c = row->compared[i];
	bool lost = pv_run_table_lost(p->t, i);
	enum pv_verdict verdict = lost || !c ? PV_ERROR : c->verdict;
	const char *word = !c && !lost ? "-" : c != row->cells[i] ? pv_verdict_name(verdict) : pv_verdict_word(verdict);
	int shown = has_words(p) ? (int)strlen(word) : 1;

	fprintf(p->out, " %s%.*s%s", c || lost ? pv_verdict_colour(verdict, p->colour) : "", shown, word,
		c || lost ? pv_colour_off(p->colour) : "");
	if (has_words(p) && i + 1 < p->t->n_runs)
		pad(p, WORD - 1 - strlen(word));
}

/* Prints a name; one longer than its column continues on the next line. */
static void print_name(const struct printer *p, const char *name)
{
	size_t room = name_columns(p), n;

	while (name[n = pv_utf8_bytes(name, room)]) {
		fprintf(p->out, "%.*s\n  ", (int)n, name);
		name += n;
		room = name_columns(p) - 2;
	}
	fputs(name, p->out);
	pad(p, room - pv_utf8_characters(name));
}

static void print_reason(void *ctx, const char *runs, const char *reason)
{
	char head[2 * PV_TABLE_RUNS + 8];

	snprintf(head, sizeof(head), "    %s: ", runs);
	print_cut(ctx, head, reason);
}

static void print_row(struct printer *p, const struct pv_table_row *row)
{
	_autofree_ char *name = pv_table_row_name(p->t, row), *line = name ? pv_text_line(name) : NULL;

	print_name(p, line ? line : "?");
	for (size_t i = 0; i < p->t->n_runs; i++)
		print_cell(p, row, i);
	fputs(row->kind == PV_ROW_figures ? " *\n" : "\n", p->out);
	pv_table_row_reasons(p->t, row, print_reason, p);
}

static bool has_other_round(const struct pv_run_table *t, const struct pv_table_row *row)
{
	for (size_t i = 0; i < t->n_runs; i++)
		if (row->compared[i] != row->cells[i])
			return true;
	return false;
}

static void print_head(const struct printer *p)
{
	fputs("\ncase", p->out);
	pad(p, name_columns(p) - strlen("case"));
	for (size_t i = 0; i < p->t->n_runs; i++) {
		fprintf(p->out, " %c", (char)('a' + i));
		if (has_words(p) && i + 1 < p->t->n_runs)
			pad(p, WORD - LETTER);
	}
	fputc('\n', p->out);
}

static void print_rows(struct printer *p, bool all)
{
	bool any = all ? p->t->n : p->t->count[PV_ROW_differ], other = false;

	if (any)
		print_head(p);
	for (size_t i = 0; i < p->t->n; i++) {
		if (!all && p->t->rows[i].kind != PV_ROW_differ)
			continue;
		print_row(p, &p->t->rows[i]);
		other |= has_other_round(p->t, &p->t->rows[i]);
	}
	if (any && !has_words(p))
		fputs("P pass, F fail, E error, S skip, - absent\n", p->out);
	if (other)
		fputs("lower case: another round of the case, since the run lacks this one\n", p->out);
	if (all && p->t->count[PV_ROW_figures])
		fputs("* with other figures\n", p->out);
}

/* ---- totals ---- */

static void print_against(const struct printer *p, size_t i)
{
	const struct pv_comparison *c = &p->t->against_first[i];
	char head[64];
	_autofree_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (int k = 0; f && k < PV_CHANGE_KINDS; k++)
		if (c->count[k])
			fprintf(f, "%s%zu %s", ftell(f) ? "; " : "", c->count[k], pv_change_looks[k].title);
	if (!f || fclose(f))
		return;
	snprintf(head, sizeof(head), "%c against %c: %s%s", (char)('a' + i), (char)('a' + p->t->first),
		 pv_comparison_word(c), n ? ":" : "");
	pv_put_wrapped(p->out, head, text, 4);
}

static void print_counts(const struct printer *p, bool all)
{
	const struct pv_run_table *t = p->t;
	char text[256];
	size_t n = 0;

	for (int k = 0; k < PV_ROW_KINDS; k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%zu %s", k ? ", " : "", t->count[k],
				      pv_row_looks[k].title);
	if (!all && t->count[PV_ROW_differ] < t->n)
		snprintf(text + n, sizeof(text) - n, "; `pcieval compare --all` lists all");
	char head[64];
	snprintf(head, sizeof(head), "%zu case%s:", t->n, t->n == 1 ? "" : "s");
	fputc('\n', p->out);
	pv_put_wrapped(p->out, head, text, 4);
}

static void print_totals(const struct printer *p, bool all)
{
	const struct pv_run_table *t = p->t;

	fputc('\n', p->out);
	for (size_t i = 0; i < t->n_runs; i++)
		if (pv_run_table_compares(t, i))
			print_against(p, i);
		else if (pv_run_table_lost(t, i))
			fprintf(p->out, "%c: ERROR: it has no result\n", (char)('a' + i));
	print_counts(p, all);
}

void pv_run_table_print(const struct pv_run_table *t, bool all, bool colour, unsigned columns, FILE *out)
{
	struct printer p = {
		.t = t, .out = out, .colour = colour, .columns = columns > LEAST_COLUMNS ? columns : LEAST_COLUMNS};

	for (size_t i = 0; i < t->n_runs; i++)
		print_run(&p, i);
	print_rows(&p, all);
	pv_renamed_print(t->renamed, t->n_renamed, out);
	print_totals(&p, all);
}
