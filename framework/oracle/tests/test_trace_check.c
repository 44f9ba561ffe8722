/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares traces with the truth: a correct trace passes, and every kind of damage is found, counted correctly and
 * described.
 */
#include <stdio.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/oracle/tests/make.h"

#define N    1000
#define SIZE 32

static struct pv_trace_spec spec = {.filter = PTT_FILTER_IS_PORT | 1,
				    .type = 7,
				    .direction = PTT_DIR_B,
				    .format_8dw = true,
				    .range_lower = RP0,
				    .range_upper = RP1};
static struct pv_ledger *ledger;
static struct pv_window window;
static struct pv_trace_diff diff;
static uint8_t trace[4 * N * SIZE];

static size_t write_trace(const struct pv_trace_spec *s, uint64_t first, uint64_t last)
{
	size_t len = 0;

	for (uint64_t i = first; i < last; i++) {
		struct pv_wire w = make_write(i);
		uint8_t record[32];
		size_t n = pv_oracle_record(s, &test_head, &w, record);

		memcpy(trace + len, record, n);
		len += n;
	}
	return len;
}

static void set_up(void)
{
	ledger = make_ledger();
	add_writes(ledger, N);
	window = whole(ledger);
	write_trace(&spec, 0, N);
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(check_trace, .init = set_up, .fini = tear_down);

static void check(size_t len)
{
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, len}, &diff), 0);
}

#define ASSERT_DIFF(m, e, d)                     \
	do {                                     \
		cr_expect_eq(diff.missing, m);   \
		cr_expect_eq(diff.extra, e);     \
		cr_expect_eq(diff.differing, d); \
	} while (0)
#define ASSERT_SAYS(text) cr_expect(strstr(diff.first, text) != NULL, "%s: not in: %s", text, diff.first)
#define ASSERT_ENDS(text) cr_expect_str_eq(diff.first + strlen(diff.first) - strlen(text), text, "not: %s", diff.first)

static void cut(uint64_t at, uint64_t n)
{
	memmove(trace + at * SIZE, trace + (at + n) * SIZE, (N - at - n) * SIZE);
}

static void insert(uint64_t at, uint64_t n)
{
	memmove(trace + (at + n) * SIZE, trace + at * SIZE, (N - at) * SIZE);
}

Test(check_trace, right_trace_is_right)
{
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 0);
	cr_assert_eq(diff.expected, N);
	cr_assert_eq(diff.got, N);
	cr_assert_eq(strlen(diff.first), 0);
}

Test(check_trace, right_4dw_trace_is_right)
{
	spec.format_8dw = false;
	check(write_trace(&spec, 0, N));
	ASSERT_DIFF(0, 0, 0);
	cr_assert_eq(diff.expected, N);
}

Test(check_trace, nothing_expected_and_nothing_got)
{
	spec.type = PTT_TYPE_COMPLETION;
	check(0);
	ASSERT_DIFF(0, 0, 0);
	cr_assert_eq(diff.expected, 0);
}

Test(check_trace, one_lost_record_is_one_missing)
{
	cut(96, 1);
	check((N - 1) * SIZE);
	ASSERT_DIFF(1, 0, 0);
	ASSERT_SAYS("record 96 at 0xc00: expected MWr64 01:00.0 tag 0x60");
	ASSERT_ENDS("; a hole of 1 record");
}

Test(check_trace, large_hole_is_only_a_hole)
{
	cut(100, 500);
	check((N - 500) * SIZE);
	ASSERT_DIFF(500, 0, 0);
	ASSERT_SAYS("record 100 at 0xc80");
	ASSERT_SAYS("a hole of 500 records");
}

Test(check_trace, two_holes_are_told_apart_from_what_is_between)
{
	cut(500, 3);
	cut(10, 2);
	check((N - 5) * SIZE);
	ASSERT_DIFF(5, 0, 0);
	ASSERT_SAYS("record 10 at");
}

Test(check_trace, first_records_lost)
{
	cut(0, 4);
	check((N - 4) * SIZE);
	ASSERT_DIFF(4, 0, 0);
	ASSERT_SAYS("record 0 at 0x0");
}

Test(check_trace, last_records_lost)
{
	check((N - 3) * SIZE);
	ASSERT_DIFF(3, 0, 0);
	ASSERT_SAYS("record 997 at 0x7ca0: expected MWr64");
	ASSERT_SAYS("got the end of the trace");
}

Test(check_trace, empty_trace_misses_all)
{
	check(0);
	ASSERT_DIFF(N, 0, 0);
}

Test(check_trace, doubled_record)
{
	insert(97, 1);
	memcpy(trace + 97 * SIZE, trace + 96 * SIZE, SIZE);
	check((N + 1) * SIZE);
	ASSERT_DIFF(0, 1, 0);
	ASSERT_SAYS("record 97 is record 96 again");
}

Test(check_trace, last_record_doubled)
{
	memcpy(trace + N * SIZE, trace + (N - 1) * SIZE, SIZE);
	check((N + 1) * SIZE);
	ASSERT_DIFF(0, 1, 0);
	ASSERT_SAYS("expected the end of the trace");
	ASSERT_SAYS("record 1000 is record 999 again");
}

Test(check_trace, buffer_delivered_twice)
{
	insert(400, 200);
	memcpy(trace + 400 * SIZE, trace + 200 * SIZE, 200 * SIZE);
	check((N + 200) * SIZE);
	ASSERT_DIFF(0, 200, 0);
	ASSERT_SAYS("record 400 is record 200 again: stale data");
}

Test(check_trace, zero_tail)
{
	memset(trace + N * SIZE, 0, 7 * SIZE);
	check((N + 7) * SIZE);
	ASSERT_DIFF(0, 7, 0);
	ASSERT_SAYS("a zero tail of 7 records");
}

Test(check_trace, zeros_in_the_middle)
{
	memset(trace + 50 * SIZE, 0, 2 * SIZE);
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 2);
	ASSERT_SAYS("2 zero records in the middle");
}

Test(check_trace, one_zero_record)
{
	memset(trace + 50 * SIZE, 0, SIZE);
	check(N * SIZE);
	ASSERT_ENDS("; 1 zero record in the middle");
	write_trace(&spec, 0, N);
	memset(trace + N * SIZE, 0, SIZE);
	check((N + 1) * SIZE);
	ASSERT_ENDS("; a zero tail of 1 record");
}

Test(check_trace, records_of_something_else)
{
	insert(97, 2);
	memset(trace + 97 * SIZE, 0x5a, 2 * SIZE);
	check((N + 2) * SIZE);
	ASSERT_DIFF(0, 2, 0);
	ASSERT_ENDS("; 2 records that do not belong here");
	cut(97, 1);
	check((N + 1) * SIZE);
	ASSERT_ENDS("; 1 record that does not belong here");
}

Test(check_trace, stale_tail)
{
	memcpy(trace + N * SIZE, trace + 300 * SIZE, 20 * SIZE);
	check((N + 20) * SIZE);
	ASSERT_DIFF(0, 20, 0);
	ASSERT_SAYS("record 1000 is record 300 again: stale data");
}

Test(check_trace, one_wrong_field_is_named)
{
	trace[96 * SIZE + 11] |= 0x10; /* Type of header DW0 */
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("record 96 at 0xc00: expected MWr64");
	ASSERT_SAYS("type expected 0x00, got 0x10");
}

Test(check_trace, every_single_bit_of_a_record_matters)
{
	for (unsigned bit = 0; bit < SIZE * 8; bit++) {
		trace[500 * SIZE + bit / 8] ^= 1u << bit % 8;
		check(N * SIZE);
		cr_expect_eq(diff.differing, 1, "bit %u", bit);
		cr_expect_eq(diff.missing + diff.extra, 0, "bit %u", bit);
		trace[500 * SIZE + bit / 8] ^= 1u << bit % 8;
	}
}

Test(check_trace, so_of_4dw_records_is_judged_by_nobody)
{
	spec.format_8dw = false;
	spec.direction = PTT_DIR_IN;
	size_t len = write_trace(&spec, 0, N);
	for (size_t i = 0; i < N; i += 3)
		trace[16 * i + 2] ^= 0x20;
	check(len);
	ASSERT_DIFF(0, 0, 0);
	for (unsigned bit = 0; bit < 128; bit++) {
		write_trace(&spec, 0, N);
		trace[16 * 500 + bit / 8] ^= (uint8_t)(1u << bit % 8);
		check(len);
		cr_expect_eq(diff.differing, bit == 21 ? 0 : 1, "bit %u: %s", bit, diff.first);
	}
}

Test(check_trace, torn_record)
{
	memcpy(trace + 20 * SIZE + 16, trace + 19 * SIZE + 16, SIZE - 16);
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("torn: right up to byte 16, then the record before");
}

Test(check_trace, record_torn_with_zeros)
{
	memset(trace + 20 * SIZE + 12, 0, SIZE - 12);
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("torn: right up to byte 12, then zeros");
}

Test(check_trace, swapped_records)
{
	uint8_t one[SIZE];

	memcpy(one, trace + 7 * SIZE, SIZE);
	memcpy(trace + 7 * SIZE, trace + 8 * SIZE, SIZE);
	memcpy(trace + 8 * SIZE, one, SIZE);
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 2);
	ASSERT_SAYS("records 7 and 8 are swapped");
}

Test(check_trace, swapped_words_in_a_record)
{
	uint8_t four[4];

	memcpy(four, trace + 7 * SIZE + 16, 4);
	memcpy(trace + 7 * SIZE + 16, trace + 7 * SIZE + 20, 4);
	memcpy(trace + 7 * SIZE + 20, four, 4);
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("address expected");
}

Test(check_trace, shifted_time_makes_every_record_differ)
{
	for (int i = 0; i < N; i++)
		trace[i * SIZE + 28] ^= 1;
	check(N * SIZE);
	ASSERT_DIFF(0, 0, N);
	ASSERT_SAYS("time expected 0x3e8, got 0x3e9");
}

Test(check_trace, time_left_out_finds_all_else)
{
	for (int i = 0; i < N; i++)
		trace[i * SIZE + 29] ^= 0x55;
	trace[9 * SIZE + 12] ^= 1;
	cr_assert_eq(
		pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, N * SIZE, true}, &diff),
		0);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("record 9 at");
	cr_assert(strstr(diff.first, "time expected") == NULL);
}

Test(check_trace, time_of_4dw_left_out)
{
	size_t len;

	spec.format_8dw = false;
	len = write_trace(&spec, 0, N);
	for (int i = 0; i < N; i++) {
		trace[i * 16] ^= 0xff;
		trace[i * 16 + 1] ^= 0x07;
	}
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, len, true}, &diff),
		     0);
	ASSERT_DIFF(0, 0, 0);
	trace[16 * 5 + 1] ^= 0x08; /* Length [0] is next to Time */
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, len, true}, &diff),
		     0);
	ASSERT_DIFF(0, 0, 1);
}

Test(check_trace, trace_that_ends_within_a_record)
{
	check(N * SIZE - 5);
	ASSERT_DIFF(1, 1, 0);
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 0);
	memset(trace + N * SIZE, 1, 5);
	check(N * SIZE + 5);
	ASSERT_DIFF(0, 1, 0);
	ASSERT_SAYS("the trace ends within it, after 5 of 32 bytes");
}

Test(check_trace, misaligned_stream_is_not_called_right)
{
	memmove(trace + 100 * SIZE, trace + 100 * SIZE + 4, (N - 100) * SIZE);
	check(N * SIZE - 4);
	cr_assert_gt(diff.missing + diff.differing, 800);
}

Test(check_trace, trace_of_something_else)
{
	memset(trace, 0x5a, N * SIZE);
	check(N * SIZE);
	cr_assert_eq(diff.differing, N);
}

/* ---- gaps that are told ---- */

/* Checks a trace with marked gaps; `records` are the two ends of each gap, in records. */
static void check_told(size_t len, const uint64_t *records, size_t n)
{
	uint64_t gap[8];

	for (size_t i = 0; i < n; i++)
		gap[i] = records[i] * SIZE;
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec,
					   &(struct pv_trace_data){trace, len, .gap = gap, .gaps = n}, &diff),
		     0);
}

Test(check_trace, holes_where_they_are_told_are_counted_apart)
{
	cut(700, 200);
	cut(100, 50);
	check_told((N - 250) * SIZE, (const uint64_t[]){100, 650}, 2);
	ASSERT_DIFF(250, 0, 0);
	cr_expect_eq(diff.told, 250);
	cr_expect_eq(strlen(diff.first), 0, "%s", diff.first);
}

Test(check_trace, record_lost_behind_a_gap_that_is_told_is_found)
{
	cut(700, 200);
	cut(400, 1);
	cut(100, 50);
	check_told((N - 251) * SIZE, (const uint64_t[]){100, 649}, 2);
	ASSERT_DIFF(251, 0, 0);
	cr_expect_eq(diff.told, 250);
	ASSERT_SAYS("record 350 at 0x2bc0: expected MWr64 01:00.0 tag 0x90");
}

Test(check_trace, hole_beside_the_gap_that_is_told_is_found)
{
	cut(300, 80);
	check_told((N - 80) * SIZE, (const uint64_t[]){299}, 1);
	ASSERT_DIFF(80, 0, 0);
	cr_expect_eq(diff.told, 0);
	ASSERT_SAYS("a hole of 80 records");
}

Test(check_trace, pieces_may_be_as_short_as_a_record)
{
	memmove(trace + 1 * SIZE, trace + 500 * SIZE, SIZE);
	memmove(trace + 2 * SIZE, trace + 900 * SIZE, SIZE);
	memmove(trace + 3 * SIZE, trace + 999 * SIZE, SIZE);
	check_told(4 * SIZE, (const uint64_t[]){1, 2, 3}, 3);
	ASSERT_DIFF(N - 4, 0, 0);
	cr_expect_eq(diff.told, N - 4);
}

Test(check_trace, first_and_last_records_may_be_told_too)
{
	cut(0, 70);
	check_told((N - 70 - 30) * SIZE, (const uint64_t[]){0, N - 100}, 2);
	ASSERT_DIFF(100, 0, 0);
	cr_expect_eq(diff.told, 100);
	check_told((N - 70 - 30) * SIZE, (const uint64_t[]){0}, 1);
	cr_expect_eq(diff.told, 70, "the end is owed");
	ASSERT_SAYS("got the end of the trace");
}

Test(check_trace, stale_piece_behind_a_gap_is_extra)
{
	cut(600, 100);
	memmove(trace + 700 * SIZE, trace + 600 * SIZE, 300 * SIZE);
	memmove(trace + 600 * SIZE, trace + 10 * SIZE, 100 * SIZE);
	check_told(N * SIZE, (const uint64_t[]){600, 700}, 2);
	cr_expect_gt(diff.extra + diff.differing, 0);
	ASSERT_SAYS("record 600 at");
}

Test(check_trace, bit_right_behind_a_gap_matters)
{
	cut(300, 80);
	trace[300 * SIZE + 8] ^= 1;
	check_told((N - 80) * SIZE, (const uint64_t[]){300}, 1);
	cr_expect_gt(diff.missing - diff.told + diff.extra + diff.differing, 0);
}

Test(check_trace, more_gaps_than_holes_are_no_difference)
{
	check_told(N * SIZE, (const uint64_t[]){0, 10, 10, 500, N}, 5);
	ASSERT_DIFF(0, 0, 0);
}

/* ---- windows ---- */

static void window_is(uint64_t outer_first, uint64_t inner_first, uint64_t inner_last, uint64_t outer_last)
{
	window.outer_first = outer_first;
	window.inner_first = inner_first;
	window.inner_last = inner_last;
	window.outer_last = outer_last;
}

Test(check_trace, window_may_begin_and_end_anywhere_between_inner_and_outer)
{
	window_is(100, 150, 800, 900);
	for (uint64_t first = 100; first <= 150; first += 25)
		for (uint64_t last = 800; last <= 900; last += 50) {
			check(write_trace(&spec, first, last));
			cr_expect_eq(diff.missing + diff.extra + diff.differing, 0, "%s", diff.first);
			cr_expect_eq(diff.expected, last - first);
		}
}

Test(check_trace, what_is_owed_must_be_there)
{
	window_is(100, 150, 800, 900);
	check(write_trace(&spec, 152, 850));
	ASSERT_DIFF(2, 0, 0);
	check(write_trace(&spec, 120, 797));
	ASSERT_DIFF(3, 0, 0);
}

Test(check_trace, what_lies_outside_must_not_be_there)
{
	window_is(100, 150, 800, 900);
	check(write_trace(&spec, 98, 850));
	ASSERT_DIFF(0, 2, 0);
	check(write_trace(&spec, 120, 904));
	ASSERT_DIFF(0, 4, 0);
}

Test(check_trace, hole_in_the_unsharp_part_is_a_hole)
{
	size_t len = write_trace(&spec, 100, 120);
	uint8_t head[20 * SIZE];

	window_is(100, 150, 800, 900);
	memcpy(head, trace, len);
	len = write_trace(&spec, 125, 850);
	memmove(trace + sizeof(head), trace, len);
	memcpy(trace, head, sizeof(head));
	check(len + sizeof(head));
	ASSERT_DIFF(5, 0, 0);
}

Test(check_trace, equal_records_in_an_unsharp_window_are_fitted_by_number)
{
	struct pv_wire same = make_write(0);

	pv_ledger_free(ledger);
	ledger = make_ledger();
	for (int i = 0; i < 20; i++)
		pv_ledger_add(ledger, &same);
	window = whole(ledger);
	window_is(0, 5, 15, 15);
	for (int i = 0; i < 20; i++)
		pv_oracle_record(&spec, &test_head, &same, trace + i * SIZE);
	check(12 * SIZE);
	ASSERT_DIFF(0, 0, 0);
	check(16 * SIZE);
	ASSERT_DIFF(0, 1, 0);
	check(9 * SIZE);
	ASSERT_DIFF(1, 0, 0);
}

Test(check_trace, long_runs_of_equal_records_are_fitted_by_number)
{
	struct pv_wire same = make_write(0);

	pv_ledger_free(ledger);
	ledger = make_ledger();
	for (int i = 0; i < 200; i++)
		pv_ledger_add(ledger, &same);
	for (int i = 0; i < 200; i++)
		pv_oracle_record(&spec, &test_head, &same, trace + i * SIZE);
	window = whole(ledger);
	window_is(0, 20, 180, 190);
	for (uint64_t n = 160; n <= 190; n++) {
		check(n * SIZE);
		cr_expect_eq(diff.missing + diff.extra + diff.differing, 0, "%d records", (int)n);
	}
}

/* Damage at random: the numbers must always add up, and a trace is right only if it is the right one. */
Test(check_trace, numbers_add_up_for_any_damage)
{
	static uint8_t right[N * SIZE];

	memcpy(right, trace, sizeof(right));
	srand(1);
	for (int round = 0; round < 300; round++) {
		uint64_t n = N;

		memcpy(trace, right, sizeof(right));
		for (int k = rand() % 6; k > 0; k--) {
			uint64_t at = (uint64_t)rand() % (n - 20), many = 1 + (uint64_t)rand() % 10;
			uint8_t *p = trace + at * SIZE;

			switch (rand() % 3) {
			case 0: /* lost */
				memmove(p, p + many * SIZE, (n - at - many) * SIZE);
				n -= many;
				break;
			case 1: /* doubled */
				memmove(p + many * SIZE, p, (n - at) * SIZE);
				n += many;
				break;
			default: /* a bit */
				p[rand() % SIZE] ^= 1 << rand() % 8;
			}
		}
		check(n * SIZE);
		cr_expect_eq(diff.expected, N, "round %d", round);
		cr_expect_eq(diff.got, diff.expected - diff.missing + diff.extra, "round %d", round);
		cr_expect_eq(diff.missing + diff.extra + diff.differing == 0,
			     n == N && !memcmp(trace, right, sizeof(right)), "round %d: %s", round, diff.first);
		cr_expect_leq(diff.missing + diff.extra + diff.differing, 60, "round %d: %s", round, diff.first);
		check_told(n * SIZE, (const uint64_t[]){0, 1 + (uint64_t)rand() % n, n}, 3);
		cr_expect_eq(diff.got, diff.expected - diff.missing + diff.extra, "round %d, with gaps", round);
		cr_expect_leq(diff.told, diff.missing, "round %d, with gaps", round);
	}
}

Test(check_trace, impossible_windows_are_refused)
{
	window_is(10, 5, 20, 30);
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, 0}, &diff), -22);
	window_is(0, 0, N, N + 1);
	cr_assert_eq(pv_oracle_check_trace(ledger, &window, &spec, &(struct pv_trace_data){trace, 0}, &diff), -22);
}

Test(check_trace, damaged_ledger_is_no_verdict)
{
	struct pv_ledger *full = pv_ledger_new("/dev/full", 64, &test_head);

	add_writes(full, 10);
	window = whole(full);
	cr_assert_lt(pv_oracle_check_trace(full, &window, &spec, &(struct pv_trace_data){trace, 0}, &diff), 0);
	pv_ledger_free(full);
}

Test(check_trace, ledger_that_is_cut_meanwhile_is_no_verdict)
{
	char path[] = "/tmp/pcieval-oracle-XXXXXX";
	struct pv_ledger *cut = NULL;

	close(mkstemp(path));
	cr_assert_eq(pv_ledger_save(ledger, path), 0);
	cr_assert_eq(pv_ledger_load(path, &cut), 0);
	cr_assert_eq(truncate(path, 6400), 0);
	unlink(path);
	window = whole(cut);
	cr_expect_lt(pv_oracle_check_trace(cut, &window, &spec, &(struct pv_trace_data){trace, 0}, &diff), 0);
	pv_ledger_free(cut);
}

/* ---- what no field of the record tells is told by its words ---- */

Test(check_trace, wrong_reserved_word_is_named_and_hides_nothing)
{
	trace[7 * SIZE + 4 * 6] = 5;
	check(N * SIZE);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("got MWr64 01:00.0 tag 0x07");
	ASSERT_SAYS("DW6 (reserved) expected 0x00000000, got 0x00000005: bits 0x5");
}

Test(check_trace, lost_prefix_is_told_by_its_word)
{
	trace[7 * SIZE + 4] = 0x11;
	check(N * SIZE);
	ASSERT_SAYS("DW1 (Prefix) expected 0x00000000, got 0x00000011");
}

Test(check_trace, length_of_a_completion_without_data_is_told_by_its_word)
{
	struct pv_wire w = make_tlp(CPLD & ~0x40000000u);
	uint8_t record[32];

	spec.format_8dw = false;
	spec.type = PTT_TYPE_COMPLETION;
	pv_ledger_free(ledger);
	ledger = make_ledger();
	w.origin = PV_ORIGIN_REMOTE;
	pv_ledger_add(ledger, &w);
	window = whole(ledger);
	memcpy(trace, record, pv_oracle_record(&spec, &test_head, &w, record));
	trace[1] |= 0x08; /* Length [0] */
	check(16);
	ASSERT_DIFF(0, 0, 1);
	ASSERT_SAYS("DW0 (fields and Time) expected");
	ASSERT_SAYS("bits 0x800");
}
