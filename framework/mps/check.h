/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mismatches that can cause Malformed TLPs (PCIe 5.0 2.2.2): a function may send a payload that exceeds the MPS of
 * another function on its way. A different MPS alone is no mismatch: under policy perf a Root Port has a larger MPS
 * than its device, but the device never asks for more than it accepts.
 */
#ifndef PV_MPS_CHECK_H
#define PV_MPS_CHECK_H

#include "framework/pci/machine.h"

enum pv_mismatch_kind {
	PV_MISMATCH_WRITE,	/* writes of `from` to memory are too long for `to` */
	PV_MISMATCH_COMPLETION, /* completions of `from` to reads of `requester` are too long for `to` */
	PV_MISMATCH_PEER,	/* writes of `from` to its peer `requester` are too long for `to` */
};

struct pv_mismatch {
	enum pv_mismatch_kind kind;
	const struct pv_pci_func *from, *to, *requester;
	int payload, most; /* bytes: the longest payload sent; the longest that `to` accepts */
};

/* A function whose TLPs cannot be judged. */
struct pv_unjudged {
	const struct pv_pci_func *func;
	const char *why; /* "the port above it is not in the dump" */
};

struct pv_mismatches {
	struct pv_mismatch *list;
	size_t n, room;
	struct pv_unjudged *unjudged;
	size_t n_unjudged, room_unjudged;
	bool no_memory;
};

/*
 * Finds the mismatches of a machine; with `peers` also those of peer-to-peer writes below one Root Port. 0 or -ENOMEM.
 */
int pv_check(const struct pv_pci_machine *m, bool peers, struct pv_mismatches *found);
void pv_mismatches_free(struct pv_mismatches *found);
/* Returns true if `found` contains a mismatch with the same kind of TLPs, even if they are malformed elsewhere. */
bool pv_mismatches_have(const struct pv_mismatches *found, const struct pv_mismatch *mismatch);
/* Returns true if `found` also leaves open whether there is such a mismatch: its sender could not be judged. */
bool pv_mismatches_may_have(const struct pv_mismatches *found, const struct pv_mismatch *mismatch);
/* Returns true if the function could not be judged. */
bool pv_is_unjudged(const struct pv_mismatches *found, const struct pv_pci_func *f);
/* Returns true if the function is the sender or the receiver of a mismatch. */
bool pv_is_mismatched(const struct pv_mismatches *found, const struct pv_pci_func *f);
/* Returns the path from the sender to the function that finds the TLP malformed: "0000:01:00.0 -> 0000:00:01.0". */
char *pv_mismatch_way(const struct pv_mismatch *mismatch);

#endif
