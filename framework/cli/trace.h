/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval trace`: each subcommand is one file, and one line of the table in trace.c. */
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

/* An input of a subcommand. Its problems are printed on standard error as they are found. */
struct pv_cli_trace {
	const char *name;
	struct pv_trace *reader;
};

/* Options for reading an input. */
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
/* Converts the options. 0, or the exit status after a report. */
int pv_cli_trace_reading(const struct pv_cli_reading *r, struct pv_trace_options *out);
/* Returns the meaning of Time in an input that was read: "clock (detected)". */
const char *pv_cli_trace_time(const struct pv_cli_trace *t);

/* Opens `path` ("-": standard input) with `o`, except the problem callback. 0, or the exit status after a report. */
int pv_cli_trace_open(struct pv_cli_trace *t, const char *path, const struct pv_trace_options *o);
/* Returns true if `output` and `input` are the same file ("-": standard streams). */
bool pv_cli_trace_is_input(const char *input, const char *output);
/* Returns true if an input can be read several times: a file, or a folder of perf. */
bool pv_cli_trace_is_file(const char *path);
/*
 * Closes an input, and prints the number of problems, and `error`: 0 or -errno of reading or writing. Returns the exit
 * status.
 */
int pv_cli_trace_close(struct pv_cli_trace *t, int error);
/* Returns the only input of a command; NULL: a mistake was reported. */
const char *pv_cli_trace_path(const struct pv_command *self, int argc, char **argv, int first);
/* Parses --tick-hz: a number, or the description of a board (.xml). 0, or the exit status after a report. */
int pv_cli_trace_hz(const char *text, double *hz);
/* Describes the source of the tick if it is a board's description; NULL: it is a number, or not given. Returns buf. */
const char *pv_cli_trace_tick_how(const char *tick_hz, char *buf, size_t size);
/* Parses --tick-hz and --rate, NULL: not given. 0, or the exit status after a report. */
int pv_cli_trace_seconds(const char *tick_hz, const char *rate, double *hz, double *bytes_per_s);
/* Normalises --jobs: 0 becomes 1, and there is a maximum. */
int pv_cli_trace_jobs(unsigned *jobs);

#endif
