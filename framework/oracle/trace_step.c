/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resynchronizes a trace and the truth after a difference: nearby, behind a hole or a repetition as large as DMA
 * buffers, or at a gap that the driver reports. The whole takes time in proportion to the records.
 */
#include "framework/oracle/trace_walk.h"
#include "framework/util/cleanup.h"

/*
 * Budget of resynchronisation, in comparisons: much at the start, then in proportion to the records that were passed,
 * so that the total is linear. A search that finds its step costs little for the records that it passes; only traces
 * that have next to nothing in common with the truth use up the budget.
 */
#define NEAR_AT_FIRST (1024 * PV_WALK_LOOK * PV_WALK_LOOK)
#define NEAR_A_RECORD PV_WALK_LOOK
#define SCAN_AT_FIRST (16 << 20) /* for holes as large as DMA buffers */
#define SCAN_A_RECORD 16
#define SCAN_READ     8	  /* what a record of the ledger costs */
#define SCAN_SHORTEST 256 /* records; then four times as many, and so on */
#define SCAN_MAX      (1u << 20)
#define BAD_MAX	      32		 /* records that a scan looks over */
#define PIECE_LOOK    (PV_WALK_RING - 1) /* records of a piece that are compared */
#define PIECE_BETTER  (1u << 16)	 /* places behind the first that agrees where a better one is looked for */

void pv_walk_budget(struct pv_walk *w)
{
	w->run = PV_WALK_RUN;
	w->near_credit = NEAR_AT_FIRST;
	w->scan_credit = SCAN_AT_FIRST;
}

void pv_walk_passed(struct pv_walk *w, uint64_t records)
{
	w->near_credit += (int64_t)records * NEAR_A_RECORD / 2;
	w->scan_credit += (int64_t)records * SCAN_A_RECORD / 2;
}

/* The trace against a stream of expected records: the walk's own, or one that has gone further. */
struct sides {
	struct pv_walk *w;
	struct pv_walk_stream *e;
};

/* A trace that ends here ends well unless a record is still owed. */
static enum pv_align_result compare(void *ctx, uint64_t x, uint64_t y)
{
	const struct sides *s = ctx;
	const struct pv_walk_expect *want = pv_walk_ahead(s->e, (unsigned)x);
	const uint8_t *got = pv_walk_traced(s->w, y);

	if (!got)
		return !want || want->place == PV_WALK_AFTER ? PV_ALIGN_ENDS_WELL : PV_ALIGN_END;
	if (!want)
		return PV_ALIGN_END;
	return pv_walk_same(s->w, want, got) ? PV_ALIGN_SAME : PV_ALIGN_DIFFERENT;
}

static bool in_step(struct pv_walk *w, struct pv_walk_stream *e, unsigned x, uint64_t y)
{
	return pv_align_in_step(&(struct pv_align){compare, &(struct sides){w, e}, PV_WALK_RUN}, x, y);
}

static bool search_near(struct pv_walk *w, unsigned run, struct pv_align_step *step)
{
	const struct pv_align align = {compare, &(struct sides){w, &w->e}, run};
	bool found = pv_align_near(&align, step);
	uint64_t d = !found ? PV_WALK_LOOK : step->x > step->y ? step->x : step->y;

	w->near_credit -= (int64_t)(d * d);
	return found;
}

/*
 * Returns true if both agree again a few records on; *bad of them differ. Tries a few places before it counts exactly.
 */
static bool in_step_soon(struct pv_walk *w, struct pv_walk_stream *e, unsigned *bad)
{
	static const unsigned places[] = {0, 1, 2, 4, 8, 16, BAD_MAX};
	uint64_t left = w->got - w->j;

	for (size_t i = 0; i < ARRAY_SIZE(places) && left > places[i] + PV_WALK_RUN; i++) {
		if (!in_step(w, e, places[i], places[i]))
			continue;
		for (*bad = 0; !in_step(w, e, *bad, *bad);)
			++*bad;
		return true;
	}
	return false;
}

/* Looks for a hole in the trace: the traced records are further on in the ledger, after a few bad ones at most. */
static bool scan_expected(struct pv_walk *w, uint64_t most, struct pv_align_step *step)
{
	struct pv_walk_stream far = {.l = w->e.l, .win = w->e.win, .spec = w->e.spec};
	unsigned bad = 0;
	bool found = false;
	uint64_t x;

	if (pv_walk_open_at(&far, &w->e.ring[w->e.first]))
		return false;
	for (x = 0; !found && x < most && pv_walk_ahead(&far, PV_WALK_RUN); x++) {
		found = in_step_soon(w, &far, &bad);
		*step = (struct pv_align_step){x + bad, bad};
		pv_walk_skip(&far, 1);
	}
	w->scan_credit -= (int64_t)x * SCAN_READ;
	pv_walk_close(&far);
	return found;
}

/* Looks for records that do not belong: the expected ones are further on in the trace. */
static bool scan_traced(struct pv_walk *w, uint64_t most, struct pv_align_step *step)
{
	bool found = false;
	uint64_t y;

	for (y = 1; !found && y < most && pv_walk_traced(w, y + PV_WALK_RUN - 1); y++)
		found = in_step(w, &w->e, 0, y);
	w->scan_credit -= (int64_t)y;
	*step = (struct pv_align_step){0, y - 1};
	return found;
}

/*
 * Finds the nearer step of both kinds, so that the cost is in proportion to what is passed. If there is none, the next
 * records are not searched: there is none from them either.
 */
static bool scan(struct pv_walk *w, struct pv_align_step *step)
{
	if (w->scan_credit <= 0 || w->j < w->no_scan_before)
		return false;
	for (uint64_t most = SCAN_SHORTEST; most <= SCAN_MAX; most *= 4)
		if (scan_expected(w, most, step) || scan_traced(w, most, step))
			return true;
	w->no_scan_before = w->j + BAD_MAX / 2;
	return false;
}

/* ---- gaps that the driver tells ---- */

static uint64_t offset(const struct pv_walk *w)
{
	return w->j * w->size;
}

bool pv_walk_at_gap(struct pv_walk *w)
{
	while (w->gap_next < w->gaps && w->gap[w->gap_next] < offset(w))
		w->gap_next++;
	return w->gap_next < w->gaps && w->gap[w->gap_next] == offset(w);
}

/* Records from here to the next gap, or to the end. */
static uint64_t piece(const struct pv_walk *w)
{
	uint64_t left = w->got - w->j;
	size_t next = w->gap_next;

	while (next < w->gaps && w->gap[next] == offset(w))
		next++;
	if (next < w->gaps && (w->gap[next] - offset(w)) / w->size < left)
		left = (w->gap[next] - offset(w)) / w->size;
	return left ? left : 1; /* a gap that is not between records */
}

/* How many records from here on agree with the trace, `most` at most. */
static unsigned agreement(struct pv_walk *w, struct pv_walk_stream *far, unsigned most)
{
	const struct pv_walk_expect *want;
	unsigned k = 0;

	while (k < most && (want = pv_walk_ahead(far, k)) && pv_walk_same(w, want, pv_walk_traced(w, k)))
		k++;
	return k;
}

/*
 * Looks for the piece behind a gap further on in the ledger, where most of it agrees. All of a short piece must.
 * Distances tell regular traffic apart only where it pauses: a few records that agree are not enough if there is
 * better.
 */
static bool scan_piece(struct pv_walk *w, struct pv_align_step *step)
{
	struct pv_walk_stream far = {.l = w->e.l, .win = w->e.win, .spec = w->e.spec};
	uint64_t left = piece(w), most = left < PIECE_LOOK ? left : PIECE_LOOK;
	unsigned least = left < PV_WALK_RUN ? (unsigned)left : PV_WALK_RUN, best = 0;

	if (pv_walk_open_at(&far, &w->e.ring[w->e.first]))
		return false;
	for (uint64_t x = 0, end = SCAN_MAX; best < most && x < end && pv_walk_ahead(&far, 0); x++) {
		unsigned k = agreement(w, &far, (unsigned)most);

		if (k >= least && !best)
			end = x + PIECE_BETTER < end ? x + PIECE_BETTER : end;
		if (k >= least && k > best) {
			best = k;
			*step = (struct pv_align_step){x, 0};
		}
		pv_walk_skip(&far, 1);
	}
	pv_walk_close(&far);
	return best;
}

/* Notes a difference whose step was not searched: one record is compared with the other. */
static void note_unsearched(struct pv_walk *w)
{
	if (!w->diff->unsearched++)
		w->diff->unsearched_from = w->j;
}

struct pv_align_step pv_walk_find_step(struct pv_walk *w)
{
	struct pv_align_step step = {1, 1};

	if (pv_walk_at_gap(w) && scan_piece(w, &step))
		return step;
	if (w->near_credit <= 0) {
		note_unsearched(w);
		return (struct pv_align_step){1, 1};
	}
	if (search_near(w, w->run, &step))
		return step;
	if (scan(w, &step))
		return step;
	w->run = w->run == PV_WALK_RUN && search_near(w, 1, &step) ? 1 : PV_WALK_RUN;
	return w->run == 1 ? step : (struct pv_align_step){1, 1};
}
