/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Peer-to-peer writes: for each sender, the peers that accept less than it sends. Below one Root Port the TLP is
 * forwarded unchanged. A device below another Root Port is reached through the Root Complex, which may refuse the TLP,
 * or split it to the MPS of that port (PCIe 5.0 1.3.1).
 */
#ifndef PV_MPS_PEERS_H
#define PV_MPS_PEERS_H

#include "framework/mps/check.h"
#include "framework/mps/plan.h"

/* Peers of one sender that the same function limits to the same payload. */
struct pv_peers {
	const struct pv_pci_func *from, *at; /* `at` accepts too little */
	int payload, most;		     /* bytes: sent by `from`, accepted by `at` */
	bool across;			     /* the peers are below another Root Port */
	bool splits;			     /* the TLPs fit if the Root Complex splits them to that port's MPS */
	size_t first, n;		     /* index of the first one in pv_peer_list.peers, and their number */
};

struct pv_peer {
	const struct pv_pci_func *to;
	size_t entry; /* index in pv_peer_list.list */
};

struct pv_peer_list {
	struct pv_peers *list;
	size_t n, room;
	struct pv_peer *peers; /* sorted by sender, in the order of the machine */
	size_t n_peers, room_peers;
	bool no_memory;
};

/*
 * Finds the peers of all senders, with the sizes in the machine's copy. 0 or -ENOMEM; the caller frees *found in either
 * case.
 */
int pv_peers_find(const struct pv_pci_machine *m, struct pv_peer_list *found);
/* Same, with the planned sizes; the copy stays unchanged. */
int pv_peers_find_planned(struct pv_pci_machine *m, const struct pv_policy_plan *plan, struct pv_peer_list *found);
/*
 * Counts the devices that would send too much to a peer below another Root Port, with the planned sizes. 0 or -ENOMEM.
 */
int pv_peers_count_across(struct pv_pci_machine *m, const struct pv_policy_plan *plan, size_t *n);
void pv_peers_free(struct pv_peer_list *found);
/* Returns the next peer of an entry after `before` (NULL: the first one). NULL: there are no more. */
const struct pv_peer *pv_peers_next(const struct pv_peer_list *found, size_t entry, const struct pv_peer *before);
/* Counts the functions that send too much to a peer, below the same Root Port or across. */
size_t pv_peers_senders(const struct pv_peer_list *found, bool across);

#endif
