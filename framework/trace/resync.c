/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds records in a window of payload: runs of good ones quickly; if something is odd, the most likely division of the
 * window into records and damage. Each begin of damage and each return to records costs evidence; the division with the
 * most evidence wins. It is computed from the window's end backwards (Viterbi).
 */
#include "framework/trace/resync.h"

#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/header_check.h"
#include "framework/util/cleanup.h"

#define R4    PTT_RECORD_4DW_BYTES
#define R8    PTT_RECORD_8DW_BYTES
#define BLOCK (PV_PLAUSIBLE_BLOCK * R4)

enum {
	LEARN_USUAL = 256 * R4, /* how often a usual record refreshes the known properties */
	WINDOW = PV_RESYNC_AHEAD,
	LATER = 64 * R4,       /* the end of a window is decided together with the data after it */
	BACK = 64 * R4,	       /* how far before an odd record the damage may begin */
	DAMAGE = 20 * PV_BIT,  /* once in a million bytes */
	FOOTING = 20 * PV_BIT, /* noise looks like a new footing at most this often */
	WHOLE = 128 * PV_BIT,  /* damage up to the end that leaves whole records: ten without evidence */
	CHANGE = 32 * PV_BIT,  /* of the format, without damage */
};

static size_t zeros(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && !p[i])
		i++;
	return i;
}

/* ---- runs ---- */

/*
 * A run takes an 8DW record with a reserved word other than 0 only if another record follows. Records shifted by a byte
 * may have the mark and the reserved word, but not the 1 bits below the mark.
 */
static bool is_odd_8dw(const uint8_t *p, size_t n)
{
	return n >= 2 * R8 && pv_full_mark_8dw(p) && pv_likelihood_8dw(p, n) > 0;
}

/* *reserved: the reserved word of some is not 0. */
static size_t run_8dw(const uint8_t *p, size_t n, bool *reserved)
{
	size_t at = 0;

	for (; n - at >= R8; at += R8) {
		if (pv_full_mark_8dw(p + at) && !pv_reserved_8dw(p + at))
			continue;
		if (!is_odd_8dw(p + at, n - at))
			break;
		*reserved = true;
	}
	return at;
}

/* Compares a record with earlier ones of its kind, and learns new properties. */
static bool is_strange(struct pv_resync *f, const uint8_t *p)
{
	bool strange = pv_bit_stats_strange(&f->looks, p);

	if (!strange)
		pv_bit_stats_learn(&f->looks, p);
	return strange;
}

/* An odd record among usual ones needs no decision. */
static bool is_among_usual(struct pv_resync *f, const uint8_t *p, size_t n)
{
	if (n < BLOCK || !pv_likelihood_all_well(&f->looks, p, PV_PLAUSIBLE_BLOCK))
		return false;
	pv_bit_stats_learn(&f->looks, p);
	return true;
}

/* Good blocks: one record of each is examined. *decide: the next one is odd. */
static size_t run_blocks_4dw(struct pv_resync *f, const uint8_t *p, size_t n, bool *decide)
{
	size_t at = 0;

	for (; n - at >= BLOCK && pv_strict_block_4dw(p + at); at += BLOCK) {
		bool usual = at % LEARN_USUAL && pv_bit_stats_usual(&f->looks, p + at);

		if (usual || !is_strange(f, p + at) || is_among_usual(f, p + at, n - at))
			continue;
		*decide = true;
		break;
	}
	return at;
}

/* Returns the bytes up to the first odd record that needs a decision. */
static size_t run_4dw(struct pv_resync *f, const uint8_t *p, size_t n)
{
	bool decide = false;
	size_t at = 0, end;

	while (n - at >= R4) {
		at += run_blocks_4dw(f, p + at, n - at, &decide);
		if (decide)
			break;
		for (end = at + BLOCK; at < end && n - at >= R4 && pv_strict_4dw(p + at);)
			at += R4;
		if (at == end || n - at < R4)
			continue;
		if (!is_among_usual(f, p + at, n - at))
			break;
		at += R4;
	}
	return at;
}

/* Returns the bytes of good records in the current format. 0: a decision is needed. */
static size_t run(struct pv_resync *f, const uint8_t *p, size_t n, bool last, bool *reserved)
{
	size_t bytes;

	if (f->bad_bytes || f->format == PV_RECORD_UNKNOWN)
		return 0;
	if (f->format == PV_RECORD_8DW)
		return run_8dw(p, n, reserved);
	bytes = run_4dw(f, p, n);
	if (last && n - bytes < R4)
		return bytes;
	return bytes > BACK ? bytes - BACK : 0;
}

/* ---- the most likely division ---- */

enum state {
	START,	 /* of the payload */
	IN_STEP, /* after 4DW records in line with those before the window */
	IN_4DW,
	IN_8DW,
	LOST
};

/* Viterbi tables: the likelihood of a record at each offset, and the best score from there on, by state. */
struct ways {
	int likely[WINDOW], likely_in_step[WINDOW / R4];
	int in_step[WINDOW / R4 + 1], in_4dw[WINDOW + 1], in_8dw[WINDOW + 1], lost[WINDOW + 1];
	int found[WINDOW + 1];	   /* lost, but records will be found again */
	bool possible[WINDOW + 1]; /* the rest may be whole 4DW records */
};

struct window {
	const uint8_t *p;
	size_t n;
	bool last, first; /* first: nothing is known of this payload's records */
	struct ways ways;
};

/* The score of each next step: a 4DW record, an 8DW record, or damage. */
struct options {
	int four, eight, lost;
};

static int max(int a, int b)
{
	return a > b ? a : b;
}

/* A trace whose last records are odd, but complete and in step, has no damage. */
static int worth_of_damage(const struct window *w, size_t i, enum state state)
{
	if ((state == IN_STEP || state == IN_4DW) && w->last && w->ways.possible[i])
		return max(w->ways.found[i] - DAMAGE, -WHOLE);
	return w->ways.lost[i] - DAMAGE;
}

static struct options options(const struct window *w, size_t i, enum state state)
{
	const struct ways *v = &w->ways;
	struct options o = {PV_NEVER, PV_NEVER, state == LOST ? v->lost[i + 1] : worth_of_damage(w, i, state)};
	size_t left = w->n - i;

	if (left >= R4)
		o.four = state <= IN_STEP ? v->likely_in_step[i / R4] + v->in_step[i / R4 + 1]
					  : v->likely[i] + v->in_4dw[i + R4];
	if (left >= R8)
		o.eight = pv_likelihood_8dw(w->p + i, left) + v->in_8dw[i + R8];
	if (state == IN_STEP || state == IN_4DW)
		o.eight -= CHANGE;
	if (state == IN_8DW)
		o.four -= CHANGE;
	if (state == LOST)
		o = (struct options){o.four - FOOTING, o.eight - FOOTING, o.lost};
	return o;
}

/* Computes the best score from i on, in any state but LOST. A record may begin in this window and end after it. */
static int best(const struct window *w, size_t i, enum state state)
{
	struct options o = options(w, i, state);
	int most = max(max(o.four, o.eight), o.lost);
	bool open = !w->last && w->n - i < (state == IN_8DW ? R8 : R4);

	return open ? max(most, 0) : most;
}

static void take_evidence(struct window *w, const struct pv_bit_stats *known)
{
	struct pv_bit_stats looks = *known;

	for (size_t i = 0; w->n - i >= R4; i++)
		w->ways.likely[i] = pv_likelihood_4dw(known, w->p + i, w->n - i);
	for (size_t i = 0; w->n - i >= R4; i += R4) {
		int in_step = pv_likelihood_in_step(&looks, w->p + i, w->n - i, w->first);

		w->ways.likely_in_step[i / R4] = max(w->ways.likely[i], in_step);
		pv_bit_stats_learn(&looks, w->p + i);
	}
}

/* Only records with evidence are found: any bytes at the end could be one. */
static int found_again(const struct window *w, size_t i)
{
	struct options o = options(w, i, LOST);
	int gain = max(o.four, o.eight);

	return max(gain > 0 ? gain : PV_NEVER, w->ways.found[i + 1]);
}

static void weigh(struct window *w)
{
	struct ways *v = &w->ways;

	v->in_4dw[w->n] = v->in_8dw[w->n] = v->lost[w->n] = 0;
	v->found[w->n] = PV_NEVER;
	v->possible[w->n] = true;
	v->in_step[w->n / R4] = 0;
	for (size_t i = w->n; i-- > 0;) {
		v->possible[i] = w->n - i >= R4 && v->likely[i] != PV_NEVER && v->possible[i + R4];
		v->found[i] = found_again(w, i);
		v->lost[i] = max(v->found[i], 0);
		v->in_4dw[i] = best(w, i, IN_4DW);
		v->in_8dw[i] = best(w, i, IN_8DW);
		if (i % R4 == 0)
			v->in_step[i / R4] = best(w, i, IN_STEP);
	}
}

/* Adds to the plan; false: it is full. */
static bool plan(struct pv_resync_plan *s, enum pv_record_format format, size_t bytes)
{
	if (!s->n || s->stretch[s->n - 1].format != format) {
		if (s->n == ARRAY_SIZE(s->stretch))
			return false;
		s->stretch[s->n].format = (uint8_t)format;
		s->stretch[s->n++].bytes = 0;
	}
	s->stretch[s->n - 1].bytes += (uint16_t)bytes;
	return true;
}

static enum state state_of(const struct pv_resync *f)
{
	static const enum state states[] = {START, IN_STEP, IN_8DW};

	return f->bad_bytes ? LOST : states[f->format];
}

static enum pv_record_format choose(const struct window *w, size_t i, enum state *state)
{
	struct options o = options(w, i, *state);

	if (o.lost > max(o.four, o.eight)) {
		*state = LOST;
		return PV_RECORD_UNKNOWN;
	}
	if (o.eight > o.four) {
		*state = IN_8DW;
		return PV_RECORD_8DW;
	}
	*state = *state <= IN_STEP ? IN_STEP : IN_4DW;
	return PV_RECORD_4DW;
}

/* Stores the best division as the plan, as far as it is certain, and learns from its records. */
static void walk(struct pv_resync *f, const struct window *w)
{
	size_t i = 0, end = w->last ? w->n : w->n - LATER;
	enum state state = state_of(f);

	pv_resync_end(f);
	while (i < end) {
		enum pv_record_format format = choose(w, i, &state);
		size_t bytes = format ? pv_record_bytes(format) : 1;

		if (!plan(&f->plan, format, bytes))
			return;
		if (format == PV_RECORD_4DW && (!w->first || pv_regular_4dw(w->p + i)))
			pv_bit_stats_learn(&f->looks, w->p + i);
		i += bytes;
	}
}

static void decide(struct pv_resync *f, const uint8_t *p, size_t n, bool last)
{
	struct window w;

	w.p = p;
	w.n = n < WINDOW ? n : WINDOW;
	w.last = last && n <= WINDOW;
	/* If nothing is known: decides once to learn, and once more with that knowledge. */
	for (int first = f->format == PV_RECORD_UNKNOWN; first >= 0; first--) {
		w.first = first;
		f->weighed += w.n;
		take_evidence(&w, &f->looks);
		weigh(&w);
		walk(f, &w);
	}
}

/* ---- steps ---- */

static const char *why_bad(const struct pv_resync *f, const uint8_t *p, size_t n)
{
	if (n < (f->format == PV_RECORD_8DW ? R8 : R4))
		return "truncated record";
	if (zeros(p, R4) == R4)
		return "zeros where records should be";
	if (f->format == PV_RECORD_8DW)
		return !pv_good_8dw(p) ? "bad record mark" : "reserved word is not 0";
	return f->format == PV_RECORD_4DW ? "not a record (a hole, or damage)" : "no record here";
}

static struct pv_resync_step bad(struct pv_resync *f, const uint8_t *p, size_t n, const char *why)
{
	if (!f->bad_bytes) {
		f->bad_zeros = true;
		f->why = why;
	}
	f->bad_zeros = f->bad_zeros && zeros(p, n) == n;
	f->bad_bytes += n;
	return (struct pv_resync_step){.what = PV_RESYNC_BAD, .bytes = n};
}

static bool has_reserved_bits(const uint8_t *p, size_t n, enum pv_record_format format)
{
	uint32_t bits = 0;

	for (size_t at = 0; format == PV_RECORD_8DW && at < n; at += R8)
		bits |= pv_reserved_8dw(p + at);
	return bits;
}

static struct pv_resync_step good(struct pv_resync *f, size_t n, enum pv_record_format format, bool reserved)
{
	bool changed = f->format != PV_RECORD_UNKNOWN && f->format != format;

	f->format = format;
	return (struct pv_resync_step){PV_RESYNC_RUN, n, format, changed, reserved};
}

struct pv_resync_step pv_resync_next(struct pv_resync *f, const uint8_t *p, size_t n, bool last)
{
	struct pv_resync_plan *s = &f->plan;
	enum pv_record_format format;
	bool reserved = false;
	size_t bytes;

	if (s->at == s->n) {
		pv_resync_end(f);
		bytes = run(f, p, n, last, &reserved);
		if (bytes)
			return good(f, bytes, f->format, reserved);
		decide(f, p, n, last);
	}
	bytes = s->stretch[s->at].bytes;
	format = s->stretch[s->at++].format;
	if (format == PV_RECORD_UNKNOWN)
		return bad(f, p, bytes, why_bad(f, p, n));
	return good(f, bytes, format, has_reserved_bits(p, bytes, format));
}

void pv_resync_unread(struct pv_resync *f, size_t bytes)
{
	struct pv_resync_plan *s = &f->plan;

	if (s->at && bytes)
		s->stretch[--s->at].bytes = (uint16_t)bytes;
}

void pv_resync_end(struct pv_resync *f)
{
	f->plan.n = f->plan.at = 0;
}
