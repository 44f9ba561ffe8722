/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a run, for a terminal or a log. */
#include "reports/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"
#include "reports/groups.h"
#include "reports/statements.h"
#include "reports/xmltext.h"

#define REASONS_MAX 12 /* reasons for skipped cases, so that they fit on a screen */

static const struct {
	const char *word, *colour;
} looks[PV_VERDICTS] = {
	[PV_PASS] = {"PASS", "\033[32m"},
	[PV_FAIL] = {"FAIL", "\033[31m"},
	[PV_ERROR] = {"ERROR", "\033[35m"},
	[PV_SKIP] = {"SKIP", "\033[33m"},
};

bool pv_terminal_colour(const char *when, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when && strcmp(when, "auto"))
		return !strcmp(when, "always");
	return isatty(fd) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

const char *pv_verdict_word(enum pv_verdict v)
{
	return looks[v].word;
}

const char *pv_verdict_colour(enum pv_verdict v, bool colour)
{
	return colour ? looks[v].colour : "";
}

const char *pv_colour_off(bool colour)
{
	return colour ? "\033[0m" : "";
}

/* ---- per plan ---- */

static void print_number(FILE *out, enum pv_verdict v, size_t n, bool colour)
{
	bool stands_out = n && v != PV_PASS;

	fprintf(out, "%s%6zu%s", pv_verdict_colour(v, colour && stands_out), n, pv_colour_off(colour && stands_out));
}

static void print_row(FILE *out, const struct pv_group *plan, int width, bool colour)
{
	char time[32];
	_autofree_ char *name = pv_text_line(plan->key);

	fprintf(out, "%-*s", width, name ? name : "?");
	for (int v = 0; v < PV_VERDICTS; v++)
		print_number(out, v, plan->count[v], colour);
	fprintf(out, "%10s s\n", pv_seconds_text(plan->seconds, time));
}

static void print_plans(const struct pv_run_result *r, bool colour, FILE *out)
{
	_cleanup_(pv_groups_free) struct pv_groups plans = {0};
	int width = 4;

	pv_groups_of_plans(&plans, r);
	for (size_t i = 0; i < plans.n; i++)
		if ((int)strlen(plans.groups[i].key) > width)
			width = (int)strlen(plans.groups[i].key);
	fprintf(out, "\n%-*s  pass  fail error  skip        time\n", width, "plan");
	for (size_t i = 0; i < plans.n; i++)
		print_row(out, &plans.groups[i], width, colour);
}

/* ---- failures and errors ---- */

enum { TEXT_LINES = 12, LINE_BYTES = 1000, RESTS = 4 };

void pv_terminal_text(const char *text, size_t n, const char *where, FILE *out)
{
	size_t shown = pv_utf8_cut(text, n, LINE_BYTES);

	fprintf(out, "%.*s", (int)shown, text);
	if (shown < n)
		fprintf(out, "... (cut: %zu of %zu bytes; the rest is in %s)", shown, n, where);
}

/* Prints the text without its first line, which repeats the message. */
static void print_text(FILE *out, const char *text, const char *where)
{
	_autofree_ char *clean = pv_text_clean(text);
	char *line = clean ? strchr(clean, '\n') : NULL;

	for (int n = 0; line && line[1]; n++) {
		char *next = strchr(++line, '\n');

		if (n == TEXT_LINES) {
			fprintf(out, "      ...\n");
			return;
		}
		fputs("      ", out);
		pv_terminal_text(line, next ? (size_t)(next - line) : strlen(line), where, out);
		fputc('\n', out);
		line = next;
	}
}

static void print_message(const struct pv_run_result *r, const struct pv_case_result *c, FILE *out)
{
	_autofree_ char *where = NULL, *folder = pv_text_line(r->folder), *message = pv_text_line(c->message);

	if (asprintf(&where, "%s/journal.jsonl", folder ? folder : "?") < 0)
		where = NULL;
	pv_terminal_text(message ? message : "?", message ? strlen(message) : 1, where ? where : "the journal", out);
	fputc('\n', out);
	print_text(out, c->text, where ? where : "the journal");
}

/* Prints the round of a repeated case. */
static void print_round(FILE *out, const struct pv_case_result *c)
{
	if (c->round > 1)
		fprintf(out, " #%u", c->round);
}

static void print_bad(const struct pv_run_result *r, const struct pv_case_result *c, bool colour, FILE *out)
{
	_autofree_ char *again = pv_rerun_command(r, c);

	fprintf(out, "\n%s%s%s ", pv_verdict_colour(c->verdict, colour), pv_verdict_word(c->verdict),
		pv_colour_off(colour));
	pv_text_printf(out, "%s/%s", c->plan, c->name);
	print_round(out, c);
	pv_text_printf(out, "  %s:%d", c->file, c->line);
	if (c->verdict == PV_ERROR && c->type)
		pv_text_printf(out, "  (%s)", c->type);
	fputs("\n      ", out);
	print_message(r, c, out);
	pv_rests_print(c, "      ", RESTS, out);
	fprintf(out, "      seed %llu\n", (unsigned long long)c->seed);
	for (char **a = c->artefacts; a && *a; a++)
		pv_text_printf(out, "      artefact %s\n", *a);
	if (again)
		pv_text_printf(out, "      again: %s\n", again);
}

/* Cases that never ran because the run ended share one line. */
static void print_all_bad(const struct pv_run_result *r, bool colour, FILE *out)
{
	size_t not_run = 0;

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct pv_case_result *c = &r->cases[i];

		if (pv_case_is_bad(c))
			print_bad(r, c, colour, out);
		else
			not_run += c->verdict == PV_ERROR;
	}
	if (!not_run)
		return;
	fprintf(out, "\n%sERROR%s %zu case%s not run: ", pv_verdict_colour(PV_ERROR, colour), pv_colour_off(colour),
		not_run, not_run == 1 ? " was" : "s were");
	pv_text_printf(out, "%s\n", r->running ? "the run goes on" : r->why ? r->why : "the run ended before that");
}

/* ---- repeated cases ---- */

/* Lists passed cases that could not be judged at first. */
static void print_flaky(const struct pv_run_result *r, bool colour, FILE *out)
{
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct pv_case_result *c = &r->cases[i];

		if (!pv_case_is_flaky(c))
			continue;
		fprintf(out, "\n%sFLAKY%s ", pv_verdict_colour(PV_SKIP, colour), pv_colour_off(colour));
		pv_text_printf(out, "%s/%s", c->plan, c->name);
		fprintf(out, "  passed at attempt %zu\n", c->n_attempts + 1);
		for (size_t k = 0; k < c->n_attempts; k++) {
			fprintf(out, "      attempt %zu: ", k + 1);
			pv_text_printf(out, "error (%s): %s\n", c->attempts[k].type, c->attempts[k].message);
		}
	}
}

static void print_counts(const struct pv_group *g, bool colour, FILE *out)
{
	const char *comma = "";

	for (int v = 0; v < PV_VERDICTS; v++) {
		if (!g->count[v])
			continue;
		bool stands_out = colour && v != PV_PASS;
		fprintf(out, "%s%s%zu %s%s", comma, pv_verdict_colour(v, stands_out), g->count[v],
			pv_verdict_counted(v, g->count[v]), pv_colour_off(stands_out));
		comma = ", ";
	}
	fputc('\n', out);
}

/* Prints how often the cases ran, and those with different verdicts. */
static void print_repeats(const struct pv_run_result *r, bool colour, FILE *out)
{
	_cleanup_(pv_groups_free) struct pv_groups all = {0};
	size_t least = SIZE_MAX, most = 0;

	pv_groups_of_repeats(&all, r);
	const struct pv_groups *g = &all;
	for (size_t i = 0; i < g->n; i++) {
		least = g->groups[i].n < least ? g->groups[i].n : least;
		most = g->groups[i].n > most ? g->groups[i].n : most;
	}
	if (!g->n)
		return;
	fprintf(out, "\n%zu case%s repeated: each ran ", g->n, g->n == 1 ? "" : "s");
	if (least == most)
		fprintf(out, "%zu time%s\n", most, most == 1 ? "" : "s");
	else
		fprintf(out, "%zu to %zu times\n", least, most);
	for (size_t i = 0; i < g->n; i++) {
		if (pv_group_agrees(&g->groups[i]))
			continue;
		pv_text_printf(out, "  %s", g->groups[i].key);
		fprintf(out, ": of %zu runs ", g->groups[i].n);
		print_counts(&g->groups[i], colour, out);
	}
}

/* ---- the slowest cases ---- */

static void print_slowest(const struct pv_run_result *r, FILE *out)
{
	_autofree_ const struct pv_case_result **sorted = pv_run_slowest(r);

	if (!sorted || !r->n_cases)
		return;
	fprintf(out, "\nslowest cases\n");
	for (size_t i = 0; i < r->n_cases && i < 10; i++) {
		char time[32];

		fprintf(out, "%10s s", pv_seconds_text(sorted[i]->seconds, time));
		pv_text_printf(out, "  %s/%s", sorted[i]->plan, sorted[i]->name);
		print_round(out, sorted[i]);
		fputc('\n', out);
	}
}

/* Lists skipped cases, so that nobody believes that they ran. */
static void print_skipped(const struct pv_run_result *r, FILE *out)
{
	struct pv_groups skips = {0};
	size_t more = 0;

	pv_groups_of_skips(&skips, r);
	if (skips.n)
		fputs("\nskipped\n", out);
	for (size_t i = 0; i < skips.n; i++) {
		if (i >= REASONS_MAX) {
			more += skips.groups[i].n;
			continue;
		}
		fprintf(out, "%6zu  ", skips.groups[i].n);
		pv_text_printf(out, "%s\n", skips.groups[i].key);
	}
	if (more)
		fprintf(out, "%6zu  for other reasons\n", more);
	pv_groups_free(&skips);
}

/* The reasons of skipped cases leave out those that failed as known. */
static void print_known_failures(const struct pv_run_result *r, FILE *out)
{
	size_t n = pv_run_known_failures(r);

	if (n)
		fprintf(out, "\nknown failures: %zu of the skipped case%s", n, r->count[PV_SKIP] == 1 ? "" : "s");
}

static void print_totals(const struct pv_run_result *r, bool colour, FILE *out)
{
	char time[32], tested[PV_TESTED_MAX];

	fprintf(out, "\n%zu case%s:", r->n_cases, r->n_cases == 1 ? "" : "s");
	for (int v = 0; v < PV_VERDICTS; v++) {
		bool stands_out = colour && r->count[v];

		fprintf(out, "%s %s%zu %s%s", v ? "," : "", pv_verdict_colour(v, stands_out), r->count[v],
			pv_verdict_counted(v, r->count[v]), pv_colour_off(stands_out));
	}
	if (r->flaky)
		fprintf(out, ", %s%zu flaky%s", pv_verdict_colour(PV_SKIP, colour), r->flaky, pv_colour_off(colour));
	const char *why = r->running ? "still running" : r->why ? r->why : r->interrupted ? "interrupted" : NULL;
	fprintf(out, " in %s s", pv_seconds_text(r->seconds, time));
	if (why)
		pv_text_printf(out, " (%s)", why);
	print_known_failures(r, out);
	if (r->damaged)
		fprintf(out, "\n%zu damaged line%s of the journal %s skipped: their content is lost", r->damaged,
			r->damaged == 1 ? "" : "s", r->damaged == 1 ? "was" : "were");
	const char *shuffle = pv_run_property(r, "shuffle");
	if (shuffle) {
		fputs("\nin another order: ", out);
		pv_text_printf(out, "--shuffle=%s", shuffle);
	}
	fputc('\n', out);
	pv_text_printf(out, "tested: %s\n", pv_run_tested(r, tested, sizeof(tested)));
	pv_text_printf(out, "results: %s\n", r->folder);
}

void pv_terminal_summary(const struct pv_run_result *r, const struct pv_terminal_style *style, FILE *out)
{
	print_all_bad(r, style->colour, out);
	print_flaky(r, style->colour, out);
	print_repeats(r, style->colour, out);
	pv_rules_print(r, out);
	if (!style->quiet)
		print_plans(r, style->colour, out);
	if (style->verbose)
		print_slowest(r, out);
	bool nothing = pv_run_exit(r) == PV_EXIT_SKIPPED;
	if (!style->quiet || nothing)
		print_skipped(r, out);
	print_totals(r, style->colour, out);
	if (nothing)
		fputs("nothing was judged: every case was skipped\n", out);
}
