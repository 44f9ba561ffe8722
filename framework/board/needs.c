/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions that the steps of a case name, and steps that depend on the whole topology. */
#include "framework/board/needs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/board/translate.h"
#include "framework/schema/schema.h"
#include "framework/util/cleanup.h"

/* ---- steps that depend on other functions than those that they name ---- */

/*
 * `attr` NULL: any step of this kind; otherwise steps with this attribute. `value` NULL: with any value; otherwise with
 * a value that contains this text.
 */
static const struct {
	const char *step, *attr, *value, *why;
} exact_steps[] = {
	{"check-mps", NULL, NULL, "it judges the sizes of all functions"},
	{"mps-get", NULL, NULL, "sizes depend on all functions below a Root Port"},
	{"mps-set", NULL, NULL, "sizes depend on all functions below a Root Port"},
	{"mrrs-get", NULL, NULL, "sizes depend on all functions below a Root Port"},
	{"mrrs-set", NULL, NULL, "sizes depend on all functions below a Root Port"},
	{"pmu-list", "equals", NULL, "it lists all PMUs"},
	{"pmu-list", "lacks", NULL, "it names PMUs that must be absent"},
	{"attr-list", "dir", "_filters", "it lists all functions that a PTT serves"},
	{"attr-list", "lacks", NULL, "it names files that must be absent"},
	{"attr-list", "equals", NULL, "it lists all files of a PMU"},
	{"attr-read", "path", "_filters", "it compares the number of a filter"},
	{"attr-read", "path", "cpumask", "it compares numbers of CPUs"},
	{"attr-read", "expect", NULL, "it names a file that must be absent"},
	{"probe", NULL, NULL, "it probes a device that the plan describes"},
	{"hotplug", NULL, NULL, "it plugs the plan's devices"},
	{"vfs", NULL, NULL, "it needs the plan's virtual functions"},
	{"fault", NULL, NULL, "it needs faults of the plan's devices"},
	{"reg-read", NULL, NULL, "its registers have offsets of the plan's devices"},
	{"reg-write", NULL, NULL, "its registers have offsets of the plan's devices"},
	{"runtime-pm", NULL, NULL, "power of ports depends on all functions below them"},
	{"suspend", NULL, NULL, "it suspends all functions"},
	{"cpu", NULL, NULL, "it names CPUs"},
	{"measure", NULL, NULL, "it measures links of the plan's rates"},
	{"check-throughput", NULL, NULL, "it measures links of the plan's rates"},
	{"check-file", NULL, NULL, "it compares a file of the whole system"},
	{"check-log", NULL, NULL, "it compares messages about the plan's devices"},
	{"check-trace", "against", "golden", "its golden has the plan's functions"},
	{"check-counter", "against", "golden", "its golden has the plan's devices"},
	{"check-perf", "lines", NULL, "it counts lines about all PMUs"},
	{"trace-start", "config", NULL, "its config is a number made of places"},
	{"trace-open", "config", NULL, "its config is a number made of places"},
	{"trace-start", "cpu", NULL, "it names CPUs"},
	{"trace-open", "cpu", NULL, "it names CPUs"},
	{"counter-open", "cpu", NULL, "it names CPUs"},
	{"counter-open", "type", NULL, "it names a PMU by number"},
	{"module", NULL, NULL, "it loads modules for all devices"},
	{"probe-fail-nth", NULL, NULL, "it unbinds drivers"},
};

static const char *get(json_object *attrs, const char *name)
{
	return json_object_get_string(json_object_object_get(attrs, name));
}

static void set_exact(struct pv_needs *n, const char *step, const char *why)
{
	if (!*n->exact)
		snprintf(n->exact, sizeof(n->exact), "%s: %s", step, why);
}

static bool is_one(size_t i, const char *step, json_object *attrs)
{
	const char *value = exact_steps[i].attr ? get(attrs, exact_steps[i].attr) : NULL;

	return !strcmp(exact_steps[i].step, step) &&
	       (!exact_steps[i].attr || (value && (!exact_steps[i].value || strstr(value, exact_steps[i].value))));
}

static void read_exact(struct pv_needs *n, const char *step, json_object *attrs)
{
	for (size_t i = 0; i < ARRAY_SIZE(exact_steps); i++)
		if (is_one(i, step, attrs))
			set_exact(n, step, exact_steps[i].why);
}

/* An event of a lane has its number: "rx_skp_add,lane=4", also in hexadecimal with 0x. */
static void read_lanes(struct pv_needs *n, json_object *attrs)
{
	const char *expect = get(attrs, "expect"), *event = get(attrs, "event"), *lane = get(attrs, "lane");
	const char *in_event = event ? strstr(event, "lane=") : NULL;
	unsigned long named = in_event ? strtoul(in_event + strlen("lane="), NULL, 0)
			      : lane   ? strtoul(lane, NULL, 0)
				       : 0;

	if (in_event && expect && strcmp(expect, "0") != 0)
		n->all_lanes = true;
	else if (in_event || lane)
		n->lanes = n->lanes > named + 1 ? n->lanes : (unsigned)(named < UINT8_MAX ? named + 1 : UINT8_MAX);
	if (get(attrs, "config"))
		n->all_lanes = true;
}

/* Numbers of PTT filters cannot be moved in raw configs and in parameters of events: such a case is exact. */
static void read_raw(struct pv_needs *n, const char *step, json_object *attrs)
{
	const char *pmu = get(attrs, "pmu"), *event = get(attrs, "event");

	if (pmu && !strncmp(pmu, "hisi_ptt", 8) && (get(attrs, "config") || (event && strstr(event, "filter="))))
		set_exact(n, step, "its event has a filter by number");
	const char *events = get(attrs, "events");
	if (events && strstr(events, "hisi_ptt") && strstr(events, "filter="))
		set_exact(n, step, "its event has a filter by number");
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

static size_t find_ptt(const struct pv_topology *plan, unsigned sicl, unsigned core)
{
	size_t i = 0;

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

static void need_node(struct pv_needs *n, const struct pv_topo_node *node, const char *step)
{
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
	need_node(n, &n->plan->nodes[i], step);
	n->role[i].pmu = true;
	if (n->role[i].cpmus <= cpmu)
		n->role[i].cpmus = cpmu + 1;
}

static void read_ptts_and_mems(struct pv_needs *n, const char *text, const char *step)
{
	for (const char *at = text; *at; at++) {
		unsigned a, b;
		size_t len = pv_needs_ptt(at, &a, &b);

		if (len && pv_board_is_word(text, at, len))
			need_pmu(n, find_ptt(n->plan, a, b), 0, step);
		len = len ? 0 : pv_needs_cxl(at, &a, &b);
		if (len && pv_board_is_word(text, at, len))
			need_pmu(n, pv_needs_mem(n->plan, a), b, step);
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
			need_node(n, node, step);
		else
			set_exact(n, step, "it names a function that the plan's machine lacks");
	}
	if (holds & PV_HOLDS_PMU)
		read_ptts_and_mems(n, text, step);
}

/* Reads a reference: the name of a function, "cpu", "memory", or a number. */
static void read_ref(struct pv_needs *n, const struct pv_attr_decl *a, const char *value, const char *step)
{
	const struct pv_topo_node *node = pv_topology_node(n->plan, value);

	if (node)
		need_node(n, node, step);
	else if (a->type == &pv_types[PV_TYPE_REQUESTER_REF])
		set_exact(n, step, "its requester is a number made of a place");
	else if (a->type != &pv_types[PV_TYPE_FROM_REF] && a->type != &pv_types[PV_TYPE_TO_REF])
		set_exact(n, step, "it names a function that the plan's machine lacks");
}

/* ---- filters of a PTT ---- */

/* Reads a filter number: each of its ports, or its requester, must be a function of the plan that the PTT serves. */
static void read_number(struct pv_needs *n, const struct pv_topo_node *ptt, uint64_t value, const char *step)
{
	uint64_t left = value & PTT_FILTER_IS_PORT ? value & PTT_FILTER_VALUE_MASK : 1;

	for (size_t i = 0; i < n->plan->n; i++) {
		const struct pv_topo_node *node = &n->plan->nodes[i];
		bool port = node->conf.kind == PV_NODE_ROOT_PORT && pv_needs_serves(ptt, node);

		if (value & PTT_FILTER_IS_PORT
			    ? port && value & PTT_FILTER_PORT_BIT(node->bdf)
			    : PCI_RID(node->bdf) == value && PCI_DOMAIN(node->bdf) == PCI_DOMAIN(ptt->bdf)) {
			left &= value & PTT_FILTER_IS_PORT ? ~(uint64_t)PTT_FILTER_PORT_BIT(node->bdf) : 0;
			need_node(n, node, step);
		}
	}
	if (left || value & ~(uint64_t)(PTT_FILTER_IS_PORT | PTT_FILTER_VALUE_MASK))
		set_exact(n, step, "its filter names a function that the plan's machine lacks");
}

static void read_filter(struct pv_needs *n, json_object *attrs, const char *value, const char *step)
{
	const char *pmu = get(attrs, "pmu");
	unsigned sicl, core;
	size_t i = pmu && pv_needs_ptt(pmu, &sicl, &core) ? find_ptt(n->plan, sicl, core) : n->plan->n;
	_autofree_ char *words = strdup(value);

	if (i == n->plan->n || !words) {
		set_exact(n, step, "it has a filter of a PTT that the plan's machine lacks");
		return;
	}
	if (isdigit((unsigned char)*value)) {
		read_number(n, &n->plan->nodes[i], strtoull(value, NULL, 0), step);
		return;
	}
	for (char *save = NULL, *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		read_ref(n, &(struct pv_attr_decl){.type = &pv_types[PV_TYPE_DEVICE_REF]}, w, step);
}

/* ---- CXL PMUs: sysfs shows only their events ---- */

static void hide(struct pv_needs *n, size_t i, const char *what)
{
	if (!n->role[i].hidden)
		n->role[i].hidden = what;
}

/* Smaller widths occur only in plans; hardware has 48 bits or more. */
#define CPMU_WIDTH 48

static void read_cxl_event(struct pv_needs *n, size_t i, unsigned cpmu, json_object *attrs)
{
	const char *event = get(attrs, "event");
	size_t len = event ? strcspn(event, ",=") : 0;
	bool again = false;

	for (size_t k = 0; k < n->n_events; k++)
		again |= n->event[k].node == i && n->event[k].cpmu == cpmu && *n->event[k].id;
	if (again)
		hide(n, i, "room for several events");
	if (!event || event[len] || get(attrs, "group"))
		hide(n, i, "filters, thresholds, groups and raw events");
	if (cpmu >= n->plan->nodes[i].conf.cpmus || n->plan->nodes[i].conf.cpmu[cpmu].width < CPMU_WIDTH)
		hide(n, i, "counters of the plan's width");
	if (!event || event[len] == '=' || n->n_events == PV_NEEDS_EVENTS_MAX || len >= sizeof(n->event[0].name))
		return;
	n->event[n->n_events] = (struct pv_event_need){.node = i, .cpmu = cpmu};
	snprintf(n->event[n->n_events].id, sizeof(n->event[0].id), "%s", get(attrs, "id") ? get(attrs, "id") : "?");
	snprintf(n->event[n->n_events++].name, sizeof(n->event[0].name), "%.*s", (int)len, event);
}

/* A closed counter leaves room for another. */
static void read_close(struct pv_needs *n, json_object *attrs)
{
	_autofree_ char *ids = strdup(get(attrs, "id") ? get(attrs, "id") : "");

	for (char *save = NULL, *id = ids ? strtok_r(ids, " ", &save) : NULL; id; id = strtok_r(NULL, " ", &save))
		for (size_t k = 0; k < n->n_events; k++)
			if (!strcmp(n->event[k].id, id))
				*n->event[k].id = 0;
}

/* A link has states and events only if a device is at its other end. */
static void read_link(struct pv_needs *n, json_object *attrs)
{
	const struct pv_topo_node *port = get(attrs, "port") ? pv_topology_node(n->plan, get(attrs, "port")) : NULL;

	if (port)
		n->role[port - n->plan->nodes].occupied = true;
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

static void read_cxl(struct pv_needs *n, const char *step, json_object *attrs)
{
	const char *pmu = get(attrs, "pmu");
	unsigned mem, cpmu;

	if (!pmu || !pv_needs_cxl(pmu, &mem, &cpmu) || pv_needs_mem(n->plan, mem) == n->plan->n)
		return;
	size_t i = pv_needs_mem(n->plan, mem);
	if (!strcmp(step, "counter-open"))
		read_cxl_event(n, i, cpmu, attrs);
	if (!strcmp(step, "attr-list"))
		hide(n, i, "events and formats of its CPMUs");
	if (get(attrs, "expect") && strcmp(get(attrs, "expect"), "0") != 0)
		hide(n, i, "the limits of its CPMUs");
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
			read_filter(n, attrs, text, decl->name);
		else if (a->type->holds == PV_HOLDS_BDF)
			read_ref(n, a, text, decl->name);
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
	read_exact(n, decl->name, attrs);
	read_raw(n, decl->name, attrs);
	read_lanes(n, attrs);
	read_attrs(n, decl, attrs);
	read_cxl(n, decl->name, attrs);
	if (!strcmp(decl->name, "counter-close"))
		read_close(n, attrs);
	if (!strncmp(decl->name, "link-", strlen("link-")))
		read_link(n, attrs);
	if (!strcmp(decl->name, "workload"))
		read_workload(n, attrs);
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

int pv_needs_read(const struct pv_topology *plan, json_object *steps, struct pv_needs *out, struct pv_error *e)
{
	size_t n = json_object_is_type(steps, json_type_array) ? json_object_array_length(steps) : 0;

	*out = (struct pv_needs){.plan = plan, .role = calloc(plan->n + 1, sizeof(*out->role))};
	if (!out->role)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; i < n; i++)
		read_step(out, json_object_array_get_idx(steps, i));
	read_machine(out);
	return 0;
}

void pv_needs_free(struct pv_needs *n)
{
	free(n->role);
	*n = (struct pv_needs){0};
}
