// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places the pieces of a trace, which lie between the gaps that the driver reports, so that nothing is missing
 * elsewhere.
 *
 * The walk (trace_check.c) takes the first place where a piece agrees. In regular traffic many places agree, above all
 * if Time is a distance, and the first may be wrong. Here each piece is placed as early as possible, whole, behind the
 * piece before it; the last one must reach the end of what is owed. An earlier place leaves more places for what
 * follows, so that no other choice needs to be tried but one: a marked piece of which nothing is missing before it
 * needs something missing behind it.
 */
#include <errno.h>
#include <stdlib.h>

#include "framework/oracle/trace_internal.h"
#include "framework/util/cleanup.h"

#define RECORDS_MAX	(1u << 18) /* expected ones, which are held in memory */
#define COMPARISONS_MAX (1 << 24)
#define NOWHERE		UINT64_MAX

/* How a piece is placed: what it leaves to the gap behind it. */
enum way {
	WAY_FREE,  /* nothing need be missing there */
	WAY_OWING, /* something must be */
	WAYS
};

struct piece {
	uint64_t first, n;     /* its records in the trace */
	bool gap, needed;      /* there is a gap before it; something must be missing there */
	bool marked;	       /* something must be missing before or behind it */
	uint64_t at[WAYS];     /* earliest place */
	enum way before[WAYS]; /* the way of the piece before it that leads there */
};

struct placing {
	struct pv_walk *w;
	struct pv_walk_expect *e;
	uint64_t n, owed_begin, owed_end; /* expected records; those that must be there */
	struct piece *piece;		  /* the last one is empty: the end of the trace */
	size_t pieces;
	int64_t credit;
};

/* ---- expected records and pieces ---- */

static bool hold_expected(struct placing *p)
{
	const struct pv_walk_expect *e;
	size_t room = 0;

	if (pv_walk_open(&p->w->e, p->w->e.win->outer_first))
		return false;
	for (; (e = pv_walk_ahead(&p->w->e, 0)) && p->n < RECORDS_MAX; pv_walk_skip(&p->w->e, 1)) {
		if (p->n == room) {
			struct pv_walk_expect *more = reallocarray(p->e, room = 2 * room + 64, sizeof(*more));

			if (!more)
				break;
			p->e = more;
		}
		p->owed_begin += e->place == PV_WALK_BEFORE;
		p->owed_end += e->place != PV_WALK_AFTER;
		p->e[p->n++] = *e;
	}
	bool all = !e && !p->w->e.error;
	pv_walk_close(&p->w->e);
	return all;
}

/* Records of the trace before gap i; of the last piece's end behind all gaps. */
static uint64_t cut_at(const struct pv_walk *w, size_t i)
{
	return i < w->gaps ? w->gap[i] / w->size : w->got;
}

/* Two ends of a marked piece at one place: something must be missing there. */
static bool is_needed(const struct pv_walk *w, size_t i, uint64_t at)
{
	bool needed = false;

	for (; i < w->gaps && cut_at(w, i) == at; i++)
		needed |= w->pairs && i % 2 && w->gap[i] == w->gap[i - 1];
	return needed;
}

/* A marked piece begins at the last of the gaps at its place. */
static bool begins_marked(const struct pv_walk *w, size_t i)
{
	return w->pairs && !(i % 2);
}

static bool cut(struct placing *p)
{
	const struct pv_walk *w = p->w;
	size_t i = 0;

	p->piece = calloc(w->gaps + 2, sizeof(*p->piece));
	if (!p->piece)
		return false;
	for (uint64_t at = 0;; at = cut_at(w, i)) {
		struct piece *one = &p->piece[p->pieces++];

		*one = (struct piece){.first = at, .gap = i < w->gaps && cut_at(w, i) == at};
		one->needed = is_needed(w, i, at);
		for (; i < w->gaps && cut_at(w, i) == at; i++) {
			if (w->gap[i] % w->size || at > w->got)
				return false;
			one->marked = begins_marked(w, i);
		}
		if (at == w->got)
			return true;
		one->n = cut_at(w, i) - at;
	}
}

/* ---- places ---- */

static bool agrees(struct placing *p, const struct piece *one, uint64_t at)
{
	for (uint64_t k = 0; k < one->n; k++) {
		p->credit--;
		if (!pv_walk_same(p->w, &p->e[at + k], p->w->trace + (one->first + k) * p->w->size))
			return false;
	}
	return true;
}

static uint64_t find_place(struct placing *p, const struct piece *one, uint64_t from)
{
	for (uint64_t at = from; at + one->n <= p->n && p->credit > 0; at++)
		if (agrees(p, one, at))
			return at;
	return NOWHERE;
}

/* Number of records that must be there, from one place to another. */
static uint64_t owed(const struct placing *p, uint64_t from, uint64_t to)
{
	from = from > p->owed_begin ? from : p->owed_begin;
	to = to < p->owed_end ? to : p->owed_end;
	return to > from ? to - from : 0;
}

/* The first place behind `end` before which something is missing. */
static uint64_t behind_loss(const struct placing *p, uint64_t end)
{
	uint64_t from = end > p->owed_begin ? end : p->owed_begin;

	return from < p->owed_end ? from + 1 : NOWHERE;
}

static void note_place(struct piece *one, uint64_t end, uint64_t at, enum way before, bool missing)
{
	enum way way = one->marked && !missing ? WAY_OWING : WAY_FREE;

	if (at == NOWHERE || at < end || at >= one->at[way])
		return;
	one->at[way] = at;
	one->before[way] = before;
}

/* The end of the trace: what is still owed is missing there, if there is a gap. */
static void place_end(const struct placing *p, struct piece *last, uint64_t end, enum way before)
{
	bool missing = owed(p, end, p->n), must = last->needed || before == WAY_OWING;

	if (missing ? last->gap : !must)
		note_place(last, end, p->n, before, true);
}

static void place_behind(struct placing *p, struct piece *one, uint64_t end, enum way before)
{
	if (!one->n) {
		place_end(p, one, end, before);
		return;
	}
	bool is_last = !one[1].n && !one[1].gap, must = one->needed || before == WAY_OWING;
	uint64_t least = is_last && p->owed_end > one->n ? p->owed_end - one->n : 0;
	uint64_t loss = behind_loss(p, end), from = must ? loss : end;
	uint64_t at = from == NOWHERE ? NOWHERE : find_place(p, one, from > least ? from : least);

	if (at != NOWHERE && !one->gap && owed(p, end, at))
		return;
	note_place(one, end, at, before, at != NOWHERE && owed(p, end, at));
	if (one->marked && at != NOWHERE && !owed(p, end, at) && loss != NOWHERE)
		note_place(one, end, find_place(p, one, loss > least ? loss : least), before, true);
}

/* Returns true if all pieces have a place. */
static bool place_all(struct placing *p)
{
	for (size_t i = 0; i < p->pieces; i++) {
		struct piece *one = &p->piece[i];

		one->at[WAY_FREE] = one->at[WAY_OWING] = NOWHERE;
		if (!i)
			place_behind(p, one, 0, WAY_FREE);
		for (unsigned way = 0; i && way < WAYS; way++)
			if (one[-1].at[way] != NOWHERE)
				place_behind(p, one, one[-1].at[way] + one[-1].n, way);
	}
	return p->piece[p->pieces - 1].at[WAY_FREE] != NOWHERE;
}

/* ---- the result ---- */

/* The first of the gaps before a piece. */
static size_t gap_before(const struct pv_walk *w, const struct piece *one)
{
	size_t i = 0;

	while (i < w->gaps && cut_at(w, i) < one->first)
		i++;
	return i;
}

static void tell(struct placing *p)
{
	struct pv_walk *w = p->w;
	enum way way = WAY_FREE;

	*w->diff = (struct pv_trace_diff){.got = w->got};
	for (size_t i = 0; i < w->gaps; i++)
		w->told[i] = 0;
	for (size_t i = p->pieces; i-- > 0;) {
		const struct piece *one = &p->piece[i];
		enum way before = one->before[way];
		uint64_t end = i ? one[-1].at[before] + one[-1].n : 0, missing = owed(p, end, one->at[way]);

		if (missing)
			w->told[gap_before(w, one)] += missing;
		w->diff->told += missing;
		way = before;
	}
	w->diff->missing = w->diff->told;
	w->diff->expected = w->got + w->diff->told;
}

bool pv_walk_place(struct pv_walk *w)
{
	struct placing p = {.w = w, .credit = COMPARISONS_MAX};
	bool placed = w->got && hold_expected(&p) && cut(&p) && place_all(&p);

	if (placed)
		tell(&p);
	free(p.e);
	free(p.piece);
	return placed;
}
