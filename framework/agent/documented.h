/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event that a plan names is by the documents, whatever the driver's events/ files say: from the oracle's
 * tables and the format fields of docs/hardware-notes.md.
 */
#ifndef PV_AGENT_DOCUMENTED_H
#define PV_AGENT_DOCUMENTED_H

#include <stdbool.h>
#include <stdint.h>

struct pv_documented {
	char name[64];	 /* of the event; "": none that is documented was named */
	uint64_t config; /* the config word it stands for ... */
	uint64_t mask;	 /* ... and the bits of it that are known: not those that the plan gave itself */
};

/* `event` is as perf takes it, "name,term=value". */
struct pv_documented pv_documented_event(const char *pmu, const char *event);

#endif
