/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open event of the running Linux. */
#ifndef PV_LINUX_EVENTS_H
#define PV_LINUX_EVENTS_H

#include "framework/linux/internal.h"
#include "framework/linux/ring.h"

struct perf_evsel;

struct pv_evsel {
	struct perf_evsel *evsel;
	int fd; /* libperf's, which closes it */
	bool member;
};

/* The value of an event, with the times for which it was enabled and counting. */
struct pv_evsel_value {
	uint64_t value, enabled_ns, running_ns;
};

struct pv_perf_event {
	struct pv_evsel evsel;
	struct pv_evsel_value last; /* of event_read */
	bool was_read;
	struct pv_ring ring; /* .page NULL: without an AUX area */
	pv_perf_aux_fn aux;
	void *aux_ctx;
	bool held;
	bool stopped; /* disabled: no data will follow */
	int error;    /* error of the buffer: -EIO, reported by the next event_disable or wait */
	struct pv_perf_event *next;
};

/* Delivers available data, unless the event is held. */
void pv_linux_event_take(struct pv_perf_event *ev);

#endif
