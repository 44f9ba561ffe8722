/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMUs that a driver may register for a topology, spares included, by the names of the Linux ABI
 * (docs/hardware-notes.md). That it does register them is for the cases to show.
 */
#include <stdio.h>
#include <string.h>

#include "framework/plan/arena.h"
#include "framework/plan/topology.h"

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

static bool is(const struct pv_topology_node *n, const char *kind)
{
	return !strcmp(n->kind, kind);
}

static unsigned count_cpmus(const struct pv_topology_node *n)
{
	unsigned count = 0;

	for (const struct pv_topology_cpmu *c = n->cpmus; c; c = c->next)
		count++;
	return count;
}

/* X of mem<X> is given at probe: after a hot-plug any memory device may have any of the numbers. */
static void count_mems(const struct pv_plan_topology *t, unsigned *mems, unsigned *cpmus)
{
	*mems = *cpmus = 0;
	for (unsigned i = 0; i < t->n; i++) {
		unsigned n = count_cpmus(&t->nodes[i]);

		*mems += is(&t->nodes[i], "cxl-mem");
		*cpmus = n > *cpmus ? n : *cpmus;
	}
}

bool pv_topology_name_pmus(struct pv_plan_topology *t, struct pv_arena *arena)
{
	unsigned mems, cpmus;

	count_mems(t, &mems, &cpmus);
	size_t most = t->n + (size_t)mems * cpmus;
	struct list l = {pv_arena_array(arena, most + 1, NAME_BYTES), pv_arena_array(arena, most + 1, sizeof(*l.names)),
			 0};
	if (!l.text || !l.names)
		return false;
	for (unsigned i = 0; i < t->n; i++) {
		const struct pv_topology_node *n = &t->nodes[i];

		if (is(n, "ptt"))
			add(&l, "hisi_ptt%u_%u", n->sicl, n->core);
		else if (is(n, "root-port") && n->ras_des)
			add(&l, "dwc_rootport_%x", n->bdf);
	}
	for (unsigned x = 0; x < mems; x++)
		for (unsigned y = 0; y < cpmus; y++)
			add(&l, "cxl_pmu_mem%u.%u", x, y);
	t->pmus = l.names;
	return true;
}
