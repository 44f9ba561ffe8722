/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of an event and the consumer of its AUX data, as perf_event_attr and PERF_RECORD_AUX have them. */
#ifndef PV_USER_EVENT_ATTR_H
#define PV_USER_EVENT_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of struct pv_event_attr's `exclude`: exclude_user and so on. */
enum pv_exclude {
	PV_EXCLUDE_USER,
	PV_EXCLUDE_KERNEL,
	PV_EXCLUDE_HV,
	PV_EXCLUDE_IDLE,
	PV_EXCLUDE_HOST,
	PV_EXCLUDE_GUEST,
};

/* Fields of perf_event_attr and arguments of perf_event_open(2). */
struct pv_event_attr {
	uint64_t config, config1, config2;
	uint32_t type; /* 0: that of the named PMU */
	bool on_cpu;   /* opened on `cpu`; else where the PMU counts */
	unsigned cpu;
	bool per_task, sampling;
	uint32_t exclude;   /* 1 << enum pv_exclude */
	bool aux;	    /* PTT: with an AUX area ... */
	uint64_t aux_bytes; /* ... of this many bytes (0: 16 MiB) */
	bool aux_overwrite; /* snapshot mode */
};

/* Flags of an AUX commit, as in PERF_RECORD_AUX. */
#define PV_AUX_TRUNCATED 0x01u /* data was lost: overrun, or no room */
#define PV_AUX_COLLISION 0x08u

/*
 * Takes AUX data as it is committed, in order. `len` may be 0 with flags set. Returning non-zero means
 * that the consumer has no room: the rest of this commit is lost and the trace is marked truncated.
 */
typedef int (*pv_aux_fn)(void *ctx, const void *data, size_t len, uint32_t flags);

#endif
