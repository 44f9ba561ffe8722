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

#define SEARCHES   4096	      /* local ones, LOOK^2 comparisons at worst */
#define LONG_SCANS 16	      /* for holes as large as DMA buffers */
#define SCAN_MAX   (1u << 20) /* records */

/* ---- the expected stream ---- */

static int walk_open(struct pv_walk_stream *s, uint64_t ledger_first)
{
	s->reader = pv_ledger_read(s->l, ledger_first, s->win->outer_last);
	s->ledger_next = ledger_first;
	s->first = s->n = 0;
	s->error = 0;
	return s->reader ? 0 : -ENOMEM;
}

static void walk_close(struct pv_walk_stream *s)
{
	pv_ledger_close(s->reader);
	s->reader = NULL;
}

static enum pv_walk_place place_of(const struct pv_window *win, uint64_t index)
{
	return index < win->inner_first ? PV_WALK_BEFORE : index < win->inner_last ? PV_WALK_OWED : PV_WALK_AFTER;
}

static bool pull(struct pv_walk_stream *s)
{
	struct pv_walk_expect *e = &s->ring[(s->first + s->n) % PV_WALK_RING];
	const struct pv_wire *w;

	while ((w = pv_ledger_next(s->reader))) {
		uint64_t index = s->ledger_next++;

		if (!pv_oracle_traced(s->spec, w))
			continue;
		pv_oracle_record(s->spec, pv_ledger_head(s->l), w, e->bytes);
		e->place = place_of(s->win, index);
		e->ledger_index = index;
		s->n++;
		return true;
	}
	s->error = pv_ledger_reader_error(s->reader);
	return false;
}

const struct pv_walk_expect *pv_walk_ahead(struct pv_walk_stream *s, unsigned k)
{
	while (s->n <= k)
		if (!pull(s))
			return NULL;
	return &s->ring[(s->first + k) % PV_WALK_RING];
}

static void walk_skip(struct pv_walk_stream *s, uint64_t n)
{
	for (; n && pv_walk_ahead(s, 0); n--) {
		s->first = (s->first + 1) % PV_WALK_RING;
		s->n--;
	}
}

bool pv_walk_same(const struct pv_walk *w, const uint8_t *expected, const uint8_t *got)
{
	if (!w->ignore_time)
		return !memcmp(expected, got, w->size);
	if (w->size == PTT_RECORD_8DW_BYTES)
		return !memcmp(expected, got, 28);
	/* 4DW: Time is bits [10:0] of the first, little-endian word */
	return !((expected[1] ^ got[1]) & 0xf8) && !memcmp(expected + 2, got + 2, 14);
}

/* ---- into step again ---- */

/* The trace against a stream of expected records: the walk's own, or one that has gone further. */
struct sides {
	struct pv_walk *w;
	struct pv_walk_stream *e;
};

/* At the end of the trace, what is expected after it decides. */
static enum pv_align_result compare(void *ctx, uint64_t x, uint64_t y)
{
	const struct sides *s = ctx;
	const struct pv_walk_expect *want = pv_walk_ahead(s->e, (unsigned)x);
	const uint8_t *got = pv_walk_traced(s->w, y);

	if (!got)
		return !want || want->place == PV_WALK_AFTER ? PV_ALIGN_ENDS_WELL : PV_ALIGN_END;
	if (!want)
		return PV_ALIGN_END;
	return pv_walk_same(s->w, want->bytes, got) ? PV_ALIGN_SAME : PV_ALIGN_DIFFERENT;
}

static bool in_step(struct pv_walk *w, struct pv_walk_stream *e, unsigned x, uint64_t y)
{
	return pv_align_in_step(&(struct pv_align){compare, &(struct sides){w, e}}, x, y);
}

static bool search_near(struct pv_walk *w, struct pv_align_step *step)
{
	return pv_align_near(&(struct pv_align){compare, &(struct sides){w, &w->e}}, step);
}

/* A hole in the trace: the traced records further on in the ledger, one bad record at most between. */
static bool scan_expected(struct pv_walk *w, struct pv_align_step *step)
{
	struct pv_walk_stream far = {.l = w->e.l, .win = w->e.win, .spec = w->e.spec};
	bool found = false;

	if (w->got - w->j < PV_WALK_RUN + 1 || walk_open(&far, w->e.ring[w->e.first].ledger_index))
		return false;
	for (uint64_t x = 0; !found && x < SCAN_MAX && pv_walk_ahead(&far, PV_WALK_RUN); x++) {
		found = in_step(w, &far, 0, 0);
		if (found)
			*step = (struct pv_align_step){x, 0};
		else if ((found = in_step(w, &far, 1, 1)))
			*step = (struct pv_align_step){x + 1, 1};
		walk_skip(&far, 1);
	}
	walk_close(&far);
	return found;
}

/* Records that do not belong: the expected ones further on in the trace. */
static bool scan_traced(struct pv_walk *w, struct pv_align_step *step)
{
	for (uint64_t y = 1; y < SCAN_MAX && pv_walk_traced(w, y + PV_WALK_RUN - 1); y++) {
		if (in_step(w, &w->e, 0, y)) {
			*step = (struct pv_align_step){0, y};
			return true;
		}
	}
	return false;
}

/* ---- gaps that the driver tells ---- */

static uint64_t offset(const struct pv_walk *w)
{
	return w->j * w->size;
}

/* May records be missing right here? */
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

/* The piece behind a gap, further on in the ledger. However short it is, it must be there. */
static bool scan_piece(struct pv_walk *w, struct pv_align_step *step)
{
	struct pv_walk_stream far = {.l = w->e.l, .win = w->e.win, .spec = w->e.spec};
	uint64_t run = piece(w);
	bool found = false;

	if (walk_open(&far, w->e.ring[w->e.first].ledger_index))
		return false;
	run = run < PV_WALK_RUN ? run : PV_WALK_RUN;
	for (uint64_t x = 0; !found && x < SCAN_MAX && pv_walk_ahead(&far, 0); x++, walk_skip(&far, 1)) {
		const struct pv_walk_expect *want;
		unsigned k = 0;

		while (k < run && (want = pv_walk_ahead(&far, k)) && pv_walk_same(w, want->bytes, pv_walk_traced(w, k)))
			k++;
		found = k == run;
		*step = (struct pv_align_step){x, 0};
	}
	walk_close(&far);
	return found;
}

static struct pv_align_step find_step(struct pv_walk *w)
{
	struct pv_align_step step = {1, 1};

	if (at_gap(w) && scan_piece(w, &step))
		return step;
	step = (struct pv_align_step){1, 1};
	if (!w->searches)
		return step;
	w->searches--;
	if (search_near(w, &step) || !w->scans)
		return step;
	w->scans--;
	if (!scan_expected(w, &step))
		scan_traced(w, &step);
	return step;
}

/* ---- the walk ---- */

static void take(struct pv_walk *w, uint64_t x, uint64_t y)
{
	w->started = true;
	w->diff->expected += x;
	walk_skip(&w->e, x);
	w->j += y;
}

/* Until a record has agreed, what precedes the inner window may be left out: the trace begins after it. */
static uint64_t count_free(struct pv_walk *w, uint64_t x)
{
	const struct pv_walk_expect *e;
	uint64_t n = 0;

	while (!w->started && n < x && (e = pv_walk_ahead(&w->e, 0)) && e->place == PV_WALK_BEFORE) {
		walk_skip(&w->e, 1);
		n++;
	}
	return n;
}

static void count_step(struct pv_walk *w, const struct pv_align_step *step)
{
	uint64_t both = step->x < step->y ? step->x : step->y;
	uint64_t left_out = count_free(w, step->x - both), missing = step->x - both - left_out;
	bool told = !step->y && at_gap(w);

	if (told)
		w->diff->told += missing;
	else if (!w->diff->first[0] && (both || missing || step->y))
		pv_walk_describe(w, &(struct pv_align_step){step->x - left_out, step->y});
	w->diff->differing += both;
	w->diff->missing += missing;
	w->diff->extra += step->y - both;
	take(w, step->x - left_out, step->y);
}

static void walk_common(struct pv_walk *w)
{
	const struct pv_walk_expect *want;
	const uint8_t *got;

	while ((want = pv_walk_ahead(&w->e, 0)) && (got = pv_walk_traced(w, 0))) {
		if (pv_walk_same(w, want->bytes, got)) {
			take(w, 1, 1);
		} else {
			struct pv_align_step step = find_step(w);

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
			walk_skip(&w->e, 1);
	}
}

/* ---- where a trace begins when its window is not sharp ---- */

struct census {
	uint64_t n[3]; /* by place */
};

static int take_census(struct pv_walk *w, struct census *c)
{
	const struct pv_walk_expect *e;
	int r = walk_open(&w->e, w->e.win->outer_first);

	if (r)
		return r;
	for (; (e = pv_walk_ahead(&w->e, 0)); walk_skip(&w->e, 1))
		c->n[e->place]++;
	r = w->e.error;
	walk_close(&w->e);
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
		agree += pv_walk_same(w, want->bytes, got);
		run += run == k && agree == k + 1;
	}
	return run * (PV_WALK_LOOK + 1) + agree;
}

/* The start in [lo, hi] whose records agree best with the trace's first ones; of equal ones the last. */
static int best_start(struct pv_walk *w, uint64_t lo, uint64_t hi, uint64_t *start, unsigned *best)
{
	int r = walk_open(&w->e, w->e.win->outer_first);

	if (r)
		return r;
	walk_skip(&w->e, lo);
	for (uint64_t a = lo; a <= hi; a++, walk_skip(&w->e, 1)) {
		unsigned score = score_here(w);

		if (score >= *best && score) {
			*best = score;
			*start = a;
		}
	}
	walk_close(&w->e);
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
	w->searches = SEARCHES;
	w->scans = LONG_SCANS;
	w->diff = diff;
	diff->got = w->got;
	if (win->outer_first != win->inner_first)
		r = find_start(w, &start);
	if (!r)
		r = walk_open(&w->e, win->outer_first);
	if (r)
		return r;
	walk_skip(&w->e, start);
	walk_common(w);
	walk_ends(w);
	if (trace->len % w->size) {
		diff->extra++;
		pv_walk_describe_leftover(w, trace->len % w->size);
	}
	r = w->e.error;
	walk_close(&w->e);
	return r;
}
