/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures of a ledger worked out by hand: a link of 1 byte per 100 ps.
 */
#include <errno.h>

#include "framework/oracle/tests/make.h"
#include "framework/trace/tlp.h"

#define PS_PER_BYTE 100

static struct pv_ledger *ledger;
static uint64_t now;

static void set_up(void)
{
	ledger = make_ledger();
	now = 1000;
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(measure, .init = set_up, .fini = tear_down);

/* Puts a TLP on the wire after an idle time. */
static void put(uint32_t dw0, uint32_t data, uint32_t wire, uint64_t idle_ps, uint8_t flags)
{
	struct pv_wire w = make_tlp(dw0);

	now += idle_ps;
	w.time_ps = now;
	w.data_bytes = data;
	w.wire_bytes = wire;
	w.flags = flags;
	pv_ledger_add(ledger, &w);
	now += (uint64_t)wire * PS_PER_BYTE;
}

/* A completion of 128 bytes, 148 on the wire. */
static void put_at(uint64_t time_ps)
{
	struct pv_wire w = make_tlp(CPLD | 32);

	w.time_ps = time_ps;
	w.data_bytes = 128;
	w.wire_bytes = 148;
	pv_ledger_add(ledger, &w);
}

static double measure(enum pv_measure what, unsigned classes)
{
	struct pv_measure_spec s = {.what = what, .port = RP0, .dir = PV_WIRE_IN, .classes = classes};
	struct pv_window win = whole(ledger);
	double out = -1;

	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	return out;
}

/* 3 writes back to back, a read, idle, 2 writes. */
static void add_mix(void)
{
	for (int i = 0; i < 3; i++)
		put(MWR64 | 16, 64, 88, 0, 0);
	put(MRD64 | 128, 0, 24, 0, 0);
	put(MWR64 | 32, 128, 152, 5000, 0);
	put(MWR64 | 16, 64, 88, 0, 0);
}

Test(measure, counts_and_bytes)
{
	add_mix();
	cr_expect_float_eq(measure(PV_MEASURE_TLPS, 0), 6, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_TLPS, PV_CLASS_POSTED), 5, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_DATA_BYTES, 0), 384, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_WIRE_BYTES, PV_CLASS_NONPOSTED), 24, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_SHARE, PV_CLASS_POSTED), 504.0 / 528, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_MAX_PAYLOAD, 0), 128, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_MEAN_PAYLOAD, 0), 384.0 / 5, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_MAX_READ, 0), 512, 1e-9);
}

Test(measure, bursts_end_where_the_wire_falls_idle)
{
	add_mix();
	cr_expect_float_eq(measure(PV_MEASURE_BURSTS, 0), 2, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_BURST, 0), 3, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_BURSTS, PV_CLASS_NONPOSTED), 1, 1e-9);
}

Test(measure, paced_traffic_is_all_bursts_of_one_when_the_rate_is_known)
{
	struct pv_measure_spec s = {
		.what = PV_MEASURE_BURST, .port = RP0, .dir = PV_WIRE_IN, .link_bytes_per_s = 1e12 / PS_PER_BYTE};
	struct pv_window win;
	double out;

	for (int i = 0; i < 10; i++)
		put(MWR64 | 16, 64, 88, 3000, 0);
	win = whole(ledger);
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_float_eq(out, 1, 1e-9);
}

Test(measure, full_link_measures_its_ceiling)
{
	/* 64 of 88 bytes of 10^10 bytes/s; 99 times 8800 ps, and 1 for the resolution of the times */
	for (int i = 0; i < 100; i++)
		put(MWR64 | 16, 64, 88, 0, 0);
	cr_assert_float_eq(measure(PV_MEASURE_BANDWIDTH, 0), 99 * 64e12 / (99 * 8800 + 1), 1);
}

Test(measure, times_that_are_cut_do_not_exceed_the_ceiling)
{
	static const struct pv_link_rate gen3_x8 = {8000, 8};

	/* 148 bytes take 18789 1/16 ps */
	for (uint64_t i = 0; i < 1000; i++)
		put_at(1000 + 18789 * i + i / 16);
	cr_assert_leq(measure(PV_MEASURE_BANDWIDTH, 0), pv_ceiling_read(&gen3_x8, 4096, 128, 512, 64, true));
	cr_assert_geq(measure(PV_MEASURE_BANDWIDTH, 0), 0.9999 * pv_ceiling_read(&gen3_x8, 4096, 128, 512, 64, true));
}

Test(measure, a_link_that_is_too_fast_by_millionths_exceeds_the_ceiling)
{
	static const struct pv_link_rate gen3_x8 = {8000, 8};

	for (uint64_t i = 0; i < 1000; i++)
		put_at(1000 + 18789 * i);
	cr_assert_gt(measure(PV_MEASURE_BANDWIDTH, 0), pv_ceiling_read(&gen3_x8, 4096, 128, 512, 64, true));
}

Test(measure, single_tlp_has_no_bandwidth)
{
	put(MWR64 | 16, 64, 88, 0, 0);
	cr_assert_eq(measure(PV_MEASURE_BANDWIDTH, 0), 0);
}

static int try(enum pv_measure what, unsigned classes)
{
	const struct pv_measure_spec s = {.what = what, .port = RP0, .dir = PV_WIRE_IN, .classes = classes};
	struct pv_window win = whole(ledger);
	double out;

	return pv_oracle_measure(ledger, &win, &s, &out);
}

Test(measure, nothing_is_zero_and_has_no_share_mean_or_largest)
{
	for (int what = PV_MEASURE_TLPS; what <= PV_MEASURE_BANDWIDTH; what++)
		cr_expect_eq(measure(what, 0), 0, "measure %d", what);
	cr_expect_eq(measure(PV_MEASURE_BURSTS, 0), 0);
	cr_expect_eq(try(PV_MEASURE_SHARE, 0), -ENODATA);
	cr_expect_eq(try(PV_MEASURE_BURST, 0), -ENODATA);
	for (int what = PV_MEASURE_MEAN_PAYLOAD; what <= PV_MEASURE_OFF_BOUNDARY; what++)
		cr_expect_eq(try(what, 0), -ENODATA, "measure %d", what);
}

Test(measure, what_no_tlp_has_cannot_be_measured)
{
	put(MRD64 | 128, 0, 24, 0, 0);
	cr_expect_eq(try(PV_MEASURE_MAX_PAYLOAD, 0), -ENODATA);
	cr_expect_eq(try(PV_MEASURE_MEAN_PAYLOAD, 0), -ENODATA);
	cr_expect_eq(try(PV_MEASURE_OFF_BOUNDARY, 0), -ENODATA);
	cr_expect_eq(try(PV_MEASURE_BURST, PV_CLASS_POSTED), -ENODATA);
	cr_expect_eq(measure(PV_MEASURE_SHARE, PV_CLASS_POSTED), 0);
	put(MWR64 | 16, 64, 88, 0, 0);
	cr_expect_eq(try(PV_MEASURE_MAX_READ, PV_CLASS_POSTED), -ENODATA);
	cr_expect_eq(try(PV_MEASURE_MAX_PAYLOAD, PV_CLASS_NONPOSTED), -ENODATA);
	cr_expect_eq(measure(PV_MEASURE_MAX_PAYLOAD, 0), 64);
}

Test(measure, short_writes_are_counted_where_the_bandwidth_is)
{
	put(MWR32 | 16, 64, 84, 0, 0);
	cr_expect_eq(measure(PV_MEASURE_SHORT_WRITES, 0), 0);
	put(MWR64 | 16, 64, 88, 0, 0);
	put(MRD32 | 16, 0, 20, 0, 0);
	put(MWR32 | 16, 64, 84, 0, PV_WIRE_F_BAD_LCRC);
	put(MWR64 | 16, 64, 88, 0, 0);
	cr_expect_float_eq(measure(PV_MEASURE_SHORT_WRITES, PV_CLASS_POSTED), 0.5, 1e-9);
	cr_expect_eq(measure(PV_MEASURE_SHORT_WRITES, PV_CLASS_NONPOSTED), 0);
	put(MWR32 | 16, 64, 84, 0, 0);
	cr_expect_float_eq(measure(PV_MEASURE_SHORT_WRITES, PV_CLASS_POSTED), 1 / 3.0, 1e-9);
}

Test(measure, discarded_tlps_take_the_wire_and_carry_nothing)
{
	put(MWR64 | 16, 64, 88, 0, PV_WIRE_F_NULLIFIED);
	put(MWR64 | 16, 64, 88, 0, PV_WIRE_F_DUPLICATE);
	put(MWR64 | 16, 64, 88, 0, PV_WIRE_F_NULLIFIED | PV_WIRE_F_DUPLICATE); /* sent again, and nullified then */
	put(MWR64 | 16, 64, 88, 0, PV_WIRE_F_ABORTED);
	put(MWR64 | 16, 64, 88, 0, PV_WIRE_F_BAD_LCRC);
	put(MWR64 | 16, 64, 88, 0, PV_WIRE_F_RETRY); /* the damaged TLP arrives now */
	cr_expect_float_eq(measure(PV_MEASURE_TLPS, 0), 1, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_DATA_BYTES, 0), 64, 1e-9);
	cr_expect_float_eq(measure(PV_MEASURE_WIRE_BYTES, 0), 5 * 88, 1e-9);
}

Test(measure, other_links_are_not_measured)
{
	struct pv_wire w = make_write(0);

	w.port = RP1;
	pv_ledger_add(ledger, &w);
	cr_expect_eq(measure(PV_MEASURE_TLPS, 0), 0);
	cr_expect_eq(measure(PV_MEASURE_WIRE_BYTES, 0), 0);
}

Test(measure, only_the_inner_window_is_measured)
{
	const struct pv_measure_spec s = {.what = PV_MEASURE_TLPS, .port = RP0, .dir = PV_WIRE_IN};
	const struct pv_window win = {0, 2, 5, 6, 0, 0, 1000000, 1000000};
	double out = -1;

	add_mix();
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_float_eq(out, 3, 1e-9);
}

Test(measure, impossible_windows_are_refused)
{
	static const struct pv_window bad[] = {
		{3, 2, 5, 6, 0, 0, 9, 9}, {0, 5, 2, 6, 0, 0, 9, 9}, {0, 2, 6, 5, 0, 0, 9, 9}, {0, 2, 5, 7, 0, 0, 9, 9},
		{0, 2, 5, 6, 2, 1, 9, 9}, {0, 2, 5, 6, 0, 9, 8, 9}, {0, 2, 5, 6, 0, 0, 9, 8}};
	const struct pv_measure_spec s = {.what = PV_MEASURE_TLPS, .port = RP0, .dir = PV_WIRE_IN};
	double out;

	add_mix();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_eq(pv_oracle_measure(ledger, &bad[i], &s, &out), -EINVAL, "window %zu", i);
}

Test(measure, requester_and_direction_select)
{
	struct pv_measure_spec s = {.what = PV_MEASURE_TLPS, .port = RP0, .dir = PV_WIRE_OUT};
	struct pv_window win;
	double out;

	add_mix();
	win = whole(ledger);
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_eq(out, 0);
	s.dir = PV_WIRE_IN;
	s.of_requester = true;
	s.requester = NIC + 1;
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_eq(out, 0);
	s.requester = 0xffff;
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_eq(out, 0);
	s.requester = NIC;
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_float_eq(out, 6, 1e-9);
}

/* A completion of a memory read: from this lower address, this many dwords, this many bytes still to come. */
static void put_completion(unsigned lower, unsigned dws, unsigned byte_count)
{
	struct pv_wire w = make_tlp(CPLD | dws);

	w.hdr[1] = (uint32_t)NIC << 16 | byte_count;
	w.hdr[2] |= lower;
	w.time_ps = ++now;
	w.data_bytes = 4 * dws;
	pv_ledger_add(ledger, &w);
}

Test(measure, completions_that_break_off_at_the_boundary_are_right)
{
	put_completion(0x20, 24, 512); /* up to 128 */
	put_completion(0, 32, 416);
	put_completion(0x3d, 1, 10); /* a first dword of which 3 bytes are asked for, up to 64 */
	cr_assert_float_eq(measure(PV_MEASURE_OFF_BOUNDARY, 0), 0, 1e-9);
}

Test(measure, completions_that_break_off_elsewhere_are_counted)
{
	put_completion(0x20, 20, 512); /* up to 112 */
	put_completion(0x70, 28, 432); /* and on to 224 */
	cr_assert_float_eq(measure(PV_MEASURE_OFF_BOUNDARY, 0), 2, 1e-9);
}

Test(measure, the_last_completion_may_end_anywhere)
{
	put_completion(0x40, 5, 20);
	put_completion(0x7e, 2, 5); /* bytes 126 to 130 */
	cr_assert_float_eq(measure(PV_MEASURE_OFF_BOUNDARY, 0), 0, 1e-9);
}

Test(measure, boundary_of_128_bytes_is_stricter)
{
	const struct pv_measure_spec s = {
		.what = PV_MEASURE_OFF_BOUNDARY, .port = RP0, .dir = PV_WIRE_IN, .boundary = 128};
	struct pv_window win;
	double out = -1;

	put_completion(0, 16, 512); /* up to 64 */
	put_completion(0x40, 16, 448);
	win = whole(ledger);
	cr_assert_eq(pv_oracle_measure(ledger, &win, &s, &out), 0);
	cr_assert_float_eq(out, 1, 1e-9);
}
