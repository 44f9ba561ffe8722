/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PTT tuning: writes, reads back, and a device that stays busy. */
#include <criterion/criterion.h>

#include "drivers/core/tests/fake_ptt.h"

static struct fake fake;

static void setup(void)
{
	fake_init(&fake);
}

TestSuite(ptt_tune, .init = setup);

Test(ptt_tune, set_selects_the_event_then_writes_the_level)
{
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_NP, 1), 0);
	cr_assert_eq(fake.log_count, 4);
	cr_expect_eq(fake.log[1].reg, PTT_TUNING_CTRL);
	cr_expect_eq(fake.log[1].value, 0x40004);
	cr_expect_eq(fake.log[2].reg, PTT_TUNING_DATA);
	cr_expect_eq(fake.log[2].value, 1);
	cr_expect_eq(fake.log[3].reg, PTT_TUNING_INT_STAT);
}

Test(ptt_tune, get_starts_a_read_with_all_ones)
{
	uint32_t level = 99;

	fake.tune_data = 2;
	cr_assert_eq(pv_ptt_tune_get(&fake.ptt, PTT_TUNE_TX_ALLOC_BUF_LEVEL, &level), 0);
	cr_expect_eq(level, 2);
	cr_expect_eq(fake.log[1].value, 0x70005);
	cr_expect_eq(fake.log[2].value, 0xffffffff);
	cr_expect(fake.log[2].is_write);
}

Test(ptt_tune, value_read_is_the_value_set_and_above_two_is_two)
{
	static const uint32_t levels[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 2}, {65535, 2}};
	uint32_t level;
	size_t i;

	for (i = 0; i < 5; i++) {
		cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, levels[i][0]), 0);
		cr_assert_eq(pv_ptt_tune_get(&fake.ptt, PTT_TUNE_QOS_TX_P, &level), 0);
		cr_expect_eq(level, levels[i][1]);
	}
}

Test(ptt_tune, level_that_does_not_fit_the_register_changes_nothing)
{
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 0x10000), -PV_EINVAL);
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 0xffffffff), -PV_EINVAL);
	cr_assert_eq(fake.log_count, 0);
}

Test(ptt_tune, device_that_is_busy_for_a_while_is_waited_for)
{
	fake.tune_busy_until_ns = 900000000;
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 1), 0);
	cr_assert_geq(fake.now_ns, 900000000);
}

Test(ptt_tune, device_that_stays_busy_is_a_timeout_after_one_second)
{
	uint32_t level;

	fake.tune_stuck = true;
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 1), -PV_ETIMEDOUT);
	cr_assert(fake.now_ns >= 1000000000 && fake.now_ns < 1010000000, "after %llu ns",
		  (unsigned long long)fake.now_ns);
	cr_assert_eq(pv_ptt_tune_get(&fake.ptt, PTT_TUNE_QOS_TX_P, &level), -PV_ETIMEDOUT);
}

Test(ptt_tune, device_is_usable_again_after_a_timeout)
{
	uint32_t level;

	fake.tune_data = 1;
	fake.tune_stuck = true;
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 2), -PV_ETIMEDOUT);
	fake.tune_stuck = false;
	cr_assert_eq(pv_ptt_tune_get(&fake.ptt, PTT_TUNE_QOS_TX_P, &level), 0);
	cr_assert_eq(level, 1, "a busy device was written to");
}

Test(ptt_tune, bits_beside_the_level_are_not_of_it)
{
	uint32_t level;

	fake.tune_data = 0xabcd0002;
	cr_assert_eq(pv_ptt_tune_get(&fake.ptt, PTT_TUNE_QOS_TX_P, &level), 0);
	cr_expect_eq(level, 2);
}

static uint64_t always_now(void *ctx)
{
	return 5;
}

static void stand_still(void *ctx, uint64_t ns)
{
}

/* A driver that waits for the clock alone would not come back. */
static void get_ready_at_last(struct fake *f, bool is_write, uint32_t reg)
{
	if (!f->hook_left || !--f->hook_left)
		f->tune_stuck = false;
}

static void take_a_millisecond(struct fake *f, bool is_write, uint32_t reg)
{
	f->now_ns += 1000000;
	get_ready_at_last(f, is_write, reg);
}

Test(ptt_tune, slow_accesses_are_part_of_the_second)
{
	fake.tune_stuck = true;
	fake.hook = take_a_millisecond;
	fake.hook_left = 5000;
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 1), -PV_ETIMEDOUT);
	cr_expect_lt(fake.now_ns, 1100000000, "after %llu ns", (unsigned long long)fake.now_ns);
}

Test(ptt_tune, clock_that_stands_still_does_not_hang_the_driver)
{
	fake.tune_stuck = true;
	fake.ptt.clock.delay_ns = stand_still;
	fake.ptt.clock.now_ns = always_now;
	fake.hook = get_ready_at_last;
	fake.hook_left = 100000;
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 1), -PV_ETIMEDOUT);
}

Test(ptt_tune, device_that_is_gone_is_a_timeout)
{
	fake.gone = true;
	cr_assert_eq(pv_ptt_tune_set(&fake.ptt, PTT_TUNE_QOS_TX_P, 1), -PV_ETIMEDOUT);
}
