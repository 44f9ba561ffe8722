/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON of a topology for the agent (docs/protocol.md). Every node has every member. */
#include <stdio.h>
#include <string.h>

#include "framework/plan/json.h"
#include "framework/plan/topology.h"

static bool add_bdf(json_object *o, const char *key, uint32_t bdf)
{
	return pv_json_string(o, key, pv_topology_place(bdf).s);
}

static json_object *caps_json(const struct pv_topology_cpmu *c)
{
	json_object *array = json_object_new_array();

	for (unsigned i = 0; array && i < c->n_caps; i++) {
		json_object *o = json_object_new_object();

		if (!(pv_json_int(o, "vid", c->caps[i].vid) && pv_json_int(o, "gid", c->caps[i].gid) &&
		      pv_json_int(o, "events", c->caps[i].events) && pv_json_append(array, o)))
			return pv_json_put(array);
	}
	return array;
}

/* Gives those with a number their place, and the others, from the last one back, the places that are left at the end. */
static void place_counters(const struct pv_topology_cpmu *c, const struct pv_cpmu_fixed *at[64])
{
	unsigned free = c->counters;

	for (unsigned i = 0; i < c->n_fixed; i++)
		if (c->fixed[i].counter < c->counters)
			at[c->fixed[i].counter] = &c->fixed[i];
	for (unsigned i = c->n_fixed; i-- > 0;) {
		if (c->fixed[i].counter < c->counters)
			continue;
		while (free && at[free - 1])
			free--;
		if (free)
			at[free - 1] = &c->fixed[i];
	}
}

static json_object *counters_json(const struct pv_topology_cpmu *c)
{
	json_object *array = json_object_new_array();
	const struct pv_cpmu_fixed *at[64] = {0};

	place_counters(c, at);
	for (unsigned i = 0; array && i < c->counters; i++) {
		const struct pv_cpmu_fixed *f = at[i];
		json_object *o = json_object_new_object();
		bool good = pv_json_int(o, "type", f ? f->type : 2);

		if (f)
			good = good && pv_json_int(o, "group", f->group) && pv_json_int(o, "events", f->events);
		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

static json_object *cpmus_json(const struct pv_topology_node *n)
{
	json_object *array = json_object_new_array();

	for (const struct pv_topology_cpmu *c = n->cpmus; array && c; c = c->next) {
		json_object *o = json_object_new_object();
		bool good = pv_json_int(o, "counters", c->counters) && pv_json_int(o, "width", c->width) &&
			    pv_json_int(o, "filters", c->filters) && pv_json_int(o, "msi", c->msi) &&
			    pv_json_bool(o, "writable_when_frozen", c->writable_when_frozen) &&
			    pv_json_bool(o, "freeze", c->freeze) && pv_json_bool(o, "interrupt", c->interrupt) &&
			    pv_json_bool(o, "sum_adds", c->sum_adds) &&
			    pv_json_bool(o, "edge_compares", c->edge_compares) &&
			    pv_json_add(o, "event_caps", caps_json(c)) && pv_json_add(o, "counter", counters_json(c));

		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

static json_object *config_json(const struct pv_topology_node *n)
{
	json_object *array = json_object_new_array();

	for (const struct pv_topology_config *c = n->config; array && c; c = c->next) {
		json_object *o = json_object_new_object();
		bool good = pv_json_int(o, "offset", c->offset) && pv_json_int(o, "bytes", c->bytes) &&
			    pv_json_int(o, "value", c->value) && pv_json_int(o, "writable", c->writable);

		if (!pv_json_append(array, o) || !good)
			return pv_json_put(array);
	}
	return array;
}

/* Settings of the RAS D.E.S. capability: where there is none they would mean nothing. */
static bool add_ras_des(json_object *o, const struct pv_topology_node *n)
{
	if (!n->ras_des)
		return true;
	return pv_json_int(o, "core_clk_ps", n->core_clk_ps) && pv_json_int(o, "aux_clk_ps", n->aux_clk_ps) &&
	       pv_json_bool(o, "l1_aux_is_9", n->l1_aux_is_9) &&
	       pv_json_bool(o, "other_lanes_read_0", n->other_lanes_read_0) &&
	       pv_json_bool(o, "loses_counts", n->loses_counts) &&
	       pv_json_bool(o, "narrow_counters_stay", n->narrow_counters_stay) &&
	       pv_json_string(o, "lacks_events", n->lacks_events ? n->lacks_events : "") &&
	       pv_json_bool(o, "selected_anew", n->selected_anew) &&
	       pv_json_bool(o, "time_is_narrow", n->time_is_narrow);
}

static bool add_settings(json_object *o, const struct pv_topology_node *n)
{
	if (n->slot && (!pv_json_string(o, "slot_has", n->slot_has ? n->slot_has : "") ||
			!pv_json_int(o, "slot_number", n->slot_number)))
		return false;
	/* Most functions lose nothing: only the others say so. */
	if (n->soft_reset && !pv_json_bool(o, "soft_reset", true))
		return false;
	return pv_json_string(o, "so", n->so ? n->so : "ro") &&
	       pv_json_string(o, "time", n->time ? n->time : "clock") && pv_json_bool(o, "rubbish", n->rubbish) &&
	       pv_json_int(o, "held", n->held) && pv_json_bool(o, "ari", n->ari);
}

static json_object *node_json(const struct pv_plan_topology *t, const struct pv_topology_node *n)
{
	json_object *o = json_object_new_object();
	bool good = pv_json_int(o, "id", n - t->nodes) && pv_json_string(o, "kind", n->kind) &&
		    pv_json_string(o, "name", n->name) && add_bdf(o, "bdf", n->bdf) &&
		    pv_json_int(o, "parent", n->parent) && pv_json_int(o, "secondary", n->secondary) &&
		    pv_json_int(o, "subordinate", n->subordinate) && pv_json_int(o, "vendor", n->vendor) &&
		    pv_json_int(o, "device", n->device) && pv_json_int(o, "mpss", n->mpss) &&
		    pv_json_int(o, "mps", n->mps) && pv_json_int(o, "mrrs", n->mrrs) &&
		    pv_json_int(o, "mrrs_max", n->mrrs_max) && pv_json_int(o, "mps_ro", n->mps_ro) &&
		    pv_json_int(o, "mrrs_ro", n->mrrs_ro) && pv_json_string(o, "speed", n->speed) &&
		    pv_json_int(o, "width", n->width) && pv_json_string(o, "max_speed", n->max_speed) &&
		    pv_json_int(o, "max_width", n->max_width) && pv_json_int(o, "rcb", n->rcb) &&
		    pv_json_bool(o, "hotplug", n->hotplug) && pv_json_bool(o, "slot", n->slot) &&
		    pv_json_bool(o, "vf", n->vf) && pv_json_bool(o, "ras_des", n->ras_des) && add_ras_des(o, n) &&
		    pv_json_bool(o, "dllps", n->dllps) && pv_json_bool(o, "spare", n->spare) &&
		    pv_json_int(o, "sicl", n->sicl) && pv_json_int(o, "core", n->core) &&
		    add_bdf(o, "range_lower", n->range_lower) && add_bdf(o, "range_upper", n->range_upper) &&
		    pv_json_add(o, "cpmus", cpmus_json(n)) && pv_json_add(o, "config", config_json(n));

	good = good && (n->numa_node < 0 || pv_json_int(o, "numa_node", n->numa_node)) && add_settings(o, n);
	return good ? o : pv_json_put(o);
}

json_object *pv_topology_json(struct pv_plan_topology *t)
{
	if (t->json)
		return t->json;
	json_object *o = json_object_new_object(), *nodes = json_object_new_array();
	bool good = pv_json_string(o, "iommu", t->iommu) && (t->cpus == 1 || pv_json_int(o, "cpus", t->cpus)) &&
		    (!t->port_pm || pv_json_bool(o, "port_pm", true)) && pv_json_add(o, "nodes", nodes);
	for (unsigned i = 0; good && i < t->n; i++)
		good = pv_json_append(nodes, node_json(t, &t->nodes[i]));
	t->json = good ? o : pv_json_put(o);
	return t->json;
}
