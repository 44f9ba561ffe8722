/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tap on the links of a board: it sends traffic and records TLPs, like an exerciser and an analyser in a lab. A board
 * description names its socket; it gives target ssh the tables workload and truth. A tap neither injects faults nor
 * plugs functions: the effects of a case on a board must end with the case.
 */
#ifndef PV_TAP_TAP_H
#define PV_TAP_TAP_H

#include "framework/target/truth.h"
#include "framework/target/workload.h"
#include "framework/util/error.h"

struct pv_tap;

/*
 * Connects to the socket `path`. The ledger begins here, with the tap's description of Root Ports (PV_WIRE_RAS_DES). 0
 * or -errno with *e.
 */
int pv_tap_open(struct pv_tap **out, const char *path, struct pv_error *e);
/* Disconnects; the tap then stops the streams that were started. NULL is allowed. */
void pv_tap_close(struct pv_tap *t);

struct pv_workload *pv_tap_workload(struct pv_tap *t);
struct pv_truth *pv_tap_truth(struct pv_tap *t);
/*
 * Returns true if it was asked to send TLPs or errors. These may cause AER errors on purpose: plans send poisoned,
 * unsupported or damaged TLPs.
 */
bool pv_tap_has_sent(const struct pv_tap *t);
/* The time of the ledger's records. */
uint64_t pv_tap_now_ps(struct pv_tap *t);
/* Why it no longer answers; its code is 0 while it does. */
const struct pv_error *pv_tap_failure(const struct pv_tap *t);

#endif
