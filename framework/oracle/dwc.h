/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RAS D.E.S. oracle: event tables, the ledger records that each event counts, and a port's counters according
 * to the ledger. Private to framework/oracle.
 */
#ifndef PV_ORACLE_DWC_H
#define PV_ORACLE_DWC_H

#include "framework/oracle/oracle.h"

enum pv_dwc_kind {
	PV_DWC_TLP,	  /* what: mask of enum pv_tlp_kind */
	PV_DWC_PREFIX,	  /* TLPs with a prefix */
	PV_DWC_NULLIFIED, /* TLPs, as are the next ones */
	PV_DWC_DUPLICATE,
	PV_DWC_DAMAGED,
	PV_DWC_RETRY,
	PV_DWC_CCIX,
	PV_DWC_POISONED,
	PV_DWC_ANSWER,	/* what: status of a completion by the port itself */
	PV_DWC_DLLP,	/* what: enum pv_wire_dllp */
	PV_DWC_PHY,	/* what: enum pv_wire_phy */
	PV_DWC_TIMEOUT, /* of a request of the port */
	PV_DWC_ENTRY,	/* what: mask of the link states entered; from: of those left */
};

struct pv_dwc_lane_event {
	uint16_t id;
	const char *name; /* in the ABI; NULL: reached by number only */
	enum pv_dwc_kind kind;
	enum pv_wire_dir dir; /* of TLPs and DLLPs */
	uint32_t what, from;
};

struct pv_dwc_time_event {
	uint16_t id;
	const char *name;
	bool payload, ccix; /* group 1 */
	enum pv_wire_dir dir;
};

/* A port's counters according to the ledger. */
struct pv_dwc_port {
	bool known; /* false: clocks are from the ledger's head, settings are unknown */
	uint32_t core_ps, aux_ps;
	uint32_t settings; /* PV_RAS_DES_* */
	bool lacks;	   /* the event that was asked for */
};

/* dwc_events.c. The event with this number. NULL: none, or one that the emulated hardware never generates. */
const struct pv_dwc_lane_event *pv_dwc_lane_event(unsigned eventid);
const struct pv_dwc_time_event *pv_dwc_time_event(unsigned eventid);
/* Returns true if the event has a counter for each lane. */
bool pv_dwc_has_lanes(const struct pv_dwc_lane_event *e);
/* Returns what a counter of the event holds at most (F-D1). */
uint32_t pv_dwc_most(const struct pv_dwc_lane_event *e);
/* Returns true if the event counts this record of its port. Not for link-state entries. */
bool pv_dwc_counts(const struct pv_dwc_lane_event *e, const struct pv_wire *w, unsigned lane);
/* Returns the bytes that a record adds to a payload event. */
uint64_t pv_dwc_payload(const struct pv_dwc_time_event *e, const struct pv_wire *w);

/* dwc_time.c. Cycles counted by a group-0 event; for report 0x00 the length of a cycle. */
int pv_dwc_cycles(struct pv_ledger *l, const struct pv_window *win, pv_bdf root_port, const struct pv_dwc_port *port,
		  unsigned eventid, struct pv_bounds *out);

#endif
