/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as a page of text for a mail: the tested properties, and each kind of failure once. There are at most 39 lines
 * of at most 75 columns, which leaves room for quoting. The rest is only counted.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"
#include "reports/groups.h"
#include "reports/statements.h"
#include "reports/terminal.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

enum {
	COLUMNS = 75,
	LINES = 39,
	MESSAGE_LINES = 3,			    /* maximum number of lines for a message or command */
	LINES_LAST = 1 + 1 + 1 + 3 * MESSAGE_LINES, /* after the kinds of failures, in any run */
	RESTS = 6,
};

/* ---- lines ---- */

struct page {
	FILE *f;
	unsigned lines;
};

/*
 * Returns the bytes of `text` that fit into `room` columns: whole words if there are several, always whole characters.
 */
static size_t fitting(const char *text, size_t room)
{
	size_t n = 0, columns = 0, word = 0;

	for (; text[n] && columns < room; columns++) {
		if (text[n] == ' ')
			word = n;
		n += pv_utf8_bytes(text + n, 1);
	}
	return !text[n] || text[n] == ' ' || !word ? n : word;
}

/*
 * Prints text in lines: the first one begins with `first`, the others with as many blanks, and each but the last ends
 * with `more`. Prints at most `most` lines.
 */
static void put_wrapped(struct page *p, const char *first, const char *text, const char *more, unsigned most)
{
	size_t indent = strlen(first), room = COLUMNS - indent - strlen(more);

	for (unsigned i = 0; i < most && *text; i++) {
		size_t n = fitting(text, room);
		bool last = !text[n];

		if (last || i < most - 1)
			fprintf(p->f, "%*s%.*s%s\n", (int)indent, i ? "" : first, (int)n, text, last ? "" : more);
		else
			fprintf(p->f, "%*s%.*s...\n", (int)indent, i ? "" : first, (int)fitting(text, room - 3), text);
		p->lines++;
		text += n;
		text += *text == ' ';
	}
}

__attribute__((format(printf, 4, 5))) static void put(struct page *p, const char *first, const char *more,
						      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_autofree_ char *line = pv_text_vline(fmt, ap);
	va_end(ap);
	put_wrapped(p, first, line ? line : "?", more, MESSAGE_LINES);
}

static void put_blank(struct page *p)
{
	fputc('\n', p->f);
	p->lines++;
}

/* ---- tested properties ---- */

static void put_head(struct page *p, const struct pv_run_result *r)
{
	char tested[PV_TESTED_MAX], totals[PV_TOTALS_MAX], time[32], flaky[40];

	snprintf(flaky, sizeof(flaky), ", %zu flaky", r->flaky);
	put(p, "pcieval: ", "", "%zu case%s: %s%s in %s s%s%s", r->n_cases, r->n_cases == 1 ? "" : "s",
	    pv_run_totals(r, totals), r->flaky ? flaky : "", pv_seconds_text(r->seconds, time),
	    r->interrupted ? ", " : "", r->interrupted ? (r->why ? r->why : "interrupted") : "");
	put(p, "tested:  ", "", "%s; pcieval %s", pv_run_tested(r, tested, sizeof(tested)), r->version);
	if (r->command)
		put(p, "command: ", " \\", "%s", r->command);
}

/* ---- a kind of failure ---- */

/* Prints the first and the last case of a kind. */
static void put_names(struct page *p, const struct pv_run_result *r, const struct pv_group *g)
{
	const struct pv_case_result *c = &r->cases[g->members[0].index];
	_autofree_ char *first = pv_case_full_name(c);
	_autofree_ char *last = pv_case_full_name(&r->cases[g->members[g->n - 1].index]);

	if (!first || !last)
		return;
	if (g->n == 1)
		put(p, "  ", "", "%s, %s:%d", first, c->file, c->line);
	else if (g->n == 2)
		put(p, "  ", "", "%s and %s", first, last);
	else
		put(p, "  ", "", "%s, %zu other%s, and %s", first, g->n - 2, g->n == 3 ? "" : "s", last);
}

static void put_rests(struct page *p, const struct pv_case_result *c)
{
	const struct pv_statement *rests[PV_RESTS_MAX];
	size_t n = pv_case_rests(c, rests), len = 0;
	char ids[128] = "";

	for (size_t i = 0; i < n && i < RESTS; i++)
		len += (size_t)snprintf(ids + len, sizeof(ids) - len, " %.15s", rests[i]->id);
	if (n)
		put(p, "  ", "", "rests on%s%s (docs/hardware-notes.md)", ids, n > RESTS ? " and others" : "");
}

static void put_kind(struct page *p, const struct pv_run_result *r, const struct pv_group *g)
{
	const struct pv_case_result *c = &r->cases[g->members[0].index];
	_autofree_ char *again = pv_rerun_command(r, c);

	put_blank(p);
	put(p, "", "", "%s%s%s%s, %zu case%s: %s", pv_verdict_word(c->verdict), c->verdict == PV_ERROR ? " (" : "",
	    c->verdict == PV_ERROR && c->type ? c->type : "", c->verdict == PV_ERROR ? ")" : "", g->n,
	    g->n == 1 ? "" : "s", pv_case_reason(c));
	put_names(p, r, g);
	put_rests(p, c);
	if (again)
		put(p, "  ", " \\", "%s", again);
}

/* Prints a kind if it fits: it is first printed to a page of its own. False: it does not fit. */
static bool put_if_it_fits(struct page *p, const struct pv_run_result *r, const struct pv_group *g)
{
	_autofree_ char *text = NULL;
	size_t n;
	struct page kind = {.f = open_memstream(&text, &n)};

	if (!kind.f)
		return false;
	put_kind(&kind, r, g);
	unsigned last = LINES_LAST + (r->flaky ? MESSAGE_LINES : 0) + (pv_run_known_failures(r) ? 1 : 0);
	bool fits = !fclose(kind.f) && p->lines + kind.lines + last <= LINES;
	if (fits) {
		fputs(text, p->f);
		p->lines += kind.lines;
	}
	return fits;
}

static void put_kinds(struct page *p, const struct pv_run_result *r, const struct pv_groups *kinds)
{
	size_t cases = 0, i = 0;

	while (i < kinds->n && put_if_it_fits(p, r, &kinds->groups[i]))
		i++;
	put_blank(p);
	for (size_t k = i; k < kinds->n; k++)
		cases += kinds->groups[k].n;
	if (cases)
		put(p, "", "", "%zu more case%s of %zu other kind%s", cases, cases == 1 ? "" : "s", kinds->n - i,
		    kinds->n - i == 1 ? "" : "s");
}

/* ---- the rest ---- */

static void put_not_run(struct page *p, const struct pv_run_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		n += r->cases[i].verdict == PV_ERROR && !pv_case_is_bad(&r->cases[i]);
	if (n)
		put(p, "not run: ", "", "%zu case%s", n, n == 1 ? "" : "s");
}

static void put_attempts(const struct pv_case_result *c, const char *comma, FILE *f)
{
	_autofree_ char *name = pv_case_full_name(c);

	fprintf(f, "%s%s (", comma, name ? name : "?");
	for (size_t i = 0; i < c->n_attempts; i++)
		fprintf(f, "%s%s: %s", i ? "; " : "", c->attempts[i].type ? c->attempts[i].type : "error",
			c->attempts[i].message ? c->attempts[i].message : "no reason");
	fputc(')', f);
}

/* Lists cases that passed when they were run again, with the errors before. */
static void put_flaky(struct page *p, const struct pv_run_result *r)
{
	_autofree_ char *text = NULL;
	size_t n, told = 0;
	FILE *f = r->flaky ? open_memstream(&text, &n) : NULL;

	if (!f)
		return;
	for (size_t i = 0; i < r->n_cases; i++)
		if (pv_case_is_flaky(&r->cases[i]))
			put_attempts(&r->cases[i], told++ ? ", " : "", f);
	if (!fclose(f))
		put(p, "flaky:   ", "", "%zu case%s passed when run again: %s", r->flaky, r->flaky == 1 ? "" : "s",
		    text);
}

static void put_skipped(struct page *p, const struct pv_run_result *r)
{
	_cleanup_(pv_groups_free) struct pv_groups skips = {0};
	size_t known = pv_run_known_failures(r);

	if (known)
		put(p, "known failures: ", "", "%zu of the skipped case%s", known, r->count[PV_SKIP] == 1 ? "" : "s");
	pv_groups_of_skips(&skips, r);
	if (skips.n)
		put(p, "skipped: ", "", "%zu of %zu because: %s%s", skips.groups[0].n, r->count[PV_SKIP] - known,
		    skips.groups[0].key, skips.n > 1 ? "; and for other reasons" : "");
}

static void put_rules(struct page *p, const struct pv_run_result *r)
{
	_cleanup_(pv_groups_free) struct pv_groups rules = {0};
	_autofree_ char *text = NULL;
	size_t n;

	pv_rules_group(r, &rules);
	FILE *f = rules.n ? open_memstream(&text, &n) : NULL;
	if (!f)
		return;
	for (size_t i = 0; i < rules.n; i++)
		fprintf(f, "%s%s (%zu case%s)", i ? ", " : "", rules.groups[i].key, rules.groups[i].n,
			rules.groups[i].n == 1 ? "" : "s");
	if (!fclose(f))
		put(p, "rules of use broken: ", "", "%s", text);
}

static void put_page(struct page *p, const struct pv_run_result *r, const struct pv_groups *kinds)
{
	put_head(p, r);
	put_kinds(p, r, kinds);
	put_not_run(p, r);
	put_flaky(p, r);
	put_skipped(p, r);
	put_rules(p, r);
	put(p, "results: ", "", "%s", r->folder);
}

int pv_text_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	_cleanup_(pv_groups_free) struct pv_groups alike = {0};
	_autofree_ char *text = NULL;
	size_t n = 0;

	pv_groups_of_alike(&alike, r);
	struct page p = {.f = alike.failed ? NULL : open_memstream(&text, &n)};
	if (p.f)
		put_page(&p, r, &alike);
	bool whole = p.f && !fclose(p.f);
	return pv_report_write(path, whole ? text : NULL, n, e);
}
