/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in a window of payload: runs of good ones, and the way back after bad ones. */
#include "framework/trace/footing.h"

#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/plausible.h"
#include "framework/util/cleanup.h"

enum {
	EXAMINED = 16,	  /* 4DW records that decide about a shift */
	FOUND = 10,	  /* 4DW records in a row that are a footing in noise */
	FOUND_AT_END = 4, /* the same where the payload, or this format, ends */
	TRUST_MIN = 8,	  /* odd records that are believed after a look */
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

/* An odd record: do those from here on belong to this footing all the same? */
static bool is_in_step(struct pv_footing *f, const uint8_t *p, size_t n)
{
	if (is_shifted(p, n) || is_noise(p, n))
		return false;
	f->trust = f->trust < TRUST_MIN ? TRUST_MIN : f->trust * 2 > TRUST_MAX ? TRUST_MAX : f->trust * 2;
	f->trusted = f->trust * R4;
	return true;
}

/* Bytes of good records; *more: the answer needs a longer window. */
static size_t run_4dw(struct pv_footing *f, const uint8_t *p, size_t n, bool last, bool *more)
{
	size_t at = 0;

	for (; n - at >= R4; at += R4) {
		if (f->trusted) {
			f->trusted -= R4;
			if (!pv_good_4dw(p + at))
				break;
			continue;
		}
		if (pv_strict_4dw(p + at))
			continue;
		if (!pv_good_4dw(p + at))
			break;
		*more = !last && n - at < PV_FOOTING_AHEAD;
		if (*more || !is_in_step(f, p + at, n - at))
			break;
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
