/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in a window of payload: runs of good ones, and the way back after bad ones. */
#include "framework/trace/footing.h"

#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/plausible.h"
#include "framework/util/cleanup.h"

enum {
	EXAMINED = 16,		      /* 4DW records that decide about a shift */
	FOUND = 10,		      /* 4DW records in a row that are a footing in noise */
	FOUND_AT_END = 4,	      /* the same where the payload, or this format, ends */
	SAMPLED = PV_PLAUSIBLE_BLOCK, /* one of so many records is compared with those before */
	KNOWN = 4,		      /* samples of a kind that are enough for that */
	TRUST_MIN = 8,		      /* odd records that are believed after a look */
	TRUST_MAX = 256,
	LOST_WINDOW = 1 << 16,
};

#define R4 PTT_RECORD_4DW_BYTES
#define R8 PTT_RECORD_8DW_BYTES

static size_t zeros(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && !p[i])
		i++;
	return i;
}

static size_t run_8dw(const uint8_t *p, size_t n)
{
	size_t at = 0;

	while (n - at >= R8 && pv_good_8dw(p + at))
		at += R8;
	return at;
}

/* ---- 4DW ---- */

static unsigned count_strict(const uint8_t *p, size_t n, unsigned records)
{
	unsigned good = 0;

	for (unsigned i = 0; i < records && n >= R4; i++, p += R4, n -= R4)
		good += pv_strict_4dw(p);
	return good;
}

static unsigned count_kinds(const uint8_t *p, size_t n, unsigned records)
{
	unsigned good = 0;

	for (unsigned i = 0; i < records && n >= R4; i++, p += R4, n -= R4)
		good += pv_kind_4dw(p);
	return good;
}

/* ---- what 4DW records of this trace look like: the bits that never change tell a shifted record from a good one ---- */

static void learn(struct pv_footing *f, const uint8_t *p)
{
	struct pv_footing_kind *k = &f->kinds[pv_dw(p, 0) >> 25];

	for (unsigned i = 0; i < 3; i++) {
		k->any[i] |= pv_dw(p, i + 1);
		k->all[i] = k->seen ? k->all[i] & pv_dw(p, i + 1) : pv_dw(p, i + 1);
	}
	k->seen++;
}

/* 0: no record; 1: could be one; more, the more of the unchanging bits are right. */
static unsigned familiarity(const struct pv_footing *f, const uint8_t *p)
{
	const struct pv_footing_kind *k = &f->kinds[pv_dw(p, 0) >> 25];
	unsigned constant = 0, wrong = 0;

	if (!pv_strict_4dw(p))
		return 0;
	if (!k->seen)
		return 1;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t fixed = ~k->any[i] | k->all[i];

		constant += (unsigned)__builtin_popcount(fixed);
		wrong += (unsigned)__builtin_popcount((pv_dw(p, i + 1) ^ k->all[i]) & fixed);
	}
	return 4 * wrong > constant ? 1 : 2 + (constant - wrong) / 4;
}

static unsigned familiarities(const struct pv_footing *f, const uint8_t *p, size_t n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < EXAMINED && n >= R4; i++, p += R4, n -= R4)
		sum += familiarity(f, p);
	return sum;
}

/* Of the places within a record's length from a footing on, the one whose records look most like those before. */
static size_t best_place(const struct pv_footing *f, const uint8_t *p, size_t n, size_t at)
{
	unsigned best = familiarities(f, p + at, n - at);
	size_t place = at;

	for (size_t i = at + 1; i < at + R4 && i < n; i++) {
		unsigned there = familiarities(f, p + i, n - i);

		if (there > best + best / 8) {
			best = there;
			place = i;
		}
	}
	return place;
}

/* Would these records make clearly more sense a few bytes on? Then a hole has shifted them. */
static bool is_shifted(const uint8_t *p, size_t n)
{
	unsigned records = n / R4 > EXAMINED ? EXAMINED : (unsigned)(n / R4);
	unsigned here = count_strict(p, n, records), best = 0;

	if (records < FOUND_AT_END)
		return false;
	for (size_t shift = 1; shift < R4; shift++) {
		unsigned there = count_strict(p + shift, n - shift, records - 1);

		best = there > best ? there : best;
	}
	return best >= (records - 1) * 3 / 4 && here + (records + 1) / 2 <= best;
}

/* Noise has a defined kind in one record of three; records of an unknown kind among others are still records. */
static bool is_noise(const uint8_t *p, size_t n)
{
	unsigned records = n / R4 > 2 * EXAMINED ? 2 * EXAMINED : (unsigned)(n / R4);

	return records >= TRUST_MIN && 2 * count_kinds(p, n, records) < records;
}

/* The same, judged by what the records before looked like. */
static bool is_estranged(const struct pv_footing *f, const uint8_t *p, size_t n)
{
	unsigned here = familiarities(f, p, n), there;
	size_t place = n < EXAMINED * R4 ? 0 : best_place(f, p, n, 0);

	there = place ? familiarities(f, p + place, n - place) : here;
	return there > here + here / 2 && there >= 8 * EXAMINED;
}

/* A kind that is known, and no bit where it never was: there is nothing to learn from it. */
static bool is_usual(const struct pv_footing *f, const uint8_t *p)
{
	const struct pv_footing_kind *k = &f->kinds[pv_dw(p, 0) >> 25];
	uint32_t unlike = 0;

	for (unsigned i = 0; i < 3; i++)
		unlike |= (pv_dw(p, i + 1) & ~k->any[i]) | (~pv_dw(p, i + 1) & k->all[i]);
	return k->seen >= KNOWN && !unlike;
}

/* Compares one record with those of its kind before, and keeps what it looks like. */
static bool is_strange(struct pv_footing *f, const uint8_t *p)
{
	bool strange = f->kinds[pv_dw(p, 0) >> 25].seen >= KNOWN && familiarity(f, p) < 2;

	if (!strange)
		learn(f, p);
	return strange;
}

/* Bytes of good records, in whole blocks: the fast way of run_4dw(). */
static size_t run_blocks_4dw(struct pv_footing *f, const uint8_t *p, size_t n)
{
	size_t at = 0;

	while (n - at >= SAMPLED * R4 && pv_strict_block_4dw(p + at) && (is_usual(f, p + at) || !is_strange(f, p + at)))
		at += SAMPLED * R4;
	return at;
}

/* Where records that look like none before begin, at most a few before `at`. */
static size_t back_to_known(const struct pv_footing *f, const uint8_t *p, size_t at)
{
	for (unsigned i = 0; i < SAMPLED && at && familiarity(f, p + at - R4) < 2; i++)
		at -= R4;
	return at;
}

/* An odd record: do those from here on belong to this footing all the same? */
static bool is_in_step(struct pv_footing *f, const uint8_t *p, size_t n)
{
	if (is_shifted(p, n) || is_estranged(f, p, n) || is_noise(p, n))
		return false;
	f->trust = f->trust < TRUST_MIN ? TRUST_MIN : f->trust * 2 > TRUST_MAX ? TRUST_MAX : f->trust * 2;
	f->trusted = f->trust * R4;
	return true;
}

/* Bytes of good records; *more: the answer needs a longer window. */
static size_t run_4dw(struct pv_footing *f, const uint8_t *p, size_t n, bool last, bool *more)
{
	size_t at = 0;

	for (;; at += R4) {
		if (!f->trusted && at % (SAMPLED * R4) == 0)
			at += run_blocks_4dw(f, p + at, n - at);
		if (n - at < R4)
			break;
		if (f->trusted) {
			f->trusted -= R4;
			if (!pv_good_4dw(p + at))
				break;
			continue;
		}
		if (pv_strict_4dw(p + at) && (at % (SAMPLED * R4) || !is_strange(f, p + at)))
			continue;
		if (!pv_good_4dw(p + at))
			break;
		*more = !last && n - at < PV_FOOTING_AHEAD;
		if (*more)
			break;
		if (!is_in_step(f, p + at, n - at))
			return back_to_known(f, p, at);
		f->trusted -= R4;
	}
	return at;
}

/* ---- lost ---- */

/* A marked record that another one, or the end, or zeros follow. */
static bool is_8dw_footing(const uint8_t *p, size_t n)
{
	if (n < R8 || !pv_good_8dw(p) || !pv_prefix_8dw(p))
		return false;
	return n < 2 * R8 || pv_good_8dw(p + R8) || zeros(p + R8, R8) == R8;
}

static const uint8_t *find_8dw(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	while (p < end && (p = memchr(p, 0xff, (size_t)(end - p)))) {
		if (is_8dw_footing(p, (size_t)(end - p)))
			return p;
		p++;
	}
	return NULL;
}

/* Records in a row that are as they should be, up to FOUND or the end of the stretch. */
static bool is_4dw_footing(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < FOUND && n >= R4 && pv_strict_4dw(p)) {
		i++;
		p += R4;
		n -= R4;
	}
	return i == FOUND || (i >= FOUND_AT_END && n < R4);
}

static size_t find_4dw(const uint8_t *p, size_t n, size_t limit)
{
	size_t at = 0;

	while (at < limit && !is_4dw_footing(p + at, n - at))
		at++;
	return at;
}

static struct pv_footing_step bad(struct pv_footing *f, const uint8_t *p, size_t n, const char *why)
{
	if (!f->bad_bytes) {
		f->bad_zeros = true;
		f->why = why;
	}
	f->bad_zeros = f->bad_zeros && zeros(p, n) == n;
	f->bad_bytes += n;
	f->trusted = f->trust = 0;
	return (struct pv_footing_step){.what = PV_FOOTING_BAD, .bytes = n};
}

static struct pv_footing_step found(struct pv_footing *f, const uint8_t *p, size_t n, enum pv_record_format format)
{
	bool changed = f->format != PV_RECORD_UNKNOWN && f->format != format;
	size_t bytes = format == PV_RECORD_8DW ? run_8dw(p, n) : R4;

	if (format == PV_RECORD_4DW)
		f->trusted = 0;
	f->format = format;
	return (struct pv_footing_step){PV_FOOTING_RUN, bytes, format, changed};
}

static const char *why_bad(const struct pv_footing *f, const uint8_t *p, size_t n)
{
	if (n < (f->format == PV_RECORD_8DW ? R8 : R4))
		return "truncated record";
	if (zeros(p, R4) == R4)
		return "zeros where records should be";
	if (f->format == PV_RECORD_8DW)
		return memcmp(p, "\xff\xff\xff\xff", 4) ? "bad record mark" : "reserved word is not 0";
	return f->format == PV_RECORD_4DW ? "not a record (a hole, or damage)" : "no record here";
}

/* After marked records, one good record in step is enough: those around it may all be bad. */
static size_t find_in_step(const struct pv_footing *f, const uint8_t *p, size_t n)
{
	size_t at = (R8 - f->bad_bytes % R8) % R8;

	if (f->format == PV_RECORD_4DW)
		return n;
	while (n >= R8 && at <= n - R8 && !pv_good_8dw(p + at))
		at += R8;
	return n >= R8 && at <= n - R8 ? at : n;
}

/* The begin of a payload: too few records to judge by are believed. */
static bool is_short_4dw(const struct pv_footing *f, const uint8_t *p, size_t n, bool last)
{
	if (f->bad_bytes || f->format != PV_RECORD_UNKNOWN || n < R4 || !pv_good_4dw(p))
		return false;
	if (last && n / R4 < TRUST_MIN)
		return true;
	return !is_shifted(p, n) && !is_noise(p, n);
}

static struct pv_footing_step lost(struct pv_footing *f, const uint8_t *p, size_t n, bool last)
{
	const char *why = why_bad(f, p, n);
	const uint8_t *mark;
	size_t reach, at, limit, step;

	if (!last && n < PV_FOOTING_AHEAD)
		return (struct pv_footing_step){.what = PV_FOOTING_MORE};
	if (n > LOST_WINDOW) {
		n = LOST_WINDOW;
		last = false;
	}
	if (is_short_4dw(f, p, n, last))
		return found(f, p, n, PV_RECORD_4DW);
	/* Up to the next mark, what is there can only be 4DW or nothing. */
	mark = find_8dw(p, n);
	step = find_in_step(f, p, n);
	reach = mark ? (size_t)(mark - p) : n;
	reach = step < reach ? step : reach;
	limit = last || reach < n ? reach : n - PV_FOOTING_AHEAD / 2;
	at = find_4dw(p, reach, limit);
	if (at < limit && at < reach && f->format == PV_RECORD_4DW)
		at = best_place(f, p, reach, at);
	if (at)
		return bad(f, p, at, why);
	return found(f, p, n, reach ? PV_RECORD_4DW : PV_RECORD_8DW);
}

struct pv_footing_step pv_footing_next(struct pv_footing *f, const uint8_t *p, size_t n, bool last)
{
	size_t bytes = 0;
	bool more = false;

	if (f->bad_bytes)
		return lost(f, p, n, last);
	if (f->format == PV_RECORD_8DW)
		bytes = run_8dw(p, n);
	if (f->format == PV_RECORD_4DW)
		bytes = run_4dw(f, p, n, last, &more);
	if (bytes)
		return (struct pv_footing_step){PV_FOOTING_RUN, bytes, f->format, false};
	if (more)
		return (struct pv_footing_step){.what = PV_FOOTING_MORE};
	return lost(f, p, n, last);
}
