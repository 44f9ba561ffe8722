/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace decode`: prints the fields of every record. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/analysis/where_output.h"
#include "framework/cli/trace.h"
#include "framework/util/file.h"

struct options {
	const char *format, *where;
	struct pv_cli_reading reading;
	unsigned jobs;
};

static const struct pv_option options[] = {
	{"format", 'f', PV_OPTION_TEXT, offsetof(struct options, format), "FORMAT",
	 "text (a line per TLP; default), jsonl (a JSON object\nper line) or csv",
	 PV_CLI_VALUES("text", "jsonl", "csv")},
	{"where", 'w', PV_OPTION_TEXT, offsetof(struct options, where), "EXPR", "only records that EXPR selects"},
	PV_CLI_READING(struct options, reading),
	{"jobs", 'j', PV_OPTION_NUMBER, offsetof(struct options, jobs), "N", "threads (default 1); the order is kept"},
	{0},
};

static int decode(const char *path, const struct options *o, const struct pv_format *format,
		  const struct pv_where *where, const struct pv_trace_options *how)
{
	struct pv_chosen_output chosen = {where, format};
	struct pv_cli_trace t;
	int r = pv_cli_trace_open(&t, path, how);

	if (r)
		return r;
	if (format->head)
		r = pv_write_all(STDOUT_FILENO, format->head, strlen(format->head));
	if (!r)
		r = pv_where_is_all(where)
			    ? pv_trace_output(t.reader, pv_output_records, format, o->jobs, STDOUT_FILENO)
			    : pv_trace_output(t.reader, pv_output_chosen, &chosen, o->jobs, STDOUT_FILENO);
	return pv_cli_trace_close(&t, r);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.format = "text", .jobs = 1};
	const struct pv_format *format;
	struct pv_trace_options how;
	struct pv_where where;
	struct pv_error e = {0};
	const char *path;
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	format = pv_format_by_name(o.format);
	if (!format)
		return pv_cli_error("--format: expected text, jsonl or csv, got '%s'", o.format);
	if (pv_where_compile(&where, o.where, &e))
		return pv_cli_error("%s", e.text);
	status = pv_cli_trace_reading(&o.reading, &how);
	if (!status)
		status = pv_cli_trace_jobs(&o.jobs);
	path = status ? NULL : pv_cli_trace_path(self, argc, argv, first);
	return path ? decode(path, &o, format, &where, &how) : PV_EXIT_USAGE;
}

const struct pv_command pv_trace_decode = {
	.name = "trace decode",
	.args = "FILE|-",
	.help = "every record to its fields",
	.text = "One line per record: offset in the payload, time, direction if the event's\n"
		"parameters determine it, and the TLP. Fields that a record does not have are\n"
		"left out. docs/trace.md lists the fields.",
	.options = options,
	.run = run,
};
