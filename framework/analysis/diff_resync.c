/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Large differences: see diff_resync.h. */
#include "framework/analysis/diff_resync.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PROOF = 16,  /* records that must agree before so many are passed over */
	SCANS = 64,  /* searches of the windows, at once; and one more for each window of records behind */
	BEYOND = 16, /* searches of the rest of the traces ... */
	IN_VAIN = 8, /* ... of which one that found nothing counts as so many: the traces may have nothing in common */
};

void pv_diff_resync_close(struct pv_diff_resync *f)
{
	free(f->places);
}

static uint64_t run_hash(const struct pv_diff_resync *f, const struct pv_diff_input *s, uint64_t k)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < PV_ALIGN_RUN; i++)
		h = (h ^ pv_diff_hash(pv_diff_at(s, k + i), s->mask)) * 0x9e3779b97f4a7c15u;
	return h >> 32 & (f->hashes - 1);
}

/* Where each run of the window is, the nearest of equal ones. */
static bool index_runs(struct pv_diff_resync *f, struct pv_diff_input *s)
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
static bool is_proven(struct pv_diff_input *s, uint64_t x, const struct pv_diff_input *window, uint64_t y,
		      const struct pv_diff_options *o)
{
	for (uint64_t i = 0; i < PROOF; i++) {
		if (y + i >= window->n || !pv_diff_ahead(s, x + i, o))
			return i >= PV_ALIGN_RUN;
		if (!pv_diff_same(pv_diff_at(s, x + i), pv_diff_at(window, y + i), o->mask))
			return false;
	}
	return true;
}

/* The run of a's window that is in b's with the fewest records passed over in both. */
static bool search_windows(struct pv_diff_resync *f, struct pv_diff_input *a, struct pv_diff_input *b,
			   const struct pv_diff_options *o, struct pv_align_step *step)
{
	uint64_t best = UINT64_MAX;

	if (!index_runs(f, b))
		return false;
	for (uint64_t x = 0; x + PV_ALIGN_RUN <= a->n && x < best; x++) {
		uint64_t y = f->places[run_hash(f, a, x)];

		if (!y-- || x + y >= best || !is_proven(a, x, b, y, o))
			continue;
		best = x + y;
		*step = (struct pv_align_step){x, y};
	}
	return best != UINT64_MAX;
}

/* A second reader of a side, at the last records of that one's window. */
static bool look_beyond(struct pv_diff_input *look, const struct pv_diff_input *s, const struct pv_diff_options *o)
{
	uint64_t begin = s->first + s->n - PV_ALIGN_RUN;

	while (look->first < begin) {
		if (!pv_diff_ahead(look, 0, o))
			return false;
		pv_diff_skip(look, 1);
	}
	return true;
}

/* The first run behind the window of s, before its record `limit`, that the window of the other holds. */
static bool run_through(struct pv_diff_resync *f, struct pv_diff_input *look, const struct pv_diff_input *s,
			struct pv_diff_input *window, const struct pv_diff_options *o, uint64_t limit,
			struct pv_align_step *step)
{
	if (!index_runs(f, window) || !look_beyond(look, s, o))
		return false;
	for (; look->first - s->first < limit && pv_diff_ahead(look, PV_ALIGN_RUN - 1, o); pv_diff_skip(look, 1)) {
		uint64_t y = f->places[run_hash(f, look, 0)];

		if (!y-- || !is_proven(look, 0, window, y, o))
			continue;
		*step = (struct pv_align_step){look->first - s->first, y};
		return true;
	}
	return false;
}

static bool search_beyond(struct pv_diff_resync *f, const struct pv_diff_input *s, bool second,
			  struct pv_diff_input *window, const struct pv_diff_options *o, uint64_t limit,
			  struct pv_align_step *step)
{
	struct pv_diff_input look = {0};
	struct pv_trace *t = s->n < PV_DIFF_WINDOW ? NULL : o->again(o->ctx, second);
	bool found = t && !pv_diff_input_open(&look, t, o->mask) && run_through(f, &look, s, window, o, limit, step);

	pv_diff_input_close(&look);
	pv_trace_close(t);
	return found;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* The time for all scans grows with the traces, not faster, whatever is in them. */
static bool may_scan(const struct pv_diff_resync *f, const struct pv_diff_input *a, const struct pv_diff_input *b)
{
	return f->scans < SCANS + (a->first + b->first) / PV_DIFF_WINDOW;
}

/* In all that comes after either window. */
static bool search_rest(struct pv_diff_resync *f, struct pv_diff_input *a, struct pv_diff_input *b,
			const struct pv_diff_options *o, struct pv_align_step *step)
{
	struct pv_align_step other;
	bool found = search_beyond(f, a, false, b, o, UINT64_MAX, step);

	if (!search_beyond(f, b, true, a, o, found ? step->x + step->y : UINT64_MAX, &other))
		return found;
	*step = (struct pv_align_step){other.y, other.x};
	return true;
}

bool pv_diff_resync(struct pv_diff_resync *f, struct pv_diff_input *a, struct pv_diff_input *b,
		    const struct pv_diff_options *o, struct pv_align_step *step)
{
	/* Nothing in common nearby: each of these records would be looked up in vain again. */
	*step = (struct pv_align_step){at_most(a->n, PV_ALIGN_LOOK), at_most(b->n, PV_ALIGN_LOOK)};
	if (!may_scan(f, a, b))
		return false;
	f->scans++;
	pv_diff_ahead(a, PV_DIFF_WINDOW - 1, o);
	pv_diff_ahead(b, PV_DIFF_WINDOW - 1, o);
	if (search_windows(f, a, b, o, step))
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
