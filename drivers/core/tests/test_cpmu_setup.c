/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPMU core: decoding of capabilities, legal events, the choice of counters, and register writes. */
#include <criterion/criterion.h>

#include "drivers/core/cpmu.h"
#include "drivers/core/cpmu_events.h"
#include "drivers/core/tests/fake_cpmu.h"

#define CLOCK_TICKS PV_CPMU_CONFIG(0x1e98, 0x0000, 0x1)
#define D2H(mask)   PV_CPMU_CONFIG(0x1e98, 0x0010, mask)
#define MEM(mask)   PV_CPMU_CONFIG(0x1e98, 0x0020, mask)
#define DDR(mask)   PV_CPMU_CONFIG(0x1e98, 0x8000, mask)

static struct fake_cpmu dev;
static struct pv_cpmu pmu;
static const char *why;

static int init(void)
{
	struct pv_mmio io = fake_mmio(&dev);

	return pv_cpmu_init(&pmu, &io, &why);
}

static void usual(unsigned width, uint64_t flags)
{
	fake_usual(&dev, width, flags);
	cr_assert_eq(init(), 0);
	dev.writes = 0;
}

static void set_up(void)
{
	usual(48, FAKE_USUAL | CPMU_CAP_FILTER_HDM);
}

static struct pv_cpmu_event event(uint64_t config)
{
	struct pv_cpmu_event ev;

	cr_assert_eq(pv_cpmu_event_init(&pmu, config, 0, 0, &ev), 0);
	return ev;
}

static void start(struct pv_cpmu_event *ev)
{
	cr_assert_eq(pv_cpmu_start(&pmu, ev), 0);
}

TestSuite(cpmu_setup, .init = set_up);

Test(cpmu_setup, capabilities_are_read_from_the_device)
{
	fake_usual(&dev, 27, FAKE_USUAL | CPMU_CAP_FILTER_HDM | 3ull << CPMU_CAP_MSI_SHIFT);
	cr_assert_eq(init(), 0);

	cr_expect_eq(pmu.counters, 5);
	cr_expect_eq(pmu.width, 27);
	cr_expect_eq(pmu.width_mask, 0x7ffffff);
	cr_expect_eq(pmu.event_caps, 5);
	cr_expect_eq(pmu.msi, 3);
	cr_expect(pmu.interrupt && pmu.filter_hdm && !pmu.filter_crb);
	cr_expect_eq(pmu.cap[3].vid, 0x19e5);
	cr_expect_eq(pmu.cap[3].gid, 0x42);
	cr_expect_eq(pmu.cap[3].events, 0x80000001);
}

Test(cpmu_setup, extremes_of_the_capabilities_are_legal)
{
	memset(&dev, 0, sizeof(dev));
	dev.cap = fake_cap(64, 64, 32, FAKE_USUAL);
	cr_assert_eq(init(), 0);
	cr_expect_eq(pmu.counters, 64);
	cr_expect_eq(pmu.counters_mask, ~0ull);
	cr_expect_eq(pmu.width_mask, ~0ull);
	cr_expect_eq(pmu.event_caps, 32);

	memset(&dev, 0, sizeof(dev));
	dev.cap = fake_cap(1, 1, 1, FAKE_USUAL);
	cr_assert_eq(init(), 0);
	cr_expect_eq(pmu.counters_mask, 1);
	cr_expect_eq(pmu.width_mask, 1);
	cr_expect_eq(pmu.msi, 0, "message 0 is legal");
	cr_expect(pmu.interrupt);
}

Test(cpmu_setup, devices_that_cannot_be_driven_are_refused_untouched)
{
	static const struct {
		const char *what;
		uint64_t cap;
		const char *says;
	} bad[] = {
		{"counters not writable when frozen", 0x0006000000003000ull, "not writable when frozen"},
		{"no freeze", 0x0005000000003000ull, "cannot be frozen"},
		{"width 0", 0x0007000000000000ull, "width"},
		{"width 65", 0x0007000000004100ull, "width"},
		{"width 255", 0x000700000000ff00ull, "width"},
		{"nothing there", ~0ull, "all ones"},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		dev.cap = bad[i].cap;
		dev.writes = 0;
		why = NULL;
		cr_expect_eq(init(), -PV_ENODEV, "%s", bad[i].what);
		cr_expect(why && strstr(why, bad[i].says), "%s: reason is \"%s\"", bad[i].what, why ? why : "");
		cr_expect_eq(dev.writes, 0, "%s", bad[i].what);
	}
}

Test(cpmu_setup, interrupts_are_optional)
{
	fake_usual(&dev, 48, CPMU_CAP_WRITABLE_WHEN_FROZEN | CPMU_CAP_FREEZE);

	cr_assert_eq(init(), 0);
	cr_expect(!pmu.interrupt);
}

Test(cpmu_setup, what_an_earlier_session_left_running_is_put_to_rest)
{
	fake_usual(&dev, 48, FAKE_USUAL | CPMU_CAP_FILTER_HDM);
	dev.cfg[0] |= CPMU_CFG_ENABLE | CPMU_CFG_FREEZE_ON_OVERFLOW;
	dev.cfg[2] |= CPMU_CFG_ENABLE | CPMU_CFG_INT_ON_OVERFLOW | 1ull << CPMU_CFG_EVENTS_SHIFT;
	dev.cfg[1] |= CPMU_CFG_ENABLE;
	dev.filter[2][0] = 1;
	dev.overflow = 0x5;
	dev.freeze = 0x1f;

	cr_assert_eq(init(), 0);

	cr_expect_eq(dev.cfg[0], fake_fixed(0, 0x1));
	cr_expect_eq(dev.cfg[2], CPMU_CFG_TYPE_CONFIGURABLE | FAKE_THRESHOLD_1);
	cr_expect_eq(dev.cfg[1], CPMU_CFG_TYPE_FREE_RUNNING | CPMU_CFG_ENABLE, "free-running: not ours to stop");
	cr_expect_eq(dev.filter[2][0], CPMU_FILTER_NONE);
	cr_expect_eq(dev.overflow, 0);
	cr_expect_eq(dev.freeze, 0);
	cr_expect_eq(dev.bad_accesses, 0);
}

Test(cpmu_setup, a_fixed_counter_of_an_event_cap_that_is_not_there_is_unusable)
{
	fake_usual(&dev, 48, FAKE_USUAL);
	dev.cfg[0] = fake_fixed(31, 0x1);
	dev.cfg[1] = CPMU_CFG_TYPE_FREE_RUNNING | 3ull << CPMU_CFG_GROUP_SHIFT;

	cr_assert_eq(init(), 0);
	cr_expect(!pmu.counter[0].usable);
	cr_expect(pv_cpmu_supports(&pmu, 0x1e98, 0x0000, 0x1), "EVENT_CAP 0 is now a configurable counter's");
	cr_expect(!pv_cpmu_supports(&pmu, 0x19e5, 0x0042, 0x1), "EVENT_CAP 3 is a free-running counter's");
}

Test(cpmu_setup, events_are_supported_as_the_capabilities_say)
{
	static const struct {
		const char *what;
		uint16_t vid, gid;
		uint32_t mask;
		bool yes;
	} table[] = {
		{"fixed, exactly", 0x1e98, 0x0000, 0x1, true},
		{"fixed, something else", 0x1e98, 0x0000, 0x2, false},
		{"fixed, and more", 0x1e98, 0x0000, 0x3, false},
		{"configurable, one bit", 0x1e98, 0x0010, 0x2, true},
		{"configurable, several bits", 0x1e98, 0x0010, 0x1e, true},
		{"configurable, all bits", 0x1e98, 0x0010, 0x1fffe, true},
		{"configurable, one bit too many", 0x1e98, 0x0010, 0x20002, false},
		{"vendor event, bit 31", 0x19e5, 0x0042, 0x80000000, true},
		{"vendor event under the wrong vendor", 0x1e98, 0x0042, 0x1, false},
		{"group that is not", 0x1e98, 0x0011, 0x2, false},
		{"no event at all", 0x1e98, 0x0010, 0x0, false},
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		cr_expect_eq(pv_cpmu_supports(&pmu, table[i].vid, table[i].gid, table[i].mask), table[i].yes, "%s",
			     table[i].what);
}

Test(cpmu_setup, a_fixed_counter_of_a_sum_counts_no_part_of_it)
{
	fake_usual(&dev, 48, FAKE_USUAL);
	dev.event_cap[0] = fake_event_cap(0x1e98, 0x0010, 0x1e);
	dev.cfg[0] = fake_fixed(0, 0x1e);
	dev.event_cap[1] = fake_event_cap(0x1e98, 0x0011, 0x2);
	cr_assert_eq(init(), 0);

	cr_expect(pv_cpmu_supports(&pmu, 0x1e98, 0x0010, 0x1e));
	cr_expect(!pv_cpmu_supports(&pmu, 0x1e98, 0x0010, 0x2), "its EVENT_CAP serves no configurable counter");
}

Test(cpmu_setup, event_words_are_checked)
{
	const uint64_t hdm_en = PV_CPMU_CONFIG1_HDM_FILTER_EN, crb_en = PV_CPMU_CONFIG1_CRB_FILTER_EN;
	const uint64_t place = 0x0004ff00ull << PV_CPMU_CONFIG2_CRB_SHIFT;
	const struct {
		const char *what;
		uint64_t config, config1, config2;
		int with, without; /* results on a device with both filters, and without */
	} table[] = {
		{"plain", D2H(2), 0, 0, 0, 0},
		{"no events", D2H(0), 0, 0, -PV_EINVAL, -PV_EINVAL},
		{"unsupported bit", D2H(1), 0, 0, -PV_EINVAL, -PV_EINVAL},
		{"threshold 255", D2H(2), 255, 0, 0, 0},
		{"threshold 256", D2H(2), 256, 0, -PV_EINVAL, -PV_EINVAL},
		{"threshold 65535", D2H(2), 0xffff, 0, -PV_EINVAL, -PV_EINVAL},
		{"invert and edge", D2H(2), PV_CPMU_CONFIG1_INVERT | PV_CPMU_CONFIG1_EDGE | 1, 0, 0, 0},
		{"decoders", MEM(2), hdm_en, 0x3, 0, -PV_EINVAL},
		{"decoders, none named", MEM(2), hdm_en, 0, 0, -PV_EINVAL},
		{"decoder named, filter off", MEM(2), 0, 0x3, 0, -PV_EINVAL},
		{"decoders of a sum", MEM(6), hdm_en, 0x3, -PV_EINVAL, -PV_EINVAL},
		{"decoders of CXL.cache", D2H(2), hdm_en, 0x3, -PV_EINVAL, -PV_EINVAL},
		{"decoders of the DRAM", DDR(1), hdm_en, 0x3, -PV_EINVAL, -PV_EINVAL},
		{"decoders of the clock", CLOCK_TICKS, hdm_en, 0x3, -PV_EINVAL, -PV_EINVAL},
		{"decoders of a vendor's event", PV_CPMU_CONFIG(0x19e5, 0x42, 1), hdm_en, 0x3, 0, -PV_EINVAL},
		{"decoders of a vendor's sum", PV_CPMU_CONFIG(0x19e5, 0x42, 0x80000001), hdm_en, 0x3, -PV_EINVAL,
		 -PV_EINVAL},
		{"place", DDR(1), crb_en, place, 0, -PV_EINVAL},
		{"place named, filter off", DDR(1), 0, place, 0, -PV_EINVAL},
		{"place of a sum", DDR(3), crb_en, place, -PV_EINVAL, -PV_EINVAL},
		{"place of a message", MEM(2), crb_en, place, -PV_EINVAL, -PV_EINVAL},
		{"both filters", DDR(1), crb_en | hdm_en, place | 1, -PV_EINVAL, -PV_EINVAL},
		{"clock with threshold 1", CLOCK_TICKS, 1, 0, 0, 0},
		{"clock, fixed, with threshold 2", CLOCK_TICKS, 2, 0, -PV_EINVAL, -PV_EINVAL},
		{"clock, fixed, with edge", CLOCK_TICKS, PV_CPMU_CONFIG1_EDGE, 0, -PV_EINVAL, -PV_EINVAL},
		{"clock, fixed, inverted", CLOCK_TICKS, PV_CPMU_CONFIG1_INVERT | 1, 0, -PV_EINVAL, -PV_EINVAL},
		{"clock, fixed, invert without part", CLOCK_TICKS, PV_CPMU_CONFIG1_INVERT, 0, 0, 0},
		{"config1 bit 20", D2H(2), 1ull << 20, 0, -PV_EINVAL, -PV_EINVAL},
		{"config1 bit 63", D2H(2), 1ull << 63, 0, -PV_EINVAL, -PV_EINVAL},
		{"config2 bit 16", MEM(2), hdm_en, 1ull << 16, -PV_EINVAL, -PV_EINVAL},
		{"config2 bit 31", MEM(2), hdm_en, 1ull << 31, -PV_EINVAL, -PV_EINVAL},
	};
	struct pv_cpmu_event ev;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		usual(48, FAKE_USUAL | CPMU_CAP_FILTER_HDM | CPMU_CAP_FILTER_CRB);
		cr_expect_eq(pv_cpmu_event_init(&pmu, table[i].config, table[i].config1, table[i].config2, &ev),
			     table[i].with, "%s, with filters", table[i].what);
		usual(48, FAKE_USUAL);
		cr_expect_eq(pv_cpmu_event_init(&pmu, table[i].config, table[i].config1, table[i].config2, &ev),
			     table[i].without, "%s, without filters", table[i].what);
	}
	cr_expect_eq(dev.writes, 0, "checking writes nothing");
}

Test(cpmu_setup, exact_matches_take_the_fixed_counter)
{
	struct pv_cpmu_event d2h = event(D2H(2)), ticks = event(CLOCK_TICKS);

	start(&d2h);
	start(&ticks);

	cr_expect_eq(ticks.counter, 0);
	cr_expect_eq(d2h.counter, 2);
}

Test(cpmu_setup, a_second_exact_match_takes_a_configurable_counter_if_one_can)
{
	struct pv_cpmu_event first, second;

	dev.event_cap[2] = dev.event_cap[0]; /* the same event again, for configurable counters */
	cr_assert_eq(init(), 0);
	first = event(CLOCK_TICKS);
	second = event(CLOCK_TICKS);

	start(&first);
	start(&second);

	cr_expect_eq(first.counter, 0);
	cr_expect_eq(second.counter, 2);
	cr_expect_eq(dev.cfg[2] >> CPMU_CFG_GROUP_SHIFT, 2, "through the EVENT_CAP that serves it");
}

Test(cpmu_setup, one_event_more_than_counters_is_refused_and_disturbs_nothing)
{
	struct pv_cpmu_event ev[4], ticks = event(CLOCK_TICKS), again = event(CLOCK_TICKS);
	unsigned i;

	for (i = 0; i < 4; i++)
		ev[i] = event(D2H(2u << i));
	for (i = 0; i < 3; i++)
		start(&ev[i]);
	pv_cpmu_release(&pmu);
	dev.writes = 0;

	cr_expect_eq(pv_cpmu_start(&pmu, &ev[3]), -PV_ENOSPC);
	cr_expect_eq(ev[3].counter, PV_CPMU_NO_COUNTER);
	cr_expect_eq(dev.writes, 0);
	cr_expect_eq(pv_cpmu_start(&pmu, &ticks), 0, "the fixed counter is still free");
	cr_expect_eq(pv_cpmu_start(&pmu, &again), -PV_ENOSPC, "and there is one of it");

	pv_cpmu_stop(&pmu, &ev[1]);
	cr_expect_eq(pv_cpmu_start(&pmu, &ev[3]), 0, "a counter given back is free");
	cr_expect_eq(ev[3].counter, 3);
}

Test(cpmu_setup, a_group_fits_or_not_whatever_runs_now)
{
	struct pv_cpmu_event a = event(D2H(2)), b = event(D2H(4)), c = event(DDR(1)), d = event(DDR(2));
	struct pv_cpmu_event ticks = event(CLOCK_TICKS), again = event(CLOCK_TICKS);
	struct pv_cpmu_event *fits[] = {&a, &b, &c, &ticks}, *too_many[] = {&a, &b, &c, &d};
	struct pv_cpmu_event *twice[] = {&ticks, &again};

	start(&d);

	cr_expect_eq(pv_cpmu_group_fits(&pmu, fits, 4), 0);
	cr_expect_eq(pv_cpmu_group_fits(&pmu, too_many, 4), -PV_ENOSPC);
	cr_expect_eq(pv_cpmu_group_fits(&pmu, twice, 2), -PV_ENOSPC);
}

Test(cpmu_setup, free_running_and_reserved_counters_are_never_taken)
{
	struct pv_cpmu_event a = event(D2H(2)), b = event(D2H(4)), c;

	dev.cfg[3] = 3; /* a reserved type */
	cr_assert_eq(init(), 0);
	c = event(D2H(8));

	cr_expect_eq(pv_cpmu_start(&pmu, &a), 0);
	cr_expect_eq(pv_cpmu_start(&pmu, &b), 0);
	cr_expect_eq(a.counter, 2);
	cr_expect_eq(b.counter, 4);
	cr_expect_eq(pv_cpmu_start(&pmu, &c), -PV_ENOSPC);
}

Test(cpmu_setup, each_event_is_programmed_in_its_own_group)
{
	struct pv_cpmu_event d2h = event(D2H(0x1e)), ddr = event(DDR(0x40)), vendor;

	vendor = event(PV_CPMU_CONFIG(0x19e5, 0x42, 0x80000000));
	start(&d2h);
	start(&ddr);
	start(&vendor);

	cr_expect_eq(dev.cfg[2], 1ull << 59 | 0x1eull << 24 | FAKE_THRESHOLD_1 | 1 << 9 | 1 << 8 | 2);
	cr_expect_eq(dev.cfg[3], 2ull << 59 | 0x40ull << 24 | FAKE_THRESHOLD_1 | 1 << 9 | 1 << 8 | 2);
	cr_expect_eq(dev.cfg[4], 3ull << 59 | 0x80000000ull << 24 | 1 << 9 | 1 << 8 | 2, "a vendor's: raw");
	cr_expect_eq(dev.bad_accesses, 0);
}

Test(cpmu_setup, threshold_invert_and_edge_reach_the_counter)
{
	struct pv_cpmu_event ev;

	cr_assert_eq(pv_cpmu_event_init(&pmu, D2H(2), 0xab | PV_CPMU_CONFIG1_INVERT | PV_CPMU_CONFIG1_EDGE, 0, &ev), 0);
	start(&ev);

	cr_expect_eq(dev.cfg[2], 1ull << 59 | 2ull << 24 | 0xab << 16 | 1 << 12 | 1 << 11 | 1 << 9 | 1 << 8 | 2);
}

Test(cpmu_setup, invert_is_left_out_of_a_raw_count)
{
	struct pv_cpmu_event ev;

	cr_assert_eq(pv_cpmu_event_init(&pmu, D2H(2), PV_CPMU_CONFIG1_INVERT, 0, &ev), 0);
	start(&ev);

	cr_expect_eq(dev.cfg[2] & (CPMU_CFG_INVERT | CPMU_CFG_THRESHOLD_MASK), FAKE_THRESHOLD_1);
}

Test(cpmu_setup, filters_are_set_as_asked_and_taken_back)
{
	struct pv_cpmu_event filtered, plain = event(D2H(4)), of_place;

	usual(48, FAKE_USUAL | CPMU_CAP_FILTER_HDM | CPMU_CAP_FILTER_CRB);
	dev.filter[2][CPMU_FILTER_CRB] = 7;
	dev.filter[3][CPMU_FILTER_HDM] = 7;
	cr_assert_eq(pv_cpmu_event_init(&pmu, MEM(2), PV_CPMU_CONFIG1_HDM_FILTER_EN, 0x8005, &filtered), 0);

	start(&filtered);
	start(&plain);
	cr_assert_eq(pv_cpmu_event_init(&pmu, DDR(1), PV_CPMU_CONFIG1_CRB_FILTER_EN, 0x0004ff0000000000, &of_place), 0);
	start(&of_place);
	cr_expect_eq(dev.filter[4][CPMU_FILTER_HDM], CPMU_FILTER_NONE);
	cr_expect_eq(dev.filter[4][CPMU_FILTER_CRB], 0x0004ff00);
	cr_expect_eq(dev.filter[2][CPMU_FILTER_HDM], 0x8005);
	cr_expect_eq(dev.filter[2][CPMU_FILTER_CRB], CPMU_FILTER_NONE, "leftovers do not filter");
	cr_expect_eq(dev.filter[3][CPMU_FILTER_HDM], CPMU_FILTER_NONE);

	pv_cpmu_stop(&pmu, &filtered);
	cr_expect_eq(dev.filter[2][CPMU_FILTER_HDM], CPMU_FILTER_NONE);
}

Test(cpmu_setup, filter_registers_that_are_not_there_are_not_written)
{
	struct pv_cpmu_event ev = event(D2H(2));

	usual(48, FAKE_USUAL);
	dev.filter[2][0] = dev.filter[2][1] = 0x1234;
	start(&ev);

	cr_expect_eq(dev.filter[2][CPMU_FILTER_HDM], 0x1234);
	cr_expect_eq(dev.filter[2][CPMU_FILTER_CRB], 0x1234);
}

Test(cpmu_setup, freeze_on_overflow_is_never_asked_for)
{
	struct pv_cpmu_event ev = event(D2H(2)), ticks = event(CLOCK_TICKS);

	dev.cfg[2] |= CPMU_CFG_FREEZE_ON_OVERFLOW;
	start(&ev);
	start(&ticks);

	cr_expect_eq(dev.cfg[2] & CPMU_CFG_FREEZE_ON_OVERFLOW, 0);
	cr_expect_eq(dev.cfg[0] & CPMU_CFG_FREEZE_ON_OVERFLOW, 0);
}

Test(cpmu_setup, without_an_interrupt_none_is_enabled)
{
	struct pv_cpmu_event ev;

	usual(48, FAKE_USUAL & ~CPMU_CAP_INTERRUPT);
	ev = event(D2H(2));
	start(&ev);

	cr_expect_eq(dev.cfg[2] & CPMU_CFG_INT_ON_OVERFLOW, 0);
	cr_expect(dev.cfg[2] & CPMU_CFG_ENABLE);
}

Test(cpmu_setup, stopping_leaves_the_counter_idle)
{
	struct pv_cpmu_event ev = event(D2H(2)), ticks = event(CLOCK_TICKS);

	start(&ev);
	start(&ticks);
	pv_cpmu_release(&pmu);
	pv_cpmu_stop(&pmu, &ev);
	pv_cpmu_stop(&pmu, &ticks);
	pv_cpmu_release(&pmu);

	cr_expect_eq(dev.cfg[2], CPMU_CFG_TYPE_CONFIGURABLE | FAKE_THRESHOLD_1);
	cr_expect_eq(dev.cfg[0], fake_fixed(0, 0x1));
	cr_expect_eq(dev.freeze, 0);
	cr_expect_eq(dev.overflow, 0);
	cr_expect_eq(pmu.used, 0);
}

Test(cpmu_setup, named_events_are_unique)
{
	size_t i, j;

	cr_expect_eq(pv_cpmu_events_count, 1 + 15 + 7 + 3 + 7 + 2 + 16 + 7 + 6 + 12 + 8 + 3 + 16 + 4 + 2 + 4 + 2);
	for (i = 0; i < pv_cpmu_events_count; i++)
		for (j = 0; j < i; j++) {
			const struct pv_cpmu_named_event *a = &pv_cpmu_events[i], *b = &pv_cpmu_events[j];

			cr_expect(strcmp(a->name, b->name) && (a->gid != b->gid || a->bit != b->bit), "%s, %s", a->name,
				  b->name);
		}
}
