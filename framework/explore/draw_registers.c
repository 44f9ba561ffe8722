/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers, written and read without a driver: mailboxes and PMUs of CXL memory devices, slots, RAS D.E.S. Only for
 * the models, whose own values are expected: they show what a change of the models, or a planted defect, changes.
 */
#include <inttypes.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "framework/explore/explore_internal.h"

#define REGISTERS (1u << PV_EXPLORE_REGISTERS)

#define MAILBOX 0x10100u /* CXL 3.0 8.2.8.4, in BAR 0 of a memory device of the models */
#define EVENTS	0x10080u
#define CPMU0	0x20000u
#define SLOT	0x58u /* Slot Control, then Slot Status */
#define LINK	0x52u
#define RAS_DES 0x158u
#define TIMES	0x160u
#define AER	0x100u
#define DEVCTL	0x48u

struct place {
	const char *device, *space;
	pv_bdf bdf;
	uint32_t off;
	unsigned bytes;
};

static json_object *draw_access(struct pv_drawing *g, const char *kind, const struct place *p)
{
	json_object *x = pv_draw_step(g, kind);

	pv_element_set(x, "device", "%s", p->device);
	pv_element_set(x, "space", "%s", p->space);
	pv_element_set(x, "offset", "0x%x", p->off);
	pv_element_set(x, "bytes", "%u", p->bytes);
	return x;
}

static void write_to(struct pv_drawing *g, struct place p, uint32_t off, unsigned bytes, uint64_t value)
{
	p.off = off;
	p.bytes = bytes;
	pv_element_set(draw_access(g, "reg-write", &p), "value", "0x%" PRIx64, value);
}

/* The value is learned when the step runs; the 0 stands in for it. */
static void read_from(struct pv_drawing *g, struct place p, uint32_t off, unsigned bytes)
{
	p.off = off;
	p.bytes = bytes;
	pv_element_set(draw_access(g, "reg-read", &p), "equals", "0");
}

static void wait(struct pv_drawing *g, unsigned us)
{
	pv_element_set(pv_draw_step(g, "wait"), "us", "%u", us);
}

static struct place of_mem(const struct pv_topo_node *mem)
{
	return (struct place){.device = mem->name, .space = "bar0", .bdf = mem->bdf};
}

static struct place of_config(const struct pv_topo_node *node)
{
	return (struct place){.device = node->name, .space = "config", .bdf = node->bdf};
}

/* ---- the mailbox ---- */

/* Opcode, and payload lengths that are right and wrong. */
static const struct {
	unsigned opcode, length;
} commands[] = {{0x400, 0}, {0x401, 0x18}, {0x4000, 0}, {0x100, 1},  {0x101, 6}, {0x102, 0},  {0x103, 4},
		{0x300, 0}, {0x301, 8},	   {0x4100, 0}, {0x4200, 0}, {0x200, 0}, {0x4000, 8}, {0x100, 0}};

static bool draw_command(struct pv_drawing *g)
{
	const struct pv_topo_node *mem = pv_draw_node(g, pv_node_is_mem);
	unsigned i = pv_draw_below(&g->d, ARRAY_SIZE(commands));

	if (!mem)
		return false;
	struct place p = of_mem(mem);
	if (commands[i].opcode == 0x401) {
		write_to(g, p, MAILBOX + 0x20, 8, 0x4a4ee24eda4ee90dull);
		write_to(g, p, MAILBOX + 0x20, 8, 0x11ebb0cc0da9c0bull);
	} else if (commands[i].length) {
		write_to(g, p, MAILBOX + 0x20, 8, pv_draw_below(&g->d, 4) | (uint64_t)pv_draw_below(&g->d, 3) << 8);
	}
	write_to(g, p, MAILBOX + 8, 8, commands[i].opcode | (uint64_t)commands[i].length << 16);
	write_to(g, p, MAILBOX + 4, 4, pv_draw_chance(&g->d, 20) ? 5 : 1);
	wait(g, 10);
	read_from(g, p, MAILBOX + 4, 4);
	read_from(g, p, MAILBOX + 8, 8);
	read_from(g, p, MAILBOX + 0x10, 8);
	for (unsigned off = 0x20; off < 0x60; off += 8)
		read_from(g, p, MAILBOX + off, 8);
	return true;
}

/* Its MSIs are writes that pass the port above. */
static void count_interrupts(struct pv_drawing *g, const struct pv_topo_node *mem, unsigned mark)
{
	wait(g, 1);
	json_object *x = pv_draw_step(g, "measure");
	pv_element_set(x, "id", "m%u", mark);
	pv_element_set(x, "what", "tlps");
	pv_element_set(x, "port", "%s", g->s->t->topology->nodes[mem->parent].name);
	pv_element_set(x, "dir", "in");
	pv_element_set(x, "since", "k%u", mark);
	x = pv_draw_step(g, "check-measure");
	pv_element_set(x, "id", "m%u", mark);
	pv_element_set(x, "min", "0");
	pv_element_set(x, "max", "0");
}

/* An event record, read and cleared as a driver does. */
static bool draw_event(struct pv_drawing *g)
{
	const struct pv_topo_node *mem = pv_draw_node(g, pv_node_is_mem);
	unsigned log = pv_draw_below(&g->d, 4);

	if (!mem)
		return false;
	struct place p = of_mem(mem);
	if (pv_draw_chance(&g->d, 40)) {
		write_to(g, p, MAILBOX + 0x20, 4, 0x01010101);
		write_to(g, p, MAILBOX + 8, 8, 0x40103);
		write_to(g, p, MAILBOX + 4, 4, 1);
		wait(g, 10);
	}
	unsigned mark = g->names++;
	pv_element_set(pv_draw_step(g, "mark"), "id", "k%u", mark);
	for (unsigned i = pv_draw_range(&g->d, 1, 3); i; i--) {
		json_object *x = pv_draw_step(g, "fault");

		pv_element_set(x, "kind", "cxl-event");
		pv_element_set(x, "device", "%s", p.device);
		pv_element_set(x, "value", "%u", log);
	}
	count_interrupts(g, mem, mark);
	read_from(g, p, EVENTS, 8);
	write_to(g, p, MAILBOX + 0x20, 4, log);
	write_to(g, p, MAILBOX + 8, 8, 0x10100);
	write_to(g, p, MAILBOX + 4, 4, 1);
	wait(g, 10);
	for (unsigned off = 0x20; off < 0x70; off += 8)
		read_from(g, p, MAILBOX + off, 8);
	/* Payload of Clear Event Records: the log, one handle, and its value. */
	write_to(g, p, MAILBOX + 0x20, 8, log | 1u << 16);
	write_to(g, p, MAILBOX + 0x26, 2, pv_draw_range(&g->d, 1, 3));
	write_to(g, p, MAILBOX + 8, 8, 0x80101);
	write_to(g, p, MAILBOX + 4, 4, 1);
	wait(g, 10);
	read_from(g, p, MAILBOX + 0x10, 8);
	read_from(g, p, EVENTS, 8);
	return true;
}

/* ---- a CPMU ---- */

/* Sends traffic that the counters of a group count. */
static void send_counted(struct pv_drawing *g, const char *mem, unsigned gid)
{
	static const unsigned groups[] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25};
	json_object *x = pv_draw_step(g, "cxl-traffic");
	unsigned of = groups[pv_draw_below(&g->d, ARRAY_SIZE(groups))];

	if (pv_draw_channel_of(gid, false) && pv_draw_chance(&g->d, 90))
		of = gid;
	pv_element_set(x, "device", "%s", mem);
	if (gid == 0x8000)
		pv_element_set(x, "ddr", "act pre casrd caswr");
	else
		pv_element_set(x, "channel", "%s", pv_draw_channel_of(of, false));
	pv_element_set(x, "count", "%u", pv_draw_range(&g->d, 1, 200));
	pv_element_set(x, "per-cycle", "%u", pv_draw_range(&g->d, 1, 3));
	pv_element_set(x, "seed", "%u", pv_draw_below(&g->d, 1000));
}

/* A small number, or one close below the counter's overflow. */
static uint64_t draw_count(struct pv_drawing *g, unsigned width)
{
	unsigned n = pv_draw_below(&g->d, 1000);

	return pv_draw_chance(&g->d, 50) ? n : (UINT64_MAX >> (64 - width)) - n % 50;
}

static bool draw_cpmu(struct pv_drawing *g)
{
	const struct pv_topo_node *mem = pv_draw_node(g, pv_node_is_mem);

	if (!mem || !mem->conf.cpmus)
		return false;
	unsigned instance = pv_draw_below(&g->d, mem->conf.cpmus);
	const struct pv_cpmu_conf *conf = &mem->conf.cpmu[instance];
	unsigned n = pv_draw_below(&g->d, conf->counters);
	uint32_t base = CPMU0 + 0x10000 * instance;
	struct place p = of_mem(mem);
	uint64_t events = conf->event_cap[0].events;
	uint64_t cfg = events << CPMU_CFG_EVENTS_SHIFT | (uint64_t)pv_draw_below(&g->d, 3) << CPMU_CFG_THRESHOLD_SHIFT |
		       (pv_draw_chance(&g->d, 60) ? CPMU_CFG_ENABLE : 0) |
		       (pv_draw_chance(&g->d, 40) ? CPMU_CFG_INVERT : 0) |
		       (pv_draw_chance(&g->d, 30) ? CPMU_CFG_EDGE : 0);

	if (pv_draw_chance(&g->d, 40))
		write_to(g, p, base + CPMU_FREEZE, 8, pv_draw_chance(&g->d, 50) ? 1ull << n : 0);
	/* A counter that is enabled takes no value. */
	if (pv_draw_chance(&g->d, 50))
		write_to(g, p, base + CPMU_COUNTER_CFG(n), 8, cfg & ~(uint64_t)CPMU_CFG_ENABLE);
	write_to(g, p, base + 0xc00 + 8 * n, 8, draw_count(g, conf->width));
	write_to(g, p, base + CPMU_COUNTER_CFG(n), 8, cfg);
	read_from(g, p, base + CPMU_COUNTER_CFG(n), 8);
	pv_element_set(pv_draw_step(g, "wait"), "ns", "%u", pv_draw_below(&g->d, 3000));
	send_counted(g, p.device, conf->event_cap[0].gid);
	for (unsigned i = 0; i < conf->counters; i++)
		read_from(g, p, base + 0xc00 + 8 * i, 8);
	read_from(g, p, base + CPMU_OVERFLOW, 8);
	return true;
}

/* ---- slots ---- */

static bool has_slot(const struct pv_topo_node *node)
{
	return node->hotplug && node->slot && pv_node_is_port(node) && node->parent < 0;
}

static bool draw_slot(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_node(g, has_slot), *spare = pv_draw_node(g, pv_node_is_spare);

	if (!port)
		return false;
	struct place p = of_config(port);
	switch (pv_draw_below(&g->d, 4)) {
	case 0:
		write_to(g, p, SLOT, 2, pv_draw_below(&g->d, 0x800) & ~0x20u);
		break;
	case 1:
		write_to(g, p, SLOT + 2, 2, 0x11f);
		break;
	case 2:
		write_to(g, p, SLOT, 2, pv_draw_chance(&g->d, 50) ? 0x400 : 0);
		break;
	default:
		if (pv_draw_chance(&g->d, 40))
			spare = pv_draw_node(g, pv_node_is_sender);
		if (!spare)
			break;
		json_object *x = pv_draw_step(g, "hotplug");
		pv_element_set(x, "action", "%s", pv_draw_chance(&g->d, 60) ? "plug" : "unplug");
		pv_element_set(x, "device", "%s", spare->name);
		pv_element_set(x, "notify", "no");
	}
	wait(g, pv_draw_chance(&g->d, 50) ? 50 : 300);
	read_from(g, p, SLOT + 2, 2);
	read_from(g, p, LINK, 2);
	const struct pv_topo_node *other = pv_draw_node(g, pv_node_is_sender);
	if (other)
		read_from(g, of_config(other), 0, 4);
	return true;
}

/* ---- errors ---- */

static bool is_below_port(const struct pv_topo_node *node)
{
	return pv_node_is_sender(node) && node->parent >= 0;
}

/* A Malformed TLP, in the AER registers of both ends and of the Root Port. */
static bool draw_error(struct pv_drawing *g)
{
	const struct pv_topo_node *nic = pv_draw_node(g, is_below_port);
	const struct pv_topo_node *port = nic ? &g->s->t->topology->nodes[nic->parent] : NULL;

	if (!port || port->parent >= 0)
		return false;
	struct place p = of_config(port), n = of_config(nic);
	bool down = pv_draw_chance(&g->d, 50);
	write_to(g, p, AER + 0x2c, 4, 7);
	if (pv_draw_chance(&g->d, 70)) {
		write_to(g, p, DEVCTL, 2, 0x2007);
		write_to(g, n, DEVCTL, 2, 0x2007);
	}
	if (pv_draw_chance(&g->d, 50))
		write_to(g, n, AER + 0xc, 4, pv_draw_chance(&g->d, 50) ? 0x00462030 : 0x00400000);
	json_object *x = pv_draw_step(g, "traffic");
	pv_element_set(x, "from", "%s", down ? "cpu" : n.device);
	pv_element_set(x, "to", "%s", down ? n.device : "memory");
	pv_element_set(x, "kind", "mwr64");
	pv_element_set(x, "size", "%u", pv_draw_chance(&g->d, 70) ? 1024 : 64);
	pv_element_set(x, pv_draw_chance(&g->d, 70) ? "oversize" : "ep", "yes");
	pv_element_set(x, "seed", "1");
	wait(g, 10);
	read_from(g, p, AER + 4, 4);
	read_from(g, n, AER + 4, 4);
	read_from(g, p, AER + 0x30, 4);
	read_from(g, p, AER + 0x34, 4);
	return true;
}

/* ---- RAS D.E.S. ---- */

static bool has_ras_des(const struct pv_topo_node *node)
{
	return pv_node_is_port(node) && node->conf.ras_des && node->parent < 0;
}

static void select_event(struct pv_drawing *g, struct place p, unsigned event, unsigned lane, unsigned command)
{
	write_to(g, p, RAS_DES, 4, event << 16 | lane << DWC_EVENT_LANE_SHIFT | command);
}

static void send_link_event(struct pv_drawing *g, const char *port, const char *event, unsigned lane, unsigned count)
{
	json_object *x = pv_draw_step(g, "link-event");

	pv_element_set(x, "port", "%s", port);
	pv_element_set(x, "event", "%s", event);
	pv_element_set(x, "lane", "%u", lane);
	pv_element_set(x, "count", "%u", count);
}

/* Several lanes of an event count; one of them is cleared, or switched off. */
static bool draw_lanes(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_node(g, has_ras_des);
	unsigned event = pv_draw_chance(&g->d, 80) ? 0x400 : 0x005, n = port && port->width > 2 ? 3 : 2;

	if (!port || port->width < 2)
		return false;
	struct place p = of_config(port);
	for (unsigned lane = 0; lane < n; lane++) {
		select_event(g, p, event, lane, DWC_EVENT_SELECTED_ON << DWC_EVENT_ENABLE_SHIFT);
		send_link_event(g, p.device, event == 0x400 ? "skp-add" : "sync-header", lane,
				pv_draw_range(&g->d, 1, 5));
	}
	select_event(g, p, event, pv_draw_below(&g->d, n),
		     pv_draw_chance(&g->d, 70) ? DWC_EVENT_CLEAR_SELECTED
					       : DWC_EVENT_SELECTED_OFF << DWC_EVENT_ENABLE_SHIFT);
	for (unsigned lane = 0; lane < n; lane++) {
		select_event(g, p, event, lane, 0);
		read_from(g, p, RAS_DES, 4);
		read_from(g, p, RAS_DES + 4, 4);
	}
	return true;
}

/* Memory writes that pass a counter of 32 bits, which is close to its end. */
static bool draw_wrap(struct pv_drawing *g)
{
	const struct pv_topo_node *nic = pv_draw_node(g, is_below_port);
	const struct pv_topo_node *port = nic ? &g->s->t->topology->nodes[nic->parent] : NULL;

	if (!port || !has_ras_des(port))
		return false;
	struct place p = of_config(port);
	select_event(g, p, 0x70b, 0, DWC_EVENT_SELECTED_ON << DWC_EVENT_ENABLE_SHIFT);
	json_object *x = pv_draw_step(g, "fault");
	pv_element_set(x, "kind", "lane-count");
	pv_element_set(x, "device", "%s", p.device);
	pv_element_set(x, "value", "0x%x", UINT32_MAX - pv_draw_below(&g->d, 20));
	x = pv_draw_step(g, "traffic");
	pv_element_set(x, "from", "%s", nic->name);
	pv_element_set(x, "to", "memory");
	pv_element_set(x, "kind", "mwr64");
	pv_element_set(x, "size", "64");
	pv_element_set(x, "count", "%u", pv_draw_range(&g->d, 1, 40));
	read_from(g, p, RAS_DES + 4, 4);
	return true;
}

/* A measurement that goes beyond the low half of its data. */
static bool draw_measurement(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_node(g, has_ras_des);

	if (!port)
		return false;
	struct place p = of_config(port);
	read_from(g, p, TIMES, 4);
	write_to(g, p, TIMES, 4, 3u << DWC_TIME_REPORT_SHIFT | DWC_TIME_START);
	if (pv_draw_chance(&g->d, 70))
		pv_element_set(pv_draw_step(g, "wait"), "ms", "%u", pv_draw_range(&g->d, 1000, 9000));
	else
		wait(g, pv_draw_below(&g->d, 300));
	read_from(g, p, TIMES + 4, 4);
	read_from(g, p, TIMES + 8, 4);
	return true;
}

static bool draw_ras_des(struct pv_drawing *g)
{
	const struct pv_topo_node *port = pv_draw_node(g, has_ras_des);
	static const unsigned events[] = {0x400, 0x401, 0x005, 0x007, 0x70b, 0x70c, 0x201};
	unsigned event = pv_draw_word(&g->d, events), lane = pv_draw_below(&g->d, 4);

	if (!port)
		return false;
	struct place p = of_config(port);
	if (pv_draw_chance(&g->d, 30))
		read_from(g, p, TIMES, 4);
	select_event(g, p, event, lane,
		     (pv_draw_chance(&g->d, 60) ? DWC_EVENT_SELECTED_ON : DWC_EVENT_SELECTED_OFF)
				     << DWC_EVENT_ENABLE_SHIFT |
			     pv_draw_below(&g->d, 2));
	send_link_event(g, p.device, pv_draw_chance(&g->d, 60) ? "skp-add" : "sync-header",
			pv_draw_below(&g->d, port->width < 4 ? port->width : 4), pv_draw_range(&g->d, 1, 9));
	for (unsigned i = 0; i < 3; i++) {
		select_event(g, p, event, i, 0);
		read_from(g, p, RAS_DES, 4);
		read_from(g, p, RAS_DES + 4, 4);
	}
	return true;
}

const struct pv_action pv_actions_registers[] = {
	{REGISTERS, 8, draw_command},	  {REGISTERS, 4, draw_event},
	{REGISTERS, 8, draw_cpmu},	  {REGISTERS, 5, draw_error},
	{REGISTERS, 7, draw_slot},	  {REGISTERS, 4, draw_ras_des},
	{REGISTERS, 2, draw_lanes},	  {REGISTERS, 2, draw_wrap},
	{REGISTERS, 2, draw_measurement}, {0},
};
