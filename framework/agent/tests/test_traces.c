/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace as the steps keep it: what belongs to which window, and a reader that is too slow. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/traces.h"

static struct pv_session session;
static struct pv_target target;
static const struct pv_target_ops ops;
static struct pv_session_trace trace;

static void set_up(void)
{
	target.ops = &ops;
	session = (struct pv_session){.t = &target};
	trace = (struct pv_session_trace){.data = PV_SPILL_INIT(4096), .area = SIZE_MAX};
}

static void tear_down(void)
{
	pv_spill_free(&trace.data);
	free(trace.commit);
	free(trace.window);
}

TestSuite(traces, .init = set_up, .fini = tear_down);

static int give(size_t bytes, uint32_t flags)
{
	static const char data[64];

	return pv_trace_take(&trace, data, bytes, flags);
}

static void run_window(size_t bytes, uint32_t flags)
{
	cr_assert_eq(pv_trace_starting(&session, &trace), 0);
	pv_trace_started(&session, &trace, 0);
	cr_assert_eq(give(bytes, flags), 0);
	pv_trace_ending(&session, &trace);
	pv_trace_ended(&session, &trace);
}

Test(traces, each_window_has_its_own_bytes_and_flags)
{
	run_window(10, 0);
	run_window(20, PV_PERF_AUX_TRUNCATED);
	run_window(30, 0);
	struct pv_trace_slice a = pv_trace_slice(&trace, 0), b = pv_trace_slice(&trace, 1),
			      c = pv_trace_slice(&trace, 2);
	cr_expect(a.begin == 0 && a.end == 10 && !a.flags);
	cr_expect(b.begin == 10 && b.end == 30 && b.flags == PV_PERF_AUX_TRUNCATED);
	cr_expect(b.commits_begin == 1 && b.commits_end == 2);
	cr_expect(c.begin == 30 && c.end == 60 && !c.flags);
}

Test(traces, what_comes_after_a_stop_is_charged_to_the_next_window_or_to_the_last)
{
	run_window(10, 0);
	cr_assert_eq(give(5, 0), 0);
	run_window(20, 0);
	cr_assert_eq(give(7, 0), 0);
	cr_expect_eq(pv_trace_slice(&trace, 0).end, 10);
	cr_expect_eq(pv_trace_slice(&trace, 1).begin, 10);
	cr_expect_eq(pv_trace_slice(&trace, 1).end, 42);
}

Test(traces, a_start_that_failed_leaves_no_window)
{
	run_window(10, 0);
	cr_assert_eq(pv_trace_starting(&session, &trace), 0);
	pv_trace_started(&session, &trace, -EBUSY);
	cr_expect_eq(trace.windows, 1);
	cr_expect(!trace.running);
	pv_trace_ending(&session, &trace);
	pv_trace_ended(&session, &trace);
	cr_expect_eq(pv_trace_slice(&trace, 0).end, 10);
}

/* The text of pv_trace_list_truncated(). */
static char *list_truncated(size_t *n)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	*n = pv_trace_list_truncated(&trace, f);
	fclose(f);
	return text;
}

Test(traces, every_truncation_is_listed_once)
{
	size_t n;

	for (int i = 0; i < 100; i++) {
		cr_assert_eq(give(60, 0), 0);
		cr_assert_eq(give(4, PV_PERF_AUX_TRUNCATED), 0);
		cr_assert_eq(give(0, PV_PERF_AUX_TRUNCATED), 0);
	}
	char *text = list_truncated(&n);
	cr_expect_eq(n, 100);
	cr_expect_eq(strncmp(text, "64,128,192,", 11), 0, "got %s", text);
	cr_expect_not_null(strstr(text, ",6336,6400"), "got %s", text);
	free(text);
}

Test(traces, truncations_beyond_what_convert_takes_are_counted)
{
	size_t n;

	for (size_t i = 0; i < PV_TRACE_TRUNCATED_MAX + 2; i++)
		cr_assert_eq(give(1, PV_PERF_AUX_TRUNCATED), 0);
	char *text = list_truncated(&n);
	cr_expect_eq(n, PV_TRACE_TRUNCATED_MAX + 2);
	cr_expect_not_null(strstr(text, ",4095,4096 and 2 more"), "got %s", text);
	free(text);
}

Test(traces, a_full_area_refuses_until_it_is_read)
{
	trace.area = 32;
	cr_expect_eq(give(20, 0), 0);
	cr_expect_eq(give(13, 0), -ENOSPC);
	cr_expect_eq(give(12, 0), 0);
	cr_expect_eq(give(0, PV_PERF_AUX_TRUNCATED), 0, "a flag needs no room");
	trace.unread = 0;
	cr_expect_eq(give(32, 0), 0);
	cr_expect_eq(trace.data.len, 64);
	cr_expect_eq(trace.error, 0, "no room is the driver's to tell, not an error of the run");
}
