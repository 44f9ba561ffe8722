/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests and completions: matching within one piece and across pieces, and all kinds of misses. */
#include "framework/analysis/match.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"

enum { RECORDS = 16 };

/* A small trace of 8DW records, and its sums. */
struct fixture {
	uint32_t dw[RECORDS][8];
	uint64_t time[RECORDS];
	size_t n;
};

static void add(struct fixture *f, uint64_t time, uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
	uint32_t r[8] = {0xffffffff, 0, dw0, dw1, dw2, dw3, 0, (uint32_t)time};

	cr_assert_lt(f->n, RECORDS);
	memcpy(f->dw[f->n], r, sizeof(r));
	f->time[f->n++] = time;
}

/* Adds an MRd32 of `dw` DWs by 01:00.0. */
static void read(struct fixture *f, uint64_t time, unsigned tag, unsigned dw)
{
	add(f, time, dw & 0x3ff, 0x01000000 | tag << 8 | (dw == 1 ? 0x0f : 0xff), 0x1000, 0);
}

/* Adds a CplD with `bytes` of the `left` remaining bytes. */
static void answer(struct fixture *f, uint64_t time, unsigned tag, unsigned left, unsigned bytes)
{
	add(f, time, 0x4a000000 | (bytes / 4), 0x00800000 | (left & 0xfff), 0x01000000 | tag << 8, 0);
}

static void refuse(struct fixture *f, uint64_t time, unsigned tag, unsigned status)
{
	add(f, time, 0x0a000000, 0x00800000 | status << 13 | 4, 0x01000000 | tag << 8, 0);
}

/* Returns the sums of a match in pieces of `step` records. */
static struct pv_match_sums sums_of(const struct fixture *f, size_t step)
{
	struct pv_match_chunk *p = pv_match_chunk_new();
	struct pv_match *m = pv_match_new();
	struct pv_timeline t = {0};
	struct pv_match_sums mine = {0}, joined = {0};

	pv_kind_lut_init();
	for (size_t i = 0; i < f->n; i += step) {
		size_t n = f->n - i < step ? f->n - i : step;

		pv_match_chunk_run(p, PV_RECORD_8DW, (const uint8_t *)f->dw[i], n, f->time + i, &mine, &t);
		pv_match_join(m, p, &joined, &t);
	}
	pv_match_end(m, &joined);
	pv_match_sums_merge(&joined, &mine);
	pv_match_chunk_free(p);
	pv_match_free(m);
	return joined;
}

/* Matches each stretch between two holes as a piece. Returns the number of unanswered requests at its end. */
static uint64_t unanswered_at(struct pv_match *m, struct pv_match_chunk *p, struct fixture *f)
{
	struct pv_timeline t = {0};
	struct pv_match_sums mine = {0}, joined = {0};

	pv_match_chunk_run(p, PV_RECORD_8DW, (const uint8_t *)f->dw, f->n, f->time, &mine, &t);
	pv_match_join(m, p, &joined, &t);
	pv_match_end(m, &joined);
	f->n = 0;
	return joined.unanswered;
}

#define each_step(s) for (size_t s = 1; s <= RECORDS; s++)

Test(match, a_read_and_its_completion)
{
	struct fixture f = {0};

	read(&f, 100, 7, 16);
	answer(&f, 150, 7, 64, 64);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.requests, 1);
		cr_assert_eq(s.answered, 1);
		cr_assert_eq(s.asked_bytes, 64);
		cr_assert_eq(s.returned_bytes, 64);
		cr_assert_eq(s.latency_min, 50);
		cr_assert_eq(s.latency_max, 50);
		cr_assert_eq(s.latency_sum, 50);
		cr_assert_eq(s.unmatched + s.unanswered + s.wrong_size + s.tag_reused, 0);
	}
}

Test(match, several_completions_by_byte_count)
{
	struct fixture f = {0};

	read(&f, 0, 1, 128);
	answer(&f, 10, 1, 512, 256);
	answer(&f, 30, 1, 256, 256);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.completions, 2);
		cr_assert_eq(s.answered, 1);
		cr_assert_eq(s.pieces[1], 1);
		cr_assert_eq(s.latency_max, 30);
		cr_assert_eq(s.wrong_size, 0);
	}
}

Test(match, tags_are_used_again_after_the_answer)
{
	struct fixture f = {0};

	for (unsigned i = 0; i < 4; i++) {
		read(&f, 100 * i, 3, 1);
		answer(&f, 100 * i + 10 + i, 3, 4, 4);
	}
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.answered, 4);
		cr_assert_eq(s.tag_reused, 0);
		cr_assert_eq(s.latency_min, 10);
		cr_assert_eq(s.latency_max, 13);
	}
}

/* Tags 0x303 and 0x003 of one requester: T9 and T8 are in header DW 0. */
Test(match, tags_have_ten_bits)
{
	const uint32_t t9_t8 = 1u << 23 | 1u << 19;
	struct fixture f = {0};

	read(&f, 0, 3, 1);
	add(&f, 10, t9_t8 | 1, 0x0100030f, 0x1000, 0);
	answer(&f, 100, 3, 4, 4);
	add(&f, 130, t9_t8 | 0x4a000001, 0x00800004, 0x01000300, 0);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.answered, 2);
		cr_assert_eq(s.tag_reused, 0);
		cr_assert_eq(s.latency_min, 100);
		cr_assert_eq(s.latency_max, 120);
	}
}

Test(match, a_quantile_is_the_latency_that_its_share_does_not_exceed)
{
	struct pv_match_sums s = {.answered = 4, .latency_max = 9};

	for (uint64_t latency = 3; latency <= 9; latency += 2)
		s.latency[pv_latency_bucket(latency)]++;
	cr_expect_eq(pv_match_quantile(&s, 0), 3);
	cr_expect_eq(pv_match_quantile(&s, 0.25), 5);
	cr_expect_eq(pv_match_quantile(&s, 0.5), 7);
	cr_expect_eq(pv_match_quantile(&s, 0.99), 9);
	cr_expect_eq(pv_match_quantile(&s, 1), 9);
}

/* Threads sum up random pieces, so whole traces would show an error only sometimes. */
Test(match, sums_of_parts_are_those_of_the_whole)
{
	const struct pv_match_sums none = {0},
				   quick = {.answered = 2, .latency_sum = 9, .latency_min = 4, .latency_max = 5},
				   slow = {.answered = 1, .latency_sum = 7, .latency_min = 7, .latency_max = 7};
	const struct pv_match_sums *const orders[][3] = {
		{&none, &quick, &slow}, {&slow, &quick, &none}, {&quick, &none, &slow}};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct pv_match_sums s = {0};

		for (size_t k = 0; k < 3; k++)
			pv_match_sums_merge(&s, orders[i][k]);
		cr_expect_eq(s.answered, 3);
		cr_expect_eq(s.latency_sum, 16);
		cr_expect_eq(s.latency_min, 4);
		cr_expect_eq(s.latency_max, 7);
	}
}

Test(match, a_lost_completion_shows_when_the_tag_comes_again)
{
	struct fixture f = {0};

	read(&f, 0, 3, 1);
	read(&f, 50, 3, 1);
	answer(&f, 60, 3, 4, 4);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.tag_reused, 1);
		cr_assert_eq(s.answered, 1);
		cr_assert_eq(s.latency_max, 10);
	}
}

Test(match, what_has_no_partner_is_counted)
{
	struct fixture f = {0};

	answer(&f, 0, 9, 4, 4);
	read(&f, 10, 1, 1);
	read(&f, 20, 2, 1);
	answer(&f, 30, 2, 4, 4);
	answer(&f, 40, 2, 4, 4);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.unmatched, 2);
		cr_assert_eq(s.unanswered, 1);
		cr_assert_eq(s.answered, 1);
	}
}

Test(match, an_error_ends_a_request)
{
	struct fixture f = {0};

	read(&f, 0, 1, 128);
	answer(&f, 10, 1, 512, 256);
	refuse(&f, 20, 1, 1);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.answered, 1);
		cr_assert_eq(s.status[0], 1);
		cr_assert_eq(s.status[1], 1);
		cr_assert_eq(s.returned_bytes, 256);
		cr_assert_eq(s.wrong_size, 0);
	}
}

Test(match, an_error_is_the_last_completion_even_with_data)
{
	struct fixture f = {0};

	read(&f, 0, 1, 128);
	add(&f, 10, 0x4a000010, 0x00800000 | 4 << 13 | 512, 0x01000100, 0);
	each_step(step) cr_assert_eq(sums_of(&f, step).answered, 1);
}

Test(match, a_completion_without_data_is_the_last_whatever_its_length)
{
	struct fixture f = {0};

	add(&f, 0, 0x44000001, 0x0100010f, 0x01000010, 0);
	add(&f, 10, 0x0a000001, 0x00800000 | 8, 0x01000100, 0);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.answered, 1);
		cr_assert_eq(s.returned_bytes, 0);
	}
}

Test(match, fewer_bytes_than_asked_for_are_a_wrong_size)
{
	struct fixture f = {0};

	read(&f, 0, 1, 16);
	answer(&f, 10, 1, 32, 32);
	each_step(step) cr_assert_eq(sums_of(&f, step).wrong_size, 1);
}

Test(match, byte_enables_say_what_a_read_asks_for)
{
	static const struct {
		uint32_t dw, be;
		uint64_t bytes;
	} table[] = {{1, 0x0f, 4}, {1, 0x00, 1}, {1, 0x04, 1}, {1, 0x06, 2},	  {1, 0x09, 4},
		     {2, 0xff, 8}, {2, 0x18, 2}, {3, 0x3e, 9}, {1024, 0xff, 4096}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct fixture f = {0};

		add(&f, 0, table[i].dw & 0x3ff, 0x01000000 | table[i].be, 0x1000, 0);
		cr_assert_eq(sums_of(&f, 1).asked_bytes, table[i].bytes, "%u DW, enables 0x%02x", table[i].dw,
			     table[i].be);
	}
}

/* A request of 01:00.0 with tag 1, and the bytes that its completion must return. */
static const struct {
	uint32_t dw0, be, bytes;
	const char *what;
} asking[] = {
	{0x04000001, 0x03, 4, "CfgRd0 of 16 bits: the byte count is 4 all the same"},
	{0x05000001, 0x0c, 4, "CfgRd1"},
	{0x02000001, 0x01, 4, "IORd of 8 bits"},
	{0x44000001, 0x0f, 0, "CfgWr0"},
	{0x42000001, 0x0f, 0, "IOWr"},
	{0x4c000001, 0x00, 4, "FetchAdd32"},
	{0x6c000002, 0x00, 8, "FetchAdd64 of 8 bytes"},
	{0x4d000002, 0x00, 8, "Swap32 of 8 bytes"},
	{0x4e000002, 0x00, 4, "CAS32: two operands of 4 bytes, one comes back"},
	{0x6e000008, 0x00, 16, "CAS64 of 16 bytes"},
	{0x00010002, 0x81, 8, "MRd32 with TH: a steering tag where the byte enables were"},
	{0x20010000, 0x00, 4096, "MRd64 with TH, 1024 DW"},
};

Test(match, what_is_no_memory_read_has_its_own_byte_count)
{
	for (size_t i = 0; i < sizeof(asking) / sizeof(*asking); i++) {
		struct fixture f = {0};
		struct pv_match_sums s;

		add(&f, 0, asking[i].dw0, 0x01000100 | asking[i].be, 0x1000, 0x1000);
		if (asking[i].bytes)
			answer(&f, 10, 1, asking[i].bytes, asking[i].bytes);
		else
			refuse(&f, 10, 1, 0);
		s = sums_of(&f, 1);
		cr_expect_eq(s.asked_bytes, asking[i].bytes, "%s: bytes asked for", asking[i].what);
		cr_expect_eq(s.returned_bytes, asking[i].bytes, "%s: bytes returned", asking[i].what);
		cr_expect_eq(s.answered, 1, "%s: answered", asking[i].what);
		cr_expect_eq(s.wrong_size, 0, "%s: of a wrong size", asking[i].what);
	}
}

Test(match, latency_buckets_are_exact_below_16_and_within_an_eighth_above)
{
	for (unsigned shift = 0; shift < 64; shift++) {
		uint64_t v = (uint64_t)1 << shift | (uint64_t)5 << shift >> 3;
		uint64_t start = pv_latency_bucket_start(pv_latency_bucket(v));

		cr_assert_lt(pv_latency_bucket(v), PV_LATENCY_BUCKETS);
		cr_assert_leq(start, v);
		cr_assert_leq(v - start, v < 16 ? 0 : v / 8, "%llu", (unsigned long long)v);
	}
	cr_assert_lt(pv_latency_bucket(UINT64_MAX), PV_LATENCY_BUCKETS);
}

Test(match, each_latency_bucket_begins_where_the_one_before_ends)
{
	for (unsigned b = 0; b < pv_latency_bucket(UINT64_MAX); b++) {
		cr_assert_eq(pv_latency_bucket(pv_latency_bucket_start(b)), b);
		cr_assert_eq(pv_latency_bucket(pv_latency_bucket_start(b + 1) - 1), b);
	}
}

Test(match, a_request_that_is_never_done_ends_where_the_count_does)
{
	enum { COUNTED = 65535, ANSWERS = 70000 };
	struct fixture f = {0};
	struct pv_match_chunk *p = pv_match_chunk_new();
	struct pv_match *m = pv_match_new();
	struct pv_match_sums s = {0};
	struct pv_timeline t = {0};

	read(&f, 0, 1, 1024);
	answer(&f, 10, 1, 4096, 4092);
	for (unsigned i = 0; i <= ANSWERS; i++) {
		pv_match_chunk_run(p, PV_RECORD_8DW, (const uint8_t *)f.dw[i > 0], 1, &f.time[i > 0], &s, &t);
		pv_match_join(m, p, &s, &t);
	}
	cr_assert_eq(s.answered, 1);
	cr_assert_eq(s.pieces[4], 1);
	cr_assert_eq(s.returned_bytes, COUNTED * UINT64_C(4092));
	cr_assert_eq(s.wrong_size, 1);
	cr_assert_eq(s.unmatched, ANSWERS - COUNTED);
	pv_match_chunk_free(p);
	pv_match_free(m);
}

enum { KEYS = PV_MATCH_PIECE / 2 };

/* Adds a read for each of KEYS keys, from near and far requesters, then all their completions. */
static void fill_piece(uint32_t (*dw)[4], uint64_t *time, uint32_t first_requester)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t k = i / 16; /* k * (k + 1) / 2 modulo a power of two differs for all k */
		uint32_t requester_and_tag = (first_requester + k * (k + 1) / 2) << 16 | (i % 16) << 8;

		memcpy(dw[i], (uint32_t[]){1u << 11, requester_and_tag | 0x0f, 0x1000, 0}, 16);
		memcpy(dw[KEYS + i], (uint32_t[]){0x94000000 | 1u << 11, 0x00800004, requester_and_tag, 0}, 16);
		time[i] = i;
		time[KEYS + i] = KEYS + i;
	}
}

Test(match, pieces_full_of_requesters)
{
	enum { ROUNDS = 64 };

	uint32_t(*dw)[4] = calloc(PV_MATCH_PIECE, sizeof(*dw));
	uint64_t *time = calloc(PV_MATCH_PIECE, sizeof(*time));
	struct pv_match_chunk *p = pv_match_chunk_new();
	struct pv_match_sums s = {0};
	struct pv_timeline t = {0};

	for (uint32_t i = 0; i < ROUNDS; i++) {
		fill_piece(dw, time, 0x101 * i);
		pv_match_chunk_run(p, PV_RECORD_4DW, (const uint8_t *)dw, PV_MATCH_PIECE, time, &s, &t);
	}
	cr_assert_eq(s.requests, ROUNDS * KEYS);
	cr_assert_eq(s.answered, ROUNDS * KEYS);
	cr_assert_eq(s.latency_min, KEYS);
	cr_assert_eq(s.latency_max, KEYS);
	pv_match_chunk_free(p);
	free(time);
	free(dw);
}

Test(match, a_request_within_one_bin_of_time)
{
	struct pv_timeline t = {0};
	double open[PV_TIMELINE_BINS];

	pv_timeline_interval(&t, 0, 2 * PV_TIMELINE_BINS); /* bins of 4 ticks */
	pv_timeline_interval(&t, 9, 11);
	pv_timeline_interval(&t, 12, 16);
	pv_timeline_open(&t, open);
	cr_assert_eq(open[1], 1.0);
	cr_assert_eq(open[2], 1.5);
	cr_assert_eq(open[3], 2.0);
	cr_assert_eq(open[4], 1.0);
}

Test(match, open_requests_over_time)
{
	struct pv_timeline t = {0};
	double open[PV_TIMELINE_BINS];

	/* One request is open all the time, a second one in the first quarter. */
	pv_timeline_interval(&t, 0, 2 * PV_TIMELINE_BINS);
	pv_timeline_interval(&t, 0, PV_TIMELINE_BINS / 2);
	pv_timeline_open(&t, open);
	cr_assert_eq(t.shift, 2);
	for (unsigned b = 0; b < PV_TIMELINE_BINS / 2; b++)
		cr_assert_eq(open[b], b < PV_TIMELINE_BINS / 8 ? 2.0 : 1.0, "bin %u: %f", b, open[b]);
	cr_assert_eq(open[PV_TIMELINE_BINS / 2], 0.0);
}

/* A request is counted once, at the first hole after it. */
Test(match, requests_are_unanswered_at_each_hole)
{
	struct pv_match_chunk *p = pv_match_chunk_new();
	struct pv_match *m = pv_match_new();
	struct fixture f = {0};

	pv_kind_lut_init();
	read(&f, 0, 1, 1);
	read(&f, 10, 2, 1);
	cr_assert_eq(unanswered_at(m, p, &f), 2);
	cr_assert_eq(unanswered_at(m, p, &f), 0);
	read(&f, 20, 3, 1);
	add(&f, 25, 1, 0x02000000 | 3 << 8 | 0x0f, 0x1000, 0);
	cr_assert_eq(unanswered_at(m, p, &f), 2);
	answer(&f, 30, 1, 4, 4);
	cr_assert_eq(unanswered_at(m, p, &f), 0);
	pv_match_chunk_free(p);
	pv_match_free(m);
}

/* ---- answers in several completions, of odd lengths ---- */

/* The completion has 5 valid bytes in two DWs. */
Test(match, a_completion_brings_no_more_than_its_byte_count)
{
	struct fixture f = {0};

	add(&f, 0, 2, 0x0100011f, 0x1000, 0);
	add(&f, 10, 0x4a000002, 0x00800005, 0x01000100, 0);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.asked_bytes, 5);
		cr_assert_eq(s.returned_bytes, 5);
		cr_assert_eq(s.wrong_size, 0);
	}
}

/* 126 bytes: the first completion begins within a DW, and ends at a 64-byte boundary. */
Test(match, what_is_before_the_lower_address_does_not_count)
{
	struct fixture f = {0};

	add(&f, 0, 32, 0x010001fc, 0x1000, 0);
	add(&f, 10, 0x4a000010, 0x0080007e, 0x01000102, 0);
	answer(&f, 20, 1, 64, 64);
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.asked_bytes, 126);
		cr_assert_eq(s.returned_bytes, 126);
		cr_assert_eq(s.answered, 1);
		cr_assert_eq(s.wrong_size, 0);
	}
}

Test(match, each_status_is_counted_for_itself)
{
	struct fixture f = {0};

	for (unsigned status = 1; status <= 4; status++) {
		read(&f, 10 * status, status, 1);
		refuse(&f, 10 * status + 5, status, status);
	}
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.status[0], 0);
		for (unsigned status = 1; status <= 4; status++)
			cr_assert_eq(s.status[status], 1);
	}
}

Test(match, completions_for_a_request_have_their_class)
{
	static const unsigned classes[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 4};

	for (unsigned n = 1; n < sizeof(classes) / sizeof(classes[0]); n++) {
		struct fixture f = {0};

		read(&f, 0, 1, n);
		for (unsigned i = 0; i < n; i++)
			answer(&f, 10 + i, 1, 4 * (n - i), 4);
		each_step(step) cr_assert_eq(sums_of(&f, step).pieces[classes[n]], 1, "%u", n);
	}
}

Test(match, the_largest_latency_need_not_be_the_last)
{
	static const unsigned latencies[] = {20, 50, 10};
	struct fixture f = {0};

	for (unsigned i = 0; i < 3; i++) {
		read(&f, 100 * i, 1, 1);
		answer(&f, 100 * i + latencies[i], 1, 4, 4);
	}
	each_step(step)
	{
		struct pv_match_sums s = sums_of(&f, step);

		cr_assert_eq(s.latency_min, 10);
		cr_assert_eq(s.latency_max, 50);
		cr_assert_eq(s.latency_sum, 80);
	}
}

/* ---- parts of a timeline ---- */

static void expect_open(const struct pv_timeline *t, uint64_t begin, uint64_t end)
{
	double open[PV_TIMELINE_BINS];

	pv_timeline_open(t, open);
	for (uint64_t b = 0; b < PV_TIMELINE_BINS; b++)
		cr_assert_float_eq(open[b], b << t->shift >= begin && b << t->shift < end, 1e-9, "bin %u: %g",
				   (unsigned)b, open[b]);
}

Test(timeline, what_is_open_stays_open_in_longer_bins)
{
	struct pv_timeline t = {0};

	pv_timeline_interval(&t, 16, 64);
	for (unsigned shift = 0; shift <= 4; shift++) {
		cr_assert_eq(t.shift, shift);
		expect_open(&t, 16, 64);
		pv_timeline_coarsen(&t, (unsigned)t.used - 1);
	}
}

Test(timeline, parts_with_bins_of_any_length_add_up)
{
	for (int first = 0; first < 2; first++) {
		struct pv_timeline t[2] = {{0}};

		pv_timeline_interval(&t[0], 16, 64);
		t[0].sum[pv_timeline_bin(&t[0], 24)][PV_TIMELINE_TLPS] = 3;
		pv_timeline_reach(&t[1], 4 * PV_TIMELINE_BINS - 1);
		t[1].sum[pv_timeline_bin(&t[1], 24)][PV_TIMELINE_TLPS] = 5;
		pv_timeline_merge(&t[first], &t[!first]);
		cr_assert_eq(t[first].shift, 2);
		cr_assert_eq(t[first].used, PV_TIMELINE_BINS);
		cr_assert_eq(t[first].sum[6][PV_TIMELINE_TLPS], 8);
		expect_open(&t[first], 16, 64);
	}
}

/* Returns how many requests 01:00.0 had open at once, in pieces of `step` records and with a hole before record `hole`.
 */
static unsigned most_open_of(const struct fixture *f, size_t step, size_t hole)
{
	struct pv_match_chunk *p = pv_match_chunk_new();
	struct pv_match *m = pv_match_new();
	struct pv_latencies *l = calloc(1, sizeof(*l));
	struct pv_timeline t = {0};
	struct pv_match_sums s = {0};
	unsigned most;

	cr_assert(p && m && l);
	pv_kind_lut_init();
	pv_match_latencies(m, l);
	for (size_t i = 0, n; i < f->n; i += n) {
		n = f->n - i < step ? f->n - i : step;
		if (i < hole && i + n > hole)
			n = hole - i;
		if (i == hole)
			pv_match_end(m, &s);
		pv_match_chunk_run(p, PV_RECORD_8DW, (const uint8_t *)f->dw[i], n, f->time + i, &s, &t);
		pv_match_join(m, p, &s, &t);
	}
	most = pv_latency_of(l, 0x100)->most_open;
	free(l);
	pv_match_free(m);
	pv_match_chunk_free(p);
	return most;
}

Test(match, the_most_open_requests_are_counted_across_pieces)
{
	struct fixture f = {.n = 0};

	read(&f, 10, 1, 4);
	read(&f, 11, 2, 4);
	answer(&f, 12, 1, 16, 16);
	answer(&f, 13, 2, 16, 8); /* not the last one */
	read(&f, 14, 2, 4);	  /* the same tag again: still one */
	read(&f, 15, 1, 4);
	read(&f, 16, 3, 4); /* three are open */
	answer(&f, 17, 3, 16, 16);
	answer(&f, 18, 2, 16, 16);
	answer(&f, 19, 9, 16, 16); /* of no request */
	read(&f, 20, 4, 4);
	for (size_t step = 1; step <= f.n; step++) {
		cr_expect_eq(most_open_of(&f, step, RECORDS), 3, "pieces of %zu", step);
		/* Behind a hole nothing is open: then two are. */
		cr_expect_eq(most_open_of(&f, step, 5), 2, "pieces of %zu, with a hole", step);
	}
}

Test(match, more_requesters_than_slots_are_matched_by_hash)
{
	enum { REQUESTERS = 1000 };
	static uint32_t dw[4 * REQUESTERS][8];
	static uint64_t time[4 * REQUESTERS];
	struct pv_match_chunk *p = pv_match_chunk_new();
	static struct pv_match_sums s;
	static struct pv_timeline t;

	pv_kind_lut_init();
	for (uint32_t i = 0; i < 4 * REQUESTERS; i++) {
		/* Requesters n and 0x8000 + n begin at the same place of the hash table. */
		uint32_t n = i / 2 % REQUESTERS, id = (n / 2 + n % 2 * 0x8000) << 16 | i % 2 << 8;
		bool cpl = i >= 2 * REQUESTERS;

		memcpy(dw[i],
		       (uint32_t[8]){~0u, 0, cpl ? 0x4a000001 : 1, cpl ? 0x00800004 : id | 0xf, cpl ? id : 0x1000, 0, 0,
				     i},
		       32);
		time[i] = i;
	}
	for (unsigned round = 1; round <= 2; round++) {
		pv_match_chunk_run(p, PV_RECORD_8DW, (const uint8_t *)dw, 4 * REQUESTERS, time, &s, &t);
		cr_expect(s.answered == round * 2 * REQUESTERS && !s.unmatched && !s.tag_reused && !s.wrong_size,
			  "round %u: %zu answered", round, (size_t)s.answered);
	}
	pv_match_chunk_free(p);
}
