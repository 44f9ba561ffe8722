/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of PMUs, and which PMUs there are. Expected values are learned when the step runs. */
#include <string.h>

#include "framework/explore/explore_internal.h"
#include "framework/util/bdf.h"

#define ABI	(1u << PV_EXPLORE_ABI)
#define DEVICES (ABI | 1u << PV_EXPLORE_PTT | 1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_DWC)

static bool draw_pmus(struct pv_drawing *g)
{
	pv_element_set(pv_draw_step(g, "pmu-list"), "equals", "0");
	return true;
}

/* Folders whose files the driver makes; the kernel makes the others. */
static const char *const folders[] = {"events", "format", "requester_filters", "root_port_filters", "tune"};

/* Linux has renamed events of dwc_rootport_*, so that their list depends on the kernel: plans look at it. */
static bool varies(const char *pmu, const char *folder)
{
	return !strncmp(pmu, "dwc_", 4) && !strcmp(folder, "events");
}

static bool draw_list(struct pv_drawing *g)
{
	const char *pmu = pv_draw_pmu(g, ""), *folder = pv_draw_word(&g->d, folders);

	if (!pmu || varies(pmu, folder))
		return false;
	json_object *x = pv_draw_step(g, "attr-list");
	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "dir", "%s", folder);
	pv_element_set(x, "equals", "0");
	return true;
}

static bool draw_read(struct pv_drawing *g)
{
	const char *pmu = pv_draw_pmu(g, ""), *folder = pv_draw_word(&g->d, folders);
	char entry[100];

	if (!pmu || varies(pmu, folder) || !pv_draw_entry(g, pmu, folder, entry, sizeof(entry)))
		return false;
	json_object *x = pv_draw_step(g, "attr-read");
	pv_element_set(x, "pmu", "%s", pmu);
	if (pv_draw_chance(&g->d, 20))
		pv_element_set(x, "path", "cpumask");
	else
		pv_element_set(x, "path", "%s/%s", folder, entry);
	pv_element_set(x, "equals", "0");
	return true;
}

static bool draw_write(struct pv_drawing *g)
{
	static const char *const paths[] = {"cpumask", "events/none", "type", "identifier", "none"};
	const char *pmu = pv_draw_pmu(g, "");

	if (!pmu)
		return false;
	json_object *x = pv_draw_step(g, "attr-write");
	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "path", "%s", pv_draw_word(&g->d, paths));
	pv_element_set(x, "value", "%u", pv_draw_below(&g->d, 3));
	return true;
}

/*
 * Whether the files of a PTT cannot be compared: a function that was removed is still on the bus, and the check expects
 * its filter. Linux polls a busy device for a second for each of its tune values.
 */
static bool is_ptt_unsettled(const struct pv_drawing *g)
{
	return pv_draw_had_step(g, "hotplug", NULL, NULL) ||
	       (!g->model && pv_draw_had_step(g, "fault", "kind", "tune-busy"));
}

/* Files against the registers that they show. */
static bool draw_check_attributes(struct pv_drawing *g)
{
	const char *pmu = pv_draw_pmu(g, "");

	if (!pmu || (!strncmp(pmu, "hisi", 4) && is_ptt_unsettled(g)))
		return false;
	pv_element_set(pv_draw_step(g, "check-attributes"), "pmu", "%s", pmu);
	return true;
}

static const struct pv_topo_node *device_of(struct pv_drawing *g, const char *pmu)
{
	const struct pv_topology *t = g->s->t->topology;
	char name[16];
	pv_bdf port;

	if (sscanf(pmu, "cxl_pmu_%15[a-z0-9].", name) == 1)
		return pv_topology_node(t, name);
	return pv_bdf_of_dwc_pmu(pmu, &port) ? NULL : pv_topology_by_bdf(t, port);
}

static bool draw_check_parent(struct pv_drawing *g)
{
	const char *pmu = pv_draw_pmu(g, "");
	const struct pv_topo_node *node = pmu ? device_of(g, pmu) : NULL;

	if (!node)
		return false;
	json_object *x = pv_draw_step(g, "check-parent");
	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "device", "%s", node->name);
	return true;
}

const struct pv_action pv_actions_abi[] = {
	{DEVICES, 1, draw_pmus},
	{ABI, 4, draw_list},
	{DEVICES, 1, draw_list},
	{ABI, 4, draw_read},
	{ABI, 1, draw_write},
	{ABI, 2, draw_check_attributes},
	{DEVICES, 1, draw_check_attributes},
	{ABI, 1, draw_check_parent},
	{0},
};
