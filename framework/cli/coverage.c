/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval coverage: lists for each requirement what verifies it: the cases of plans, for each target, or the results of
 * runs. Requirements without any are listed by name. coverage_lines.c prints the lines of the drivers that cases reach.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/coverage_lines.h"
#include "framework/law/law.h"
#include "framework/run/coverage.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "framework/util/wrap.h"

struct options {
	const char *target;
	bool facts;
	const char **results;
	const char *lines, *lcov;
};

static const struct pv_option options[] = {
	{"results", 'R', PV_OPTION_LIST, offsetof(struct options, results), "FOLDER",
	 "show what the run in FOLDER has verified, instead of\nwhat is planned; can be given several times: runs "
	 "on\none target are counted together"},
	{"lines", 0, PV_OPTION_MAYBE, offsetof(struct options, lines), "FILE:N",
	 "with --results of runs with --driver-coverage: which\nlines of the drivers the cases reach; the cases "
	 "that\nreach "
	 "line N of FILE"},
	{"lcov", 0, PV_OPTION_TEXT, offsetof(struct options, lcov), "TRACEFILE",
	 "with --lines: write a file for genhtml(1)"},
	{"facts", 0, PV_OPTION_FLAG, offsetof(struct options, facts), NULL,
	 "show on which statements each requirement rests, and\nhow they are known (docs/hardware-notes.md)"},
	{"target", 't', PV_OPTION_TEXT, offsetof(struct options, target), "TARGET",
	 "only this target: model, qemu, local, ssh", PV_CLI_VALUES("model", "qemu", "local")},
	{0},
};

static size_t n_requirements(void)
{
	size_t n = 0;

	while (pv_requirements[n].id)
		n++;
	return n;
}

/* ---- coverage by plans ---- */

static int add_planned(struct pv_coverage *m, const char *const *files, size_t n, const char *target)
{
	static const char *const targets[] = {"model", "qemu", "local", "ssh"};
	struct pv_plans *plans = pv_cli_load(files, n, NULL);

	if (!plans)
		return PV_EXIT_USAGE;
	if (target)
		pv_coverage_add_plans(m, plans, target);
	for (size_t i = 0; i < 4 && !target; i++)
		pv_coverage_add_plans(m, plans, targets[i]);
	pv_plans_free(plans);
	return PV_EXIT_PASSED;
}

/* ---- coverage by results of runs ---- */

static int add_run(struct pv_coverage *m, const char *folder, const char *target)
{
	struct pv_run_result *r = NULL;
	struct pv_error e = {0};
	int status = PV_EXIT_PASSED;

	if (pv_run_load(folder, &r, &e))
		return pv_cli_error("%s", e.text);
	if (!target || !strncmp(r->target, target, strcspn(target, ":")))
		status = pv_coverage_add_run(m, r)
				 ? pv_cli_error("coverage: runs on more than %d targets", PV_COVERAGE_COLUMNS)
				 : PV_EXIT_PASSED;
	pv_run_result_free(r);
	return status;
}

static int add_runs(struct pv_coverage *m, const char *const *folders, const char *target)
{
	m->shown = true;
	for (; *folders; folders++) {
		int status = add_run(m, *folders, target);

		if (status)
			return status;
	}
	return m->n ? PV_EXIT_PASSED : pv_cli_error("coverage: none of the runs was on the target '%s'", target);
}

/* ---- the matrix ---- */

static void print_cell(const struct pv_coverage *m, const struct pv_coverage_column *c, size_t i)
{
	char cell[32] = "-";

	if (c->cases[i] && m->shown)
		snprintf(cell, sizeof(cell), "%u/%u", c->passed[i], c->cases[i]);
	else if (c->cases[i])
		snprintf(cell, sizeof(cell), "%u", c->cases[i]);
	printf(" %9s", cell);
}

static void print_matrix(const struct pv_coverage *m)
{
	printf("%-12s", "requirement");
	for (size_t c = 0; c < m->n; c++)
		printf(" %9s", m->columns[c].title);
	putchar('\n');
	for (size_t i = 0; pv_requirements[i].id; i++) {
		printf("%-12s", pv_requirements[i].id);
		for (size_t c = 0; c < m->n; c++)
			print_cell(m, &m->columns[c], i);
		putchar('\n');
	}
	puts(m->shown ? "\n(passed/cases)" : "\n(cases)");
}

static void print_wrapped(const char *id, const char *text)
{
	char head[32];

	snprintf(head, sizeof(head), "  %-10s", id);
	pv_put_wrapped(stdout, head, text, 13);
}

static size_t list_missing(const struct pv_coverage *m, bool on_models, const char *title)
{
	size_t n = 0;

	for (size_t i = 0; pv_requirements[i].id; i++) {
		const struct pv_requirement *r = &pv_requirements[i];

		if (pv_coverage_verified(m, i) || (r->needs == PV_NEEDS_MODEL) != on_models)
			continue;
		if (!n++)
			printf("\n%s\n", title);
		print_wrapped(r->id, r->shown ? r->shown : r->text);
	}
	return n;
}

static int judge(const struct pv_coverage *m)
{
	print_matrix(m);
	size_t elsewhere = list_missing(m, false, "Shown elsewhere:");
	size_t gaps = list_missing(m, true, m->shown ? "Gaps, no case passed:" : "Gaps, no case is planned:");
	printf("\n%zu requirements: %zu %s, %zu shown elsewhere, %zu gap%s\n", n_requirements(),
	       n_requirements() - elsewhere - gaps, m->shown ? "shown" : "planned", elsewhere, gaps,
	       gaps == 1 ? "" : "s");
	/* If the list of gaps was lost, the run is not judged, which is worse than gaps. */
	if (pv_cli_flush())
		return PV_EXIT_UNJUDGED;
	return gaps ? PV_EXIT_FAILED : PV_EXIT_PASSED;
}

/* ---- the law ---- */

/*
 * Returns the statements behind a requirement, for print_wrapped(): "F-P25 driver, F-P26 decision". The caller frees
 * it.
 */
static char *rests_text(const struct pv_requirement *r)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (const char *const *id = r->rests; f && *id; id++)
		fprintf(f, "%s%s %s", id == r->rests ? "" : ", ", *id, pv_known_name(pv_statement_find(*id)->how));
	if (f && !*r->rests)
		fputs("a promise of the framework itself", f);
	if (f)
		fclose(f);
	return text;
}

static void print_statement(const struct pv_statement *s)
{
	_autofree_ char *text = NULL;

	if (asprintf(&text, "(%s%s%s) %s", pv_known_name(s->how), s->source ? ": " : "", s->source ? s->source : "",
		     s->text) < 0)
		text = NULL;
	print_wrapped(s->id, text ? text : "?");
}

static void print_statements(const char *title, bool rules)
{
	printf("\n%s\n", title);
	for (const struct pv_statement *s = pv_statements; s->id; s++)
		if (pv_statement_is_rule(s) == rules)
			print_statement(s);
}

static void print_totals(void)
{
	size_t facts = 0, rules = 0, known[PV_KNOWN] = {0};

	for (const struct pv_statement *s = pv_statements; s->id; s++) {
		rules += pv_statement_is_rule(s);
		facts += !pv_statement_is_rule(s);
		known[s->how] += !pv_statement_is_rule(s);
	}
	printf("\n%zu requirements rest on %zu statements:", n_requirements(), facts);
	for (int how = 0; how < PV_KNOWN; how++)
		printf("%s %zu %s", how ? "," : "", known[how], pv_known_name(how));
	printf("; and %zu rules of use\n", rules);
}

/* Prints the law book: each requirement with its statements, and each statement with its source. */
static int print_law(void)
{
	puts("requirement  rests on");
	for (const struct pv_requirement *r = pv_requirements; r->id; r++) {
		_autofree_ char *text = rests_text(r);

		print_wrapped(r->id, text ? text : "?");
	}
	print_statements("Statements (docs/hardware-notes.md):", false);
	print_statements("Rules of use:", true);
	print_totals();
	return pv_cli_flush() ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
}

static int fill(struct pv_coverage *m, const struct options *o, const char *const *files, size_t n)
{
	const struct pv_cli_selection target = {.target = o->target};
	struct pv_error e = {0};

	/* Any target may be given, also one that this program does not have. */
	if (o->target && pv_cli_check_target(&target, o->target, &e))
		return pv_cli_error("coverage: %s", e.text);
	if (o->results && n)
		return pv_cli_error("coverage: expected plans or --results, got both");
	return o->results ? add_runs(m, o->results, o->target) : add_planned(m, files, n, o->target);
}

static int print_coverage(const struct options *o, const char *const *files, size_t n)
{
	struct pv_coverage *m = calloc(1, sizeof(*m));
	int status = m ? fill(m, o, files, n) : pv_cli_error("no memory");

	status = status ? status : judge(m);
	free(m);
	return status;
}

static int print_lines(const struct options *o, int n_files)
{
	if (!o->lines)
		return pv_cli_error("coverage: --lcov: expected --lines, too");
	if (!o->results || n_files || o->target || o->facts)
		return pv_cli_error("coverage: --lines: expected only --results of runs with --driver-coverage");
	return pv_cli_coverage_lines(o->results, o->lines, o->lcov);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (pv_cli_parse(self, argc, argv, &o, &first, &status)) {
		if (o.lines || o.lcov)
			status = print_lines(&o, argc - first);
		else if (!o.facts)
			status = print_coverage(&o, (const char *const *)argv + first, (size_t)(argc - first));
		else if (o.results || o.target || first < argc)
			status = pv_cli_error("coverage: expected --facts alone: it needs no plan and no run");
		else
			status = print_law();
	}
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_coverage = {
	.name = "coverage",
	.args = "[FILE...]",
	.help = "show which requirements are verified and which are not",
	.text = "FILEs are plans: what could be verified; --results: what has been. Exit status 1\n"
		"if a requirement that the models can show has no case (with --results: no case\n"
		"that passed).",
	.options = options,
	.run = run,
};
