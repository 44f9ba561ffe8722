/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval history: statistics over many runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"
#include "framework/history/report.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

struct options {
	const char *name, *html;
	unsigned last;
	bool all;
};

#define AT(member) offsetof(struct options, member)
#define NAME_OPTION                                                                                           \
	{                                                                                                     \
		"name", 'n', PV_OPTION_TEXT, AT(name), "GLOB", "cases whose name matches: plan/case, or case" \
	}

static bool is_user_error(int code)
{
	return code != -EIO && code != -ENOSPC && code != -EBUSY && code != -ENOMEM;
}

static int fail(const struct pv_command *self, const struct pv_error *e)
{
	pv_cli_error("%s: %s", self->name, e->text);
	return is_user_error(e->code) ? PV_EXIT_USAGE : PV_EXIT_UNJUDGED;
}

/* ---- add ---- */

static const struct pv_option no_options[] = {{0}};

static int add_run(struct pv_history *h, const char *folder, struct pv_error *e)
{
	struct pv_run_result *r;
	bool known;
	int err = pv_run_load(folder, &r, e);

	if (err)
		return err;
	err = pv_history_add(h, r, &known, e);
	if (!err)
		printf("%s: %s\n", folder, known ? "already there" : "added");
	pv_run_result_free(r);
	return err;
}

static int run_add(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	struct pv_error e = {0};
	struct pv_history h = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first < 2)
		return pv_cli_error("%s: expected a history and run folders, got %d argument%s", self->name,
				    argc - first, argc - first == 1 ? "" : "s");
	int err = pv_history_open(&h, argv[first], true, &e);
	for (int i = first + 1; !err && i < argc; i++)
		err = add_run(&h, argv[i], &e);
	pv_history_close(&h);
	return err ? fail(self, &e) : PV_EXIT_PASSED;
}

const struct pv_command pv_command_history_add = {
	.name = "history add",
	.args = "HISTORY RUN...",
	.help = "add run folders to a history",
	.text = "HISTORY is a file, which is made if it is not there. A run that it has already\n"
		"is not added twice; one that was resumed since replaces what is there. Each run\n"
		"is added as a whole or not at all.",
	.options = no_options,
	.run = run_add,
};

/* ---- output ---- */

/* Prints `show`, `flaky` or `trend` to standard output. *n: number of printed entries. */
typedef int (*put_fn)(struct pv_history *h, const struct options *o, size_t *n, struct pv_error *e);

static int write_page(struct pv_history *h, const char *path, struct pv_error *e)
{
	_autofree_ char *page = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&page, &n);
	int err = f ? pv_history_put_page(h, f, e) : pv_error(e, -ENOMEM, "no memory");

	if (f && fclose(f) && !err)
		err = pv_error(e, -ENOMEM, "no memory");
	return err ? err : pv_file_write(path, page, n, e);
}

static int say(const struct pv_command *self, int argc, char **argv, put_fn put, const char *nothing)
{
	struct options o = {0};
	struct pv_error e = {0};
	struct pv_history h = {0};
	int first, status;
	size_t n = 1;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first != 1)
		return pv_cli_error("%s: expected one history, a file or a folder of runs, got %d arguments",
				    self->name, argc - first);
	int err = o.html ? pv_file_check_writable(o.html, &e) : 0;
	if (!err)
		err = pv_history_open(&h, argv[first], false, &e);
	if (!err && o.html)
		err = write_page(&h, o.html, &e);
	if (!err && !pv_cli_is_stdout(o.html))
		err = put(&h, &o, &n, &e);
	pv_history_close(&h);
	if (err)
		return fail(self, &e);
	if (n)
		return PV_EXIT_PASSED;
	if (!o.name)
		return puts(nothing), PV_EXIT_PASSED;
	return pv_cli_error("%s: --name: '%s' matches no case with such results", self->name, o.name);
}

static int put_show(struct pv_history *h, const struct options *o, size_t *n, struct pv_error *e)
{
	const struct pv_history_filter filter = {.glob = o->name, .bad = !o->name};

	*n = 1;
	return pv_history_put_show(h, o->all ? 0 : o->last ? o->last : 20, &filter, stdout, e);
}

static int put_flaky(struct pv_history *h, const struct options *o, size_t *n, struct pv_error *e)
{
	return pv_history_put_flaky(h, o->name, n, stdout, e);
}

static int put_trend(struct pv_history *h, const struct options *o, size_t *n, struct pv_error *e)
{
	return pv_history_put_trend(h, o->name, n, stdout, e);
}

static int run_show(const struct pv_command *self, int argc, char **argv)
{
	return say(self, argc, argv, put_show, "");
}

static int run_flaky(const struct pv_command *self, int argc, char **argv)
{
	return say(self, argc, argv, put_flaky, "no case is flaky");
}

static int run_trend(const struct pv_command *self, int argc, char **argv)
{
	return say(self, argc, argv, put_trend, "no runs");
}

static const struct pv_option show_options[] = {
	NAME_OPTION,
	{"last", 0, PV_OPTION_NUMBER, AT(last), "N", "the last N runs (default: 20)"},
	{"all", 0, PV_OPTION_FLAG, AT(all), NULL, "all runs"},
	{"html", 0, PV_OPTION_TEXT, AT(html), "FILE", "also write a page: plots over runs, cases that fail"},
	{0},
};

static const struct pv_option name_options[] = {NAME_OPTION, {0}};

const struct pv_command pv_command_history_show = {
	.name = "history show",
	.args = "HISTORY",
	.help = "show runs, and the cases that fail or did",
	.text = "HISTORY is a file of `history add`, or a folder of run folders.",
	.options = show_options,
	.run = run_show,
};

const struct pv_command pv_command_history_flaky = {
	.name = "history flaky",
	.args = "HISTORY",
	.help = "show cases that pass and fail without a reason",
	.text = "A case is flaky if it passed after a retry, or if its verdict changed between\n"
		"runs of the same target, board, driver and kernel, by the same version and\n"
		"revision of pcieval, with the same planted defects and known failures.",
	.options = name_options,
	.run = run_flaky,
};

const struct pv_command pv_command_history_trend = {
	.name = "history trend",
	.args = "HISTORY",
	.help = "show durations and rates over time",
	.text = "Of cases with --name, else of whole runs.",
	.options = name_options,
	.run = run_trend,
};

static const struct pv_command *const commands[] = {&pv_command_history_add, &pv_command_history_show,
						    &pv_command_history_flaky, &pv_command_history_trend, NULL};

static int run(const struct pv_command *self, int argc, char **argv)
{
	return pv_cli_subcommand(self, argc, argv);
}

const struct pv_command pv_command_history = {
	.name = "history",
	.args = "COMMAND",
	.help = "first failures, flaky cases and trends of many runs",
	.text = "'pcieval history COMMAND --help' says more.",
	.commands = commands,
	.run = run,
};
