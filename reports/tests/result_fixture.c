/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand. */
#include "reports/tests/result_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char **result_strings(const char *a, const char *b)
{
	char **out = calloc(3, sizeof(*out));

	out[0] = strdup(a);
	out[1] = strdup(b);
	return out;
}

struct pv_run_result *result_new(void)
{
	struct pv_run_result *r = calloc(1, sizeof(*r));

	r->target = strdup("model");
	r->board = strdup("embedded");
	r->driver = strdup("reference");
	r->command = strdup("pcieval run scenarios/plan.xml");
	r->rerun = strdup("pcieval run --seed 7");
	r->hostname = strdup("lab1");
	r->version = strdup("0.1.0");
	r->folder = strdup("pcieval-results/2026-03-01T12-00-00Z");
	r->properties = result_strings("seed", "7");
	r->started = 1772366400;
	r->seconds = 2.5;
	return r;
}

struct pv_case_result *result_add(struct pv_run_result *r, const char *plan, const char *name, enum pv_verdict v)
{
	r->cases = realloc(r->cases, (r->n_cases + 1) * sizeof(*r->cases));
	struct pv_case_result *c = &r->cases[r->n_cases++];
	*c = (struct pv_case_result){.plan = strdup(plan),
				     .name = strdup(name),
				     .file = strdup("scenarios/plan.xml"),
				     .line = 12,
				     .verdict = v,
				     .seed = 42,
				     .seconds = 0.25};
	return c;
}

void result_say(struct pv_case_result *c, const char *type, const char *message, const char *text)
{
	c->type = strdup(type);
	c->message = strdup(message);
	c->text = text ? strdup(text) : NULL;
}

struct pv_run_result *result_counted(void)
{
	static const size_t counts[PV_VERDICTS] = {[PV_PASS] = 4, [PV_FAIL] = 1, [PV_ERROR] = 2, [PV_SKIP] = 3};
	static const char *const types[PV_VERDICTS] = {NULL, "check", "crash", "target"};
	struct pv_run_result *r = result_new();

	for (size_t n = 0; n < 2; n++)
		for (int v = 0; v < PV_VERDICTS; v++)
			for (size_t i = 0; i < counts[v] * (n ? 10 : 1); i++) {
				char name[32];

				snprintf(name, sizeof(name), "%s[%zu]", pv_verdict_name(v), i);
				struct pv_case_result *c = result_add(r, n ? "two" : "one", name, v);
				if (types[v])
					result_say(c, types[v], name, NULL);
				if (n && v == PV_PASS && i < 7) {
					c->attempts = calloc(1, sizeof(*c->attempts));
					c->n_attempts = 1;
				}
			}
	pv_run_count(r);
	return r;
}
