/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as text: perf's dump to the byte, the line for people, fields, JSON.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "framework/trace/record.h"

static struct pv_record read_only(void)
{
	static const uint32_t dw[4] = {0x40200fff, 0x0080100f, 0x400, 0x10148};
	struct pv_record r;

	cr_assert(zero(int, pv_record_decode(PV_RECORD_4DW, dw, 0, &r)));
	return r;
}

static struct pv_record write_8dw(uint64_t offset)
{
	static const uint32_t dw[8] = {0xffffffff, 0, 0x60000001, 0x01001e0f, 4, 0x02810040, 0, 0x4c033};
	struct pv_record r;

	cr_assert(zero(int, pv_record_decode(PV_RECORD_8DW, dw, offset, &r)));
	return r;
}

#define PAD "                                "

Test(dump, published_8dw_as_perf_prints_it)
{
	/* The excerpt of the kernel's documentation, its offsets repaired (errata 3). */
	static const char want[] = ".  00000004: 00 00 00 00 " PAD "Prefix\n"
				   ".  00000008: 01 00 00 60 " PAD "Header DW0\n"
				   ".  0000000c: 0f 1e 00 01 " PAD "Header DW1\n"
				   ".  00000010: 04 00 00 00 " PAD "Header DW2\n"
				   ".  00000014: 40 00 81 02 " PAD "Header DW3\n"
				   ".  0000001c: 33 c0 04 00 " PAD "Time\n";
	struct pv_record r = write_8dw(0);
	char buf[1024];

	cr_assert(eq(int, pv_record_dump(&r, buf, sizeof(buf)), sizeof(want) - 1));
	cr_assert(eq(str, buf, (char *)want));
}

Test(dump, published_4dw_has_its_fields_in_the_first_line)
{
	static const char want[] =
		".  00000000: ff 0f 20 40 " PAD "Format 1 Type 0 T9 0 T8 0 TH 0 SO 1 Length 1 Time 7ff\n"
		".  00000004: 0f 10 80 00 " PAD "Header DW1\n"
		".  00000008: 00 04 00 00 " PAD "Header DW2\n"
		".  0000000c: 48 01 01 00 " PAD "Header DW3\n";
	struct pv_record r = read_only();
	char buf[1024];

	pv_record_dump(&r, buf, sizeof(buf));
	cr_assert(eq(str, buf, (char *)want));
}

/*
 * perf up to 6.12 declares the fields of DW0 from the most significant bit down (format first, time last). On a
 * little-endian machine the compiler begins at the least significant bit, so that each field is read from the other
 * end of the word (errata 7). What it prints for the published record is kept here, so that nobody takes it for right.
 */
struct perf_6_12_dw0 {
	uint32_t format : 2, type : 5, t9 : 1, t8 : 1, th : 1, so : 1, len : 10, time : 11;
};

Test(dump, perf_6_12_reads_4dw_fields_from_the_wrong_end)
{
	static const char wrong[] = "Format 3 Type 1f T9 1 T8 1 TH 1 SO 1 Length 1 Time 201";
	static const char right[] = "Format 1 Type 0 T9 0 T8 0 TH 0 SO 1 Length 1 Time 7ff";
	const uint32_t dw0 = 0x40200fff;
	struct perf_6_12_dw0 perf;
	struct pv_record r = read_only();
	char as_perf[128], ours[1024];

	memcpy(&perf, &dw0, sizeof(perf));
	snprintf(as_perf, sizeof(as_perf), "Format %x Type %x T9 %x T8 %x TH %x SO %x Length %x Time %x", perf.format,
		 perf.type, perf.t9, perf.t8, perf.th, perf.so, perf.len, perf.time);
	pv_record_dump(&r, ours, sizeof(ours));

	cr_assert(eq(str, as_perf, (char *)wrong));
	cr_assert(not(zero(ptr, strstr(ours, right))));
	cr_assert(zero(ptr, strstr(ours, wrong)));
}

Test(dump, offset_is_that_of_the_payload)
{
	struct pv_record r = write_8dw(0x20);
	char buf[1024];

	pv_record_dump(&r, buf, sizeof(buf));
	cr_assert(zero(int, strncmp(buf, ".  00000024: ", 13)));
}

Test(dump, small_buffer_is_not_overrun_and_length_is_whole)
{
	struct pv_record r = write_8dw(0);
	char big[1024], small[32];
	int n = pv_record_dump(&r, big, sizeof(big));

	memset(small, 'x', sizeof(small));
	cr_assert(eq(int, pv_record_dump(&r, small, 20), n));
	cr_assert(eq(u64, strlen(small), 19));
	cr_assert(eq(chr, small[20], 'x'));
	cr_assert(eq(int, pv_record_dump(&r, NULL, 0), n));
}

Test(dump, line_for_people)
{
	struct pv_record r = write_8dw(0);
	char buf[256];

	pv_record_text(&r, buf, sizeof(buf));
	cr_assert(eq(str, buf, (char *)"MWr64 01:00.0 tag 0x1e 0x402810040 be f/0 1 DW time 0x4c033"));
}

Test(dump, line_for_each_shape_of_header)
{
	static const struct {
		uint32_t dw[8];
		const char *text;
	} cases[] = {
		{{~0u, 0x91300005, 0x20000004, 0x010000ff, 0, 0x2000, 0, 1},
		 "MRd64 01:00.0 tag 0x00 0x2000 be f/f 4 DW pasid 0x00005 exe pmr time 0x1"},
		{{~0u, 0, 0x4a800010, 0x00800040, 0x0101077c, 0, 0, 2},
		 "CplD 01:00.1 tag 0x207 from 00:10.0 status 0 bytes 64 lower 0x7c 16 DW time 0x2"},
		{{~0u, 0, 0x04000001, 0x0000090f, 0x01000010, 0, 0, 3},
		 "CfgRd0 00:00.0 tag 0x09 to 01:00.0 reg 0x010 1 DW time 0x3"},
		{{~0u, 0, 0x34000000, 0x01000020, 0, 0, 0, 4}, "Msg 01:00.0 tag 0x00 code 0x20 routing 4 time 0x4"},
		{{~0u, 0, 0x5b000001, 0, 0, 0, 0, 5}, "undefined Fmt 0x2 Type 0x1b time 0x5"},
	};
	struct pv_record r;
	char buf[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_assert(zero(int, pv_record_decode(PV_RECORD_8DW, cases[i].dw, 0, &r)));
		pv_record_text(&r, buf, sizeof(buf));
		cr_expect(eq(str, buf, (char *)cases[i].text));
	}
}

Test(dump, fields_of_a_completion)
{
	static const uint32_t dw[8] = {~0u, 0, 0x4a800010, 0x00801040, 0x0101077c, 0, 0, 2};
	char buf[512];
	struct pv_record r;

	cr_assert(zero(int, pv_record_decode(PV_RECORD_8DW, dw, 64, &r)));
	pv_record_json(&r, buf, sizeof(buf));
	cr_assert(eq(
		str, buf,
		(char *)"{\"offset\":64,\"format\":\"8dw\",\"kind\":\"CplD\",\"Fmt\":2,\"Type\":10,\"TC\":0,\"Attr\":0,"
			"\"AT\":0,\"TH\":0,\"TD\":0,\"EP\":0,\"length_dw\":16,\"requester\":\"01:00.1\",\"tag\":519,"
			"\"completer\":\"00:10.0\",\"status\":0,\"bcm\":1,\"byte_count\":64,\"lower_address\":124,"
			"\"time\":2}"));
}

Test(dump, fields_that_mean_nothing_are_left_out)
{
	struct pv_record r = read_only();
	struct pv_record_field f[PV_RECORD_FIELDS_MAX];
	size_t n = pv_record_fields(&r, f);
	char all[512] = "";

	for (size_t i = 0; i < n; i++) {
		strcat(all, f[i].name);
		strcat(all, " ");
	}
	cr_assert(eq(str, all, (char *)"Fmt Type SO TH length_dw requester tag first_be last_be address time "));
}

Test(dump, json_is_one_object)
{
	struct pv_record r = read_only();
	char buf[512];

	pv_record_json(&r, buf, sizeof(buf));
	cr_assert(
		eq(str, buf,
		   (char *)"{\"offset\":0,\"format\":\"4dw\",\"kind\":\"MRd64\",\"Fmt\":1,\"Type\":0,\"SO\":1,\"TH\":0,"
			   "\"length_dw\":1,\"requester\":\"00:10.0\",\"tag\":16,\"first_be\":15,\"last_be\":0,"
			   "\"address\":4398046576968,\"time\":2047}"));
}
