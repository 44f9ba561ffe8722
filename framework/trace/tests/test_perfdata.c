/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data as upstream perf writes it. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "framework/trace/output.h"
#include "framework/trace/tests/seen.h"
#include "framework/util/file.h"

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
