/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace dump`: prints the words of each record, like `perf report -D`. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/analysis/where_output.h"
#include "framework/cli/trace.h"

struct options {
	const char *compat, *where;
	struct pv_cli_reading reading;
	unsigned jobs;
};

static const struct pv_option options[] = {
	{"perf-compat", 0, PV_OPTION_TEXT, offsetof(struct options, compat), "6.12",
	 "print exactly what this perf prints: the bytes of a\nword in the other order, damage as if it were\n"
	 "records, 4DW fields from the wrong bits",
	 PV_CLI_VALUES("6.12")},
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR",
	 "only records that EXPR selects; not with\n--perf-compat"},
	PV_CLI_READING(struct options, reading),
	{"jobs", 'j', PV_OPTION_NUMBER, offsetof(struct options, jobs), "N", "threads (default 1); the order is kept"},
	{0},
};

static int dump(const char *path, const struct options *o, const struct pv_where *where, struct pv_trace_options how)
{
	struct pv_chosen_output chosen = {where, NULL};
	struct pv_cli_trace t;
	int r;

	how.all = o->compat;
	how.sized = true;
	how.no_time = pv_where_is_all(where); /* the dump has no times */
	r = pv_cli_trace_open(&t, path, &how);
	if (r)
		return r;
	r = pv_where_is_all(where) ? pv_trace_output(t.reader, pv_output_dump, o->compat, o->jobs, STDOUT_FILENO)
				   : pv_trace_output(t.reader, pv_output_chosen, &chosen, o->jobs, STDOUT_FILENO);
	return pv_cli_trace_close(&t, r);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.jobs = 1};
	struct pv_trace_options how;
	struct pv_where where;
	struct pv_error e = {0};
	const char *path;
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (o.compat && strcmp(o.compat, "6.12"))
		return pv_cli_error("--perf-compat: expected 6.12, got '%s'", o.compat);
	if (pv_where_compile(&where, o.where, &e))
		return pv_cli_error("%s", e.text);
	if (o.compat && o.where)
		return pv_cli_error("--where: not together with --perf-compat, which prints all");
	status = pv_cli_trace_reading(&o.reading, &how);
	if (!status)
		status = pv_cli_trace_jobs(&o.jobs);
	path = status ? NULL : pv_cli_trace_path(self, argc, argv, first);
	return path ? dump(path, &o, &where, how) : PV_EXIT_USAGE;
}

const struct pv_command pv_trace_dump = {
	.name = "trace dump",
	.args = "FILE|-",
	.help = "the words of each record, as 'perf report -D' prints them",
	.text = "The payload part of that text, without colours; offsets begin at 0 in each\n"
		"AUXTRACE record of a perf.data. Each word has its most significant byte first,\n"
		"as in perf since \"Fix PTT trace TLP header parsing\"; perf 6.12 did otherwise:\n"
		"use --perf-compat to compare with it. decode, stat and convert read this text\n"
		"back.",
	.options = options,
	.run = run,
};
