/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a case: traffic runs out, everything is stopped, checked and closed, and the machine is at rest. */
#include <string.h>

#include "drivers/regs/dwc.h"
#include "drivers/regs/ptt.h"
#include "framework/explore/explore_internal.h"

enum { RAS_DES = 0x150 }; /* of the Root Ports of the models */

static json_object *add(struct pv_drawing *g, const char *kind, const char *id)
{
	json_object *x = pv_draw_step(g, kind);

	pv_element_set(x, "id", "%s", id);
	return x;
}

static void end_traffic(struct pv_drawing *g)
{
	if (pv_has(g->s->t->workload, idle) && !g->s->t->workload->ops->idle(g->s->t->workload))
		pv_draw_step(g, "drain");
}

static void stop(struct pv_drawing *g)
{
	for (struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->event && c->running && !(c->leader && c->leader->running))
			add(g, "counter-stop", c->id);
	for (struct pv_session_trace *t = g->s->traces; t; t = t->next)
		if (t->event)
			add(g, "trace-stop", t->id);
}

static bool is_truncated(const struct pv_session_trace *t)
{
	for (size_t i = 0; i < t->commits; i++)
		if (t->commit[i].flags & PV_PERF_AUX_TRUNCATED)
			return true;
	return false;
}

/*
 * An overrun is judged in a single window: of several, some may have overrun and others not. Linux has larger buffers
 * than the rehearsal. A trace that does not end may overrun while it is being stopped: then nothing that must be there
 * says where.
 */
static void check_trace(struct pv_drawing *g, const struct pv_session_trace *t)
{
	bool endless = pv_draw_had_step(g, "fault", "kind", "trace-endless");

	if (is_truncated(t) && (t->windows > 1 || !g->model || endless))
		return;
	json_object *x = add(g, is_truncated(t) ? "check-trace-overrun" : "check-trace", t->id);

	pv_element_set(x, "records-min", "0");
}

static void check(struct pv_drawing *g)
{
	for (struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->windows && c->read && pv_draw_counter_is_judged(g, c))
			pv_element_set(add(g, "check-counter", c->id), "min-value", "0");
	for (struct pv_session_trace *t = g->s->traces; t; t = t->next)
		if (t->windows && !t->event && pv_draw_is_judged(g, t->id, t->pmu))
			check_trace(g, t);
}

static void close_all(struct pv_drawing *g)
{
	for (struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->event)
			add(g, "counter-close", c->id);
}

static void expect_clear(struct pv_drawing *g, const struct pv_topo_node *node, const char *space, uint32_t offset,
			 uint32_t mask)
{
	json_object *x = pv_draw_step(g, "reg-read");

	pv_element_set(x, "device", "%s", node->name);
	pv_element_set(x, "space", "%s", space);
	pv_element_set(x, "offset", "0x%x", offset);
	pv_element_set(x, "mask", "0x%x", mask);
	pv_element_set(x, "equals", "0");
}

/*
 * Without open events, no PTT traces and no event of a port is enabled, whichever is selected. Only functions that are
 * where they were: one that went and came back has lost its registers.
 */
static void registers_at_rest(struct pv_drawing *g)
{
	const struct pv_topology *t = g->s->t->topology;

	if (pv_draw_had_step(g, "hotplug", NULL, NULL) || pv_draw_had_step(g, "suspend", NULL, NULL))
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct pv_topo_node *node = &t->nodes[i];

		if (pv_node_is_ptt(node) && g->s->traces)
			expect_clear(g, node, "bar2", PTT_TRACE_CTRL, PTT_TRACE_CTRL_EN);
		if (!pv_node_is_port(node) || !node->conf.ras_des || !g->s->counters)
			continue;
		expect_clear(g, node, "config", RAS_DES + DWC_EVENT_CNT_CTL, DWC_EVENT_STATUS);
		expect_clear(g, node, "config", RAS_DES + DWC_TIME_BASED_CTL, DWC_TIME_START);
	}
}

static void at_rest(struct pv_drawing *g)
{
	/* Registers have other users. */
	if (!pv_drawing_of(g, PV_EXPLORE_REGISTERS))
		registers_at_rest(g);
	pv_draw_step(g, "check-rules");
}

bool pv_draw_end(struct pv_drawing *g)
{
	static void (*const phases[])(struct pv_drawing * g) = {end_traffic, stop, check, close_all, at_rest};
	size_t n = json_object_array_length(g->steps);

	while (g->ending < ARRAY_SIZE(phases) && json_object_array_length(g->steps) == n)
		phases[g->ending++](g);
	return json_object_array_length(g->steps) > n;
}
