/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How each way in which an agent can end becomes a verdict, seen through the results of a run. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/tests/run_fixture.h"

struct expectation {
	char name[24];
	enum pv_verdict verdict;
	char type[24];
	char message[96]; /* a part of it */
};

ParameterizedTestParameters(runner, the_end_of_an_agent_is_its_verdict)
{
	static struct expectation table[] = {
		{"pass", PV_PASS, "", ""},
		{"fail", PV_FAIL, "check", "expected 4 records, got 3"},
		{"error", PV_ERROR, "infrastructure", "no such device"},
		{"skip", PV_SKIP, "target", "the target has no CXL"},
		{"nothing", PV_ERROR, "plan", "checked nothing"},
		{"crash", PV_ERROR, "crash", "SIGSEGV"},
		{"crash", PV_ERROR, "crash", "in step 2 (traffic, line 31)"},
		{"abort", PV_ERROR, "crash", "SIGABRT"},
		{"status", PV_ERROR, "crash", "status 5"},
		{"no-verdict", PV_ERROR, "incomplete", "without a verdict in step 0 (boot, line 3)"},
		{"late-crash", PV_ERROR, "crash", "SIGSEGV"},
		{"late-status", PV_ERROR, "crash", "status 1 after its verdict"},
		{"lingers", PV_ERROR, "timeout", "did not exit within 0.300 s after its verdict"},
		{"hang", PV_ERROR, "timeout", "no verdict within 1.000 s: stopped in step 4 (wait, line 9)"},
		{"stubborn", PV_ERROR, "timeout", "no verdict within 1.000 s"},
		{"garbage", PV_ERROR, "protocol", "'Hello, world'"},
		{"half", PV_ERROR, "incomplete", "without a verdict"},
		{"trailing", PV_ERROR, "protocol", "not a JSON object"},
		{"unknown", PV_ERROR, "protocol", "not a known event"},
		{"no-hello", PV_ERROR, "protocol", "'step' before hello"},
		{"version", PV_ERROR, "protocol", "protocol 99, expected 1"},
		{"wrong-field", PV_ERROR, "protocol", "\"message\" is not a string"},
		{"false-pass", PV_FAIL, "check", "expected 1, got 2; the agent's verdict is pass, but it named 1 prob"},
		{"no-reason", PV_ERROR, "protocol", "verdict is fail, but it named no problem"},
		{"after-done", PV_ERROR, "protocol", "'done' after its verdict"},
		{"long-line", PV_ERROR, "protocol", "a line is too long"},
		{"zero", PV_ERROR, "protocol", "a 0 byte"},
		{"fail-crash", PV_FAIL, "check", "expected 4 records, got 3; the agent was killed by SIGSEGV"},
		{"fail-end", PV_FAIL, "check", "expected 4 records, got 3; the agent exited without a verdict"},
		{"fail-garbage", PV_FAIL, "check", "expected 4 records, got 3; the agent broke the protocol: "},
		{"fail-hang", PV_FAIL, "check", "expected 4 records, got 3; no verdict within 1.000 s: stopped"},
		{"fail-skip", PV_FAIL, "check", "expected 4 records, got 3; the agent's verdict is skip, but it"},
		{"noisy", PV_PASS, "", ""},
		{"deaf", PV_PASS, "", ""},
	};

	return cr_make_param_array(struct expectation, table, sizeof(table) / sizeof(*table));
}

ParameterizedTest(struct expectation *x, runner, the_end_of_an_agent_is_its_verdict)
{
	struct fixture *f = fixture_new(x->name);
	const struct pv_case_result *c = fixture_one(f);

	cr_expect_eq(c->verdict, x->verdict, "%s: expected %s, got %s (%s)", x->name, pv_verdict_name(x->verdict),
		     pv_verdict_name(c->verdict), c->message);
	cr_expect_str_eq(c->type, x->type);
	cr_expect(strstr(c->message, x->message), "%s: expected '%s' in '%s'", x->name, x->message, c->message);
	fixture_free(f);
}
