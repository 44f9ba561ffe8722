/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPS and MRRS: sets and reads them, and checks their effect on the links. */
#include <string.h>

#include "framework/explore/explore_internal.h"

#define MPS (1u << PV_EXPLORE_MPS)

static bool has_sizes(const struct pv_topo_node *node)
{
	return !node->spare && node->role != PV_ROLE_PTT;
}

static bool draw_set(struct pv_drawing *g)
{
	static const char *const sizes[] = {"128", "256", "512", "1024", "2048", "4096",
					    "128", "256", "0",	 "-1",	 "300"};
	const struct pv_topo_node *node = pv_draw_node(g, has_sizes);

	if (!node)
		return false;
	json_object *x = pv_draw_step(g, pv_draw_chance(&g->d, 50) ? "mps-set" : "mrrs-set");
	pv_element_set(x, "device", "%s", node->name);
	pv_element_set(x, "bytes", "%s", pv_draw_word(&g->d, sizes));
	return true;
}

static bool draw_get(struct pv_drawing *g)
{
	const struct pv_topo_node *node = pv_draw_node(g, has_sizes);
	bool mrrs = pv_draw_chance(&g->d, 50);

	if (!node)
		return false;
	json_object *x = pv_draw_step(g, mrrs ? "mrrs-get" : "mps-get");
	pv_element_set(x, "device", "%s", node->name);
	pv_element_set(x, "equals", "0");
	return true;
}

static bool draw_boot(struct pv_drawing *g)
{
	static const char *const policies[] = {
#define X(id, word) word,
		PV_MPS_POLICIES(X)
#undef X
	};

	pv_element_set(pv_draw_step(g, "boot"), "policy", "%s", pv_draw_word(&g->d, policies));
	pv_draw_step(g, "check-mps");
	return true;
}

static bool draw_aer(struct pv_drawing *g)
{
	const struct pv_topo_node *node = pv_draw_node(g, has_sizes);
	static const unsigned bits[] = {18, 18, 20, 12, 13};

	if (!node)
		return false;
	json_object *x = pv_draw_step(g, "check-aer");
	pv_element_set(x, "device", "%s", node->name);
	pv_element_set(x, "bit", "%u", pv_draw_word(&g->d, bits));
	pv_element_set(x, "set", "no");
	return true;
}

/* ---- measures of the wire ---- */

static const char *const exact[] = {"max-payload", "max-read", "off-boundary", "tlps", "data-bytes"};
static const char *const about[] = {"share", "mean-payload", "bursts", "burst"};

/*
 * A measure and its value on the models, which rehearse it here; exact where TLPs are counted. Elsewhere time passes
 * otherwise, and only the oracle judges.
 */
static void draw_measure(struct pv_drawing *g, const char *mark, const struct pv_topo_node *port)
{
	static const char *const classes[] = {"p", "np", "cpl"};
	json_object *x = pv_draw_step(g, "measure");
	bool is_exact = pv_draw_chance(&g->d, 60);

	pv_element_set(x, "id", "m%u", g->names++);
	pv_element_set(x, "what", "%s", is_exact ? pv_draw_word(&g->d, exact) : pv_draw_word(&g->d, about));
	pv_element_set(x, "port", "%s", port->name);
	pv_element_set(x, "dir", "%s", pv_draw_chance(&g->d, 50) ? "in" : "out");
	if (pv_draw_chance(&g->d, 60))
		pv_element_set(x, "class", "%s", pv_draw_word(&g->d, classes));
	pv_element_set(x, "since", "%s", mark);
}

static bool draw_mark(struct pv_drawing *g)
{
	if (!g->model)
		return false;
	pv_element_set(pv_draw_step(g, "mark"), "id", "k%u", g->names++);
	return true;
}

/* Measures from the last mark on. */
static bool draw_measures(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_node(g, pv_node_is_port);
	unsigned n = pv_draw_range(&g->d, 1, 3);

	if (!port || !g->s->marks)
		return false;
	for (unsigned i = 0; i < n; i++)
		draw_measure(g, g->s->marks->id, port);
	return true;
}

/* The last measure, unless it has been checked. */
static bool draw_check(struct pv_drawing *g)
{
	for (const struct pv_named *m = g->s->measures; m; m = m->next) {
		if (pv_draw_chance(&g->d, 30))
			continue;
		json_object *x = pv_draw_step(g, "check-measure");

		pv_element_set(x, "id", "%s", m->id);
		pv_element_set(x, "min", "0");
		pv_element_set(x, "max", "0");
		return true;
	}
	return false;
}

#define WIRE (MPS | 1u << PV_EXPLORE_PTT)

const struct pv_action pv_actions_sizes[] = {
	{MPS, 8, draw_set},   {MPS, 6, draw_get},	{MPS, 2, draw_boot},   {MPS, 3, draw_aer},
	{WIRE, 3, draw_mark}, {WIRE, 5, draw_measures}, {WIRE, 6, draw_check}, {0},
};
