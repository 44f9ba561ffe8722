/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detecting from the data what Time counts; and the times computed from it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/time_kind.h"
#include "framework/trace/trace.h"

#define N 600

static struct hand h;
static uint32_t seed = 1;

static uint32_t chance(uint32_t below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % below;
}

static void add(bool is_8dw, uint32_t time)
{
	if (is_8dw)
		hand_le32(&h, 0xffffffff), hand_le32(&h, 0), hand_le32(&h, 0x60000010);
	else
		hand_le32(&h, 3u << 30 | 0x10 << 11 | (time & 0x7ff));
	hand_le32(&h, 0x010012ff);
	hand_le32(&h, 0x20);
	hand_le32(&h, 0x1000);
	if (is_8dw)
		hand_le32(&h, 0), hand_le32(&h, time);
}

/* Records `gap` ticks apart, and up to `more` later, as a clock or as distances. */
static void traffic(bool is_8dw, enum pv_trace_time as, unsigned n, uint32_t gap, uint32_t more)
{
	uint32_t most = is_8dw ? UINT32_MAX : 0x7ff, now = 12345;

	h.n = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t d = gap + chance(more + 1);

		now += d;
		add(is_8dw, as == PV_TRACE_TIME_CLOCK ? now : d < most ? d : most);
	}
}

static enum pv_trace_time detected(void)
{
	struct pv_trace *t = pv_trace_open_memory(h.bytes, h.n, NULL);
	struct pv_trace_record r;

	cr_assert_eq(pv_trace_next(t, &r), 1);
	enum pv_trace_time time = r.stream->time;
	cr_expect_eq(r.stream->time_is_given, 0);
	pv_trace_close(t);
	return time;
}

/* Ticks between records, from a full link to seconds. */
static const struct {
	uint32_t gap, more;
} rates[] = {{7, 10}, {1, 100}, {50, 200}, {3, 1500}, {100, 3000}, {1000, 100}, {1, 6000}, {5000, 70000}};

Test(time_kind, no_trace_is_taken_for_the_other)
{
	static const enum pv_trace_time kinds[] = {PV_TRACE_TIME_CLOCK, PV_TRACE_TIME_DISTANCE};
	unsigned told[2][2] = {{0}};

	for (unsigned f = 0; f < 2; f++)
		for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
			for (unsigned k = 0; k < 2; k++) {
				traffic(f, kinds[k], N, rates[i].gap, rates[i].more);
				enum pv_trace_time got = detected();

				cr_expect(got == kinds[k] || got == PV_TRACE_TIME_UNKNOWN,
					  "%s %s, %u ticks and up to %u more: %s", f ? "8DW" : "4DW",
					  pv_trace_time_name(kinds[k]), rates[i].gap, rates[i].more,
					  pv_trace_time_name(got));
				told[f][k] += got == kinds[k];
			}
	cr_expect_eq(told[1][0], 8, "8DW tells every clock");
	cr_expect_eq(told[1][1], 8, "8DW tells all distances");
	cr_expect_geq(told[0][0], 4);
	cr_expect_geq(told[0][1], 3);
}

Test(time_kind, a_few_records_do_not_tell)
{
	traffic(true, PV_TRACE_TIME_DISTANCE, 4, 7, 10);
	cr_expect_eq(detected(), PV_TRACE_TIME_UNKNOWN);
	traffic(false, PV_TRACE_TIME_CLOCK, 20, 7, 10);
	cr_expect_eq(detected(), PV_TRACE_TIME_UNKNOWN);
}

/* Of 8DW: 8 pairs of records are evidence, and a clock falls at most once in 8 rises, from the first pair on. */
Test(time_kind, the_least_that_tells_a_clock)
{
	static const struct {
		uint32_t first;
		unsigned then; /* records with 1, 2, 3 ... */
		enum pv_trace_time is;
	} rows[] = {{0, 7, PV_TRACE_TIME_UNKNOWN},
		    {0, 8, PV_TRACE_TIME_CLOCK},
		    {100, 8, PV_TRACE_TIME_UNKNOWN},
		    {100, 9, PV_TRACE_TIME_CLOCK}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		h.n = 0;
		add(true, rows[i].first);
		for (uint32_t k = 1; k <= rows[i].then; k++)
			add(true, k);
		cr_expect_eq(detected(), rows[i].is, "row %zu", i);
	}
}

Test(time_kind, a_time_that_stands_still_tells_nothing)
{
	h.n = 0;
	for (unsigned i = 0; i < N; i++)
		add(true, 0);
	cr_expect_eq(detected(), PV_TRACE_TIME_UNKNOWN);
}

/*
 * Rises and falls that belong to neither: a counter that begins anew after six records, values far from 0 in no order.
 */
Test(time_kind, what_neither_kind_does_is_unknown)
{
	h.n = 0;
	for (unsigned i = 0; i < N; i++)
		add(true, i % 6 * 1000);
	cr_expect_eq(detected(), PV_TRACE_TIME_UNKNOWN);
	h.n = 0;
	for (unsigned i = 0; i < N; i++)
		add(false, 1024 + chance(500));
	cr_expect_eq(detected(), PV_TRACE_TIME_UNKNOWN);
}

static void learn(struct pv_time_evidence e[3], enum pv_record_format f, enum pv_trace_time as)
{
	traffic(f == PV_RECORD_8DW, as, N, 7, 10);
	pv_time_learn(&e[f], f, h.bytes, N);
}

Test(time_kind, formats_that_disagree_tell_nothing)
{
	struct pv_time_evidence e[3] = {0};

	learn(e, PV_RECORD_4DW, PV_TRACE_TIME_DISTANCE);
	cr_expect_eq(pv_time_of_both(e), PV_TRACE_TIME_DISTANCE);
	learn(e, PV_RECORD_8DW, PV_TRACE_TIME_CLOCK);
	cr_expect_eq(pv_time_of_both(e), PV_TRACE_TIME_UNKNOWN);
}

static void read_times(enum pv_trace_time time, struct pv_trace_record *r, unsigned n)
{
	struct pv_trace *t = pv_trace_open_memory(h.bytes, h.n, &(struct pv_trace_options){.time = time});

	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(pv_trace_next(t, &r[i]), 1);
	pv_trace_close(t);
}

Test(time_kind, each_kind_is_found_by_its_name)
{
	static const char *const names[] = {"unknown", "clock", "distance"};

	for (int i = 0; i < 3; i++) {
		cr_expect_eq(pv_trace_time_by_name(names[i]), i);
		cr_expect_str_eq(pv_trace_time_name((enum pv_trace_time)i), names[i]);
	}
	cr_expect_eq(pv_trace_time_by_name("clocks"), -EINVAL);
}

/* Published records of real hardware: 0x4c033 then 2, 0x11ea82a then 0x2ee. */
Test(time_kind, published_pairs_are_distances)
{
	static const uint32_t pairs[][2] = {{0x4c033, 2}, {0x11ea82a, 0x2ee}};
	struct pv_trace_record r[2];

	for (size_t i = 0; i < 2; i++) {
		h.n = 0;
		add(true, pairs[i][0]);
		add(true, pairs[i][1]);
		cr_expect_eq(detected(), PV_TRACE_TIME_UNKNOWN);
		read_times(PV_TRACE_TIME_DISTANCE, r, 2);
		cr_expect_eq(r[0].time, 0);
		cr_expect_eq(r[1].time, pairs[i][1]);
		read_times(PV_TRACE_TIME_CLOCK, r, 2);
		cr_expect_gt(r[1].time - r[0].time, UINT32_MAX / 2, "as a clock, nearly a whole wrap");
	}
}

Test(time_kind, full_scale_is_at_least)
{
	static const uint32_t times[] = {0x7ff, 5, 0x7fe, 0x7ff, 3};
	static const uint64_t sums[] = {0, 5, 5 + 0x7fe, 5 + 0x7fe + 0x7ff, 5 + 0x7fe + 0x7ff + 3};
	struct pv_trace_record r[5];

	h.n = 0;
	for (unsigned i = 0; i < 5; i++)
		add(false, times[i]);
	read_times(PV_TRACE_TIME_DISTANCE, r, 5);
	for (unsigned i = 0; i < 5; i++) {
		cr_expect_eq(r[i].time, sums[i]);
		cr_expect_eq(r[i].time_at_least, i >= 3, "record %u", i);
	}
	read_times(PV_TRACE_TIME_CLOCK, r, 5);
	cr_expect_not(r[4].time_at_least);
}

Test(time_kind, a_hole_hides_distances)
{
	static struct pv_trace_record r[150];

	traffic(true, PV_TRACE_TIME_DISTANCE, 150, 7, 10);
	memset(h.bytes + 100 * 32, 0x55, 32);
	read_times(PV_TRACE_TIME_DISTANCE, r, 149);
	cr_expect_not(r[99].time_at_least);
	cr_expect(r[100].time_at_least);
}

Test(time_kind, unknown_has_no_times)
{
	struct pv_trace_record r[3];
	struct pv_trace *t;

	traffic(true, PV_TRACE_TIME_CLOCK, 100, 7, 10);
	t = pv_trace_open_memory(h.bytes, h.n, &(struct pv_trace_options){.no_time = true});
	for (unsigned i = 0; i < 3; i++) {
		cr_assert_eq(pv_trace_next(t, &r[i]), 1);
		cr_expect_eq(r[i].time, 0);
		cr_expect_eq(r[i].stream->time, PV_TRACE_TIME_UNKNOWN);
	}
	pv_trace_close(t);
}

/* Four records, which do not tell; damage, which ends the block; and others, which do. */
Test(time_kind, a_file_is_read_ahead)
{
	struct pv_trace_record r;
	struct pv_trace *t;

	traffic(true, PV_TRACE_TIME_DISTANCE, 200, 7, 10);
	memset(h.bytes + 4 * 32, 0x55, 32);
	t = pv_trace_open_fd(hand_file(h.bytes, h.n), "file", NULL, NULL);
	cr_assert_eq(pv_trace_next(t, &r), 1);
	cr_expect_eq(r.stream->time, PV_TRACE_TIME_DISTANCE);
	cr_expect_eq(r.file_offset, 0);
	pv_trace_close(t);
}

/* Nothing can be read twice: the first block tells. */
Test(time_kind, a_pipe_is_asked_too)
{
	struct pv_trace_record r;
	struct pv_trace *t;
	int ends[2];

	traffic(true, PV_TRACE_TIME_DISTANCE, 200, 7, 10);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], h.bytes, h.n), (long)h.n);
	close(ends[1]);
	t = pv_trace_open_fd(ends[0], "pipe", NULL, NULL);
	cr_assert_eq(pv_trace_next(t, &r), 1);
	cr_expect_eq(r.stream->time, PV_TRACE_TIME_DISTANCE);
	pv_trace_close(t);
}
