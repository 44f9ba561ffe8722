/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The known deviations of a case, and their effect on its verdict. */
#include <criterion/criterion.h>
#include <string.h>

#include "framework/run/deviations.h"

static const char of_run[] =
	"[{\"driver\":\"kernel\",\"id\":\"a\",\"reason\":\"why\",\"says\":\"got 0:\",\"cases\":[\"p/x*\",\"p/y\"]},"
	"{\"driver\":\"silent\",\"id\":\"s\",\"cases\":[\"p/s\"]},"
	"{\"driver\":\"kernel\",\"id\":\"b\",\"says\":\"got 1\",\"cases\":[\"p/xx\"]}]";
static const char of_plan[] = "[{\"driver\":\"other\",\"id\":\"c\",\"reason\":\"r\"}]";

static size_t count(const char *run, const char *plan, const char *name)
{
	json_object *r = run ? json_tokener_parse(run) : NULL, *p = plan ? json_tokener_parse(plan) : NULL;
	json_object *list = pv_deviations_of(r, p, "p", name, NULL);
	size_t n = list ? json_object_array_length(list) : 0;

	json_object_put(list);
	json_object_put(r);
	json_object_put(p);
	return n;
}

Test(deviations, a_former_name_counts)
{
	static const char *const former[] = {"old", "y", NULL};
	json_object *r = json_tokener_parse(of_run), *list = pv_deviations_of(r, NULL, "p", "z@nic0=00:01.0", former);

	cr_expect_eq(json_object_array_length(list), 1);
	json_object_put(list);
	json_object_put(r);
}

Test(deviations, those_of_a_case)
{
	cr_expect_eq(count(NULL, NULL, "x"), 0);
	cr_expect_eq(count(of_run, NULL, "z"), 0);
	cr_expect_eq(count(of_run, NULL, "y"), 1);
	cr_expect_eq(count(of_run, NULL, "x[lane=0]"), 1);
	cr_expect_eq(count(of_run, NULL, "xx"), 2);
	cr_expect_eq(count(of_run, of_plan, "xx"), 3);
	cr_expect_eq(count("{}", "1", "xx"), 0, "no lists");
	cr_expect_eq(count("[1,{\"cases\":3},{\"cases\":[null]}]", NULL, "xx"), 0);
}

/* Names contain brackets, which are special in globs. */
Test(deviations, a_name_is_a_glob_or_literal)
{
	static const char globs[] = "[{\"cases\":[\"p/m[v=3]\"]},{\"cases\":[\"p/m[[]v=*]\"]}]";

	cr_expect_eq(count(globs, NULL, "m[v=3]"), 2);
	cr_expect_eq(count(globs, NULL, "m[v=3]@nic0=00:01.0"), 2);
	cr_expect_eq(count(globs, NULL, "m[v=4]"), 1);
	cr_expect_eq(count(globs, NULL, "mv"), 1, "as a glob the brackets are one of the letters");
}

static bool kills(const char *list)
{
	json_object *o = json_tokener_parse(list);
	bool is = pv_deviations_kill(o);

	json_object_put(o);
	return is;
}

Test(deviations, one_that_a_kernel_dies_of)
{
	cr_expect_not(kills("[]"));
	cr_expect_not(kills("[{\"id\":\"a\"},{\"kills_kernel\":false}]"));
	cr_expect(kills("[{\"id\":\"a\"},{\"kills_kernel\":true}]"));
	cr_expect_not(pv_deviations_kill(NULL));
}

static struct pv_outcome deviate(enum pv_verdict v, const char *message, const char *driver)
{
	json_object *list = json_tokener_parse(of_run);
	struct pv_outcome out;

	pv_outcome_set(&out, v, "check", "%s", message);
	pv_outcome_deviate(&out, list, driver);
	json_object_put(list);
	return out;
}

Test(deviations, a_failure_that_is_known)
{
	struct pv_outcome out = deviate(PV_FAIL, "expected 3, got 0: it", "kernel");

	cr_expect_eq(out.verdict, PV_SKIP);
	cr_expect_str_eq(out.type, "known-failure");
	cr_expect_str_eq(out.message, "known failure: a (why)");
	cr_expect_eq(deviate(PV_ERROR, "got 0: and then nothing", "kernel").verdict, PV_SKIP);
	out = deviate(PV_FAIL, "expected 3, got 12", "kernel");
	cr_expect_str_eq(out.message, "known failure: b");
}

#define LATE "{\"driver\":\"kernel\",\"id\":\"a\",\"says\":\"late\",\"sometimes\":true}"

static struct pv_outcome deviate_by(const char *list, enum pv_verdict v)
{
	json_object *deviations = json_tokener_parse(list);
	struct pv_outcome out = {.verdict = v};

	if (v != PV_PASS)
		pv_outcome_set(&out, v, "check", "late");
	pv_outcome_deviate(&out, deviations, "kernel");
	json_object_put(deviations);
	return out;
}

Test(deviations, one_that_shows_sometimes_lets_a_case_pass)
{
	static const char another[] =
		"[" LATE ",{\"driver\":\"kernel\",\"id\":\"b\",\"says\":\"0\",\"sometimes\":false}]";

	cr_expect_str_eq(deviate_by("[" LATE "]", PV_FAIL).message, "known failure: a");
	cr_expect_eq(deviate_by("[" LATE "]", PV_PASS).verdict, PV_PASS);
	cr_expect_str_eq(deviate_by(another, PV_PASS).type, "unexpected-pass");
}

Test(deviations, what_stays_as_it_is)
{
	cr_expect_eq(deviate(PV_FAIL, "an oops", "kernel").verdict, PV_FAIL, "another failure");
	cr_expect_eq(deviate(PV_FAIL, "got 0:", "reference").verdict, PV_FAIL, "another driver");
	cr_expect_eq(deviate(PV_ERROR, "no verdict", "kernel").verdict, PV_ERROR, "could not be judged");
	cr_expect_eq(deviate(PV_ERROR, "got 0:", "silent").verdict, PV_ERROR, "not what is known");
	cr_expect_eq(deviate(PV_SKIP, "got 0:", "kernel").verdict, PV_SKIP);
	cr_expect_eq(deviate(PV_PASS, "", "reference").verdict, PV_PASS);
}

Test(deviations, one_that_is_no_more)
{
	struct pv_outcome out = deviate(PV_PASS, "", "kernel");

	cr_expect_eq(out.verdict, PV_FAIL);
	cr_expect_str_eq(out.type, "unexpected-pass");
	cr_expect(strstr(out.message, "known failure a of driver kernel"));
}

Test(deviations, one_that_expired_is_a_failure_with_its_words)
{
	json_object *list = json_tokener_parse("[{\"driver\":\"kernel\",\"id\":\"a\",\"expired\":\"2026-01-02\"}]");
	struct pv_outcome out = {.verdict = PV_FAIL, .type = "check", .message = "expected 1, got 0"};

	pv_outcome_deviate(&out, list, "kernel");
	json_object_put(list);
	cr_expect_eq(out.verdict, PV_FAIL);
	cr_expect_str_eq(out.type, "known-failure-expired");
	cr_expect_str_eq(out.message, "the known failure a expired on 2026-01-02: expected 1, got 0");
}
