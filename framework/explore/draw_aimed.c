/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic that the counters that run count, on their links and devices. */
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/wire.h"
#include "framework/agent/checks.h"
#include "framework/explore/explore_internal.h"

#define COUNTERS (1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_DWC | 1u << PV_EXPLORE_ABI)

/* ---- Root Ports ---- */

enum how { FROM_CPU, FROM_DEVICE, EVENT, STATE };

/* TIME: time-based events, whose numbers are others than those of lanes. */
enum { TIME = 0x10000 };

/* An event of a Root Port, and a cause of it: a kind of TLP with an attribute, a link event, or a link state. */
static const struct aim {
	uint32_t event;
	enum how how;
	const char *word, *attr, *value;
} aims[] = {
	{0x000, EVENT, "ebuf-overflow"},
	{0x001, EVENT, "ebuf-underrun"},
	{0x002, EVENT, "decode"},
	{0x003, EVENT, "disparity"},
	{0x004, EVENT, "skp-parity"},
	{0x005, EVENT, "sync-header"},
	{0x006, EVENT, "rx-valid"},
	{0x007, EVENT, "ctl-skp-parity"},
	{0x008, EVENT, "retimer1-parity"},
	{0x009, EVENT, "retimer2-parity"},
	{0x00a, EVENT, "margin-crc"},
	{0x105, EVENT, "eidle-inferred"},
	{0x106, EVENT, "receiver"},
	{0x107, EVENT, "recovery-request"},
	{0x108, EVENT, "n-fts-timeout"},
	{0x109, EVENT, "framing"},
	{0x10a, EVENT, "deskew"},
	{0x10c, EVENT, "framing-l0"},
	{0x10d, EVENT, "deskew-incomplete"},
	{0x200, FROM_DEVICE, "mwr64", "corrupt-every", "4"},
	{0x201, FROM_DEVICE, "mwr32", "corrupt-every", "3"},
	{0x206, FROM_DEVICE, "mwr64", "corrupt-every", "5"},
	{0x207, FROM_CPU, "mwr64", "corrupt-every", "4"},
	{0x301, FROM_DEVICE, "mwr64", "ep", "yes"},
	{0x400, EVENT, "skp-add"},
	{0x401, EVENT, "skp-del"},
	{0x500, STATE, "CFG_RCVRY"},
	{0x501, STATE, "L1"},
	{0x502, STATE, "TX_L0S"},
	{0x503, STATE, "RX_L0S"},
	{0x505, STATE, "L1"},
	{0x507, STATE, "L1_1"},
	{0x508, STATE, "L1_2"},
	{0x600, FROM_DEVICE, "mwr64"},
	{0x601, FROM_DEVICE, "mwr64"},
	{0x602, FROM_CPU, "mwr64"},
	{0x603, FROM_CPU, "mwr64"},
	{0x604, FROM_DEVICE, "mwr64", "nullify-every", "3"},
	{0x605, FROM_CPU, "mwr64", "nullify-every", "4"},
	{0x606, FROM_DEVICE, "mwr64", "duplicate-every", "3"},
	{0x700, FROM_CPU, "mwr64"},
	{0x701, FROM_CPU, "mrd64"},
	{0x702, FROM_CPU, "cfgwr0"},
	{0x703, FROM_CPU, "cfgrd0"},
	{0x704, FROM_CPU, "iowr"},
	{0x705, FROM_CPU, "iord"},
	{0x707, FROM_DEVICE, "mrd64"},
	{0x709, FROM_CPU, "fetchadd32"},
	{0x70a, FROM_CPU, "mwr64", "pasid", "0x1"},
	{0x70b, FROM_DEVICE, "mwr64"},
	{0x70c, FROM_DEVICE, "mrd64"},
	{0x711, FROM_CPU, "cfgwr0"},
	{0x712, FROM_CPU, "mrd64"},
	{0x713, FROM_DEVICE, "msg"},
	{0x714, FROM_DEVICE, "fetchadd64"},
	{0x715, FROM_DEVICE, "mwr64", "pasid", "0x2"},
	{0x716, FROM_CPU, "ccix"},
	{0x717, FROM_DEVICE, "ccix"},
	{TIME | 0x01, STATE, "TX_L0S"},
	{TIME | 0x02, STATE, "RX_L0S"},
	{TIME | 0x03, STATE, "L1"},
	{TIME | 0x04, STATE, "L1"},
	{TIME | 0x05, STATE, "L1_1"},
	{TIME | 0x06, STATE, "L1_2"},
	{TIME | 0x07, STATE, "CFG_RCVRY"},
	{TIME | 0x08, STATE, "L1_AUX"},
	{TIME | 0x09, STATE, "TX_RX_L0S"},
	{TIME | 0x20, FROM_CPU, "mwr64"},
	{TIME | 0x21, FROM_DEVICE, "mwr64"},
	{TIME | 0x22, FROM_CPU, "ccix"},
	{TIME | 0x23, FROM_DEVICE, "ccix"},
};

static const struct aim *aim_of(const struct pv_dwc_query *q)
{
	uint32_t event = q->lane_event ? q->eventid : TIME | q->eventid;

	for (size_t i = 0; i < ARRAY_SIZE(aims); i++)
		if (aims[i].event == event)
			return &aims[i];
	return NULL;
}

static bool is_below(const struct pv_drawing *g, const struct pv_topo_node *node, const void *port)
{
	return pv_draw_root_of(g, node) == port;
}

static bool send_tlps(struct pv_drawing *g, const struct aim *aim, const struct pv_topo_node *port)
{
	const struct pv_topo_node *node = pv_draw_preferred(g, pv_node_is_sender, is_below, port);

	if (!node || !is_below(g, node, port))
		return false;
	json_object *x = pv_draw_step(g, "traffic");
	bool out = aim->how == FROM_CPU;
	pv_element_set(x, "from", "%s", out ? "cpu" : node->name);
	pv_element_set(x, "to", "%s", out ? node->name : "memory");
	pv_element_set(x, "kind", "%s", aim->word);
	pv_element_set(x, "size", "%u", pv_draw_chance(&g->d, 50) ? 64 : 4 * pv_draw_range(&g->d, 1, 200));
	if (aim->attr)
		pv_element_set(x, aim->attr, "%s", aim->value);
	pv_draw_finish_traffic(g, x);
	return true;
}

static bool aim_at_port(struct pv_drawing *g, const struct pv_dwc_query *q)
{
	const struct pv_topo_node *port = pv_topology_by_bdf(g->s->t->topology, q->root_port);
	const struct aim *aim = aim_of(q);

	if (!port || !aim)
		return false;
	switch (aim->how) {
	case EVENT:
		pv_draw_link_event(g, port, aim->word, q->lane < port->width ? q->lane : 0);
		return true;
	case STATE:
		return pv_draw_link_state(g, port, aim->word);
	default:
		return send_tlps(g, aim, port);
	}
}

/* ---- CPMUs ---- */

static void set_bits(json_object *x, const char *attr, uint32_t mask)
{
	char list[120] = "";
	size_t len = 0;

	for (unsigned i = 0; i < 32; i++)
		if (mask >> i & 1)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%u", len ? " " : "", i);
	pv_element_set(x, attr, "%s", list);
}

static void set_commands(json_object *x, uint32_t mask)
{
	static const char *const commands[] = {
#define X(id, word) word,
		PV_WIRE_DDR_COMMANDS(X)
#undef X
	};
	char list[160] = "";
	size_t len = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		if (mask >> i & 1)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", len ? " " : "", commands[i]);
	pv_element_set(x, "ddr", "%s", list);
}

/* Groups 0x10 to 0x13 and 0x20 to 0x25 are those of one channel each. */
const char *pv_draw_channel_of(unsigned gid, bool d2h)
{
	static const char *const channels[] = {
#define X(id, word) word,
		PV_WIRE_CXL_CHANNELS(X)
#undef X
	};

	if (gid >= 0x10 && gid <= 0x13)
		return channels[gid - 0x10 + PV_CXL_D2H_REQ - 1];
	if (gid >= 0x20 && gid <= 0x25)
		return channels[gid - 0x20 + PV_CXL_M2S_REQ - 1];
	return gid == 0x14 ? channels[(d2h ? PV_CXL_D2H_DATA : PV_CXL_H2D_DATA) - 1] : NULL;
}

/* Makes a step cxl-traffic send the events of a counter. Returns false if they are no messages. */
static bool set_events(json_object *x, const struct pv_cpmu_query *q)
{
	const char *channel = pv_draw_channel_of(q->gid, q->mask & 1);

	if (q->vid != CXL_DVSEC_VENDOR_ID) {
		pv_element_set(x, "vendor", "0x%x:0x%x", q->vid, q->gid);
		set_bits(x, "bits", q->mask);
	} else if (q->gid == 0x8000) {
		set_commands(x, q->mask);
	} else if (channel) {
		pv_element_set(x, "channel", "%s", channel);
		if (q->gid != 0x14)
			set_bits(x, "opcodes", q->mask);
	} else {
		return false;
	}
	return true;
}

/* Enough in a cycle for thresholds, and some that a filter leaves out. */
static bool aim_at_cpmu(struct pv_drawing *g, const struct pv_cpmu_query *q)
{
	const struct pv_topo_node *mem = pv_topology_by_bdf(g->s->t->topology, q->device);
	_autojson_ json_object *x = pv_element_new("cxl-traffic");

	if (!mem || !set_events(x, q))
		return false;
	pv_element_set(x, "device", "%s", mem->name);
	if (pv_draw_chance(&g->d, 60))
		pv_element_set(x, "per-cycle", "%u", pv_draw_range(&g->d, 2, 6));
	if (pv_draw_chance(&g->d, 50))
		pv_element_set(x, "gap-cycles", "%u", pv_draw_below(&g->d, 12));
	if (q->hdm_enable)
		pv_element_set(x, "decoders", "0 1 2 3 %u", pv_draw_range(&g->d, 4, 15));
	if (q->crb_enable) {
		pv_element_set(x, "ddr-channels", "3");
		pv_element_set(x, "ddr-banks", "3");
		pv_element_set(x, "ddr-bank-groups", "3");
	}
	pv_draw_finish_traffic(g, x);
	return pv_json_append(g->steps, json_object_get(x));
}

/* ---- any ---- */

static bool draw_aimed(struct pv_drawing *g)
{
	const struct pv_counter *c = pv_draw_running(g);
	struct pv_cpmu_query cpmu;
	struct pv_dwc_query dwc;

	if (!c)
		return false;
	if (!pv_check_dwc_event(c, &dwc))
		return aim_at_port(g, &dwc);
	return !pv_check_cpmu_event(c, &cpmu) && aim_at_cpmu(g, &cpmu);
}

const struct pv_action pv_actions_aimed[] = {
	{COUNTERS, 20, draw_aimed, PV_NEED_TRAFFIC},
	{0},
};
