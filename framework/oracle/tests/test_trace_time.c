/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time as the distance to the previous record: comparable and incomparable distances, and full scale. */
#include "drivers/regs/ptt.h"
#include "framework/oracle/tests/make.h"

#define N    200
#define SIZE 16

static struct pv_trace_spec spec = {.filter = PTT_FILTER_IS_PORT | 1,
				    .type = 7,
				    .direction = PTT_DIR_B,
				    .range_lower = RP0,
				    .range_upper = RP1,
				    .time_is_distance = true};
static struct pv_ledger *ledger;
static struct pv_window window;
static struct pv_trace_diff diff;
static uint8_t trace[N * 2 * SIZE];

/* Ticks between write n and the one before it. */
static uint64_t distance(uint64_t n)
{
	return n % 5 ? 3 + n % 7 : 2040 + n % 20;
}

static size_t size(void)
{
	return spec.format_8dw ? 2 * SIZE : SIZE;
}

static void set_time(uint64_t n, uint32_t time)
{
	uint8_t *at = trace + n * size() + (spec.format_8dw ? 28 : 0);
	uint32_t mask = spec.format_8dw ? UINT32_MAX : 0x7ff, v;

	memcpy(&v, at, 4);
	v = (v & ~mask) | time;
	memcpy(at, &v, 4);
}

static void set_up(void)
{
	uint64_t ps = 5000000;

	ledger = make_ledger();
	for (uint64_t i = 0; i < N; i++) {
		struct pv_wire w = make_write(i);

		ps += 1000 * distance(i);
		w.time_ps = ps;
		pv_ledger_add(ledger, &w);
		pv_oracle_record(&spec, &test_head, &w, trace + i * size());
		set_time(i, !i ? 77 : distance(i) < 2047 || spec.format_8dw ? (uint32_t)distance(i) : 2047);
	}
	window = whole(ledger);
}

static void set_up_8dw(void)
{
	spec.format_8dw = true;
	set_up();
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(distance, .init = set_up, .fini = tear_down);
TestSuite(distance_8dw, .init = set_up_8dw, .fini = tear_down);

static void check_data(const struct pv_trace_data *data)
{
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, data, &diff), 0);
}

static void check(void)
{
	check_data(&(struct pv_trace_data){trace, N * size()});
}

#define ASSERT_DIFF(m, e, d)                     \
	do {                                     \
		cr_expect_eq(diff.missing, m);   \
		cr_expect_eq(diff.extra, e);     \
		cr_expect_eq(diff.differing, d); \
	} while (0)

Test(distance, a_right_trace_passes_whatever_its_first_distance)
{
	check();
	ASSERT_DIFF(0, 0, 0);
	set_time(0, 0);
	check();
	ASSERT_DIFF(0, 0, 0);
}

Test(distance_8dw, a_right_trace_passes)
{
	check();
	ASSERT_DIFF(0, 0, 0);
}

Test(distance_8dw, a_clock_is_no_distance)
{
	spec.time_is_distance = false;
	check();
	ASSERT_DIFF(0, 0, N);
}

/* The difference of two ticks and a time that is cut to ticks differ by one at most. */
Test(distance, one_tick_less_is_as_good)
{
	set_time(8, (uint32_t)distance(8) - 1);
	check();
	ASSERT_DIFF(0, 0, 0);
	set_time(8, (uint32_t)distance(8) - 2);
	check();
	ASSERT_DIFF(0, 0, 1);
	cr_expect(strstr(diff.first, "time expected 0x04, got 0x02") != NULL, "%s", diff.first);
	set_time(8, (uint32_t)distance(8) + 1);
	check();
	ASSERT_DIFF(0, 0, 1);
}

Test(distance, zero_has_nothing_below_it)
{
	pv_ledger_free(ledger);
	ledger = make_ledger();
	for (uint64_t i = 0; i < 3; i++) {
		struct pv_wire w = make_write(i);

		w.time_ps = 1000000;
		pv_ledger_add(ledger, &w);
		pv_oracle_record(&spec, &test_head, &w, trace + i * SIZE);
		set_time(i, i == 1 ? 2047 : 0);
	}
	window = whole(ledger);
	check_data(&(struct pv_trace_data){trace, 3 * SIZE});
	ASSERT_DIFF(0, 0, 1);
}

Test(distance, a_long_pause_is_full_scale)
{
	cr_assert_gt(distance(15), 2047);
	check();
	ASSERT_DIFF(0, 0, 0);
	set_time(15, distance(15) & 0x7ff);
	check();
	ASSERT_DIFF(0, 0, 1);
}

/* The records that are lost have their own distances: the one behind them counts from the last of them. */
Test(distance, a_hole_hides_no_time)
{
	memmove(trace + 50 * SIZE, trace + 60 * SIZE, (N - 60) * SIZE);
	check_data(&(struct pv_trace_data){trace, (N - 10) * SIZE});
	ASSERT_DIFF(10, 0, 0);
	set_time(70, 1000);
	check_data(&(struct pv_trace_data){trace, (N - 10) * SIZE});
	ASSERT_DIFF(10, 0, 1);
}

Test(distance, behind_a_loss_that_is_told_the_first_time_is_not_judged)
{
	const uint64_t gap[] = {50 * SIZE, 60 * SIZE};

	memmove(trace + 50 * SIZE, trace + 80 * SIZE, (N - 80) * SIZE);
	set_time(50, 1234);
	check_data(&(struct pv_trace_data){trace, (N - 30) * SIZE, .gap = gap, .gaps = 2});
	ASSERT_DIFF(30, 0, 0);
	cr_expect_eq(diff.told, 30);
	set_time(55, 1234);
	check_data(&(struct pv_trace_data){trace, (N - 30) * SIZE, .gap = gap, .gaps = 2});
	ASSERT_DIFF(30, 0, 1);
}

Test(distance, a_trace_that_begins_late_is_found)
{
	window.outer_first = 0;
	window.inner_first = 40;
	memmove(trace, trace + 20 * SIZE, (N - 20) * SIZE);
	set_time(0, 1000);
	check_data(&(struct pv_trace_data){trace, (N - 20) * SIZE});
	ASSERT_DIFF(0, 0, 0);
}

Test(distance, time_can_be_left_out)
{
	set_time(8, 1);
	check_data(&(struct pv_trace_data){trace, N * SIZE, .ignore_time = true});
	ASSERT_DIFF(0, 0, 0);
}
