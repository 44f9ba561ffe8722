/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The perf programs that a case has started on the system under test, for their steps and checks. */
#ifndef PV_AGENT_PERF_RUN_H
#define PV_AGENT_PERF_RUN_H

#include "framework/agent/session.h"
#include "framework/counters/perf_stat.h"

/* Finds a perf of the case. NULL: a plan error was reported. */
struct pv_perf_run *pv_perf_run_get(struct pv_session *s, const char *id);

/* ---- the counts of a perf stat ---- */
/* The lines of one event. */
struct pv_perf_counts {
	const struct pv_perf_run *run;
	const char *event; /* as perf prints it: "dwc_rootport_80/eventid=0x21,type=0x0/" */
	char *text, *at;   /* private */
};

struct pv_perf_counts pv_perf_counts_of(const struct pv_perf_run *p, const char *event);
/* Takes the next count of the event; without intervals its end is at 0. False: there is none. */
bool pv_perf_counts_next(struct pv_perf_counts *c, struct pv_perf_stat *out);
void pv_perf_counts_free(struct pv_perf_counts *c);

/* The step check-perf-intervals. */
int pv_check_perf_intervals(struct pv_session *s, const struct pv_args *a);

/* ---- the trace of a perf record ---- */
/*
 * Adds a trace of the event, "hisi_ptt0_0/filter=0x80001,.../" as perf takes it, that runs from now on. 0, or -1: a
 * problem was reported.
 */
int pv_perf_trace_begin(struct pv_session *s, const char *id, const char *event);
/* Call before waiting for the perf: what comes from now on need not be in the trace. */
void pv_perf_trace_ending(struct pv_session *s, const char *id);
/*
 * Ends the trace and fills it with the data of the event in the perf.data `path` of the system under test (NULL: there
 * is none). As the checks of a step: 0, or what pv_session_judge() returns.
 */
int pv_perf_trace_end(struct pv_session *s, const char *id, const char *path);

#endif
