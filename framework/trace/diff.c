/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison of two traces. Each side is a ring of records with what the mask leaves of them; a
 * difference is bridged by the alignment nearby, and further away by looking up runs of records by hash.
 */
#include "framework/trace/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/align.h"
#include "framework/trace/words.h"
#include "framework/util/cleanup.h"

#define RING_FIRST 4096 /* items; power of two */
#define FEW	   (PV_ALIGN_LOOK + PV_ALIGN_RUN)
#define LONG_SCANS 64 /* of the whole window, at once; and one more for each window of records behind */

struct item {
	uint32_t key[8]; /* the record without what is masked */
	uint8_t bytes[32];
	uint64_t offset;
	enum pv_record_format format;
};

struct side {
	struct pv_trace *trace;
	struct pv_trace_block block;
	struct item *ring; /* `size`, a power of two; it grows up to PV_DIFF_WINDOW */
	uint64_t size;
	uint64_t first, n; /* number of the first record in it; how many */
	struct pv_trace_clock *clocks;
	size_t n_clocks;
	bool end;
	int error;
};

struct diff {
	struct side a, b;
	const struct pv_diff_options *opt;
	struct pv_diff_sums *sums;
	uint32_t *places; /* by hash of a run: its place in b, from 1; NULL: not needed so far */
	uint64_t hashes;  /* of places; power of two */
	uint64_t scans;	  /* of the whole window, done */
};

/* ---- masks ---- */

int pv_diff_mask(const char *text, unsigned *mask, struct pv_error *e)
{
	static const struct {
		const char *name;
		unsigned mask;
	} names[] = {{"time", PV_DIFF_TIME},
		     {"tag", PV_DIFF_TAG},
		     {"address", PV_DIFF_ADDRESS},
		     {"requester", PV_DIFF_REQUESTER},
		     {"prefix", PV_DIFF_PREFIX}};

	*mask = 0;
	while (text && *text) {
		size_t n = strcspn(text, ","), i = 0;

		while (i < ARRAY_SIZE(names) && (strlen(names[i].name) != n || strncmp(names[i].name, text, n)))
			i++;
		if (i == ARRAY_SIZE(names))
			return pv_error(e, -EINVAL, "expected time, tag, address, requester or prefix, got '%.*s'",
					n > 40 ? 40 : (int)n, text);
		*mask |= names[i].mask;
		text += n + (text[n] == ',');
	}
	return 0;
}

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

static void make_key(struct item *it, unsigned mask)
{
	bool is_8dw = it->format == PV_RECORD_8DW;
	unsigned code = pv_words(is_8dw, it->bytes).code;

	memset(it->key, 0, sizeof(it->key));
	for (size_t i = 0; i < pv_record_bytes(it->format) / 4; i++)
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

/* ---- a side ---- */

static struct item *at(const struct side *s, uint64_t k)
{
	return &s->ring[(s->first + k) & (s->size - 1)];
}

/* A ring of twice the size: each item finds its new place by its number. */
static bool grow(struct side *s)
{
	struct item *more = malloc(2 * s->size * sizeof(*more));

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

static struct pv_trace_clock *clock_of(struct side *s, unsigned index)
{
	if (index >= s->n_clocks) {
		struct pv_trace_clock *more = realloc(s->clocks, (index + 1) * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + s->n_clocks, 0, (index + 1 - s->n_clocks) * sizeof(*more));
		s->clocks = more;
		s->n_clocks = index + 1;
	}
	return &s->clocks[index];
}

static bool chosen(struct side *s, const struct pv_where *w, const struct item *it)
{
	struct pv_trace_record r = {.stream = s->block.stream};
	struct pv_trace_clock *c;

	if (pv_where_is_all(w))
		return true;
	c = clock_of(s, r.stream->index);
	if (!c) {
		s->error = -ENOMEM;
		return false;
	}
	pv_record_decode(it->format, it->bytes, it->offset, &r.record);
	r.direction = pv_trace_stream_direction(r.stream, it->format);
	r.time = pv_trace_clock_at(c, it->format, r.record.time);
	return pv_where_match(w, &r);
}

static bool next_block(struct side *s)
{
	int r = s->error ? 0 : pv_trace_next_block(s->trace, &s->block);

	if (r < 0)
		s->error = r;
	s->end = r <= 0;
	return !s->end;
}

/* Puts the next chosen record into the ring, which holds less than PV_DIFF_WINDOW. */
static bool pull(struct side *s, const struct pv_diff_options *o)
{
	struct pv_trace_block *b = &s->block;
	struct item *it;

	if (s->n == s->size && !grow(s))
		return false;
	it = at(s, s->n);
	for (;;) {
		while (!s->end && !b->records)
			if (!next_block(s))
				break;
		if (s->end || s->error)
			return false;
		it->format = b->format;
		it->offset = b->offset;
		memcpy(it->bytes, b->data, pv_record_bytes(b->format));
		b->data += pv_record_bytes(b->format);
		b->offset += pv_record_bytes(b->format);
		b->records--;
		if (!chosen(s, o->where, it))
			continue;
		make_key(it, o->mask);
		s->n++;
		return true;
	}
}

/* Is there a k-th record from here? */
static bool ahead(struct side *s, uint64_t k, const struct pv_diff_options *o)
{
	while (s->n <= k)
		if (k >= PV_DIFF_WINDOW || !pull(s, o))
			return false;
	return true;
}

static void skip(struct side *s, uint64_t n)
{
	s->first += n;
	s->n -= n;
}

/* ---- into step again ---- */

static bool same(const struct item *x, const struct item *y)
{
	return x->format == y->format && !memcmp(x->key, y->key, sizeof(x->key));
}

static enum pv_align_result compare(void *ctx, uint64_t x, uint64_t y)
{
	struct diff *d = ctx;
	bool in_a = ahead(&d->a, x, d->opt), in_b = ahead(&d->b, y, d->opt);

	if (!in_a || !in_b)
		return in_a || in_b ? PV_ALIGN_END : PV_ALIGN_ENDS_WELL;
	return same(at(&d->a, x), at(&d->b, y)) ? PV_ALIGN_SAME : PV_ALIGN_DIFFERENT;
}

static uint64_t run_hash(const struct diff *d, const struct side *s, uint64_t k)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < PV_ALIGN_RUN; i++)
		for (unsigned w = 0; w < 8; w++)
			h = (h ^ at(s, k + i)->key[w]) * 0x9e3779b97f4a7c15u;
	return h >> 32 & (d->hashes - 1);
}

/* Room for twice as many places as b has runs. */
static bool make_places(struct diff *d)
{
	if (d->hashes < 2 * d->b.size) {
		free(d->places);
		d->hashes = 2 * d->b.size;
		d->places = malloc(d->hashes * sizeof(*d->places));
	}
	if (!d->places)
		d->b.error = -ENOMEM;
	return d->places;
}

/* Where each run of b is, the nearest of equal ones. */
static void index_runs(struct diff *d)
{
	memset(d->places, 0, d->hashes * sizeof(*d->places));
	for (uint64_t y = d->b.n < PV_ALIGN_RUN ? 0 : d->b.n - PV_ALIGN_RUN + 1; y-- > 0;)
		d->places[run_hash(d, &d->b, y)] = (uint32_t)y + 1;
}

/* The run of a that is in b with the fewest records passed over in both. */
static bool search_far(struct diff *d, const struct pv_align *align, struct pv_align_step *step)
{
	uint64_t best = UINT64_MAX;

	ahead(&d->a, PV_DIFF_WINDOW - 1, d->opt);
	ahead(&d->b, PV_DIFF_WINDOW - 1, d->opt);
	if (!make_places(d))
		return false;
	index_runs(d);
	for (uint64_t x = 0; x + PV_ALIGN_RUN <= d->a.n && x < best; x++) {
		uint64_t y = d->places[run_hash(d, &d->a, x)];

		if (!y-- || x + y >= best || !pv_align_in_step(align, x, y))
			continue;
		best = x + y;
		*step = (struct pv_align_step){x, y};
	}
	return best != UINT64_MAX;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* The time for all scans grows with the traces, not faster, whatever is in them. */
static bool may_scan(const struct diff *d)
{
	return d->scans < LONG_SCANS + (d->a.first + d->b.first) / PV_DIFF_WINDOW;
}

static struct pv_align_step find_step(struct diff *d)
{
	struct pv_align align = {compare, d};
	struct pv_align_step step;

	if (pv_align_near(&align, &step))
		return step;
	/* Nothing in common nearby: each of these records would be looked up in vain again. */
	if (!may_scan(d))
		return (struct pv_align_step){at_most(d->a.n, PV_ALIGN_LOOK), at_most(d->b.n, PV_ALIGN_LOOK)};
	d->scans++;
	if (search_far(d, &align, &step))
		return step;
	/* Nothing in common in the whole window: all of it is different. */
	return (struct pv_align_step){d->a.n, d->b.n};
}

/* ---- the walk ---- */

static struct pv_diff_record described(const struct side *s, uint64_t k)
{
	const struct item *it = at(s, k);

	return (struct pv_diff_record){it->offset, s->first + k, it->format, it->bytes};
}

static void tell(struct diff *d, const struct pv_align_step *step, uint64_t k)
{
	struct pv_diff_record a, b;
	bool in_a = k < step->x, in_b = k < step->y;

	if (!d->opt->difference)
		return;
	if (in_a)
		a = described(&d->a, k);
	if (in_b)
		b = described(&d->b, k);
	d->opt->difference(d->opt->ctx, d->sums->places, in_a ? &a : NULL, in_b ? &b : NULL);
}

static void take(struct diff *d, const struct pv_align_step *step)
{
	uint64_t both = step->x < step->y ? step->x : step->y, most = step->x + step->y - both;

	for (uint64_t k = 0; k < most; k++) {
		/* Fewer in a row than bring it into step again. */
		bool equal = k < both && same(at(&d->a, k), at(&d->b, k));

		d->sums->same += equal;
		d->sums->changed += k < both && !equal;
		if (!equal)
			tell(d, step, k);
	}
	d->sums->only_a += step->x - both;
	d->sums->only_b += step->y - both;
	skip(&d->a, step->x);
	skip(&d->b, step->y);
}

static void walk(struct diff *d)
{
	bool differ = false;

	for (;;) {
		bool in_a = ahead(&d->a, 0, d->opt), in_b = ahead(&d->b, 0, d->opt);
		struct pv_align_step step = {in_a, in_b};

		if ((!in_a && !in_b) || d->a.error || d->b.error)
			return;
		if (in_a && in_b && same(at(&d->a, 0), at(&d->b, 0))) {
			differ = false;
			d->sums->same++;
			skip(&d->a, 1);
			skip(&d->b, 1);
			continue;
		}
		d->sums->places += !differ;
		differ = true;
		if (in_a && in_b)
			step = find_step(d);
		take(d, &step);
	}
}

static int side_open(struct side *s, struct pv_trace *t)
{
	*s = (struct side){.trace = t, .ring = malloc(RING_FIRST * sizeof(struct item)), .size = RING_FIRST};
	return s->ring ? 0 : -ENOMEM;
}

static void side_close(struct side *s)
{
	free(s->ring);
	free(s->clocks);
}

int pv_trace_diff(struct pv_trace *a, struct pv_trace *b, const struct pv_diff_options *o, struct pv_diff_sums *sums,
		  struct pv_error *e)
{
	struct diff d = {.opt = o, .sums = sums};
	int ra = side_open(&d.a, a), rb = side_open(&d.b, b);

	_Static_assert(FEW < PV_DIFF_WINDOW, "the window holds what the alignment looks at");
	_Static_assert(PV_DIFF_WINDOW % RING_FIRST == 0 && !(PV_DIFF_WINDOW & (PV_DIFF_WINDOW - 1)), "powers of two");
	*sums = (struct pv_diff_sums){0};
	pv_words_init();
	if (!ra && !rb) {
		walk(&d);
		ra = d.a.error;
		rb = d.b.error;
	} else {
		ra = -ENOMEM;
	}
	sums->a = sums->same + sums->changed + sums->only_a;
	sums->b = sums->same + sums->changed + sums->only_b;
	side_close(&d.a);
	side_close(&d.b);
	free(d.places);
	if (!ra && !rb)
		return 0;
	return pv_error(e, ra ? ra : rb, "reading the %s trace: %s", ra ? "first" : "second", strerror(ra ? -ra : -rb));
}
