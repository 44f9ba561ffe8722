/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses CPMUs by the events that their PMUs show in sysfs. */
#include "framework/board/cpmus.h"

#include "framework/board/facts.h"

struct choice {
	const struct pv_needs *n;
	size_t node;
	json_object *environment;
	pv_bdf at;
};

/* Returns true if CPMU `is` of the machine can play CPMU k of the plan; otherwise *event is what it lacks. */
static bool fits(const struct choice *c, unsigned k, unsigned is, const struct pv_event_need **event)
{
	char name[PV_FACTS_NAME];

	*event = NULL;
	if (!pv_facts_pmu(c->environment, c->at, "cxl_pmu_mem", is, name))
		return false;
	for (size_t i = 0; i < c->n->n_events; i++) {
		const struct pv_event_need *need = &c->n->event[i];

		if (need->node != c->node || need->cpmu != k ||
		    pv_facts_has(c->environment, name, "events", need->name) != need->absent)
			continue;
		*event = need;
		return false;
	}
	return true;
}

/* Returns the number of a CPMU that is free and fits; PV_NEEDS_CPMUS_MAX: none. */
static unsigned find(const struct choice *c, unsigned k, uint32_t taken)
{
	const struct pv_role_needs *role = &c->n->role[c->node];
	unsigned cpmus = c->n->plan->nodes[c->node].conf.cpmus, is = 0;
	const struct pv_event_need *event;

	if (!(taken & 1u << k) && fits(c, k, k, &event))
		return k;
	while (is < cpmus && (taken & 1u << is || !fits(c, k, is, &event)))
		is++;
	return role->numbered || is >= cpmus ? PV_NEEDS_CPMUS_MAX : is;
}

bool pv_board_cpmus(const struct pv_needs *n, size_t node, json_object *environment, pv_bdf at,
		    struct pv_board_cpmus *out)
{
	const struct choice c = {n, node, environment, at};
	uint32_t taken = 0;

	for (unsigned k = 0; k < PV_NEEDS_CPMUS_MAX; k++)
		out->is[k] = (uint8_t)k;
	for (unsigned k = 0; k < PV_NEEDS_CPMUS_MAX; k++) {
		if (!(n->role[node].cpmus & 1u << k))
			continue;
		unsigned is = find(&c, k, taken);
		if (is == PV_NEEDS_CPMUS_MAX) {
			out->missing = k;
			fits(&c, k, k, &out->event);
			return false;
		}
		out->is[k] = (uint8_t)is;
		taken |= 1u << is;
	}
	return true;
}
