/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the output of `perf stat -I MS -x SEPARATOR` (perf-stat(1), CSV FORMAT). */
#ifndef PV_COUNTERS_PERF_STAT_H
#define PV_COUNTERS_PERF_STAT_H

#include <stdbool.h>

/* The count of one event in one interval. */
struct pv_perf_stat {
	double end_s;	 /* end of the interval, since perf started */
	char pmu[64];	 /* "dwc_rootport_10"; "" for an event without a PMU */
	char event[128]; /* "rx_memory_write,lane=0" */
	char unit[16];	 /* unit of `value`: "msec"; "" for a number of events */
	bool counted;	 /* false: <not counted> or <not supported> */
	bool supported;	 /* false: <not supported> */
	double value;	 /* scaled by perf if the event was not counted for the whole interval */
	double running;	 /* percentage of the interval in which it was counted */
};

/*
 * Parses a line, without its newline. Any character may separate fields, except between the slashes of an event. Lines
 * of single CPUs, sockets or threads are parsed like those of the whole machine. 0; -ENOENT: an empty line, a comment
 * or a summary; -EBADMSG: no line of perf stat -I -x.
 */
int pv_perf_stat_parse(const char *line, struct pv_perf_stat *out);

#endif
