/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The documented meaning of an event, independent of the driver's events/ files: from the oracle's tables and the
 * format fields of docs/hardware-notes.md.
 */
#ifndef PV_AGENT_EVENT_DOC_H
#define PV_AGENT_EVENT_DOC_H

#include <stdbool.h>
#include <stdint.h>

struct pv_event_doc {
	char name[64];	 /* of the event; "": undocumented */
	uint64_t config; /* its config word ... */
	uint64_t mask;	 /* ... and the bits that are documented, without those that the plan gave itself */
};

/* `event` is as perf takes it, "name,term=value". */
struct pv_event_doc pv_event_doc_find(const char *pmu, const char *event);

#endif
