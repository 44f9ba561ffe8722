/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event syntax of perf, "d2h_req_rdcurr,threshold=2" or "eventid=0x700,type=0x1,lane=4", resolved through
 * a PMU's own events/ and format/ files, as perf does. A wrong file yields a wrong event, which the checks detect.
 */
#ifndef PV_AGENT_EVENTS_H
#define PV_AGENT_EVENTS_H

#include <stdint.h>

#include "framework/target/target.h"

struct pv_event_config {
	uint64_t word[3]; /* config, config1, config2 */
};

/*
 * 0; -EINVAL as perf has it (no such term, value too wide, a parameter missing); -errno of a file. *e says which term.
 */
int pv_event_resolve(struct pv_target *t, const char *pmu, const char *text, struct pv_event_config *out,
		     struct pv_error *e);

/* Puts `value` into the bits of "config1:0-7,20" ("config:3" is one bit). -EINVAL: bad format or value too wide. */
int pv_event_pack(const char *format, uint64_t value, struct pv_event_config *c);

/* The reverse. *value: 0 without bits. */
int pv_event_unpack(const char *format, const struct pv_event_config *c, uint64_t *value);

/* ---- documented events ---- */

/*
 * The documented meaning of an event, independent of the driver's events/ and format/ files: from the oracle's tables
 * and the format fields of docs/hardware-notes.md.
 */
struct pv_event_doc {
	char name[64];		       /* of the event; "": undocumented */
	struct pv_event_config config; /* its bits that are documented, others are 0 ... */
	struct pv_event_config
		mask; /* ... and which bits those are: of all terms of a named event, else of the given terms */
};

/* `event` is as perf takes it, "name,term=value". */
struct pv_event_doc pv_event_doc_find(const char *pmu, const char *event);
/* Returns config words with the documented bits as they are documented. */
struct pv_event_config pv_event_doc_apply(const struct pv_event_doc *d, const uint64_t config[3]);
/* Returns the value of a documented term of a PMU, by the documented format. */
uint64_t pv_event_doc_term(const char *pmu, const char *name, const uint64_t config[3]);

#endif
