/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines at random. */
#include <string.h>

#include "framework/explore/explore_internal.h"

static const char *const sizes[] = {"128", "256", "512", "1024"};
static const char *const reads[] = {"128", "256", "512", "4096", "4096", "2048"};
static const char *const speeds[] = {"2.5", "5", "8", "16", "32"};
static const char *const widths[] = {"1", "2", "4", "8", "16"};
static const char *const features[] = {
	"surprise", "power", "button", "indicators", "power indicators surprise", "no-command-completed"};
static const char *const yes_no[] = {"yes", "no"};

/* The machine as far as it is drawn. */
struct drawn {
	struct pv_draw *d;
	unsigned subjects;
	bool model;
	unsigned ports, functions, mems, slot;
	unsigned border; /* the first port of a second PCI domain; 0: there is one domain */
	unsigned domain; /* its number */
	bool hotplug;	 /* some port is for hot-plug */
};

static bool has(const struct drawn *m, enum pv_explore_subject s)
{
	return m->subjects & 1u << s;
}

static void sometimes(struct drawn *m, json_object *x, const char *attr, const char *value, unsigned percent)
{
	if (pv_draw_chance(m->d, percent))
		pv_element_set(x, attr, "%s", value);
}

/* Sizes as firmware may leave them: no function sends more than others take. */
static void draw_sizes(struct drawn *m, json_object *x)
{
	if (!has(m, PV_EXPLORE_MPS) && !pv_draw_chance(m->d, 40))
		return;
	unsigned most = pv_draw_below(m->d, ARRAY_SIZE(sizes));

	pv_element_set(x, "mpss", "%s", sizes[most]);
	sometimes(m, x, "mrrs", pv_draw_word(m->d, reads), 60);
}

/* ---- CXL memory devices ---- */

struct cap {
	const char *gid, *events;
};
static const struct cap caps[] = {{"0x10", "0x17ffe"}, {"0x11", "0x4080f2"}, {"0x12", "0xe"},  {"0x13", "0xa172"},
				  {"0x14", "0x3"},     {"0x20", "0x71f"},    {"0x21", "0x16"}, {"0x22", "0x77"},
				  {"0x23", "0x77"},    {"0x24", "0x17"},     {"0x25", "0x3"},  {"0x8000", "0x7f"}};
/*
 * A narrow counter of cycles overflows twice before a kernel serves its interrupt: Linux clears the buffers of a PTT,
 * 16 MiB, with interrupts off. Cases take longer there, so that wider ones overflow, too.
 */
static const char *const cpmu_widths[] = {"16", "16", "17", "32", "40", "48", "64"};
static const char *const wide[] = {"24", "24", "25", "32", "40", "48", "64"};
static const char *const cpmu_filters[] = {"none", "hdm", "hdm", "bank", "hdm bank"};

/* A filter of banks is of use for DRAM commands. */
static void draw_caps(struct drawn *m, json_object *cpmu)
{
	unsigned n = pv_draw_range(m->d, 1, 5), first = pv_draw_below(m->d, ARRAY_SIZE(caps));
	json_object *x;

	if (strstr(pv_element_get(cpmu, "filters"), "bank"))
		first = ARRAY_SIZE(caps) - 1;
	for (unsigned i = 0; i < n; i++) {
		const struct cap *c = &caps[(first + i * 5) % ARRAY_SIZE(caps)];

		x = pv_element_child(cpmu, "event-cap");
		pv_element_set(x, "gid", "%s", c->gid);
		pv_element_set(x, "events", "%s", c->events);
	}
	if (pv_draw_chance(m->d, 40)) {
		x = pv_element_child(cpmu, "event-cap");
		pv_element_set(x, "vid", "0x19e5");
		pv_element_set(x, "gid", "0x10");
		pv_element_set(x, "events", "%s", pv_draw_chance(m->d, 70) ? "0xff" : "0x800000ff");
	}
	x = pv_element_child(cpmu, "event-cap");
	pv_element_set(x, "gid", "0x00");
	pv_element_set(x, "events", "0x1");
	if (pv_draw_chance(m->d, 60)) {
		x = pv_element_child(cpmu, "fixed");
		pv_element_set(x, "group", "0");
		pv_element_set(x, "events", "%s", caps[first].events);
	}
}

/* Fields of registers for which a driver may have too short a mask: many counters, messages, groups and events. */
static void draw_extremes(struct drawn *m, json_object *cpmu)
{
	if (pv_draw_chance(m->d, 10))
		pv_element_set(cpmu, "counters", "%u", pv_draw_range(m->d, 33, 64));
	if (pv_draw_chance(m->d, 10))
		pv_element_set(cpmu, "msi", "%u", pv_draw_range(m->d, 5, 15));
	for (unsigned i = 0, n = pv_draw_chance(m->d, 10) ? pv_draw_range(m->d, 10, 18) : 0; i < n; i++) {
		json_object *x = pv_element_child(cpmu, "event-cap");

		pv_element_set(x, "vid", "0x19e5");
		pv_element_set(x, "gid", "0x%x", 0x8020 + i);
		pv_element_set(x, "events", "0x%x", 0x80000000 | (uint32_t)pv_random_next(m->d->s));
	}
}

static void draw_cpmu(struct drawn *m, json_object *mem)
{
	json_object *x = pv_element_child(mem, "cpmu");

	pv_element_set(x, "counters", "%u", pv_draw_range(m->d, 2, 10));
	pv_element_set(x, "width", "%s", m->model ? pv_draw_word(m->d, cpmu_widths) : pv_draw_word(m->d, wide));
	pv_element_set(x, "filters", "%s", pv_draw_word(m->d, cpmu_filters));
	pv_element_set(x, "msi", "%u", pv_draw_range(m->d, 1, 4));
	sometimes(m, x, "freeze", "no", 10);
	sometimes(m, x, "writable-when-frozen", "no", 10);
	/* Without an interrupt nobody notices that a narrow counter overflows. */
	if (strcmp(pv_element_get(x, "width"), "3") > 0)
		sometimes(m, x, "interrupt", "no", 15);
	sometimes(m, x, "sum-adds", "yes", 15);
	sometimes(m, x, "edge-compares", "yes", 15);
	draw_caps(m, x);
	draw_extremes(m, x);
}

static void draw_mem(struct drawn *m, json_object *port)
{
	json_object *mem = pv_element_child(port, "cxl-mem");
	unsigned n = pv_draw_range(m->d, 1, 2);

	pv_element_set(mem, "name", "mem%u", m->mems++);
	for (unsigned i = 0; i < n; i++)
		draw_cpmu(m, mem);
}

/* ---- below a port ---- */

static void draw_endpoint(struct drawn *m, json_object *port)
{
	json_object *x = pv_element_child(port, "endpoint");

	pv_element_set(x, "name", "nic%u", m->functions++);
	if (pv_draw_chance(m->d, 40))
		pv_element_set(x, "functions", "%u", pv_draw_range(m->d, 2, 4));
	draw_sizes(m, x);
}

/* Virtual functions of the endpoint before them. */
static void draw_vfs(struct drawn *m, json_object *port)
{
	json_object *x = pv_element_child(port, "endpoint");

	pv_element_set(x, "name", "vf%u", m->functions - 1);
	pv_element_set(x, "vf", "yes");
	pv_element_set(x, "functions", "%u", pv_draw_range(m->d, 1, 3));
}

static void draw_switch(struct drawn *m, json_object *port)
{
	json_object *sw = pv_element_child(port, "switch");
	unsigned n = pv_draw_range(m->d, 1, 2), number = m->functions;

	pv_element_set(sw, "name", "sw%u", number);
	draw_sizes(m, sw);
	for (unsigned i = 0; i < n; i++) {
		json_object *x = pv_element_child(sw, "port");

		pv_element_set(x, "name", "sw%up%u", number, i);
		draw_sizes(m, x);
		draw_endpoint(m, x);
	}
}

static void draw_slot(struct drawn *m, json_object *port)
{
	m->hotplug = true;
	pv_element_set(port, "hotplug", "yes");
	pv_element_set(port, "slot-has", "%s", pv_draw_word(m->d, features));
}

static void draw_ras_des(struct drawn *m, json_object *port)
{
	static const char *const vendors[] = {"0x1ded", "0x17cb", "0x0720"};
	unsigned known = m->model ? ARRAY_SIZE(vendors) : 2; /* Linux 6.12 supports two of these vendors */
	static const char *const clocks[] = {"1000", "4000", "333"};

	pv_element_set(port, "ras-des", "yes");
	pv_element_set(port, "vendor", "%s", vendors[pv_draw_below(m->d, known)]);
	sometimes(m, port, "core-clk-ps", pv_draw_word(m->d, clocks), 20);
	sometimes(m, port, "l1-aux-report", "9", 10);
	sometimes(m, port, "loses-counts", "yes", 20);
	sometimes(m, port, "other-lanes-read-0", "yes", 10);
	sometimes(m, port, "narrow-counters", "stay", 10);
	sometimes(m, port, "time-bits", "32", 10);
	/* Linux does not check whether the core has an event. */
	if (m->model)
		sometimes(m, port, "lacks-events", "0x007 0x10c", 10);
}

static unsigned domain_of(const struct drawn *m, unsigned port)
{
	return m->border && port >= m->border ? m->domain : 0;
}

static json_object *draw_port(struct drawn *m, json_object *topology)
{
	json_object *x = pv_element_child(topology, "root-port");

	pv_element_set(x, "name", "rp%u", m->ports);
	/* Ports 8 apart have the same bit in the filter of a PTT. */
	if (m->ports && m->slot < 8 && pv_draw_chance(m->d, 25))
		m->slot = 7 + m->ports;
	pv_element_set(x, "bdf", "%04x:00:%02x.0", domain_of(m, m->ports++), 0x10 + m->slot++);
	pv_element_set(x, "speed", "%s", pv_draw_word(m->d, speeds));
	pv_element_set(x, "width", "%s", pv_draw_word(m->d, widths));
	draw_sizes(m, x);
	if (has(m, PV_EXPLORE_MPS))
		sometimes(m, x, "rcb", "128", 40);
	if (has(m, PV_EXPLORE_REGISTERS) ? pv_draw_chance(m->d, 60) : pv_draw_chance(m->d, 30))
		draw_slot(m, x);
	unsigned ras_des = has(m, PV_EXPLORE_DWC)	  ? 100
			   : has(m, PV_EXPLORE_REGISTERS) ? 50
			   : has(m, PV_EXPLORE_ABI)	  ? 30
							  : 0;
	if (pv_draw_chance(m->d, ras_des))
		draw_ras_des(m, x);
	return x;
}

static void draw_below(struct drawn *m, json_object *port)
{
	if (pv_draw_chance(m->d, 25))
		draw_switch(m, port);
	else
		draw_endpoint(m, port);
	if (pv_draw_chance(m->d, 20) && json_object_array_length(json_object_object_get(port, "children")) == 1 &&
	    !strcmp(pv_element_kind(json_object_array_get_idx(json_object_object_get(port, "children"), 0)),
		    "endpoint"))
		draw_vfs(m, port);
}

/* ---- the machine ---- */

static void draw_ptt(struct drawn *m, json_object *topology, unsigned number, unsigned first, unsigned last)
{
	static const char *const sos[] = {"ro", "zero", "one", "mixed"};
	json_object *x = pv_element_child(topology, "ptt");

	pv_element_set(x, "name", "ptt%u", number);
	pv_element_set(x, "bdf", "%04x:00:%02x.0", domain_of(m, first), 1 + 2 * number);
	pv_element_set(x, "sicl", "%u", pv_draw_chance(m->d, 80) ? 0 : pv_draw_below(m->d, 0x10000));
	pv_element_set(x, "core", "%u", pv_draw_chance(m->d, 80) ? number : number + pv_draw_below(m->d, 0xff00));
	pv_element_set(x, "first", "rp%u", first);
	pv_element_set(x, "last", "rp%u", last);
	sometimes(m, x, "time", "distance", 40);
	sometimes(m, x, "so", pv_draw_word(m->d, sos), 30);
	sometimes(m, x, "tails", "rubbish", 30);
	if (pv_draw_chance(m->d, 20))
		pv_element_set(x, "held", "%u", pv_draw_range(m->d, 1, 16));
}

/* A card for hot-plug steps, with a port of its own whose slot is empty. */
static void draw_spare(struct drawn *m, json_object *topology)
{
	json_object *port = draw_port(m, topology);

	draw_slot(m, port);
	json_object *x = pv_element_child(topology, "spare");
	pv_element_set(x, "name", "card0");
	pv_element_set(x, "port", "%s", pv_element_get(port, "name"));
}

/* The ports of a PTT are in its own domain. */
static void draw_domains(struct drawn *m)
{
	static const unsigned domains[] = {1, 2, 0x10, 0xffff};

	if (!pv_draw_chance(m->d, 25))
		return;
	m->border = pv_draw_range(m->d, 1, 2);
	m->domain = pv_draw_word(m->d, domains);
}

json_object *pv_draw_topology(struct pv_draw *d, unsigned subjects, bool model)
{
	struct drawn m = {.d = d, .subjects = subjects, .model = model};
	json_object *topology = pv_element_new("topology");
	unsigned others = has(&m, PV_EXPLORE_ABI) ? 50 : 20;
	bool cxl = has(&m, PV_EXPLORE_CPMU) || has(&m, PV_EXPLORE_REGISTERS) || pv_draw_chance(d, others);
	unsigned plain = pv_draw_range(d, has(&m, PV_EXPLORE_CPMU) && !has(&m, PV_EXPLORE_PTT) ? 0 : 1, 3);

	draw_domains(&m);
	for (unsigned i = 0; i < plain; i++)
		draw_below(&m, draw_port(&m, topology));
	if (cxl)
		draw_mem(&m, draw_port(&m, topology));
	if (pv_draw_chance(d, 30))
		draw_spare(&m, topology);
	if (has(&m, PV_EXPLORE_PTT) || pv_draw_chance(d, others)) {
		unsigned split = m.ports > 1 && pv_draw_chance(d, 60) ? pv_draw_range(d, 1, m.ports - 1) : m.ports;

		if (m.border && m.border < m.ports)
			split = m.border;

		draw_ptt(&m, topology, 0, 0, split - 1);
		if (split < m.ports)
			draw_ptt(&m, topology, 1, split, m.ports - 1);
	}
	if (pv_draw_chance(d, has(&m, PV_EXPLORE_ABI) ? 60 : 30))
		pv_element_set(topology, "cpus", "%u", pv_draw_range(d, 2, 4));
	/* The models' ports send no PME: a kernel does not notice a card in a slot whose port it has suspended. */
	if (model || !m.hotplug)
		sometimes(&m, topology, "port-pm", pv_draw_word(d, yes_no), 10);
	return topology;
}
