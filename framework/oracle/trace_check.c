/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a trace with what the ledger says it must hold. Both are walked once; after a difference the
 * two are brought into step again, so that one lost record is one missing record and not a thousand
 * differing ones.
 */
#include <errno.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/oracle/trace_walk.h"
#include "framework/util/cleanup.h"

/* ---- the walk ---- */

static void take(struct pv_walk *w, uint64_t x, uint64_t y)
{
	w->started = true;
	pv_walk_passed(w, x + y);
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
	bool told = !step->y && pv_walk_at_gap(w);

	if (told) {
		w->diff->told += missing;
		if (w->told)
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
			struct pv_align_step step = pv_walk_find_step(w);

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

int pv_oracle_check_trace(struct pv_ledger *l, const struct pv_window *win, const struct pv_trace_spec *s,
			  const struct pv_trace_data *trace, struct pv_trace_diff *diff)
{
	_autofree_ struct pv_walk *w = calloc(1, sizeof(*w));
	uint64_t start = 0;
	int r = check_arguments(l, win);

	*diff = (struct pv_trace_diff){0};
	if (!w)
		return -ENOMEM;
	if (r)
		return r;
	w->e = (struct pv_walk_stream){.l = l, .win = win, .spec = s};
	w->size = s->format_8dw ? PTT_RECORD_8DW_BYTES : PTT_RECORD_4DW_BYTES;
	w->trace = trace->bytes;
	w->got = trace->len / w->size;
	w->ignore_time = trace->ignore_time;
	w->gap = trace->gap;
	w->gaps = trace->gaps;
	w->told = trace->told;
	pv_walk_budget(w);
	w->diff = diff;
	diff->got = w->got;
	if (win->outer_first != win->inner_first)
		r = find_start(w, &start);
	if (!r)
		r = pv_walk_open(&w->e, win->outer_first);
	if (r)
		return r;
	pv_walk_skip(&w->e, start);
	walk_common(w);
	walk_ends(w);
	if (trace->len % w->size) {
		diff->extra++;
		pv_walk_describe_leftover(w, trace->len % w->size);
	}
	pv_walk_describe_unsearched(w);
	r = w->e.error;
	pv_walk_close(&w->e);
	return r;
}
