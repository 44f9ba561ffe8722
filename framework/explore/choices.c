/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses from the functions, PMUs and files that exist while a case is drawn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/explore/explore_internal.h"

/* PREFERENCE: how often a choice is made again that is not the preferred one. */
enum { PMUS_MAX = 32, PREFERENCE = 4, ENTRIES_MAX = 256, ENTRY_SIZE = 80 };

/* ---- functions ---- */

bool pv_node_is_port(const struct pv_topo_node *node)
{
	return node->role == PV_ROLE_PORT;
}

bool pv_node_is_sender(const struct pv_topo_node *node)
{
	return node->role == PV_ROLE_FUNCTION && !pv_topo_node_is_bridge(node) && !node->vf && !node->spare;
}

bool pv_node_is_mem(const struct pv_topo_node *node)
{
	return node->role == PV_ROLE_CXL_MEM && !node->spare;
}

bool pv_node_is_ptt(const struct pv_topo_node *node)
{
	return node->role == PV_ROLE_PTT;
}

bool pv_node_is_vf(const struct pv_topo_node *node)
{
	return node->vf;
}

bool pv_node_is_spare(const struct pv_topo_node *node)
{
	return node->spare;
}

const struct pv_topo_node *pv_draw_node(struct pv_drawing *g, bool (*fits)(const struct pv_topo_node *node))
{
	const struct pv_topology *t = g->s->t->topology;
	unsigned first = pv_draw_below(&g->d, (unsigned)t->n);

	for (size_t i = 0; i < t->n; i++) {
		const struct pv_topo_node *node = &t->nodes[(first + i) % t->n];

		if (!fits || fits(node))
			return node;
	}
	return NULL;
}

const struct pv_topo_node *pv_draw_preferred(struct pv_drawing *g, bool (*fits)(const struct pv_topo_node *node),
					     pv_draw_prefer_fn *prefers, const void *ctx)
{
	const struct pv_topo_node *node = pv_draw_node(g, fits);

	for (unsigned i = 0; node && i < PREFERENCE && !prefers(g, node, ctx); i++)
		node = pv_draw_node(g, fits);
	return node;
}

const struct pv_topo_node *pv_draw_root_of(const struct pv_drawing *g, const struct pv_topo_node *node)
{
	while (node->parent >= 0)
		node = &g->s->t->topology->nodes[node->parent];
	return node;
}

/* ---- PMUs ---- */

const char *pv_draw_pmu(struct pv_drawing *g, const char *prefix)
{
	static char name[64];
	struct pv_driver *d = g->s->t->driver;
	const char *pmu;
	unsigned n = 0;

	for (size_t i = 0; i < PMUS_MAX && (pmu = d->ops->pmu_name(d, i)); i++)
		if (!strncmp(pmu, prefix, strlen(prefix)) && !pv_draw_below(&g->d, ++n))
			snprintf(name, sizeof(name), "%s", pmu);
	return n ? name : NULL;
}

static bool is_registered(struct pv_driver *d, const char *name)
{
	const char *pmu;

	for (size_t i = 0; (pmu = d->ops->pmu_name(d, i)); i++)
		if (!strcmp(pmu, name))
			return true;
	return false;
}

/* A PMU that comes back has lost the events that it had: it stays in this list. */
void pv_draw_note_gone(struct pv_drawing *g)
{
	for (struct pv_counter *c = g->s->counters; c; c = c->next)
		if (g->n_gone < ARRAY_SIZE(g->gone) && pv_draw_is_judged(g, c->id, c->pmu) &&
		    !is_registered(g->s->t->driver, c->pmu))
			snprintf(g->gone[g->n_gone++], sizeof(g->gone[0]), "%s", c->pmu);
}

bool pv_draw_is_judged(const struct pv_drawing *g, const char *id, const char *pmu)
{
	for (unsigned i = 0; i < g->n_gone; i++)
		if (!strcmp(g->gone[i], pmu))
			return false;
	return strtoul(id + 1, NULL, 10) >= g->lost;
}

/* ---- what was drawn ---- */

bool pv_draw_had_step(const struct pv_drawing *g, const char *kind, const char *attr, const char *value)
{
	for (size_t i = 0; i < json_object_array_length(g->steps); i++) {
		json_object *x = json_object_array_get_idx(g->steps, i);
		const char *is = attr ? pv_element_get(x, attr) : NULL;

		if ((!kind || !strcmp(pv_element_kind(x), kind)) && (!attr || (is && !strcmp(is, value))))
			return true;
	}
	return false;
}

/* ---- what is needed ---- */

/* Whether a window of an open event runs, and has seen nothing since `now`. */
static void look_at(bool running, const struct pv_window *w, uint64_t now, enum pv_need *need)
{
	if (running && w->inner_first == now)
		*need = PV_NEED_TRAFFIC;
	else if (running && *need != PV_NEED_TRAFFIC)
		*need = PV_NEED_NOTHING;
	else if (*need == PV_NEED_OPEN)
		*need = PV_NEED_START;
}

enum pv_need pv_draw_need(const struct pv_drawing *g)
{
	enum pv_need need = PV_NEED_OPEN;
	struct pv_window now = {0};

	pv_window_inner_begin(g->s, &now);
	for (const struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->event)
			look_at(c->running, c->running ? &c->win[c->windows - 1] : NULL, now.inner_first, &need);
	for (const struct pv_session_trace *t = g->s->traces; t; t = t->next)
		if (t->event)
			look_at(t->running, t->running ? &t->window[t->windows - 1].win : NULL, now.inner_first, &need);
	return need;
}

/* ---- files ---- */

struct listed {
	char name[ENTRIES_MAX][ENTRY_SIZE];
	unsigned n;
};

static void note_entry(void *ctx, const char *name)
{
	struct listed *l = ctx;

	if (l->n < ENTRIES_MAX && strlen(name) < ENTRY_SIZE)
		snprintf(l->name[l->n++], ENTRY_SIZE, "%s", name);
}

bool pv_draw_entry(struct pv_drawing *g, const char *pmu, const char *dir, char *buf, size_t size)
{
	static struct listed l;
	struct pv_driver *d = g->s->t->driver;

	l.n = 0;
	if (d->ops->attr_list(d, pmu, dir, note_entry, &l) || !l.n)
		return false;
	snprintf(buf, size, "%s", l.name[pv_draw_below(&g->d, l.n)]);
	return true;
}
