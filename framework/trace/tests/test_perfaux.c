/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AUX records of a perf.data: what their flags say of the data, and data that they announce. */
#include <inttypes.h>

#include "framework/trace/tests/seen.h"

Test(perfaux, flags_and_losses_are_problems)
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
Test(perfaux, flags_before_the_data_of_their_buffer_are_of_no_other)
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

Test(perfaux, a_gap_in_the_aux_data_is_a_problem)
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

/* ---- places of holes ---- */

/* Reads blocks; draws a line for each stream: its records, with | before each that comes after a hole. */
static void draw(char lines[2][400])
{
	struct pv_trace *t = pv_trace_open_memory(f.bytes, f.n, NULL);
	struct pv_trace_block b;
	size_t n[2] = {0};

	memset(lines, 0, 2 * sizeof(lines[0]));
	while (pv_trace_next_block(t, &b) > 0) {
		unsigned s = b.stream->index & 1;

		if (b.after_hole)
			lines[s][n[s]++] = '|';
		for (size_t i = 0; i < b.records; i++)
			lines[s][n[s]++] = '.';
	}
	pv_trace_close(t);
}

static void begin_two(void)
{
	pf_begin(&f, 2, (const uint32_t[]){PF_PMU, PF_PMU}, (const uint64_t[]){CONFIG_8DW, CONFIG_8DW});
	pf_info(&f, 6, PF_PMU, -1);
	pf_id_index(&f, 2);
	payload_8dw(0, 10);
}

/* Both buffers have 10 records in one AUXTRACE record, which begin at AUX offset 4096; the flags are of buffer 0. */
Test(perfaux, a_hole_is_where_its_flag_says)
{
	static const struct {
		uint64_t from, size, flag;
		const char *line;
	} rows[] = {
		{4096, 0, 0, ".........."},
		/* at the end of the range */
		{4096, 128, 1, "....|......"},
		{4096, 320, 1, ".........."},
		{4096, 32, 1, ".|........."},
		{4096, 0, 1, "|.........."},
		/* in a record: it, and the next one */
		{4096, 130, 1, "....|.|....."},
		{4096, 159, 1, "....|.|....."},
		/* anywhere in the range */
		{4096 + 96, 96, 4, "...|.|.|.|...."},
		{4096 + 96, 96, 8, "...|.|.|.|...."},
		{4096 + 96, 96, 4 | 1, "...|.|.|.|...."},
		{4096 + 96, 0, 4, "...|......."},
		{4000, 96 + 32, 4, "|.|........."},
		{4096 + 288, 1 << 20, 4, ".........|."},
		/* beyond the data, and so far that the range wraps */
		{1 << 20, 32, 1, ".........."},
		{UINT64_MAX - 31, 64, 4, "|.........."},
	};
	char lines[2][400];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned big = 0; big < 2; big++) {
			f.big_endian = big;
			begin_two();
			pf_aux(&f, rows[i].from, rows[i].size, rows[i].flag, 100);
			pf_auxtrace(&f, h.bytes, h.n, 4096, 1);
			pf_auxtrace(&f, h.bytes, h.n, 4096, 0);
			pf_end(&f);
			draw(lines);
			cr_expect_str_eq(lines[0], "..........", "row %zu: %s", i, lines[0]);
			cr_expect_str_eq(lines[1], rows[i].line, "row %zu: %s", i, lines[1]);
		}
}

/* The data were read before their flag: what follows comes after a hole. */
Test(perfaux, a_flag_behind_its_data_is_a_hole_before_the_next)
{
	char lines[2][400];

	begin_two();
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_aux(&f, 0, 64, 1, 100);
	pf_auxtrace(&f, h.bytes, h.n, h.n, 0);
	pf_end(&f);
	draw(lines);
	cr_expect_str_eq(lines[0], "..........|..........");
}

/* Without ID_INDEX the buffer of an AUX record is a guess: all others have a hole, too, before their next data. */
Test(perfaux, flags_of_an_unknown_buffer_are_holes_in_all)
{
	char lines[2][400];

	begin_two();
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_aux(&f, h.n, 64, 1, 100);
	pf_auxtrace(&f, h.bytes, h.n, h.n, 0);
	pf_end(&f);
	draw(lines);
	cr_expect_str_eq(lines[0], "..........|..|........");
}

Test(perfaux, many_flags_ahead_are_all_holes)
{
	enum { RECORDS = 150 };
	char lines[2][400], expected[400] = ".";

	begin_two();
	payload_8dw(0, RECORDS);
	for (unsigned i = 0; i < RECORDS; i++)
		pf_aux(&f, 32 * i, 32, 1, 100);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_end(&f);
	draw(lines);
	for (unsigned i = 1; i < RECORDS; i++)
		strcat(expected, "|.");
	cr_expect_str_eq(lines[0], expected, "%s", lines[0]);
}

/* ---- data that AUX records announce ---- */

Test(perfaux, announced_data_that_are_not_there_are_a_problem)
{
	begin_two();
	pf_aux(&f, 0, h.n, 0, 100);
	pf_aux(&f, h.n, 64, 0, 100);
	pf_aux(&f, 0, h.n, 0, 101);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	pf_aux(&f, h.n, 32, 0, 101);
	pf_aux(&f, h.n + 32, 32, 0, 101);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.records, 10);
	cr_assert_eq(s.problems, 2, "%s; %s", s.what[0], s.what[1]);
	cr_expect_str_eq(s.what[0], "AUX data of buffer 1, up to AUX offset 384, is missing");
	cr_expect_eq(s.of[0], -1);
	cr_expect_str_eq(s.what[1], "AUX data from 320 to 384 is missing");
	cr_expect_eq(s.of[1], 0);
	cr_expect_eq(s.at[1], 320);
}

Test(perfaux, announcements_beyond_the_limit_are_reported)
{
	enum { MAX = 1024 };

	for (uint32_t more = 0; more < 2; more++) {
		begin_two();
		for (uint32_t i = 0; i < MAX + more; i++)
			pf_aux(&f, 0, h.n, 1, 101);
		pf_auxtrace(&f, h.bytes, h.n, 0, 1);
		pf_end(&f);
		struct seen s = read_all(&f);

		cr_expect_eq(s.problems, MAX + 2 * more, "%" PRIu64, s.problems);
		cr_expect_eq(!strcmp(s.what[more], "more than 1024 AUX records before their data: what these announce "
						   "is not looked for"),
			     more, "%s", s.what[more]);
	}
}

/* A record that its buffer's end cuts is read first. */
Test(perfaux, announced_data_are_asked_for_behind_a_cut_record)
{
	begin_two();
	pf_aux(&f, 0, h.n, 0, 100);
	pf_auxtrace(&f, h.bytes, h.n - 24, 0, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_assert_eq(s.problems, 2, "%s", s.what[0]);
	cr_expect_str_eq(s.what[0], "truncated record");
	cr_expect_str_eq(s.what[1], "AUX data from 296 to 320 is missing");
}

/* A snapshot (PERF_AUX_FLAG_OVERWRITE) is not all that was announced; and what the file's end cuts is said once. */
Test(perfaux, data_that_need_not_be_there_are_not_asked_for)
{
	begin_two();
	pf_aux(&f, 0, 1 << 20, 2, 100);
	pf_auxtrace(&f, h.bytes, h.n, 4096, 0);
	pf_end(&f);
	struct seen s = read_all(&f);

	cr_expect_eq(s.problems, 0, "%s", s.what[0]);
	begin_two();
	pf_aux(&f, 0, h.n, 0, 100);
	pf_auxtrace_head(&f, h.n, 0, 0, 0);
	pf_bytes(&f, h.bytes, 64);
	pf_end(&f);
	s = read_all(&f);
	cr_assert_eq(s.problems, 1, "%s; %s", s.what[0], s.what[1]);
	cr_expect(strstr(s.what[0], "AUXTRACE record claims 320 bytes") != NULL, "%s", s.what[0]);
}
