/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds functions of a real machine that can play the roles of a case (needs.h), at any place. Roles are tried in the
 * order of the topology, functions in the order of BDFs; the first complete assignment is used.
 */
#ifndef PV_BOARD_BIND_H
#define PV_BOARD_BIND_H

#include "framework/board/match.h"

enum { PV_BIND_TRIES = 100000, PV_BIND_WISHES_MAX = 64 };

/* The user's choice for a role (--bind). */
struct pv_bind_wish {
	const char *role;
	pv_bdf is;
};

struct pv_bind {
	const struct pv_needs *needs;
	struct pv_pci_machine *machine;
	const struct pv_board_description *description; /* its <device>s fix roles; may be NULL */
	json_object *environment;			/* may be NULL */
	const struct pv_bind_wish *wish;
	size_t n_wishes;
};

/*
 * Finds a function for each needed role: func[i] for function i of the plan, NULL if it is not needed. 0; -EOPNOTSUPP:
 * *e names the role that no function can play, with the best one; -E2BIG: more than PV_BIND_TRIES tries.
 */
int pv_board_bind(const struct pv_bind *in, const struct pv_pci_func **func, struct pv_error *e);

/* Returns the index of the subject of a case: the role of its first PMU, otherwise its first Root Port. */
size_t pv_bind_subject(const struct pv_needs *n);

#endif
