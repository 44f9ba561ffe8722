/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT trace: the register sequence of start and stop, the hand-over of buffers, and overruns.
 */
#include <criterion/criterion.h>

#include "drivers/core/tests/fake_ptt.h"

static struct fake fake;

static void setup(void)
{
	fake_init(&fake);
}

TestSuite(ptt_trace, .init = setup);

/* The writes, without the buffer addresses. */
static unsigned writes(struct fake_access out[], unsigned max)
{
	unsigned i, n = 0;

	for (i = 0; i < fake.log_count && n < max; i++)
		if (fake.log[i].is_write &&
		    (fake.log[i].reg < PTT_TRACE_ADDR_SIZE || fake.log[i].reg >= PTT_TRACE_CTRL))
			out[n++] = fake.log[i];
	return n;
}

static void expect_writes(const struct fake_access *expected, unsigned count)
{
	struct fake_access got[32];
	unsigned i, n = writes(got, 32);

	cr_assert_eq(n, count, "%u writes", n);
	for (i = 0; i < n; i++) {
		cr_expect_eq(got[i].reg, expected[i].reg, "write %u to %03x", i, got[i].reg);
		cr_expect_eq(got[i].value, expected[i].value, "write %u of %08x", i, got[i].value);
	}
}

Test(ptt_trace, start_sequence)
{
	/* RST; clear RST; clear INT_STAT; unmask; EN with everything else */
	static const struct fake_access expected[] = {
		{true, PTT_TRACE_CTRL, 0x00000002}, {true, PTT_TRACE_CTRL, 0},		{true, PTT_TRACE_INT_STAT, 0xf},
		{true, PTT_TRACE_INT_MASK, 0},	    {true, PTT_TRACE_CTRL, 0x00010011},
	};

	cr_assert_eq(fake_start(&fake), 0);
	expect_writes(expected, 5);
	cr_expect_eq(fake.log[0].reg, PTT_TRACE_STS, "idle is waited for before anything is written");
}

Test(ptt_trace, stop_sequence)
{
	static const struct fake_access expected[] = {{true, PTT_TRACE_CTRL, 0}, {true, PTT_TRACE_INT_MASK, 0xf}};

	cr_assert_eq(fake_start(&fake), 0);
	fake.log_count = 0;
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	expect_writes(expected, 2);
}

Test(ptt_trace, device_at_rest_keeps_no_address_and_no_status)
{
	unsigned i;

	cr_assert_eq(fake_start(&fake), 0);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	fake.int_stat = 0xf;
	pv_ptt_quiet(&fake.ptt);
	pv_ptt_rest(&fake.ptt);
	cr_expect_eq(fake.int_stat, 0);
	cr_expect_eq(fake.ctrl, 0);
	cr_expect_eq(fake.int_mask, 0xf);
	cr_expect_eq(fake.addr_size, 0);
	for (i = 0; i < 2 * PTT_DMA_BUFFERS; i++)
		cr_expect_eq(fake.addr[i], 0, "half address %u", i);
}

Test(ptt_trace, buffers_are_programmed_with_both_halves_of_their_address)
{
	cr_assert_eq(fake_start(&fake), 0);
	cr_expect_eq(fake.addr_size, FAKE_BUFFER);
	cr_expect_eq(fake.addr[0], 0);
	cr_expect_eq(fake.addr[1], 0x12345);
	cr_expect_eq(fake.addr[6], (uint32_t)(0x1234500000000ull + 3 * FAKE_BUFFER));
	cr_expect_eq(fake.addr[7], 0x12345);
}

Test(ptt_trace, buffers_are_left_as_they_are)
{
	memset(fake.buffer, 0xee, sizeof(fake.buffer));
	cr_assert_eq(fake_start(&fake), 0);
	cr_expect_eq(fake.buffer[0][0], 0xee);
	cr_expect_eq(fake.buffer[3][FAKE_BUFFER - 1], 0xee);
}

Test(ptt_trace, device_that_is_not_idle_is_refused_after_100_us)
{
	fake.not_idle_until_ns = 10000000;
	cr_assert_eq(fake_start(&fake), -PV_EBUSY);
	cr_assert(fake.now_ns >= 100000 && fake.now_ns < 150000, "after %llu ns", (unsigned long long)fake.now_ns);
	cr_assert_eq(fake.ctrl, 0);
	cr_assert_eq(fake.int_mask, 0xf);
}

Test(ptt_trace, device_that_gets_idle_in_time_is_started)
{
	fake.not_idle_until_ns = 80000;
	cr_assert_eq(fake_start(&fake), 0);
}

Test(ptt_trace, reset_that_does_not_end_is_refused)
{
	fake.reset_until_ns = 10000000;
	cr_assert_eq(fake_start(&fake), -PV_ETIMEDOUT);
	cr_assert_eq(fake.ctrl, 0);
	cr_assert_eq(fake.int_mask, 0xf);
	cr_expect_not(fake.area_out, "its AUX area is given back");
	fake.reset_until_ns = 0;
	cr_assert_eq(fake_start(&fake), 0, "usable again");
}

Test(ptt_trace, second_start_is_refused)
{
	cr_assert_eq(fake_start(&fake), 0);
	cr_assert_eq(fake_start(&fake), -PV_EBUSY);
}

Test(ptt_trace, area_without_room_for_a_buffer_is_refused)
{
	fake.area_bytes = FAKE_BUFFER - 1;
	cr_assert_eq(fake_start(&fake), -PV_ENOSPC);
	cr_expect_not(fake.area_out, "it is given back");
	fake.no_area = true;
	cr_assert_eq(fake_start(&fake), -PV_ENOSPC);
	cr_assert_eq(fake.log_count, 0);
}

Test(ptt_trace, empty_trace_commits_nothing)
{
	cr_assert_eq(fake_start(&fake), 0);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert_eq(fake.commit_count, 0);
}

Test(ptt_trace, last_buffer_is_delivered_to_its_exact_length)
{
	unsigned records;

	for (records = 1; records <= 3 * FAKE_RECORDS; records++) {
		fake_init(&fake);
		cr_assert_eq(fake_start(&fake), 0);
		fake_trace(&fake, records);
		cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
		cr_assert(fake_took(&fake, 0, records), "%u of %u records", fake.taken_count, records);
		cr_assert_not(fake_flagged(&fake));
	}
}

Test(ptt_trace, many_buffers_come_in_order_each_once)
{
	unsigned records = 101 * FAKE_RECORDS + 5;

	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, records);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_took(&fake, 0, records));
	cr_assert_not(fake_flagged(&fake));
	cr_assert_eq(fake.ptt.buffers, 101);
}

Test(ptt_trace, full_area_is_committed_at_once)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 4 * FAKE_RECORDS);
	cr_assert_eq(fake.commit_count, 1);
	cr_assert_eq(fake.commit[0].records, 4 * FAKE_RECORDS);
	fake_trace(&fake, 3 * FAKE_RECORDS);
	cr_assert_eq(fake.commit_count, 1);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert_eq(fake.commit_count, 2);
}

Test(ptt_trace, area_that_is_no_multiple_of_a_buffer_is_not_overfilled)
{
	fake.area_bytes = FAKE_AREA - 16;
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 10 * FAKE_RECORDS + 7);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_took(&fake, 0, 10 * FAKE_RECORDS + 7));
	cr_assert_eq(fake.commit[0].records, 3 * FAKE_RECORDS);
}

Test(ptt_trace, restart_has_no_stale_data)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, FAKE_RECORDS + 3);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	fake.taken_count = fake.commit_count = 0;
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 2);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_took(&fake, FAKE_RECORDS + 3, 2));
	cr_expect_eq(fake.ptt.buffers, 0, "that was the first trace's");
}

Test(ptt_trace, lost_interrupts_are_made_good_by_the_next_one)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake.lose_msi = true;
	fake_trace(&fake, 2 * FAKE_RECORDS);
	cr_assert_eq(fake.ptt.buffers, 0);
	fake.lose_msi = false;
	fake_trace(&fake, FAKE_RECORDS);
	cr_assert_eq(fake.ptt.buffers, 3);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_took(&fake, 0, 3 * FAKE_RECORDS));
	cr_assert_not(fake_flagged(&fake));
}

Test(ptt_trace, lost_interrupts_are_made_good_by_the_stop)
{
	unsigned records = 3 * FAKE_RECORDS + FAKE_RECORDS - 1;

	fake.lose_msi = true;
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, records);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_took(&fake, 0, records));
	cr_assert_not(fake_flagged(&fake));
}

Test(ptt_trace, position_that_stays_at_a_full_buffer_is_understood)
{
	fake.full_shows = 1;
	fake.lose_msi = true;
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 3 * FAKE_RECORDS);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_took(&fake, 0, 3 * FAKE_RECORDS));
	cr_assert_not(fake_flagged(&fake));
}

/* A consumer that is four buffers behind cannot trust the oldest one, however many rounds the device has made. */
Test(ptt_trace, overrun_before_the_stop_is_flagged_whatever_the_distance)
{
	unsigned records;

	for (records = 4 * FAKE_RECORDS; records < 14 * FAKE_RECORDS; records++) {
		fake_init(&fake);
		fake.lose_msi = true;
		cr_assert_eq(fake_start(&fake), 0);
		fake_trace(&fake, records);
		cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
		cr_assert(fake_flagged(&fake), "%u records", records);
		cr_assert(fake_honest(&fake), "%u records", records);
		cr_assert_gt(fake.taken_count, 2 * FAKE_RECORDS, "what is whole is delivered");
		cr_assert_eq(fake.taken[fake.taken_count - 1], records - 1);
	}
}

Test(ptt_trace, trace_goes_on_after_an_overrun)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, FAKE_RECORDS);
	fake.lose_msi = true;
	fake_trace(&fake, 6 * FAKE_RECORDS + 3);
	fake.lose_msi = false;
	fake_trace(&fake, 20 * FAKE_RECORDS);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_honest(&fake));
	cr_assert_eq(fake.ptt.overruns, 1);
	/* The first commit: the good beginning, and that something is missing after it. */
	cr_assert_eq(fake.commit[0].records, FAKE_RECORDS);
	cr_assert_eq(fake.commit[0].flags, PV_PTT_AUX_TRUNCATED);
	cr_assert_eq(fake.commit[1].flags, 0);
	cr_assert_eq(fake.taken[fake.taken_count - 1], fake.produced - 1);
	cr_assert_eq(fake_start(&fake), 0);
	cr_expect_eq(fake.ptt.overruns, 0, "that was the first trace's");
}

/* After the bit was cleared, that is while the copy is made, the device runs on by hook_left records. */
static void run_on_while_copying(struct fake *f, bool is_write, uint32_t reg)
{
	unsigned records = f->hook_left;

	if (is_write || f->log_count == 0)
		return;
	if (!f->log[f->log_count - 1].is_write || f->log[f->log_count - 1].reg != PTT_TRACE_INT_STAT)
		return;
	f->hook_left = 0;
	fake_trace(f, records);
}

Test(ptt_trace, buffer_torn_while_it_is_copied_is_dropped_and_flagged)
{
	unsigned records;

	for (records = 1; records < 12 * FAKE_RECORDS; records++) {
		fake_init(&fake);
		cr_assert_eq(fake_start(&fake), 0);
		fake.lose_msi = true;
		fake_trace(&fake, FAKE_RECORDS);
		fake.hook = run_on_while_copying;
		fake.hook_left = records;
		pv_ptt_interrupt(&fake.ptt);
		cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
		cr_assert(fake_honest(&fake), "%u records during the copy", records);
		if (records < 3 * FAKE_RECORDS)
			cr_assert(fake_took(&fake, 0, FAKE_RECORDS + records), "%u records", records);
		else
			cr_assert(fake_flagged(&fake), "%u records during the copy", records);
	}
}

/* At the access that hook_left counts down to. */
static void fill_later(struct fake *f, bool is_write, uint32_t reg)
{
	if (f->hook_left && !--f->hook_left)
		fake_trace(f, 1);
}

/* The interrupt of this buffer comes during that of the previous one, and never again. */
Test(ptt_trace, buffer_that_is_full_at_any_access_of_an_interrupt_is_taken)
{
	for (unsigned access = 1; access < 10; access++)
		for (unsigned shows = 0; shows < 2; shows++) {
			fake_init(&fake);
			fake.full_shows = shows;
			cr_assert_eq(fake_start(&fake), 0);
			fake.lose_msi = true;
			fake_trace(&fake, 2 * FAKE_RECORDS - 1);
			fake.lose_msi = false;
			fake.hook = fill_later;
			fake.hook_left = access;
			pv_ptt_interrupt(&fake.ptt);
			cr_expect_eq(fake.ptt.buffers, fake.hook_left ? 1 : 2, "access %u, %u", access, shows);
		}
}

static uint32_t seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* The device writes at any access, now little, now a lot. */
static void write_at_any_time(struct fake *f, bool is_write, uint32_t reg)
{
	if (f->taken_count > FAKE_TAKEN / 2 || !random_below(3))
		return;
	fake_trace(f, random_below(20) ? random_below(FAKE_RECORDS / 4) : random_below(6 * FAKE_RECORDS));
}

Test(ptt_trace, nothing_torn_is_passed_off_as_good_in_any_storm)
{
	unsigned run, overruns = 0, clean = 0;

	for (run = 0; run < 2000; run++) {
		unsigned steps;

		seed = run;
		fake_init(&fake);
		fake.full_shows = run & 1;
		cr_assert_eq(fake_start(&fake), 0);
		if (run % 4)
			fake.hook = write_at_any_time;
		for (steps = 0; steps < 30; steps++) {
			fake.lose_msi = !random_below(4);
			fake_trace(&fake, random_below(2 * FAKE_RECORDS));
		}
		fake.hook = NULL;
		cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
		cr_assert(fake_honest(&fake), "run %u", run);
		overruns += fake.ptt.overruns;
		clean += !fake_flagged(&fake);
	}
	cr_assert_gt(overruns, 100, "the storm was a calm");
	cr_assert_gt(clean, 100, "everything was called lost");
}

Test(ptt_trace, consumer_without_room_is_told_that_data_is_missing)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake.refuse = -1;
	fake_trace(&fake, 4 * FAKE_RECORDS);
	fake.refuse = 0;
	fake_trace(&fake, 1);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert_eq(fake.commit[0].flags, 0);
	cr_assert_eq(fake.commit[1].flags, PV_PTT_AUX_TRUNCATED);
}

Test(ptt_trace, consumer_that_refuses_the_last_commit_is_told_too)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 1);
	fake.refuse = -1;
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert_eq(fake.commit_count, 2);
	cr_assert_eq(fake.commit[1].records, 0);
	cr_assert_eq(fake.commit[1].flags, PV_PTT_AUX_TRUNCATED);
}

Test(ptt_trace, missing_area_loses_data_but_not_silently)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 3 * FAKE_RECORDS);
	fake.no_area = true;
	fake_trace(&fake, 4 * FAKE_RECORDS);
	fake.no_area = false;
	fake_trace(&fake, 3 * FAKE_RECORDS);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert(fake_flagged(&fake));
	cr_assert(fake_honest(&fake));
}

/* perf_aux_output_begin() of Linux refuses a second area as long as the first was not ended. */
Test(ptt_trace, area_that_is_too_small_is_given_back_before_the_next_one)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 3 * FAKE_RECORDS);
	fake.area_bytes = FAKE_BUFFER - 1;
	fake_trace(&fake, 3 * FAKE_RECORDS);
	fake.area_bytes = FAKE_AREA;
	fake_trace(&fake, 3 * FAKE_RECORDS);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_expect_eq(fake.begun_twice, 0, "%u", fake.begun_twice);
	cr_expect(fake_flagged(&fake));
	cr_expect(fake_honest(&fake));
	cr_expect_eq(fake.taken[fake.taken_count - 1], fake.produced - 1);
}

/* While a buffer is taken, the next one becomes full. */
static void fill_the_next(struct fake *f, bool is_write, uint32_t reg)
{
	if (!is_write || reg != PTT_TRACE_INT_STAT || !f->hook_left)
		return;
	f->hook_left--;
	fake_trace(f, FAKE_RECORDS);
}

Test(ptt_trace, flood_does_not_hold_the_cpu_and_loses_nothing)
{
	for (unsigned lost = 0; lost < 2; lost++) {
		fake_init(&fake);
		cr_assert_eq(fake_start(&fake), 0);
		fake.lose_msi = true;
		fake_trace(&fake, FAKE_RECORDS);
		fake.lose_msi = lost;
		fake.hook = fill_the_next;
		fake.hook_left = 200;
		cr_expect(pv_ptt_interrupt(&fake.ptt));
		cr_expect_eq(fake.ptt.buffers, 16, "%u buffers in one interrupt", fake.ptt.buffers);
		fake.hook = NULL;
		cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
		cr_expect(fake_took(&fake, 0, fake.produced));
		cr_expect_not(fake_flagged(&fake));
	}
}

Test(ptt_trace, device_that_does_not_become_idle_loses_its_last_buffer_only)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, FAKE_RECORDS + 4);
	fake.not_idle_until_ns = fake.now_ns + 1000000000;
	cr_assert_eq(pv_ptt_stop(&fake.ptt), -PV_EBUSY);
	cr_assert(fake_took(&fake, 0, FAKE_RECORDS));
	cr_assert(fake_flagged(&fake));
}

Test(ptt_trace, device_that_goes_away_ends_as_truncated)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, FAKE_RECORDS + 4);
	fake.gone = true;
	cr_assert_eq(pv_ptt_stop(&fake.ptt), -PV_EBUSY);
	cr_assert(fake_flagged(&fake));
	cr_assert(fake_took(&fake, 0, FAKE_RECORDS));
}

Test(ptt_trace, position_outside_the_buffer_is_not_believed)
{
	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, 3);
	fake.written = FAKE_BUFFER + 16;
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
	cr_assert_eq(fake.taken_count, 0);
	cr_assert(fake_flagged(&fake));
}

Test(ptt_trace, interrupt_of_one_buffer_costs_few_accesses)
{
	unsigned before;

	cr_assert_eq(fake_start(&fake), 0);
	fake_trace(&fake, FAKE_RECORDS - 1);
	before = fake.log_count;
	fake_trace(&fake, 1);
	/* position, pending, position; clear; pending, position */
	cr_assert_eq(fake.log_count - before, 6, "%u accesses", fake.log_count - before);
}

Test(ptt_trace, stray_interrupt_is_nobody_s)
{
	cr_assert_not(pv_ptt_interrupt(&fake.ptt));
	cr_assert_eq(fake.log_count, 0);
	cr_assert_eq(pv_ptt_stop(&fake.ptt), 0);
}
