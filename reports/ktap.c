/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KTAP version 1 (Documentation/dev-tools/ktap.rst): one subtest per plan, one line per case. KTAP has no
 * word for "could not be judged": an error is "not ok" with its type in the diagnostics.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

static size_t first_of_plan(const struct pv_run_result *r, size_t i)
{
	size_t first = 0;
	while (strcmp(r->cases[first].plan, r->cases[i].plan))
		first++;
	return first;
}

/* A '#' would begin a directive. */
static void print_name(FILE *f, const char *name)
{
	_autofree_ char *line = pv_text_line(name);
	for (const char *s = line ? line : "?"; *s; s++)
		fputc(*s == '#' ? '_' : *s, f);
}

static void print_case(FILE *f, const struct pv_case_result *c, size_t number)
{
	_autofree_ char *message = pv_text_line(c->message), *type = pv_text_line(c->type),
			*file = pv_text_line(c->file);
	bool ok = c->verdict == PV_PASS || c->verdict == PV_SKIP;
	if (!ok)
		fprintf(f, "    # %s (%s): %s\n    # at %s:%d\n", pv_verdict_name(c->verdict), type ? type : "",
			message ? message : "", file ? file : "?", c->line);
	fprintf(f, "    %sok %zu ", ok ? "" : "not ", number);
	print_name(f, c->name);
	if (c->verdict == PV_SKIP)
		fprintf(f, " # SKIP %s", message ? message : "");
	fputc('\n', f);
}

static void print_plan(FILE *f, const struct pv_run_result *r, size_t first, size_t number)
{
	const char *plan = r->cases[first].plan;
	size_t n = 0, bad = 0, at = 0;
	for (size_t i = first; i < r->n_cases; i++)
		n += !strcmp(r->cases[i].plan, plan);
	fprintf(f, "    KTAP version 1\n    1..%zu\n", n);
	for (size_t i = first; i < r->n_cases; i++) {
		const struct pv_case_result *c = &r->cases[i];
		if (strcmp(c->plan, plan))
			continue;
		bad += c->verdict == PV_FAIL || c->verdict == PV_ERROR;
		print_case(f, c, ++at);
	}
	fprintf(f, "%sok %zu ", bad ? "not " : "", number);
	print_name(f, plan);
	fputc('\n', f);
}

int pv_ktap_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t n = 0, plans = 0, at = 0;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return pv_error(e, -ENOMEM, "%s: not written: out of memory", path);
	for (size_t i = 0; i < r->n_cases; i++)
		plans += first_of_plan(r, i) == i;
	fprintf(f, "KTAP version 1\n1..%zu\n", plans);
	for (size_t i = 0; i < r->n_cases; i++)
		if (first_of_plan(r, i) == i)
			print_plan(f, r, i, ++at);
	if (fclose(f))
		return pv_error(e, -ENOMEM, "%s: not written: out of memory", path);
	return pv_file_write(path, text, n, e);
}
