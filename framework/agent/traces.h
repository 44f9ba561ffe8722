/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace as the steps see it: its AUX data as it comes, and its windows, one from each start to its stop. */
#ifndef PV_AGENT_TRACES_H
#define PV_AGENT_TRACES_H

#include "framework/agent/session.h"

/* Keeps AUX data; a pv_perf_aux_fn with the trace as context. -ENOSPC: the area is full of what no step has read. */
int pv_trace_take(void *trace, const void *data, size_t len, uint32_t flags);

/* Reports data that could not be kept or cannot be read back, as an error: 0, or -1. */
int pv_trace_check_kept(struct pv_session *s, struct pv_session_trace *t);

/* Around the start of the trace: opens a window, and drops it again where the start failed. 0 or -ENOMEM. */
int pv_trace_starting(struct pv_session *s, struct pv_session_trace *t);
void pv_trace_started(struct pv_session *s, struct pv_session_trace *t, int err);
/* Around its end, by whatever means. Nothing where it does not run. */
void pv_trace_ending(struct pv_session *s, struct pv_session_trace *t);
void pv_trace_ended(struct pv_session *s, struct pv_session_trace *t);

/* What was just taken of a trace that stands still belongs to its last window. */
void pv_trace_read_late(struct pv_session_trace *t);

/* What was handed over in a window. What comes after a stop belongs to the next one, or to the last. */
struct pv_trace_slice {
	size_t begin, end; /* bytes */
	size_t commits_begin, commits_end;
	uint32_t flags; /* of its commits */
};
struct pv_trace_slice pv_trace_slice(const struct pv_session_trace *t, size_t window);

#endif
