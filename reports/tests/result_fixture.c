/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic results. */
#include "reports/tests/result_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char **result_strings(const char *a, const char *b)
{
	char **out = calloc(3, sizeof(*out));

	out[0] = strdup(a);
	out[1] = b ? strdup(b) : NULL;
	return out;
}

void result_attempt(struct pv_case_result *c, const char *type, const char *message, const char *log, double seconds)
{
	c->attempts = realloc(c->attempts, (c->n_attempts + 1) * sizeof(*c->attempts));
	c->attempts[c->n_attempts++] =
		(struct pv_attempt){.type = strdup(type),
				    .message = strdup(message),
				    .log = strdup(log),
				    .artefacts = result_strings("run/try/ledger.pvw", "run/try/log.txt"),
				    .seconds = seconds};
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

void result_property(struct pv_run_result *r, const char *name, const char *value)
{
	for (char **p = r->properties; *p; p++)
		free(*p);
	free(r->properties);
	r->properties = result_strings(name, value);
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
				if (n && v == PV_PASS && i < 7)
					result_attempt(c, "timeout", "no end", "", 1);
			}
	pv_run_count(r);
	return r;
}

struct pv_run_result *result_bad(void)
{
	struct pv_run_result *run = result_new();

	result_add(run, "tune", "ok", PV_PASS);
	result_say(result_add(run, "trace", "crash", PV_ERROR), "crash", "killed by SIGSEGV", NULL);
	struct pv_case_result *c = result_add(run, "tune", "set[level=2]", PV_FAIL);
	result_say(c, "check", "expected 2, got 1", "expected 2, got 1\nall\nof it\n");
	c->log = strdup("tuning\ntuned\n");
	c->verifies = result_strings("PTT-TU-01", "PTT-TU-02");
	return run;
}

struct pv_run_result *result_mixed(void)
{
	struct pv_run_result *run = result_new();
	char name[32];

	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "many[n=%d]", i);
		struct pv_case_result *c = result_add(run, "zeta", name, i == 5 ? PV_FAIL : PV_PASS);
		result_say(c, "check", i == 5 ? "expected 1, got 2" : "", NULL);
		c->seconds = i;
		c->verifies = result_strings("R-02", "R-01");
	}
	result_say(result_add(run, "alpha", "one", PV_SKIP), "target", "no CXL here", NULL);
	result_say(result_add(run, "alpha", "two", PV_SKIP), "plan", "needs a board", NULL);
	result_say(result_add(run, "alpha", "three", PV_SKIP), "target", "no CXL here", NULL);
	result_say(result_add(run, "alpha", "four", PV_SKIP), "known-failure", "known failure: bug 7",
		   "known failure: bug 7\nexpected 1, got 2\n");
	result_say(result_add(run, "alpha", "five", PV_FAIL), "unexpected-pass", "expected bug 7, got a pass", NULL);
	run->cases[12].verifies = result_strings("R-03", "R-02");
	return run;
}
