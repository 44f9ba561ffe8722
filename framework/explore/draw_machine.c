/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the machine: hot-plug, virtual functions, CPUs, power, faults, slow interrupts, a new boot. */
#include <stdlib.h>
#include <string.h>

#include "framework/explore/explore_internal.h"

#define DEVICES (1u << PV_EXPLORE_PTT | 1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_DWC | 1u << PV_EXPLORE_ABI)

/* ---- hot-plug ---- */

static bool is_removable(const struct pv_topo_node *node)
{
	return node->role == PV_ROLE_FUNCTION || node->role == PV_ROLE_CXL_MEM || pv_node_is_port(node);
}

/*
 * The models can plug any function. Under a kernel, only whole cards in slots come and go, and there are no virtual
 * functions after a boot. A card can be pulled out there whose port was removed, which the models refuse.
 */
static bool is_movable(const struct pv_drawing *g, const struct pv_topo_node *node, bool in_slot)
{
	const struct pv_topo_node *port = node->parent >= 0 ? &g->s->t->topology->nodes[node->parent] : NULL;

	if (g->model)
		return true;
	if (node->vf || strchr(node->name, '.'))
		return false;
	return !in_slot || (port && port->hotplug && port->slot && !pv_draw_had_step(g, "hotplug", "action", "remove"));
}

/* Returns true if a counter's PMU goes together with `node`. */
static bool goes_with(struct pv_drawing *g, const struct pv_counter *c, const struct pv_topo_node *node)
{
	const struct pv_topology *t = g->s->t->topology;
	const struct pv_topo_node *n = c->parent >= 0 ? pv_topology_by_bdf(t, (pv_bdf)c->parent) : NULL;

	while (n && n != node)
		n = n->parent >= 0 ? &t->nodes[n->parent] : NULL;
	return n;
}

bool pv_draw_may_move(struct pv_drawing *g, json_object *x)
{
	const char *device = pv_element_get(x, "device"), *action = pv_element_get(x, "action");
	const struct pv_topo_node *node = device ? pv_topology_node(g->s->t->topology, device) : NULL;

	if (!device)
		return true;
	for (const struct pv_counter *c = g->s->counters; c && node; c = c->next)
		if (c->event && goes_with(g, c, node))
			return false;
	return node && is_movable(g, node, strcmp(action ? action : "", "remove") != 0);
}

static void close_before(struct pv_drawing *g, const struct pv_topo_node *node)
{
	for (const struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->event && goes_with(g, c, node))
			pv_element_set(pv_draw_step(g, "counter-close"), "id", "%s", c->id);
}

/* Looks at the filters or the list of PMUs: they follow the functions that are there. */
static void look(struct pv_drawing *g)
{
	static const char *const folders[] = {"requester_filters", "requester_filters", "root_port_filters"};
	const char *ptt = pv_draw_chance(&g->d, 70) ? pv_draw_pmu(g, "hisi_ptt") : NULL;
	json_object *x = pv_draw_step(g, ptt ? "attr-list" : "pmu-list");

	pv_element_set(x, "equals", "0");
	if (!ptt)
		return;
	pv_element_set(x, "pmu", "%s", ptt);
	pv_element_set(x, "dir", "%s", pv_draw_word(&g->d, folders));
}

static bool draw_hotplug(struct pv_drawing *g)
{
	static const char *const actions[] = {"plug", "unplug", "remove", "rescan", "rescan", "plug"};
	const char *action = pv_draw_word(&g->d, actions);
	const struct pv_topo_node *spare = pv_draw_node(g, pv_node_is_spare), *node = pv_draw_node(g, is_removable);
	bool plugs = !strcmp(action, "plug"), rescans = !strcmp(action, "rescan");
	bool in_slot = plugs || !strcmp(action, "unplug");

	if (plugs)
		node = spare;
	if (!node || (!rescans && !is_movable(g, node, in_slot)))
		return false;
	if (!g->model && !rescans && !plugs)
		close_before(g, node);
	/* The bus is searched through links that are busy. */
	if (pv_draw_has_narrow(g))
		pv_draw_step(g, "drain");
	json_object *x = pv_draw_step(g, "hotplug");
	g->moved = true;
	pv_element_set(x, "action", "%s", action);
	if (!rescans)
		pv_element_set(x, "device", "%s", node->name);
	if (pv_draw_chance(&g->d, 60))
		look(g);
	return true;
}

static bool draw_vfs(struct pv_drawing *g)
{
	const struct pv_topo_node *vf = pv_draw_node(g, pv_node_is_vf);
	char pf[64];

	if (!vf)
		return false;
	/* vf0.1 is one of nic0. */
	snprintf(pf, sizeof(pf), "nic%u", (unsigned)strtoul(vf->name + 2, NULL, 10));
	json_object *x = pv_draw_step(g, "vfs");
	pv_element_set(x, "device", "%s", pf);
	pv_element_set(x, "count", "%u", pv_draw_chance(&g->d, 50) ? 0 : pv_draw_range(&g->d, 1, 3));
	if (g->model && pv_drawing_of(g, PV_EXPLORE_REGISTERS)) {
		x = pv_draw_step(g, "reg-read");
		pv_element_set(x, "device", "%s", vf->name);
		pv_element_set(x, "offset", "0xc");
		pv_element_set(x, "equals", "0");
	}
	return true;
}

/* ---- CPUs and power ---- */

static bool has_stopped(const struct pv_session *s)
{
	for (const struct pv_counter *c = s->counters; c; c = c->next)
		if (c->event && !c->running)
			return true;
	for (const struct pv_session_trace *t = s->traces; t; t = t->next)
		if (t->event && !t->running)
			return true;
	return false;
}

/* perf starts a stopped event that moves to another CPU: perf-moves-what-is-stopped in docs/linux-drivers.md. */
static bool draw_cpu(struct pv_drawing *g)
{
	bool on = pv_draw_chance(&g->d, 50);

	if (g->s->t->topology->cpus < 2 || (!on && !g->model && has_stopped(g->s)))
		return false;
	json_object *x = pv_draw_step(g, "cpu");
	pv_element_set(x, "n", "%u", pv_draw_below(&g->d, g->s->t->topology->cpus));
	pv_element_set(x, "online", "%s", on ? "yes" : "no");
	return true;
}

static bool draw_suspend(struct pv_drawing *g)
{
	/* Power loss destroys what is under way: other TLPs than in the rehearsal. */
	if (!g->model)
		pv_draw_step(g, "drain");
	g->lost = g->names;
	pv_element_set(pv_draw_step(g, "suspend"), "power", "%s", pv_draw_chance(&g->d, 50) ? "kept" : "lost");
	return true;
}

/* ---- faults ---- */

struct fault {
	const char *kind;
	bool (*fits)(const struct pv_topo_node *node);
	unsigned max;
};
static const struct fault faults[] = {
	{"tune-busy", pv_node_is_ptt, 1},     {"trace-busy", pv_node_is_ptt, 1},   {"reset-stuck", pv_node_is_ptt, 1},
	{"trace-endless", pv_node_is_ptt, 1}, {"mps-stuck", pv_node_is_sender, 1}, {"mrrs-max", pv_node_is_sender, 5},
};

static bool draw_fault(struct pv_drawing *g)
{
	const struct fault *f = &pv_draw_word(&g->d, faults);
	const struct pv_topo_node *node = pv_draw_node(g, f->fits);

	if (!node)
		return false;
	json_object *x = pv_draw_step(g, "fault");
	pv_element_set(x, "kind", "%s", f->kind);
	pv_element_set(x, "device", "%s", node->name);
	pv_element_set(x, "value", "%u", pv_draw_below(&g->d, f->max + 1));
	return true;
}

static bool draw_latency(struct pv_drawing *g)
{
	pv_element_set(pv_draw_step(g, "irq-latency"), "ns", "%u", pv_draw_below(&g->d, 30000));
	return true;
}

const struct pv_action pv_actions_machine[] = {
	{1u << PV_EXPLORE_ABI | 1u << PV_EXPLORE_REGISTERS | 1u << PV_EXPLORE_PTT, 2, draw_vfs},
	{DEVICES, 3, draw_hotplug},
	{1u << PV_EXPLORE_ABI, 3, draw_cpu},
	{1u << PV_EXPLORE_ABI, 1, draw_suspend},
	{DEVICES, 1, draw_fault},
	{1u << PV_EXPLORE_PTT, 2, draw_fault},
	{1u << PV_EXPLORE_PTT, 1, draw_latency},
	{0},
};
