/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the cases of a run need in their guests beside kernel and far-side program. */
#include "framework/cli/needs.h"

#include <stdlib.h>
#include <string.h>

static size_t length_of(json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

static const char *text_of(json_object *array, size_t i, const char *key)
{
	return json_object_get_string(json_object_object_get(json_object_array_get_idx(array, i), key));
}

/* Does a step of the case have one of these kinds? */
static bool has_step(json_object *c, const char *const *kinds)
{
	json_object *steps = json_object_object_get(c, "steps");

	for (size_t i = 0; i < length_of(steps); i++)
		for (const char *const *k = kinds; *k; k++)
			if (!strcmp(text_of(steps, i, "kind"), *k))
				return true;
	return false;
}

static bool on_root_bus(json_object *nodes, size_t i)
{
	return json_object_get_int(json_object_object_get(json_object_array_get_idx(nodes, i), "parent")) < 0;
}

/* "0000:40:01.0" and "0000:80:01.0": the same domain, but another bus? */
static bool other_bus_of_domain(const char *a, const char *b)
{
	size_t domain = strcspn(a, ":");

	return !strncmp(a, b, domain + 1) && strtoul(a + domain + 1, NULL, 16) != strtoul(b + domain + 1, NULL, 16);
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

static bool runs_perf(json_object *c)
{
	static const char *const kinds[] = {"perf", NULL};

	return has_step(c, kinds);
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
	static const char *const kinds[] = {"mps-set", "mrrs-set", NULL};

	return has_step(c, kinds) || has_root_buses(c) || has_virtual_functions(c);
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
	return any(jobs, n, runs_perf);
}

bool pv_cli_needs_module(const struct pv_job *jobs, size_t n)
{
	return any(jobs, n, needs_module);
}
