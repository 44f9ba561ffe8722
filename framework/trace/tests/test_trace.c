/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace reader on raw payload: every good record once, every damage with its place. */
#include <criterion/criterion.h>

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/tests/hand.h"
#include "framework/trace/trace.h"
#include "framework/util/cleanup.h"

struct seen {
	uint64_t records, first, last, problems, bad_bytes, problem_at[8];
	enum pv_record_format format;
	char what[64];
};

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct seen *s = ctx;

	if (s->problems < 8)
		s->problem_at[s->problems] = p->offset;
	s->problems++;
	s->bad_bytes += p->bytes;
	snprintf(s->what, sizeof(s->what), "%s", p->what);
}

static struct seen read_all(const struct hand *h)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false};
	struct pv_trace *t = pv_trace_open_memory(h->bytes, h->n, &o);
	struct pv_trace_record r;
	int ret;

	cr_assert(t != NULL);
	while ((ret = pv_trace_next(t, &r)) > 0) {
		if (!s.records++)
			s.first = r.record.offset;
		s.last = r.record.offset;
		s.format = r.record.format;
	}
	cr_assert_eq(ret, 0);
	cr_assert_eq(pv_trace_problems(t), s.problems);
	pv_trace_close(t);
	return s;
}

static struct hand h;

typedef void add_fn(struct hand *h, uint32_t number);

static void add(add_fn *fn, unsigned from, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		fn(&h, from + i);
}

Test(trace, an_empty_input_is_a_problem)
{
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 0);
	cr_expect_eq(s.problems, 1);
}

Test(trace, all_8dw_records_in_order)
{
	add(hand_8dw, 0, 1000);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 1000);
	cr_expect_eq(s.last, 999 * 32);
	cr_expect_eq(s.format, PV_RECORD_8DW);
	cr_expect_eq(s.problems, 0);
}

Test(trace, all_4dw_records_in_order)
{
	add(hand_4dw, 0, 1000);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 1000);
	cr_expect_eq(s.format, PV_RECORD_4DW);
	cr_expect_eq(s.problems, 0);
}

Test(trace, a_single_4dw_record_is_one)
{
	add(hand_4dw, 7, 1);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 1);
	cr_expect_eq(s.problems, 0);
}

/* Kinds that PCIe 5.0 does not define, each another one, of functions that were not seen. */
static void hand_odd(struct hand *to, uint32_t number)
{
	static const uint8_t kinds[][2] = {{0, 3}, {0, 6}, {1, 2}, {0, 8}, {1, 6}, {2, 1}, {0, 12}, {3, 2}};
	const uint8_t *k = kinds[number % 8];

	hand_le32(to, (uint32_t)k[0] << 30 | (uint32_t)k[1] << 25 | 5u << 11 | (number * 100 & 0x7ff));
	hand_le32(to, (0x3300 + 0x111 * number) << 16 | 0x5a00 | number * 37 % 256);
	hand_le32(to, 0x9e3779b9u * (number + 1));
	hand_le32(to, 0x85ebca6bu * (number + 1));
}

Test(trace, odd_records_at_the_end_that_are_whole_are_no_damage)
{
	for (unsigned odd = 1; odd <= 8; odd++) {
		h.n = 0;
		add(hand_4dw, 0, 500);
		add(hand_odd, 500, odd);
		struct seen s = read_all(&h);

		cr_expect_eq(s.records, 500 + odd);
		cr_expect_eq(s.problems, 0, "%u odd records: %s", odd, s.what);
	}
}

Test(trace, odd_records_at_the_end_that_are_cut_are_damage)
{
	for (size_t cut = 1; cut < 16; cut++) {
		h.n = 0;
		add(hand_4dw, 0, 500);
		add(hand_odd, 500, 3);
		h.n -= cut;
		struct seen s = read_all(&h);

		cr_expect_geq(s.records, 500);
		cr_expect_eq(s.problems, 1, "%zu bytes cut", cut);
	}
}

Test(trace, noise_zeros_and_ones_at_the_end_are_damage)
{
	for (unsigned way = 0; way < 3; way++) {
		h.n = 0;
		add(hand_4dw, 0, 500);
		hand_noise(&h, 64 * 16);
		if (way)
			memset(h.bytes + 500 * 16, way == 1 ? 0 : 0xff, 64 * 16);
		struct seen s = read_all(&h);

		cr_expect_geq(s.records, 500);
		cr_expect_leq(s.records, 502);
		cr_expect_eq(s.problems, 1);
	}
}

Test(trace, a_truncated_record_at_the_end_is_reported_with_its_place)
{
	add(hand_8dw, 0, 10);
	h.n -= 5;
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 9);
	cr_expect_eq(s.problems, 1);
	cr_expect_eq(s.problem_at[0], 9 * 32);
	cr_expect_eq(s.bad_bytes, 27);
	cr_expect_str_eq(s.what, "truncated record");
}

Test(trace, a_bad_mark_costs_one_record)
{
	add(hand_8dw, 0, 100);
	h.bytes[50 * 32 + 1] = 0;
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 99);
	cr_expect_eq(s.problem_at[0], 50 * 32);
	cr_expect_eq(s.bad_bytes, 32);
	cr_expect_str_eq(s.what, "bad record mark");
}

/* perf asks for DW0 [31:11] alone, and hisi-ptt.rst has ones below it. */
static void set_below_mark(unsigned from, unsigned to, uint32_t low)
{
	for (unsigned i = from; i < to; i++)
		memcpy(h.bytes + 32 * i, &(uint32_t){htole32(PTT_RECORD_8DW_MARK_MASK | low)}, 4);
}

Test(trace, any_bits_below_the_mark_hide_no_record)
{
	static const struct {
		unsigned from, to;
		uint32_t low;
	} cases[] = {{0, 100, 0}, {0, 100, 0x5a5}, {0, 1, 0}, {50, 51, 0x7fe}, {30, 60, 0x0ff}, {99, 100, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		h.n = 0;
		add(hand_8dw, 0, 100);
		set_below_mark(cases[i].from, cases[i].to, cases[i].low);
		struct seen s = read_all(&h);

		cr_expect_eq(s.records, 100, "case %zu", i);
		cr_expect_eq(s.problems, 0, "case %zu: %s", i, s.what);
	}
}

/* Nothing is looked for: the first word alone tells. */
Test(trace, a_reader_of_all_bytes_knows_the_format_by_the_first_word)
{
	static const struct {
		uint32_t word;
		enum pv_record_format format;
	} rows[] = {{0xffffffff, PV_RECORD_8DW},
		    {PTT_RECORD_8DW_MARK_MASK, PV_RECORD_8DW},
		    {PTT_RECORD_8DW_MARK_MASK - 1, PV_RECORD_4DW},
		    {0, PV_RECORD_4DW}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_trace_block b;
		struct pv_trace *t;

		h.n = 0;
		hand_le32(&h, rows[i].word);
		t = pv_trace_open_memory(h.bytes, h.n, &(struct pv_trace_options){.all = true});
		cr_assert_eq(pv_trace_next_block(t, &b), 1);
		cr_expect_eq(b.format, rows[i].format, "0x%08x", rows[i].word);
		cr_expect_eq(b.bytes, 4);
		cr_expect_eq(pv_trace_next_block(t, &b), 0);
		pv_trace_close(t);
	}
}

Test(trace, standard_input_is_read_and_stays_open)
{
	struct pv_trace_record r;
	struct pv_trace *t;

	add(hand_8dw, 0, 10);
	int fd = hand_file(h.bytes, h.n);
	cr_assert_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	t = pv_trace_open("-", NULL, NULL);
	cr_assert_not_null(t);
	for (unsigned i = 0; i < 10; i++)
		cr_assert_eq(pv_trace_next(t, &r), 1);
	cr_expect_eq(r.record.time, 1009);
	cr_expect_eq(pv_trace_next(t, &r), 0);
	pv_trace_close(t);
	cr_expect_geq(fcntl(STDIN_FILENO, F_GETFD), 0);
	close(fd);
}

/* More than a pipe holds: it is copied to a file in several pieces. */
Test(trace, a_sized_reader_of_a_pipe_knows_the_size_and_reads_all)
{
	struct pv_trace_block b = {0};
	struct pv_trace *t;
	size_t records = 0;
	int ends[2];

	add(hand_8dw, 0, 8000);
	cr_assert_eq(pipe(ends), 0);
	if (!fork()) {
		close(ends[0]);
		_exit(write(ends[1], h.bytes, h.n) != (ssize_t)h.n);
	}
	close(ends[1]);
	t = pv_trace_open_fd(ends[0], "pipe", &(struct pv_trace_options){.sized = true}, NULL);
	cr_assert_not_null(t);
	for (; pv_trace_next_block(t, &b) > 0; records += b.records) {
		cr_expect_eq(b.piece_bytes, 8000 * 32);
		cr_expect_eq(memcmp(b.data, h.bytes + b.offset, b.bytes), 0, "at %zu", (size_t)b.offset);
	}
	cr_expect_eq(records, 8000);
	cr_expect_eq(pv_trace_problems(t), 0);
	pv_trace_close(t);
}

/* Behind it, what stands where a record should be has the mark, and 0 as the reserved word. */
Test(trace, one_byte_too_many_in_8dw_shifts_no_record)
{
	add(hand_8dw, 0, 100);
	for (unsigned i = 0; i < 100; i++)
		h.bytes[32 * i + 23] = 0;
	memmove(h.bytes + 40 * 32 + 1, h.bytes + 40 * 32, h.n++ - 40 * 32);
	h.bytes[40 * 32] = 0;
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 100);
	cr_expect_eq(s.problems, 1);
	cr_expect_eq(s.problem_at[0], 40 * 32);
	cr_expect_eq(s.bad_bytes, 1);
}

static void set_reserved(unsigned record, uint32_t word)
{
	memcpy(h.bytes + 32 * record + 24, &(uint32_t){htole32(word)}, 4);
}

Test(trace, a_reserved_word_that_is_not_0_is_reported_and_hides_no_record)
{
	static const unsigned places[] = {0, 1, 50, 98, 99};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		h.n = 0;
		add(hand_8dw, 0, 100);
		set_reserved(places[i], 0xdead0000);
		struct seen s = read_all(&h);

		cr_expect_eq(s.records, 100, "record %u", places[i]);
		cr_expect_eq(s.problems, 1, "record %u", places[i]);
		cr_expect_eq(s.problem_at[0], 32 * places[i]);
		cr_expect_eq(s.bad_bytes, 0);
		cr_expect_str_eq(s.what, "reserved word is not 0 (0xdead0000) in 1 of 1 records");
	}
}

Test(trace, reserved_words_close_together_are_one_problem)
{
	add(hand_8dw, 0, 1000);
	for (unsigned i = 100; i < 120; i += 2)
		set_reserved(i, i);
	set_reserved(500, 7);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 1000);
	cr_expect_eq(s.problems, 2);
	cr_expect_eq(s.problem_at[0], 100 * 32);
	cr_expect_eq(s.problem_at[1], 500 * 32);
}

Test(trace, records_may_all_have_a_reserved_word)
{
	add(hand_8dw, 0, 1000);
	for (unsigned i = 0; i < 1000; i++)
		set_reserved(i, 1 + i);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 1000);
	cr_expect_eq(s.problems, 1);
	cr_expect_str_eq(s.what, "reserved word is not 0 (0x00000001) in 1000 of 1000 records");
}

Test(trace, ones_are_no_records_with_a_reserved_word)
{
	add(hand_8dw, 0, 100);
	memset(h.bytes + 40 * 32, 0xff, 20 * 32);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 80);
	cr_expect_eq(s.problems, 1);
	cr_expect_eq(s.bad_bytes, 20 * 32);
}

Test(trace, every_second_record_bad_leaves_the_others)
{
	add(hand_8dw, 0, 8);
	for (unsigned i = 0; i < 4; i++)
		h.bytes[i * 64 + 33] = 0x55;
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 4);
	cr_expect_eq(s.problems, 4);
}

Test(trace, a_hole_of_any_size_in_8dw_costs_the_records_it_touches)
{
	for (size_t hole = 1; hole < 96; hole++) {
		h.n = 0;
		add(hand_8dw, 0, 100);
		hand_cut(&h, 40 * 32 + 12, hole);
		struct seen s = read_all(&h);
		size_t touched = (12 + hole + 31) / 32;

		if (hole % 32 == 0)
			continue;
		/* Two halves may look like a whole. */
		cr_expect_geq(s.records, 100 - touched, "a hole of %zu bytes", hole);
		cr_expect_leq(s.records, 100 - touched + 1, "a hole of %zu bytes", hole);
		cr_expect_eq(s.problems, 1, "a hole of %zu bytes", hole);
	}
}

Test(trace, a_hole_in_4dw_costs_the_records_it_touches)
{
	for (size_t hole = 1; hole < 48; hole++) {
		h.n = 0;
		add(hand_4dw, 0, 100);
		hand_cut(&h, 40 * 16 + 8, hole);
		struct seen s = read_all(&h);
		size_t touched = (8 + hole + 15) / 16;

		if (hole % 16 == 0)
			continue;
		/* Two halves may look like a whole. */
		cr_expect_geq(s.records, 100 - touched, "a hole of %zu bytes", hole);
		cr_expect_leq(s.records, 100 - touched + 1, "a hole of %zu bytes", hole);
		cr_expect_eq(s.problems, 1, "a hole of %zu bytes", hole);
	}
}

Test(trace, zeros_behind_the_records_are_reported)
{
	add(hand_4dw, 0, 100);
	h.n += 4000;
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 100);
	cr_expect_eq(s.problem_at[0], 1600);
	cr_expect_eq(s.bad_bytes, 4000);
	cr_expect_str_eq(s.what, "zeros where records should be");
}

Test(trace, both_formats_in_one_payload)
{
	add(hand_8dw, 0, 20);
	add(hand_4dw, 20, 20);
	add(hand_8dw, 40, 20);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 60);
	cr_expect_eq(s.problems, 2);
	cr_expect_eq(s.problem_at[0], 20 * 32);
	cr_expect_eq(s.problem_at[1], 20 * 32 + 20 * 16);
}

Test(trace, noise_is_no_trace)
{
	hand_noise(&h, 20000);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 0);
	cr_expect_eq(s.problems, 1);
}

Test(trace, records_behind_noise_are_found)
{
	add(hand_8dw, 0, 10);
	hand_noise(&h, 5001);
	add(hand_8dw, 10, 10);
	struct seen s = read_all(&h);

	cr_expect_eq(s.records, 20);
	cr_expect_eq(s.problems, 1);
	cr_expect_eq(s.bad_bytes, 5001);
}

Test(trace, time_goes_on_where_the_raw_time_wraps)
{
	struct pv_trace_clock c = {0};

	cr_expect_eq(pv_trace_clock_at(&c, PV_TRACE_TIME_CLOCK, PV_RECORD_4DW, 2000), 2000);
	cr_expect_eq(pv_trace_clock_at(&c, PV_TRACE_TIME_CLOCK, PV_RECORD_4DW, 10), 2058);
	cr_expect_eq(pv_trace_clock_at(&c, PV_TRACE_TIME_CLOCK, PV_RECORD_4DW, 10), 2058);
	cr_expect_eq(pv_trace_clock_at(&c, PV_TRACE_TIME_CLOCK, PV_RECORD_4DW, 9), 2058 + 2047);
}
