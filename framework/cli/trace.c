/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace`: dispatches to its subcommands; and their shared functions. */
#include "framework/cli/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/board/description.h"
#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"
#include "framework/trace/output.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

static const struct pv_command *const trace_commands[] = {
	&pv_trace_decode,	   &pv_trace_dump, &pv_trace_stat, &pv_trace_report, &pv_trace_diff_command,
	&pv_trace_convert_command, NULL,
};

/* ---- shared ---- */

static void print_problem(void *ctx, const struct pv_trace_problem *p)
{
	const struct pv_cli_trace *t = ctx;
	char stream[32] = "", at[80], bytes[32] = "";

	if (p->stream && p->stream->index)
		snprintf(stream, sizeof(stream), "stream %u: ", p->stream->index);
	if (p->stream)
		snprintf(at, sizeof(at), "payload offset %" PRIu64 " (file %" PRIu64 ")", p->offset, p->file_offset);
	else
		snprintf(at, sizeof(at), "file offset %" PRIu64, p->file_offset);
	if (p->bytes)
		snprintf(bytes, sizeof(bytes), ", %" PRIu64 " bytes", p->bytes);
	pv_cli_error("%s: %s%s: %s%s", t->name, stream, at, p->what, bytes);
}

/* Returns true if the error is a mistake on the command line, not a bad input. */
static bool is_wrong_path(int code)
{
	static const int codes[] = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENXIO, ENODEV};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (code == -codes[i])
			return true;
	return false;
}

bool pv_cli_trace_is_input(const char *input, const char *output)
{
	struct stat in, out;

	if (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in))
		return false;
	if (strcmp(output, "-") ? stat(output, &out) : fstat(STDOUT_FILENO, &out))
		return false;
	return S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

bool pv_cli_trace_is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

int pv_cli_trace_open(struct pv_cli_trace *t, const char *path, const struct pv_trace_options *o)
{
	struct pv_trace_options options = o ? *o : (struct pv_trace_options){0};
	struct pv_error e;

	options.problem = print_problem;
	options.ctx = t;
	t->name = pv_file_name(path);
	if (pv_cli_trace_is_input(path, "-"))
		return pv_cli_error("%s: the input is also standard output", t->name);
	t->reader = pv_trace_open(path, &options, &e);
	if (t->reader)
		return 0;
	pv_cli_error("%s", e.text);
	return e.code == -EBADMSG ? PV_EXIT_FAILED : is_wrong_path(e.code) ? PV_EXIT_USAGE : PV_EXIT_UNJUDGED;
}

int pv_cli_trace_reading(const struct pv_cli_reading *r, struct pv_trace_options *out)
{
	int time = r->time ? pv_trace_time_by_name(r->time) : PV_TRACE_TIME_UNKNOWN;

	if (time < 0)
		return pv_cli_error("--time: expected clock, distance or unknown, got '%s'", PV_SHOW(r->time));
	if (r->pattern && strcmp(r->pattern, "0") && strcmp(r->pattern, "1"))
		return pv_cli_error("--pattern: expected 0 or 1, got '%s'", PV_SHOW(r->pattern));
	*out = (struct pv_trace_options){.time = (enum pv_trace_time)time,
					 .no_time = r->time && !time,
					 .pattern = r->pattern ? *r->pattern - '0' + 1 : 0};
	return 0;
}

const char *pv_cli_trace_time(const struct pv_cli_trace *t)
{
	static const char *const names[][2] = {
		[PV_TRACE_TIME_UNKNOWN] = {"unknown", "unknown"},
		[PV_TRACE_TIME_CLOCK] = {"clock (detected)", "clock (as given)"},
		[PV_TRACE_TIME_DISTANCE] = {"distance (detected)", "distance (as given)"}};
	const struct pv_trace_stream *s = pv_trace_streams(t->reader) ? pv_trace_stream(t->reader, 0) : NULL;

	return s ? names[s->time][s->time_is_given] : names[0][0];
}

int pv_cli_trace_close(struct pv_cli_trace *t, int error)
{
	uint64_t problems = pv_trace_problems(t->reader);

	pv_trace_close(t->reader);
	if (problems)
		pv_cli_error("%s: %" PRIu64 " problem%s", t->name, problems, problems == 1 ? "" : "s");
	if (error)
		pv_cli_error("%s: not read to the end, or not all written: %s", t->name, strerror(-error));
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

static bool is_board(const char *tick_hz)
{
	size_t n = strlen(tick_hz);

	return n > 4 && !strcmp(tick_hz + n - 4, ".xml");
}

static int board_hz(const char *path, double *hz)
{
	struct pv_board_description board = {0};
	struct pv_error e = {0};
	int err = pv_board_read(path, &board, &e);

	*hz = board.ptt_tick_hz;
	pv_board_description_free(&board);
	if (err)
		return pv_cli_error("--tick-hz: %s", e.text);
	return *hz > 0 ? 0 : pv_cli_error("--tick-hz: %s: <board> has no ptt-tick-hz", PV_SHOW(path));
}

const char *pv_cli_trace_tick_how(const char *tick_hz, char *buf, size_t size)
{
	if (!tick_hz || !is_board(tick_hz))
		return NULL;
	snprintf(buf, size, "as %s says (--tick-hz)", PV_SHOW(tick_hz));
	return buf;
}

int pv_cli_trace_hz(const char *text, double *hz)
{
	char *end;

	if (is_board(text))
		return board_hz(text, hz);
	*hz = strtod(text, &end);
	if (end != text && !*end && *hz >= 1 && *hz <= 1e12)
		return 0;
	return pv_cli_error("--tick-hz: expected ticks per second, 1 to 1e12, got '%s'", PV_SHOW(text));
}

/* Parses "12.3e9", "12.3GB/s", "11.5 GiB/s". */
static bool parse_rate(const char *text, double *bytes_per_s)
{
	static const char *const prefixes = "kMGT";
	char *end;
	double v = strtod(text, &end), step = 1000;

	if (end == text)
		return false;
	end += *end == ' ';
	const char *prefix = *end ? strchr(prefixes, *end == 'K' ? 'k' : *end) : NULL;
	if (prefix)
		end++;
	if (prefix && *end == 'i') {
		step = 1024;
		end++;
	}
	for (const char *p = prefixes; prefix && p <= prefix; p++)
		v *= step;
	end += *end == 'B';
	*bytes_per_s = v;
	return (!*end || !strcmp(end, "/s")) && v >= 1 && v <= 1e15;
}

int pv_cli_trace_seconds(const char *tick_hz, const char *rate, double *hz, double *bytes_per_s)
{
	if (tick_hz && pv_cli_trace_hz(tick_hz, hz))
		return PV_EXIT_USAGE;
	if (rate && !parse_rate(rate, bytes_per_s))
		return pv_cli_error("--rate: expected bytes per second as 12.3e9, 12.3GB/s or 11.5GiB/s, got '%s'",
				    PV_SHOW(rate));
	if (rate && tick_hz)
		return pv_cli_error("--rate: expected without --tick-hz: each tells how long a tick is");
	return 0;
}

/* ---- the command ---- */

static int run(const struct pv_command *self, int argc, char **argv)
{
	int status = pv_cli_subcommand(self, argc, argv);

	/* Lost output is worse than a damaged input, and decides the exit status. */
	return pv_cli_flush() ? PV_EXIT_UNJUDGED : status;
}

const struct pv_command pv_command_trace = {
	.name = "trace",
	.args = "COMMAND FILE|-",
	.help = "read PTT traces: raw payload and perf.data",
	.text = "Input is a perf.data of a hisi_ptt PMU, or raw payload of 4DW or 8DW records;\n"
		"this is detected from its content. Damage is skipped and reported on standard\n"
		"error, and the exit status is then 1.",
	.commands = trace_commands,
	.run = run,
};
