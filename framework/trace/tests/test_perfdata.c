/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data as upstream perf writes it, and as damage leaves it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"
#include "framework/trace/trace.h"
#include "framework/util/file.h"

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

/* The message of an AUXTRACE_ERROR comes from the file, and goes to a terminal. */
Test(perfdata, text_of_the_file_cannot_steer_a_terminal)
{
	static const char message[16] = "bad\x1b[2J\n\x80 luck";
	struct seen s;

	ordinary();
	pf_head(&f, 72, 48 + sizeof(message));
	for (unsigned i = 0; i < 5; i++)
		pf_u64(&f, 0);
	pf_bytes(&f, message, sizeof(message));
	pf_end(&f);
	s = read_all(&f);
	cr_assert(eq(u64, s.problems, 1));
	cr_assert_str_eq(s.what[0], "perf noted an error: bad?[2J?? luck");
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

/* ---- a record over two AUXTRACE records ---- */

/* A payload of 20 records, cut after `cut` bytes as perf does it: the first part padded with zeros to 8 bytes. */
struct cut {
	size_t cut, lost; /* bytes lost between the two */
	uint64_t flags;	  /* of an AUX record between them, that ends where the first part does */
	bool before;	  /* that AUX record is before both */
	uint64_t events;  /* LOST between them */
	uint32_t idx;	  /* of the second part */
	bool is_4dw;
};

static void cut_in_two(const struct cut *c)
{
	uint64_t config = c->is_4dw ? CONFIG_4DW : CONFIG_8DW;
	size_t padded = (c->cut + 7) / 8 * 8;

	pf_begin(&f, 2, (const uint32_t[]){PF_PMU, PF_PMU}, (const uint64_t[]){config, config});
	pf_info(&f, 6, PF_PMU, -1);
	pf_id_index(&f, 2);
	h.n = 0;
	for (unsigned i = 0; i < 20; i++)
		(c->is_4dw ? hand_4dw : hand_8dw)(&h, i);
	if (c->flags && c->before)
		pf_aux(&f, 0, c->cut, c->flags, 100);
	pf_auxtrace_head(&f, padded, 0, 0, 0);
	pf_bytes(&f, h.bytes, c->cut);
	pf_bytes(&f, "\0\0\0\0\0\0\0", padded - c->cut);
	if (c->flags && !c->before)
		pf_aux(&f, 0, c->cut, c->flags, 100);
	if (c->events)
		pf_lost(&f, c->events);
	pf_auxtrace(&f, h.bytes + c->cut + c->lost, h.n - c->cut - c->lost, c->cut + c->lost, c->idx);
	pf_end(&f);
}

static struct seen read_cut(struct cut c)
{
	cut_in_two(&c);
	return read_all(&f);
}

Test(perfdata, a_record_over_two_auxtrace_records_is_joined)
{
	for (unsigned big = 0; big < 2; big++)
		for (unsigned is_4dw = 0; is_4dw < 2; is_4dw++)
			for (size_t cut = 1; cut < 20 * (is_4dw ? 16 : 32); cut++) {
				/* Padded to a whole record: its last word cannot be told from zeros in time. */
				bool looks_whole = cut % (is_4dw ? 16 : 32) > (is_4dw ? 8 : 24);

				f.big_endian = big;
				struct seen s = read_cut((struct cut){.cut = cut, .is_4dw = is_4dw});

				if (looks_whole) {
					cr_expect(ge(u64, s.records, 18));
					cr_expect(strstr(s.what[0], "AUX offset goes back") != NULL, "%zu: %s", cut,
						  s.what[0]);
					continue;
				}
				cr_expect(eq(u64, s.records, 20), "cut after %zu", cut);
				cr_expect(eq(u64, s.problems, 0), "cut after %zu: %s", cut, s.what[0]);
			}
}

Test(perfdata, a_record_over_many_auxtrace_records_is_joined)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 20);
	for (size_t at = 0; at < h.n; at += 8)
		pf_auxtrace(&f, h.bytes + at, 8, at, 0);
	pf_end(&f);
	struct seen s = read_piped(&f);

	cr_expect(eq(u64, s.records, 20));
	cr_expect(eq(u64, s.problems, 0), "%s", s.what[0]);
	cr_expect(eq(u64, s.stream[0].bytes, 640));
}

Test(perfdata, a_joined_record_keeps_its_places)
{
	struct pv_trace_record r;
	struct pv_trace *t;
	size_t first, second;

	cut_in_two(&(struct cut){.cut = 80});
	second = f.n - (640 - 80);
	first = second - 48 - 80;
	t = pv_trace_open_memory(f.bytes, f.n, NULL);
	for (unsigned i = 0; pv_trace_next(t, &r) > 0; i++) {
		cr_expect(eq(u64, r.record.offset, 32 * i));
		cr_expect(eq(u32, r.record.time, 1000 + i));
		cr_expect(eq(u64, r.file_offset, i < 3 ? first + 32 * i : second + 32 * i - 80), "record %u", i);
	}
	pv_trace_close(t);
}

Test(perfdata, a_cut_record_is_not_joined_with_what_does_not_go_on_with_it)
{
	static const struct {
		struct cut cut;
		const char *says;
	} rows[] = {
		{{.cut = 80, .lost = 32}, "is missing"},
		{{.cut = 80, .flags = 1}, "truncated"},
		{{.cut = 80, .flags = 1, .before = true}, "truncated"},
		{{.cut = 80, .flags = 4}, "partial"},
		{{.cut = 80, .flags = 8, .before = true}, "collision"},
		{{.cut = 80, .events = 3}, "perf lost 3 events"},
		{{.cut = 80, .idx = 1}, "truncated record"},
		{{.cut = 40, .is_4dw = true, .flags = 1}, "truncated"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct seen s = read_cut(rows[i].cut);
		bool said = false, cut = false;

		for (size_t k = 0; k < s.problems && k < 8; k++) {
			said |= strstr(s.what[k], rows[i].says) != NULL;
			cut |= !strcmp(s.what[k], "truncated record");
		}
		cr_expect(said, "row %zu: %s", i, s.what[0]);
		cr_expect(cut, "row %zu: %s", i, s.what[0]);
		/* The cut record, and with a hole what is in it; whatever else is there is read. */
		cr_expect(ge(u64, s.records, 18), "row %zu", i);
		cr_expect(le(u64, s.records, 19), "row %zu", i);
	}
}

/* Twelve bytes of a fourth record, and an offset that says that four of them are padding, which they are not. */
Test(perfdata, padding_that_is_not_zeros_is_data)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 20);
	pf_auxtrace(&f, h.bytes, 3 * 32 + 12, 0, 0);
	pf_auxtrace(&f, h.bytes + 3 * 32 + 8, h.n - 3 * 32 - 8, 3 * 32 + 8, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(str, s.what[0], (char *)"truncated record"));
	cr_expect(eq(str, s.what[1], (char *)"AUX offset goes back from 108 to 104"));
	cr_expect(eq(u64, s.records, 19));
}

Test(perfdata, a_record_that_the_end_cuts_is_reported)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n - 8, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect(eq(u64, s.records, 9));
	cr_expect(eq(u64, s.problems, 1));
	cr_expect(eq(str, s.what[0], (char *)"truncated record"));
}

/* ---- folders ---- */

static char folder[] = "/tmp/pcieval-test-perfdata-XXXXXX";

static void make_file(const char *name, const void *data, size_t n)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "wb");
	cr_assert(out && fwrite(data, 1, n, out) == n && !fclose(out));
}

static void make_folder(void)
{
	cr_assert(mkdtemp(folder) != NULL);
	ordinary();
}

static void remove_folder(void)
{
	pv_remove_all(folder);
}

Test(perfdata, a_folder_of_kcore_is_read, .fini = remove_folder)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false, false};
	struct pv_error e = {0};

	make_folder();
	make_file("data", f.bytes, f.n);
	finish(pv_trace_open(folder, &o, &e), &s);
	expect_ordinary(&s);
}

Test(perfdata, a_folder_of_threads_is_refused_with_the_reason, .fini = remove_folder)
{
	struct pv_error e = {0};

	make_folder();
	make_file("data", f.bytes, f.n);
	make_file("data.0", f.bytes, f.n);
	cr_expect(pv_trace_open(folder, NULL, &e) == NULL);
	cr_expect(strstr(e.text, "perf record --threads") != NULL, "%s", e.text);
	cr_expect(eq(int, e.code, -EBADMSG));
}

Test(perfdata, a_folder_without_data_is_refused_with_the_reason, .fini = remove_folder)
{
	struct pv_error e = {0};

	make_folder();
	cr_expect(pv_trace_open(folder, NULL, &e) == NULL);
	cr_expect(strstr(e.text, "Is a directory, without the file 'data'") != NULL, "%s", e.text);
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
		cr_expect(strstr(s.what[0], "lost 5") != NULL, "%s", s.what[0]);
		/* What is said of a buffer is reported when its first data comes. */
		cr_expect(strstr(s.what[1], "truncated") != NULL, "%s", s.what[1]);
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
