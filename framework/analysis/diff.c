/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces in step. A difference is bridged by the alignment nearby, or else by a search far away; the
 * records in between are reported one by one.
 */
#include "framework/analysis/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"
#include "framework/util/align.h"
#include "framework/util/cleanup.h"

enum { NONE = -1 };

struct resync {
	uint32_t *places; /* by hash of a run: its index in the window plus 1; NULL: not allocated yet */
	uint64_t hashes;  /* size of places[], a power of two */
	uint64_t scans;	  /* searches in the windows so far */
	uint64_t beyond;  /* searches in the rest of the traces; a failed one counts IN_VAIN */
};

struct diff {
	struct pv_diff_input a, b;
	struct resync far;
	const struct pv_diff_options *opt;
	struct pv_diff_sums *sums;
};

/* ---- resynchronisation ---- */

/*
 * Resynchronises two traces after a difference that is too large for the alignment. Runs of records are looked up by
 * hash: first in the two windows, then in all records after one window, which a second reader of that trace provides.
 */

enum {
	PROOF = 16,  /* records that must agree at the place of resynchronisation */
	SCANS = 64,  /* limit of searches in the windows, plus one for each window of records that was passed */
	BEYOND = 16, /* limit of searches in the rest of the traces */
	IN_VAIN = 8, /* cost of such a search that found nothing: the traces may have nothing in common */
};

static void diff_resync_close(struct resync *f)
{
	free(f->places);
}

static uint64_t run_hash(const struct resync *f, const struct pv_diff_input *s, uint64_t k)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < PV_ALIGN_RUN; i++)
		h = (h ^ pv_diff_hash(pv_diff_at(s, k + i), s->mask)) * 0x9e3779b97f4a7c15u;
	return h >> 32 & (f->hashes - 1);
}

/* Indexes the runs of the window by hash. Of equal runs, the first one stays. */
static bool index_runs(struct resync *f, struct pv_diff_input *s)
{
	if (f->hashes < 2 * s->size) {
		free(f->places);
		f->hashes = 2 * s->size;
		f->places = malloc(f->hashes * sizeof(*f->places));
	}
	if (!f->places) {
		f->hashes = 0;
		s->error = -ENOMEM;
		return false;
	}
	memset(f->places, 0, f->hashes * sizeof(*f->places));
	for (uint64_t y = s->n < PV_ALIGN_RUN ? 0 : s->n - PV_ALIGN_RUN + 1; y-- > 0;)
		f->places[run_hash(f, s, y)] = (uint32_t)y + 1;
	return true;
}

/* Returns true if the records from x on agree with the window from y on, for PROOF records or up to an end. */
static bool is_proven(struct pv_diff_input *s, uint64_t x, const struct pv_diff_input *window, uint64_t y)
{
	for (uint64_t i = 0; i < PROOF; i++) {
		if (y + i >= window->n || !pv_diff_ahead(s, x + i))
			return i >= PV_ALIGN_RUN;
		if (!pv_diff_same(pv_diff_at(s, x + i), pv_diff_at(window, y + i), s->mask))
			return false;
	}
	return true;
}

/* Finds the run in both windows with the fewest records skipped before it. */
static bool search_windows(struct resync *f, struct pv_diff_input *a, struct pv_diff_input *b,
			   struct pv_align_step *step)
{
	uint64_t best = UINT64_MAX;

	if (!index_runs(f, b))
		return false;
	for (uint64_t x = 0; x + PV_ALIGN_RUN <= a->n && x < best; x++) {
		uint64_t y = f->places[run_hash(f, a, x)];

		if (!y-- || x + y >= best || !is_proven(a, x, b, y))
			continue;
		best = x + y;
		*step = (struct pv_align_step){x, y};
	}
	return best != UINT64_MAX;
}

/* Moves a second reader to the last records of the window of s. */
static bool look_beyond(struct pv_diff_input *look, const struct pv_diff_input *s)
{
	uint64_t begin = s->first + s->n - PV_ALIGN_RUN;

	while (look->first < begin) {
		if (!pv_diff_ahead(look, 0))
			return false;
		pv_diff_skip(look, 1);
	}
	return true;
}

/* Finds the first run after the window of s, at most `limit` records from its start, that the other window contains. */
static bool run_through(struct resync *f, struct pv_diff_input *look, const struct pv_diff_input *s,
			struct pv_diff_input *window, uint64_t limit, struct pv_align_step *step)
{
	if (!index_runs(f, window) || !look_beyond(look, s))
		return false;
	for (; look->first - s->first < limit && pv_diff_ahead(look, PV_ALIGN_RUN - 1); pv_diff_skip(look, 1)) {
		uint64_t y = f->places[run_hash(f, look, 0)];

		if (!y-- || !is_proven(look, 0, window, y))
			continue;
		*step = (struct pv_align_step){look->first - s->first, y};
		return true;
	}
	return false;
}

static bool search_beyond(struct resync *f, const struct pv_diff_input *s, bool second, struct pv_diff_input *window,
			  const struct pv_diff_options *o, uint64_t limit, struct pv_align_step *step)
{
	struct pv_diff_input look = {0};
	struct pv_trace *t = s->n < PV_DIFF_WINDOW ? NULL : o->again(o->ctx, second);
	bool found =
		t && !pv_diff_input_open(&look, t, o->where, o->mask) && run_through(f, &look, s, window, limit, step);

	pv_diff_input_close(&look);
	pv_trace_close(t);
	return found;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* Limits the scans, so that their total time is linear in the length of the traces, whatever their content. */
static bool may_scan(const struct resync *f, const struct pv_diff_input *a, const struct pv_diff_input *b)
{
	return f->scans < SCANS + (a->first + b->first) / PV_DIFF_WINDOW;
}

/* Searches all records after either window. */
static bool search_rest(struct resync *f, struct pv_diff_input *a, struct pv_diff_input *b,
			const struct pv_diff_options *o, struct pv_align_step *step)
{
	struct pv_align_step other;
	bool found = search_beyond(f, a, false, b, o, UINT64_MAX, step);

	if (!search_beyond(f, b, true, a, o, found ? step->x + step->y : UINT64_MAX, &other))
		return found;
	*step = (struct pv_align_step){other.y, other.x};
	return true;
}

/*
 * Finds the place with the fewest skipped records at which the two traces agree again. Returns false if there is none;
 * *step then skips records that need no second search.
 */
static bool resync(struct resync *f, struct pv_diff_input *a, struct pv_diff_input *b, const struct pv_diff_options *o,
		   struct pv_align_step *step)
{
	/* The records nearby have nothing in common: a search would fail again for each of them. */
	*step = (struct pv_align_step){at_most(a->n, PV_ALIGN_LOOK), at_most(b->n, PV_ALIGN_LOOK)};
	if (!may_scan(f, a, b))
		return false;
	f->scans++;
	pv_diff_ahead(a, PV_DIFF_WINDOW - 1);
	pv_diff_ahead(b, PV_DIFF_WINDOW - 1);
	if (search_windows(f, a, b, step))
		return true;
	if (o->again && f->beyond < BEYOND) {
		bool found = search_rest(f, a, b, o, step);

		f->beyond += found ? 1 : IN_VAIN;
		if (found)
			return true;
	}
	*step = (struct pv_align_step){a->n, b->n};
	return false;
}

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

/* ---- reports of differences ---- */

/* Returns the public form of an item in the window. */
static struct pv_diff_record record_of(const struct pv_diff_input *s, const struct pv_diff_item *it)
{
	uint64_t place = (uint64_t)(it - s->ring);

	return (struct pv_diff_record){.stream = it->stream,
				       .number = s->first + ((place - s->first) & (s->size - 1)),
				       .offset = it->offset,
				       .time = it->time,
				       .at_least = it->at_least,
				       .format = it->format,
				       .bytes = it->bytes};
}

static void tell(struct diff *d, enum pv_diff_what what, const struct pv_diff_item *a, const struct pv_diff_item *b)
{
	uint64_t *const counts[] = {&d->sums->only_a, &d->sums->only_b, &d->sums->changed, &d->sums->moved};
	struct pv_diff_record ra, rb;

	++*counts[what];
	if (!d->opt->difference)
		return;
	if (a)
		ra = record_of(&d->a, a);
	if (b)
		rb = record_of(&d->b, b);
	d->opt->difference(d->opt->ctx, what, d->sums->places, a ? &ra : NULL, b ? &rb : NULL);
}

/* Returns the kind of a record, as far as Fmt and Type determine it. */
static unsigned code_of(const struct pv_diff_item *it)
{
	bool is_8dw = it->format == PV_RECORD_8DW;

	return (unsigned)is_8dw << 8 | pv_words(is_8dw, it->bytes).code;
}

/*
 * Reports two records at the same place: equal (in a run too short for resynchronisation), changed, or, if their kinds
 * differ, one lost and one inserted.
 */
static void tell_pair(struct diff *d, struct pv_diff_item *a, struct pv_diff_item *b)
{
	if (pv_diff_same(a, b, d->opt->mask)) {
		d->sums->same++;
		return;
	}
	if (code_of(a) == code_of(b)) {
		tell(d, PV_DIFF_CHANGED, a, b);
		return;
	}
	tell(d, PV_DIFF_ONLY_A, a, NULL);
	tell(d, PV_DIFF_ONLY_B, NULL, b);
}

/* ---- a small difference: pairs of records of a and b ---- */

struct stretch {
	int na, nb;
	int of_a[PV_ALIGN_LOOK], of_b[PV_ALIGN_LOOK]; /* index of the partner in the other trace; NONE */
	bool in_order[PV_ALIGN_LOOK];		      /* has an equal partner, and did not move */
};

static void pair_equal(struct diff *d, struct stretch *s)
{
	for (int j = 0; j < s->nb; j++)
		s->of_b[j] = NONE;
	for (int i = 0; i < s->na; i++) {
		int j = 0;

		while (j < s->nb && (s->of_b[j] != NONE || !pv_diff_same(pv_diff_at(&d->a, (uint64_t)i),
									 pv_diff_at(&d->b, (uint64_t)j), d->opt->mask)))
			j++;
		s->of_a[i] = j < s->nb ? j : NONE;
		if (j < s->nb)
			s->of_b[j] = i;
	}
}

/* Records that did not move are the longest increasing sequence of partners. */
static void keep_order(struct stretch *s)
{
	int length[PV_ALIGN_LOOK], before[PV_ALIGN_LOOK], last = NONE;

	for (int i = 0; i < s->na; i++) {
		length[i] = s->of_a[i] != NONE;
		before[i] = NONE;
		for (int k = 0; k < i && length[i]; k++)
			if (s->of_a[k] != NONE && s->of_a[k] < s->of_a[i] && length[k] >= length[i]) {
				length[i] = length[k] + 1;
				before[i] = k;
			}
		if (length[i] && (last == NONE || length[i] > length[last]))
			last = i;
	}
	memset(s->in_order, 0, sizeof(s->in_order));
	for (; last != NONE; last = before[last])
		s->in_order[last] = true;
}

/* Finds a partner for an unpaired record of a: the next of its kind in b, before the next record in order. */
static int next_of_kind(struct diff *d, const struct stretch *s, int i, int j)
{
	unsigned code = code_of(pv_diff_at(&d->a, (uint64_t)i));

	for (; j < s->nb && (s->of_b[j] == NONE || !s->in_order[s->of_b[j]]); j++)
		if (s->of_b[j] == NONE && code_of(pv_diff_at(&d->b, (uint64_t)j)) == code)
			return j;
	return NONE;
}

/* Reports the records up to `end` that only b has. */
static int tell_b(struct diff *d, const struct stretch *s, int j, int end)
{
	for (; j < end; j++)
		if (s->of_b[j] == NONE)
			tell(d, PV_DIFF_ONLY_B, NULL, pv_diff_at(&d->b, (uint64_t)j));
	return j;
}

static void take_small(struct diff *d, const struct pv_align_step *step)
{
	struct stretch s = {.na = (int)step->x, .nb = (int)step->y};
	int next_b = 0;

	pair_equal(d, &s);
	keep_order(&s);
	for (int i = 0; i < s.na; i++) {
		const struct pv_diff_item *a = pv_diff_at(&d->a, (uint64_t)i);
		int j = s.of_a[i];

		if (j != NONE && !s.in_order[i]) {
			tell(d, PV_DIFF_MOVED, a, pv_diff_at(&d->b, (uint64_t)j));
			continue;
		}
		if (j == NONE) {
			j = next_of_kind(d, &s, i, next_b);
			if (j == NONE) {
				tell(d, PV_DIFF_ONLY_A, a, NULL);
				continue;
			}
			next_b = tell_b(d, &s, next_b, j);
			tell(d, PV_DIFF_CHANGED, a, pv_diff_at(&d->b, (uint64_t)j));
		} else {
			next_b = tell_b(d, &s, next_b, j);
			d->sums->same++;
		}
		next_b = j + 1;
	}
	tell_b(d, &s, next_b, s.nb);
	pv_diff_skip(&d->a, step->x);
	pv_diff_skip(&d->b, step->y);
}

/* Takes a large difference, perhaps larger than the windows: reports pairs, then the surplus of one trace. */
static void take_large(struct diff *d, struct pv_align_step left)
{
	while ((left.x || left.y) && !d->a.error && !d->b.error) {
		bool in_a = left.x && pv_diff_ahead(&d->a, 0), in_b = left.y && pv_diff_ahead(&d->b, 0);

		if (in_a && in_b)
			tell_pair(d, pv_diff_at(&d->a, 0), pv_diff_at(&d->b, 0));
		else if (in_a)
			tell(d, PV_DIFF_ONLY_A, pv_diff_at(&d->a, 0), NULL);
		else if (in_b)
			tell(d, PV_DIFF_ONLY_B, NULL, pv_diff_at(&d->b, 0));
		else
			return;
		pv_diff_skip(&d->a, in_a);
		pv_diff_skip(&d->b, in_b);
		left.x -= in_a;
		left.y -= in_b;
	}
}

/* ---- the loop ---- */

static enum pv_align_result compare(void *ctx, uint64_t x, uint64_t y)
{
	struct diff *d = ctx;
	bool in_a = pv_diff_ahead(&d->a, x), in_b = pv_diff_ahead(&d->b, y);

	if (!in_a || !in_b)
		return in_a || in_b ? PV_ALIGN_END : PV_ALIGN_ENDS_WELL;
	return pv_diff_same(pv_diff_at(&d->a, x), pv_diff_at(&d->b, y), d->opt->mask) ? PV_ALIGN_SAME
										      : PV_ALIGN_DIFFERENT;
}

/* Bridges the difference at the current records. */
static void bridge(struct diff *d)
{
	struct pv_align align = {compare, d, PV_ALIGN_RUN};
	struct pv_align_step step = {1, 1};

	if (pv_align_near(&align, &step)) {
		take_small(d, &step);
		return;
	}
	resync(&d->far, &d->a, &d->b, d->opt, &step);
	take_large(d, step);
}

static void walk(struct diff *d)
{
	bool differ = false;

	for (;;) {
		bool in_a = pv_diff_ahead(&d->a, 0), in_b = pv_diff_ahead(&d->b, 0);

		if ((!in_a && !in_b) || d->a.error || d->b.error)
			return;
		if (in_a && in_b && pv_diff_same(pv_diff_at(&d->a, 0), pv_diff_at(&d->b, 0), d->opt->mask)) {
			differ = false;
			d->sums->same++;
			pv_diff_skip(&d->a, 1);
			pv_diff_skip(&d->b, 1);
			continue;
		}
		d->sums->places += !differ;
		differ = true;
		if (in_a && in_b)
			bridge(d);
		else
			take_large(d, (struct pv_align_step){in_a, in_b});
	}
}

int pv_trace_diff(struct pv_trace *a, struct pv_trace *b, const struct pv_diff_options *o, struct pv_diff_sums *sums,
		  struct pv_error *e)
{
	struct diff d = {.opt = o, .sums = sums};
	int ra = pv_diff_input_open(&d.a, a, o->where, o->mask), rb = pv_diff_input_open(&d.b, b, o->where, o->mask);

	_Static_assert(PV_ALIGN_LOOK + PV_ALIGN_RUN < PV_DIFF_WINDOW, "the window holds what the alignment looks at");
	*sums = (struct pv_diff_sums){0};
	if (!ra && !rb) {
		walk(&d);
		ra = d.a.error;
		rb = d.b.error;
	} else {
		ra = -ENOMEM;
	}
	sums->a = sums->same + sums->changed + sums->moved + sums->only_a;
	sums->b = sums->same + sums->changed + sums->moved + sums->only_b;
	pv_diff_input_close(&d.a);
	pv_diff_input_close(&d.b);
	diff_resync_close(&d.far);
	if (!ra && !rb)
		return 0;
	return pv_error(e, ra ? ra : rb, "reading the %s trace: %s", ra ? "first" : "second", strerror(ra ? -ra : -rb));
}
