/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps that a correct driver could fail on another machine than the plan's, each with the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/board/needs_internal.h"
#include "framework/util/cleanup.h"

static const char *get(json_object *attrs, const char *name)
{
	return json_object_get_string(json_object_object_get(attrs, name));
}

static bool begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

/* ---- conditions: true if the step depends on the plan's machine ---- */

/* Linux numbers PMUs from 0 upwards, so no machine has these types. */
#define TYPE_OF_NOBODY 0x7ffffff0ull

static bool type_is_somebodys(const struct pv_needs *n, json_object *attrs)
{
	(void)n;
	return strtoull(get(attrs, "type"), NULL, 0) < TYPE_OF_NOBODY;
}

/* The driver of a PTT or a Root Port gives every PMU the same files, except lists of filters. Those of a CPMU vary. */
static bool files_vary(const struct pv_needs *n, json_object *attrs)
{
	const char *pmu = get(attrs, "pmu"), *dir = get(attrs, "dir");

	(void)n;
	return !(begins(pmu, "hisi_ptt") || begins(pmu, "dwc_rootport_")) || (dir && strstr(dir, "_filters"));
}

/* All functions have the Command register, and all PTTs the registers of BAR 2, at the same offsets. */
static bool offset_varies(const struct pv_needs *n, json_object *attrs)
{
	const char *space = get(attrs, "space"), *offset = get(attrs, "offset"), *device = get(attrs, "device");
	const struct pv_topo_node *node = device ? pv_topology_node(n->plan, device) : NULL;

	if (!space || !strcmp(space, "config"))
		return !offset || strtoul(offset, NULL, 0) != PCI_COMMAND;
	return strcmp(space, "bar2") != 0 || !node || node->role != PV_ROLE_PTT;
}

/* ---- the table ---- */

/*
 * `attr` NULL: any step of this kind; otherwise steps with this attribute. `value` NULL: with any value; otherwise with
 * a value that contains this text. `varies` NULL: always.
 */
static const struct {
	const char *step, *attr, *value, *why;
	bool (*varies)(const struct pv_needs *n, json_object *attrs);
} exact_steps[] = {
	{"check-mps", NULL, NULL, "it judges the sizes of all functions", NULL},
	{"mps-get", NULL, NULL, "sizes depend on all functions below a Root Port", NULL},
	{"mps-set", NULL, NULL, "another MPS than at the other end breaks a link", NULL},
	{"pmu-list", "equals", NULL, "it lists all PMUs", NULL},
	{"pmu-list", "lacks", NULL, "it names PMUs that must be absent", NULL},
	{"attr-list", "dir", "_filters", "it lists all functions that a PTT serves", NULL},
	{"attr-list", "lacks", NULL, "it names files that must be absent", files_vary},
	{"attr-list", "equals", NULL, "it lists all files of a PMU", files_vary},
	{"attr-read", "path", "_filters", "it compares the number of a filter", NULL},
	{"attr-read", "path", "cpumask", "it compares numbers of CPUs", NULL},
	{"attr-read", "expect", NULL, "it names a file that must be absent", NULL},
	{"probe", NULL, NULL, "it probes a device that the plan describes", NULL},
	{"hotplug", NULL, NULL, "it plugs the plan's devices", NULL},
	{"vfs", NULL, NULL, "it needs the plan's virtual functions", NULL},
	{"fault", NULL, NULL, "it needs faults of the plan's devices", NULL},
	{"reg-read", NULL, NULL, "its registers have offsets of the plan's devices", offset_varies},
	{"reg-write", NULL, NULL, "its registers have offsets of the plan's devices", offset_varies},
	{"runtime-pm", NULL, NULL, "power of ports depends on all functions below them", NULL},
	{"suspend", NULL, NULL, "it suspends all functions", NULL},
	{"cpu", NULL, NULL, "it names CPUs", NULL},
	{"measure", NULL, NULL, "it measures links of the plan's rates", NULL},
	{"check-throughput", NULL, NULL, "it measures links of the plan's rates", NULL},
	{"check-file", NULL, NULL, "it compares a file of the whole system", NULL},
	{"check-log", NULL, NULL, "it compares messages about the plan's devices", NULL},
	{"check-trace", "against", "golden", "its golden has the plan's functions", NULL},
	{"check-counter", "against", "golden", "its golden has the plan's devices", NULL},
	{"check-perf", "lines", NULL, "it counts lines about all PMUs", NULL},
	{"trace-start", "cpu", NULL, "it names CPUs", NULL},
	{"trace-open", "cpu", NULL, "it names CPUs", NULL},
	{"counter-open", "cpu", NULL, "it names CPUs", NULL},
	{"counter-open", "type", NULL, "it names a PMU by number", type_is_somebodys},
	{"module", NULL, NULL, "it loads modules for all devices", NULL},
	{"probe-fail-nth", NULL, NULL, "it unbinds drivers", NULL},
};

void pv_needs_set_exact(struct pv_needs *n, const char *step, const char *why)
{
	if (!*n->exact)
		snprintf(n->exact, sizeof(n->exact), "%s: %s", step, why);
}

static bool is_one(const struct pv_needs *n, size_t i, const char *step, json_object *attrs)
{
	const char *value = exact_steps[i].attr ? get(attrs, exact_steps[i].attr) : NULL;

	return !strcmp(exact_steps[i].step, step) &&
	       (!exact_steps[i].attr || (value && (!exact_steps[i].value || strstr(value, exact_steps[i].value)))) &&
	       (!exact_steps[i].varies || exact_steps[i].varies(n, attrs));
}

void pv_needs_read_exact(struct pv_needs *n, const char *step, json_object *attrs)
{
	for (size_t i = 0; i < ARRAY_SIZE(exact_steps); i++)
		if (is_one(n, i, step, attrs))
			pv_needs_set_exact(n, step, exact_steps[i].why);
}
