/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSIs that wait: when each is due, what is noted once, and what has no room. */
#include <criterion/criterion.h>

#include "framework/target/msi_delay.h"

static struct pv_msi_delay d;
static struct pv_delayed_msi got;

Test(msi_delay, without_a_latency_it_is_due_at_once)
{
	cr_expect_eq(pv_msi_delay_next_ps(&d), UINT64_MAX);
	cr_expect_not(pv_msi_delay_take(&d, UINT64_MAX, &got));
	pv_msi_delay_add(&d, 100, 0x100, 0);
	cr_expect(pv_msi_delay_take(&d, 100, &got));
}

Test(msi_delay, the_earliest_comes_first_and_not_before_its_time)
{
	d.latency_ps = 50;
	pv_msi_delay_add(&d, 100, 0x100, 1);
	pv_msi_delay_add(&d, 90, 0x200, 2);
	cr_expect_eq(pv_msi_delay_next_ps(&d), 140);
	cr_expect_not(pv_msi_delay_take(&d, 139, &got));
	cr_expect(pv_msi_delay_take(&d, 140, &got));
	cr_expect(got.bdf == 0x200 && got.vector == 2);
	cr_expect_not(pv_msi_delay_take(&d, 149, &got));
	cr_expect(pv_msi_delay_take(&d, 1000, &got));
	cr_expect(got.bdf == 0x100 && got.vector == 1);
	cr_expect_eq(pv_msi_delay_next_ps(&d), UINT64_MAX);
}

Test(msi_delay, what_waits_already_is_noted_once)
{
	d.latency_ps = 50;
	pv_msi_delay_add(&d, 100, 0x100, 1);
	pv_msi_delay_add(&d, 110, 0x100, 1);
	pv_msi_delay_add(&d, 110, 0x100, 2);
	pv_msi_delay_add(&d, 110, 0x200, 1);
	cr_expect_eq(d.n, 3);
	cr_expect_eq(pv_msi_delay_next_ps(&d), 150);
}

Test(msi_delay, a_consumer_that_becomes_quicker_takes_what_waits_too)
{
	d.latency_ps = 5000;
	pv_msi_delay_add(&d, 100, 0x100, 1);
	pv_msi_delay_set(&d, 200, 30);
	cr_expect_eq(pv_msi_delay_next_ps(&d), 230);
	pv_msi_delay_set(&d, 200, 3000);
	cr_expect_eq(pv_msi_delay_next_ps(&d), 230, "one that becomes slower does not take longer for it");
}

Test(msi_delay, what_has_no_room_is_counted)
{
	d.latency_ps = 1;
	for (unsigned i = 0; i < PV_MSI_DELAY_MAX + 2; i++)
		pv_msi_delay_add(&d, 0, 0x100, i);
	cr_expect_eq(d.n, PV_MSI_DELAY_MAX);
	cr_expect_eq(d.lost, 2);
}

Test(msi_delay, those_of_a_function_are_dropped)
{
	pv_msi_delay_add(&d, 0, 0x100, 1);
	pv_msi_delay_add(&d, 0, 0x200, 2);
	pv_msi_delay_add(&d, 0, 0x100, 3);
	pv_msi_delay_drop(&d, 0x100);
	cr_expect(pv_msi_delay_take(&d, 0, &got));
	cr_expect(got.bdf == 0x200 && got.vector == 2);
	cr_expect_not(pv_msi_delay_take(&d, 0, &got));
}
