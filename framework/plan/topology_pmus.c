/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the PMUs that a driver may register for a topology, including spares, as in the Linux ABI
 * (docs/hardware-notes.md). Cases test whether it does.
 */
#include <stdio.h>
#include <string.h>

#include "framework/plan/topology.h"
#include "framework/util/arena.h"

#define NAME_BYTES 48

struct list {
	char (*text)[NAME_BYTES];
	const char **names;
	size_t n;
};

#define add(list, ...)                                                                     \
	do {                                                                               \
		(list)->names[(list)->n] = (list)->text[(list)->n];                        \
		snprintf((list)->text[(list)->n++], sizeof((list)->text[0]), __VA_ARGS__); \
	} while (0)

/* Linux assigns X of mem<X> at probe: after a hot-plug, any memory device may have any number. */
static void count_mems(const struct pv_topology *m, unsigned *mems, unsigned *cpmus)
{
	*mems = *cpmus = 0;
	for (size_t i = 0; i < m->n; i++) {
		unsigned n = m->nodes[i].conf.cpmus;

		*mems += m->nodes[i].role == PV_ROLE_CXL_MEM;
		*cpmus = n > *cpmus ? n : *cpmus;
	}
}

bool pv_topology_name_pmus(struct pv_plan_topology *t, struct pv_arena *arena)
{
	const struct pv_topology *m = &t->machine;
	unsigned mems, cpmus;

	count_mems(m, &mems, &cpmus);
	size_t most = m->n + (size_t)mems * cpmus;
	struct list l = {pv_arena_array(arena, most + 1, NAME_BYTES), pv_arena_array(arena, most + 1, sizeof(*l.names)),
			 0};
	if (!l.text || !l.names)
		return false;
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_topo_node *n = &m->nodes[i];

		if (n->role == PV_ROLE_PTT)
			add(&l, "hisi_ptt%u_%u", n->sicl, n->core);
		else if (n->conf.kind == PV_NODE_ROOT_PORT && n->conf.ras_des)
			add(&l, "dwc_rootport_%x", n->bdf);
	}
	for (unsigned x = 0; x < mems; x++)
		for (unsigned y = 0; y < cpmus; y++)
			add(&l, "cxl_pmu_mem%u.%u", x, y);
	t->pmus = l.names;
	return true;
}
