/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a case: traffic runs out, everything is stopped, checked and closed, and the machine is at rest. */
#include <string.h>

#include "framework/explore/explore_internal.h"

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
 * than the rehearsal.
 */
static void check_trace(struct pv_drawing *g, const struct pv_session_trace *t)
{
	if (is_truncated(t) && (t->windows > 1 || !g->model))
		return;
	json_object *x = add(g, is_truncated(t) ? "check-trace-overrun" : "check-trace", t->id);

	pv_element_set(x, "records-min", "0");
}

static void check(struct pv_drawing *g)
{
	for (struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->windows && c->read && pv_draw_is_judged(g, c->id, c->pmu))
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

static void at_rest(struct pv_drawing *g)
{
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
