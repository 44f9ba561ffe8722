/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event of perf_event_open(2) through libperf. What libperf's public interface lacks is added here: the event's
 * descriptor, for mmap(2) and poll(2), and a leader other than the first of a list.
 */
#ifndef PV_LINUX_EVSEL_H
#define PV_LINUX_EVSEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct perf_evsel;

struct pv_evsel {
	struct perf_evsel *evsel;
	int fd; /* libperf's, which closes it */
};

/* Where an event counts. */
struct pv_evsel_place {
	const char *cpus; /* a list, of which the first is taken, such as the PMU's cpumask. NULL: any CPU */
	bool task;	  /* for the calling thread; else for everything on the CPU */
	const struct pv_evsel *leader; /* NULL: none */
};

/* The value of an event, and for how long it was enabled and counted. */
struct pv_evsel_value {
	uint64_t value, enabled_ns, running_ns;
};

/* Each returns 0 or -errno. No other thread may open descriptors meanwhile. */
int pv_evsel_open(struct pv_evsel *e, struct perf_event_attr *attr, const struct pv_evsel_place *place);
void pv_evsel_close(struct pv_evsel *e);
/* With all of its group, where it leads one: a member that was disabled alone would else stay so. */
int pv_evsel_enable(struct pv_evsel *e);
int pv_evsel_disable(struct pv_evsel *e);
/* -ENODATA: the kernel gives none, as of an event in error state. */
int pv_evsel_read(struct pv_evsel *e, struct pv_evsel_value *out);

#endif
