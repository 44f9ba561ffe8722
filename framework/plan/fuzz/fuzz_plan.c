/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds any bytes as a plan. Problems must be single printable lines. A plan that loads must be complete: the JSON of
 * each case must read back the same.
 */
#include <json-c/json.h>

#include "framework/plan/plan.h"
#include "framework/util/fuzz/fuzz.h"

/* Checks that a problem is one line without control characters. */
static void check_problem(void *ctx, const struct pv_error *e)
{
	fuzz_check(*e->text);
	for (const char *c = e->text; *c; c++)
		fuzz_check((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_case(const struct pv_case *c)
{
	json_object *o = pv_case_json(c), *again;
	const char *text = json_object_to_json_string(o);

	fuzz_check(json_object_is_type(o, json_type_object));
	again = json_tokener_parse(text);
	fuzz_check(again && json_object_equal(o, again));
	json_object_put(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pv_plan_options opt = {.max_cases = 200};
	struct pv_plans *plans = NULL;
	int fd = fuzz_file(data, size);
	const char *file = fuzz_path(fd);

	if (!pv_plans_load(&file, 1, &opt, check_problem, NULL, &plans))
		for (size_t i = 0; i < plans->n_cases; i++)
			check_case(plans->cases[i]);
	pv_plans_free(plans);
	close(fd);
	return 0;
}
