/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of the statistics, compared with a slow and simple count over fully decoded records: both formats, any number
 * of threads, selected records. Also limits of counters, address ranges in bounded memory, and holes.
 */
#include <stdio.h>

#include "framework/analysis/tests/stat_here.h"

struct plain {
	uint64_t tlps[PV_TLP_KINDS], payload[PV_TLP_KINDS], first, last, n;
	uint64_t requester_tlps, requester_dw; /* of requester 01:00.1 */
};

static struct plain plainly(const uint8_t *data, size_t bytes, const struct pv_where *w)
{
	struct pv_trace *t = pv_trace_open_memory(data, bytes, NULL);
	struct pv_trace_record r;
	struct plain p = {.first = UINT64_MAX};

	while (pv_trace_next(t, &r) > 0) {
		const struct pv_tlp *v = &r.record.tlp;
		unsigned dw = pv_tlp_kinds[v->kind].has_data ? v->length_dw : 0;

		if (p.first == UINT64_MAX)
			p.first = r.time;
		p.last = r.time;
		if (!pv_where_match(w, &r))
			continue;
		p.n++;
		p.tlps[v->kind]++;
		p.payload[v->kind] += 4 * dw;
		p.requester_tlps += v->requester == 0x101;
		p.requester_dw += v->requester == 0x101 ? dw : 0;
	}
	pv_trace_close(t);
	return p;
}

static void expect_plain(const struct pv_stat *s, const struct plain *p)
{
	uint64_t tlps = 0, posted = 0, cpl = 0, binned[PV_TIMELINE_SUMS] = {0};

	cr_assert_eq(s->records[1] + s->records[2], p->n);
	cr_assert_eq(s->span, p->last - p->first);
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		cr_assert_eq(v.tlps, p->tlps[k], "%s: TLPs", pv_tlp_kinds[k].name);
		cr_assert_eq(v.payload_bytes, p->payload[k], "%s: payload", pv_tlp_kinds[k].name);
		tlps += v.tlps;
		posted += pv_tlp_kinds[k].cls == PV_CLASS_POSTED ? v.payload_bytes : 0;
		cpl += pv_tlp_kinds[k].cls == PV_CLASS_COMPLETION ? v.payload_bytes : 0;
	}
	cr_assert_eq(s->requesters[0x101].tlps, p->requester_tlps);
	cr_assert_eq(s->requesters[0x101].dw, p->requester_dw);
	for (unsigned b = 0; b < PV_TIMELINE_BINS; b++)
		for (unsigned i = 0; i < PV_TIMELINE_SUMS; i++)
			binned[i] += s->timeline.sum[b][i];
	cr_assert_eq(binned[PV_TIMELINE_TLPS], tlps);
	cr_assert_eq(4 * binned[PV_TIMELINE_POSTED_DW], posted);
	cr_assert_eq(4 * binned[PV_TIMELINE_CPL_DW], cpl);
}

/* A request is open from its time to that of its last completion, so the open time is the sum of latencies. */
static void expect_open_as_long_as_latencies(const struct pv_stat *s)
{
	double open[PV_TIMELINE_BINS], sum = 0;

	pv_timeline_open(&s->timeline, open);
	for (unsigned b = 0; b < PV_TIMELINE_BINS; b++)
		sum += open[b] * (double)((uint64_t)1 << s->timeline.shift);
	cr_assert_float_eq(sum, (double)s->match.latency_sum, 1e-6 * (double)s->match.latency_sum);
}

static void check_format(bool is_8dw, const char *expression)
{
	struct pv_where w;
	size_t bytes;
	uint8_t *data = make_trace(is_8dw, &bytes);
	struct plain p;
	struct pv_stat *one, *more;

	cr_assert_eq(pv_where_compile(&w, expression, NULL), 0);
	p = plainly(data, bytes, &w);
	one = stat_of(data, bytes, &(struct pv_stat_options){.where = &w});
	expect_plain(one, &p);
	expect_open_as_long_as_latencies(one);
	cr_assert_eq(one->left_out, RECORDS - p.n);
	cr_assert_gt(one->match.answered, 0);
	for (unsigned jobs = 2; jobs <= 4; jobs++) {
		more = stat_of(data, bytes, &(struct pv_stat_options){.where = &w, .jobs = jobs});
		cr_assert_eq(more->left_out, one->left_out);
		cr_assert_eq(memcmp(&one->match, &more->match, sizeof(one->match)), 0);
		cr_assert_eq(memcmp(&one->timeline, &more->timeline, sizeof(one->timeline)), 0);
		cr_assert_eq(memcmp(one->sizes, more->sizes, sizeof(one->sizes)), 0);
		cr_assert_eq(memcmp(one->requesters, more->requesters, sizeof(one->requesters)), 0);
		cr_assert_eq(
			memcmp(one->regions.table, more->regions.table, one->regions.n * sizeof(struct pv_addr_range)),
			0);
		pv_stat_free(more);
	}
	pv_stat_free(one);
	free(data);
}

Test(stat, records_of_8dw)
{
	check_format(true, NULL);
}

Test(stat, records_of_4dw)
{
	check_format(false, NULL);
}

Test(stat, chosen_records)
{
	check_format(true, "requester == 01:00.1 || kind == MWr*");
	check_format(false, "requester != 01:00.2");
}

/* The selection begins after the first piece of a block, and after the first tick. */
Test(stat, chosen_stretches)
{
	check_format(true, "offset >= 700000 && offset < 1500000");
	check_format(false, "offset >= 350000 && offset < 750000");
	check_format(true, "time >= 4296000000");
}

/* Subtracts every record from the bin that contains its time. */
static void take_from_bins(struct pv_timeline *t, const uint8_t *data, size_t bytes, const struct pv_where *w)
{
	struct pv_trace *trace = pv_trace_open_memory(data, bytes, NULL);
	struct pv_trace_record r;
	uint64_t first = UINT64_MAX;

	while (pv_trace_next(trace, &r) > 0) {
		const struct pv_tlp_kind_info *k = &pv_tlp_kinds[r.record.tlp.kind];
		uint64_t *sum;

		first = first == UINT64_MAX ? r.time : first;
		if (!pv_where_match(w, &r))
			continue;
		sum = t->sum[(r.time - first) >> t->shift];
		sum[PV_TIMELINE_TLPS]--;
		sum[PV_TIMELINE_POSTED_DW] -= k->has_data && k->cls == PV_CLASS_POSTED ? r.record.tlp.length_dw : 0;
		sum[PV_TIMELINE_CPL_DW] -= k->has_data && k->cls == PV_CLASS_COMPLETION ? r.record.tlp.length_dw : 0;
		sum[PV_TIMELINE_READ_DW] -= k->cls == PV_CLASS_NONPOSTED && !k->has_data ? r.record.tlp.length_dw : 0;
	}
	pv_trace_close(trace);
}

static void check_bins(bool is_8dw, const char *expression)
{
	size_t bytes;
	uint8_t *data = make_trace(is_8dw, &bytes);
	struct pv_where w;

	cr_assert_eq(pv_where_compile(&w, expression, NULL), 0);
	struct pv_stat *s = stat_of(data, bytes, &(struct pv_stat_options){.where = &w});
	cr_assert_gt(s->timeline.used, PV_TIMELINE_BINS / 2);
	take_from_bins(&s->timeline, data, bytes, &w);
	for (unsigned b = 0; b < PV_TIMELINE_BINS; b++)
		for (unsigned i = 0; i < PV_TIMELINE_SUMS; i++)
			cr_assert_eq(s->timeline.sum[b][i], 0, "bin %u, sum %u", b, i);
	pv_stat_free(s);
	free(data);
}

Test(stat, a_bin_holds_the_records_of_its_time)
{
	check_bins(true, NULL);
	check_bins(false, NULL);
	check_bins(true, "kind == MWr*");
	check_bins(false, "requester == 01:00.1");
}

/* The timeline of a requester equals that of a trace with only its records. */
Test(stat, requesters_have_timelines_from_one_pass)
{
	size_t bytes;
	uint8_t *data = make_trace(true, &bytes);
	struct pv_stat *all = stat_of(data, bytes, &(struct pv_stat_options){.by_requester = true, .jobs = 3});

	cr_assert_not(all->timelines->too_many);
	for (uint16_t id = 0x100; id < 0x103; id++) {
		char text[40];
		struct pv_where w;

		snprintf(text, sizeof(text), "requester == 01:00.%x", id & 7u);
		cr_assert_eq(pv_where_compile(&w, text, NULL), 0);
		struct pv_stat *one = stat_of(data, bytes, &(struct pv_stat_options){.where = &w, .no_match = true});
		const struct pv_timeline *t = pv_timelines_find(all->timelines, id);
		cr_assert_neq(t, NULL);
		cr_expect_eq(memcmp(t, &one->timeline, sizeof(*t)), 0, "%s", text);
		pv_stat_free(one);
	}
	cr_expect_eq(pv_timelines_find(all->timelines, 0x200), NULL);
	pv_stat_free(all);
	free(data);
}

Test(stat, more_requesters_than_are_followed_are_told)
{
	static uint32_t trace[PV_TIMELINES + 1][8];

	for (uint32_t i = 0; i <= PV_TIMELINES; i++)
		memcpy(trace[i], (uint32_t[8]){~0u, 0, 0x40000001, (0x100 + i) << 16 | 0xf, 0x1000, 0, 0, i}, 32);
	for (unsigned n = 0; n < 2; n++) {
		struct pv_stat *s = stat_of((const uint8_t *)trace, sizeof(trace) - 32 * n,
					    &(struct pv_stat_options){.by_requester = true, .jobs = 2});

		cr_expect_eq(s->timelines->too_many, n == 0);
		pv_stat_free(s);
	}
}

/* 4,096 writes of 4 KiB each at one time: their sum takes 23 bits. */
Test(stat, the_payload_of_a_bin_has_room)
{
	enum { WRITES = 4096 };
	static uint32_t trace[WRITES][8];
	struct pv_stat *s;

	for (uint32_t i = 0; i < WRITES; i++)
		memcpy(trace[i], (uint32_t[8]){~0u, 0, 0x40000000, 0x010000ff, 0x1000, 0, 0, 0}, 32);
	s = stat_of((const uint8_t *)trace, sizeof(trace), &(struct pv_stat_options){0});
	cr_expect_eq(s->timeline.sum[0][PV_TIMELINE_POSTED_DW], WRITES * 1024);
	cr_expect_eq(s->timeline.sum[0][PV_TIMELINE_CPL_DW], 0);
	cr_expect_eq(s->timeline.sum[0][PV_TIMELINE_READ_DW], 0);
	pv_stat_free(s);
}

Test(stat, only_what_a_kind_has_is_counted)
{
	static const uint32_t records[3][8] = {
		{~0u, 0, 0x5f000005, 0x01010000, 0x01010000, 0, 0, 1}, /* undefined kind: no requester */
		{~0u, 0, 0x30000005, 0x0101007f, 0, 0, 0, 2},	       /* Msg: Length is reserved */
		{~0u, 0, 0x0a000005, 0x00800004, 0x01010000, 0, 0, 3}, /* Cpl: Length is reserved */
	};
	struct pv_stat *s = stat_of((const uint8_t *)records, sizeof(records), &(struct pv_stat_options){0});

	cr_assert_eq(s->requesters[0x101].tlps, 2);
	cr_assert_eq(s->requesters[0x101].dw, 0);
	cr_assert_eq(s->sizes[PV_TLP_UNDEFINED][0], 1);
	cr_assert_eq(s->sizes[PV_TLP_MSG][0], 1);
	cr_assert_eq(s->sizes[PV_TLP_CPL][0], 1);
	cr_assert_eq(s->regions.n, 0);
	pv_stat_free(s);
}

/* Counts `times` * 4096 writes of 2 DW by 01:00.0, after one write by each of `others` other requesters. */
static void expect_many_writes(unsigned times, unsigned others)
{
	enum { AT_ONCE = 4096 };
	uint32_t(*dw)[8] = calloc(AT_ONCE, sizeof(*dw));
	uint64_t *time = calloc(AT_ONCE, sizeof(*time));
	struct pv_stat_counts *c = pv_stat_counts_new();
	struct pv_stat *s = calloc(1, sizeof(*s));

	for (unsigned i = 0; i < AT_ONCE; i++)
		memcpy(dw[i], (uint32_t[8]){~0u, 0, 0x40000002, (0x1000 + i) << 16 | 0xff, 0x1000, 0, 0, 0},
		       sizeof(dw[i]));
	pv_stat_count(c, PV_RECORD_8DW, (const uint8_t *)dw, others, time);
	for (unsigned i = 0; i < AT_ONCE; i++)
		dw[i][3] = 0x010000ff;
	for (unsigned i = 0; i < times; i++)
		pv_stat_count(c, PV_RECORD_8DW, (const uint8_t *)dw, AT_ONCE, time);
	pv_stat_counts_into(c, s->sizes, s->requesters, &s->timeline, &s->devices);
	cr_expect_eq(s->requesters[0x100].tlps, UINT64_C(1) * AT_ONCE * times);
	cr_expect_eq(s->requesters[0x100].dw, UINT64_C(2) * AT_ONCE * times);
	cr_expect_eq(s->devices.too_many, others >= PV_STAT_DEVICES);
	pv_stat_counts_free(c);
	free(s);
	free(time);
	free(dw);
}

/* The number of records exceeds the 24 bits of the packed sums. */
Test(stat, requesters_beyond_the_slots_may_have_any_number_of_records)
{
	expect_many_writes((1 << 24) / 4096 + 3, PV_STAT_DEVICES);
}

Test(stat, a_read_beyond_the_slots_has_no_payload)
{
	enum { N = PV_STAT_DEVICES + 1 };
	static uint32_t dw[N][8];
	static uint64_t time[N];
	struct pv_stat_counts *c = pv_stat_counts_new();
	struct pv_stat *s = calloc(1, sizeof(*s));

	for (unsigned i = 0; i < N; i++)
		memcpy(dw[i], (uint32_t[8]){~0u, 0, 0x00000002, (0x1000 + i) << 16 | 0xff, 0x1000, 0, 0, 0},
		       sizeof(dw[i]));
	pv_stat_count(c, PV_RECORD_8DW, (const uint8_t *)dw, N, time);
	pv_stat_counts_into(c, s->sizes, s->requesters, &s->timeline, &s->devices);
	cr_expect_eq(s->requesters[0x1000 + PV_STAT_DEVICES].tlps, 1);
	cr_expect_eq(s->requesters[0x1000 + PV_STAT_DEVICES].dw, 0);
	pv_stat_counts_free(c);
	free(s);
}

Test(stat, a_requester_may_have_any_number_of_records)
{
	expect_many_writes((1 << 24) / 4096 + 3, 0);
}

Test(stat, the_largest_requesters_come_first)
{
	struct pv_stat *s = calloc(1, sizeof(*s));
	uint16_t ids[2];

	s->requesters[5] = (struct pv_stat_requester){100, 0};
	s->requesters[6] = (struct pv_stat_requester){1, 9};
	s->requesters[7] = (struct pv_stat_requester){2, 10};
	cr_assert_eq(pv_stat_top_requesters(s, ids, 2), 3);
	cr_assert_eq(ids[0], 7);
	cr_assert_eq(ids[1], 6);
	free(s);
}

Test(stat, sizes_are_counted_against_limits)
{
	struct pv_stat *s = calloc(1, sizeof(*s));
	uint64_t n[PV_STAT_SIZES];

	s->sizes[PV_TLP_MWR64][32] = 3; /* 128 bytes */
	s->sizes[PV_TLP_MWR64][33] = 2;
	s->sizes[PV_TLP_MRD32][0] = 1; /* 4096 bytes */
	pv_stat_sizes(s, PV_STAT_WRITES, n);
	cr_assert_eq(n[5], 3);
	cr_assert_eq(n[6], 2);
	cr_assert_eq(pv_stat_above(s, PV_STAT_WRITES, 128), 2);
	cr_assert_eq(pv_stat_largest(s, PV_STAT_WRITES), 132);
	cr_assert_eq(pv_stat_largest(s, PV_STAT_READS), 4096);
	free(s);
}

Test(regions, more_ranges_than_fit_become_larger_ones)
{
	struct pv_addr_histogram *r = calloc(1, sizeof(*r));
	uint64_t tlps = 0, dw = 0;

	pv_addr_histogram_init(r, 12);
	for (uint64_t i = 0; i < 3 * PV_REGIONS_MAX; i++)
		pv_addr_histogram_add(r, i << 12, 2);
	cr_assert_eq(r->shift, 14);
	pv_addr_histogram_sort(r);
	for (unsigned i = 0; i < r->n; i++) {
		tlps += r->table[i].tlps;
		dw += r->table[i].dw;
		cr_assert_eq(r->table[i].tlps, 4);
		cr_assert_eq(r->table[i].number, i);
	}
	cr_assert_eq(tlps, 3 * PV_REGIONS_MAX);
	cr_assert_eq(dw, 6 * PV_REGIONS_MAX);
	free(r);
}

Test(regions, those_of_several_threads_add_up_by_address)
{
	struct pv_addr_histogram *r = calloc(2, sizeof(*r));

	pv_addr_histogram_init(&r[0], 14);
	pv_addr_histogram_init(&r[1], 12);
	pv_addr_histogram_add(&r[0], 0x8000, 2);
	pv_addr_histogram_add(&r[1], 0x9000, 3);
	pv_addr_histogram_add(&r[1], 0x14000, 1);
	pv_addr_histogram_merge(&r[0], &r[1]);
	pv_addr_histogram_sort(&r[0]);
	cr_assert_eq(r[0].n, 2);
	cr_expect_eq(r[0].table[0].number, 0x8000 >> 14);
	cr_expect_eq(r[0].table[0].tlps, 2);
	cr_expect_eq(r[0].table[0].dw, 5);
	cr_expect_eq(r[0].table[1].number, 0x14000 >> 14);
	free(r);
}

/* A read before a hole and a completion with its tag after it: a lost request may have reused the tag. */
Test(stat, nothing_is_matched_across_a_hole)
{
	uint8_t data[41 * 32];
	struct pv_stat *s;
	struct pv_trace *t;

	for (uint32_t i = 0; i < 41; i++)
		memcpy(data + 32 * i, (uint32_t[8]){~0u, 0, 0x60000001, 0x0100000f, 1, 64 * i, 0, i}, 32);
	memcpy(data + 32 * 19, (uint32_t[8]){~0u, 0, 0x00000001, 0x0100050f, 0x1000, 0, 0, 19}, 32);
	memcpy(data + 32 * 21, (uint32_t[8]){~0u, 0, 0x4a000001, 0x00800004, 0x01000500, 0, 0, 21}, 32);
	memmove(data + 32 * 21 - 24, data + 32 * 21, 20 * 32); /* most of record 20 is lost */
	t = pv_trace_open_memory(data, 41 * 32 - 24, NULL);
	s = pv_stat_run(t, &(struct pv_stat_options){0}, NULL);
	cr_assert_eq(s->problems, 1);
	cr_assert_eq(s->records[PV_RECORD_8DW], 40);
	cr_assert_eq(s->match.answered, 0);
	cr_assert_eq(s->match.unanswered, 1);
	cr_assert_eq(s->match.unmatched, 1);
	pv_stat_free(s);
	pv_trace_close(t);
}

/* Only the first piece after a hole ends matching; later pieces do not. */
Test(stat, behind_a_hole_requests_and_completions_meet_across_pieces)
{
	enum { N = PV_MATCH_PIECE + 200, HOLE = 20 };
	uint8_t *data = calloc(N, 32);

	for (uint32_t i = 0; i < N; i++)
		memcpy(data + 32 * i, (uint32_t[8]){~0u, 0, 0x60000001, 0x0100000f, 1, 64 * i, 0, i}, 32);
	memcpy(data + 32 * 100, (uint32_t[8]){~0u, 0, 0x00000001, 0x0100050f, 0x1000, 0, 0, 100}, 32);
	memcpy(data + 32 * (N - 10), (uint32_t[8]){~0u, 0, 0x4a000001, 0x00800004, 0x01000500, 0, 0, N - 10}, 32);
	memmove(data + 32 * (HOLE + 1) - 24, data + 32 * (HOLE + 1), (N - HOLE - 1) * 32);
	struct pv_trace *t = pv_trace_open_memory(data, N * 32 - 24, NULL);
	struct pv_stat *s = pv_stat_run(t, &(struct pv_stat_options){0}, NULL);

	cr_assert_eq(s->problems, 1);
	cr_assert_eq(s->match.answered, 1);
	cr_assert_eq(s->match.unanswered + s->match.unmatched, 0);
	pv_stat_free(s);
	pv_trace_close(t);
	free(data);
}
