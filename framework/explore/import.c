/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes elements of a machine: each function has its place and the attributes that differ from their defaults. */
#include "framework/explore/import.h"

#include <errno.h>
#include <string.h>

#include "framework/explore/element.h"
#include "framework/schema/schema.h"

static const char *const kinds[PV_NODE_KIND_COUNT] = {
	[PV_NODE_ROOT_PORT] = "root-port",
	[PV_NODE_UPSTREAM] = "switch",
	[PV_NODE_DOWNSTREAM] = "port",
	[PV_NODE_ENDPOINT] = "endpoint",
	[PV_NODE_LEGACY_ENDPOINT] = "legacy-endpoint",
	[PV_NODE_RCIEP] = "rciep",
	[PV_NODE_EVENT_COLLECTOR] = "event-collector",
	[PV_NODE_PCI_BRIDGE] = "pci-bridge",
	[PV_NODE_CONV_BRIDGE] = "conv-bridge",
	[PV_NODE_CONV_DEVICE] = "conv-device",
	[PV_NODE_PTT] = "ptt",
	[PV_NODE_CXL_MEM] = "cxl-mem",
	[PV_NODE_PCIE_BRIDGE] = "pcie-bridge",
};

/* Room for any struct whose members attributes set. */
union conf {
	struct pv_node_conf node;
	struct pv_cpmu_conf cpmu;
};

/* The other value of a choice between `yes` and one more word. */
static const char *other_value(const struct pv_attr_decl *a, const char *yes)
{
	return a->type->values[!strcmp(a->type->values[0], yes)];
}

static void value_text(const struct pv_attr_decl *a, const void *base, char *out, size_t size)
{
	static const char *const filters[] = {"none", "hdm", "bank", "hdm bank"};
	uint64_t n = a->member->size <= sizeof(n) ? pv_member_number(a->member, base) : 0;
	const char *yes = a->member->yes ? a->member->yes : "yes";

	switch (a->member->form) {
	case PV_MEMBER_BOOL:
		snprintf(out, size, "%s", n ? yes : other_value(a, yes));
		break;
	case PV_MEMBER_SIZE:
		snprintf(out, size, "%u", 128u << n);
		break;
	case PV_MEMBER_FILTERS:
		snprintf(out, size, "%s", filters[n & 3]);
		break;
	default:
		pv_member_text(a, base, out, size);
	}
}

/* Attributes of an element that set members of *base, where they differ from their defaults. */
static void put_members(json_object *x, const void *base)
{
	const struct pv_element_decl *decl = pv_schema_element(&pv_plan_schema, NULL, pv_element_kind(x));
	union conf *defaults = calloc(1, sizeof(*defaults));
	char text[1024];

	if (defaults)
		pv_members_default(decl, defaults);
	pv_attr_foreach (a, decl) {
		const struct pv_attr_member *m = a->member;

		if (!m || !defaults ||
		    (!a->required && !memcmp((const char *)base + m->offset, (char *)defaults + m->offset, m->size)))
			continue;
		value_text(a, base, text, sizeof(text));
		pv_element_set(x, a->name, "%s", text);
	}
	free(defaults);
}

static void put_cpmu(json_object *mem, const struct pv_cpmu_conf *conf)
{
	json_object *x = pv_element_child(mem, "cpmu");

	put_members(x, conf);
	for (unsigned i = 0; i < conf->event_caps; i++)
		put_members(pv_element_child(x, "event-cap"), &conf->event_cap[i]);
	for (unsigned i = 0; i < conf->counters; i++) {
		if (conf->counter[i].type == 2)
			continue;
		json_object *c = pv_element_child(x, conf->counter[i].type ? "fixed" : "free-running");
		put_members(c, &conf->counter[i]);
		pv_element_set(c, "counter", "%u", i);
	}
}

/* Functions of one device and of one kind are one element: the others are called name.1 and so on. */
static unsigned functions_of(const struct pv_topology *t, const struct pv_topo_node *node)
{
	size_t len = strlen(node->name);
	unsigned n = 1;

	for (size_t i = 0; i < t->n; i++)
		n += !strncmp(t->nodes[i].name, node->name, len) && t->nodes[i].name[len] == '.';
	return n;
}

static void put_place(json_object *x, const struct pv_topology *t, const struct pv_topo_node *node)
{
	pv_element_set(x, "name", "%s", node->name);
	if (node->spare) {
		pv_element_set(x, "port", "%s", t->nodes[node->parent].name);
		if (strcmp(kinds[node->conf.kind], "endpoint"))
			pv_element_set(x, "kind", "%s", kinds[node->conf.kind]);
	} else {
		pv_element_set(x, "bdf", "%s", pv_bdf_text(node->bdf).s);
	}
	if (pv_topo_node_is_bridge(node))
		pv_element_set(x, "bus", "%u", node->secondary);
	if (node->numa_node >= 0 && node->parent < 0)
		pv_element_set(x, "numa-node", "%d", node->numa_node);
}

static void put_ptt(json_object *x, const struct pv_topology *t, const struct pv_topo_node *node)
{
	const struct pv_topo_node *first = pv_topology_by_bdf(t, node->range_lower),
				  *last = pv_topology_by_bdf(t, node->range_upper);

	if (first && last) {
		pv_element_set(x, "first", "%s", first->name);
		pv_element_set(x, "last", "%s", last->name);
	}
}

static json_object *put_node(json_object *parent, const struct pv_topology *t, const struct pv_topo_node *node)
{
	json_object *x = pv_element_child(parent, node->spare ? "spare" : kinds[node->conf.kind]);
	unsigned n = functions_of(t, node);

	put_members(x, &node->conf);
	if (node->conf.mps > node->conf.mpss || node->conf.mrrs > node->conf.mrrs_max)
		pv_element_set(x, "odd", "yes");
	if (node->hotplug && !node->slot)
		pv_element_set(x, "slot", "no");
	put_place(x, t, node);
	if (n > 1)
		pv_element_set(x, "functions", "%u", n);
	if (node->role == PV_ROLE_PTT)
		put_ptt(x, t, node);
	for (unsigned i = 0; i < node->conf.cpmus; i++)
		put_cpmu(x, &node->conf.cpmu[i]);
	for (unsigned i = 0; i < node->conf.overrides; i++)
		put_members(pv_element_child(x, "config"), &node->conf.override[i]);
	return x;
}

static json_object *put_topology(const struct pv_topology *t)
{
	static const char *const iommus[] = {"none", "identity", "translated"};
	json_object *top = pv_element_new("topology"), **x = calloc(t->n + 1, sizeof(json_object *));

	if (t->iommu)
		pv_element_set(top, "iommu", "%s", iommus[t->iommu]);
	if (t->port_pm)
		pv_element_set(top, "port-pm", "yes");
	if (t->threadirqs)
		pv_element_set(top, "threadirqs", "yes");
	if (t->cpus > 1)
		pv_element_set(top, "cpus", "%u", t->cpus);
	for (size_t i = 0; x && i < t->n; i++) {
		const struct pv_topo_node *node = &t->nodes[i];
		bool inside = node->parent >= 0 && !node->spare;

		if (!strchr(node->name, '.'))
			x[i] = put_node(inside ? x[node->parent] : top, t, node);
	}
	free(x);
	return top;
}

json_object *pv_explore_import(const struct pv_case *c, struct pv_error *e)
{
	json_object *json = pv_case_json(c), *out, *steps = NULL;
	const struct pv_topology *t = pv_case_topology(c);

	if (!json || json_object_deep_copy(json_object_object_get(json, "steps"), &steps, NULL)) {
		pv_error(e, -ENOMEM, "no memory");
		return NULL;
	}
	for (size_t i = 0; i < json_object_array_length(steps); i++)
		if (!json_object_object_get(json_object_array_get_idx(steps, i), "attrs"))
			pv_json_add(json_object_array_get_idx(steps, i), "attrs", json_object_new_object());
	out = json_object_new_object();
	pv_json_string(out, "name", c->base);
	pv_json_uint(out, "seed", c->seed);
	if (t)
		pv_json_add(out, "topology", put_topology(t));
	pv_json_add(out, "steps", steps);
	return out;
}
