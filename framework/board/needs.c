/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions that the steps of a case name, and steps that depend on the whole topology. */
#include "framework/board/needs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/board/needs_internal.h"
#include "framework/board/translate.h"
#include "framework/schema/schema.h"
#include "framework/util/cleanup.h"

static const char *get(json_object *attrs, const char *name)
{
	return json_object_get_string(json_object_object_get(attrs, name));
}

static void set_exact(struct pv_needs *n, const char *step, const char *why)
{
	pv_needs_set_exact(n, step, why);
}

/* ---- names ---- */

size_t pv_needs_ptt(const char *name, unsigned *sicl, unsigned *core)
{
	int end = 0;

	return sscanf(name, "hisi_ptt%5u_%5u%n", sicl, core, &end) == 2 && end ? (size_t)end : 0;
}

size_t pv_needs_cxl(const char *name, unsigned *mem, unsigned *cpmu)
{
	int end = 0;

	*cpmu = 0;
	if (sscanf(name, "cxl_pmu_mem%5u%n", mem, &end) != 1 || !end)
		return 0;
	const char *dot = name + end + (name[end] == '\\');
	if (*dot == '.' && isdigit((unsigned char)dot[1]))
		*cpmu = (unsigned)strtoul(dot + 1, NULL, 10);
	return (size_t)end;
}

size_t pv_needs_mem(const struct pv_topology *plan, unsigned mem)
{
	for (size_t i = 0; i < plan->n; i++) {
		unsigned before = 0;

		if (plan->nodes[i].role != PV_ROLE_CXL_MEM || plan->nodes[i].spare)
			continue;
		for (size_t k = 0; k < plan->n; k++)
			before += plan->nodes[k].role == PV_ROLE_CXL_MEM && !plan->nodes[k].spare &&
				  plan->nodes[k].bdf < plan->nodes[i].bdf;
		if (before == mem)
			return i;
	}
	return plan->n;
}

size_t pv_needs_find_ptt(const struct pv_topology *plan, const char *pmu)
{
	unsigned sicl, core;
	size_t i = pv_needs_ptt(pmu, &sicl, &core) ? 0 : plan->n;

	while (i < plan->n &&
	       (plan->nodes[i].role != PV_ROLE_PTT || plan->nodes[i].sicl != sicl || plan->nodes[i].core != core))
		i++;
	return i;
}

bool pv_needs_serves(const struct pv_topo_node *ptt, const struct pv_topo_node *node)
{
	return node->bdf >= ptt->range_lower && node->bdf <= ptt->range_upper;
}

/* ---- functions that steps name ---- */

void pv_needs_node(struct pv_needs *n, const struct pv_topo_node *node, const char *step)
{
	n->role[node - n->plan->nodes].named = true;
	for (; node; node = node->parent < 0 ? NULL : &n->plan->nodes[node->parent]) {
		n->role[node - n->plan->nodes].needed = true;
		if (node->spare)
			set_exact(n, step, "it names a device that comes later");
		if (node->vf || node->conf.ari)
			set_exact(n, step, "it names one of the functions of a plan's device");
	}
}

static void need_pmu(struct pv_needs *n, size_t i, unsigned cpmu, const char *step)
{
	if (i == n->plan->n) {
		set_exact(n, step, "it names a PMU that the plan's machine lacks");
		return;
	}
	pv_needs_node(n, &n->plan->nodes[i], step);
	n->role[i].pmu = true;
	if (cpmu >= PV_NEEDS_CPMUS_MAX)
		set_exact(n, step, "it names a PMU that the plan's machine lacks");
	else
		n->role[i].cpmus |= 1u << cpmu;
}

/* A name in a regular expression, "cxl_pmu_mem0\\.1", keeps its number. */
static void need_mem(struct pv_needs *n, unsigned mem, unsigned cpmu, bool escaped, const char *step)
{
	size_t i = pv_needs_mem(n->plan, mem);

	need_pmu(n, i, cpmu, step);
	if (i < n->plan->n)
		n->role[i].numbered |= escaped;
}

static void read_ptts_and_mems(struct pv_needs *n, const char *text, const char *step)
{
	for (const char *at = text; *at; at++) {
		unsigned a, b;
		size_t len = pv_needs_ptt(at, &a, &b);

		if (len && pv_board_is_word(text, at, len))
			need_pmu(n, pv_needs_find_ptt(n->plan, at), 0, step);
		len = len ? 0 : pv_needs_cxl(at, &a, &b);
		if (len && pv_board_is_word(text, at, len))
			need_mem(n, a, b, at[len] == '\\', step);
	}
}

static void read_text(struct pv_needs *n, const char *text, enum pv_type_holds holds, const char *step)
{
	const char *at = text;
	struct pv_board_found f;

	while (pv_board_next_function(text, holds, &at, &f)) {
		const struct pv_topo_node *node = pv_topology_by_bdf(n->plan, f.bdf);

		if (f.pmu)
			need_pmu(n, node ? (size_t)(node - n->plan->nodes) : n->plan->n, 0, step);
		else if (node)
			pv_needs_node(n, node, step);
		else
			set_exact(n, step, "it names a function that the plan's machine lacks");
	}
	if (holds & PV_HOLDS_PMU)
		read_ptts_and_mems(n, text, step);
}

void pv_needs_ref(struct pv_needs *n, const struct pv_attr_decl *a, const char *value, const char *step)
{
	const struct pv_topo_node *node = pv_topology_node(n->plan, value);

	if (node)
		pv_needs_node(n, node, step);
	else if (a->type == &pv_types[PV_TYPE_REQUESTER_REF])
		set_exact(n, step, "its requester is a number made of a place");
	else if (a->type != &pv_types[PV_TYPE_FROM_REF] && a->type != &pv_types[PV_TYPE_TO_REF])
		set_exact(n, step, "it names a function that the plan's machine lacks");
}

/* ---- lanes ---- */

/*
 * A lane that the plan's port has must be there, so that a refusal has another reason. The machine's port must lack a
 * lane that the plan's lacks.
 */
static void need_lane(struct pv_role_needs *role, const struct pv_topo_node *port, unsigned long lane)
{
	if (lane < port->conf.max_width)
		role->lanes = role->lanes > lane + 1 ? role->lanes : (unsigned)lane + 1;
	else if (!role->most || role->most > lane)
		role->most = (unsigned)lane;
}

/* The port of a step: named, or that of its PMU. */
static const struct pv_topo_node *find_port(const struct pv_needs *n, json_object *attrs)
{
	const char *port = get(attrs, "port"), *pmu = get(attrs, "pmu");
	struct pv_board_found f;

	if (port)
		return pv_topology_node(n->plan, port);
	return pmu && pv_board_next_function(pmu, PV_HOLDS_PMU, &(const char *){pmu}, &f)
		       ? pv_topology_by_bdf(n->plan, f.bdf)
		       : NULL;
}

/* An event of a lane has its number, "rx_skp_add,lane=4" or with 0x, or "last"; in a config it has bits [27:20]. */
static void read_lanes(struct pv_needs *n, json_object *attrs)
{
	const char *event = get(attrs, "event"), *lane = get(attrs, "lane"), *config = get(attrs, "config");
	const char *in_event = event ? strstr(event, "lane=") : NULL;
	const struct pv_topo_node *port = find_port(n, attrs);
	struct pv_role_needs *role = port ? &n->role[port - n->plan->nodes] : NULL;

	if (!role || port->role != PV_ROLE_PORT)
		return;
	if (in_event && isdigit((unsigned char)in_event[strlen("lane=")]))
		need_lane(role, port, strtoul(in_event + strlen("lane="), NULL, 0));
	if (lane)
		need_lane(role, port, strtoul(lane, NULL, 0));
	if (config)
		need_lane(role, port, strtoull(config, NULL, 0) >> 20 & 0xff);
}

/* The same of perf's events, "dwc_rootport_80/rx_skp_add,lane=4/". */
static void read_perf_lanes(struct pv_needs *n, json_object *attrs)
{
	const char *text = get(attrs, "events"), *at = text;
	struct pv_board_found f;

	while (text && pv_board_next_function(text, PV_HOLDS_PMU, &at, &f)) {
		const struct pv_topo_node *port = f.pmu ? pv_topology_by_bdf(n->plan, f.bdf) : NULL;
		const char *lane = strstr(at, "lane=");

		if (port && *at == '/' && lane && lane < at + 1 + strcspn(at + 1, "/"))
			need_lane(&n->role[port - n->plan->nodes], port, strtoul(lane + strlen("lane="), NULL, 0));
	}
}

/* ---- links, workloads, sizes ---- */

/* A link has states and events only if a device is at its other end. */
static void read_link(struct pv_needs *n, json_object *attrs)
{
	const struct pv_topo_node *port = get(attrs, "port") ? pv_topology_node(n->plan, get(attrs, "port")) : NULL;

	if (port)
		n->role[port - n->plan->nodes].occupied = true;
}

/* A function has the MRRS that a step set; the one before depends on all functions below a Root Port. */
static void read_mrrs(struct pv_needs *n, const char *step, json_object *attrs)
{
	const struct pv_topo_node *node = pv_topology_node(n->plan, get(attrs, "device") ? get(attrs, "device") : "");
	const char *expect = get(attrs, "expect");

	if (node && !strcmp(step, "mrrs-set"))
		n->role[node - n->plan->nodes].mrrs |= !expect || !strcmp(expect, "0");
	else if (!node || !n->role[node - n->plan->nodes].mrrs)
		set_exact(n, step, "sizes depend on all functions below a Root Port");
}

/* The data of a workload comes from a device, or goes to one. */
static void read_workload(struct pv_needs *n, json_object *attrs)
{
	const struct pv_topo_node *from = pv_topology_node(n->plan, get(attrs, "from") ? get(attrs, "from") : "cpu");
	const struct pv_topo_node *to = pv_topology_node(n->plan, get(attrs, "to") ? get(attrs, "to") : "memory");

	if (from)
		n->role[from - n->plan->nodes].sends = true;
	if (to)
		n->role[to - n->plan->nodes].takes = true;
}

/* ---- a case ---- */

static void read_attrs(struct pv_needs *n, const struct pv_element_decl *decl, json_object *attrs)
{
	json_object_object_foreach(attrs, key, value)
	{
		const struct pv_attr_decl *a = pv_schema_attr(decl, key);
		const char *text = json_object_get_string(value);

		if (!a || !text)
			continue;
		if (a->type == &pv_types[PV_TYPE_PTT_FILTER])
			pv_needs_filter(n, attrs, text, decl->name);
		else if (a->type->holds == PV_HOLDS_BDF)
			pv_needs_ref(n, a, text, decl->name);
		else if (a->type->holds)
			read_text(n, text, a->type->holds, decl->name);
	}
}

static void read_step(struct pv_needs *n, json_object *step)
{
	const char *kind = json_object_get_string(json_object_object_get(step, "kind"));
	const struct pv_element_decl *decl = kind ? pv_schema_step(kind) : NULL;
	json_object *attrs = json_object_object_get(step, "attrs");

	if (!decl || !json_object_is_type(attrs, json_type_object)) {
		set_exact(n, kind ? kind : "step", "its effect is not known");
		return;
	}
	pv_needs_read_exact(n, decl->name, attrs);
	pv_needs_filters(n, attrs, decl->name);
	read_lanes(n, attrs);
	read_perf_lanes(n, attrs);
	read_attrs(n, decl, attrs);
	pv_needs_read_cxl(n, decl->name, attrs);
	if (!strcmp(decl->name, "counter-close") || !strcmp(decl->name, "perf-end"))
		pv_needs_read_close(n, attrs);
	if (!strncmp(decl->name, "link-", strlen("link-")))
		read_link(n, attrs);
	if (!strcmp(decl->name, "workload"))
		read_workload(n, attrs);
	if (!strncmp(decl->name, "mrrs-", strlen("mrrs-")))
		read_mrrs(n, decl->name, attrs);
}

/* If the topology has several CPUs, NUMA nodes or an IOMMU, the case needs them. */
static void read_machine(struct pv_needs *n)
{
	bool any = false;

	if (n->plan->cpus > 1 || n->plan->numa_nodes)
		set_exact(n, "topology", "it has CPUs or NUMA nodes of its own");
	if (n->plan->iommu != PV_IOMMU_NONE)
		set_exact(n, "topology", "it has an IOMMU");
	for (size_t i = 0; i < n->plan->n; i++)
		any |= n->role[i].needed;
	if (!any)
		set_exact(n, "topology", "no step names a function");
	for (size_t i = 0; i < n->plan->n; i++)
		if (n->role[i].needed && n->plan->nodes[i].conf.overrides)
			set_exact(n, "topology", "it has bytes of configuration space of its own");
}

bool pv_needs_is_optional(json_object *step)
{
	const char *optional = get(json_object_object_get(step, "attrs"), "optional");

	return optional && !strcmp(optional, "yes");
}

int pv_needs_read_optional(const struct pv_topology *plan, json_object *step, struct pv_needs *out)
{
	*out = (struct pv_needs){.plan = plan, .role = calloc(plan->n + 1, sizeof(*out->role))};
	if (!out->role)
		return -ENOMEM;
	read_step(out, step);
	return 0;
}

/* Functions that only optional steps name are wanted, not needed. */
static int want(struct pv_needs *n, json_object *step)
{
	struct pv_needs own;
	int err = pv_needs_read_optional(n->plan, step, &own);

	for (size_t i = 0; !err && !*own.exact && i < n->plan->n; i++)
		n->role[i].wanted |= own.role[i].needed;
	pv_needs_free(&own);
	return err;
}

int pv_needs_read(const struct pv_topology *plan, json_object *steps, struct pv_needs *out, struct pv_error *e)
{
	size_t n = json_object_is_type(steps, json_type_array) ? json_object_array_length(steps) : 0;

	*out = (struct pv_needs){.plan = plan, .role = calloc(plan->n + 1, sizeof(*out->role))};
	if (!out->role)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; i < n; i++) {
		json_object *step = json_object_array_get_idx(steps, i);

		if (!pv_needs_is_optional(step))
			read_step(out, step);
		else if (want(out, step))
			return pv_error(e, -ENOMEM, "no memory");
	}
	read_machine(out);
	return 0;
}

void pv_needs_free(struct pv_needs *n)
{
	free(n->role);
	*n = (struct pv_needs){0};
}
