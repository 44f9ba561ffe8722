/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares two traces: one lost, inserted or changed record is one difference; large holes; masks; selected records. */
#include "framework/analysis/diff.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/diff_input.h"
#include "framework/analysis/kind_lut.h"
#include "framework/util/cleanup.h"

enum { RECORDS = 20000, SIZE = 32 };

struct fixture {
	uint8_t a[RECORDS * SIZE], b[2 * RECORDS * SIZE];
	size_t na, nb; /* bytes */
};

/* Makes a write of 1 DW to an address that only this record has. */
static void put(uint8_t *p, unsigned i, uint32_t time, unsigned tag)
{
	uint32_t r[8] = {~0u, 0, 0x60000001, 0x0100000f | (tag & 0xff) << 8, 1, i << 2, 0, time};

	memcpy(p, r, SIZE);
}

static struct fixture *fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	cr_assert_neq(f, NULL);
	for (unsigned i = 0; i < RECORDS; i++)
		put(f->a + i * SIZE, i, 10 * i, i);
	memcpy(f->b, f->a, sizeof(f->a));
	f->na = f->nb = sizeof(f->a);
	return f;
}

static void remove_b(struct fixture *f, unsigned at, unsigned n)
{
	memmove(f->b + at * SIZE, f->b + (at + n) * SIZE, f->nb - (at + n) * SIZE);
	f->nb -= n * SIZE;
}

static void insert_b(struct fixture *f, unsigned at, unsigned n)
{
	memmove(f->b + (at + n) * SIZE, f->b + at * SIZE, f->nb - at * SIZE);
	for (unsigned i = 0; i < n; i++)
		put(f->b + (at + i) * SIZE, 1000000 + i, 10 * at, i);
	f->nb += n * SIZE;
}

static struct pv_diff_sums diff_timed(const struct fixture *f, unsigned mask, const char *expression,
				      enum pv_trace_time time)
{
	const struct pv_trace_options how = {.time = time};
	struct pv_trace *a = pv_trace_open_memory(f->a, f->na, &how), *b = pv_trace_open_memory(f->b, f->nb, &how);
	struct pv_where w;
	struct pv_diff_options o = {.where = &w, .mask = mask};
	struct pv_diff_sums s;

	cr_assert_eq(pv_where_compile(&w, expression, NULL), 0);
	cr_assert_eq(pv_trace_diff(a, b, &o, &s, NULL), 0);
	pv_trace_close(a);
	pv_trace_close(b);
	cr_assert_eq(s.a, s.same + s.changed + s.moved + s.only_a);
	return s;
}

static struct pv_diff_sums diff(const struct fixture *f, unsigned mask, const char *expression)
{
	return diff_timed(f, mask, expression, PV_TRACE_TIME_UNKNOWN);
}

#define expect(s, places_, changed_, a_, b_)         \
	do {                                         \
		cr_assert_eq((s).changed, changed_); \
		cr_assert_eq((s).only_a, a_);        \
		cr_assert_eq((s).only_b, b_);        \
		cr_assert_eq((s).places, places_);   \
	} while (0)

Test(diff, equal_traces)
{
	struct fixture *f = fixture();
	struct pv_diff_sums s = diff(f, 0, NULL);

	expect(s, 0, 0, 0, 0);
	cr_assert_eq(s.same, RECORDS);
	free(f);
}

Test(diff, one_record_lost)
{
	struct fixture *f = fixture();

	remove_b(f, 1000, 1);
	expect(diff(f, 0, NULL), 1, 0, 1, 0);
	free(f);
}

Test(diff, losses_and_insertions_in_several_places)
{
	struct fixture *f = fixture();

	remove_b(f, 15000, 40);
	insert_b(f, 9000, 7);
	remove_b(f, 0, 3);
	put(f->b + 500 * SIZE, 77777, 0, 0);
	expect(diff(f, 0, NULL), 4, 1, 43, 7);
	free(f);
}

Test(diff, a_hole_larger_than_the_search_nearby)
{
	struct fixture *f = fixture();

	remove_b(f, 2000, 9000);
	expect(diff(f, 0, NULL), 1, 0, 9000, 0);
	free(f);
}

Test(diff, many_records_that_do_not_belong)
{
	struct fixture *f = fixture();

	insert_b(f, 2000, 9000);
	expect(diff(f, 0, NULL), 1, 0, 0, 9000);
	free(f);
}

Test(diff, the_tail_is_lost)
{
	struct fixture *f = fixture();

	f->nb -= 100 * SIZE;
	expect(diff(f, 0, NULL), 1, 0, 100, 0);
	free(f);
}

Test(diff, nothing_in_common)
{
	struct fixture *f = fixture();

	for (unsigned i = 0; i < RECORDS; i++)
		put(f->b + i * SIZE, 500000 + i, i, i);
	expect(diff(f, 0, NULL), 1, RECORDS, 0, 0);
	free(f);
}

/* The equal records are too few in a row for resynchronisation; they still count as the same. */
Test(diff, single_records_that_agree_are_the_same)
{
	struct fixture *f = fixture();
	struct pv_diff_sums s;

	for (unsigned i = 0; i < RECORDS; i++)
		if (i % 4)
			put(f->b + i * SIZE, 500000 + i, i, i);
	s = diff(f, 0, NULL);
	expect(s, 1, RECORDS / 4 * 3, 0, 0);
	cr_assert_eq(s.same, RECORDS / 4);
	free(f);
}

Test(diff, nothing_in_common_not_even_the_kinds)
{
	struct fixture *f = fixture();

	for (unsigned i = 0; i < RECORDS; i++)
		f->b[i * SIZE + 11] = 0x20;
	expect(diff(f, 0, NULL), 1, 0, RECORDS, RECORDS);
	free(f);
}

Test(diff, an_empty_trace)
{
	struct fixture *f = fixture();

	f->nb = 0;
	expect(diff(f, 0, NULL), 1, 0, RECORDS, 0);
	free(f);
}

Test(diff, what_is_masked_does_not_count)
{
	struct fixture *f = fixture();

	for (unsigned i = 0; i < RECORDS; i++)
		put(f->b + i * SIZE, i, 7 * i, i + 1);
	remove_b(f, 300, 1);
	expect(diff(f, PV_DIFF_TIME | PV_DIFF_TAG, NULL), 1, 0, 1, 0);
	cr_assert_gt(diff(f, PV_DIFF_TIME, NULL).changed, RECORDS / 2);
	free(f);
}

/* Bits of a word that a mask passes over; mask 0: none. */
struct masked {
	unsigned mask, word;
	uint32_t bits;
};

/* A record: `header` is the word of DW0, where Fmt and Type begin at bit `code`. Fields: docs/hardware-notes.md. */
struct layout {
	enum pv_record_format format;
	unsigned header, code;
	uint32_t dw[8];
	struct masked fields[3];
};

/* A TLP: its code, DW1 and DW2, and fields by the word of its header (PCIe 5.0 2.2). */
struct header {
	uint32_t code, dw1, dw2;
	struct masked fields[4];
};

static uint32_t masked_bits(const struct layout *l, const struct header *h, unsigned mask, unsigned word)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(l->fields); i++)
		if (l->fields[i].mask & mask && l->fields[i].word == word)
			bits |= l->fields[i].bits;
	for (size_t i = 0; i < ARRAY_SIZE(h->fields); i++)
		if (h->fields[i].mask & mask && l->header + h->fields[i].word == word)
			bits |= h->fields[i].bits;
	return bits;
}

static void expect_masked(const struct layout *l, const struct header *h, unsigned mask, unsigned word, unsigned bit)
{
	struct pv_diff_item a = {.format = (uint8_t)l->format}, b = a;
	uint32_t dw[8];

	memcpy(dw, l->dw, sizeof(dw));
	dw[l->header] |= h->code << l->code;
	dw[l->header + 1] = h->dw1;
	dw[l->header + 2] = h->dw2;
	memcpy(a.bytes, dw, sizeof(dw));
	dw[word] ^= 1u << bit;
	memcpy(b.bytes, dw, sizeof(dw));
	cr_expect_eq(pv_diff_same(&a, &b, mask), masked_bits(l, h, mask, word) >> bit & 1,
		     "%zu bytes, code 0x%02x, mask %u: word %u bit %u", pv_record_bytes(l->format), h->code, mask, word,
		     bit);
}

static void expect_all_masked(const struct layout *l, const struct header *h)
{
	for (unsigned mask = 0; mask < 32; mask++)
		for (unsigned word = 0; word < pv_record_bytes(l->format) / 4; word++)
			for (unsigned bit = 0; bit < 32; bit++)
				expect_masked(l, h, mask, word, bit);
}

Test(diff, a_mask_passes_over_the_bits_of_its_field_and_no_others)
{
	static const struct layout layouts[] = {
		{PV_RECORD_8DW,
		 2,
		 24,
		 {~0u, 0, 1, 0, 0, 4, 0, 9},
		 {{PV_DIFF_PREFIX, 1, ~0u}, {PV_DIFF_TIME, 7, ~0u}, {PV_DIFF_TAG, 2, 0x880000}}},
		{PV_RECORD_4DW,
		 0,
		 25,
		 {1u << 11 | 9, 0, 0, 4},
		 {{PV_DIFF_TIME, 0, 0x7ff}, {PV_DIFF_TAG, 0, 0x1800000}}},
	};
	static const struct header mwr64 = {0x60,
					    0x0100000f,
					    1,
					    {{PV_DIFF_TAG, 1, 0xff00},
					     {PV_DIFF_REQUESTER, 1, 0xffff0000},
					     {PV_DIFF_ADDRESS, 2, ~0u},
					     {PV_DIFF_ADDRESS, 3, ~0u}}},
				   cpld = {0x4a,
					   0x00000004,
					   0x01000700,
					   {{PV_DIFF_TAG, 2, 0xff00},
					    {PV_DIFF_REQUESTER, 2, 0xffff0000},
					    {PV_DIFF_ADDRESS, 2, 0x7f}}};

	pv_kind_lut_init();
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		expect_all_masked(&layouts[i], &mwr64);
		expect_all_masked(&layouts[i], &cpld);
	}
}

static void swap_b(struct fixture *f, unsigned i, unsigned j)
{
	uint8_t keep[SIZE];

	memcpy(keep, f->b + i * SIZE, SIZE);
	memcpy(f->b + i * SIZE, f->b + j * SIZE, SIZE);
	memcpy(f->b + j * SIZE, keep, SIZE);
}

Test(diff, a_record_that_another_passed_has_moved)
{
	struct fixture *f = fixture();
	struct pv_diff_sums s;

	swap_b(f, 700, 701);
	s = diff(f, 0, NULL);
	expect(s, 1, 0, 0, 0);
	cr_assert_eq(s.moved, 1);
	cr_assert_eq(s.same, RECORDS - 1);
	free(f);
}

/* Every second of ten records is changed; the five between them are the same. */
Test(diff, records_between_changed_ones_are_the_same)
{
	struct fixture *f = fixture();
	struct pv_diff_sums s;

	for (unsigned i = 0; i < 10; i += 2)
		put(f->b + (300 + i) * SIZE, 900000 + i, 0, 0);
	s = diff(f, 0, NULL);
	cr_assert_eq(s.changed, 5);
	cr_assert_eq(s.same, RECORDS - 5);
	cr_assert_eq(s.moved + s.only_a + s.only_b, 0);
	free(f);
}

Test(diff, a_loss_a_change_and_an_insertion_close_together)
{
	struct fixture *f = fixture();

	put(f->b + 401 * SIZE, 55555, 4010, 1);
	f->b[401 * SIZE + 11] = 0x20; /* becomes a read: Fmt and Type are the highest byte of header DW 0 */
	memcpy(f->a + 401 * SIZE, f->b + 401 * SIZE, SIZE);
	f->b[401 * SIZE + 28] ^= 1; /* changes its time */
	remove_b(f, 400, 1);
	insert_b(f, 402, 1);
	expect(diff(f, 0, NULL), 1, 1, 1, 1);
	free(f);
}

Test(diff, another_kind_is_a_loss_and_an_insertion)
{
	struct fixture *f = fixture();

	f->b[500 * SIZE + 11] = 0x20;
	expect(diff(f, 0, NULL), 1, 0, 1, 1);
	free(f);
}

/* Two traces larger than the window. One of them lacks its first part, and both can be opened again. */
struct large {
	uint8_t *data;
	size_t bytes, lost; /* bytes of a trace; bytes missing at the begin of the second trace */
	bool swapped;	    /* the first trace lacks them instead */
};

static struct pv_trace *open_large(void *ctx, bool second)
{
	const struct large *l = ctx;
	size_t lost = second != l->swapped ? l->lost : 0;

	return pv_trace_open_memory(l->data + lost, l->bytes - lost, NULL);
}

static struct pv_diff_sums diff_large(struct large *l, bool again)
{
	struct pv_trace *a = open_large(l, false), *b = open_large(l, true);
	struct pv_diff_options o = {.again = again ? open_large : NULL, .ctx = l};
	struct pv_diff_sums s;

	cr_assert_eq(pv_trace_diff(a, b, &o, &s, NULL), 0);
	pv_trace_close(a);
	pv_trace_close(b);
	return s;
}

Test(diff, a_hole_larger_than_the_window)
{
	enum { LOST = PV_DIFF_WINDOW + 5000, MANY = LOST + PV_DIFF_WINDOW / 8 };
	struct large l = {malloc((size_t)MANY * SIZE), (size_t)MANY * SIZE, (size_t)LOST * SIZE, false};

	for (unsigned i = 0; i < MANY; i++)
		put(l.data + (size_t)i * SIZE, i, 10 * i, i);
	expect(diff_large(&l, true), 1, 0, LOST, 0);
	l.swapped = true;
	expect(diff_large(&l, true), 1, 0, 0, LOST);
	cr_assert_eq(diff_large(&l, false).same, 0); /* pipes cannot be opened again; the documents say so */
	free(l.data);
}

Test(diff, only_chosen_records_are_compared)
{
	struct fixture *f = fixture();

	remove_b(f, 300, 1);
	put(f->b + 10 * SIZE, 1234567, 100, 10);
	expect(diff(f, 0, "address >= 0x100001000"), 1, 0, 0, 1); /* the changed record */
	expect(diff(f, 0, "tag == 5"), 0, 0, 0, 0);
	free(f);
}

/* The times are distances, one of them at full scale; one record behind it differs. */
Test(diff, records_are_chosen_by_whether_their_time_is_a_lower_bound)
{
	enum { FULL = RECORDS / 2 };
	struct fixture *f = fixture();
	struct pv_diff_sums s;

	for (unsigned i = 0; i < RECORDS; i++)
		put(f->a + i * SIZE, i, i == FULL ? UINT32_MAX : 10, i);
	memcpy(f->b, f->a, sizeof(f->a));
	put(f->b + (FULL + 10) * SIZE, 1234567, 10, FULL + 10);
	s = diff_timed(f, 0, "time_at_least", PV_TRACE_TIME_DISTANCE);
	expect(s, 1, 1, 0, 0);
	cr_assert_eq(s.a, RECORDS - FULL);
	s = diff_timed(f, 0, "!time_at_least", PV_TRACE_TIME_DISTANCE);
	expect(s, 0, 0, 0, 0);
	cr_assert_eq(s.a, FULL);
	free(f);
}

Test(diff, names_of_masks)
{
	struct pv_error e = {0};
	unsigned mask;

	cr_assert_eq(pv_diff_mask("time,tag", &mask, &e), 0);
	cr_assert_eq(mask, PV_DIFF_TIME | PV_DIFF_TAG);
	cr_assert_eq(pv_diff_mask(NULL, &mask, &e), 0);
	cr_assert_eq(mask, 0);
	cr_assert_neq(pv_diff_mask("time,tags", &mask, &e), 0);
	cr_assert_neq(strstr(e.text, "'tags'"), NULL, "%s", e.text);
}
