/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversion there and back: raw payload to perf.data and PCAP; what perf makes of the perf.data, and tshark of
 * the PCAP, where they are installed (else these tests are skipped, and say so).
 */
#include "framework/trace/convert.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS = 50000 };

struct payload {
	uint8_t *data;
	size_t n;
};

/* Reads and writes of several functions; record i has address i * 4 and time 10 * i. */
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

/* Into an anonymous file, whose descriptor is returned. */
static int convert(const struct payload *p, const char *to, const char *expression, uint64_t *records)
{
	int fd = memfd_create("converted", 0);
	struct pv_trace *t = pv_trace_open_memory(p->data, p->n, NULL);
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

/* All records of an input, one behind the other. */
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
	cr_assert(eq(u64, pv_trace_problems(t), 0));
	cr_assert(eq(sz, pv_trace_streams(t), 1));
	if (expect) {
		cr_assert(eq(u32, pv_trace_stream(t, 0)->pmu_type, expect->pmu_type));
		cr_assert(eq(str, (char *)pv_trace_stream(t, 0)->pmu, (char *)expect->pmu));
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
	cr_assert(eq(u64, records, RECORDS));
	cr_assert(eq(sz, back.n, p.n));
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
	cr_assert(eq(u64, records, (RECORDS + 11) / 12));
	cr_assert(eq(sz, back.n, records * 32));
	cr_assert_eq(memcmp(back.data + 32, p.data + 12 * 32, 32), 0);
	free(p.data);
	free(back.data);
}

Test(convert, pcap_packets_hold_pseudo_header_prefix_and_tlp_header)
{
	/* Record 0: a read with a prefix. */
	static const uint8_t
		expected[] =
			{
				0x4d, 0x3c, 0xb2, 0xa1, 2,   0, 4, 0,	 0, 0, 0, 0,	0, 0, 0, 0,
				0xff, 0xff, 0,	  0,	147, 0, 0, 0,	 0, 0, 0, 0,	0, 0, 0, 0,
				36,   0,    0,	  0,	36,  0, 0, 0, /* time, lengths */
				1,    8,    0,	  1,	0,   0, 0, 0,	 0, 0, 0, 0,	0, 0, 0, 0,
				0x91, 0x30, 0,	  0, /* pseudo, prefix */
				0x20, 0,    0,	  0x10, 1,   0, 0, 0xff, 0, 0, 0, 0x12, 0, 0, 0, 0,
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

/* Lines that a command prints which contain `word`; -1: the command cannot run here. */
static long lines_with(const char *command, int fd, const char *word)
{
	char text[512], line[1024];
	long n = 0;
	FILE *f;

	snprintf(text, sizeof(text), command, (int)getpid(), fd);
	f = popen(text, "r");
	cr_assert_neq(f, NULL);
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, word);
	return pclose(f) ? -1 : n;
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
