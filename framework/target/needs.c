/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/target/needs.h"

#include <string.h>

static bool has_step(json_object *case_msg, const char *const *kinds)
{
	json_object *steps = json_object_object_get(case_msg, "steps");
	size_t n = json_object_is_type(steps, json_type_array) ? json_object_array_length(steps) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *kind = json_object_object_get(json_object_array_get_idx(steps, i), "kind");

		for (const char *const *k = kinds; json_object_is_type(kind, json_type_string) && *k; k++)
			if (!strcmp(json_object_get_string(kind), *k))
				return true;
	}
	return false;
}

bool pv_case_runs_perf(json_object *case_msg)
{
	static const char *const kinds[] = {"perf", NULL};

	return has_step(case_msg, kinds);
}

bool pv_case_uses_module(json_object *case_msg)
{
	static const char *const kinds[] = {"mps-set", "mrrs-set", "suspend", NULL};

	return has_step(case_msg, kinds);
}
