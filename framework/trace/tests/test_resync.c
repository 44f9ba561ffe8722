/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well the reader finds its way after damage: traces of every profile, damaged in every way, against what is
 * known of each byte. The figures are those of docs/trace.md, "Damage". PCIEVAL_FOOTING_SEEDS=N tries N other seeds of
 * each, and prints what came of every profile and damage.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "framework/trace/resync.h"
#include "framework/trace/tests/traffic.h"
#include "framework/trace/trace.h"
#include "framework/util/cleanup.h"

/* Results of one trace or of many. */
struct outcome {
	uint64_t traces, records, found, no_records;
	uint64_t marred, told; /* stretches of damage that can be seen, and that a problem names */
	uint64_t problems;
	uint64_t lost_most, false_most; /* maximum in one trace */
};

/* The reader's verdict on each byte. */
struct reading {
	const struct traffic *t;
	uint8_t *record, *bad; /* a record of so many bytes begins here; in a problem */
	uint64_t problems;
};

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct reading *r = ctx;

	r->problems++;
	if (p->bytes && p->offset + p->bytes <= r->t->n)
		memset(r->bad + p->offset, 1, p->bytes);
	else if (p->offset < r->t->n)
		r->bad[p->offset] = 1; /* the format changes */
}

static struct reading read_trace(const struct traffic *t)
{
	struct reading r = {t, calloc(t->n + 1, 1), calloc(t->n + 1, 1), 0};
	struct pv_trace_options o = {.problem = note_problem, .ctx = &r};
	struct pv_trace *reader = pv_trace_open_memory(t->bytes, t->n, &o);
	struct pv_trace_block b;
	int ret;

	cr_assert(reader != NULL);
	while ((ret = pv_trace_next_block(reader, &b)) > 0)
		for (size_t at = 0; at < b.bytes; at += pv_record_bytes(b.format))
			r.record[b.offset + at] = (uint8_t)pv_record_bytes(b.format);
	cr_assert_eq(ret, 0);
	pv_trace_close(reader);
	return r;
}

/* Can the stretch be told from records by anything? Whole ones of 4DW, or such as carry the mark, cannot. */
static bool is_visible(const struct traffic *t, size_t from, size_t to, size_t size)
{
	if ((to - from) % size)
		return true;
	for (size_t at = from; at < to; at += size) {
		struct pv_record r;

		if (pv_record_decode(size == 16 ? PV_RECORD_4DW : PV_RECORD_8DW, t->bytes + at, at, &r))
			return true;
	}
	return size == 16 && to - from >= 64 * size;
}

/* A problem in the stretch or within 16 records of it. */
static bool is_told(const struct reading *r, size_t from, size_t to, size_t size)
{
	from -= from < 16 * size ? from : 16 * size;
	to = r->t->n - to < 16 * size ? r->t->n : to + 16 * size;
	return memchr(r->bad + from, 1, to - from + 1);
}

static void judge_stretch(struct outcome *o, const struct reading *r, size_t from, size_t to, size_t size)
{
	if (!is_visible(r->t, from, to, size))
		return;
	o->marred++;
	o->told += is_told(r, from, to, size);
}

static void judge(struct outcome *sum, const struct traffic *t, size_t size)
{
	struct reading r = read_trace(t);
	uint64_t records = 0, found = 0, wrong = 0;
	size_t at = 0, begin = 0;

	for (size_t i = 0; i < t->n; i++)
		wrong += r.record[i] && r.record[i] != traffic_record_at(t, i);
	while (at < t->n) {
		size_t n = traffic_record_at(t, at);

		if (n && begin < at)
			judge_stretch(sum, &r, begin, at, size);
		records += n > 0;
		found += n && r.record[at] == n;
		at += n ? n : 1;
		begin = n ? at : begin;
	}
	if (begin < t->n)
		judge_stretch(sum, &r, begin, t->n, size);
	sum->traces++;
	sum->records += records;
	sum->found += found;
	sum->no_records += wrong;
	sum->problems += r.problems;
	if (records - found > sum->lost_most)
		sum->lost_most = records - found;
	if (wrong > sum->false_most)
		sum->false_most = wrong;
	free(r.record);
	free(r.bad);
}

enum { SEEDS = 2, RECORDS = 1500, ROOM = 1 << 17, LEARNT = 12000 };

static void add(struct outcome *to, const struct outcome *o)
{
	to->traces += o->traces;
	to->records += o->records;
	to->found += o->found;
	to->no_records += o->no_records;
	to->marred += o->marred;
	to->told += o->told;
	to->problems += o->problems;
	to->lost_most = o->lost_most > to->lost_most ? o->lost_most : to->lost_most;
	to->false_most = o->false_most > to->false_most ? o->false_most : to->false_most;
}

static double lost(const struct outcome *o)
{
	return (double)(o->records - o->found) / (double)o->traces;
}

static double wrong(const struct outcome *o)
{
	return (double)o->no_records / (double)o->traces;
}

static unsigned more_seeds(void)
{
	const char *n = getenv("PCIEVAL_FOOTING_SEEDS");

	return n ? (unsigned)strtoul(n, NULL, 10) : 0;
}

static void print(const char *what, size_t size, const struct outcome *o)
{
	if (more_seeds())
		printf("%-18s %zuDW %6" PRIu64 " traces: lost %7.2f, most %4" PRIu64 "; false %5.2f, most %4" PRIu64
		       "; told %" PRIu64 " of %" PRIu64 "\n",
		       what, size / 4, o->traces, lost(o), o->lost_most, wrong(o), o->false_most, o->told, o->marred);
}

/* One profile with one damage, at least `from` bytes after the begin. */
static struct outcome try(unsigned profile, unsigned damage, size_t size, uint32_t from)
{
	struct traffic t = traffic_new(ROOM);
	struct outcome o = {0};
	unsigned more = more_seeds(), n = more ? more : SEEDS;

	for (unsigned i = 0; i < n; i++) {
		struct traffic_random r = {100 * profile + 10000 * damage + i + (more ? 1000000 : 0)};
		size_t at;

		t.n = t.records = 0;
		traffic_make(&t, profile, size, RECORDS, traffic_random(&r));
		at = from + traffic_below(&r, (uint32_t)t.n - from - 4000);
		traffic_damage(&t, damage, at, &r);
		judge(&o, &t, size);
	}
	traffic_free(&t);
	return o;
}

/* Profiles in which PCIe 5.0 defines nearly all, or much of what is traced. */
static bool is_defined(unsigned profile)
{
	const char *name = traffic_profile_name(profile);

	return strncmp(name, "undefined", 9) || strstr(name, "few");
}

static bool is_end(unsigned damage)
{
	return strstr(traffic_damage_name(damage), "lost");
}

static struct outcome try_all(size_t size, bool defined)
{
	struct outcome sum = {0}, of_damage[32] = {0};

	for (unsigned p = 0; traffic_profile_name(p); p++) {
		struct outcome of_profile = {0};

		for (unsigned d = 0; is_defined(p) == defined && traffic_damage_name(d); d++) {
			struct outcome o;

			if (!defined && is_end(d))
				continue;
			o = try(p, d, size, defined ? 0 : LEARNT);
			add(&of_profile, &o);
			add(&of_damage[d], &o);
		}
		if (of_profile.traces)
			print(traffic_profile_name(p), size, &of_profile);
		add(&sum, &of_profile);
	}
	for (unsigned d = 0; traffic_damage_name(d); d++)
		if (of_damage[d].traces)
			print(traffic_damage_name(d), size, &of_damage[d]);
	print("all", size, &sum);
	return sum;
}

/* ---- undamaged ---- */

static void expect_undamaged(struct traffic *t, unsigned profile, size_t size, uint64_t seed)
{
	struct outcome o = {0};

	t->n = t->records = 0;
	traffic_make(t, profile, size, 2500, seed);
	judge(&o, t, size);
	cr_expect(o.problems == 0 && o.found == o.records && !o.no_records,
		  "%s, %zuDW, seed %" PRIu64 ": %" PRIu64 " problems", traffic_profile_name(profile), size / 4, seed,
		  o.problems);
}

Test(footing, what_is_not_damaged_is_never_called_so)
{
	/* Most of these look like something else, shifted, in one profile or another. */
	static const uint64_t seeds[] = {0, 20, 21, 33, 66, 162, 190, 609, 645};
	struct traffic t = traffic_new(ROOM);

	for (unsigned p = 0; traffic_profile_name(p); p++)
		for (size_t size = 16; size <= 32; size += 16) {
			for (unsigned i = 0; i < ARRAY_SIZE(seeds); i++)
				expect_undamaged(&t, p, size, seeds[i]);
			for (unsigned i = 0; i < 10 * more_seeds(); i++)
				expect_undamaged(&t, p, size, 1000 + i);
		}
	traffic_free(&t);
}

/* ---- damaged ---- */

Test(footing, in_8dw_damage_costs_what_it_touches)
{
	struct outcome o = try_all(32, true), u = try_all(32, false);

	add(&o, &u);
	cr_expect_lt(lost(&o), 0.05);
	cr_expect_leq(o.lost_most, 2);
	cr_expect_lt(wrong(&o), 0.6);
	cr_expect_leq(o.false_most, 6);
	cr_expect_eq(o.told, o.marred);
}

Test(footing, in_4dw_damage_costs_few_records)
{
	struct outcome o = try_all(16, true);

	cr_expect_lt(lost(&o), 0.2);
	cr_expect_leq(o.lost_most, 64);
	cr_expect_lt(wrong(&o), 1.2);
	cr_expect_leq(o.false_most, 64);
	cr_expect_geq(100 * o.told, 99 * o.marred);
}

Test(footing, records_of_undefined_kinds_are_found_again_once_they_are_known)
{
	struct outcome o = try_all(16, false);

	cr_expect_lt(lost(&o), 0.2);
	cr_expect_leq(o.lost_most, 100);
	cr_expect_lt(wrong(&o), 1.2);
	cr_expect_geq(100 * o.told, 99 * o.marred);
}

/* ---- where windows end ---- */

Test(footing, damage_where_a_window_ends_is_like_any_other)
{
	static const size_t ends[] = {PV_RESYNC_AHEAD, 3 * PV_RESYNC_AHEAD / 4, 1 << 16, 1 << 18, 1 << 19};
	struct traffic t = traffic_new(1 << 20);
	struct outcome o = {0};

	for (unsigned i = 0; i < ARRAY_SIZE(ends); i++)
		for (size_t at = ends[i] - 24; at <= ends[i] + 24; at += 6) {
			struct traffic_random r = {at};

			t.n = t.records = 0;
			traffic_make(&t, i % 3, 16, (unsigned)ends[i] / 16 + 600, at);
			traffic_cut(&t, at, 1 + traffic_below(&r, 15));
			judge(&o, &t, 16);
		}
	cr_expect_eq(o.told, o.marred);
	cr_expect_lt(lost(&o), 0.1);
	cr_expect_leq(o.lost_most, 1);
	traffic_free(&t);
}

/* ---- traces of the models ---- */

/* A golden trace, unpacked, as records. */
static void take_golden(struct traffic *t, const char *name, size_t size)
{
	char path[4096];
	uint8_t packed[1 << 14], bytes[1 << 15];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s.trace.zst", GOLDEN, name);
	f = fopen(path, "rb");
	cr_assert(f != NULL, "%s", path);
	n = fread(packed, 1, sizeof(packed), f);
	fclose(f);
	n = ZSTD_decompress(bytes, sizeof(bytes), packed, n);
	cr_assert_eq(ZSTD_isError(n), 0);
	t->n = t->records = 0;
	traffic_take(t, bytes, n, size);
}

Test(footing, traces_of_the_models_with_every_damage)
{
	static const struct {
		const char *name;
		size_t size;
	} goldens[] = {
		{"ptt-4dw-inbound", 16}, {"ptt-mix-format0", 16}, {"ptt-8dw-inbound", 32}, {"ptt-mix-format1", 32}};
	struct traffic t = traffic_new(ROOM);
	struct outcome whole = {0}, o = {0};

	for (unsigned g = 0; g < ARRAY_SIZE(goldens); g++) {
		take_golden(&t, goldens[g].name, goldens[g].size);
		judge(&whole, &t, goldens[g].size);
		for (unsigned i = 0; traffic_damage_name(i % 16) || i < 256; i++) {
			struct traffic_random r = {i};

			if (!traffic_damage_name(i % 16))
				continue;
			take_golden(&t, goldens[g].name, goldens[g].size);
			traffic_damage(&t, i % 16, traffic_below(&r, (uint32_t)t.n - 300), &r);
			judge(&o, &t, goldens[g].size);
		}
	}
	cr_expect_eq(whole.problems, 0);
	cr_expect_eq(whole.found, whole.records);
	cr_expect_lt(lost(&o), 0.2);
	cr_expect_geq(100 * o.told, 99 * o.marred);
	traffic_free(&t);
}

/* ---- work ---- */

enum { HOSTILE = 1 << 18 };

static void fill_hostile(uint8_t *p, unsigned way)
{
	struct traffic_random r = {way};

	for (size_t i = 0; i < HOSTILE; i++)
		switch (way) {
		case 0: /* noise */
			p[i] = (uint8_t)traffic_random(&r);
			break;
		case 1:
			p[i] = 0xff;
			break;
		case 2:
			p[i] = 0;
			break;
		case 3: /* marks without end, and nothing behind them */
			p[i] = i % 64 < 32 ? 0xff : 0;
			break;
		default: /* text */
			p[i] = (uint8_t) "the quick brown fox jumps over the lazy dog, again and\n"[i % 55];
		}
}

/* A record, then so many bytes that are none, and so on: as many decisions as can be. */
static void fill_records(uint8_t *p, size_t gap)
{
	struct traffic_random r = {gap};

	for (size_t i = 0; i < HOSTILE; i++)
		p[i] = (uint8_t)traffic_random(&r);
	for (size_t i = 0; i + 32 < HOSTILE; i += 32 + gap) {
		memset(p + i, 0xff, 4);
		memset(p + i + 4, 0, 4);
		memset(p + i + 24, 0, 4);
	}
}

/* Bytes at which evidence was taken, for each byte of the input. */
static double weighed(const uint8_t *p, size_t n)
{
	struct pv_resync *f = calloc(1, sizeof(*f));
	size_t at = 0;
	double result;

	cr_assert(f != NULL);
	while (at < n) {
		struct pv_resync_step s = pv_resync_next(f, p + at, n - at, true);

		cr_assert(s.bytes > 0 && s.bytes <= n - at);
		at += s.bytes;
		if (s.what == PV_RESYNC_RUN)
			f->bad_bytes = 0;
	}
	result = (double)f->weighed / (double)n;
	free(f);
	return result;
}

Test(footing, the_work_is_in_proportion_to_the_input)
{
	_autofree_ uint8_t *p = malloc(HOSTILE);

	for (unsigned way = 0; way < 5; way++) {
		fill_hostile(p, way);
		cr_expect_lt(weighed(p, HOSTILE), 3.0, "way %u: %.2f", way, weighed(p, HOSTILE));
	}
	for (size_t gap = 1; gap < 64; gap += 7) {
		fill_records(p, gap);
		cr_expect_lt(weighed(p, HOSTILE), 6.0, "gap %zu: %.2f", gap, weighed(p, HOSTILE));
	}
}

/* The first window, twice, to learn what is usual: an eighth of 4096 records of 4DW. Then almost none is decided. */
Test(footing, of_a_whole_trace_the_begin_is_weighed)
{
	struct traffic t = traffic_new(ROOM);

	for (unsigned profile = 0; traffic_profile_name(profile); profile++)
		for (size_t size = 16; size <= 32; size *= 2) {
			t.n = t.records = 0;
			traffic_make(&t, profile, size, ROOM / 32, 1);
			cr_expect_lt(weighed(t.bytes, t.n), 0.15, "%s of %zu bytes: %.3f",
				     traffic_profile_name(profile), size, weighed(t.bytes, t.n));
		}
	traffic_free(&t);
}
