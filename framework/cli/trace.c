/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace`: finds its command and hands over; and what these commands share. */
#include "framework/cli/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/trace/output.h"

static const struct pv_command *const trace_commands[] = {
	&pv_trace_decode, &pv_trace_dump, &pv_trace_stat, &pv_trace_diff_command, &pv_trace_convert_command, NULL,
};

/* ---- shared ---- */

static void print_problem(void *ctx, const struct pv_trace_problem *p)
{
	const struct pv_cli_trace *t = ctx;

	fprintf(stderr, "pcieval: %s: ", t->name);
	if (p->stream && p->stream->index)
		fprintf(stderr, "stream %u: ", p->stream->index);
	if (p->stream)
		fprintf(stderr, "payload offset %" PRIu64 " (file %" PRIu64 "): %s", p->offset, p->file_offset,
			p->what);
	else
		fprintf(stderr, "file offset %" PRIu64 ": %s", p->file_offset, p->what);
	if (p->bytes)
		fprintf(stderr, ", %" PRIu64 " bytes", p->bytes);
	fputc('\n', stderr);
}

int pv_cli_trace_open(struct pv_cli_trace *t, const char *path, const struct pv_trace_options *o)
{
	struct pv_trace_options options = o ? *o : (struct pv_trace_options){0};
	struct pv_error e;

	options.problem = print_problem;
	options.ctx = t;
	t->name = strcmp(path, "-") ? path : "standard input";
	t->reader = pv_trace_open(path, &options, &e);
	if (t->reader)
		return 0;
	fprintf(stderr, "pcieval: %s\n", e.text);
	return e.code == -EBADMSG ? PV_EXIT_FAILED : PV_EXIT_USAGE;
}

int pv_cli_trace_close(struct pv_cli_trace *t, int error)
{
	uint64_t problems = pv_trace_problems(t->reader);

	pv_trace_close(t->reader);
	if (problems)
		fprintf(stderr, "pcieval: %s: %" PRIu64 " problem%s\n", t->name, problems, problems == 1 ? "" : "s");
	if (error)
		fprintf(stderr, "pcieval: %s: not read to the end, or not all written: %s\n", t->name,
			strerror(-error));
	return error ? PV_EXIT_UNJUDGED : problems ? PV_EXIT_FAILED : PV_EXIT_PASSED;
}

const char *pv_cli_trace_path(const struct pv_command *self, int argc, char **argv, int first)
{
	if (argc - first == 1)
		return argv[first];
	pv_cli_error("%s: expected one FILE, or - for standard input, got %d; see 'pcieval %s --help'", self->name,
		     argc - first, self->name);
	return NULL;
}

int pv_cli_trace_jobs(unsigned *jobs)
{
	if (!*jobs)
		*jobs = 1;
	if (*jobs <= PV_OUTPUT_JOBS_MAX)
		return 0;
	return pv_cli_error("--jobs: expected at most %d, got %u", PV_OUTPUT_JOBS_MAX, *jobs);
}

/* ---- the command ---- */

static const char *short_name(const struct pv_command *c)
{
	return c->name + strlen("trace ");
}

static int print_usage(const struct pv_command *self)
{
	printf("usage: pcieval trace COMMAND [OPTION]... FILE|-\n\n%s\n\nCommands:\n", self->help);
	for (const struct pv_command *const *c = trace_commands; *c; c++)
		printf("  %-10s %s\n", short_name(*c), (*c)->help);
	printf("\n%s\n", self->text);
	return PV_EXIT_PASSED;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	const struct pv_command *const *c = trace_commands;

	if (argc < 2)
		return pv_cli_error("trace: expected a command; see 'pcieval trace --help'");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_usage(self);
	while (*c && strcmp(short_name(*c), argv[1]))
		c++;
	if (!*c)
		return pv_cli_error("trace: there is no command '%s'; see 'pcieval trace --help'", argv[1]);
	return (*c)->run(*c, argc - 1, argv + 1);
}

const struct pv_command pv_command_trace = {
	.name = "trace",
	.args = "COMMAND FILE|-",
	.help = "read PTT traces: raw payload and perf.data",
	.text = "Input is a perf.data of a hisi_ptt PMU, or raw payload of 4DW or 8DW records;\n"
		"which, is told from its begin. Damage is stepped over: what is good is read,\n"
		"each problem is reported on standard error, and the exit status is then 1.",
	.run = run,
};
