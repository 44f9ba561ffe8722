/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event of perf_event_open(2) through libperf. Adds what the public interface of libperf lacks: the descriptor of
 * an event, for mmap(2) and poll(2), and group leaders other than the first event of a list.
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
	const char *cpus;	       /* a list such as the PMU's cpumask, whose first CPU is used; NULL: any CPU */
	bool task;		       /* for the calling thread; else for the whole CPU */
	const struct pv_evsel *leader; /* NULL: none */
};

/* The value of an event, with the times for which it was enabled and counting. */
struct pv_evsel_value {
	uint64_t value, enabled_ns, running_ns;
};

/* Return 0 or -errno. No other thread may open descriptors at the same time. */
int pv_evsel_open(struct pv_evsel *e, struct perf_event_attr *attr, const struct pv_evsel_place *place);
void pv_evsel_close(struct pv_evsel *e);
/* Includes the group of a leader: a member that was disabled separately would otherwise stay disabled. */
int pv_evsel_enable(struct pv_evsel *e);
int pv_evsel_disable(struct pv_evsel *e);
/* -ENODATA: the kernel returns none, for example because the event is in error state. */
int pv_evsel_read(struct pv_evsel *e, struct pv_evsel_value *out);

#endif
