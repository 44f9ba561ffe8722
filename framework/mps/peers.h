/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes between devices: of each sender, the peers that take less than it sends. Below one Root Port the TLP goes as
 * it is. To a device below another one it goes through the Root Complex, which may refuse it, or split it to what its
 * port sends (PCIe 5.0 1.3.1).
 */
#ifndef PV_MPS_PEERS_H
#define PV_MPS_PEERS_H

#include "framework/mps/check.h"
#include "framework/mps/plan.h"

/* Peers of one sender that are reached with the same most at the same function. */
struct pv_peers {
	const struct pv_pci_func *from, *at; /* `at` takes too little */
	int payload, most;		     /* what `from` sends, what `at` takes; bytes */
	bool across;			     /* below another Root Port */
	bool splits;			     /* and fine, if the Root Complex splits TLPs to what that port sends */
	size_t first, n;		     /* the first of them in pv_peer_list.peers, and how many there are */
};

struct pv_peer {
	const struct pv_pci_func *to;
	size_t entry; /* of pv_peer_list.list */
};

struct pv_peer_list {
	struct pv_peers *list;
	size_t n, room;
	struct pv_peer *peers; /* sender by sender, in the order of the machine */
	size_t n_peers, room_peers;
	bool no_memory;
};

/* Finds them with the sizes that the machine's copy has. 0 or -ENOMEM; the caller frees *found in either case. */
int pv_peers_find(const struct pv_pci_machine *m, struct pv_peer_list *found);
/* The same with the planned sizes; the copy is as before when it returns. */
int pv_peers_find_planned(struct pv_pci_machine *m, const struct pv_policy_plan *plan, struct pv_peer_list *found);
/* Counts the devices that, with the planned sizes, send too much to one below another Root Port. 0 or -ENOMEM. */
int pv_peers_count_across(struct pv_pci_machine *m, const struct pv_policy_plan *plan, size_t *n);
void pv_peers_free(struct pv_peer_list *found);
/* Returns the peer of an entry behind `before`; NULL for `before`: the first one. NULL: there are no more. */
const struct pv_peer *pv_peers_next(const struct pv_peer_list *found, size_t entry, const struct pv_peer *before);
/* Returns how many functions send too much to a peer, below one Root Port or across. */
size_t pv_peers_senders(const struct pv_peer_list *found, bool across);

#endif
