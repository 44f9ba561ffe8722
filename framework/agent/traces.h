/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace of a case: its AUX data, and its windows, each from a start to the stop. */
#ifndef PV_AGENT_TRACES_H
#define PV_AGENT_TRACES_H

#include "framework/agent/session.h"

/*
 * Packs a term of a trace's event ("filter", "direction", "type", "format") into its config word by the layout of
 * docs/hardware-notes.md, which need not be the driver's. Returns 0, or -EINVAL if there is no such term.
 */
int pv_trace_pack(const char *term, uint64_t value, uint64_t *config);
/* Returns the value of a term of the trace's event; 0: there is no such term. Format 1 is 8DW. */
unsigned pv_trace_term(const struct pv_session_trace *t, const char *term);

/* Adds a trace without data, in place of one with this id, which must be closed. NULL: a problem was reported. */
struct pv_session_trace *pv_trace_new(struct pv_session *s, const char *id, const char *pmu);

/* Stores AUX data; a pv_perf_aux_fn with the trace as context. -ENOSPC: the area is full of unread data. */
int pv_trace_take(void *trace, const void *data, size_t len, uint32_t flags);

/* Reports data that could not be stored or read back, as an error. 0, or -1. */
int pv_trace_check_kept(struct pv_session *s, struct pv_session_trace *t);

/* Call around the start of the trace: opens a window, and drops it if the start failed. 0 or -ENOMEM. */
int pv_trace_starting(struct pv_session *s, struct pv_session_trace *t);
void pv_trace_started(struct pv_session *s, struct pv_session_trace *t, int err);
/* Call around any stop of the trace. No effect if it does not run. */
void pv_trace_ending(struct pv_session *s, struct pv_session_trace *t);
void pv_trace_ended(struct pv_session *s, struct pv_session_trace *t);

/* Assigns the data just taken from a stopped trace to its last window. */
void pv_trace_read_late(struct pv_session_trace *t);

/* Data delivered in a window. Data that comes after a stop belongs to the next window, or to the last. */
struct pv_trace_slice {
	size_t begin, end; /* bytes */
	size_t commits_begin, commits_end;
	uint32_t flags; /* flags of all its commits */
};
struct pv_trace_slice pv_trace_slice(const struct pv_session_trace *t, size_t window);

/*
 * Lists the offsets at which the data were flagged truncated, separated by commas, and after PV_TRACE_TRUNCATED_MAX of
 * them how many more there are. Returns the number of all.
 */
enum { PV_TRACE_TRUNCATED_MAX = 4096 }; /* that is what `pcieval trace convert --truncated` takes */
size_t pv_trace_list_truncated(const struct pv_session_trace *t, FILE *out);

#endif
