/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversion of raw payload to perf.data and PCAP, and back. perf reads the perf.data, and tshark the PCAP, if they are
 * installed; otherwise these tests are skipped with a message.
 */
#include "framework/analysis/convert.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"

enum { RECORDS = 50000 };

struct payload {
	uint8_t *data;
	size_t n;
};

/* Makes reads and writes of several functions; record i has address i * 4 and time 10 * i. */
static struct payload payload(bool is_8dw)
{
	size_t size = is_8dw ? 32 : 16;
	struct payload p = {malloc(RECORDS * size), RECORDS * size};

	for (uint32_t i = 0; i < RECORDS; i++) {
		uint32_t d0 = i % 3 ? 0x60000008 : 0x20000010, d1 = (0x100 + i % 4) << 16 | (i & 0xff) << 8 | 0xff;
		uint32_t r8[8] = {~0u, i % 5 ? 0 : 0x91300000 | i % 1000, d0, d1, 0x12, i << 2, 0, 10 * i};
		uint32_t r4[4] = {(i % 3 ? 0xc0000000 : 0x40000000) | (d0 & 0x3ff) << 11 | (10 * i & 0x7ff), d1, 0x12,
				  i << 2};

		memcpy(p.data + i * size, is_8dw ? r8 : r4, size);
	}
	return p;
}

/* Converts into an anonymous file and returns its descriptor. */
static int convert_timed(const struct payload *p, const char *to, const char *expression, enum pv_trace_time time,
			 uint64_t *records)
{
	int fd = memfd_create("converted", 0);
	struct pv_trace *t = pv_trace_open_memory(p->data, p->n, &(struct pv_trace_options){.time = time});
	struct pv_where w;
	struct pv_convert_options o = {.where = &w};
	struct pv_error e = {0};

	cr_assert_geq(fd, 0);
	cr_assert_eq(pv_where_compile(&w, expression, NULL), 0);
	cr_assert_eq(pv_trace_convert(t, pv_converter_by_name(to), fd, &o, records, &e), 0, "%s", e.text);
	pv_trace_close(t);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int convert(const struct payload *p, const char *to, const char *expression, uint64_t *records)
{
	return convert_timed(p, to, expression, PV_TRACE_TIME_UNKNOWN, records);
}

/* Returns all records of an input as one payload. */
static struct payload read_back(int fd, const struct pv_trace_stream *expect)
{
	struct pv_error e = {0};
	struct pv_trace *t = pv_trace_open_fd(fd, "converted", NULL, &e);
	struct payload p = {malloc(RECORDS * 32), 0};
	struct pv_trace_block b;
	int r;

	cr_assert_neq(t, NULL, "%s", e.text);
	while ((r = pv_trace_next_block(t, &b)) > 0) {
		cr_assert_leq(p.n + b.bytes, RECORDS * 32);
		memcpy(p.data + p.n, b.data, b.bytes);
		p.n += b.bytes;
	}
	cr_assert_eq(r, 0);
	cr_assert_eq(pv_trace_problems(t), 0);
	cr_assert_eq(pv_trace_streams(t), 1);
	if (expect) {
		cr_assert_eq(pv_trace_stream(t, 0)->pmu_type, expect->pmu_type);
		cr_assert_str_eq(pv_trace_stream(t, 0)->pmu, expect->pmu);
		cr_assert_eq(pv_trace_stream(t, 0)->asked, expect->asked);
	}
	pv_trace_close(t);
	return p;
}

static void round_trip(bool is_8dw, const char *to)
{
	struct pv_trace_stream expect = {
		.pmu_type = 8, .pmu = "hisi_ptt0_0", .asked = is_8dw ? PV_RECORD_8DW : PV_RECORD_4DW};
	struct payload p = payload(is_8dw), back;
	uint64_t records;

	back = read_back(convert(&p, to, NULL, &records), strcmp(to, "raw") ? &expect : NULL);
	cr_assert_eq(records, RECORDS);
	cr_assert_eq(back.n, p.n);
	cr_assert_eq(memcmp(back.data, p.data, p.n), 0);
	free(p.data);
	free(back.data);
}

Test(convert, raw_and_back)
{
	round_trip(true, "raw");
	round_trip(false, "raw");
}

Test(convert, perfdata_and_back)
{
	round_trip(true, "perf.data");
	round_trip(false, "perf.data");
}

Test(convert, only_chosen_records)
{
	struct payload p = payload(true), back;
	uint64_t records;

	back = read_back(convert(&p, "perf.data", "kind == MRd64 && requester == 01:00.0", &records), NULL);
	cr_assert_eq(records, (RECORDS + 11) / 12);
	cr_assert_eq(back.n, records * 32);
	cr_assert_eq(memcmp(back.data + 32, p.data + 12 * 32, 32), 0);
	free(p.data);
	free(back.data);
}

/* ---- losses in a perf.data ---- */

#define CONFIG_8DW (0x80001ull | 2ull << 20 | 4ull << 24 | 1ull << 32)
#define CONFIG_4DW (0x80002ull | 1ull << 20 | 1ull << 24)

static struct perf_file f;
static struct hand h;

/* The reader's problem reports, records and streams. */
struct said {
	char problems[16][128];
	size_t n, streams;
	uint64_t records, of_stream[4], pmu_type[4], config[4], cpu[4];
	uint64_t exact; /* records before the first hole: if Time counted distances, their time is no lower bound */
	uint64_t places[16], record_places[64]; /* in the file */
};

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct said *s = ctx;

	if (s->n == 16)
		return;
	s->places[s->n] = p->file_offset;
	snprintf(s->problems[s->n++], sizeof(s->problems[0]), "%u: %s", p->stream ? p->stream->index : 9, p->what);
}

static struct said read_said(int fd)
{
	struct said s = {.n = 0};
	struct pv_trace_options o = {.problem = note_problem, .ctx = &s, .time = PV_TRACE_TIME_DISTANCE};
	struct pv_error e = {0};
	struct pv_trace *t = pv_trace_open_fd(fd, "converted", &o, &e);
	struct pv_trace_record r;

	cr_assert_neq(t, NULL, "%s", e.text);
	for (; pv_trace_next(t, &r) > 0; s.records++) {
		s.of_stream[r.stream->index & 3]++;
		s.exact += !r.time_at_least;
		s.record_places[s.records & 63] = r.file_offset;
	}
	s.streams = pv_trace_streams(t);
	for (size_t i = 0; i < s.streams && i < 4; i++) {
		s.pmu_type[i] = pv_trace_stream(t, i)->pmu_type;
		s.config[i] = pv_trace_stream(t, i)->config;
		s.cpu[i] = (uint64_t)pv_trace_stream(t, i)->cpu;
	}
	pv_trace_close(t);
	return s;
}

static bool has_problem(const struct said *s, const char *what)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->problems[i], what))
			return true;
	return false;
}

static int convert_file(const char *expression)
{
	uint64_t records;

	pf_end(&f);
	return convert(&(struct payload){f.bytes, f.n}, "perf.data", expression, &records);
}

static void add_8dw(unsigned from, unsigned n)
{
	h.n = 0;
	for (unsigned i = 0; i < n; i++)
		hand_8dw(&h, from + i);
}

static void add_4dw(unsigned from, unsigned n)
{
	h.n = 0;
	for (unsigned i = 0; i < n; i++)
		hand_4dw(&h, from + i);
}

/*
 * Two PMUs, one of them with two AUX buffers. Each buffer has other flags, and flags precede their data, as perf writes
 * them.
 */
static void flagged(void)
{
	pf_begin(&f, 3, (const uint32_t[]){9, 9, 10}, (const uint64_t[]){CONFIG_8DW, CONFIG_8DW, CONFIG_4DW});
	pf_info(&f, 6, 9, -1);
	pf_info(&f, 6, 10, -1);
	pf_id_index(&f, 3);
	add_8dw(0, 10);
	pf_aux(&f, 0, 320, 1, 100);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	add_8dw(100, 10);
	pf_aux(&f, 0, 160, 0, 101);
	pf_aux(&f, 160, 96, 4, 101);
	pf_aux(&f, 256, 64, 0, 101);
	pf_auxtrace(&f, h.bytes, h.n, 0, 1);
	add_4dw(0, 20);
	pf_auxtrace(&f, h.bytes, h.n, 0, 2);
	pf_aux(&f, 0, 320, 8 | 0x100, 102);
	pf_lost(&f, 7);
	add_8dw(10, 10);
	pf_auxtrace(&f, h.bytes, h.n, 320, 0);
}

static void expect_flagged(const struct said *s)
{
	static const char *const problems[] = {
		"0: trace flagged truncated: records were lost behind AUX offset 320",
		"1: trace flagged partial: there are gaps before AUX offset 256",
		"2: trace flagged collision: something was lost before AUX offset 320",
		"9: perf lost 7 events here",
	};

	cr_expect_eq(s->n, 4, "the last: %s", s->n ? s->problems[s->n - 1] : "none");
	for (size_t i = 0; i < 4; i++)
		cr_expect(has_problem(s, problems[i]), "%s", problems[i]);
	cr_expect_eq(s->records, 50);
	/* The loss is marked before the last ten records. */
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->problems[i], problems[3])) {
			cr_expect_gt(s->places[i], s->record_places[39]);
			cr_expect_lt(s->places[i], s->record_places[40]);
		}
	cr_assert_eq(s->streams, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(s->of_stream[i], i ? i * 10 : 20);
		cr_expect_eq(s->pmu_type[i], i < 2 ? 9 : 10);
		cr_expect_eq(s->config[i], i < 2 ? CONFIG_8DW : CONFIG_4DW);
		cr_expect_eq(s->cpu[i], i);
	}
}

Test(convert, perfdata_to_perfdata_keeps_streams_flags_and_losses)
{
	flagged();
	struct said s = read_said(convert_file(NULL));

	expect_flagged(&s);
}

Test(convert, perfdata_of_perfdata_of_perfdata_is_the_same)
{
	uint8_t first[1 << 16], second[1 << 16];
	struct payload p = {first, 0};
	uint64_t records;

	flagged();
	p.n = (size_t)read(convert_file(NULL), first, sizeof(first));
	cr_assert_eq(read(convert(&p, "perf.data", NULL, &records), second, sizeof(second)), (ssize_t)p.n);
	cr_assert_eq(memcmp(first, second, p.n), 0);
}

Test(convert, perfdata_to_a_pipe_says_the_same)
{
	struct pv_convert_options o = {0};
	struct pv_error e = {0};
	struct pv_trace *t;
	uint64_t records;
	int fds[2];

	flagged();
	pf_end(&f);
	t = pv_trace_open_memory(f.bytes, f.n, NULL);
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(pv_trace_convert(t, &pv_convert_perfdata, fds[1], &o, &records, &e), 0, "%s", e.text);
	pv_trace_close(t);
	close(fds[1]);
	struct said s = read_said(fds[0]);

	expect_flagged(&s);
}

/* The times are distances, one of them at full scale. */
Test(convert, records_are_chosen_by_whether_their_time_is_a_lower_bound)
{
	enum { FULL = 20000, SIZE = 32 };
	struct payload p = payload(true), late, early;
	const uint32_t most = UINT32_MAX;
	uint64_t records;

	memcpy(p.data + FULL * SIZE + 28, &most, sizeof(most));
	late = read_back(convert_timed(&p, "raw", "time_at_least", PV_TRACE_TIME_DISTANCE, &records), NULL);
	cr_assert_eq(records, RECORDS - FULL);
	cr_assert_eq(memcmp(late.data, p.data + FULL * SIZE, (RECORDS - FULL) * SIZE), 0);
	early = read_back(convert_timed(&p, "raw", "!time_at_least", PV_TRACE_TIME_DISTANCE, &records), NULL);
	cr_assert_eq(records, FULL);
	cr_assert_eq(memcmp(early.data, p.data, FULL * SIZE), 0);
	free(p.data);
	free(late.data);
	free(early.data);
}

Test(convert, flags_stay_where_they_were_among_chosen_records)
{
	flagged();
	/*
	 * Record i has address 4 GiB + 64 * i. The range selects records of the first four AUX records, and of one
	 * after the flag.
	 */
	struct said s = read_said(convert_file("stream == 0 && address in 0x100000200..0x1000002bf"));

	cr_expect_eq(s.records, 3);
	cr_expect(has_problem(&s, "0: trace flagged truncated: records were lost behind AUX offset 64"));
}

Test(convert, damage_that_is_left_out_is_a_gap)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	add_8dw(0, 10);
	hand_noise(&h, 100);
	for (unsigned i = 0; i < 5; i++)
		hand_8dw(&h, 10 + i);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	add_8dw(15, 5);
	pf_auxtrace(&f, h.bytes, h.n, 4096, 0);
	struct said s = read_said(convert_file(NULL));

	cr_expect_eq(s.records, 20);
	cr_expect_eq(s.n, 2);
	cr_expect(has_problem(&s, "0: trace flagged partial: there are gaps before AUX offset 320"));
	cr_expect(has_problem(&s, "0: trace flagged partial: there are gaps before AUX offset 480"));
	cr_expect_eq(s.exact, 10, "%" PRIu64, s.exact);
}

Test(convert, an_event_that_is_told_after_its_first_data_is_kept)
{
	pf_begin(&f, 2, (const uint32_t[]){1, 9}, (const uint64_t[]){0, CONFIG_8DW});
	add_8dw(0, 10);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_info(&f, 6, 9, -1);
	add_8dw(10, 10);
	pf_auxtrace(&f, h.bytes, h.n, 320, 0);
	struct said s = read_said(convert_file(NULL));

	cr_expect_eq(s.records, 20);
	cr_expect_eq(s.pmu_type[0], 9);
	cr_expect_eq(s.config[0], CONFIG_8DW);
}

Test(convert, raw_payload_is_flagged_where_the_user_says)
{
	struct payload p = payload(true);
	struct pv_trace *t = pv_trace_open_memory(p.data, p.n, NULL);
	struct pv_convert_options o = {.truncated = (const uint64_t[]){320, 1600000}, .n_truncated = 2};
	struct pv_error e = {0};
	int fd = memfd_create("converted", 0);
	uint64_t records;

	cr_assert_eq(pv_trace_convert(t, &pv_convert_perfdata, fd, &o, &records, &e), 0, "%s", e.text);
	pv_trace_close(t);
	lseek(fd, 0, SEEK_SET);
	struct said s = read_said(fd);

	cr_expect_eq(s.records, RECORDS);
	cr_expect_eq(s.n, 2);
	cr_expect(has_problem(&s, "0: trace flagged truncated: records were lost behind AUX offset 320"));
	cr_expect(has_problem(&s, "0: trace flagged truncated: records were lost behind AUX offset 1600000"));
	cr_expect(s.pmu_type[0] == 8);
	free(p.data);
}

Test(convert, pcap_packets_hold_pseudo_header_prefix_and_tlp_header)
{
	/*
	 * A read with a prefix, then a write without one: the original length of the write includes its payload, which
	 * the file lacks.
	 */
	static const uint8_t expected[] =
		{
			0x4d, 0x3c, 0xb2, 0xa1, 2,   0, 4, 0,	 0,  0, 0, 0,	 0,  0, 0, 0,
			0xff, 0xff, 0,	  0,	147, 0, 0, 0,	 0,  0, 0, 0,	 0,  0, 0, 0,
			36,   0,    0,	  0,	36,  0, 0, 0, /* time, lengths */
			1,    8,    0,	  3,	0,   0, 0, 0,	 0,  0, 0, 0,	 0,  0, 0, 0,
			0x91, 0x30, 0,	  0, /* pseudo-header, prefix */
			0x20, 0,    0,	  0x10, 1,   0, 0, 0xff, 0,  0, 0, 0x12, 0,  0, 0, 0,
			0,    0,    0,	  0,	10,  0, 0, 0,	 32, 0, 0, 0,	 64, 0, 0, 0,
			1,    8,    0,	  2,	0,   0, 0, 10,	 0,  0, 0, 0,	 0,  0, 0, 32,
			0x60, 0,    0,	  8,	1,   1, 1, 0xff, 0,  0, 0, 0x12, 0,  0, 0, 4,
		};
	struct payload p = payload(true);
	uint8_t got[sizeof(expected)];
	uint64_t records;
	int fd = convert(&p, "pcap", NULL, &records);

	cr_assert_eq(read(fd, got, sizeof(got)), (ssize_t)sizeof(got));
	for (size_t i = 0; i < sizeof(got); i++)
		cr_assert_eq(got[i], expected[i], "byte %zu: expected 0x%02x, got 0x%02x", i, expected[i], got[i]);
	close(fd);
	free(p.data);
}

static uint32_t le32_at(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Selects every fourth record, so that each is a run of its own. */
Test(convert, pcap_packets_that_were_chosen_keep_their_times_and_places)
{
	struct payload p = payload(true);
	uint8_t got[24 + 3 * 128];
	uint64_t records;
	int fd = convert(&p, "pcap", "requester == 01:00.3", &records);

	cr_assert_eq(read(fd, got, sizeof(got)), (ssize_t)sizeof(got));
	const uint8_t *at = got + 24;
	for (uint32_t i = 3; i < 12; i += 4) {
		cr_expect_eq(le32_at(at + 4), 10 * i); /* nanoseconds; the low half of the offset in the payload */
		cr_expect_eq((uint32_t)at[30] << 8 | at[31], 32 * i);
		at += 16 + le32_at(at + 8);
	}
	close(fd);
	free(p.data);
}

/* Counts the printed lines of a command that contain `word`; -1: the command cannot run here. */
static long lines_with(const char *command, int fd, const char *word)
{
	char text[512], line[1024];
	long n = 0;
	FILE *out;

	snprintf(text, sizeof(text), command, (int)getpid(), fd);
	out = popen(text, "r");
	cr_assert_neq(out, NULL);
	while (fgets(line, sizeof(line), out))
		n += !!strstr(line, word);
	return pclose(out) ? -1 : n;
}

static bool have(const char *command)
{
	char text[128];

	snprintf(text, sizeof(text), "command -v %s >/dev/null 2>&1", command);
	return !system(text);
}

static void perf_reads(bool is_8dw, const char *command, const char *word)
{
	struct payload p = payload(is_8dw);
	uint64_t records;
	int fd = convert(&p, "perf.data", NULL, &records);

	cr_assert_eq(lines_with(command, fd, word), RECORDS, "%s", command);
	close(fd);
	free(p.data);
}

#define PERF_REPORT "perf report -D -i /proc/%d/fd/%d 2>/dev/null"
#define PERF_SCRIPT "perf script -D -i /proc/%d/fd/%d 2>/dev/null"

Test(convert, upstream_perf_dumps_every_record, .timeout = 120)
{
	if (!have("perf"))
		cr_skip_test("perf is not installed (linux-perf of bookworm-backports)");
	perf_reads(true, PERF_REPORT, "Header DW3");
	perf_reads(false, PERF_REPORT, "Header DW3");
	perf_reads(true, PERF_SCRIPT, "Header DW3");
}

Test(convert, upstream_perf_shows_flags_and_losses, .timeout = 120)
{
	static const struct {
		const char *command, *says;
		long lines;
	} rows[] = {
		{"perf report -D -i /proc/%d/fd/%d 2>&1", "PERF_RECORD_AUX offset: 0 size: 0x140 flags: 0x1 [T]", 1},
		{"perf report -D -i /proc/%d/fd/%d 2>&1", "PERF_RECORD_AUX offset: 0xa0 size: 0x60 flags: 0x4 [P]", 1},
		{"perf report -D -i /proc/%d/fd/%d 2>&1", "PERF_RECORD_AUX offset: 0 size: 0x140 flags: 0x108 []", 1},
		{"perf report -D -i /proc/%d/fd/%d 2>&1", "PERF_RECORD_LOST: id:3: lost:7", 1},
		{"perf report -D -i /proc/%d/fd/%d 2>&1", "id: 3  idx: 2  cpu: 2", 1},
		{"perf report -D -i /proc/%d/fd/%d 2>&1", "HISI PTT data: size", 6},
		{"perf evlist -v -i /proc/%d/fd/%d 2>&1", "type: 9", 1},
		{"perf evlist -v -i /proc/%d/fd/%d 2>&1", "type: 10", 1},
		{"perf report --stdio -i /proc/%d/fd/%d 2>&1", "AUX data lost 1 times out of", 1},
		{"perf report --stdio -i /proc/%d/fd/%d 2>&1", "AUX data had gaps in it 1 times out of", 1},
		{"perf report --stdio -i /proc/%d/fd/%d 2>&1", "AUX data detected collision  1 times out of", 1},
		{"perf report --stdio -i /proc/%d/fd/%d 2>&1", "lost 1 chunks!", 1},
	};
	int fd;

	if (!have("perf"))
		cr_skip_test("perf is not installed (linux-perf of bookworm-backports)");
	flagged();
	fd = convert_file(NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(lines_with(rows[i].command, fd, rows[i].says), rows[i].lines, "%s: %s", rows[i].command,
			     rows[i].says);
	close(fd);
}

Test(convert, tshark_dissects_every_packet, .timeout = 120)
{
	struct payload p = payload(true);
	uint64_t records;
	int fd;

	if (!have("tshark"))
		cr_skip_test("tshark is not installed");
	fd = convert(&p, "pcap", "offset < 32000", &records);
	cr_assert_eq(lines_with("tshark -X lua_script:" PTT_LUA " -r /proc/%d/fd/%d 2>/dev/null", fd, "MWr64 tag 0x"),
		     666);
	lseek(fd, 0, SEEK_SET);
	cr_assert_eq(lines_with("tshark -X lua_script:" PTT_LUA " -r /proc/%d/fd/%d -Y 'ptt.pasid == 0x5' 2>/dev/null",
				fd, "PTT"),
		     1);
	close(fd);
	free(p.data);
}
