/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSIs that wait: when each is due, what is noted once, and what has no room. */
#include <criterion/criterion.h>

#include "framework/target/msi_delay.h"

static struct pv_held h;
static struct pv_held_msi got;

Test(held, nothing_waits_without_a_latency)
{
	cr_expect_not(pv_held_add(&h, 100, 0x100, 0));
	cr_expect_eq(h.n, 0);
	cr_expect_eq(pv_held_next_ps(&h), UINT64_MAX);
	cr_expect_not(pv_held_take(&h, UINT64_MAX, &got));
}

Test(held, the_earliest_comes_first_and_not_before_its_time)
{
	h.latency_ps = 50;
	cr_expect(pv_held_add(&h, 100, 0x100, 1));
	cr_expect(pv_held_add(&h, 90, 0x200, 2));
	cr_expect_eq(pv_held_next_ps(&h), 140);
	cr_expect_not(pv_held_take(&h, 139, &got));
	cr_expect(pv_held_take(&h, 140, &got));
	cr_expect(got.bdf == 0x200 && got.vector == 2);
	cr_expect_not(pv_held_take(&h, 149, &got));
	cr_expect(pv_held_take(&h, 1000, &got));
	cr_expect(got.bdf == 0x100 && got.vector == 1);
	cr_expect_eq(pv_held_next_ps(&h), UINT64_MAX);
}

Test(held, what_waits_already_is_noted_once)
{
	h.latency_ps = 50;
	cr_expect(pv_held_add(&h, 100, 0x100, 1));
	cr_expect(pv_held_add(&h, 110, 0x100, 1));
	cr_expect(pv_held_add(&h, 110, 0x100, 2));
	cr_expect(pv_held_add(&h, 110, 0x200, 1));
	cr_expect_eq(h.n, 3);
	cr_expect_eq(pv_held_next_ps(&h), 150);
}

Test(held, a_consumer_that_becomes_quicker_takes_what_waits_too)
{
	h.latency_ps = 5000;
	cr_expect(pv_held_add(&h, 100, 0x100, 1));
	pv_held_latency(&h, 200, 30);
	cr_expect_eq(pv_held_next_ps(&h), 230);
	pv_held_latency(&h, 200, 3000);
	cr_expect_eq(pv_held_next_ps(&h), 230, "one that becomes slower does not take longer for it");
}

Test(held, what_has_no_room_is_counted)
{
	h.latency_ps = 1;
	for (unsigned i = 0; i < PV_HELD_MAX + 2; i++)
		cr_expect(pv_held_add(&h, 0, 0x100, i));
	cr_expect_eq(h.n, PV_HELD_MAX);
	cr_expect_eq(h.lost, 2);
}
