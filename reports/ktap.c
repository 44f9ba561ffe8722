/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KTAP version 1 (Documentation/dev-tools/ktap.rst): one subtest per plan, one line per case. KTAP has no result for
 * "could not be judged": an error is "not ok" with its type in the diagnostics.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/groups.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

/* Replaces '#', which would begin a directive. */
static void print_name(FILE *f, const char *name)
{
	_autofree_ char *line = pv_text_line(name);

	for (const char *s = line ? line : "?"; *s; s++)
		fputc(*s == '#' ? '_' : *s, f);
}

static void print_attempts(FILE *f, const struct pv_case_result *c)
{
	for (size_t i = 0; i < c->n_attempts; i++) {
		_autofree_ char *message = pv_text_line(c->attempts[i].message),
				*type = pv_text_line(c->attempts[i].type);

		fprintf(f, "    # attempt %zu: error (%s): %s; run again\n", i + 1, type ? type : "",
			message ? message : "");
	}
}

static void print_case(FILE *f, const struct pv_case_result *c, size_t number)
{
	_autofree_ char *message = pv_text_line(c->message), *type = pv_text_line(c->type),
			*file = pv_text_line(c->file);
	bool ok = c->verdict == PV_PASS || c->verdict == PV_SKIP;

	print_attempts(f, c);
	if (!ok)
		fprintf(f, "    # %s (%s): %s\n    # at %s:%d\n", pv_verdict_name(c->verdict), type ? type : "",
			message ? message : "", file ? file : "?", c->line);
	fprintf(f, "    %sok %zu ", ok ? "" : "not ", number);
	print_name(f, c->name);
	if (c->round > 1)
		fprintf(f, " _%u", c->round);
	if (c->verdict == PV_SKIP)
		fprintf(f, " # SKIP %s", message ? message : "");
	fputc('\n', f);
}

static void print_plan(FILE *f, const struct pv_run_result *r, const struct pv_group *plan, size_t number)
{
	bool bad = plan->count[PV_FAIL] || plan->count[PV_ERROR];

	fprintf(f, "    KTAP version 1\n    1..%zu\n", plan->n);
	for (size_t i = 0; i < plan->n; i++)
		print_case(f, &r->cases[plan->members[i].index], i + 1);
	fprintf(f, "%sok %zu ", bad ? "not " : "", number);
	print_name(f, plan->key);
	fputc('\n', f);
}

/* Prints the build, the host and the command of a run, if the run folder has them. */
static void print_origin(FILE *f, const struct pv_run_result *r)
{
	static const char *const names[] = {"revision", "compiler", "host CPU", "host kernel"};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = pv_run_property(r, names[i]);
		_autofree_ char *line = value ? pv_text_line(value) : NULL;

		if (line)
			fprintf(f, "# %s: %s\n", names[i], line);
		any |= line != NULL;
	}
	_autofree_ char *command = any && r->command ? pv_text_line(r->command) : NULL;
	if (command)
		fprintf(f, "# command: %s\n", command);
}

static void print_plans(FILE *f, const struct pv_run_result *r, const struct pv_groups *plans)
{
	fprintf(f, "KTAP version 1\n1..%zu\n", plans->n);
	print_origin(f, r);
	for (size_t i = 0; i < plans->n; i++)
		print_plan(f, r, &plans->groups[i], i + 1);
}

int pv_ktap_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	_cleanup_(pv_groups_free) struct pv_groups plans = {0};
	size_t n = 0;

	pv_groups_of_plans(&plans, r);
	FILE *f = plans.failed ? NULL : open_memstream(&text, &n);
	if (f)
		print_plans(f, r, &plans);
	bool whole = f && !fclose(f);
	return pv_report_write(path, whole ? text : NULL, n, e);
}
