/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares each function of a plan's topology with a real machine. A table (needs[]) lists the properties. */
#include "framework/board/match.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/ptt.h"
#include "fixtures/models/model.h"
#include "framework/board/cpmus.h"
#include "framework/util/cleanup.h"

#define CLASS_BRIDGE_PCI 0x0604 /* base class and subclass */

/* A function of the plan, and a function of the machine. */
struct pair {
	const struct pv_topology *plan;
	const struct pv_topo_node *node;
	const struct pv_pci_func *func;
	struct pv_pci_machine *machine;
	const struct pv_role_match *role; /* NULL: the function must be at the plan's place */
};

#define difference pv_board_difference

static bool differs(struct difference *d, const char *expected, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool differs(struct difference *d, const char *expected, const char *fmt, ...)
{
	va_list ap;

	snprintf(d->expected, sizeof(d->expected), "%s", expected);
	va_start(ap, fmt);
	vsnprintf(d->got, sizeof(d->got), fmt, ap);
	va_end(ap);
	return true;
}

static bool differs_by(struct difference *d, const char *what, unsigned expected, unsigned got)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %u", what, expected);
	return expected != got && differs(d, text, "%s %u", what, got);
}

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

static bool differs_yes_no(struct difference *d, const char *what, bool expected, bool got)
{
	char text[64];

	snprintf(text, sizeof(text), "%s: %s", what, yes_no(expected));
	return expected != got && differs(d, text, "%s: %s", what, yes_no(got));
}

/* ---- kinds ---- */

/* Indexed by enum pv_node_kind. `type`: the PCIe port type; -1: no PCI Express capability. */
static const struct {
	const char *name;
	int type;
} kinds[] = {
	[PV_NODE_ROOT_PORT] = {"Root Port", PCI_EXP_TYPE_ROOT_PORT},
	[PV_NODE_UPSTREAM] = {"Upstream Port", PCI_EXP_TYPE_UPSTREAM},
	[PV_NODE_DOWNSTREAM] = {"Downstream Port", PCI_EXP_TYPE_DOWNSTREAM},
	[PV_NODE_ENDPOINT] = {"endpoint", PCI_EXP_TYPE_ENDPOINT},
	[PV_NODE_LEGACY_ENDPOINT] = {"legacy endpoint", PCI_EXP_TYPE_LEG_END},
	[PV_NODE_RCIEP] = {"Root Complex Integrated Endpoint", PCI_EXP_TYPE_RC_END},
	[PV_NODE_EVENT_COLLECTOR] = {"Root Complex Event Collector", PCI_EXP_TYPE_RC_EC},
	[PV_NODE_PCI_BRIDGE] = {"PCIe to PCI bridge", PCI_EXP_TYPE_PCI_BRIDGE},
	[PV_NODE_CONV_BRIDGE] = {"conventional bridge", -1},
	[PV_NODE_CONV_DEVICE] = {"conventional function", -1},
	[PV_NODE_PCIE_BRIDGE] = {"PCI to PCIe bridge", PCI_EXP_TYPE_PCIE_BRIDGE},
	[PV_NODE_PTT] = {"PTT", 0},		      /* identified by its ids */
	[PV_NODE_CXL_MEM] = {"CXL memory device", 0}, /* identified by its class */
};

static enum pv_node_kind kind_of(const struct pv_pci_func *f)
{
	int type = f->pcie ? (int)((pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT)
			   : -1;

	if (pv_pci_get(f, PCI_VENDOR_ID, 2) == PTT_VENDOR_ID && pv_pci_get(f, PCI_DEVICE_ID, 2) == PTT_DEVICE_ID)
		return PV_NODE_PTT;
	if ((pv_pci_get(f, PCI_CLASS - 1, 4) >> 8) == CXL_MEM_CLASS)
		return PV_NODE_CXL_MEM;
	if (type < 0)
		return pv_pci_get(f, PCI_CLASS + 1, 2) == CLASS_BRIDGE_PCI ? PV_NODE_CONV_BRIDGE : PV_NODE_CONV_DEVICE;
	for (size_t i = 0; i < PV_NODE_PTT; i++)
		if (kinds[i].type == type)
			return (enum pv_node_kind)i;
	return type == PCI_EXP_TYPE_PCIE_BRIDGE ? PV_NODE_PCIE_BRIDGE : PV_NODE_CONV_DEVICE;
}

static bool kind_differs(const struct pair *p, struct difference *d)
{
	enum pv_node_kind is = kind_of(p->func), want = p->node->conf.kind;

	return is != want && differs(d, kinds[want].name, "%s (%04x:%04x)", kinds[is].name,
				     pv_pci_get(p->func, PCI_VENDOR_ID, 2), pv_pci_get(p->func, PCI_DEVICE_ID, 2));
}

/* ---- properties of a function ---- */

static bool is_there_differs(const struct pair *p, struct difference *d)
{
	return p->func->gone && differs(d, "an answer", "all ones: it is powered down or gone");
}

static bool readable_differs(const struct pair *p, struct difference *d)
{
	return p->func->unreadable && differs(d, "all of its configuration space",
					      "%u bytes, as anyone but root (CAP_SYS_ADMIN)", p->func->known);
}

static bool vf_differs(const struct pair *p, struct difference *d)
{
	return differs_yes_no(d, "virtual function", p->node->vf, p->func->is_vf);
}

static bool ids_differ(const struct pair *p, struct difference *d)
{
	const struct pv_node_conf *c = &p->node->conf;
	unsigned vendor = pv_pci_get(p->func, PCI_VENDOR_ID, 2), device = pv_pci_get(p->func, PCI_DEVICE_ID, 2);
	char text[32];

	snprintf(text, sizeof(text), "ids %04x:%04x", c->vendor ? c->vendor : vendor, c->device ? c->device : device);
	return ((c->vendor && c->vendor != vendor) || (c->device && c->device != device)) &&
	       differs(d, text, "%04x:%04x", vendor, device);
}

static bool parent_differs(const struct pair *p, struct difference *d)
{
	const struct pv_topo_node *parent = p->node->parent < 0 ? NULL : &p->plan->nodes[p->node->parent];
	const struct pv_pci_func *is = p->func->parent;
	char want[sizeof(struct pv_bdf_text) + 16] = "on a root bus";

	if (parent)
		snprintf(want, sizeof(want), "below %s", pv_bdf_text(parent->bdf).s);
	if (!parent && !is)
		return false;
	if (parent && is && PCI_RID(parent->bdf) == PCI_RID(is->bdf) && PCI_DOMAIN(parent->bdf) == is->domain)
		return false;
	return differs(d, want, "%s%s", is ? "below " : "on a root bus", is ? is->name : "");
}

static bool slot_differs(const struct pair *p, struct difference *d)
{
	bool slot = pv_pci_exp(p->func, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_SLOT;
	bool hotplug = slot && pv_pci_exp(p->func, PCI_EXP_SLTCAP, 4) & PCI_EXP_SLTCAP_HPC;

	return p->node->role == PV_ROLE_PORT &&
	       differs_yes_no(d, "hot-plug slot", p->node->slot && p->node->hotplug, hotplug);
}

static bool width_differs(const struct pair *p, struct difference *d)
{
	unsigned cap = pv_pci_exp(p->func, PCI_EXP_LNKCAP, 4);

	return p->node->role == PV_ROLE_PORT &&
	       differs_by(d, "lanes", p->node->conf.max_width, PCI_EXP_LNKCAP_LANES(cap));
}

static bool mpss_differs(const struct pair *p, struct difference *d)
{
	return p->func->pcie && !p->node->vf &&
	       differs_by(d, "MPS of at most", PCI_EXP_SIZE_BYTES(p->node->conf.mpss),
			  PCI_EXP_SIZE_BYTES(pv_pci_exp(p->func, PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_MPSS));
}

static struct pv_cfg cfg_of(const struct pair *p)
{
	struct pv_bus bus = pv_pci_machine_bus(p->machine);

	return (struct pv_cfg){p->machine, p->func->bdf, bus.cfg_read, bus.cfg_write};
}

static bool ras_des_differs(const struct pair *p, struct difference *d)
{
	struct pv_cfg cfg = cfg_of(p);
	unsigned revision = 0;
	uint32_t at = pv_pcie_find_vsec(&cfg, pv_cfg_read16(&cfg, PCI_VENDOR_ID), DWC_VSEC_ID, &revision, NULL);

	/* A card or a switch may have the capability without a PMU that uses it (F-D10). */
	if (p->node->role != PV_ROLE_PORT && !p->node->conf.ras_des)
		return false;
	return differs_yes_no(d, "DWC RAS D.E.S. capability", p->node->conf.ras_des, at && revision == DWC_VSEC_REV);
}

/* Compares CPMUs as listed by the Register Locator (CXL 3.0 8.1.9). */
static bool cpmus_differ(const struct pair *p, struct difference *d)
{
	struct pv_cfg cfg = cfg_of(p);
	unsigned bytes = 0, n = 0;
	uint32_t at = p->node->role == PV_ROLE_CXL_MEM
			      ? pv_pcie_find_dvsec(&cfg, CXL_DVSEC_VENDOR_ID, CXL_DVSEC_REG_LOCATOR_ID, &bytes)
			      : 0;

	for (uint32_t e = CXL_REG_LOCATOR_FIRST; at && e + CXL_REG_LOCATOR_ENTRY_BYTES <= bytes;
	     e += CXL_REG_LOCATOR_ENTRY_BYTES) {
		uint32_t low = pv_cfg_read32(&cfg, at + e);

		n += (low & CXL_REG_LOCATOR_ID_MASK) >> CXL_REG_LOCATOR_ID_SHIFT == CXL_REG_BLOCK_CPMU;
	}
	return differs_by(d, "CPMUs:", p->node->conf.cpmus, n);
}

/* Compares the read-only bits of the bytes that the plan overrides: writable ones may have changed. */
static bool config_differs(const struct pair *p, struct difference *d)
{
	for (unsigned i = 0; i < p->node->conf.overrides; i++) {
		const struct pv_cfg_override *o = &p->node->conf.override[i];
		uint32_t is = pv_pci_get(p->func, o->offset, o->bytes) & ~o->writable, want = o->value & ~o->writable;
		char text[64];

		snprintf(text, sizeof(text), "0x%x at 0x%x of configuration space", want, o->offset);
		if (is != want)
			return differs(d, text, "0x%x", is);
	}
	return false;
}

/* ---- properties of a function that plays a role ---- */

/* The driver of Root Ports with RAS D.E.S. has a list of ids of several vendors: a PMU shows that it knows these. */
static bool role_ids_differ(const struct pair *p, struct difference *d)
{
	char name[PV_FACTS_NAME];

	if (p->node->conf.kind != PV_NODE_ROOT_PORT || !p->node->conf.ras_des)
		return ids_differ(p, d);
	return p->role->role->pmu &&
	       !pv_facts_pmu(p->role->environment, pv_board_place_of(p->func), "dwc_rootport_", 0, name) &&
	       ids_differ(p, d);
}

static bool role_width_differs(const struct pair *p, struct difference *d)
{
	unsigned lanes = PCI_EXP_LNKCAP_LANES(pv_pci_exp(p->func, PCI_EXP_LNKCAP, 4));
	const struct pv_role_needs *role = p->role->role;
	char text[32];

	if (p->node->role != PV_ROLE_PORT || !(role->pmu || role->occupied))
		return false;
	snprintf(text, sizeof(text), "%u lanes or more", role->lanes);
	if (lanes < role->lanes)
		return differs(d, text, "%u", lanes);
	snprintf(text, sizeof(text), "at most %u lanes", role->most);
	return role->most && lanes > role->most && differs(d, text, "%u", lanes);
}

static bool role_ras_des_differs(const struct pair *p, struct difference *d)
{
	return p->node->conf.ras_des && p->role->role->pmu && ras_des_differs(p, d);
}

static bool role_pmu_differs(const struct pair *p, struct difference *d)
{
	char name[PV_FACTS_NAME];

	return p->node->role == PV_ROLE_PTT && p->role->role->pmu &&
	       !pv_facts_pmu(p->role->environment, pv_board_place_of(p->func), "hisi_ptt", 0, name) &&
	       differs(d, "a PMU of the kernel", "none");
}

static bool role_cpmus_differ(const struct pair *p, struct difference *d)
{
	json_object *environment = p->role->environment;
	pv_bdf at = pv_board_place_of(p->func);
	struct pv_board_cpmus cpmus;
	char name[PV_FACTS_NAME], text[64];

	if (p->node->role != PV_ROLE_CXL_MEM ||
	    pv_board_cpmus(p->role->needs, (size_t)(p->node - p->plan->nodes), environment, at, &cpmus))
		return false;
	if (!cpmus.event || !pv_facts_pmu(environment, at, "cxl_pmu_mem", cpmus.missing, name))
		return differs(d, "a PMU of the kernel", "none");
	snprintf(text, sizeof(text), "%s%s", cpmus.event->absent ? "no " : "", cpmus.event->name);
	return differs(d, text, "%s %s this event", name, cpmus.event->absent ? "with" : "without");
}

/* Returns true if the port is one that the PTT serves. `pmu`: the PTT's. */
static bool is_served(const struct pair *p, const char *pmu, const struct pv_pci_func *port)
{
	return pv_facts_has(p->role->environment, pmu, "ports", port->name);
}

/* Returns true if the PTT has the filter: of ports that it serves, or of a function below one. */
static bool has_filter(const struct pair *p, const char *pmu, uint64_t filter)
{
	uint64_t bits = 0;

	if (filter & ~(uint64_t)(PTT_FILTER_IS_PORT | PTT_FILTER_VALUE_MASK))
		return false;
	for (size_t i = 0; i < p->machine->n; i++) {
		const struct pv_pci_func *f = &p->machine->funcs[i], *top = f;

		while (top->parent)
			top = top->parent;
		if (!is_served(p, pmu, top))
			continue;
		bits |= top == f ? PTT_FILTER_PORT_BIT(f->bdf) : 0;
		if (!(filter & PTT_FILTER_IS_PORT) && top != f && PCI_RID(f->bdf) == filter)
			return true;
	}
	return filter & PTT_FILTER_IS_PORT && filter & PTT_FILTER_VALUE_MASK &&
	       !(filter & PTT_FILTER_VALUE_MASK & ~bits);
}

static bool role_filters_differ(const struct pair *p, struct difference *d)
{
	char name[PV_FACTS_NAME], text[48];

	for (size_t i = 0; i < p->role->needs->n_foreign; i++) {
		const struct pv_filter_need *n = &p->role->needs->foreign[i];

		if (&p->plan->nodes[n->node] != p->node ||
		    !pv_facts_pmu(p->role->environment, pv_board_place_of(p->func), "hisi_ptt", 0, name) ||
		    !has_filter(p, name, n->filter))
			continue;
		snprintf(text, sizeof(text), "no filter 0x%05llx", (unsigned long long)n->filter);
		return differs(d, text, "%s with it", name);
	}
	return false;
}

static bool role_occupied_differs(const struct pair *p, struct difference *d)
{
	return p->role->role->occupied && !p->func->child && differs(d, "a device below it", "none");
}

static bool has_end(const char *end, pv_bdf is)
{
	pv_bdf bdf;

	return !pv_bdf_parse(end, &bdf) && bdf == is;
}

/* The description lists the devices that workload commands can make move data. */
static bool role_workload_differs(const struct pair *p, struct difference *d)
{
	const struct pv_board_description *b = p->role->description;
	pv_bdf is = pv_board_place_of(p->func);
	bool sends = !p->role->role->sends, takes = !p->role->role->takes;

	for (size_t i = 0; b && i < b->n_workloads; i++) {
		sends |= has_end(b->workloads[i].from, is);
		takes |= has_end(b->workloads[i].to, is);
	}
	return (!sends || !takes) &&
	       differs(d, sends ? "a <workload> to it" : "a <workload> from it", "none in the board's description");
}

static bool role_hidden_differs(const struct pair *p, struct difference *d)
{
	return p->role->role->hidden && !pv_board_vouches(p->role->description, pv_board_place_of(p->func)) &&
	       differs(d, p->role->role->hidden, "what only registers show: a <vouch> says it");
}

/*
 * The comparison functions. `exact`: for a function at the plan's place. `role`: for a function that plays a role;
 * NULL: the property is irrelevant, as a case that depends on it is exact (needs.c). The binder checks the parent.
 */
static const struct {
	bool (*exact)(const struct pair *p, struct difference *d), (*role)(const struct pair *p, struct difference *d);
} needs[] = {
	{is_there_differs, is_there_differs},
	{readable_differs, readable_differs},
	{vf_differs, vf_differs},
	{kind_differs, kind_differs},
	{ids_differ, role_ids_differ},
	{parent_differs, NULL},
	{slot_differs, NULL},
	{width_differs, role_width_differs},
	{mpss_differs, NULL},
	{ras_des_differs, role_ras_des_differs},
	{cpmus_differ, NULL},
	{NULL, role_pmu_differs},
	{NULL, role_cpmus_differ},
	{NULL, role_filters_differ},
	{NULL, role_occupied_differs},
	{NULL, role_hidden_differs},
	{NULL, role_workload_differs},
	{config_differs, config_differs},
};

/* ---- properties that no real machine can be asked for ---- */

#define WISH(text, condition) \
	if (condition)        \
	return differs(d, text, "no way to have it on a real machine")

/* Returns true if the plan sets clocks; 0 and the default do not count. */
static bool wants_clocks(const struct pv_ras_des_conf *ras)
{
	return (ras->core_clk_ps && ras->core_clk_ps != PV_MODEL_DWC_CYCLE_PS) ||
	       (ras->aux_clk_ps && ras->aux_clk_ps != PV_MODEL_DWC_AUX_PS);
}

static bool lacks_events(const struct pv_ras_des_conf *ras)
{
	uint32_t any = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ras->lacks_events); i++)
		any |= ras->lacks_events[i];
	return any;
}

static bool is_wishful(const struct pv_topo_node *node, struct difference *d)
{
	const struct pv_node_conf *c = &node->conf;

	WISH("rubbish in what a PTT does not write", c->rubbish);
	WISH("a PTT that holds records back", c->held);
	WISH("a choice of SO in 4DW records", c->so != PV_PTT_SO_RO);
	WISH("a choice of what Time of a PTT counts", c->time != PV_PTT_TIME_CLOCK);
	WISH("bits of MPS or MRRS that are read-only", c->mps_ro || c->mrrs_ro);
	WISH("a limit of MRRS", c->mrrs_max != 5);
	WISH("a RAS D.E.S. core that loses counts, or has other clocks or reports",
	     wants_clocks(&c->ras) || c->ras.l1_aux_is_9 || c->ras.other_lanes_read_0 || c->ras.loses_counts);
	WISH("a choice of what a RAS D.E.S. core lacks, or how its counters end or are shown",
	     c->ras.narrow_counters_stay || c->ras.selected_anew || c->ras.time_is_narrow || lacks_events(&c->ras));
	return false;
}

/* ---- a machine ---- */

pv_bdf pv_board_place_of(const struct pv_pci_func *f)
{
	return PCI_IN_DOMAIN(f->domain, PCI_RID(f->bdf));
}

bool pv_board_has_place(const struct pv_pci_func *f)
{
	return f->domain <= UINT16_MAX;
}

struct pv_pci_func *pv_board_find(struct pv_pci_machine *m, pv_bdf bdf)
{
	return pv_pci_find_name(m, pv_bdf_name(bdf).s);
}

static bool node_differs(const struct pv_topology *plan, const struct pv_topo_node *node, struct pv_pci_machine *m,
			 const struct pv_board_description *description, struct difference *d)
{
	const struct pair p = {plan, node, pv_board_find(m, node->bdf), m, NULL};

	if (!p.func)
		return differs(d, kinds[node->conf.kind].name, "no function there");
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].exact && needs[i].exact(&p, d))
			return true;
	return !pv_board_vouches(description, node->bdf) && is_wishful(node, d);
}

unsigned pv_board_role_differs(const struct pv_role_match *role, const struct pv_topo_node *node,
			       const struct pv_pci_func *func, struct difference *d)
{
	const struct pair p = {role->needs->plan, node, func, role->machine, role};

	for (unsigned i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].role && needs[i].role(&p, d))
			return i + 1;
	if (!pv_board_has_place(func))
		differs(d, "a domain of at most ffff", "%x", func->domain);
	else if (pv_board_vouches(role->description, pv_board_place_of(func)) || !is_wishful(node, d))
		return 0;
	return (unsigned)ARRAY_SIZE(needs) + 1;
}

const char *pv_board_kind_name(enum pv_node_kind kind)
{
	return kinds[kind].name;
}

int pv_board_match(const struct pv_topology *plan, struct pv_pci_machine *machine,
		   const struct pv_board_description *description, struct pv_error *e)
{
	struct difference first = {0}, d;
	const struct pv_topo_node *node = NULL;
	size_t bad = 0;

	for (size_t i = 0; i < plan->n; i++) {
		if (plan->nodes[i].spare || !node_differs(plan, &plan->nodes[i], machine, description, &d))
			continue;
		if (!bad++) {
			first = d;
			node = &plan->nodes[i];
		}
	}
	if (!bad)
		return 0;
	pv_error(e, -EOPNOTSUPP, "%s at %s: expected %s, got %s", *node->name ? node->name : "function",
		 pv_bdf_text(node->bdf).s, first.expected, first.got);
	if (bad > 1)
		snprintf(e->text + strlen(e->text), sizeof(e->text) - strlen(e->text),
			 "; %zu of the plan's %zu functions are missing or differ", bad, plan->n);
	return -EOPNOTSUPP;
}
