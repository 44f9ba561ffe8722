/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval compare: what two runs differ in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "reports/compare.h"
#include "reports/terminal.h"

struct options {
	const char *slower, *html, *colour;
	bool json;
};

static const struct pv_option options[] = {
	{"json", 'j', PV_OPTION_FLAG, offsetof(struct options, json), NULL, "print a JSON object, not text"},
	{"html", 0, PV_OPTION_TEXT, offsetof(struct options, html), "FILE", "also write an HTML page"},
	{"slower", 0, PV_OPTION_TEXT, offsetof(struct options, slower), "RATIO",
	 "list cases that took more than RATIO times as long,\nand 0.1 s longer (default: 2)"},
	{"color", 0, PV_OPTION_TEXT, offsetof(struct options, colour), "WHEN", PV_CLI_COLOUR_HELP, pv_cli_colours},
	{0},
};

static int parse_ratio(const char *text, double *out, struct pv_error *e)
{
	char *end;

	*out = text ? strtod(text, &end) : 2;
	if (text && (end == text || *end || !(*out >= 1 && *out <= 1e6)))
		return pv_error(e, -EINVAL, "--slower: expected a number of at least 1, got '%s'", PV_SHOW(text));
	return 0;
}

static int show(const struct options *o, const struct pv_comparison *c)
{
	struct pv_error e = {0};
	int status = pv_comparison_regressed(c) ? PV_EXIT_FAILED
		     : pv_comparison_blind(c)	? PV_EXIT_SKIPPED
						: PV_EXIT_PASSED;

	if (o->json && pv_comparison_write_json(c, "-", &e))
		return pv_cli_error("compare: %s", e.text), PV_EXIT_UNJUDGED;
	if (!o->json)
		pv_comparison_print(c, pv_terminal_colour(o->colour, STDOUT_FILENO), stdout);
	if (o->html && pv_comparison_write_html(c, o->html, &e))
		return pv_cli_error("compare: --html: %s", e.text), PV_EXIT_UNJUDGED;
	return status;
}

static int compare(const struct options *o, const struct pv_run_result *before, const struct pv_run_result *after,
		   double slower)
{
	_cleanup_(pv_comparison_free) struct pv_comparison c = {0};

	if (!before->n_cases || !after->n_cases)
		return pv_cli_error("compare: %s: the run has no cases",
				    before->n_cases ? after->folder : before->folder);
	return pv_compare(before, after, slower, &c) ? pv_cli_error("compare: no memory") : show(o, &c);
}

static int compare_folders(const struct options *o, char *const *folders)
{
	struct pv_error e = {0};
	struct pv_run_result *before = NULL, *after = NULL;
	double slower;
	int status, err = pv_cli_check_colour(o->colour, &e);

	if (!err)
		err = parse_ratio(o->slower, &slower, &e);
	if (!err && o->html)
		err = pv_file_check_writable(o->html, &e);
	if (!err)
		err = pv_run_load(folders[0], &before, &e);
	if (!err)
		err = pv_run_load(folders[1], &after, &e);
	status = err ? pv_cli_error("compare: %s", e.text) : compare(o, before, after, slower);
	pv_run_result_free(before);
	pv_run_result_free(after);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (first + 2 != argc)
		return pv_cli_error("compare: expected two run folders, got %d argument%s", argc - first,
				    argc - first == 1 ? "" : "s");
	return compare_folders(&o, argv + first);
}

const struct pv_command pv_command_compare = {
	.name = "compare",
	.args = "BEFORE AFTER",
	.help = "show the differences between two runs",
	.text = "BEFORE and AFTER are run folders. Exit status: 0 no regression, 1 a regression\n"
		"(a new failure, or a passed case that is gone or was not run), 2 usage, or not\n"
		"a run folder, 3 the result could not be written, 4 every case of a run was\n"
		"skipped, so that nothing was compared.",
	.options = options,
	.run = run,
};
