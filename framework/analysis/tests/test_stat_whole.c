/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete statistics and reports of a trace with all kinds of records, as text, JSON and HTML page, compared with the
 * files in framework/analysis/tests/whole: see whole.h.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/report.h"
#include "framework/trace/tests/perffile.h"
#include "framework/util/cleanup.h"
#include "framework/util/tests/whole.h"

enum { SC, UR, CRS, CA = 4 };
enum { DISK = 0x100, NIC = 0x200, ROOT = 0x8, HOST = 0 };
#define CONFIG_4DW (0x80001ull | 2ull << 20 | 4ull << 24)

/* Records: 8DW with a clock, or 4DW with distances. */
struct rich {
	uint32_t dw[1024];
	size_t n;
	uint32_t now;
	bool is_4dw;
};

static void put(struct rich *t, uint32_t after, uint32_t h0, uint32_t h1, uint32_t h2, uint32_t h3)
{
	uint32_t *dw = t->dw + t->n * (t->is_4dw ? 4 : 8);

	t->n++;
	t->now += after;
	if (t->is_4dw)
		memcpy(dw,
		       (uint32_t[4]){(h0 >> 29 & 3) << 30 | (h0 >> 24 & 0x1f) << 25 | (h0 & 0x3ff) << 11 | after, h1,
				     h2, h3},
		       16);
	else
		memcpy(dw, (uint32_t[8]){~0u, 0, h0, h1, h2, h3, 0, t->now}, 32);
}

static uint32_t enables(uint32_t length)
{
	return length == 1 ? 0xf : 0xff;
}

/* Adds a memory request; Length 1024 is encoded as 0. */
static void memory(struct rich *t, uint32_t after, uint32_t code, uint32_t length, uint32_t id, uint32_t tag,
		   uint32_t address)
{
	uint32_t h1 = id << 16 | tag << 8 | enables(length);

	if (code & 0x20)
		put(t, after, code << 24 | (length & 0x3ff), h1, 1, address);
	else
		put(t, after, code << 24 | (length & 0x3ff), h1, address, 0);
}

/* Adds an I/O or configuration request of one DW. */
static void single(struct rich *t, uint32_t after, uint32_t code, uint32_t id, uint32_t tag, uint32_t where)
{
	put(t, after, code << 24 | 1, id << 16 | tag << 8 | 0xf, where, 0);
}

/* Adds a completion. `left`: Byte Count; `length`: DW of data, 0 for none. */
static void answer(struct rich *t, uint32_t after, uint32_t code, uint32_t length, uint32_t status, uint32_t left,
		   uint32_t id, uint32_t tag)
{
	put(t, after, code << 24 | length, 0x00080000 | status << 13 | left, id << 16 | tag << 8, 0);
}

static void add_memory_traffic(struct rich *t)
{
	memory(t, 10, 0x60, 64, DISK, 0, 0x10000000);
	memory(t, 10, 0x40, 16, DISK, 0, 0x80000000);
	memory(t, 10, 0x60, 1024, NIC, 0, 0x10400000);
	memory(t, 15, 0x40, 1, ROOT, 0, 0xc0000000);
	memory(t, 5, 0x20, 32, DISK, 1, 0x10200000);
	memory(t, 5, 0x00, 16, DISK, 2, 0x80000040);
	memory(t, 5, 0x20, 128, NIC, 3, 0x10600000);
	answer(t, 40, 0x4a, 16, SC, 128, DISK, 1); /* first half of the data */
	answer(t, 10, 0x4a, 16, SC, 64, DISK, 1);
	answer(t, 30, 0x4a, 12, SC, 48, DISK, 2); /* 48 of 64 bytes */
	answer(t, 70, 0x0a, 0, UR, 512, NIC, 3);
	memory(t, 10, 0x00, 8, NIC, 4, 0x80001000);
	answer(t, 300, 0x0a, 0, CA, 32, NIC, 4);
	memory(t, 5, 0x20, 4, NIC, 5, 0x10600100); /* answered by five completions */
	for (uint32_t i = 0; i < 4; i++)
		answer(t, 7, 0x4a, 1, SC, 16 - 4 * i, NIC, 5);
	answer(t, 90, 0x4a, 1, SC, 4, NIC, 9); /* no request has this tag */
	memory(t, 5, 0x00, 1, NIC, 6, 0x80002000);
	memory(t, 5, 0x00, 1, NIC, 6, 0x80003000); /* reuses a tag */
	answer(t, 5, 0x4a, 1, SC, 4, NIC, 6);
	memory(t, 5, 0x20, 2, NIC, 7, 0x10700000); /* never answered */
}

static void add_other_requests(struct rich *t)
{
	memory(t, 3, 0x01, 2, ROOT, 0x10, 0x90000000);
	answer(t, 20, 0x4b, 2, SC, 8, ROOT, 0x10);
	memory(t, 3, 0x21, 1, ROOT, 0x11, 0x20000000);
	answer(t, 20, 0x0b, 0, UR, 4, ROOT, 0x11);
	single(t, 4, 0x02, HOST, 0x12, 0x1000);
	answer(t, 60, 0x4a, 1, SC, 4, HOST, 0x12);
	single(t, 4, 0x42, HOST, 0x13, 0x1004);
	answer(t, 60, 0x0a, 0, SC, 4, HOST, 0x13);
	single(t, 4, 0x04, HOST, 0x14, DISK << 16 | 0x10);
	answer(t, 200, 0x0a, 0, CRS, 4, HOST, 0x14);
	single(t, 4, 0x44, HOST, 0x15, DISK << 16 | 0x04);
	answer(t, 80, 0x0a, 0, SC, 4, HOST, 0x15);
	single(t, 4, 0x05, HOST, 0x16, NIC << 16);
	answer(t, 80, 0x4a, 1, SC, 4, HOST, 0x16);
	single(t, 4, 0x45, HOST, 0x17, NIC << 16 | 0x04);
	answer(t, 80, 0x0a, 0, UR, 4, HOST, 0x17);
	memory(t, 6, 0x4c, 1, NIC, 0x18, 0x80004000);
	answer(t, 25, 0x4a, 1, SC, 4, NIC, 0x18);
	memory(t, 6, 0x6d, 2, NIC, 0x19, 0x10800000);
	answer(t, 25, 0x4a, 2, SC, 8, NIC, 0x19);
	memory(t, 6, 0x4e, 2, NIC, 0x1a, 0x80004010);
	answer(t, 25, 0x4a, 1, SC, 4, NIC, 0x1a);
	memory(t, 6, 0x5b, 1, DISK, 0x1b, 0x80005000);
	answer(t, 25, 0x0a, 0, SC, 4, DISK, 0x1b);
	put(t, 6, 0x34000000, DISK << 16 | 0x7f, 0, 0);
	put(t, 6, 0x74000002, NIC << 16 | 0x7f, 0, 0);
	put(t, 6, 0x5f000005, NIC << 16, NIC << 16, 0); /* undefined kind */
}

/* Adds a burst of writes by many requesters, after a pause. */
static void add_burst(struct rich *t)
{
	t->now += 2600;
	for (uint32_t i = 0; i < 40; i++)
		memory(t, i % 4 * 3, i % 5 ? 0x60 : 0x40, 1 + i % 8 * 7, 0x300 + i / 4, 0, 0xa0000000 + (i << 20));
}

static void make_rich(struct rich *t, bool is_4dw)
{
	*t = (struct rich){.is_4dw = is_4dw, .now = 500};
	add_memory_traffic(t);
	add_other_requests(t);
	add_burst(t);
}

static struct pv_stat *stat_of(const void *data, size_t bytes, const struct pv_trace_options *how,
			       const char *expression)
{
	struct pv_trace *t = pv_trace_open_memory(data, bytes, how);
	struct pv_where w;
	struct pv_error e = {0};

	cr_assert_not_null(t);
	cr_assert_eq(pv_where_compile(&w, expression, &e), 0, "%s", e.text);
	struct pv_stat *s = pv_stat_run(t, &(struct pv_stat_options){.where = &w}, &e);
	cr_assert_not_null(s, "%s", e.text);
	pv_trace_close(t);
	return s;
}

static void expect_outputs(const struct pv_stat *s, const struct pv_stat_report *r, const char *name)
{
	static const struct {
		const char *ending;
		void (*write)(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
	} outputs[] = {{"txt", pv_stat_text},
		       {"json", pv_stat_json},
		       {"html", pv_stat_html},
		       {"report.txt", pv_report_text},
		       {"report.html", pv_report_html}};

	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		_autofree_ char *got = NULL;
		char file[64];
		size_t n = 0;
		FILE *out = open_memstream(&got, &n);

		outputs[i].write(s, r, out);
		cr_assert_eq(fclose(out), 0);
		snprintf(file, sizeof(file), "%s.%s", name, outputs[i].ending);
		whole_expect(got, WHOLE, file);
	}
}

/* Has limits, and plots of two requesters. */
Test(stat_whole, of_clocks)
{
	static const uint16_t ids[] = {DISK, NIC};
	static const char *const wheres[] = {"requester == 01:00.0", "requester == 02:00.0"};
	const struct pv_trace_options clock = {.time = PV_TRACE_TIME_CLOCK};
	struct pv_stat_share shares[2];
	struct pv_stat *of[2], *s;
	struct rich t;

	make_rich(&t, false);
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		of[i] = stat_of(t.dw, 32 * t.n, &clock, wheres[i]);
		shares[i] = (struct pv_stat_share){ids[i], &of[i]->timeline};
	}
	s = stat_of(t.dw, 32 * t.n, &clock, NULL);
	expect_outputs(s,
		       &(struct pv_stat_report){.name = "clock.bin",
						.top = 4,
						.mps = 128,
						.mrrs = 256,
						.shares = shares,
						.n_shares = ARRAY_SIZE(shares)},
		       "clock");
	pv_stat_free(s);
	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		pv_stat_free(of[i]);
}

/*
 * Makes two streams, the first in two pieces: the times of each stream begin at 0. A distance is at full scale: that of
 * record 30 in the first stream, 26 in the second. Returns the number of records.
 */
static size_t make_distances(struct perf_file *file)
{
	struct rich t;

	make_rich(&t, true);
	t.dw[4 * 30] |= 0x7ff;
	pf_begin(file, 2, (const uint32_t[]){PF_PMU, PF_PMU}, (const uint64_t[]){CONFIG_4DW, CONFIG_4DW});
	pf_info(file, 6, PF_PMU, -1);
	pf_id_index(file, 2);
	pf_auxtrace(file, t.dw, 16 * 47, 0, 0);
	pf_auxtrace(file, t.dw + 4 * 47, 16 * (t.n - 47), 16 * 47, 0);
	pf_auxtrace(file, t.dw + 4 * 4, 16 * 40, 0, 1);
	pf_end(file);
	return t.n + 40;
}

Test(stat_whole, of_distances)
{
	static struct perf_file file;
	struct pv_stat *s;

	make_distances(&file);
	s = stat_of(file.bytes, file.n, &(struct pv_trace_options){.time = PV_TRACE_TIME_DISTANCE}, "kind != MsgD");
	expect_outputs(s, &(struct pv_stat_report){.name = "dist<ance>.data", .where = "kind != MsgD"}, "distance");
	pv_stat_free(s);
}

Test(stat_whole, of_times_that_are_unknown)
{
	struct pv_stat *s;
	struct rich t;

	make_rich(&t, false);
	s = stat_of(t.dw, 32 * t.n, &(struct pv_trace_options){.no_time = true}, NULL);
	expect_outputs(s, &(struct pv_stat_report){.name = "unknown.bin", .top = 2, .mps = 4096, .mrrs = 4096},
		       "unknown");
	pv_stat_free(s);
}

Test(stat_whole, of_one_record)
{
	struct pv_stat *s;
	struct rich t;

	make_rich(&t, false);
	s = stat_of(t.dw, 32, &(struct pv_trace_options){.time = PV_TRACE_TIME_CLOCK}, NULL);
	expect_outputs(s, &(struct pv_stat_report){.name = "one.bin"}, "one");
	pv_stat_free(s);
}

Test(stat_whole, records_are_chosen_by_whether_their_time_is_a_lower_bound)
{
	static struct perf_file file;
	const struct pv_trace_options distance = {.time = PV_TRACE_TIME_DISTANCE};
	size_t n = make_distances(&file);
	struct pv_stat *early = stat_of(file.bytes, file.n, &distance, "!time_at_least"),
		       *late = stat_of(file.bytes, file.n, &distance, "time_at_least");

	cr_assert_eq(early->records[PV_RECORD_4DW], 30 + 26);
	cr_assert_eq(late->records[PV_RECORD_4DW], n - 30 - 26);
	pv_stat_free(early);
	pv_stat_free(late);
}
