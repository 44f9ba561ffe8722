/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mismatches that can cause Malformed TLPs (PCIe 5.0 2.2.2): a function may send a payload that a function on the way
 * takes for too long. MPS that differ are not enough: under the policy perf a Root Port's is above its device's, and
 * yet the device never asks for more than it takes.
 */
#ifndef PV_MPS_CHECK_H
#define PV_MPS_CHECK_H

#include "framework/pci/machine.h"

enum pv_mismatch_kind {
	PV_MISMATCH_WRITE,	/* what `from` writes to memory is too long for `to` */
	PV_MISMATCH_COMPLETION, /* what `from` answers to reads of `requester` is too long for `to` */
	PV_MISMATCH_PEER,	/* what `from` writes to `requester`, its peer, is too long for `to` */
};

struct pv_mismatch {
	enum pv_mismatch_kind kind;
	const struct pv_pci_func *from, *to, *requester;
	int payload, most; /* the longest that is sent; what `to` takes; bytes */
};

/* A function whose TLPs cannot be followed. */
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
 * Finds the mismatches of a machine, with `peers` those of peer-to-peer writes below one Root Port, too. 0 or -ENOMEM.
 */
int pv_check(const struct pv_pci_machine *m, bool peers, struct pv_mismatches *found);
void pv_mismatches_free(struct pv_mismatches *found);
/* Returns true if the same TLPs are among the mismatches found, wherever they are malformed. */
bool pv_mismatches_have(const struct pv_mismatches *found, const struct pv_mismatch *mismatch);
/* Returns true if the function is an end of a mismatch. */
bool pv_is_mismatched(const struct pv_mismatches *found, const struct pv_pci_func *f);
/* The functions from a mismatch's sender to where the TLP is found malformed: "0000:01:00.0 -> 0000:00:01.0". */
char *pv_mismatch_way(const struct pv_mismatch *mismatch);

#endif
