/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic, links and time. */
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/agent/traces.h"
#include "framework/explore/explore_internal.h"
#include "framework/oracle/oracle.h"

#define LINKS (1u << PV_EXPLORE_PTT | 1u << PV_EXPLORE_DWC | 1u << PV_EXPLORE_MPS)
#define ANY   (LINKS | 1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_ABI | 1u << PV_EXPLORE_REGISTERS)

/* ---- TLPs ---- */

static const char *const from_device[] = {"mwr32", "mwr64",	 "mrd32",      "mrd64",	 "msg",
					  "msgd",  "fetchadd32", "fetchadd64", "swap32", "swap64",
					  "cas32", "cas64",	 "ccix",       "mwr64",	 "mrd64"};
static const char *const from_cpu[] = {"mwr32", "mwr64", "mrd32",   "mrd64",   "cfgrd0",     "cfgwr0", "iord", "iowr",
				       "mwr64", "mrd64", "mrdlk32", "mrdlk64", "fetchadd32", "cas64",  "ccix"};
static const char *const sizes[] = {"4", "8", "64", "64", "128", "256", "1000", "4096", "64..512"};
static const char *const mixes[] = {"mwr64:3 mrd64:1", "mwr64:1 mrd64:1 fetchadd64:1", "mwr32:1 mrd32:1 msg:1"};

/* Reads, many of them outstanding at a time. */
static void draw_many_outstanding(struct pv_drawing *g, json_object *x)
{
	json_object_object_del(json_object_object_get(x, "attrs"), "mix");
	pv_element_set(x, "kind", "mrd64");
	pv_element_set(x, "tag10", "yes");
	pv_element_set(x, "outstanding", "%u", pv_draw_range(&g->d, 400, 700));
	pv_element_set(x, "count", "%u", pv_draw_range(&g->d, 300, 900));
}

/* Fields of the headers, and damage on the way. */
static void draw_details(struct pv_drawing *g, json_object *x)
{
	static const unsigned themed[PV_THEMES][3] = {{0, 1, 5}, {0, 0, 9}, {2, 3, 4}, {7, 8, 5}, {0, 4, 7}};
	bool has_tags = pv_drawing_of(g, PV_EXPLORE_PTT) && pv_draw_chance(&g->d, 15);
	bool is_themed = pv_drawing_of(g, PV_EXPLORE_DWC) && pv_draw_chance(&g->d, 60);

	switch (has_tags ? 1 : is_themed ? pv_draw_word(&g->d, themed[g->theme]) : pv_draw_below(&g->d, 12)) {
	case 0:
	case 9:
		pv_element_set(x, "pasid", "0x%x", pv_draw_below(&g->d, 0x100000));
		break;
	case 1:
	case 10:
		draw_many_outstanding(g, x);
		break;
	case 2:
		pv_element_set(x, "nullify-every", "%u", pv_draw_range(&g->d, 2, 9));
		break;
	case 3:
		pv_element_set(x, "duplicate-every", "%u", pv_draw_range(&g->d, 2, 9));
		break;
	case 4:
		pv_element_set(x, "corrupt-every", "%u", pv_draw_range(&g->d, 2, 9));
		break;
	case 5:
		pv_element_set(x, "attr", "%u", pv_draw_below(&g->d, 8));
		pv_element_set(x, "tc", "%u", pv_draw_below(&g->d, 8));
		break;
	case 6:
		pv_element_set(x, pv_draw_chance(&g->d, 50) ? "ep" : "td", "yes");
		break;
	case 7:
		pv_element_set(x, "rate", "%uM", pv_draw_range(&g->d, 50, 2000));
		break;
	case 8:
		pv_element_set(x, "burst", "%u", pv_draw_range(&g->d, 1, 20));
		pv_element_set(x, "burst-gap-ns", "%u", pv_draw_range(&g->d, 10, 9000));
		break;
	default:
		if (pv_drawing_of(g, PV_EXPLORE_MPS))
			pv_element_set(x, "oversize", "yes");
	}
}

static void draw_ends(struct pv_drawing *g, json_object *x, const struct pv_topo_node *node)
{
	static const char *const hosts[] = {"cpu", "cpu", "dma", "remote"};

	if (pv_draw_chance(&g->d, 60)) {
		pv_element_set(x, "from", "%s", node->name);
		pv_element_set(x, "to", "memory");
		if (pv_draw_chance(&g->d, 30))
			pv_element_set(x, "mix", "%s", pv_draw_word(&g->d, mixes));
		else
			pv_element_set(x, "kind", "%s", pv_draw_word(&g->d, from_device));
	} else {
		pv_element_set(x, "from", "%s", pv_draw_word(&g->d, hosts));
		pv_element_set(x, "to", "%s", node->name);
		pv_element_set(x, "kind", "%s", pv_draw_word(&g->d, from_cpu));
	}
}

/* Enough to fill buffers of 4 KiB now and then. */
static unsigned draw_count(struct pv_drawing *g)
{
	return pv_draw_chance(&g->d, 25) ? pv_draw_range(&g->d, 200, 1500) : pv_draw_range(&g->d, 1, 120);
}

/*
 * After damaged TLPs, which are sent again, the models are ahead of a guest: a PTT that is stopped at once is not idle
 * within the guest's 100 us, and the trace counts as truncated.
 */
static void let_catch_up(struct pv_drawing *g, json_object *x)
{
	if (!g->model && pv_element_get(x, "corrupt-every"))
		pv_element_set(pv_draw_step(g, "wait"), "us", "1000");
}

/*
 * Whether the completions of a stream of TLPs fill a link for so long that an access of a driver, which waits behind
 * them, keeps the interrupts of a narrow counter until it overflows again.
 */
static bool delays_interrupts(const struct pv_drawing *g, json_object *x)
{
	const struct pv_topology *t = g->s->t->topology;
	const char *outstanding = pv_element_get(x, "outstanding"), *size = pv_element_get(x, "size");

	if (!size || !pv_draw_has_narrow(g))
		return false;
	const char *range = strstr(size, "..");
	double bytes = strtod(outstanding ? outstanding : "32", NULL) * strtod(range ? range + 2 : size, NULL);
	for (size_t i = 0; i < t->n; i++) {
		const struct pv_link_rate link = pv_link_rate_of(t->nodes[i].speed, t->nodes[i].width);

		if (pv_node_is_port(&t->nodes[i]) && bytes > pv_link_bytes_per_s(&link) * 30e-6)
			return true;
	}
	return false;
}

void pv_draw_finish_traffic(struct pv_drawing *g, json_object *x)
{
	if (!pv_element_get(x, "count"))
		pv_element_set(x, "count", "%u", draw_count(g));
	pv_element_set(x, "seed", "%u", pv_draw_range(&g->d, 1, 9999));
	if (pv_draw_chance(&g->d, 40) && !delays_interrupts(g, x))
		pv_element_set(x, "background", "yes");
	let_catch_up(g, x);
}

static bool traces(const struct pv_drawing *g, const struct pv_session_trace *t, const struct pv_topo_node *node)
{
	unsigned filter = pv_trace_term(t, "filter");

	if (!(filter & PTT_FILTER_IS_PORT))
		return filter == (node->bdf & PTT_FILTER_VALUE_MASK);
	return filter & PTT_FILTER_PORT_BIT(pv_draw_root_of(g, node)->bdf);
}

/* Whether a trace or a counter that runs is about the link of a function. */
static bool is_watched(const struct pv_drawing *g, const struct pv_topo_node *node, const void *ctx)
{
	(void)ctx;
	for (const struct pv_session_trace *t = g->s->traces; t; t = t->next)
		if (t->running && traces(g, t, node))
			return true;
	for (const struct pv_counter *c = g->s->counters; c; c = c->next)
		if (c->running &&
		    (c->parent == (int64_t)pv_draw_root_of(g, node)->bdf || c->parent == (int64_t)node->bdf))
			return true;
	return false;
}

static bool draw_tlps(struct pv_drawing *g)
{
	const struct pv_topo_node *node = pv_draw_preferred(g, pv_node_is_sender, is_watched, NULL);

	if (!node)
		return false;
	json_object *x = pv_draw_step(g, "traffic");
	draw_ends(g, x, node);
	/* A read as large as MRRS may be. */
	bool is_read = strstr(pv_element_get(x, "kind") ? pv_element_get(x, "kind") : "", "mrd");
	pv_element_set(x, "size", "%s", is_read && pv_draw_chance(&g->d, 30) ? "4096" : pv_draw_word(&g->d, sizes));
	if (pv_draw_chance(&g->d, pv_drawing_of(g, PV_EXPLORE_DWC) ? 80 : 60))
		draw_details(g, x);
	pv_draw_finish_traffic(g, x);
	return true;
}

/* ---- CXL ---- */

static const char *const channels[] = {"D2H Req", "H2D Req", "H2D Rsp", "M2S Req",   "M2S RwD",	  "S2M NDR", "D2H Req",
				       "M2S Req", "D2H Rsp", "S2M DRS", "M2S BIRsp", "S2M BISnp", "H2D Data"};
static const char *const commands[] = {"act", "pre casrd", "caswr refresh", "act pre casrd caswr rfm"};

static void draw_messages(struct pv_drawing *g, json_object *x)
{
	pv_element_set(x, "channel", "%s", pv_draw_word(&g->d, channels));
	if (pv_draw_chance(&g->d, 30))
		pv_element_set(x, "opcodes", "%u %u", pv_draw_below(&g->d, 5), pv_draw_range(&g->d, 5, 10));
	if (pv_draw_chance(&g->d, 40))
		pv_element_set(x, "decoders", "%s", pv_draw_chance(&g->d, 70) ? "0 1 2 3" : "0 1 7 8 11 15");
}

static void draw_commands(struct pv_drawing *g, json_object *x)
{
	pv_element_set(x, "ddr", "%s", pv_draw_word(&g->d, commands));
	pv_element_set(x, "ddr-channels", "%u", pv_draw_range(&g->d, 1, 3));
	pv_element_set(x, "ddr-banks", "%u", pv_draw_range(&g->d, 1, 3));
	pv_element_set(x, "ddr-bank-groups", "%u", pv_draw_range(&g->d, 1, 3));
}

static bool has_banks(const struct pv_topo_node *mem)
{
	for (unsigned i = 0; i < mem->conf.cpmus; i++)
		if (mem->conf.cpmu[i].filters & 2)
			return true;
	return false;
}

static bool draw_cxl(struct pv_drawing *g)
{
	const struct pv_topo_node *mem = pv_draw_node(g, pv_node_is_mem);

	if (!mem)
		return false;
	json_object *x = pv_draw_step(g, "cxl-traffic");
	unsigned form = pv_draw_below(&g->d, 10);
	pv_element_set(x, "device", "%s", mem->name);
	/* DRAM commands are worth more if banks can be filtered. */
	if (has_banks(mem))
		form = form < 5 ? 8 : form;
	if (form < 7) {
		draw_messages(g, x);
	} else if (form < 9) {
		draw_commands(g, x);
	} else {
		pv_element_set(x, "vendor", "0x19e5:0x10");
		pv_element_set(x, "bits", "%s", pv_draw_chance(&g->d, 70) ? "0 1 2 3 4 5 6 7" : "0 3 7 31");
	}
	/* Sometimes enough for a counter of 16 bits to overflow. */
	if (pv_draw_chance(&g->d, 4))
		pv_element_set(x, "count", "70000");
	if (pv_draw_chance(&g->d, 50))
		pv_element_set(x, "gap-cycles", "%u", pv_draw_below(&g->d, 12));
	if (pv_draw_chance(&g->d, 50))
		pv_element_set(x, "per-cycle", "%u", pv_draw_range(&g->d, 2, 6));
	pv_draw_finish_traffic(g, x);
	return true;
}

/* ---- links ---- */

static const char *const states[] = {"TX_L0S", "RX_L0S", "TX_RX_L0S", "L1", "L1_1", "L1_2", "CFG_RCVRY", "L1_AUX"};
static const char *const events[] = {
#define X(id, word) word,
	PV_WIRE_PHY_EVENTS(X)
#undef X
};

/* Events of single lanes for which counters are opened often. */
static const char *const common_events[] = {"sync-header", "skp-add", "skp-del"};

enum { STATE_NS = 400000, NARROW_STATE_NS = 30000 };

bool pv_draw_has_narrow(const struct pv_drawing *g)
{
	const struct pv_topology *t = g->s->t->topology;

	for (size_t i = 0; i < t->n; i++)
		for (unsigned k = 0; k < t->nodes[i].conf.cpmus; k++)
			if (t->nodes[i].conf.cpmu[k].width < 20)
				return true;
	return false;
}

bool pv_draw_had_link_state(const struct pv_drawing *g, const char *port)
{
	return pv_draw_had_step(g, "link-state", "port", port);
}

bool pv_draw_link_state(struct pv_drawing *g, const struct pv_topo_node *port, const char *state)
{
	if (!g->model && pv_draw_had_link_state(g, port->name))
		return false;
	json_object *x = pv_draw_step(g, "link-state");
	pv_element_set(x, "port", "%s", port->name);
	pv_element_set(x, "state", "%s", state);
	pv_element_set(x, "ns", "%u", pv_draw_range(&g->d, 500, pv_draw_has_narrow(g) ? NARROW_STATE_NS : STATE_NS));
	return true;
}

static bool draw_link_state(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_preferred(g, pv_node_is_port, is_watched, NULL);
	const char *state = pv_draw_chance(&g->d, 40) ? "L1" : pv_draw_word(&g->d, states);

	return port && pv_draw_link_state(g, port, state);
}

void pv_draw_link_event(struct pv_drawing *g, const struct pv_topo_node *port, const char *event, unsigned lane)
{
	json_object *x = pv_draw_step(g, "link-event");

	pv_element_set(x, "port", "%s", port->name);
	pv_element_set(x, "event", "%s", event);
	pv_element_set(x, "lane", "%u", lane);
	pv_element_set(x, "count", "%u", pv_draw_range(&g->d, 1, 30));
}

static bool draw_link_event(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_preferred(g, pv_node_is_port, is_watched, NULL);
	bool common = pv_draw_chance(&g->d, g->theme == PV_THEME_LANES ? 80 : 30);

	if (!port)
		return false;
	pv_draw_link_event(g, port, common ? pv_draw_word(&g->d, common_events) : pv_draw_word(&g->d, events),
			   pv_draw_below(&g->d, port->width));
	return true;
}

/* ---- time ---- */

static bool draw_wait(struct pv_drawing *g)
{
	json_object *x = pv_draw_step(g, "wait");
	/* Long enough for a narrow counter of cycles to overflow. */
	bool is_long = pv_draw_chance(&g->d, pv_drawing_of(g, PV_EXPLORE_CPMU) ? 30 : 15);

	pv_element_set(x, "ns", "%u", pv_draw_range(&g->d, 1, is_long ? 150000 : 2000));
	return true;
}

static bool draw_drain(struct pv_drawing *g)
{
	return pv_draw_step(g, "drain");
}

const struct pv_action pv_actions_traffic[] = {
	{LINKS, 14, draw_tlps, PV_NEED_TRAFFIC},
	{1u << PV_EXPLORE_ABI, 4, draw_tlps, PV_NEED_TRAFFIC},
	{1u << PV_EXPLORE_CPMU, 16, draw_cxl, PV_NEED_TRAFFIC},
	{1u << PV_EXPLORE_ABI, 3, draw_cxl, PV_NEED_TRAFFIC},
	{1u << PV_EXPLORE_DWC, 8, draw_link_state, PV_NEED_TRAFFIC},
	{1u << PV_EXPLORE_DWC, 8, draw_link_event, PV_NEED_TRAFFIC},
	{ANY, 5, draw_wait},
	{LINKS | 1u << PV_EXPLORE_CPMU, 3, draw_drain},
	{0},
};
