/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes MPS and MRRS to a running machine. No order of writes is safe on a live link, because MPS limits both sent and
 * received payloads. So all functions that send over the affected links are stopped first (Bus Master off, Transactions
 * Pending clear), then all sizes are written and read back, and then the functions are restarted. The journal records
 * each register before it is written.
 */
#ifndef PV_MPS_APPLY_H
#define PV_MPS_APPLY_H

#include "framework/mps/plan.h"
#include "framework/mps/undo.h"
#include "framework/pci/machine.h"

struct pv_setting {
	const struct pv_pci_func *func;
	int mps, mrrs; /* bytes */
};

struct pv_apply {
	const struct pv_pci_machine *machine;
	struct pv_bus bus; /* access to the functions; needs now_ns() and delay_ns() */
	struct pv_undo *undo;
	bool live; /* do not stop functions */
	void *ctx;
	void (*say)(void *ctx, const char *text); /* prints a line for the user; it has no newline */
};

enum { PV_APPLY_PENDING_MS = 1000 }; /* maximum time that Transactions Pending may stay set */

/*
 * Writes the settings. 0; otherwise all written registers are restored, and *e says why. -EIO: some could not be
 * restored; they are still in the journal. Refuses an unfinished journal (-EBUSY), VFs (-EINVAL), and functions that do
 * not answer or whose ids have changed (-ENODEV).
 */
int pv_apply(const struct pv_apply *apply, const struct pv_setting *settings, size_t n, struct pv_error *e);
/* Returns true if these settings decide about TLPs that the function sends or takes. */
bool pv_apply_concerns(const struct pv_setting *settings, size_t n, const struct pv_pci_func *f);
/* Returns true if writing these settings requires the function to be stopped. */
bool pv_apply_stops(const struct pv_setting *settings, size_t n, const struct pv_pci_func *f);

/*
 * Restores everything in the journal, and removes it. Functions that have left the machine are skipped. -ENOENT: the
 * journal is empty; -EBADMSG: lines of it are damaged, and only the others are restored. After an error the journal
 * remains, so this can be repeated.
 */
int pv_apply_restore(const struct pv_apply *apply, struct pv_error *e);

#endif
