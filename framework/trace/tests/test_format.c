/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of every kind, made by hand from PCIe 5.0 2.2, as JSON Lines, CSV and text. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "framework/trace/format.h"
#include "framework/trace/output.h"
#include "framework/trace/put.h"
#include "framework/trace/tests/hand.h"
#include "framework/util/cleanup.h"

/* One record through reader and writer. Returns a static line without its end. */
static const char *line_of(const char *format, const struct hand *h)
{
	static char line[PV_FORMAT_MAX];
	struct pv_trace *t =
		pv_trace_open_memory(h->bytes, h->n, &(struct pv_trace_options){.time = PV_TRACE_TIME_CLOCK});
	struct pv_trace_record r;
	char *end;

	cr_assert_eq(pv_trace_next(t, &r), 1);
	end = pv_format_by_name(format)->record(line, &r);
	cr_assert_eq(end[-1], '\n');
	end[-1] = '\0';
	pv_trace_close(t);
	return line;
}

static struct hand h;

static const char *line_8dw(const char *format, uint32_t prefix, const uint32_t header[4])
{
	h.n = 0;
	hand_le32(&h, 0xffffffff);
	hand_le32(&h, prefix);
	for (unsigned i = 0; i < 4; i++)
		hand_le32(&h, header[i]);
	hand_le32(&h, 0);
	hand_le32(&h, 77);
	return line_of(format, &h);
}

static const char *line_4dw(const char *format, uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
	h.n = 0;
	hand_le32(&h, dw0);
	hand_le32(&h, dw1);
	hand_le32(&h, dw2);
	hand_le32(&h, dw3);
	return line_of(format, &h);
}

#define HEAD "{\"offset\":0,\"format\":\"8dw\",\"time_raw\":77,\"time\":77,\"time_is\":\"clock\",\"kind\":"
#define ZERO ",\"tc\":0,\"attr\":0,\"th\":0,\"td\":0,\"ep\":0,\"at\":0"
#define REQ  ",\"requester\":\"01:02.3\",\"tag\":171"

/* Request: 01:02.3 = 0x0113, tag 0xab, byte enables. */
#define DW1(be) (0x0113ab00u | (be))
#define MEMORY32(dw0)                         \
	{                                     \
		dw0, DW1(0x0f), 0x89abcdec, 0 \
	}
#define MEMORY64(dw0)                           \
	{                                       \
		dw0, DW1(0x0f), 0x1, 0x89abcdec \
	}
#define CONFIG(dw0)                                     \
	{                                               \
		dw0, DW1(0x0f), 0x0201 << 16 | 0x5a4, 0 \
	}
#define ANSWER(dw0)                                             \
	{                                                       \
		dw0, 0x0010 << 16 | 0x024, 0x0113ab00 | 0x14, 0 \
	}
#define LENGTH1	   ZERO ",\"length_dw\":1" REQ ",\"first_be\":15,\"last_be\":0"
#define AT32	   LENGTH1 ",\"address\":\"0x89abcdec\"}"
#define AT64	   LENGTH1 ",\"address\":\"0x189abcdec\"}"
#define CONFIGURES LENGTH1 ",\"destination\":\"02:00.1\",\"register\":\"0x5a4\"}"
#define ANSWERS	   REQ ",\"completer\":\"00:02.0\",\"status\":\"SC\",\"bcm\":0,\"byte_count\":36,\"lower_address\":20}"

static const struct {
	uint32_t header[4];
	const char *json;
} kinds[] = {
	{MEMORY32(0x00000001), HEAD "\"MRd32\",\"fmt\":0,\"type\":0" AT32},
	{MEMORY64(0x20000001), HEAD "\"MRd64\",\"fmt\":1,\"type\":0" AT64},
	{MEMORY32(0x01000001), HEAD "\"MRdLk32\",\"fmt\":0,\"type\":1" AT32},
	{MEMORY64(0x21000001), HEAD "\"MRdLk64\",\"fmt\":1,\"type\":1" AT64},
	{MEMORY32(0x40000001), HEAD "\"MWr32\",\"fmt\":2,\"type\":0" AT32},
	{MEMORY64(0x60000001), HEAD "\"MWr64\",\"fmt\":3,\"type\":0" AT64},
	{MEMORY32(0x02000001), HEAD "\"IORd\",\"fmt\":0,\"type\":2" AT32},
	{MEMORY32(0x42000001), HEAD "\"IOWr\",\"fmt\":2,\"type\":2" AT32},
	{CONFIG(0x04000001), HEAD "\"CfgRd0\",\"fmt\":0,\"type\":4" CONFIGURES},
	{CONFIG(0x05000001), HEAD "\"CfgRd1\",\"fmt\":0,\"type\":5" CONFIGURES},
	{CONFIG(0x44000001), HEAD "\"CfgWr0\",\"fmt\":2,\"type\":4" CONFIGURES},
	{CONFIG(0x45000001), HEAD "\"CfgWr1\",\"fmt\":2,\"type\":5" CONFIGURES},
	{{0x30000000, DW1(0x18), 0, 0},
	 HEAD "\"Msg\",\"fmt\":1,\"type\":16" ZERO REQ ",\"message_code\":24,\"message\":\"PM_PME\",\"routing\":0}"},
	{{0x72000002, DW1(0x7e), 0x02010000, 0},
	 HEAD "\"MsgD\",\"fmt\":3,\"type\":18" ZERO ",\"length_dw\":2" REQ
	      ",\"destination\":\"02:00.1\",\"message_code\":126,\"message\":\"Vendor_Defined_Type_0\",\"routing\":2}"},
	{{0x31000000, DW1(0x03), 0x1, 0x1000},
	 HEAD "\"Msg\",\"fmt\":1,\"type\":17" ZERO REQ
	      ",\"address\":\"0x100001000\",\"message_code\":3,\"routing\":1}"},
	{ANSWER(0x0a000000), HEAD "\"Cpl\",\"fmt\":0,\"type\":10" ZERO ANSWERS},
	{ANSWER(0x4a000009), HEAD "\"CplD\",\"fmt\":2,\"type\":10" ZERO ",\"length_dw\":9" ANSWERS},
	{ANSWER(0x0b000000), HEAD "\"CplLk\",\"fmt\":0,\"type\":11" ZERO ANSWERS},
	{ANSWER(0x4b000009), HEAD "\"CplDLk\",\"fmt\":2,\"type\":11" ZERO ",\"length_dw\":9" ANSWERS},
	{MEMORY32(0x4c000001), HEAD "\"FetchAdd32\",\"fmt\":2,\"type\":12" AT32},
	{MEMORY64(0x6c000001), HEAD "\"FetchAdd64\",\"fmt\":3,\"type\":12" AT64},
	{MEMORY32(0x4d000001), HEAD "\"Swap32\",\"fmt\":2,\"type\":13" AT32},
	{MEMORY64(0x6d000001), HEAD "\"Swap64\",\"fmt\":3,\"type\":13" AT64},
	{MEMORY32(0x4e000001), HEAD "\"CAS32\",\"fmt\":2,\"type\":14" AT32},
	{MEMORY64(0x6e000001), HEAD "\"CAS64\",\"fmt\":3,\"type\":14" AT64},
	{MEMORY32(0x59000001), HEAD "\"undefined\",\"fmt\":2,\"type\":25}"},
};

Test(format, json_of_every_kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		cr_expect_str_eq(line_8dw("jsonl", 0, kinds[i].header), kinds[i].json);
}

Test(format, json_of_all_header_bits)
{
	/* T9, TC 5, T8, IDO, TH, TD, EP, RO + NS, AT 2, length 0 = 1024; PASID 0xabcde with both flags. */
	const uint32_t header[4] = {0x20000000 | 1 << 23 | 5 << 20 | 1 << 19 | 1 << 18 | 1 << 16 | 1 << 15 | 1 << 14 |
					    3 << 12 | 2 << 10,
				    DW1(0x96), 0, 0x1000};

	cr_expect_str_eq(line_8dw("jsonl", 0x91000000 | 1 << 21 | 1 << 20 | 0xabcde, header),
			 HEAD "\"MRd64\",\"fmt\":1,\"type\":0,\"tc\":5,\"attr\":7,\"th\":1,\"td\":1,\"ep\":1,\"at\":2,"
			      "\"length_dw\":1024,\"requester\":\"01:02.3\",\"tag\":939,\"first_be\":6,\"last_be\":9,"
			      "\"address\":\"0x1000\",\"pasid\":703710,\"pasid_exe\":1,\"pasid_pmr\":1}");
}

/* A line must have all of `expected`, names and values separated by commas. */
static void expect_has(const char *line, const char *expected)
{
	char copy[512], padded[PV_FORMAT_MAX], field[128];

	snprintf(padded, sizeof(padded), ",%.*s,", (int)strlen(line) - 2, line + 1); /* without the braces */
	snprintf(copy, sizeof(copy), "%s", expected);
	for (char *save, *f = strtok_r(copy, ",", &save); f; f = strtok_r(NULL, ",", &save)) {
		snprintf(field, sizeof(field), ",%s,", f);
		cr_expect(strstr(padded, field) != NULL, "%s is not in %s", f, line);
	}
}

/* Each field at its least, at its largest, and where another begins: header bits that are set alone. */
static const struct {
	uint32_t prefix, header[4];
	const char *expected;
} extremes[] = {
	{0,
	 {0x20000000, 0, 0, 0},
	 "\"length_dw\":1024,\"requester\":\"00:00.0\",\"tag\":0,\"address\":\"0x0\",\"first_be\":0"},
	{0, {0x20000001, 0, 0, 0}, "\"length_dw\":1"},
	{0, {0x200003ff, 0, 0, 0}, "\"length_dw\":1023,\"at\":0"},
	{0, {0x20000c01, 0, 0, 0}, "\"length_dw\":1,\"at\":3,\"attr\":0"},
	{0, {0x20001001, 0, 0, 0}, "\"attr\":1,\"at\":0"},
	{0, {0x20002001, 0, 0, 0}, "\"attr\":2"},
	{0, {0x20040001, 0, 0, 0}, "\"attr\":4,\"tag\":0"},
	{0, {0x20700001, 0, 0, 0}, "\"tc\":7,\"tag\":0"},
	{0, {0x20880001, 0x0000ff00, 0, 0}, "\"tc\":0,\"tag\":1023,\"attr\":0"},
	{0, {0x20800001, 0, 0, 0}, "\"tag\":512"},
	{0, {0x20080001, 0, 0, 0}, "\"tag\":256"},
	{0, {0x20020001, 0, 0, 0}, "\"th\":0,\"attr\":0,\"tag\":0"}, /* LN: not told */
	{0, {0x20010001, 0, 0, 0}, "\"th\":1,\"td\":0"},
	{0, {0x20008001, 0, 0, 0}, "\"td\":1,\"ep\":0"},
	{0, {0x20004001, 0, 0, 0}, "\"ep\":1,\"td\":0"},
	{0, {0x20000001, 0xffff0000, 0, 0}, "\"requester\":\"ff:1f.7\",\"tag\":0,\"last_be\":0"},
	{0, {0x20000001, 0x000000f0, 0, 0}, "\"last_be\":15,\"first_be\":0"},
	{0, {0x20000001, 0, 0xffffffff, 0xffffffff}, "\"address\":\"0xfffffffffffffffc\""},
	{0, {0x00000001, 0, 0xffffffff, 0xffffffff}, "\"address\":\"0xfffffffc\""},
	{0, {0x04000001, 0, 0xffffffff, 0}, "\"destination\":\"ff:1f.7\",\"register\":\"0xffc\""},
	{0, {0x04000001, 0, 0x0000f003, 0}, "\"destination\":\"00:00.0\",\"register\":\"0x0\""},
	{0,
	 {0x4a000000, 0, 0, 0},
	 "\"length_dw\":1024,\"byte_count\":4096,\"lower_address\":0,\"status\":\"SC\",\"bcm\":0"},
	{0,
	 {0x4a000001, 0xffff0fff, 0, 0},
	 "\"completer\":\"ff:1f.7\",\"byte_count\":4095,\"bcm\":0,\"status\":\"SC\""},
	{0, {0x4a000001, 0x00001001, 0, 0}, "\"byte_count\":1,\"bcm\":1"},
	{0, {0x4a000001, 0x00008001, 0x000000ff, 0}, "\"status\":\"CA\",\"lower_address\":127,\"tag\":0"},
	{0, {0x4a880001, 0x00000001, 0xffffff80, 0}, "\"requester\":\"ff:1f.7\",\"tag\":1023,\"lower_address\":0"},
	{0, {0x37000000, 0x000000ff, 0, 0}, "\"routing\":7,\"message_code\":255,\"tag\":0"},
	{0, {0x72000001, 0, 0xffff0000, 0}, "\"destination\":\"ff:1f.7\",\"length_dw\":1"},
	{0, {0x71000001, 0, 0xffffffff, 0xffffffff}, "\"address\":\"0xfffffffffffffffc\""},
	{0x910fffff, {0x20000001, 0, 0, 0}, "\"pasid\":1048575,\"pasid_exe\":0,\"pasid_pmr\":0"},
	{0x91100000, {0x20000001, 0, 0, 0}, "\"pasid\":0,\"pasid_exe\":1,\"pasid_pmr\":0"},
	{0x91200000, {0x20000001, 0, 0, 0}, "\"pasid\":0,\"pasid_exe\":0,\"pasid_pmr\":1"},
};

Test(format, json_of_fields_at_their_extremes)
{
	for (size_t i = 0; i < ARRAY_SIZE(extremes); i++)
		expect_has(line_8dw("jsonl", extremes[i].prefix, extremes[i].header), extremes[i].expected);
}

/* DW0 of a 4DW record, bit by bit: docs/hardware-notes.md. */
Test(format, json_of_4dw_fields_at_their_extremes)
{
	static const struct {
		uint32_t dw0, dw1;
		const char *expected;
	} records[] = {
		{0x40000000, 0, "\"kind\":\"MRd64\",\"length_dw\":1024,\"tag\":0,\"th\":0,\"so\":0,\"time_raw\":0"},
		{0x400007ff, 0, "\"time_raw\":2047,\"length_dw\":1024"},
		{0x401ff800, 0, "\"time_raw\":0,\"length_dw\":1023,\"so\":0"},
		{0x40200800, 0, "\"so\":1,\"th\":0,\"length_dw\":1"},
		{0x40400800, 0, "\"th\":1,\"so\":0,\"tag\":0"},
		{0x40800800, 0, "\"tag\":256,\"th\":0"},
		{0x41000800, 0, "\"tag\":512,\"type\":0"},
		{0x41800800, 0xff00, "\"tag\":1023,\"fmt\":1,\"type\":0"},
		{0xdc000800, 0, "\"kind\":\"CAS64\",\"fmt\":3,\"type\":14"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		expect_has(line_4dw("jsonl", records[i].dw0, records[i].dw1, 0, 4), records[i].expected);
}

Test(format, json_of_completion_status)
{
	static const char *const names[] = {"\"SC\"", "\"UR\"", "\"CRS\"", NULL, "\"CA\""};

	for (uint32_t s = 0; s < 5; s++) {
		const uint32_t header[4] = {0x0a000000, 0x00100000 | s << 13 | 1 << 12, 0x0113ab00, 0};
		const char *line = line_8dw("jsonl", 0, header);

		if (names[s])
			cr_expect(strstr(line, names[s]) != NULL, "%s", line);
		cr_expect(strstr(line, "\"bcm\":1,\"byte_count\":4096") != NULL, "%s", line);
	}
}

/* The record of docs/hardware-notes.md, from real hardware. */
Test(format, json_of_4dw_leaves_out_what_it_does_not_hold)
{
	cr_expect_str_eq(line_4dw("jsonl", 0x40200fff, 0x0080100f, 0x00000400, 0x00010148),
			 "{\"offset\":0,\"format\":\"4dw\",\"time_raw\":2047,\"time\":2047,\"time_is\":\"clock\","
			 "\"kind\":\"MRd64\",\"fmt\":1,"
			 "\"type\":0,\"so\":1,\"th\":0,\"length_dw\":1,\"requester\":\"00:10.0\",\"tag\":16,"
			 "\"first_be\":15,\"last_be\":0,\"address\":\"0x40000010148\"}");
}

static unsigned count(const char *s, char c)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

Test(format, csv_has_as_many_columns_as_names)
{
	unsigned names = count(pv_format_by_name("csv")->head, ',');

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		cr_expect_eq(count(line_8dw("csv", 0, kinds[i].header), ','), names);
}

Test(format, csv_of_a_write)
{
	cr_expect_str_eq(line_8dw("csv", 0, kinds[5].header),
			 "0,8dw,0,77,77,,MWr64,3,0,0,0,,0,0,0,0,1,01:02.3,171,15,0,0x189abcdec,,,,,,,,,,,,,,,clock,"
			 ",,,,,,,,,,");
}

Test(format, text_is_one_line_with_columns)
{
	cr_expect_str_eq(line_8dw("text", 0, kinds[5].header),
			 "0         77         -   MWr64   01:02.3 0xab  1 DW    0x189abcdec be f/0");
	cr_expect_str_eq(line_8dw("text", 0, kinds[15].header),
			 "0         77         -   Cpl     01:02.3 0xab          by 00:02.0 SC 36 B @14");
	cr_expect_str_eq(line_8dw("text", 0, kinds[8].header),
			 "0         77         -   CfgRd0  01:02.3 0xab  1 DW    02:00.1 reg 0x5a4 be f/0");
	cr_expect_str_eq(line_8dw("text", 0, kinds[13].header),
			 "0         77         -   MsgD    01:02.3 0xab  2 DW    Vendor_Defined_Type_0 r2 to 02:00.1");
	cr_expect_str_eq(line_8dw("text", 0, kinds[25].header), "0         77         -   undefined Fmt 2 Type 0x19");
}

/* The longest that each shape has without flags, from a trace of almost 1 GB. */
Test(format, text_fits_80_columns)
{
	static const struct pv_tlp longest[] = {
		{.kind = PV_TLP_MRDLK64, .address = UINT64_MAX - 3, .length_dw = 1024},
		{.kind = PV_TLP_CPLDLK, .status = 2, .byte_count = 4096, .lower_address = 0x7f, .length_dw = 1024},
		{.kind = PV_TLP_CFGWR1, .completer = 0xffff, .reg = 0xffc, .length_dw = 1},
		{.kind = PV_TLP_MSGD, .message_code = 0x7e, .routing = 4, .length_dw = 1024},
	};

	for (size_t i = 0; i < ARRAY_SIZE(longest); i++) {
		struct pv_trace_record r = {.time = UINT32_MAX, .direction = PV_TRACE_OUTBOUND};
		char line[PV_FORMAT_MAX];

		r.record = (struct pv_record){.format = PV_RECORD_8DW, .offset = 999999999, .tlp = longest[i]};
		r.record.tlp.tag = 0x3ff;
		r.record.tlp.requester = 0xffff;
		*pv_format_by_name("text")->record(line, &r) = '\0';
		cr_expect_leq(strlen(line), 80 + 1, "%s", line);
	}
}

Test(format, text_of_what_is_longer_than_its_column_keeps_its_fields)
{
	struct pv_trace_record r = {.time = UINT64_MAX,
				    .record = {.format = PV_RECORD_8DW,
					       .offset = UINT64_MAX,
					       .tlp = {.kind = PV_TLP_FETCHADD64, .tag = 0x3ff, .length_dw = 2}}};
	char line[PV_FORMAT_MAX];

	*pv_format_by_name("text")->record(line, &r) = '\0';
	cr_expect_str_eq(line,
			 "18446744073709551615 18446744073709551615 - FetchAdd64 00:00.0 0x3ff 2 DW 0x0 be 0/0\n");
}

Test(format, text_shows_a_pasid_and_any_other_prefix)
{
	static const uint32_t header[4] = {0x60000008, 0x010000ff, 0x12, 0x40};

	cr_assert_neq(strstr(line_8dw("text", 0x91312345, header), " pasid 0x12345 exe pmr"), NULL, "%s",
		      line_8dw("text", 0x91312345, header));
	cr_assert_neq(strstr(line_8dw("text", 0x91000007, header), " pasid 0x7"), NULL);
	cr_assert_neq(strstr(line_8dw("text", 0x80000001, header), " prefix 0x80000001"), NULL);
}

/* PCIe 5.0 2.2.7.1.1: a steering tag where the byte enables of a read are; of a write it is the tag. */
Test(format, text_shows_the_steering_tag_of_reads)
{
	const uint32_t read[4] = {0x20010001, DW1(0x96), 0, 0x1000}, write[4] = {0x60010001, DW1(0x0f), 0, 0x1000};

	cr_expect(strstr(line_8dw("text", 0, read), "0x1000 st 0x96 TH") != NULL);
	cr_expect(strstr(line_8dw("text", 0, write), "0x1000 be f/0 TH") != NULL);
}

/* The attributes (PCIe 5.0 2.2.6.3), the bits that a 4DW record has instead, and a header without any of them. */
Test(format, text_shows_the_flags_that_are_set)
{
	static const struct {
		uint32_t dw0;
		const char *flags;
	} rows[] = {{0x20000001, " be f/0"},
		    {0x20001001, " be f/0 NS"},
		    {0x20002001, " be f/0 RO"},
		    {0x20040001, " be f/0 IDO"},
		    {0x2054f801, " be f/0 IDO RO NS TC5 AT2 TD EP"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *line = line_8dw("text", 0, (const uint32_t[4])MEMORY64(rows[i].dw0));

		cr_expect_str_eq(strstr(line, " be "), rows[i].flags);
	}
	cr_expect_str_eq(strstr(line_4dw("text", 0x40000800, 0x0f, 0, 4), " be "), " be f/0");
	cr_expect_str_eq(strstr(line_4dw("text", 0x40200800, 0x0f, 0, 4), " be "), " be f/0 SO");
}

/* Each field of data pattern 1, alone. */
Test(format, text_shows_what_the_pattern_adds)
{
	static const struct {
		struct pv_record_extra extra;
		const char *text;
	} rows[] = {{{0}, " be 0/0\n"},
		    {{.segment = 0x12}, " seg 0x12\n"},
		    {{.dsv = 1}, " seg 0x00\n"},
		    {{.completer_segment = 0x34}, " by seg 0x34\n"},
		    {{.st_high = 0x56}, " st[15:8] 0x56\n"},
		    {{.tv = 1, .t = 1}, " T1\n"},
		    {{.hv = 3}, " HV3\n"},
		    {{.av = 1, .ama = 5}, " AMA5\n"},
		    {{.fm = 1}, " FM\n"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_trace_record r = {.record = {.format = PV_RECORD_8DW,
						       .tlp = {.kind = PV_TLP_MRD64, .length_dw = 1},
						       .has_extra = true,
						       .extra = rows[i].extra}};
		char line[PV_FORMAT_MAX];
		size_t n = strlen(rows[i].text);

		*pv_format_by_name("text")->record(line, &r) = '\0';
		cr_assert_gt(strlen(line), n);
		cr_expect_str_eq(line + strlen(line) - n, rows[i].text);
	}
}

/* PCIe 5.0 2.2.8: every message, with the routing that its table gives it. */
static const struct {
	uint8_t code, routing;
	bool data;
	const char *name;
} messages[] = {
	{0x20, 4, false, "Assert_INTA"},
	{0x21, 4, false, "Assert_INTB"},
	{0x22, 4, false, "Assert_INTC"},
	{0x23, 4, false, "Assert_INTD"},
	{0x24, 4, false, "Deassert_INTA"},
	{0x25, 4, false, "Deassert_INTB"},
	{0x26, 4, false, "Deassert_INTC"},
	{0x27, 4, false, "Deassert_INTD"},
	{0x14, 4, false, "PM_Active_State_Nak"},
	{0x18, 0, false, "PM_PME"},
	{0x19, 3, false, "PME_Turn_Off"},
	{0x1b, 5, false, "PME_TO_Ack"},
	{0x30, 0, false, "ERR_COR"},
	{0x31, 0, false, "ERR_NONFATAL"},
	{0x33, 0, false, "ERR_FATAL"},
	{0x00, 3, false, "Unlock"},
	{0x50, 4, true, "Set_Slot_Power_Limit"},
	{0x7e, 0, true, "Vendor_Defined_Type_0"},
	{0x7f, 2, true, "Vendor_Defined_Type_1"},
	{0x41, 4, false, "Attention_Indicator_On"},
	{0x43, 4, false, "Attention_Indicator_Blink"},
	{0x40, 4, false, "Attention_Indicator_Off"},
	{0x45, 4, false, "Power_Indicator_On"},
	{0x47, 4, false, "Power_Indicator_Blink"},
	{0x44, 4, false, "Power_Indicator_Off"},
	{0x48, 4, false, "Attention_Button_Pressed"},
	{0x10, 4, false, "LTR"},
	{0x12, 4, false, "OBFF"},
	{0x52, 4, false, "PTM_Request"},
	{0x53, 4, true, "PTM_Response"},
	{0x01, 2, true, "Invalidate_Request"},
	{0x02, 2, false, "Invalidate_Completion"},
	{0x04, 0, false, "Page_Request"},
	{0x05, 2, false, "PRG_Response"},
};

Test(format, every_message_has_its_name_and_no_other_code_has_one)
{
	unsigned named = 0;

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		uint32_t code = (messages[i].data ? 0x70u : 0x30u) | messages[i].routing;
		const uint32_t header[4] = {code << 24 | messages[i].data, DW1(messages[i].code), 0, 0};
		const char *line = line_8dw("jsonl", 0, header);
		char expected[128];

		snprintf(expected, sizeof(expected), "\"message_code\":%u,\"message\":\"%s\",\"routing\":%u",
			 messages[i].code, messages[i].name, messages[i].routing);
		cr_expect(strstr(line, expected) != NULL, "%s", line);
	}
	for (unsigned code = 0; code < 256; code++)
		named += pv_message_name((uint8_t)code) != NULL;
	cr_expect_eq(named, ARRAY_SIZE(messages));
}

static void expect_number(uint64_t v)
{
	char got[64], expected[64];

	*pv_put_u(got, v) = '\0';
	snprintf(expected, sizeof(expected), "%" PRIu64, v);
	cr_expect_str_eq(got, expected);
	*pv_put_x(got, v) = '\0';
	snprintf(expected, sizeof(expected), "%" PRIx64, v);
	cr_expect_str_eq(got, expected);
}

Test(format, numbers_of_any_length)
{
	for (uint64_t v = 0; v < 1100; v++)
		expect_number(v);
	for (uint64_t ten = 1000; ten < UINT64_MAX / 10; ten *= 10)
		for (uint64_t v = ten - 2; v < ten + 2; v++)
			expect_number(v);
	for (unsigned bits = 1; bits <= 64; bits++)
		expect_number(UINT64_MAX >> (64 - bits));
}

/* ---- dump ---- */

#define PAD "                                "

/* The published records of real hardware: docs/hardware-notes.md. */
static const uint8_t published_4dw[16] = {0xff, 0x0f, 0x20, 0x40, 0x0f, 0x10, 0x80, 0, 0, 4, 0, 0, 0x48, 1, 1, 0};
static const uint8_t published_8dw[32] = {0xff, 0xff, 0xff, 0xff, 0,  0, 0,    0, 1, 0, 0, 0x60, 0x0f, 0x1e, 0, 1,
					  4,	0,    0,    0,	  64, 0, 0x81, 2, 0, 0, 0, 0,	 0x33, 0xc0, 4, 0};

static const char *dumped(enum pv_record_format f, const uint8_t *record, uint32_t offset, bool compat)
{
	static char text[PV_FORMAT_MAX];

	*pv_dump_record(text, f, record, offset, compat) = '\0';
	return text;
}

Test(format, dump_of_8dw_as_perf_prints_it)
{
	/* The excerpt of the kernel's documentation, its offsets repaired (F-P43). */
	cr_assert_str_eq(dumped(PV_RECORD_8DW, published_8dw, 0, true), ".  00000004: 00 00 00 00 " PAD "Prefix\n"
									".  00000008: 01 00 00 60 " PAD "Header DW0\n"
									".  0000000c: 0f 1e 00 01 " PAD "Header DW1\n"
									".  00000010: 04 00 00 00 " PAD "Header DW2\n"
									".  00000014: 40 00 81 02 " PAD "Header DW3\n"
									".  0000001c: 33 c0 04 00 " PAD "Time\n");
	cr_assert_str_eq(dumped(PV_RECORD_8DW, published_8dw, 0, false), ".  00000004: 00 00 00 00 " PAD "Prefix\n"
									 ".  00000008: 60 00 00 01 " PAD "Header DW0\n"
									 ".  0000000c: 01 00 1e 0f " PAD "Header DW1\n"
									 ".  00000010: 00 00 00 04 " PAD "Header DW2\n"
									 ".  00000014: 02 81 00 40 " PAD "Header DW3\n"
									 ".  0000001c: 00 04 c0 33 " PAD "Time\n");
}

Test(format, dump_of_4dw_has_its_fields_in_the_first_line)
{
	cr_assert_str_eq(dumped(PV_RECORD_4DW, published_4dw, 0x10, false),
			 ".  00000010: 40 20 0f ff " PAD "Format 1 Type 0 T9 0 T8 0 TH 0 SO 1 Length 1 Time 7ff\n"
			 ".  00000014: 00 80 10 0f " PAD "Header DW1\n"
			 ".  00000018: 00 00 04 00 " PAD "Header DW2\n"
			 ".  0000001c: 00 01 01 48 " PAD "Header DW3\n");
}

/*
 * perf up to 6.12 declares the fields of DW0 from the most significant bit down (format first, time last). On a
 * little-endian machine the compiler begins at the least significant bit, so that each field is read from the other end
 * of the word (F-P6). This test keeps perf's output for the published record, so that nobody takes it for right.
 */
struct perf_6_12_dw0 {
	uint32_t format : 2, type : 5, t9 : 1, t8 : 1, th : 1, so : 1, len : 10, time : 11;
};

Test(format, dump_as_perf_6_12_reads_4dw_fields_from_the_wrong_end)
{
	struct perf_6_12_dw0 perf;
	char as_perf[128];

	memcpy(&perf, published_4dw, sizeof(perf));
	snprintf(as_perf, sizeof(as_perf), "Format %x Type %x T9 %x T8 %x TH %x SO %x Length %x Time %x", perf.format,
		 perf.type, perf.t9, perf.t8, perf.th, perf.so, perf.len, perf.time);
	cr_assert_str_eq(as_perf, "Format 3 Type 1f T9 1 T8 1 TH 1 SO 1 Length 1 Time 201");
	cr_assert(strstr(dumped(PV_RECORD_4DW, published_4dw, 0, true), as_perf) != NULL);
	cr_assert(strstr(dumped(PV_RECORD_4DW, published_4dw, 0, false), as_perf) == NULL);
}

/* ---- whole traces ---- */

static char *output_of(unsigned jobs, const char *format)
{
	char name[] = "/tmp/pcieval-test-XXXXXX";
	_autoclose_ int fd = mkstemp(name);
	struct pv_trace *t = pv_trace_open_memory(h.bytes, h.n, NULL);
	char *text = calloc(1, 1 << 23);

	unlink(name);
	cr_assert_eq(pv_trace_output(t, pv_output_records, pv_format_by_name(format), jobs, fd), 0);
	pv_trace_close(t);
	cr_assert_gt(pread(fd, text, (1 << 23) - 1, 0), 0);
	return text;
}

Test(format, threads_keep_the_order_and_the_time)
{
	h.n = 0;
	for (unsigned i = 0; i < 20000; i++)
		hand_4dw(&h, i);
	_autofree_ char *one = output_of(1, "jsonl"), *four = output_of(4, "jsonl");

	cr_expect_eq(count(one, '\n'), 20000);
	cr_expect_str_eq(one, four);
}
