/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval merge: makes one run folder from the shards of a run, with its reports. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/cli/reporting.h"
#include "framework/run/merge.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "reports/terminal.h"

struct options {
	struct pv_reporting reporting;
	const char *output, *colour;
	bool verbose, quiet;
};

#define AT(member) offsetof(struct options, member)

/* clang-format off: a list that expands to entries */
static const struct pv_option options[] = {
	{"output", 'o', PV_OPTION_TEXT, AT(output), "DIR", "folder of the merged run, new or empty"},
	PV_CLI_REPORTS{"quiet", 'q', PV_OPTION_FLAG, AT(quiet), NULL, "no summary"},
	{"verbose", 'v', PV_OPTION_FLAG, AT(verbose), NULL, "also print the slowest cases"},
	{"color", 0, PV_OPTION_TEXT, AT(colour), "WHEN", PV_CLI_COLOUR_HELP, pv_cli_colours},
	{0},
};
/* clang-format on */

static int report(const struct options *o)
{
	struct pv_error e = {0};
	struct pv_run_result *result;

	if (pv_run_load(o->output, &result, &e)) {
		pv_cli_error("merge: %s", e.text);
		return PV_EXIT_UNJUDGED;
	}
	const struct pv_terminal_style style = {.colour = pv_terminal_colour(o->colour, STDOUT_FILENO),
						.verbose = o->verbose};
	if (!o->quiet && !pv_reporting_on_stdout(&o->reporting))
		pv_terminal_summary(result, &style, stdout);
	int status = pv_reporting_write(&o->reporting, result);
	pv_run_result_free(result);
	return status;
}

/* Folders that do not belong together are a user's mistake (2); a shard in progress and a full disk are not (3). */
static int merge(const struct options *o, const char *const *folders, size_t n, const char *command)
{
	struct pv_error e = {0};

	if (!pv_cli_check_colour(o->colour, &e) && !pv_reporting_check(&o->reporting, &e) &&
	    !pv_merge(folders, n, o->output, command, &e))
		return report(o);
	pv_cli_error("merge: %s", e.text);
	return e.code == -ENODATA || pv_cli_is_storage_error(e.code) ? PV_EXIT_UNJUDGED : PV_EXIT_USAGE;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	_autofree_ char *command = pv_cli_command_line(argc, argv);
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (first == argc)
		return pv_cli_error("merge: expected the folders of all shards of a run, got none");
	if (!o.output)
		return pv_cli_error("merge: expected --output DIR, the folder of the merged run");
	if (!command)
		return pv_cli_error("merge: no memory");
	return merge(&o, (const char *const *)argv + first, (size_t)(argc - first), command);
}

const struct pv_command pv_command_merge = {
	.name = "merge",
	.args = "-o DIR SHARD...",
	.help = "make one run of its shards",
	.text = "SHARD is the folder of a `pcieval run --shard I/N`; all N are needed. DIR is\n"
		"then as the folder of a run with all cases: every report can be made from it.\n"
		"The exit status is that of the run. A shard that is missing, there twice, or of\n"
		"other plans, cases, drivers or kernels is an error (2), and so is one that has\n"
		"not ended (3).",
	.options = options,
	.run = run,
};
