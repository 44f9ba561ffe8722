/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data as upstream perf writes it, and as damage leaves it. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "framework/trace/output.h"
#include "framework/trace/tests/seen.h"
#include "framework/util/file.h"

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
	cr_expect_eq(s->records, 100);
	cr_expect_eq(s->problems, 0, "%s", s->what[0]);
	cr_expect_eq(s->last_time, 1099);
	cr_expect_eq(s->streams, 1);
	cr_expect(s->stream[0].has_config);
	cr_expect_eq(s->stream[0].filter, 0x80001);
	cr_expect_eq(s->stream[0].direction, 2);
	cr_expect_eq(s->stream[0].type, 4);
	cr_expect_eq(s->stream[0].asked, PV_RECORD_8DW);
	cr_expect_eq(s->stream[0].bytes, 3200);
	cr_expect_eq(s->direction, PV_TRACE_INBOUND);
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

	cr_expect_str_eq(s.stream[0].pmu, "hisi_ptt0_2");
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

	cr_expect_eq(s.problems, 0, "%s", s.what[0]);
	cr_expect_eq(s.of_stream[0], 20);
	cr_expect_eq(s.of_stream[1], 20);
	cr_expect_eq(s.stream[1].pmu_type, 10);
	cr_expect_eq(s.stream[1].direction, 1);
	cr_expect_eq(s.stream[1].format, PV_RECORD_4DW);
	cr_expect_eq(s.stream[1].cpu, 1);
}

/* Ten records in two AUXTRACE records. */
static struct seen with_version(int64_t version)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, version);
	payload_8dw(0, 6);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	payload_8dw(6, 4);
	pf_auxtrace(&f, h.bytes, h.n, 192, 0);
	pf_end(&f);
	return read_all(&f);
}

Test(perfdata, second_word_is_a_pattern_or_the_decoders_version)
{
	static const struct {
		int64_t word;
		unsigned pattern;
	} cases[] = {{-1, 0}, {0, 0}, {1, 1}, {2, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct seen s = with_version(cases[i].word);

		cr_expect_eq(s.records, 10);
		cr_expect_eq(s.problems, 0, "%s", s.what[0]);
		cr_expect_eq(s.stream[0].pattern, cases[i].pattern, "%d", (int)cases[i].word);
	}
}

/* Prints the pattern of a job, long after the reader has seen what follows. */
static char *late_pattern(const void *ctx, const struct pv_output_job *job, char *out)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	*out = (char)('0' + job->block.stream->pattern);
	return out + 1;
}

Test(perfdata, threads_see_the_pattern_that_the_data_had)
{
	char text[8] = "";
	int fd = memfd_create("text", MFD_CLOEXEC);

	pf_begin_one(&f, CONFIG_8DW);
	payload_8dw(0, 10);
	pf_info(&f, 6, PF_PMU + 1, 0);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_info(&f, 6, PF_PMU, 1);
	pf_auxtrace(&f, h.bytes, h.n, h.n, 0);
	pf_end(&f);
	struct pv_trace *t = pv_trace_open_memory(f.bytes, f.n, NULL);
	cr_assert_eq(pv_trace_output(t, late_pattern, NULL, 2, fd), 0);
	pv_trace_close(t);
	cr_assert_gt(pread(fd, text, sizeof(text) - 1, 0), 0);
	close(fd);
	cr_expect_str_eq(text, "01");
}

Test(perfdata, an_unknown_version_is_reported_once_and_tried)
{
	struct seen s = with_version(3);

	cr_expect_eq(s.records, 10);
	cr_expect_eq(s.problems, 1);
	cr_expect(strstr(s.what[0], "data pattern or decoder version 3, which is not known: read as pattern 0") !=
		  NULL);
	cr_expect_eq(s.stream[0].pattern, 0);
}

Test(perfdata, aux_data_of_others_is_passed_over)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 4, PF_PMU, -1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 0);
	cr_expect(strstr(s.what[0], "not a PTT's") != NULL);
}

/* Its data are longer than what the reader reads at once. */
Test(perfdata, aux_data_of_others_of_any_size_are_passed_over)
{
	static struct seen (*const read[])(const struct perf_file *f) = {read_all, read_file, read_piped};
	static const uint8_t others[600 << 10];

	pf_begin(&f, 2, (const uint32_t[]){9, 10}, (const uint64_t[]){CONFIG_8DW, CONFIG_8DW});
	pf_info(&f, 4, 9, -1);
	pf_id_index(&f, 2);
	pf_auxtrace(&f, others, sizeof(others), 0, 0);
	pf_info(&f, 6, 10, -1);
	payload_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 1);
	pf_lost(&f, 7);
	pf_end(&f);
	for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++) {
		struct seen s = read[i](&f);

		cr_expect_eq(s.records, 10);
		cr_expect_eq(s.problems, 2);
		cr_expect_str_eq(s.what[0], "AUX data of type 4 is not a PTT's (6): not decoded");
		cr_expect_str_eq(s.what[1], "perf lost 7 events here");
	}
}

/* One buffer more than the reader tells apart, twice, each with data; then the first one again. */
Test(perfdata, aux_buffers_that_are_too_many_are_passed_over)
{
	enum { STREAMS_MAX = 4096 };

	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	payload_8dw(0, 10);
	for (uint32_t i = 0; i < STREAMS_MAX; i++)
		pf_auxtrace_head(&f, 0, 0, i, i);
	pf_auxtrace(&f, h.bytes, h.n, 0, STREAMS_MAX);
	pf_auxtrace(&f, h.bytes, h.n, 0, STREAMS_MAX + 1);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.of_stream[0], 10);
	cr_expect_eq(s.records, 10);
	cr_expect_eq(s.problems, 1, "%s; %s", s.what[0], s.what[1]);
	cr_expect_str_eq(s.what[0], "more AUX buffers than can be told apart: not decoded");
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
		pf_auxtrace(&f, h.bytes, h.n, 4096, 0);
		pf_aux(&f, 4096, 320, rows[i].flag, 100);
		pf_lost(&f, 7);
		pf_end(&f);
		struct seen s = read_all(&f);

		cr_expect_eq(s.records, 10);
		cr_expect_eq(s.problems, 2);
		cr_expect(strstr(s.what[0], rows[i].says) != NULL, "%s", s.what[0]);
		cr_expect_eq(s.at[0], 320, "in the payload, whose first byte has AUX offset 4096");
		cr_expect(strstr(s.what[1], "lost 7 events") != NULL, "%s", s.what[1]);
	}
}

/* The AUX record of buffer 0 is the first one, its data are the second ones. */
Test(perfdata, flags_before_the_data_of_their_buffer_are_of_no_other)
{
	pf_begin(&f, 2, (const uint32_t[]){9, 9}, (const uint64_t[]){CONFIG_8DW, CONFIG_8DW});
	pf_info(&f, 6, 9, -1);
	pf_id_index(&f, 2);
	payload_8dw(0, 10);
	pf_aux(&f, 0, 320, 1, 100);
	pf_auxtrace(&f, h.bytes, h.n, 0, 1);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.stream[1].idx, 0);
	cr_expect_eq(s.problems, 1);
	cr_expect_eq(s.of[0], 1);
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
	cr_assert_eq(s.problems, 1);
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

	cr_expect_eq(s.records, 20);
	cr_expect_str_eq(s.what[0], "AUX data from 320 to 640 is missing");
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

		cr_expect_eq(s.records, 10);
		cr_expect_eq(piped.records, 10);
		cr_expect_geq(s.problems, 1);
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

	cr_expect_eq(s.records, 12);
	cr_expect_geq(s.problems, 1);
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
		cr_expect_geq(pv_trace_problems(t), 1, "cut at %zu", n);
		pv_trace_close(t);
	}
}

/* ---- bad headers ---- */

enum { EVENT_BYTES = 72 };

/* A side-band event whose content could be taken for anything but a header. */
static size_t event(uint32_t type)
{
	size_t at = f.n;

	pf_head(&f, type, EVENT_BYTES);
	for (unsigned i = 8; i < EVENT_BYTES; i += 8)
		pf_u64(&f, 0x0102030405060708u + i);
	return at;
}

/* Three AUXTRACE records of 10 PTT records each, with events between them. Places: events 0 to 3, AUXTRACE 4 to 6. */
static void with_events(size_t places[7])
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	for (unsigned i = 0; i < 4; i++) {
		places[i] = event(3 + i);
		payload_8dw(10 * i, 10);
		places[4 + i % 3] = i < 3 ? f.n : places[4];
		if (i < 3)
			pf_auxtrace(&f, h.bytes, h.n, 320 * i, 0);
	}
	pf_end(&f);
}

/* The header at a place becomes this type and size. */
static void break_header(size_t at, uint32_t type, size_t size)
{
	size_t n = f.n;

	f.n = at;
	pf_head(&f, type, size);
	f.n = n;
}

static void expect_bad_header(const char *what, size_t at, uint64_t records)
{
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, records, "%s", what);
	cr_expect_eq(s.problems, 1, "%s: %s; %s", what, s.what[0], s.what[1]);
	cr_expect_eq(s.file_at[0], at, "%s: %s", what, s.what[0]);
}

Test(perfdata, one_bad_header_of_an_event_costs_no_records)
{
	static const struct {
		uint32_t type;
		size_t size;
	} bad[] = {{0, EVENT_BYTES},  {0xdeadbeef, EVENT_BYTES}, {3, 0},   {3, 4},	{3, 8},
		   {3, 64},	      {3, EVENT_BYTES + 8},	 {3, 456}, {3, 0xfff8}, {71, 48},
		   {71, EVENT_BYTES}, {0xffffffff, 0xffff}};
	size_t places[7];

	for (f.pipe = false;; f.pipe = true) {
		for (unsigned place = 0; place < 3; place++)
			for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
				with_events(places);
				break_header(places[place], bad[i].type, bad[i].size);
				struct seen s = read_all(&f);

				cr_expect_eq(s.records, 30, "type %u size %zu of event %u: %s", bad[i].type,
					     bad[i].size, place, s.what[0]);
				cr_expect_geq(s.problems, 1);
				cr_expect_eq(s.streams, 1, "type %u size %zu of event %u is no AUX buffer", bad[i].type,
					     bad[i].size, place);
			}
		if (f.pipe)
			break;
	}
}

Test(perfdata, a_bad_header_is_reported_with_its_place)
{
	size_t places[7];

	with_events(places);
	break_header(places[1], 0xdeadbeef, EVENT_BYTES);
	expect_bad_header("type", places[1], 30);
	with_events(places);
	break_header(places[1], 3, 0xfff8);
	expect_bad_header("size", places[1], 30);
}

/* All but its header says what it is. */
Test(perfdata, an_auxtrace_record_with_a_bad_header_is_read)
{
	size_t places[7];

	for (unsigned i = 4; i < 7; i++) {
		with_events(places);
		break_header(places[i], 0xdeadbeef, 48);
		expect_bad_header("type", places[i], 30);
		with_events(places);
		break_header(places[i], 71, 56);
		expect_bad_header("size", places[i], 30);
		with_events(places);
		break_header(places[i], 72, 48);
		expect_bad_header("another type", places[i], 30);
	}
}

Test(perfdata, what_is_in_good_records_is_not_taken_for_records)
{
	size_t places[7];

	with_events(places);
	for (unsigned i = 0; i < 4; i++) { /* headers, two in a row, in all events */
		break_header(places[i] + 8, 3, 24);
		break_header(places[i] + 32, 3, 24);
	}
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 30);
	cr_expect_eq(s.problems, 0, "%s", s.what[0]);
}

/* ---- what is missing ---- */

Test(perfdata, a_cut_auxtrace_info_is_reported)
{
	for (size_t size = 8; size < 24; size += 8) {
		pf_begin_one(&f, CONFIG_8DW);
		pf_head(&f, 70, size);
		if (size == 16)
			pf_u64(&f, 6);
		payload_8dw(0, 10);
		pf_auxtrace(&f, h.bytes, h.n, 0, 0);
		pf_end(&f);
		struct seen s = read_all(&f);

		cr_expect_eq(s.records, 10);
		cr_expect_geq(s.problems, 1);
		cr_expect(strstr(s.what[0],
				 size == 8 ? "AUXTRACE_INFO is too short" : "AUXTRACE_INFO is cut: 16 bytes") != NULL,
			  "%s", s.what[0]);
	}
}

Test(perfdata, a_trace_without_records_is_a_problem)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_auxtrace(&f, h.bytes, 0, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 0);
	cr_expect_eq(s.problems, 1);
	cr_expect(strstr(s.what[0], "no records in this trace") != NULL, "%s", s.what[0]);
}

Test(perfdata, a_recording_that_was_not_finished)
{
	ordinary();
	pf_patch64(&f, 48, 0);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 100);
	cr_expect_eq(s.problems, 1);
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
	cr_expect_eq(e.code, -EBADMSG);
}

Test(perfdata, a_folder_without_data_is_refused_with_the_reason, .fini = remove_folder)
{
	struct pv_error e = {0};

	make_folder();
	cr_expect(pv_trace_open(folder, NULL, &e) == NULL);
	cr_expect(strstr(e.text, "Is a directory: expected a file, or a folder of perf") != NULL, "%s", e.text);
}

Test(perfdata, a_folder_whose_data_cannot_be_opened_is_refused_with_the_reason, .fini = remove_folder)
{
	struct pv_error e = {0};
	char data[128];

	make_folder();
	snprintf(data, sizeof(data), "%s/data", folder);
	cr_assert_eq(symlink("data", data), 0);
	cr_expect(pv_trace_open(folder, NULL, &e) == NULL);
	cr_expect_eq(e.code, -ELOOP);
	cr_expect(strstr(e.text, "/data: Too many levels of symbolic links") != NULL, "%s", e.text);
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

		cr_expect_eq(s.records, 10);
		cr_expect_eq(s.problems, 2);
		cr_expect(strstr(s.what[0], "lost 5") != NULL, "%s", s.what[0]);
		/* Problems of a buffer are reported with its first data. */
		cr_expect(strstr(s.what[1], "truncated") != NULL, "%s", s.what[1]);
	}
}

/* The content of one COMPRESSED record, which goes as far as the bytes that were given. */
static void put_flushed(ZSTD_CCtx *zstd, const uint8_t *content, size_t n)
{
	uint8_t packed[4096];
	ZSTD_inBuffer in = {content, n, 0};
	ZSTD_outBuffer out = {packed, sizeof(packed), 0};

	cr_assert_eq(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush), 0);
	pf_head(&f, 81, 8 + out.pos);
	pf_bytes(&f, packed, out.pos);
}

/* Three LOST records, of which the second begins in one compressed record and ends in the next, cut anywhere. */
Test(perfdata, a_record_over_two_compressed_records_is_read)
{
	static struct perf_file inner;

	inner.n = 0;
	pf_lost(&inner, 5);
	pf_lost(&inner, 6);
	pf_lost(&inner, 7);
	for (size_t cut = 25; cut < 48; cut++) {
		ZSTD_CCtx *zstd = ZSTD_createCCtx();

		pf_begin_one(&f, CONFIG_8DW);
		pf_info(&f, 6, PF_PMU, -1);
		put_flushed(zstd, inner.bytes, cut);
		put_flushed(zstd, inner.bytes + cut, inner.n - cut);
		ZSTD_freeCCtx(zstd);
		payload_8dw(0, 10);
		pf_auxtrace(&f, h.bytes, h.n, 0, 0);
		pf_end(&f);
		struct seen s = read_all(&f);

		cr_expect_eq(s.records, 10);
		cr_assert_eq(s.problems, 3, "cut at %zu: %s", cut, s.what[0]);
		cr_expect(strstr(s.what[0], "lost 5") != NULL, "%s", s.what[0]);
		cr_expect(strstr(s.what[1], "lost 6") != NULL, "cut at %zu: %s", cut, s.what[1]);
		cr_expect(strstr(s.what[2], "lost 7") != NULL, "%s", s.what[2]);
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

	cr_expect_eq(s.records, 10);
	cr_expect_eq(s.problems, 1);
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
