/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace`: its commands are one file and one line of the table in trace.c each. */
#ifndef PV_CLI_TRACE_H
#define PV_CLI_TRACE_H

#include "framework/cli/cli.h"
#include "framework/trace/trace.h"

extern const struct pv_command pv_trace_decode;		 /* trace_decode.c */
extern const struct pv_command pv_trace_dump;		 /* trace_dump.c */
extern const struct pv_command pv_trace_stat;		 /* trace_stat.c */
extern const struct pv_command pv_trace_report;		 /* trace_report.c */
extern const struct pv_command pv_trace_diff_command;	 /* trace_diff.c */
extern const struct pv_command pv_trace_convert_command; /* trace_convert.c */

/* An input of these commands, whose problems are printed on standard error as they are found. */
struct pv_cli_trace {
	const char *name;
	struct pv_trace *reader;
};

/* How an input is to be read, as options say. */
struct pv_cli_reading {
	const char *time, *pattern;
};
/* clang-format off */
#define PV_CLI_READING(type, member)                                                                        \
	{"time", 0, PV_OPTION_TEXT, offsetof(type, member.time), "WHAT",                                    \
	 "what Time counts: clock, distance (since the record\nbefore), unknown (default: what the data show)",          \
	 PV_CLI_VALUES("clock", "distance", "unknown")},                                                    \
	{"pattern", 0, PV_OPTION_TEXT, offsetof(type, member.pattern), "N",                                 \
	 "data pattern: 0, or 1 of newer hardware; default: as a\nperf.data says, else 0",                    \
	 PV_CLI_VALUES("0", "1")}
/* clang-format on */
/* 0, or the exit status: reported. */
int pv_cli_trace_reading(const struct pv_cli_reading *r, struct pv_trace_options *out);
/* "clock (detected)": what Time of an input that was read counts. */
const char *pv_cli_trace_time(const struct pv_cli_trace *t);

/* Opens `path` ("-": standard input) with `o`, except the problem callback. 0, or the exit status: reported. */
int pv_cli_trace_open(struct pv_cli_trace *t, const char *path, const struct pv_trace_options *o);
/* Returns true if `output` and `input` are the same file ("-": standard streams). */
bool pv_cli_trace_is_input(const char *input, const char *output);
/* Returns true if an input can be read several times: a file, or a folder of perf. */
bool pv_cli_trace_is_file(const char *path);
/* Prints how many problems there were, and what `error` (0 or -errno of reading or writing) was. The exit status. */
int pv_cli_trace_close(struct pv_cli_trace *t, int error);
/* The one input of a command that takes one; NULL: a mistake, which was reported. */
const char *pv_cli_trace_path(const struct pv_command *self, int argc, char **argv, int first);
/* --tick-hz: a number, or the description of a board (.xml). 0, or the exit status: reported. */
int pv_cli_trace_hz(const char *text, double *hz);
/* How a board's description tells the tick, for outputs; NULL: it is given as a number, or not at all. Returns buf. */
const char *pv_cli_trace_tick_how(const char *tick_hz, char *buf, size_t size);
/* --tick-hz and --rate, NULL: not given. 0, or the exit status: reported. */
int pv_cli_trace_seconds(const char *tick_hz, const char *rate, double *hz, double *bytes_per_s);
/* --jobs as it is meant: 0 is one thread, and there is a most. */
int pv_cli_trace_jobs(unsigned *jobs);

#endif
