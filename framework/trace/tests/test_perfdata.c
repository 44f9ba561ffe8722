/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data as upstream perf writes it, and as damage leaves it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"
#include "framework/trace/trace.h"

/* filter 0x80001, direction 2, type 4, format 8DW and 4DW */
#define CONFIG_8DW (0x80001ull | 2ull << 20 | 4ull << 24 | 1ull << 32)
#define CONFIG_4DW (0x80001ull | 1ull << 20 | 1ull << 24)

struct seen {
	uint64_t records, problems, last_time;
	uint64_t of_stream[4];
	size_t streams;
	struct pv_trace_stream stream[4];
	enum pv_trace_direction direction;
	char what[8][128];
};

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct seen *s = ctx;

	if (s->problems < 8)
		snprintf(s->what[s->problems], sizeof(s->what[0]), "%s", p->what);
	s->problems++;
}

static struct seen finish(struct pv_trace *t, struct seen *s)
{
	struct pv_trace_record r;
	int ret;

	cr_assert(t != NULL);
	cr_assert(pv_trace_is_perfdata(t));
	while ((ret = pv_trace_next(t, &r)) > 0) {
		s->records++;
		s->of_stream[r.stream->index & 3]++;
		s->direction = r.direction;
		s->last_time = r.time;
	}
	cr_assert(eq(int, ret, 0));
	s->streams = pv_trace_streams(t);
	for (size_t i = 0; i < s->streams && i < 4; i++)
		s->stream[i] = *pv_trace_stream(t, i);
	pv_trace_close(t);
	return *s;
}

static struct seen read_all(const struct perf_file *f)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false, false};

	return finish(pv_trace_open_memory(f->bytes, f->n, &o), &s);
}

/* The same bytes through a pipe, a few at a time. */
static struct seen read_piped(const struct perf_file *f)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false, false};
	struct pv_error e;
	int fds[2];

	cr_assert(eq(int, pipe(fds), 0));
	if (!fork()) {
		for (size_t at = 0; at < f->n; at += 1000)
			if (write(fds[1], f->bytes + at, f->n - at < 1000 ? f->n - at : 1000) < 0)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	return finish(pv_trace_open_fd(fds[0], "pipe", &o, &e), &s);
}

static struct perf_file f;
static struct hand h;

static void payload_8dw(unsigned from, unsigned count)
{
	h.n = 0;
	for (unsigned i = 0; i < count; i++)
		hand_8dw(&h, from + i);
}

/* 100 records in two AUXTRACE records. */
static void ordinary(void)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_id_index(&f, 1);
	payload_8dw(0, 60);
	pf_aux(&f, 0, h.n, 0, 100);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	payload_8dw(60, 40);
	pf_auxtrace(&f, h.bytes, h.n, 1920, 0);
	pf_end(&f);
}

static void expect_ordinary(const struct seen *s)
{
	cr_expect(eq(u64, s->records, 100));
	cr_expect(eq(u64, s->problems, 0), "%s", s->what[0]);
	cr_expect(eq(u64, s->last_time, 1099));
	cr_expect(eq(sz, s->streams, 1));
	cr_expect(s->stream[0].has_config);
	cr_expect(eq(u32, s->stream[0].filter, 0x80001));
	cr_expect(eq(uint, s->stream[0].direction, 2));
	cr_expect(eq(uint, s->stream[0].type, 4));
	cr_expect(eq(int, s->stream[0].asked, PV_RECORD_8DW));
	cr_expect(eq(u64, s->stream[0].bytes, 3200));
	cr_expect(eq(int, s->direction, PV_TRACE_INBOUND));
}

Test(perfdata, file_mode)
{
	ordinary();
	struct seen s = read_all(&f);

	expect_ordinary(&s);
}

Test(perfdata, pipe_mode)
{
	f.pipe = true;
	ordinary();
	struct seen s = read_all(&f);

	expect_ordinary(&s);
}

Test(perfdata, big_endian_file)
{
	f.big_endian = true;
	ordinary();
	struct seen s = read_all(&f);

	expect_ordinary(&s);
}

Test(perfdata, big_endian_pipe)
{
	f.big_endian = f.pipe = true;
	ordinary();
	struct seen s = read_piped(&f);

	expect_ordinary(&s);
}

Test(perfdata, file_mode_through_a_pipe)
{
	ordinary();
	struct seen s = read_piped(&f);

	expect_ordinary(&s);
}

Test(perfdata, pmu_names_come_from_the_features_behind_the_data)
{
	ordinary();
	pf_patch64(&f, 72, 1u << 3 | 1u << 16);
	size_t sections = f.n;

	pf_u64(&f, 0);
	pf_u64(&f, 0);
	pf_u64(&f, sections + 32);
	pf_u64(&f, 4 + 8 + 16);
	pf_u32(&f, 1);
	pf_u32(&f, PF_PMU);
	pf_u32(&f, 16);
	pf_bytes(&f, "hisi_ptt0_2\0\0\0\0\0", 16);
	struct seen s = read_all(&f);

	cr_expect(eq(str, s.stream[0].pmu, (char *)"hisi_ptt0_2"));
}

Test(perfdata, two_pmus_on_two_cpus_are_two_streams)
{
	pf_begin(&f, 2, (const uint32_t[]){9, 10}, (const uint64_t[]){CONFIG_8DW, CONFIG_4DW});
	pf_info(&f, 6, 9, -1);
	pf_info(&f, 6, 10, 0);
	pf_id_index(&f, 2);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	h.n = 0;
	for (unsigned i = 0; i < 20; i++)
		hand_4dw(&h, i);
	pf_auxtrace(&f, h.bytes, h.n, 0, 1);
	payload_8dw(10, 10);
	pf_auxtrace(&f, h.bytes, h.n, 320, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.problems, 0), "%s", s.what[0]);
	cr_expect(eq(u64, s.of_stream[0], 20));
	cr_expect(eq(u64, s.of_stream[1], 20));
	cr_expect(eq(u32, s.stream[1].pmu_type, 10));
	cr_expect(eq(uint, s.stream[1].direction, 1));
	cr_expect(eq(int, s.stream[1].format, PV_RECORD_4DW));
	cr_expect(eq(i64, s.stream[1].cpu, 1));
}

Test(perfdata, an_unknown_data_pattern_is_reported_and_not_misread)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, 1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 0));
	cr_expect(eq(u64, s.problems, 1));
	cr_expect(strstr(s.what[0], "data pattern 1") != NULL);
}

Test(perfdata, aux_data_of_others_is_passed_over)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 4, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 0));
	cr_expect(strstr(s.what[0], "not a PTT's") != NULL);
}

Test(perfdata, flags_and_losses_are_problems)
{
	static const struct {
		uint64_t flag;
		const char *says;
	} rows[] = {{1, "truncated"}, {4, "partial"}, {8, "collision"}};

	for (unsigned i = 0; i < 3; i++) {
		pf_begin_one(&f, CONFIG_8DW);
		pf_info(&f, 6, PF_PMU, -1);
		payload_8dw(0, 10);
		pf_auxtrace(&f, h.bytes, h.n, 0, 0);
		pf_aux(&f, 0, 320, rows[i].flag, 100);
		pf_lost(&f, 7);
		pf_end(&f);
		struct seen s = read_all(&f);

		cr_expect(eq(u64, s.records, 10));
		cr_expect(eq(u64, s.problems, 2));
		cr_expect(strstr(s.what[0], rows[i].says) != NULL, "%s", s.what[0]);
		cr_expect(strstr(s.what[1], "lost 7 events") != NULL, "%s", s.what[1]);
	}
}

Test(perfdata, a_gap_in_the_aux_data_is_a_problem)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_auxtrace(&f, h.bytes, h.n, 640, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 20));
	cr_expect(eq(str, s.what[0], (char *)"AUX data from 320 to 640 is missing"));
}

Test(perfdata, sizes_that_lie_yield_what_is_there)
{
	static const uint64_t lies[] = {1ull << 32, 1ull << 40, UINT64_MAX, 1ull << 63, 321, 352};

	for (unsigned i = 0; i < 6; i++) {
		pf_begin_one(&f, CONFIG_8DW);
		pf_info(&f, 6, PF_PMU, -1);
		payload_8dw(0, 10);
		pf_auxtrace_head(&f, lies[i], 0, 0, 0);
		pf_bytes(&f, h.bytes, h.n);
		pf_end(&f);
		struct seen s = read_all(&f), piped = read_piped(&f);

		cr_expect(eq(u64, s.records, 10));
		cr_expect(eq(u64, piped.records, 10));
		cr_expect(ge(u64, s.problems, 1));
	}
}

Test(perfdata, a_size_that_is_too_small_costs_what_it_hides)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace_head(&f, 64, 0, 0, 0);
	pf_bytes(&f, h.bytes, h.n);
	pf_auxtrace(&f, h.bytes, h.n, 320, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 12));
	cr_expect(ge(u64, s.problems, 1));
}

Test(perfdata, a_file_cut_anywhere_is_read_up_to_there)
{
	ordinary();
	size_t whole = f.n;

	for (size_t n = PF_FILE_HEADER; n < whole; n += 13) {
		f.n = n;
		struct pv_trace_options o = {0};
		struct pv_trace *t = pv_trace_open_memory(f.bytes, f.n, &o);
		struct pv_trace_record r;

		if (!t)
			continue;
		while (pv_trace_next(t, &r) > 0)
			;
		cr_expect(ge(u64, pv_trace_problems(t), 1), "cut at %zu", n);
		pv_trace_close(t);
	}
}

Test(perfdata, a_recording_that_was_not_finished)
{
	ordinary();
	pf_patch64(&f, 48, 0);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 100));
	cr_expect(eq(u64, s.problems, 1));
}

/* An AUX record with the truncated flag and a LOST record, compressed, cut into records in the middle. */
static void compressed(uint32_t type)
{
	static struct perf_file inner;
	uint8_t packed[4096];

	inner.n = 0;
	pf_aux(&inner, 0, 320, 1, 100);
	pf_lost(&inner, 5);
	size_t n = ZSTD_compress(packed, sizeof(packed), inner.bytes, inner.n, 1), half = n / 2;

	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	for (unsigned i = 0; i < 2; i++) {
		size_t size = i ? n - half : half;
		size_t padded = type == 83 ? (16 + size + 7) / 8 * 8 : 8 + size;

		pf_head(&f, type, padded);
		if (type == 83)
			pf_u64(&f, size);
		pf_bytes(&f, packed + i * half, size);
		f.n += type == 83 ? padded - 16 - size : 0;
	}
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
}

Test(perfdata, compressed_records)
{
	for (uint32_t type = 81; type <= 83; type += 2) {
		compressed(type);
		struct seen s = read_all(&f);

		cr_expect(eq(u64, s.records, 10));
		cr_expect(eq(u64, s.problems, 2));
		cr_expect(strstr(s.what[0], "truncated") != NULL, "%s", s.what[0]);
		cr_expect(strstr(s.what[1], "lost 5") != NULL, "%s", s.what[1]);
	}
}

Test(perfdata, compressed_records_that_are_not)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_head(&f, 81, 32);
	pf_bytes(&f, "this is not a zstd frame", 24);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 10));
	cr_expect(eq(u64, s.problems, 1));
}

Test(perfdata, a_header_that_cannot_be_is_refused_with_a_reason)
{
	struct pv_trace_options o = {0};

	ordinary();
	pf_patch64(&f, 8, 105);
	cr_expect(pv_trace_open_memory(f.bytes, f.n, &o) == NULL);
	ordinary();
	pf_patch64(&f, 40, 1ull << 40);
	cr_expect(pv_trace_open_memory(f.bytes, f.n, &o) == NULL);
}
