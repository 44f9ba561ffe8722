/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval report: writes the reports of a run from its folder. */
#include <errno.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/cli/reporting.h"
#include "framework/run/run.h"
#include "reports/terminal.h"

struct options {
	struct pv_reporting reporting;
	const char *colour;
	bool verbose, quiet;
};

#define AT(member) offsetof(struct options, member)

/* clang-format off: a list that expands to entries */
static const struct pv_option options[] = {
	PV_CLI_REPORTS{"quiet", 'q', PV_OPTION_FLAG, AT(quiet), NULL, "no summary"},
	{"verbose", 'v', PV_OPTION_FLAG, AT(verbose), NULL, "also print the slowest cases"},
	{"color", 0, PV_OPTION_TEXT, AT(colour), "WHEN", PV_CLI_COLOUR_HELP, pv_cli_colours},
	{0},
};
/* clang-format on */

static int report(const struct options *o, const char *folder)
{
	struct pv_error e = {0};
	struct pv_run_result *result;

	if (pv_cli_check_colour(o->colour, &e) || pv_reporting_check(&o->reporting, &e) ||
	    pv_run_load(folder, &result, &e)) {
		pv_cli_error("report: %s", e.text);
		/* -ENODATA: the folder is a run, but without any case. */
		return e.code == -ENODATA ? PV_EXIT_UNJUDGED : PV_EXIT_USAGE;
	}
	const struct pv_terminal_style style = {.colour = pv_terminal_colour(o->colour, STDOUT_FILENO),
						.verbose = o->verbose};
	if (!o->quiet && !pv_reporting_on_stdout(&o->reporting))
		pv_terminal_summary(result, &style, stdout);
	int status = pv_reporting_write(&o->reporting, result);
	pv_run_result_free(result);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (first + 1 != argc)
		return pv_cli_error("report: expected one run folder, got %d arguments", argc - first);
	return report(&o, argv[first]);
}

const struct pv_command pv_command_report = {
	.name = "report",
	.args = "RUN-FOLDER",
	.help = "make the reports of a run again from its folder",
	.text = "Also works for a run that was killed: cases without a verdict are errors. The\n"
		"exit status is that of the run.",
	.options = options,
	.run = run,
};
