/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of `perf report -D` and of `trace dump`, read back. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "framework/trace/trace.h"

struct got {
	unsigned records, problems;
	struct pv_trace_record r[4];
	char what[4][160];
	unsigned pattern;
};

static void note(void *ctx, const struct pv_trace_problem *p)
{
	struct got *g = ctx;

	if (g->problems < 4)
		strncpy(g->what[g->problems], p->what, sizeof(g->what[0]) - 1);
	g->problems++;
}

static struct got read_text(const char *text)
{
	struct got g = {0};
	struct pv_trace *t =
		pv_trace_open_memory(text, strlen(text), &(struct pv_trace_options){.problem = note, .ctx = &g});

	cr_assert_not_null(t);
	while (g.records < 4 && pv_trace_next(t, &g.r[g.records]) > 0)
		g.records++;
	if (pv_trace_streams(t))
		g.pattern = pv_trace_stream(t, 0)->pattern;
	pv_trace_close(t);
	return g;
}

#define BLANKS "                                  "
/* As mailed with the patches of the decoder: the bytes as they lie in memory, and offsets of their own. */
static const char published[] = "0 0 0x5810 [0x30]: PERF_RECORD_AUXTRACE size: 0x400000  offset: 0\n"
				".\n. ... HISI PTT data: size 4194304 bytes\n"
				".  00000000: 00 00 00 00 " BLANKS "Prefix\n"
				".  00000004: 01 00 00 60 " BLANKS "Header DW0\n"
				".  00000008: 0f 1e 00 01 " BLANKS "Header DW1\n"
				".  0000000c: 04 00 00 00 " BLANKS "Header DW2\n"
				".  00000010: 40 00 81 02 " BLANKS "Header DW3\n"
				".  00000014: 33 c0 04 00 " BLANKS "Time\n";

static void expect_published(const struct got *g)
{
	cr_assert_eq(g->records, 1);
	cr_expect_eq(g->r[0].record.tlp.kind, PV_TLP_MWR64);
	cr_expect_eq(g->r[0].record.tlp.address, 0x402810040);
	cr_expect_eq(g->r[0].record.tlp.requester, 0x0100);
	cr_expect_eq(g->r[0].record.time, 0x4c033);
}

Test(dumpread, bytes_as_they_lie_in_memory)
{
	struct got g = read_text(published);

	expect_published(&g);
	cr_expect_eq(g.problems, 0, "%s", g.what[0]);
}

Test(dumpread, most_significant_byte_first_quoted_and_among_other_text)
{
	struct got g = read_text(
		"From: nobody\n\n> > .  00000004: 00 00 00 00   Prefix\n> > .  00000008: 60 00 00 01   Header DW0\n"
		"> > .  0000000c: 01 00 1e 0f   Header DW1\r\n>>.  00000010: 00 00 00 04   Header DW2\n"
		"> what is this?\n> > .  00000014: 02 81 00 40   Header DW3\n> > .  0000001c: 00 04 c0 33   "
		"Time\nbye\n");

	expect_published(&g);
	cr_expect_eq(g.problems, 0, "%s", g.what[0]);
}

Test(dumpread, published_4dw_in_both_orders)
{
	static const char *const texts[] = {
		".  00000000: ff 0f 20 40   Format 3 Type 1f T9 1 T8 1 TH 1 SO 1 Length 1 Time 201\n"
		".  00000004: 0f 10 80 00   Header DW1\n.  00000008: 00 04 00 00   Header DW2\n.  0000000c: 48 01 01 "
		"00   Header DW3\n",
		".  00000000: 40 20 0f ff   Format 1 Type 0 T9 0 T8 0 TH 0 SO 1 Length 1 Time 7ff\n"
		".  00000004: 00 80 10 0f   Header DW1\n.  00000008: 00 00 04 00   Header DW2\n.  0000000c: 00 01 01 "
		"48   Header DW3\n",
	};

	for (size_t i = 0; i < 2; i++) {
		struct got g = read_text(texts[i]);

		cr_assert_eq(g.records, 1);
		cr_expect_eq(g.r[0].record.tlp.kind, PV_TLP_MRD64, "%zu", i);
		cr_expect_eq(g.r[0].record.tlp.address, 0x40000010148);
		cr_expect_eq(g.r[0].record.time, 0x7ff);
	}
}

/*
 * Records as they lie in memory, whose bytes in the other order would be good but for one rule: a header whose first
 * bit is 1, a prefix that is none, a Type that is not defined, a Length above 1 without last byte enables, an I/O
 * request with TH. DW2 is the same in both orders.
 */
static const struct {
	uint32_t prefix, dw0, dw1;
	unsigned kind, length_dw;
} one_order[] = {
	{0, 0x60000080, 0xff0000ff, PV_TLP_MWR64, 0x80},    {0x91000001, 0x60000060, 0xff0000ff, PV_TLP_MWR64, 0x60},
	{0, 0x60000010, 0xff0000ff, PV_TLP_MWR64, 0x10},    {0, 0x60000001, 0x0f00000f, PV_TLP_MWR64, 1},
	{0, 0x01000102, 0x0f0000ff, PV_TLP_MRDLK32, 0x102},
};

Test(dumpread, any_rule_of_the_header_tells_the_byte_order)
{
	for (size_t i = 0; i < sizeof(one_order) / sizeof(*one_order); i++) {
		const uint32_t words[] = {one_order[i].prefix, one_order[i].dw0, one_order[i].dw1, 0x40000040, 0, 0};
		static const char *const names[] = {"Prefix",	  "Header DW0", "Header DW1",
						    "Header DW2", "Header DW3", "Time"};
		char text[512];
		int n = 0;

		for (unsigned k = 0; k < 6; k++)
			n += sprintf(text + n, ".  %08x: %02x %02x %02x %02x   %s\n", 4 + 4 * k, words[k] & 0xff,
				     words[k] >> 8 & 0xff, words[k] >> 16 & 0xff, words[k] >> 24, names[k]);
		struct got g = read_text(text);

		cr_assert_eq(g.records, 1);
		cr_expect_eq(g.r[0].record.tlp.kind, one_order[i].kind, "row %zu", i);
		cr_expect_eq(g.r[0].record.tlp.length_dw, one_order[i].length_dw, "row %zu", i);
	}
}

Test(dumpread, fields_in_place_of_a_words_name)
{
	struct got g =
		read_text(". ... HISI PTT data: size 32 bytes, pattern 1\n.  00000004: 00 00 00 00   Prefix\n"
			  ".  00000008: 60 00 00 01   Header DW0\n.  0000000c: 01 00 1e 0f   Header DW1\n"
			  ".  00000010: 00 1c 00 04   Reserved 0 Request Segment 0 RSV 0 TV 0 T 1 Tag c Header DW2 4\n"
			  ".  00000014: 02 81 00 40   Header DW3\n.  0000001c: 00 04 c0 33   Time\n");

	expect_published(&g);
	cr_expect_eq(g.pattern, 1);
	cr_expect_eq(g.r[0].record.tlp.tag, 0xc << 10 | 0x1e);
}

/* ---- losses ---- */

#define WORD(label) ".  00000000: 00 00 00 00   " label "\n"
#define RECORD                                                                                              \
	WORD("Prefix")                                                                                      \
	".  00000008: 60 00 00 01   Header DW0\n.  0000000c: 01 00 1e 0f   Header DW1\n" WORD("Header DW2") \
		WORD("Header DW3") WORD("Time")
#define AUXTRACE(at, idx)                                                                         \
	"0 0 0x5810 [0x30]: PERF_RECORD_AUXTRACE size: 0x40  offset: " at "  ref: 0x1  idx: " idx \
	"  tid: -1  cpu: 0\n"                                                                     \
	". ... HISI PTT data: size 64 bytes\n" RECORD RECORD
#define AUX(at, size, flags) \
	"0 123 0x4e8 [0x40]: PERF_RECORD_AUX offset: " at " size: " size " flags: " flags " [T]\n... sample\n"

/* Draws the records of a text, with | before each that comes after a hole. */
static void draw(const char *text, struct got *g, char line[100])
{
	struct pv_trace *t =
		pv_trace_open_memory(text, strlen(text), &(struct pv_trace_options){.problem = note, .ctx = g});
	struct pv_trace_block b;
	size_t n = 0;

	memset(line, 0, 100);
	while (pv_trace_next_block(t, &b) > 0) {
		if (b.after_hole)
			line[n++] = '|';
		for (size_t i = 0; i < b.records; i++)
			line[n++] = '.';
	}
	pv_trace_close(t);
}

/* As perf prints them; perf sorts AUX records by time, mostly behind their data. */
static const struct {
	const char *text, *line, *says[4];
} losses[] = {
	{AUX("0", "0x80", "0") AUXTRACE("0", "0")
		 AUXTRACE("0x40", "0") "PERF_RECORD_LOST_SAMPLES: id:5: lost samples :0\n",
	 "....",
	 {NULL}},
	{AUX("0x1000", "0x20", "0x1") AUXTRACE("0x1000", "0") AUXTRACE("0x1040", "0"),
	 ".|...",
	 {"line 1: trace flagged truncated: records were lost behind AUX offset 4128"}},
	{AUX("0x1000", "0x40", "0") AUX("0x1040", "0x20", "0x1") AUXTRACE("0x1000", "0") AUXTRACE("0x1040", "0"),
	 "...|.",
	 {"line 3: trace flagged truncated: records were lost behind AUX offset 4192"}},
	{AUXTRACE("0x1000", "0") AUXTRACE("0x1040", "0") AUX("0x1000", "0x60", "0x1"),
	 "...|.",
	 {"line 29: trace flagged truncated: records were lost behind AUX offset 4192"}},
	{AUXTRACE("0", "0") AUXTRACE("0x40", "0") AUX("0x20", "0x20", "0x4"),
	 ".|.|..",
	 {"line 29: trace flagged partial: there are gaps before AUX offset 64"}},
	{AUXTRACE("0", "0") AUXTRACE("0x40", "0") AUX("0x20", "0x20", "0x9"),
	 ".|.|..",
	 {"line 29: trace flagged truncated: records were lost behind AUX offset 64",
	  "line 29: trace flagged collision: something was lost before AUX offset 64"}},
	{AUXTRACE("0", "0") AUXTRACE("0x60", "0"), "..|..", {"line 15: AUX data from 64 to 96 is missing"}},
	{AUXTRACE("0x60", "0") AUXTRACE("0", "0"), "..|..", {"line 15: AUX data from 160 to 0 is here again"}},
	{AUXTRACE("0", "0") AUXTRACE("0x60", "0") AUX("0", "0x80", "1") AUX("0", "0x20", "1"),
	 "..|.|.",
	 {"line 15: AUX data from 64 to 96 is missing",
	  "line 29: trace flagged truncated: records were lost behind AUX offset 128",
	  "line 31: trace flagged truncated: records were lost behind AUX offset 32"}},
	{AUXTRACE("0", "3") AUXTRACE("0x40", "1") AUXTRACE("0x40", "3"),
	 "..|..|..",
	 {"line 15: data of AUX buffer 1 behind those of 3: read as one stream"}},
	{AUXTRACE("0", "0") AUX("0x40", "0x40", "0"), "..", {"line 16: AUX data from 64 to 128 is missing"}},
	{AUXTRACE("0", "0") AUX("0x40", "0x40", "0") AUXTRACE("0", "1"),
	 "..|..",
	 {"line 17: data of AUX buffer 1 behind those of 0: read as one stream"}},
	{AUXTRACE("0", "0") "PERF_RECORD_LOST: id:5: lost:7\n" AUXTRACE("0x40", "0"),
	 "..|..",
	 {"line 15: perf lost 7 events here"}},
	{AUXTRACE("0", "0") "PERF_RECORD_LOST_SAMPLES: id:5: lost samples :9\n" AUXTRACE("0x40", "0"),
	 "..|..",
	 {"line 15: perf lost 9 samples here"}},
	/* A line that was damaged costs its record. */
	{AUXTRACE("0", "0") ".  00000000: 00 00   Prefix\n" RECORD,
	 "..|.",
	 {"line 15: expected four bytes of two hexadecimal digits"}},
	{AUXTRACE("0", "0") WORD("Prefix") RECORD,
	 "..|.",
	 {"line 16: a record of a dump ends after 1 of its words: got 'Prefix'"}},
	{AUXTRACE("0", "0") WORD("Time") RECORD,
	 "..|.",
	 {"line 15: expected the first word of a record, 'Prefix' or 'Format', got 'Time'"}},
	/* These are not what perf prints. */
	{"PERF_RECORD_AUX offset: x size: 1 flags: 1\nPERF_RECORD_AUX offset: 1 flags: 1\nPERF_RECORD_LOST: lost: x\n"
	 "PERF_RECORD_AUX offset: 1 size: 1\nPERF_RECORD_AUXTRACE size: 1\n" AUXTRACE("0", "0"),
	 "..",
	 {NULL}},
	{AUXTRACE("0", "0") AUX("0x20", "0xffffffffffffffff", "4"),
	 "|.|.",
	 {"line 15: trace flagged partial: there are gaps before AUX offset 31"}},
};

Test(dumpread, losses_between_dumps_are_problems_and_holes)
{
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		struct got g = {0};
		char line[100];
		unsigned n = 0;

		draw(losses[i].text, &g, line);
		for (; losses[i].says[n]; n++)
			cr_expect_str_eq(g.what[n], losses[i].says[n], "row %zu: %s", i, g.what[n]);
		cr_expect_eq(g.problems, n, "row %zu: %s", i, g.what[n]);
		cr_expect_str_eq(line, losses[i].line, "row %zu: %s", i, line);
	}
}

/* ---- bad text ---- */

/* Each with the line that is wrong; what is whole is read. */
static const struct {
	const char *text, *says;
} bad[] = {
	{".  00000000: 00 00 00 00   Prefix\n.  00000004: 60 00   Header DW0\n", "line 2: expected four bytes"},
	{".  00000000: 00 00 00 00   Prefix\n.  00000004: 60 00 00 01   Header DW1\n",
	 "line 2: a record of a dump ends after 1 of its words: got 'Header DW1'"},
	{".  00000000: 00 00 00 00   Prefix\n\n",
	 "line 2: a record of a dump ends after 1 of its words: got 'the end of the text'"},
	{".  00000000: 00 00 00 00   Prefix\n.  00000004: 60 00 00 01   Prefix\n",
	 "line 2: a record of a dump ends after 1 of its words: got 'Prefix'"},
	{".  00000000: 01 02 03 04   Format 1\n.  00000004: 60 00 00 01   Time\n",
	 "line 2: a record of a dump ends after 1"},
};

Test(dumpread, what_makes_no_sense_is_reported_with_its_line)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct got g = read_text(bad[i].text);

		cr_expect_eq(g.records, 0);
		cr_assert_geq(g.problems, 1);
		cr_expect(strstr(g.what[0], bad[i].says) != NULL, "%zu: %s", i, g.what[0]);
	}
}

Test(dumpread, a_record_behind_a_bad_one_is_read)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%s%s", bad[0].text, published);
	struct got g = read_text(text);

	expect_published(&g);
	cr_expect_eq(g.problems, 1);
}

Test(dumpread, a_line_of_any_length_is_passed_over)
{
	static char text[200000];
	size_t n;

	memset(text, 'x', 20000);
	text[20000] = '\n';
	n = (size_t)snprintf(text + 20001, 4096, "%s", published) + 20001;
	memset(text + n, '.', 100000);
	struct got g = read_text(text);

	expect_published(&g);
	cr_expect_eq(g.problems, 0, "%s", g.what[0]);
}
