/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval compare: prints the differences of two runs, or a table of several. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/run/folder.h"
#include "framework/run/matrix.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "reports/compare.h"
#include "reports/renamed.h"
#include "reports/run_table.h"
#include "reports/terminal.h"

struct options {
	const char *slower, *html, *colour;
	bool json, all;
};

static const struct pv_option options[] = {
	{"all", 'a', PV_OPTION_FLAG, offsetof(struct options, all), NULL,
	 "a table, also of two runs, with the cases that do\nnot differ"},
	{"json", 'j', PV_OPTION_FLAG, offsetof(struct options, json), NULL, "print a JSON object, not text"},
	{"html", 0, PV_OPTION_TEXT, offsetof(struct options, html), "FILE", "also write an HTML page"},
	{"slower", 0, PV_OPTION_TEXT, offsetof(struct options, slower), "RATIO",
	 "list cases that took more than RATIO times as long,\nand 0.1 s longer (default: 2)"},
	{"color", 0, PV_OPTION_TEXT, offsetof(struct options, colour), "WHEN", PV_CLI_COLOUR_HELP, pv_cli_colours},
	{0},
};

/* The runs to compare; freed by runs_free(). */
struct runs {
	struct pv_run_result *list[PV_TABLE_RUNS];
	size_t n;
	bool matrix; /* some are those of a matrix */
};

static void runs_free(struct runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		pv_run_result_free(r->list[i]);
}

static int parse_ratio(const char *text, double *out, struct pv_error *e)
{
	char *end;

	*out = text ? strtod(text, &end) : 2;
	if (text && (end == text || *end || !(*out >= 1 && *out <= 1e6)))
		return pv_error(e, -EINVAL, "--slower: expected a number from 1 to 1000000, got '%s'", PV_SHOW(text));
	return 0;
}

static int status_of(bool regressed, bool blind)
{
	return regressed ? PV_EXIT_FAILED : blind ? PV_EXIT_SKIPPED : PV_EXIT_PASSED;
}

/* ---- two runs ---- */

static int show(const struct options *o, const struct pv_comparison *c)
{
	struct pv_error e = {0};

	if (o->json && pv_comparison_write_json(c, "-", &e))
		return pv_cli_error("compare: %s", e.text), PV_EXIT_UNJUDGED;
	if (!o->json)
		pv_comparison_print(c, pv_terminal_colour(o->colour, STDOUT_FILENO), stdout);
	if (o->html && pv_comparison_write_html(c, o->html, &e))
		return pv_cli_error("compare: --html: %s", e.text), PV_EXIT_UNJUDGED;
	return status_of(pv_comparison_regressed(c), pv_comparison_blind(c));
}

static int compare_two(const struct options *o, const struct runs *r, double slower)
{
	_cleanup_(pv_comparison_free) struct pv_comparison c = {0};

	return pv_compare(r->list[0], r->list[1], slower, &c) ? pv_cli_error("compare: no memory") : show(o, &c);
}

/* ---- several ---- */

static int show_table(const struct options *o, const struct pv_run_table *t)
{
	struct pv_error e = {0};

	if (o->json && pv_run_table_write_json(t, o->all, "-", &e))
		return pv_cli_error("compare: %s", e.text), PV_EXIT_UNJUDGED;
	if (!o->json)
		pv_run_table_print(t, o->all, pv_terminal_colour(o->colour, STDOUT_FILENO), pv_cli_columns(), stdout);
	if (o->html && pv_run_table_write_html(t, o->all, o->html, &e))
		return pv_cli_error("compare: --html: %s", e.text), PV_EXIT_UNJUDGED;
	if (!pv_run_table_regressed(t) && pv_run_table_incomplete(t))
		return PV_EXIT_UNJUDGED;
	return status_of(pv_run_table_regressed(t), pv_run_table_blind(t));
}

static int compare_several(const struct options *o, const struct runs *r, double slower)
{
	_cleanup_(pv_run_table_free) struct pv_run_table t = {0};
	int err = pv_run_table_make((const struct pv_run_result *const *)r->list, r->n, slower, &t);

	return err ? pv_cli_error("compare: no memory") : show_table(o, &t);
}

/* ---- the command ---- */

static int load_run(struct runs *r, const char *folder, struct pv_error *e)
{
	if (r->n == PV_TABLE_RUNS)
		return pv_error(e, -E2BIG, "expected 2 to %d run folders, got more", PV_TABLE_RUNS);
	struct pv_run_result **run = &r->list[r->n];
	int err = pv_run_load(folder, run, e);
	if (err)
		return err;
	r->n++;
	return (*run)->n_cases ? 0 : pv_error(e, -ENODATA, "%s: the run has no cases", folder);
}

/* The folder of a matrix stands for those of its runs. */
static int load_folder(struct runs *r, const char *folder, struct pv_error *e)
{
	size_t n;

	if (!pv_run_folder_is_matrix(folder))
		return load_run(r, folder, e);
	int err = pv_matrix_load(folder, r->list + r->n, PV_TABLE_RUNS - r->n, &n, e);
	r->n += n;
	r->matrix = true;
	return err;
}

static int load(struct runs *r, char *const *folders, size_t n, struct pv_error *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = load_folder(r, folders[i], e);
	if (!err && pv_run_rename_all(r->list, r->n))
		err = pv_error(e, -ENOMEM, "no memory");
	if (!err && r->n < 2)
		err = pv_error(e, -EINVAL, "expected 2 to %d run folders, got %zu", PV_TABLE_RUNS, r->n);
	return err;
}

static int compare_folders(const struct options *o, char *const *folders, size_t n)
{
	struct pv_error e = {0};
	_cleanup_(runs_free) struct runs runs = {0};
	double slower;
	int err = pv_cli_check_colour(o->colour, &e);

	if (!err)
		err = parse_ratio(o->slower, &slower, &e);
	if (!err && o->html)
		err = pv_file_check_writable(o->html, &e);
	if (!err)
		err = load(&runs, folders, n, &e);
	if (err)
		return pv_cli_error("compare: %s", e.text);
	return runs.n == 2 && !o->all && !runs.matrix ? compare_two(o, &runs, slower)
						      : compare_several(o, &runs, slower);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (first == argc)
		return pv_cli_error("compare: expected 2 to %d run folders, got none", PV_TABLE_RUNS);
	return compare_folders(&o, argv + first, (size_t)(argc - first));
}

const struct pv_command pv_command_compare = {
	.name = "compare",
	.args = "BEFORE AFTER...|FOLDER",
	.help = "show the differences between two runs, or a table of several",
	.text = "BEFORE and AFTER are run folders; that of several kernels, drivers or targets\n"
		"stands for the runs in it. Three and more make a table, a row for each case\n"
		"whose verdicts differ; each run is compared with the first. Exit status: 0 no\n"
		"regression, 1 a regression (a new failure, or a passed case that is gone or was\n"
		"not run), 2 usage, or not a run folder, 3 a run has not begun, its shards are\n"
		"not merged, or the result could not be written, 4 no case was judged in both\n"
		"runs, so that nothing was compared.",
	.options = options,
	.run = run,
};
