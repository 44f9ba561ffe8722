/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RAS D.E.S. oracle: a port's counters according to the ledger, and time-based analysis (dwc_time.c). Private to
 * framework/oracle.
 */
#ifndef PV_ORACLE_DWC_INTERNAL_H
#define PV_ORACLE_DWC_INTERNAL_H

#include "framework/oracle/oracle.h"

/* A port's counters according to the ledger. */
struct pv_dwc_port {
	bool known; /* false: clocks are from the ledger's head, settings are unknown */
	uint32_t core_ps, aux_ps;
	uint32_t settings; /* PV_RAS_DES_* */
	bool lacks;	   /* the event that was asked for */
};

/* Cycles counted by a group-0 event; for report 0x00 the length of a cycle. */
int pv_dwc_cycles(struct pv_ledger *l, const struct pv_window *win, pv_bdf root_port, const struct pv_dwc_port *port,
		  unsigned eventid, struct pv_bounds *out);

#endif
