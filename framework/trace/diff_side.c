/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One side of the comparison: records from blocks, chosen, masked and kept in a ring. See diff_side.h. */
#include "framework/trace/diff_side.h"

#include <errno.h>
#include <stdlib.h>

#include "framework/trace/words.h"

enum { RING_FIRST = 4096 };
_Static_assert(PV_DIFF_WINDOW % RING_FIRST == 0 && !(PV_DIFF_WINDOW & (PV_DIFF_WINDOW - 1)), "powers of two");

/* Clears in the words of a record what is masked; `h` are the header's DWs, 1 to 3. */
static void mask_header(uint32_t *h, const struct pv_words_kind *k, unsigned mask)
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

static void make_key(struct pv_diff_item *it, unsigned mask)
{
	bool is_8dw = it->record.format == PV_RECORD_8DW;
	unsigned code = pv_words(is_8dw, it->bytes).code;

	memset(it->key, 0, sizeof(it->key));
	for (size_t i = 0; i < pv_record_bytes(it->record.format) / 4; i++)
		it->key[i] = pv_le32(it->bytes + 4 * i);
	if (!mask)
		return;
	mask_header(is_8dw ? &it->key[2] : &it->key[0], &pv_words_table[code], mask);
	if (mask & PV_DIFF_TIME)
		it->key[is_8dw ? 7 : 0] &= is_8dw ? 0 : ~0x7ffu;
	if (mask & PV_DIFF_TAG)
		it->key[is_8dw ? 2 : 0] &= is_8dw ? ~0x880000u : ~0x1800000u; /* T9 T8 */
	if ((mask & PV_DIFF_PREFIX) && is_8dw)
		it->key[1] = 0;
}

static bool chosen(const struct pv_where *w, const struct pv_diff_item *it)
{
	const struct pv_diff_record *d = &it->record;
	struct pv_trace_record r = {.stream = d->stream, .time = d->time};

	if (pv_where_is_all(w))
		return true;
	pv_record_decode(d->format, it->bytes, d->offset, &r.record);
	r.direction = pv_trace_stream_direction(d->stream, d->format);
	return pv_where_match(w, &r);
}

static bool next_block(struct pv_diff_side *s)
{
	int r = s->error ? 0 : pv_trace_next_block(s->trace, &s->block);

	if (r < 0)
		s->error = r;
	s->end = r <= 0;
	return !s->end;
}

/* The next record of the trace, chosen or not, into its place in the ring, which must have room. */
static struct pv_diff_item *read_item(struct pv_diff_side *s)
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
	memcpy(it->bytes, b->data, pv_record_bytes(b->format));
	it->record = (struct pv_diff_record){
		.stream = b->stream,
		.offset = b->offset,
		.time = pv_trace_clock_at(clock, b->format, pv_trace_raw_time(b->format, b->data)),
		.format = b->format};
	b->data += pv_record_bytes(b->format);
	b->offset += pv_record_bytes(b->format);
	b->records--;
	return it;
}

/* A ring of twice the size: each item finds its new place by its number. */
static bool grow(struct pv_diff_side *s)
{
	struct pv_diff_item *more = malloc(2 * s->size * sizeof(*more));

	if (!more) {
		s->error = -ENOMEM;
		return false;
	}
	for (uint64_t k = s->first; k < s->first + s->n; k++)
		more[k & (2 * s->size - 1)] = s->ring[k & (s->size - 1)];
	free(s->ring);
	s->ring = more;
	s->size *= 2;
	return true;
}

/* Puts the next chosen record into the ring, which holds less than PV_DIFF_WINDOW. */
static bool pull(struct pv_diff_side *s, const struct pv_diff_options *o)
{
	struct pv_diff_item *it;

	if (s->n == s->size && !grow(s))
		return false;
	do {
		it = read_item(s);
		if (!it)
			return false;
	} while (!chosen(o->where, it));
	it->record.number = s->first + s->n;
	make_key(it, o->mask);
	s->n++;
	return true;
}

bool pv_diff_ahead(struct pv_diff_side *s, uint64_t k, const struct pv_diff_options *o)
{
	while (s->n <= k)
		if (k >= PV_DIFF_WINDOW || !pull(s, o))
			return false;
	return true;
}

int pv_diff_side_open(struct pv_diff_side *s, struct pv_trace *t)
{
	pv_words_init();
	*s = (struct pv_diff_side){.trace = t,
				   .clocks = {sizeof(struct pv_trace_clock)},
				   .ring = malloc(RING_FIRST * sizeof(*s->ring)),
				   .size = RING_FIRST};
	return s->ring ? 0 : -ENOMEM;
}

void pv_diff_side_close(struct pv_diff_side *s)
{
	free(s->ring);
	free(s->clocks.of);
}
