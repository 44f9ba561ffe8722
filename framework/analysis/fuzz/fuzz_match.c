/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches requests and completions of any records. Any division into pieces must give the same sums and intervals, and
 * these must equal the sums of a linear search. The first two bytes choose the division.
 */
#include "framework/analysis/kind_lut.h"
#include "framework/analysis/match.h"
#include "framework/util/fuzz/fuzz.h"

struct result {
	struct pv_match_sums sums;
	struct pv_timeline timeline;
	struct pv_latencies latencies;
};

/* Keeps the sums of pieces apart from those of joins, like the statistics. */
static struct result *match(enum pv_record_format f, const uint8_t *data, size_t n, const uint64_t *time, size_t piece)
{
	struct result *r = calloc(1, sizeof(*r)), *joined = calloc(1, sizeof(*joined));
	struct pv_match_chunk *p = pv_match_chunk_new();
	struct pv_match *m = pv_match_new();

	fuzz_check(r && joined && p && m);
	pv_match_latencies(m, &r->latencies);
	for (size_t at = 0, k; at < n; at += k) {
		k = n - at < piece ? n - at : piece;
		pv_match_chunk_run(p, f, data + at * pv_record_bytes(f), k, time + at, &r->sums, &r->timeline);
		pv_match_join(m, p, &joined->sums, &joined->timeline);
	}
	pv_match_end(m, &joined->sums);
	pv_match_sums_merge(&r->sums, &joined->sums);
	pv_timeline_merge(&r->timeline, &joined->timeline);
	pv_match_chunk_free(p);
	pv_match_free(m);
	free(joined);
	return r;
}

/* ---- the same, naively ---- */

struct request {
	uint32_t key;
	uint64_t begin;
	bool open;
};

static uint32_t key_of(const struct pv_tlp *p)
{
	return (uint32_t)p->requester << 10 | p->tag;
}

static struct request *find(struct request *list, size_t n, uint32_t key)
{
	while (n--)
		if (list[n].key == key)
			return &list[n];
	return NULL;
}

/* Returns true for the last completion of its request (PCIe 5.0 2.3.1.1). */
static bool is_last(const struct pv_tlp *p)
{
	return !pv_tlp_kinds[p->kind].has_data || p->status ||
	       p->byte_count <= 4u * p->length_dw - (p->lower_address & 3);
}

static void match_naively(const struct pv_record *r, size_t n, const uint64_t *time, struct pv_match_sums *s)
{
	struct request *list = calloc(n + 1, sizeof(*list)), *q;
	size_t known = 0;

	fuzz_check(list);
	for (size_t i = 0; i < n; i++) {
		const struct pv_tlp *p = &r[i].tlp;
		enum pv_tlp_class cls = pv_tlp_kinds[p->kind].cls;

		q = find(list, known, key_of(p));
		if (cls == PV_CLASS_NONPOSTED) {
			s->requests++;
			s->tag_reused += q && q->open;
			list[known++] = (struct request){key_of(p), time[i], true};
		} else if (cls == PV_CLASS_COMPLETION) {
			s->completions++;
			s->unmatched += !q || !q->open;
			if (!q || !q->open || !is_last(p))
				continue;
			s->answered++;
			s->latency_sum += time[i] - q->begin;
			q->open = false;
		}
	}
	for (size_t i = 0; i < known; i++)
		s->unanswered += list[i].open && find(list, known, list[i].key) == &list[i];
	free(list);
}

/* Returns the largest number of requests that a requester had open at once. */
static unsigned most_open(const struct pv_record *r, size_t n, uint16_t requester)
{
	bool open[1024] = {false};
	unsigned now = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pv_tlp *p = &r[i].tlp;
		enum pv_tlp_class cls = pv_tlp_kinds[p->kind].cls;

		if (p->requester != requester || (cls != PV_CLASS_NONPOSTED && cls != PV_CLASS_COMPLETION))
			continue;
		if (cls == PV_CLASS_NONPOSTED ? open[p->tag] : !open[p->tag] || !is_last(p))
			continue;
		open[p->tag] = !open[p->tag];
		now += open[p->tag] ? 1 : -1u;
		most = now > most ? now : most;
	}
	return most;
}

static void check_most_open(const struct pv_latencies *l, const struct pv_record *r, size_t n)
{
	for (unsigned i = 1; i <= l->n && !l->too_many; i++)
		fuzz_check(l->of[i].most_open == most_open(r, n, l->requester[i]));
}

static void check_naively(const struct result *got, const struct pv_record *r, size_t n, const uint64_t *time)
{
	struct pv_match_sums s = {0};

	match_naively(r, n, time, &s);
	fuzz_check(got->sums.requests == s.requests && got->sums.completions == s.completions);
	fuzz_check(got->sums.tag_reused == s.tag_reused && got->sums.unmatched == s.unmatched);
	fuzz_check(got->sums.answered == s.answered && got->sums.latency_sum == s.latency_sum);
	fuzz_check(got->sums.not_followed || got->sums.unanswered == s.unanswered);
}

/* Keeps good records: 8DW records are made good, bad 4DW records are left out. Returns their number. */
static size_t take_good(enum pv_record_format f, uint8_t *data, size_t size, struct pv_record *records, uint64_t *time)
{
	size_t step = pv_record_bytes(f), n = 0;

	for (size_t at = 0; at + step <= size; at += step) {
		if (f == PV_RECORD_8DW) {
			memset(data + at, 0xff, 4);
			memset(data + at + 24, 0, 4);
		}
		if (pv_record_decode(f, data + at, 0, &records[n]))
			continue;
		/* Times advance as in a trace, but slowly, so that they do not wrap. */
		time[n] = (n ? time[n - 1] : 0) + (records[n].time & 0x3f);
		memmove(data + n++ * step, data + at, step);
	}
	return n;
}

static void run(enum pv_record_format f, size_t piece, uint8_t *data, size_t size)
{
	size_t n = size / pv_record_bytes(f);
	struct pv_record *records = calloc(n + 1, sizeof(*records));
	uint64_t *time = calloc(n + 1, sizeof(*time));
	struct result *whole, *cut;

	fuzz_check(records && time);
	n = take_good(f, data, size, records, time);
	whole = match(f, data, n, time, PV_MATCH_PIECE);
	cut = match(f, data, n, time, piece);
	fuzz_check(!memcmp(&whole->sums, &cut->sums, sizeof(whole->sums)));
	pv_timeline_merge(&whole->timeline, &(struct pv_timeline){.shift = 8});
	pv_timeline_merge(&cut->timeline, &(struct pv_timeline){.shift = 8});
	fuzz_check(!memcmp(&whole->timeline, &cut->timeline, sizeof(whole->timeline)));
	check_naively(whole, records, n, time);
	check_most_open(&whole->latencies, records, n);
	check_most_open(&cut->latencies, records, n);
	free(whole);
	free(cut);
	free(time);
	free(records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy;

	if (size < 2 || size > 16 * PV_MATCH_PIECE)
		return 0;
	pv_kind_lut_init();
	copy = fuzz_text(data + 2, size - 2);
	run(data[0] & 1 ? PV_RECORD_8DW : PV_RECORD_4DW, 1 + data[1] % 32u, (uint8_t *)copy, size - 2);
	free(copy);
	return 0;
}
