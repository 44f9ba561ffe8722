/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Long traces with very many losses: each loss is counted correctly in bounded time; if nothing agrees, the report says
 * that nothing was searched.
 */
#include "drivers/regs/ptt.h"
#include "framework/oracle/tests/make.h"

enum { N = 100000, SIZE = 32 };

static struct pv_trace_spec spec = {.filter = PTT_FILTER_IS_PORT | 1,
				    .type = 7,
				    .direction = PTT_DIR_B,
				    .format_8dw = true,
				    .range_lower = RP0,
				    .range_upper = RP1};
static struct pv_ledger *ledger;
static struct pv_trace_diff diff;
static uint8_t *trace;
static size_t len;

static void set_up(void)
{
	ledger = make_ledger();
	add_writes(ledger, N);
	trace = malloc((size_t)2 * N * SIZE);
	cr_assert(trace != NULL);
	len = 0;
}

static void tear_down(void)
{
	free(trace);
	pv_ledger_free(ledger);
}

TestSuite(losses, .init = set_up, .fini = tear_down, .timeout = 120);

static void put(uint64_t i)
{
	struct pv_wire w = make_write(i);

	len += pv_oracle_record(&spec, &test_head, &w, trace + len);
}

static void check(void)
{
	struct pv_window window = whole(ledger);

	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, len}, &diff), 0);
	cr_expect_eq(diff.got, diff.expected - diff.missing + diff.extra);
}

static void expect_losses(const char *what, uint64_t missing)
{
	check();
	cr_expect_eq(diff.missing, missing, "%s", what);
	cr_expect_eq(diff.extra + diff.differing + diff.unsearched, 0, "%s: %s", what, diff.first);
}

/* Every n-th one is lost. */
static void lose_every(uint64_t n)
{
	uint64_t lost = 0;

	len = 0;
	for (uint64_t i = 0; i < N; i++)
		if (i % n == n - 1)
			lost++;
		else
			put(i);
	expect_losses("every so many", lost);
}

Test(losses, every_97th_record)
{
	lose_every(97);
	cr_expect(strstr(diff.first, "record 96 at 0xc00") != NULL, "%s", diff.first);
	const char *hole = strstr(diff.first, "a hole of 1 record");
	cr_expect(hole && !hole[strlen("a hole of 1 record")], "%s", diff.first);
	cr_expect(strstr(diff.first, "searched") == NULL, "%s", diff.first);
}

Test(losses, every_97th_record_in_4dw)
{
	spec.format_8dw = false;
	lose_every(97);
}

Test(losses, every_second_or_third_or_fourth_record)
{
	lose_every(4);
	lose_every(3);
	lose_every(2);
}

/* A buffer is lost again and again: more than is looked at nearby. */
Test(losses, a_hole_of_300_in_every_2000_records)
{
	uint64_t lost = 0;

	for (uint64_t i = 0; i < N; i++)
		if (i % 2000 >= 1000 && i % 2000 < 1300)
			lost++;
		else
			put(i);
	expect_losses("holes", lost);
}

/* A buffer is handed over twice, again and again. */
Test(losses, 300_records_doubled_in_every_2000)
{
	for (uint64_t i = 0; i < N; i++) {
		put(i);
		for (uint64_t k = i - 299; i % 2000 == 1299 && k <= i; k++)
			put(k);
	}
	check();
	cr_expect_eq(diff.extra, N / 2000 * 300);
	cr_expect_eq(diff.missing + diff.differing + diff.unsearched, 0, "%s", diff.first);
}

/* Nothing agrees: the report says so, and explains it. */
Test(losses, where_nothing_agrees_the_search_ends_and_says_so)
{
	for (uint64_t i = 0; i < N; i++)
		put(i);
	for (uint64_t i = 0; i < N; i++)
		trace[i * SIZE + 28] ^= 1;
	check();
	cr_expect_eq(diff.differing, N);
	cr_expect_gt(diff.unsearched, N / 2);
	cr_expect_gt(diff.unsearched_from, 100);
	cr_expect(strstr(diff.first, "time expected 0x3e8, got 0x3e9") != NULL, "%s", diff.first);
	cr_expect(strstr(diff.first, "too little agrees to search for all losses: from record ") != NULL, "%s",
		  diff.first);
	cr_expect(strstr(diff.first, "may be missing or extra instead") != NULL, "%s", diff.first);
}

/* After a stretch in which nothing agrees, losses are losses again. */
Test(losses, what_agrees_again_is_searched_again)
{
	uint64_t lost = 0;

	for (uint64_t i = 0; i < N; i++)
		if (i > N / 2 && i % 97 == 0)
			lost++;
		else
			put(i);
	for (uint64_t i = 1000; i < N / 4; i++)
		trace[i * SIZE + 28] ^= 1;
	check();
	cr_expect_eq(diff.differing, N / 4 - 1000);
	cr_expect_eq(diff.missing, lost);
	cr_expect_eq(diff.extra, 0);
	cr_expect_gt(diff.unsearched, 0);
}

/* Bad records before a hole that is larger than the nearby search. */
Test(losses, holes_of_300_each_behind_five_bad_records)
{
	uint64_t lost = 0, bad = 0;

	for (uint64_t i = 0; i < N; i++) {
		if (i % 2000 >= 1000 && i % 2000 < 1300) {
			lost++;
			continue;
		}
		put(i);
		if (i % 2000 >= 995 && i % 2000 < 1000) {
			trace[len - SIZE + 8] ^= 1;
			bad++;
		}
	}
	check();
	cr_expect_eq(diff.missing, lost);
	cr_expect_eq(diff.differing, bad);
	cr_expect_eq(diff.extra + diff.unsearched, 0);
}
