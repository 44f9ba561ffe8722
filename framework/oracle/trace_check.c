/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a trace with what the ledger says it must hold. Both are walked once; after a difference the
 * two are brought into step again, so that one lost record is one missing record and not a thousand
 * differing ones. The whole takes time in proportion to the records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/oracle/trace_internal.h"
#include "framework/util/cleanup.h"

/* ---- resynchronisation: nearby, behind a hole or a repetition as large as DMA buffers, or at a reported gap ---- */

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

static void grant_at_first(struct pv_walk *w)
{
	w->run = PV_WALK_RUN;
	w->near_credit = NEAR_AT_FIRST;
	w->scan_credit = SCAN_AT_FIRST;
}

/* Grants search credit for records passed, expected or traced. */
static void grant_for(struct pv_walk *w, uint64_t records)
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

/* Returns true if the driver reports missing records at this point. */
static bool at_gap(struct pv_walk *w)
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

/* Returns the step across the difference at this point. {1, 1}: one record differs, or no step was found. */
static struct pv_align_step find_step(struct pv_walk *w)
{
	struct pv_align_step step = {1, 1};

	if (at_gap(w) && scan_piece(w, &step))
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

/* ---- the walk ---- */

static void take(struct pv_walk *w, uint64_t x, uint64_t y)
{
	w->started = true;
	grant_for(w, x + y);
	w->diff->expected += x;
	pv_walk_skip(&w->e, x);
	w->j += y;
}

/* Until a record has agreed, what precedes the inner window may be left out: the trace begins after it. */
static uint64_t count_free(struct pv_walk *w, uint64_t x)
{
	const struct pv_walk_expect *e;
	uint64_t n = 0;

	while (!w->started && n < x && (e = pv_walk_ahead(&w->e, 0)) && e->place == PV_WALK_BEFORE) {
		pv_walk_skip(&w->e, 1);
		n++;
	}
	return n;
}

static void count_step(struct pv_walk *w, const struct pv_align_step *step)
{
	uint64_t both = step->x < step->y ? step->x : step->y;
	uint64_t left_out = count_free(w, step->x - both), missing = step->x - both - left_out;
	bool told = !step->y && at_gap(w);

	if (told) {
		w->diff->told += missing;
		w->told[w->gap_next] += missing;
	} else if (!w->diff->first[0] && (both || missing || step->y)) {
		pv_walk_describe(w, &(struct pv_align_step){step->x - left_out, step->y});
	}
	w->diff->differing += both;
	w->diff->missing += missing;
	w->diff->extra += step->y - both;
	take(w, step->x - left_out, step->y);
}

/* Where every second or third record is lost, no more than one or two agree in a row: then one is enough. */
static void agree(struct pv_walk *w)
{
	if (++w->agreed >= PV_WALK_RUN)
		w->run = PV_WALK_RUN;
	take(w, 1, 1);
}

static void walk_common(struct pv_walk *w)
{
	const struct pv_walk_expect *want;
	const uint8_t *got;

	while ((want = pv_walk_ahead(&w->e, 0)) && (got = pv_walk_traced(w, 0))) {
		if (pv_walk_same(w, want, got)) {
			agree(w);
		} else {
			struct pv_align_step step = find_step(w);

			w->agreed = 0;
			count_step(w, &step);
		}
	}
}

static void walk_ends(struct pv_walk *w)
{
	struct pv_align_step step = {0, w->got - w->j};
	const struct pv_walk_expect *want;

	if (step.y)
		count_step(w, &step);
	while ((want = pv_walk_ahead(&w->e, 0)) && want->place != PV_WALK_AFTER) {
		step = (struct pv_align_step){1, 0};
		if (want->place == PV_WALK_OWED)
			count_step(w, &step);
		else
			pv_walk_skip(&w->e, 1);
	}
}

/* ---- where a trace begins when its window is not sharp ---- */

struct census {
	uint64_t n[3]; /* by place */
};

static int take_census(struct pv_walk *w, struct census *c)
{
	const struct pv_walk_expect *e;
	int r = pv_walk_open(&w->e, w->e.win->outer_first);

	if (r)
		return r;
	for (; (e = pv_walk_ahead(&w->e, 0)); pv_walk_skip(&w->e, 1))
		c->n[e->place]++;
	r = w->e.error;
	pv_walk_close(&w->e);
	return r;
}

/* How well the records from here agree with the trace's first ones: a run from the start weighs most. */
static unsigned score_here(struct pv_walk *w)
{
	unsigned agree = 0, run = 0, k;

	for (k = 0; k < PV_WALK_LOOK; k++) {
		const struct pv_walk_expect *want = pv_walk_ahead(&w->e, k);
		const uint8_t *got = pv_walk_traced(w, k);

		if (!want || !got)
			break;
		agree += pv_walk_same(w, want, got);
		run += run == k && agree == k + 1;
	}
	return run * (PV_WALK_LOOK + 1) + agree;
}

/* The start in [lo, hi] whose records agree best with the trace's first ones; of equal ones the last. */
static int best_start(struct pv_walk *w, uint64_t lo, uint64_t hi, uint64_t *start, unsigned *best)
{
	int r = pv_walk_open(&w->e, w->e.win->outer_first);

	if (r)
		return r;
	pv_walk_skip(&w->e, lo);
	for (uint64_t a = lo; a <= hi; a++, pv_walk_skip(&w->e, 1)) {
		unsigned score = score_here(w);

		if (score >= *best && score) {
			*best = score;
			*start = a;
		}
	}
	pv_walk_close(&w->e);
	return 0;
}

/* Number of expected records before the one that the trace must begin with. */
static int find_start(struct pv_walk *w, uint64_t *start)
{
	unsigned best = 0, all_look = w->got < PV_WALK_LOOK ? (unsigned)w->got : PV_WALK_LOOK;
	struct census c = {{0}};
	uint64_t owed_end, all, lo, hi;
	int r = take_census(w, &c);

	*start = 0;
	if (r || !c.n[PV_WALK_BEFORE] || !w->got)
		return r;
	/* Undamaged, the trace reaches to the end of what is owed and not past all there is. */
	owed_end = c.n[PV_WALK_BEFORE] + c.n[PV_WALK_OWED];
	all = owed_end + c.n[PV_WALK_AFTER];
	lo = owed_end > w->got ? owed_end - w->got : 0;
	hi = all > w->got ? all - w->got : 0;
	if (hi > c.n[PV_WALK_BEFORE])
		hi = c.n[PV_WALK_BEFORE];
	if (lo <= hi)
		r = best_start(w, lo, hi, start, &best);
	if (r || best == all_look * (PV_WALK_LOOK + 2))
		return r;
	return best_start(w, 0, c.n[PV_WALK_BEFORE], start, &best);
}

static int check_arguments(struct pv_ledger *l, const struct pv_window *win)
{
	if (pv_ledger_error(l))
		return pv_ledger_error(l);
	if (win->outer_first > win->inner_first || win->inner_first > win->inner_last ||
	    win->inner_last > win->outer_last || win->outer_last > pv_ledger_records(l) ||
	    !pv_ledger_head(l)->ptt_tick_ps)
		return -EINVAL;
	return 0;
}

/* ---- the comparison ---- */

static int open_walk(struct pv_walk *w, struct pv_ledger *l, const struct pv_window *win, const struct pv_trace_spec *s,
		     const struct pv_trace_data *trace)
{
	w->e = (struct pv_walk_stream){.l = l, .win = win, .spec = s};
	w->size = s->format_8dw ? PTT_RECORD_8DW_BYTES : PTT_RECORD_4DW_BYTES;
	w->trace = trace->bytes;
	w->got = trace->len / w->size;
	w->ignore_time = trace->ignore_time;
	w->gap = trace->gap;
	w->gaps = trace->gaps;
	w->pairs = trace->pairs;
	w->told = calloc(w->gaps + 1, sizeof(*w->told));
	w->diff->got = w->got;
	grant_at_first(w);
	return w->told ? 0 : -ENOMEM;
}

static int walk(struct pv_walk *w, size_t leftover)
{
	const struct pv_window *win = w->e.win;
	uint64_t start = 0;
	int r = win->outer_first != win->inner_first ? find_start(w, &start) : 0;

	if (!r)
		r = pv_walk_open(&w->e, win->outer_first);
	if (r)
		return r;
	pv_walk_skip(&w->e, start);
	walk_common(w);
	walk_ends(w);
	if (leftover) {
		w->diff->extra++;
		pv_walk_describe_leftover(w, leftover);
	}
	pv_walk_describe_unsearched(w);
	r = w->e.error;
	pv_walk_close(&w->e);
	return r;
}

static uint64_t idle(const struct pv_walk *w)
{
	uint64_t n = 0;

	for (size_t i = 1; i < w->gaps; i++)
		if (w->gap[i] == w->gap[i - 1])
			w->told[i] = w->told[i - 1];
	for (size_t i = 0; w->pairs && i + 1 < w->gaps; i += 2)
		n += !w->told[i] && !w->told[i + 1];
	return n;
}

static bool is_explained(const struct pv_trace_diff *d)
{
	return d->missing == d->told && !d->extra && !d->differing && !d->idle;
}

int pv_oracle_check_trace(struct pv_ledger *l, const struct pv_window *win, const struct pv_trace_spec *s,
			  const struct pv_trace_data *trace, struct pv_trace_diff *diff)
{
	_autofree_ struct pv_walk *w = calloc(1, sizeof(*w));
	int r = check_arguments(l, win);

	*diff = (struct pv_trace_diff){0};
	if (!w)
		return -ENOMEM;
	if (r)
		return r;
	w->diff = diff;
	r = open_walk(w, l, win, s, trace);
	size_t leftover = trace->len % w->size;
	if (!r)
		r = walk(w, leftover);
	if (!r) {
		diff->idle = idle(w);
		if (w->gaps && !leftover && !is_explained(diff))
			pv_walk_place(w);
	}
	free(w->told);
	return r;
}
