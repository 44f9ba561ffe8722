/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval coverage --lines: as text, and as a tracefile of lcov (geninfo(1)). */
#include "framework/cli/coverage_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/cli.h"
#include "framework/run/conditions.h"
#include "framework/run/driver_lines.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define SOURCE_MAX (16u << 20) /* bytes */

/* ---- sums ---- */

/* Lines and branches of a function, a file, or all files. */
struct sum {
	size_t lines, reached, branches, taken;
	size_t own, own_taken; /* branches of lines with a condition in the source */
};

static void add_line(struct sum *s, const struct pv_driver_line *l, bool decides)
{
	size_t taken = 0;

	for (size_t i = 0; i < l->n_branches; i++)
		taken += l->taken[i];
	s->lines++;
	s->reached += l->n_cases > 0;
	s->branches += l->n_branches;
	s->taken += taken;
	s->own += decides ? l->n_branches : 0;
	s->own_taken += decides ? taken : 0;
}

/* Reads the source file. NULL: it no longer exists. The caller frees it. */
static char *source_of(const struct pv_source_file *f)
{
	char *text = NULL;
	struct pv_error e;
	size_t n;

	return pv_file_read(f->text, SOURCE_MAX, &text, &n, &e) ? NULL : text;
}

/* Without the source no condition is known. */
static struct sum sum_of(const struct pv_source_file *f)
{
	struct sum s = {0};
	_autofree_ char *text = source_of(f);
	size_t n = f->n_lines ? f->lines[f->n_lines - 1].number : 0;
	_autofree_ bool *decides = calloc(n + 1, sizeof(*decides));

	if (text && decides)
		pv_conditions(text, decides, n);
	for (size_t i = 0; i < f->n_lines; i++)
		add_line(&s, &f->lines[i], decides && decides[f->lines[i].number - 1]);
	return s;
}

static double percent(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void print_sum(const char *what, const struct sum *s)
{
	printf("%s: %zu of %zu lines (%.1f %%), %zu of %zu branches (%.1f %%)\n", what, s->reached, s->lines,
	       percent(s->reached, s->lines), s->taken, s->branches, percent(s->taken, s->branches));
	if (s->own)
		printf("  of conditions in the source, not of macros: %zu of %zu branches (%.1f %%)\n", s->own_taken,
		       s->own, percent(s->own_taken, s->own));
}

/* ---- functions ---- */

/* Returns "drivers/perf/dwc_pcie_pmu.c" for a file in a kernel tree, otherwise the name of the file. */
static const char *short_path(const char *path)
{
	const char *in_kernel = NULL, *slash = strrchr(path, '/');

	/* The tree may lie in a folder of that name. */
	for (const char *at = path; (at = strstr(at, "/drivers/")); at++)
		in_kernel = at;
	return in_kernel ? in_kernel + 1 : slash ? slash + 1 : path;
}

/*
 * Returns the end of the function that begins at line entry i. Lines of inlined functions belong to the function before
 * them.
 */
static size_t function_end(const struct pv_source_file *f, size_t i)
{
	size_t end = i + 1;

	while (end < f->n_lines && (!*f->lines[end].function || !strcmp(f->lines[end].function, f->lines[i].function)))
		end++;
	return end;
}

static void print_functions(const struct pv_source_file *f)
{
	printf("  %-44s %9s %9s %7s\n", "function", "lines", "branches", "cases");
	for (size_t i = 0, end; i < f->n_lines; i = end) {
		struct sum s = {0};
		char lines[24], branches[24];

		end = function_end(f, i);
		for (size_t k = i; k < end; k++)
			add_line(&s, &f->lines[k], false);
		snprintf(lines, sizeof(lines), "%zu/%zu", s.reached, s.lines);
		snprintf(branches, sizeof(branches), "%zu/%zu", s.taken, s.branches);
		printf("  %-44.44s %9s %9s %7zu\n", *f->lines[i].function ? f->lines[i].function : "(inlined)", lines,
		       branches, f->lines[i].n_cases);
	}
}

/* ---- lines that no case reaches ---- */

/* Prints line `number` of the text; *at is the current position, *now its line. */
static void print_source(const char **at, unsigned *now, unsigned number)
{
	while (**at && *now < number) {
		*at += strcspn(*at, "\n");
		*at += **at == '\n';
		++*now;
	}
	const char *line = *at + strspn(*at, " \t");
	printf("  %5u  %.*s\n", number, (int)(strcspn(line, "\n") < 71 ? strcspn(line, "\n") : 71), line);
}

static void print_unreached(const struct pv_source_file *f)
{
	_autofree_ char *text = source_of(f);
	const char *at = text ? text : "";
	unsigned now = 1;

	printf("\n%s, lines that no case reaches:\n", short_path(f->path));
	for (size_t i = 0; i < f->n_lines; i++)
		if (!f->lines[i].n_cases)
			print_source(&at, &now, f->lines[i].number);
}

static void print_all(const struct pv_driver_lines *l)
{
	struct sum all = {0};

	for (size_t i = 0; i < l->n_files; i++) {
		struct sum s = sum_of(&l->files[i]);

		print_sum(short_path(l->files[i].path), &s);
		print_functions(&l->files[i]);
		putchar('\n');
		all = (struct sum){all.lines + s.lines, all.reached + s.reached, all.branches + s.branches,
				   all.taken + s.taken, all.own + s.own,	 all.own_taken + s.own_taken};
	}
	print_sum("all", &all);
	for (size_t i = 0; i < l->n_files; i++)
		if (sum_of(&l->files[i]).reached < l->files[i].n_lines)
			print_unreached(&l->files[i]);
}

/* ---- the cases of a line ---- */

static bool is_named(const struct pv_source_file *f, const char *name, size_t n)
{
	size_t all = strlen(f->path);

	return n && all >= n && !strncmp(f->path + all - n, name, n) && (all == n || f->path[all - n - 1] == '/');
}

static int print_cases(const struct pv_driver_lines *l, const char *at)
{
	const char *colon = strrchr(at, ':');
	char *end = NULL;
	unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;

	if (!number || *end)
		return pv_cli_error("coverage: --lines: expected FILE:N, got '%s'", at);
	for (size_t i = 0; i < l->n_files; i++) {
		const struct pv_source_file *f = &l->files[i];

		for (size_t k = 0; is_named(f, at, (size_t)(colon - at)) && k < f->n_lines; k++) {
			if (f->lines[k].number != number)
				continue;
			for (size_t c = 0; c < f->lines[k].n_cases; c++)
				puts(l->cases[f->lines[k].cases[c]]);
			if (!f->lines[k].n_cases)
				pv_cli_error("coverage: no case reaches %s", at);
			return f->lines[k].n_cases ? PV_EXIT_PASSED : PV_EXIT_FAILED;
		}
	}
	return pv_cli_error("coverage: --lines: expected a line with code of a driver, got '%s'", at);
}

/* ---- lcov ---- */

static void put_file(const struct pv_source_file *f, FILE *to)
{
	struct sum s = sum_of(f);

	fprintf(to, "TN:\nSF:%s\n", f->text);
	for (size_t i = 0; i < f->n_lines; i = function_end(f, i))
		if (*f->lines[i].function)
			fprintf(to, "FN:%u,%s\nFNDA:%zu,%s\n", f->lines[i].number, f->lines[i].function,
				f->lines[i].n_cases, f->lines[i].function);
	for (size_t i = 0; i < f->n_lines; i++) {
		const struct pv_driver_line *l = &f->lines[i];

		fprintf(to, "DA:%u,%zu\n", l->number, l->n_cases);
		for (size_t b = 0; b < l->n_branches; b++)
			fprintf(to, "BRDA:%u,0,%zu,%s\n", l->number, b, !l->n_cases ? "-" : l->taken[b] ? "1" : "0");
	}
	fprintf(to, "LF:%zu\nLH:%zu\nBRF:%zu\nBRH:%zu\nend_of_record\n", s.lines, s.reached, s.branches, s.taken);
}

static void put_tracefile(const void *lines, FILE *to)
{
	const struct pv_driver_lines *l = lines;

	for (size_t i = 0; i < l->n_files; i++)
		put_file(&l->files[i], to);
}

/* ---- the command ---- */

static int add_run(struct pv_driver_lines *l, const char *folder)
{
	struct pv_run_result *r = NULL;
	struct pv_error e = {0};
	int err = pv_run_load(folder, &r, &e);

	if (!err)
		err = pv_driver_lines_add_run(l, r, &e);
	if (err)
		pv_cli_error("%s", e.text);
	pv_run_result_free(r);
	return err ? PV_EXIT_USAGE : PV_EXIT_PASSED;
}

int pv_cli_coverage_lines(const char *const *runs, const char *at, const char *lcov)
{
	struct pv_driver_lines l = {0};
	int status = PV_EXIT_PASSED;

	for (; *runs && !status; runs++)
		status = add_run(&l, *runs);
	if (!status && *at)
		status = print_cases(&l, at);
	else if (!status && !pv_cli_is_stdout(lcov))
		print_all(&l);
	if (!status && lcov)
		status = pv_cli_write_output("--lcov", lcov, put_tracefile, &l);
	pv_driver_lines_free(&l);
	return pv_cli_flush() ? PV_EXIT_UNJUDGED : status;
}
