/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace in the perf.data of a perf record of the system under test, for the checks of traces. */
#ifndef PV_AGENT_PERF_TRACE_H
#define PV_AGENT_PERF_TRACE_H

#include "framework/agent/session.h"

/*
 * Adds a trace of the event, "hisi_ptt0_0/filter=0x80001,.../" as perf takes it, that runs from now on. 0, or -1: a problem was
 * reported.
 */
int pv_perf_trace_begin(struct pv_session *s, const char *id, const char *event);

/* Call before waiting for the perf: what comes from now on need not be in the trace. */
void pv_perf_trace_ending(struct pv_session *s, const char *id);

/*
 * Ends the trace and fills it with the data of the event in the perf.data `path` of the system under test (NULL: there is none). As
 * the checks of a step: 0, or what pv_session_judge() returns.
 */
int pv_perf_trace_end(struct pv_session *s, const char *id, const char *path);

#endif
