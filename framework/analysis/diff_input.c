/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trace of a comparison: selects and masks records of its blocks, and keeps them in a ring. See diff_input.h. */
#include "framework/analysis/diff_input.h"

#include <errno.h>
#include <stdlib.h>

#include "framework/analysis/kind_lut.h"
#include "framework/util/cleanup.h"

enum { RING_FIRST = 4096 };
_Static_assert(PV_DIFF_WINDOW % RING_FIRST == 0 && !(PV_DIFF_WINDOW & (PV_DIFF_WINDOW - 1)), "powers of two");

/* Clears the masked fields in the header DWs h[1] to h[3]. */
static void mask_header(uint32_t *h, const struct pv_kind_lut_kind *k, unsigned mask)
{
	uint32_t *id = k->requester_word == 2 ? &h[2] : &h[1];

	if (mask & PV_DIFF_TAG)
		*id &= ~0xff00u;
	if (mask & PV_DIFF_REQUESTER)
		*id &= 0xffff;
	if (!(mask & PV_DIFF_ADDRESS))
		return;
	if (k->has_address)
		h[2] = h[3] = 0;
	else if (k->requester_word == 2)
		h[2] &= ~0x7fu;
}

/* A record without its masked fields. */
struct key {
	uint32_t dw[8];
};

static struct key key_of(const struct pv_diff_item *it, unsigned mask)
{
	bool is_8dw = it->format == PV_RECORD_8DW;
	unsigned code = pv_words(is_8dw, it->bytes).code;
	struct key k;

	for (size_t i = 0; i < ARRAY_SIZE(k.dw); i++)
		k.dw[i] = pv_le32(it->bytes + 4 * i);
	if (!mask)
		return k;
	mask_header(is_8dw ? &k.dw[2] : &k.dw[0], &pv_kind_lut_table[code], mask);
	if (mask & PV_DIFF_TIME)
		k.dw[is_8dw ? 7 : 0] &= is_8dw ? 0 : ~0x7ffu;
	if (mask & PV_DIFF_TAG)
		k.dw[is_8dw ? 2 : 0] &= is_8dw ? ~0x880000u : ~0x1800000u; /* T9 T8 */
	if ((mask & PV_DIFF_PREFIX) && is_8dw)
		k.dw[1] = 0;
	return k;
}

uint32_t pv_diff_hash(struct pv_diff_item *it, unsigned mask)
{
	uint64_t h = 0;

	if (it->hash)
		return it->hash;
	struct key k = key_of(it, mask);
	for (size_t i = 0; i < ARRAY_SIZE(k.dw); i += 2)
		h = (h ^ ((uint64_t)k.dw[i] << 32 | k.dw[i + 1])) * 0x9e3779b97f4a7c15u;
	it->hash = (uint32_t)(h >> 32) | 1;
	return it->hash;
}

bool pv_diff_same_but_masked(struct pv_diff_item *x, struct pv_diff_item *y, unsigned mask)
{
	struct key a = key_of(x, mask), b = key_of(y, mask);

	return !memcmp(&a, &b, sizeof(a));
}

static bool chosen(const struct pv_where *w, const struct pv_diff_item *it)
{
	struct pv_trace_record r = {.stream = it->stream, .time = it->time, .time_at_least = it->at_least};

	if (pv_where_is_all(w))
		return true;
	pv_trace_decode_record(it->stream, it->format, it->bytes, it->offset, &r.record);
	r.direction = pv_trace_stream_direction(it->stream, it->format);
	return pv_where_match(w, &r);
}

static bool next_block(struct pv_diff_input *s)
{
	int r = s->error ? 0 : pv_trace_next_block(s->trace, &s->block);

	if (r < 0)
		s->error = r;
	s->end = r <= 0;
	return !s->end;
}

/* Reads the next record of the trace, selected or not, into the free place behind the last item of the ring. */
static struct pv_diff_item *read_item(struct pv_diff_input *s)
{
	struct pv_diff_item *it = pv_diff_at(s, s->n);
	struct pv_trace_block *b = &s->block;
	struct pv_trace_clock *clock;

	while (!s->end && !b->records)
		if (!next_block(s))
			break;
	if (s->end || s->error)
		return NULL;
	clock = pv_per_stream(&s->clocks, b->stream->index);
	if (!clock) {
		s->error = -ENOMEM;
		return NULL;
	}
	pv_trace_clock_enter(clock, b);
	b->after_hole = false;
	*it = (struct pv_diff_item){
		.stream = b->stream,
		.offset = b->offset,
		.time = pv_trace_clock_at(clock, b->stream->time, b->format, pv_trace_raw_time(b->format, b->data)),
		.at_least = clock->at_least,
		.format = (uint8_t)b->format};
	memcpy(it->bytes, b->data, pv_record_bytes(b->format));
	b->data += pv_record_bytes(b->format);
	b->offset += pv_record_bytes(b->format);
	b->records--;
	return it;
}

/* Doubles the ring. The index of an item is its number modulo the size, so it stays or moves to the new half. */
static bool grow(struct pv_diff_input *s)
{
	struct pv_diff_item *more = realloc(s->ring, 2 * s->size * sizeof(*more));

	if (!more) {
		s->error = -ENOMEM;
		return false;
	}
	for (uint64_t k = s->first; k < s->first + s->n; k++)
		if (k & s->size)
			more[k & (2 * s->size - 1)] = more[k & (s->size - 1)];
	s->ring = more;
	s->size *= 2;
	return true;
}

/* Appends the next selected record to the ring, which must hold fewer than PV_DIFF_WINDOW. */
static bool pull(struct pv_diff_input *s)
{
	struct pv_diff_item *it;

	if (s->n == s->size && !grow(s))
		return false;
	do {
		it = read_item(s);
		if (!it)
			return false;
	} while (!chosen(s->where, it));
	s->n++;
	return true;
}

bool pv_diff_ahead(struct pv_diff_input *s, uint64_t k)
{
	while (s->n <= k)
		if (k >= PV_DIFF_WINDOW || !pull(s))
			return false;
	return true;
}

int pv_diff_input_open(struct pv_diff_input *s, struct pv_trace *t, const struct pv_where *where, unsigned mask)
{
	pv_kind_lut_init();
	*s = (struct pv_diff_input){.trace = t,
				    .where = where,
				    .mask = mask,
				    .clocks = {sizeof(struct pv_trace_clock)},
				    .ring = malloc(RING_FIRST * sizeof(*s->ring)),
				    .size = RING_FIRST};
	return s->ring ? 0 : -ENOMEM;
}

void pv_diff_input_close(struct pv_diff_input *s)
{
	free(s->ring);
	free(s->clocks.of);
}
