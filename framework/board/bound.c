/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rewrites a case for the functions of a machine: topology, names of PMUs, numbers of filters. */
#include "framework/board/bound.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/board/cpmus.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

struct bound {
	const struct pv_bind *in;
	const struct pv_topology *plan;
	const struct pv_pci_func *const *func;
	struct pv_topology *is; /* the plan's functions with their BDFs on the machine; same indices as in the plan */
	struct pv_board_places places;
};

/* ---- functions ---- */

/*
 * Returns the largest value that topologies support and that does not exceed the machine's: links of 1, 2, 4, 8 or 16
 * lanes, at 2.5 to 32 GT/s.
 */
static uint8_t as_width(unsigned lanes)
{
	uint8_t width = 1;

	while (width < 16 && width * 2u <= lanes)
		width *= 2;
	return width;
}

static uint8_t as_speed(unsigned speed)
{
	return (uint8_t)(speed < 1 ? 1 : speed > 5 ? 5 : speed);
}

static void take_link(struct pv_node_conf *c, const struct pv_pci_func *f)
{
	uint32_t cap = pv_pci_exp(f, PCI_EXP_LNKCAP, 4), status = pv_pci_exp(f, PCI_EXP_LNKSTA, 2);
	unsigned width = PCI_EXP_LNKSTA_LANES(status);
	uint8_t speed = (uint8_t)(status & PCI_EXP_LNKSTA_SPEED);

	c->max_width = as_width(PCI_EXP_LNKCAP_LANES(cap));
	c->max_speed = as_speed(cap & PCI_EXP_LNKCAP_SPEED);
	c->width = width && width < c->max_width ? as_width(width) : c->max_width;
	c->speed = speed && speed < c->max_speed ? speed : c->max_speed;
}

/* Copies the PTT's location and ports from the attributes of its driver. */
static void take_ptt(struct bound *b, struct pv_node_conf *c, const struct pv_pci_func *f)
{
	char name[PV_FACTS_NAME];
	unsigned sicl, core;

	if (!pv_facts_pmu(b->in->environment, pv_board_place_of(f), "hisi_ptt", 0, name) ||
	    !pv_needs_ptt(name, &sicl, &core))
		return;
	c->sicl = (uint16_t)sicl;
	c->core = (uint16_t)core;
	c->range_lower = UINT16_MAX;
	c->range_upper = 0;
	for (size_t i = 0; i < b->in->machine->n; i++) {
		const struct pv_pci_func *port = &b->in->machine->funcs[i];

		if (!pv_facts_has(b->in->environment, name, "ports", port->name))
			continue;
		c->range_lower = c->range_lower < PCI_RID(port->bdf) ? c->range_lower : PCI_RID(port->bdf);
		c->range_upper = c->range_upper > PCI_RID(port->bdf) ? c->range_upper : PCI_RID(port->bdf);
	}
}

/* Puts the description of each CPMU at the machine's number; those that no step names fill the other places. */
static int take_cpmus(struct bound *b, size_t i)
{
	struct pv_node_conf *c = &b->is->nodes[i].conf;
	struct pv_cpmu_conf *now = c->cpmus ? pv_arena_array(&b->is->arena, c->cpmus, sizeof(*now)) : NULL;
	const uint32_t named = b->in->needs->role[i].cpmus;
	struct pv_board_cpmus cpmus;
	uint32_t taken = 0;

	if (!c->cpmus || c->cpmus > PV_NEEDS_CPMUS_MAX)
		return 0;
	if (!now)
		return -ENOMEM;
	pv_board_cpmus(b->in->needs, i, b->in->environment, c->bdf, &cpmus);
	for (unsigned k = 0; k < c->cpmus; k++)
		if (named & 1u << k) {
			now[cpmus.is[k]] = c->cpmu[k];
			taken |= 1u << cpmus.is[k];
		}
	for (unsigned k = 0, to = 0; k < c->cpmus; k++)
		if (!(named & 1u << k)) {
			while (taken & 1u << to)
				to++;
			now[to++] = c->cpmu[k];
		}
	c->cpmu = now;
	return 0;
}

static void take_function(struct bound *b, size_t i)
{
	struct pv_node_conf *c = &b->is->nodes[i].conf;
	const struct pv_pci_func *f = b->func[i];

	c->bdf = pv_board_place_of(f);
	c->vendor = c->vendor ? (uint16_t)pv_pci_get(f, PCI_VENDOR_ID, 2) : 0;
	c->device = c->device ? (uint16_t)pv_pci_get(f, PCI_DEVICE_ID, 2) : 0;
	c->mpss = (uint8_t)(f->pcie ? pv_pci_exp(f, PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_MPSS : c->mpss);
	if (f->is_bridge) {
		c->secondary = (uint8_t)pv_pci_get(f, PCI_SECONDARY_BUS, 1);
		c->subordinate = (uint8_t)pv_pci_get(f, PCI_SUBORDINATE_BUS, 1);
	}
	if (b->plan->nodes[i].role == PV_ROLE_PORT) {
		take_link(c, f);
		c->slot = pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_SLOT;
		c->hotplug = c->slot && pv_pci_exp(f, PCI_EXP_SLTCAP, 4) & PCI_EXP_SLTCAP_HPC;
	}
	if (b->plan->nodes[i].role == PV_ROLE_PTT)
		take_ptt(b, c, f);
}

static void add_place(struct bound *b, size_t i)
{
	const struct pv_node_conf *c = &b->is->nodes[i].conf;

	if (b->places.n < PV_BOARD_DEVICES_MAX)
		b->places.place[b->places.n++] = (struct pv_board_place){
			{b->plan->nodes[i].bdf, c->bdf}, b->func[i]->is_bridge, c->secondary, c->subordinate};
}

/* Removes the functions that are not there: not needed, or a switch that is left out. Parents come first. */
static int prune(struct bound *b, struct pv_error *e)
{
	struct pv_topology *t = b->is;
	_autofree_ int *now = calloc(t->n + 1, sizeof(*now));
	size_t n = 0;

	if (!now)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; i < t->n; i++) {
		if (!b->func[i])
			continue;
		now[i] = (int)n;
		t->nodes[n] = t->nodes[i];
		int parent = b->plan->nodes[i].parent;
		while (parent >= 0 && !b->func[parent])
			parent = b->plan->nodes[parent].parent;
		t->nodes[n].conf.parent = parent < 0 ? -1 : now[parent];
		n++;
	}
	t->n = n;
	pv_topology_describe(t);
	return 0;
}

/* ---- PMUs ---- */

/* Memory devices of the case are numbered by BDF, whatever the kernel's numbers (board.c). */
static unsigned number_of(const struct bound *b, size_t i)
{
	unsigned before = 0;

	for (size_t k = 0; k < b->plan->n; k++)
		before += b->func[k] && b->plan->nodes[k].role == PV_ROLE_CXL_MEM &&
			  b->is->nodes[k].conf.bdf < b->is->nodes[i].conf.bdf;
	return before;
}

static void add_pmu(struct bound *b, const struct pv_board_pmu *pmu)
{
	if (strcmp(pmu->plan, pmu->is) != 0 && b->places.n_pmus < PV_BOARD_DEVICES_MAX)
		b->places.pmu[b->places.n_pmus++] = *pmu;
}

static void name_cpmus(struct bound *b, size_t i, unsigned mem, unsigned number)
{
	struct pv_board_cpmus cpmus;
	struct pv_board_pmu pmu;

	pv_board_cpmus(b->in->needs, i, b->in->environment, b->is->nodes[i].conf.bdf, &cpmus);
	for (unsigned k = 0; k < PV_NEEDS_CPMUS_MAX; k++) {
		if (cpmus.is[k] == k)
			continue;
		snprintf(pmu.plan, sizeof(pmu.plan), "cxl_pmu_mem%u.%u", mem, k);
		snprintf(pmu.is, sizeof(pmu.is), "cxl_pmu_mem%u.%u", number, cpmus.is[k]);
		add_pmu(b, &pmu);
	}
}

static void name_pmus(struct bound *b)
{
	for (size_t i = 0; i < b->plan->n; i++) {
		const struct pv_topo_node *node = &b->plan->nodes[i];
		struct pv_board_pmu pmu;

		if (b->func[i] && node->role == PV_ROLE_PTT) {
			snprintf(pmu.plan, sizeof(pmu.plan), "hisi_ptt%u_%u", node->sicl, node->core);
			snprintf(pmu.is, sizeof(pmu.is), "hisi_ptt%u_%u", b->is->nodes[i].conf.sicl,
				 b->is->nodes[i].conf.core);
			add_pmu(b, &pmu);
		}
	}
	for (unsigned mem = 0; pv_needs_mem(b->plan, mem) < b->plan->n; mem++) {
		size_t i = pv_needs_mem(b->plan, mem);
		unsigned number = b->func[i] ? number_of(b, i) : mem;
		struct pv_board_pmu pmu;

		/* Whole names come first, as the part before the dot is a word, too. */
		if (b->func[i])
			name_cpmus(b, i, mem, number);
		snprintf(pmu.plan, sizeof(pmu.plan), "cxl_pmu_mem%u", mem);
		snprintf(pmu.is, sizeof(pmu.is), "cxl_pmu_mem%u", number);
		add_pmu(b, &pmu);
	}
}

/* ---- filters ---- */

static uint64_t move_filter(const struct bound *b, const struct pv_topo_node *ptt, uint64_t value)
{
	const uint64_t reserved = value & PTT_FILTER_RESERVED_MASK;
	uint64_t is = value & PTT_FILTER_IS_PORT;

	if (pv_needs_is_foreign(b->plan, ptt, value))
		return value;
	value ^= reserved;
	for (size_t i = 0; i < b->plan->n; i++) {
		pv_bdf was = b->plan->nodes[i].bdf;

		if (!b->func[i])
			continue;
		if (is && b->plan->nodes[i].conf.kind == PV_NODE_ROOT_PORT &&
		    pv_needs_serves(ptt, &b->plan->nodes[i]) && value & PTT_FILTER_PORT_BIT(was))
			is |= PTT_FILTER_PORT_BIT(b->func[i]->bdf);
		if (!(value & PTT_FILTER_IS_PORT) && PCI_RID(was) == value && PCI_DOMAIN(was) == PCI_DOMAIN(ptt->bdf))
			is = PCI_RID(b->func[i]->bdf);
	}
	return is | reserved;
}

/* Moves the filter in an attribute that is a number, or a config with other bits above the filter. */
static void move_number(const struct bound *b, json_object *attrs, const char *name, const char *pmu)
{
	const char *number = json_object_get_string(json_object_object_get(attrs, name));
	size_t i = pmu ? pv_needs_find_ptt(b->plan, pmu) : b->plan->n;
	char text[24];

	if (!number || !isdigit((unsigned char)*number) || i == b->plan->n)
		return;
	uint64_t value = strtoull(number, NULL, 0), filter = value & PV_NEEDS_FILTER_MASK;
	snprintf(text, sizeof(text), "0x%05" PRIx64, (value ^ filter) | move_filter(b, &b->plan->nodes[i], filter));
	pv_json_string(attrs, name, text);
}

/* Moves filters in an attribute with events. */
static int move_events(const struct bound *b, json_object *attrs, const char *name, const char *pmu)
{
	const char *text = json_object_get_string(json_object_object_get(attrs, name)), *from = text;
	struct pv_needs_filter f = {.pmu = pmu};
	_autofree_ char *moved = NULL;
	size_t size;

	if (!text)
		return 0;
	FILE *out = open_memstream(&moved, &size);
	for (const char *at = text; out && pv_needs_next_filter(text, f.pmu, &at, &f); from = at) {
		size_t i = pv_needs_find_ptt(b->plan, f.pmu);
		uint64_t is = i < b->plan->n ? move_filter(b, &b->plan->nodes[i], f.value) : f.value;

		fprintf(out, "%.*s0x%05" PRIx64, (int)(f.number - from), from, is);
	}
	if (!out || fputs(from, out) < 0 || fclose(out))
		return -ENOMEM;
	pv_json_string(attrs, name, moved);
	return 0;
}

static int move_filters(const struct bound *b, json_object *steps, struct pv_error *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < json_object_array_length(steps); i++) {
		json_object *attrs = json_object_object_get(json_object_array_get_idx(steps, i), "attrs");
		const char *pmu = json_object_get_string(json_object_object_get(attrs, "pmu"));

		move_number(b, attrs, "filter", pmu);
		move_number(b, attrs, "config", pmu);
		err = move_events(b, attrs, "event", pmu);
		err = err ? err : move_events(b, attrs, "events", NULL);
	}
	return err ? pv_error(e, err, "no memory") : 0;
}

/* ---- optional steps ---- */

static bool lacks_lanes(const struct pv_role_needs *role, const struct pv_pci_func *port)
{
	unsigned cap = pv_pci_exp(port, PCI_EXP_LNKCAP, 4);

	return role->lanes > PCI_EXP_LNKCAP_LANES(cap);
}

/* Returns true if the machine has the functions and lanes of a step. Says in `roles` which functions it lacks. */
static bool has_functions(const struct bound *b, json_object *step, json_object *roles)
{
	struct pv_needs own;
	bool has = !pv_needs_read_optional(b->plan, step, &own) && !*own.exact;

	for (size_t i = 0; own.role && i < b->plan->n; i++)
		if (own.role[i].named && !b->func[i]) {
			pv_json_string(roles, b->plan->nodes[i].name, "none");
			has = false;
		}
	for (size_t i = 0; has && i < b->plan->n; i++)
		has = !own.role[i].named || !lacks_lanes(&own.role[i], b->func[i]);
	pv_needs_free(&own);
	return has;
}

/* Leaves out the optional steps whose functions the machine lacks. Their roles are "none". */
static void leave_out(const struct bound *b, json_object *steps, json_object *roles)
{
	for (size_t i = json_object_array_length(steps); i-- > 0;) {
		json_object *step = json_object_array_get_idx(steps, i);

		if (pv_needs_is_optional(step) && !has_functions(b, step, roles))
			json_object_array_del_idx(steps, i, 1);
	}
}

/* ---- the message ---- */

static json_object *add_roles(const struct bound *b, json_object *out)
{
	json_object *roles = json_object_new_object();

	for (size_t i = 0; i < b->plan->n; i++)
		if (b->func[i])
			pv_json_string(roles, b->plan->nodes[i].name, b->func[i]->name);
	json_object_object_add(out, "roles", roles);
	return roles;
}

static int copy_message(json_object *message, json_object **out, struct pv_error *e)
{
	*out = NULL;
	return json_object_deep_copy(message, out, NULL) ? pv_error(e, -ENOMEM, "no memory") : 0;
}

static int take_functions(struct bound *b, struct pv_error *e)
{
	for (size_t i = 0; i < b->plan->n; i++) {
		if (!b->func[i])
			continue;
		take_function(b, i);
		if (take_cpmus(b, i))
			return pv_error(e, -ENOMEM, "no memory");
		add_place(b, i);
	}
	name_pmus(b);
	return 0;
}

static int move_steps(struct bound *b, json_object *message, struct pv_error *e)
{
	json_object *steps = json_object_object_get(message, "steps");

	leave_out(b, steps, add_roles(b, message));
	int err = move_filters(b, steps, e);
	return err ? err : pv_board_move_steps(&b->places, steps, e);
}

int pv_bound_case(const struct pv_bind *in, const struct pv_pci_func *const *func, json_object *message,
		  json_object **out, struct pv_error *e)
{
	_autofree_ struct bound *b = calloc(1, sizeof(*b));
	int err = b ? copy_message(message, out, e) : pv_error(e, -ENOMEM, "no memory");

	if (!err)
		err = pv_topology_copy(in->needs->plan, &b->is, e);
	if (err)
		return err;
	b->in = in;
	b->plan = in->needs->plan;
	b->func = func;
	err = take_functions(b, e);
	if (!err)
		err = move_steps(b, *out, e);
	if (!err)
		err = prune(b, e);
	json_object *topology = err ? NULL : pv_topology_json(b->is);
	pv_topology_free(b->is);
	if (!err && !topology)
		err = pv_error(e, -ENOMEM, "no memory");
	json_object_object_add(*out, "topology", topology);
	return err;
}

int pv_bound_moved(const struct pv_board_places *places, const struct pv_topology *moved, json_object *message,
		   json_object **out, struct pv_error *e)
{
	int err = copy_message(message, out, e);

	if (!err)
		err = pv_board_move_steps(places, json_object_object_get(*out, "steps"), e);
	json_object *topology = err ? NULL : pv_topology_json(moved);
	if (err)
		return err;
	json_object *roles = json_object_new_object();
	for (size_t i = 0; i < moved->n; i++)
		pv_json_string(roles, moved->nodes[i].name, pv_bdf_name(moved->nodes[i].bdf).s);
	json_object_object_add(*out, "topology", topology);
	json_object_object_add(*out, "roles", roles);
	return 0;
}
