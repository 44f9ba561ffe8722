/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what the cases of a run need in their guests beside kernel and far-side program. */
#include "framework/cli/needs.h"

#include <stdlib.h>
#include <string.h>

#include "framework/target/needs.h"

static size_t length_of(json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

static const char *text_of(json_object *array, size_t i, const char *key)
{
	return json_object_get_string(json_object_object_get(json_object_array_get_idx(array, i), key));
}

static bool on_root_bus(json_object *nodes, size_t i)
{
	return json_object_get_int(json_object_object_get(json_object_array_get_idx(nodes, i), "parent")) < 0;
}

/* The same domain, but another bus? As "40:01.0" and "80:01.0"; in another domain than 0, "0001:40:01.0". */
static bool other_bus_of_domain(const char *a, const char *b)
{
	size_t domain = strlen(a) - strlen(strrchr(a, ':')), to = strlen(b) - strlen(strrchr(b, ':'));
	const char *bus_a = memrchr(a, ':', domain), *bus_b = memrchr(b, ':', to);

	bus_a = bus_a ? bus_a + 1 : a;
	bus_b = bus_b ? bus_b + 1 : b;
	return bus_a - a == bus_b - b && !strncmp(a, b, (size_t)(bus_a - a)) &&
	       strtoul(bus_a, NULL, 16) != strtoul(bus_b, NULL, 16);
}

/* Has a PCI domain of the case several root buses? */
static bool has_root_buses(json_object *c)
{
	json_object *nodes = json_object_object_get(json_object_object_get(c, "topology"), "nodes");

	for (size_t i = 0; i < length_of(nodes); i++)
		for (size_t j = 0; j < i; j++)
			if (on_root_bus(nodes, i) && on_root_bus(nodes, j) &&
			    other_bus_of_domain(text_of(nodes, i, "bdf"), text_of(nodes, j, "bdf")))
				return true;
	return false;
}

static bool has_virtual_functions(json_object *c)
{
	json_object *nodes = json_object_object_get(json_object_object_get(c, "topology"), "nodes");

	for (size_t i = 0; i < length_of(nodes); i++)
		if (json_object_get_boolean(json_object_object_get(json_object_array_get_idx(nodes, i), "vf")))
			return true;
	return false;
}

static bool needs_module(json_object *c)
{
	return pv_case_uses_module(c) || has_root_buses(c) || has_virtual_functions(c);
}

static bool any(const struct pv_job *jobs, size_t n, bool (*is)(json_object *c))
{
	for (size_t i = 0; i < n; i++)
		if (is(pv_case_json(jobs[i].source)))
			return true;
	return false;
}

bool pv_cli_runs_perf(const struct pv_job *jobs, size_t n)
{
	return any(jobs, n, pv_case_runs_perf);
}

bool pv_cli_needs_module(const struct pv_job *jobs, size_t n)
{
	return any(jobs, n, needs_module);
}
