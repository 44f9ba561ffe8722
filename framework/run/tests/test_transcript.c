/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report on an agent that ended without a verdict: its current step, as written in the plan. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "framework/run/transcript.h"

static void add(struct pv_transcript *t, enum pv_event_kind kind, const char *text)
{
	struct pv_error e = {0};
	json_object *event = json_tokener_parse(text);

	cr_assert_eq(pv_transcript_add(t, kind, event, &e), 0, "%s", e.text);
	json_object_put(event);
}

/* The message of a crash in step n, of this kind and at line 31, of a case with these steps. */
static const char *crash_in(int n, const char *kind, const char *steps)
{
	static struct pv_outcome out;
	const struct pv_end end = {.signal = SIGSEGV};
	struct pv_transcript t;
	char step[128];
	json_object *all = steps ? json_tokener_parse(steps) : NULL;

	pv_transcript_begin(&t);
	t.steps = all;
	snprintf(step, sizeof(step), "{\"n\":%d,\"kind\":\"%s\",\"line\":31}", n, kind);
	add(&t, PV_EV_HELLO, "{\"protocol\":1}");
	add(&t, PV_EV_STEP, step);
	pv_transcript_judge(&t, &end, &out);
	json_object_put(all);
	return out.message;
}

#define SEGV  "the agent was killed by SIGSEGV (Segmentation fault) "
#define STEPS "[{\"kind\":\"boot\"},{\"kind\":\"traffic\",\"attrs\":{\"kind\":\"mwr64\",\"count\":\"10\"}}]"

Test(transcript, a_crash_is_told_with_the_step_as_the_plan_has_it)
{
	cr_expect_str_eq(crash_in(1, "traffic", STEPS),
			 SEGV "in step 1 (traffic kind=\"mwr64\" count=\"10\", line 31)");
	cr_expect_str_eq(crash_in(0, "boot", STEPS), SEGV "in step 0 (boot, line 31)");
}

Test(transcript, a_step_that_the_case_does_not_have_keeps_its_kind)
{
	cr_expect_str_eq(crash_in(2, "wait", STEPS), SEGV "in step 2 (wait, line 31)");
	cr_expect_str_eq(crash_in(-3, "wait", STEPS), SEGV "before the first step");
	cr_expect_str_eq(crash_in(1, "wait", STEPS), SEGV "in step 1 (wait, line 31)");
	cr_expect_str_eq(crash_in(1, "traffic", NULL), SEGV "in step 1 (traffic, line 31)");
}

Test(transcript, long_attributes_are_cut)
{
	char steps[1000] = "[{\"kind\":\"traffic\",\"attrs\":{\"from\":\"nic0\",\"mix\":\"", expected[200];
	size_t n = strlen(steps);

	memset(steps + n, 'x', 400);
	strcpy(steps + n + 400, "\"}}]");
	snprintf(expected, sizeof(expected), "%s", SEGV "in step 0 (traffic from=\"nic0\" ..., line 31)");
	cr_expect_str_eq(crash_in(0, "traffic", steps), expected);
}

/* ---- the verdict of several problems ---- */

#define PROBLEM(verdict, message) \
	"{\"verdict\":\"" verdict "\",\"type\":\"" verdict "-type\",\"message\":\"" message "\",\"text\":\"\"}"

static struct pv_outcome outcome_of(const char *first, const char *second, const char *done)
{
	const struct pv_end end = {.cause = PV_END_EXIT};
	struct pv_outcome out = {0};
	struct pv_transcript t;

	pv_transcript_begin(&t);
	add(&t, PV_EV_HELLO, "{\"protocol\":1}");
	add(&t, PV_EV_PROBLEM, first);
	add(&t, PV_EV_PROBLEM, second);
	add(&t, PV_EV_DONE, done);
	pv_transcript_judge(&t, &end, &out);
	return out;
}

#define DONE(verdict) "{\"verdict\":\"" verdict "\",\"checks\":1}"

Test(transcript, a_failure_before_or_behind_a_skip_is_told)
{
	struct pv_outcome a = outcome_of(PROBLEM("skip", "no PTT"), PROBLEM("fail", "got 3"), DONE("fail"));
	struct pv_outcome b = outcome_of(PROBLEM("fail", "got 3"), PROBLEM("skip", "no PTT"), DONE("fail"));
	struct pv_outcome c = outcome_of(PROBLEM("fail", "got 3"), PROBLEM("fail", "got 4"), DONE("fail"));

	cr_expect_eq(a.verdict, PV_FAIL);
	cr_expect_str_eq(a.type, "fail-type");
	cr_expect_str_eq(a.message, "got 3");
	cr_expect_eq(b.verdict, PV_FAIL);
	cr_expect_str_eq(b.message, "got 3");
	cr_expect_str_eq(c.message, "got 3");
}

/* A failure must not become a skip or an error. */
Test(transcript, a_verdict_that_passes_over_a_problem_is_an_error)
{
	struct pv_outcome a = outcome_of(PROBLEM("fail", "got 3"), PROBLEM("skip", "no PTT"), DONE("skip"));
	struct pv_outcome b = outcome_of(PROBLEM("error", "no memory"), PROBLEM("fail", "got 3"), DONE("error"));
	struct pv_outcome c = outcome_of(PROBLEM("error", "no memory"), PROBLEM("fail", "got 3"), DONE("fail"));

	cr_expect_eq(a.verdict, PV_ERROR);
	cr_expect_str_eq(a.type, "protocol");
	cr_expect_str_eq(a.message, "the agent's verdict is skip, but it named a problem that is fail: got 3");
	cr_expect_str_eq(b.message, "the agent's verdict is error, but it named a problem that is fail: got 3");
	cr_expect_str_eq(c.message, "got 3");
}
