/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPMU core: exact totals. Groups that start and stop in one instant, wraps of counters of every width,
 * and the races between a read, an overflow and its interrupt.
 */
#include <criterion/criterion.h>

#include "drivers/core/cpmu.h"
#include "drivers/core/tests/fake_cpmu.h"

#define D2H(mask) PV_CPMU_CONFIG(0x1e98, 0x0010, mask)
#define DDR(mask) PV_CPMU_CONFIG(0x1e98, 0x8000, mask)

static struct fake_cpmu dev;
static struct pv_cpmu pmu;
static struct pv_cpmu_event a, b; /* take counters 2 and 3 */

static void device(unsigned width, uint64_t flags)
{
	struct pv_mmio io = fake_mmio(&dev);
	const char *why;

	fake_usual(&dev, width, flags);
	cr_assert_eq(pv_cpmu_init(&pmu, &io, &why), 0);
	cr_assert_eq(pv_cpmu_event_init(&pmu, D2H(2), 0, 0, &a), 0);
	cr_assert_eq(pv_cpmu_event_init(&pmu, DDR(1), 0, 0, &b), 0);
	dev.writes = 0;
}

static void run(struct pv_cpmu_event *ev)
{
	cr_assert_eq(pv_cpmu_start(&pmu, ev), 0);
	pv_cpmu_release(&pmu);
}

static void set_up(void)
{
	device(8, FAKE_USUAL);
}

/* Writes to `off` since the log was emptied, and the last of them. */
static unsigned writes_to(uint32_t off, uint64_t *last)
{
	unsigned i, n = 0;

	for (i = 0; i < dev.writes && i < FAKE_LOG_MAX; i++)
		if (dev.log[i].off == off) {
			n++;
			*last = dev.log[i].value;
		}
	return n;
}

TestSuite(cpmu_count, .init = set_up);

Test(cpmu_count, a_group_counts_from_the_release_on)
{
	uint64_t last;

	dev.counter[2] = 99;
	cr_assert_eq(pv_cpmu_start(&pmu, &a), 0);
	fake_count(&dev, 2, 5);
	cr_assert_eq(pv_cpmu_start(&pmu, &b), 0);
	dev.writes = 0;
	pv_cpmu_release(&pmu);
	fake_count(&dev, 2, 7);
	fake_count(&dev, 3, 7);

	cr_expect_eq(dev.writes, 1, "one write lets both go");
	cr_expect_eq(writes_to(CPMU_FREEZE, &last), 1);
	cr_expect_eq(pv_cpmu_read(&pmu, &a), 7);
	cr_expect_eq(pv_cpmu_read(&pmu, &b), 7);
}

Test(cpmu_count, a_group_stops_by_one_write)
{
	uint64_t last;

	cr_assert_eq(pv_cpmu_start(&pmu, &a), 0);
	run(&b);
	fake_count(&dev, 2, 3);
	fake_count(&dev, 3, 3);
	dev.writes = 0;

	pv_cpmu_hold(&pmu, pv_cpmu_bit(&a) | pv_cpmu_bit(&b));
	fake_count(&dev, 2, 10);
	pv_cpmu_stop(&pmu, &a);
	fake_count(&dev, 3, 10);
	pv_cpmu_stop(&pmu, &b);

	cr_expect_eq(writes_to(CPMU_FREEZE, &last), 1);
	cr_expect_eq(last, 0xc);
	cr_expect_eq(dev.log[0].off, CPMU_FREEZE, "before anything else");
	cr_expect_eq(a.total, 3);
	cr_expect_eq(b.total, 3);
}

Test(cpmu_count, other_counters_run_on_while_a_group_is_held)
{
	run(&b);
	cr_assert_eq(pv_cpmu_start(&pmu, &a), 0);
	fake_count(&dev, 2, 4); /* b took counter 2 */

	cr_expect_eq(dev.freeze, 1u << 3);
	cr_expect_eq(pv_cpmu_read(&pmu, &b), 4);
}

Test(cpmu_count, wraps_are_counted_at_every_width)
{
	unsigned width;

	for (width = 1; width <= 64; width++) {
		uint64_t lap = width == 64 ? 0 : 1ull << width; /* the low 64 bits of 2^width */
		uint64_t most = ~0ull >> (64 - width);
		unsigned i;

		device(width, FAKE_USUAL);
		run(&a);
		for (i = 0; i < 3; i++) {
			fake_count(&dev, 2, most);
			pv_cpmu_service(&pmu);
			cr_expect_eq(pv_cpmu_read(&pmu, &a), (i + 1) * most, "width %u: %#llx", width,
				     (unsigned long long)a.total);
		}

		cr_expect_eq(a.wraps, width == 1 ? 1 : 2, "width %u", width);
		cr_expect_eq(dev.counter[2] + a.wraps * lap, 3 * most, "the device agrees at width %u", width);
	}
}

Test(cpmu_count, a_narrow_counter_follows_many_overflows)
{
	uint64_t expected = 0;
	unsigned i;

	run(&a);
	for (i = 0; i < 1000; i++) {
		fake_count(&dev, 2, 200);
		expected += 200;
		if (dev.overflow)
			cr_assert_eq(pv_cpmu_service(&pmu), 1u << 2);
	}

	cr_expect_eq(pv_cpmu_read(&pmu, &a), expected);
}

Test(cpmu_count, a_read_between_a_wrap_and_its_interrupt_counts_it_once)
{
	run(&a);
	fake_count(&dev, 2, 250);
	cr_assert_eq(pv_cpmu_read(&pmu, &a), 250);
	fake_count(&dev, 2, 10);

	cr_expect_eq(pv_cpmu_read(&pmu, &a), 260, "before the interrupt is served");
	cr_expect_eq(pv_cpmu_service(&pmu), 0, "the read has done the interrupt's work");
	cr_expect_eq(pv_cpmu_read(&pmu, &a), 260);
}

Test(cpmu_count, a_full_lap_between_reads_is_not_lost)
{
	run(&a);
	fake_count(&dev, 2, 10);
	cr_assert_eq(pv_cpmu_read(&pmu, &a), 10);
	fake_count(&dev, 2, 246); /* to 0 */
	fake_count(&dev, 2, 20);  /* past where it was: only OVERFLOW tells */

	cr_expect_eq(pv_cpmu_read(&pmu, &a), 276);
}

/* The counter wraps just before one of the accesses that a read makes. */
static unsigned accesses, wrap_at;

static void wrap_before_access(struct fake_cpmu *f, uint32_t off)
{
	if (accesses++ == wrap_at)
		fake_count(f, 2, 10);
}

Test(cpmu_count, a_wrap_at_any_point_of_a_read_is_counted_once)
{
	for (wrap_at = 0; wrap_at < 8; wrap_at++) {
		uint64_t seen;

		device(8, FAKE_USUAL);
		run(&a);
		fake_count(&dev, 2, 250);
		accesses = 0;
		dev.before_read = wrap_before_access;
		seen = pv_cpmu_read(&pmu, &a);
		dev.before_read = NULL;

		cr_expect(seen == 250 || seen == 260, "wrap before access %u: %llu", wrap_at, (unsigned long long)seen);
		if (accesses <= wrap_at)
			fake_count(&dev, 2, 10);
		pv_cpmu_service(&pmu);
		cr_expect_eq(pv_cpmu_read(&pmu, &a), 260, "wrap before access %u, settled", wrap_at);
	}
}

/* Another counter overflows in the moment when the handler clears the first. */
static void overflow_as_it_is_cleared(struct fake_cpmu *f, uint32_t off)
{
	f->after_write = NULL;
	if (off == CPMU_OVERFLOW)
		fake_count(f, 3, 256);
}

Test(cpmu_count, an_overflow_during_the_handler_is_handled_too)
{
	run(&a);
	run(&b);
	fake_count(&dev, 2, 255);
	fake_count(&dev, 2, 1);
	dev.writes = 0;
	dev.after_write = overflow_as_it_is_cleared;

	cr_expect_eq(pv_cpmu_service(&pmu), 0xc);
	cr_expect_eq(dev.log[0].value, 0x4, "only what was seen is cleared");
	cr_expect_eq(dev.log[1].value, 0x8);
	cr_expect_eq(dev.overflow, 0, "or the device might send no further message");
	cr_expect_eq(pv_cpmu_read(&pmu, &a), 256);
	cr_expect_eq(pv_cpmu_read(&pmu, &b), 256);
}

Test(cpmu_count, reading_one_counter_keeps_the_overflow_of_another)
{
	run(&a);
	run(&b);
	fake_count(&dev, 3, 255);
	fake_count(&dev, 3, 3);

	cr_expect_eq(pv_cpmu_read(&pmu, &a), 0);
	cr_expect_eq(pv_cpmu_read(&pmu, &b), 258);
}

Test(cpmu_count, an_overflow_of_a_counter_without_event_is_cleared)
{
	dev.overflow = 1u << 4 | 1u << 1;

	cr_expect_eq(pv_cpmu_service(&pmu), 1u << 4 | 1u << 1);
	cr_expect_eq(dev.overflow, 0);
}

Test(cpmu_count, reserved_overflow_bits_mean_nothing)
{
	dev.overflow = 1ull << 63;

	cr_expect_eq(pv_cpmu_service(&pmu), 0);
}

Test(cpmu_count, without_interrupt_a_wrap_is_found_by_reading)
{
	device(8, FAKE_USUAL & ~CPMU_CAP_INTERRUPT);
	run(&a);
	fake_count(&dev, 2, 200);
	cr_assert_eq(pv_cpmu_read(&pmu, &a), 200);
	fake_count(&dev, 2, 200);
	cr_assert_eq(pv_cpmu_read(&pmu, &a), 400);
	fake_count(&dev, 2, 200);
	pv_cpmu_stop(&pmu, &a);

	cr_expect_eq(a.total, 600);
}

Test(cpmu_count, an_overflow_left_by_the_last_event_is_not_the_next_ones)
{
	run(&a);
	fake_count(&dev, 2, 100);
	pv_cpmu_stop(&pmu, &a);
	pv_cpmu_release(&pmu);
	dev.overflow = 1u << 2;
	run(&b);
	fake_count(&dev, 2, 5);

	cr_expect_eq(pv_cpmu_read(&pmu, &b), 5);
}

Test(cpmu_count, totals_go_on_over_stop_and_start)
{
	run(&a);
	fake_count(&dev, 2, 255);
	fake_count(&dev, 2, 45);
	pv_cpmu_stop(&pmu, &a);
	pv_cpmu_release(&pmu);
	run(&a);
	fake_count(&dev, 2, 7);
	pv_cpmu_stop(&pmu, &a);

	cr_expect_eq(a.total, 307);
	cr_expect_eq(pv_cpmu_read(&pmu, &a), 307, "a stopped event keeps its total");
}

Test(cpmu_count, a_device_that_vanishes_leaves_the_total_as_it_was)
{
	run(&a);
	fake_count(&dev, 2, 12);
	cr_assert_eq(pv_cpmu_read(&pmu, &a), 12);
	dev.gone = true;

	cr_expect_eq(pv_cpmu_service(&pmu), 0);
	cr_expect_eq(pv_cpmu_read(&pmu, &a), 12);
	pv_cpmu_stop(&pmu, &a);
	cr_expect_eq(a.total, 12);
}

static void storm(struct fake_cpmu *f, uint32_t off)
{
	fake_count(f, 2, 1);
}

Test(cpmu_count, a_counter_too_fast_to_follow_does_not_hang_the_driver)
{
	device(1, FAKE_USUAL);
	run(&a);
	dev.before_read = storm;

	pv_cpmu_read(&pmu, &a);
	pv_cpmu_stop(&pmu, &a);

	cr_expect_eq(a.counter, PV_CPMU_NO_COUNTER);
}

Test(cpmu_count, idle_takes_the_counters_from_running_events)
{
	run(&a);
	fake_count(&dev, 2, 12);
	pv_cpmu_read(&pmu, &a);

	pv_cpmu_idle(&pmu);

	cr_expect_eq(dev.cfg[2], CPMU_CFG_TYPE_CONFIGURABLE | FAKE_THRESHOLD_1);
	cr_expect_eq(pv_cpmu_read(&pmu, &a), 12);
	cr_expect_eq(pmu.used, 0);
}
