/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first difference between a trace and the truth, for people: which record, what was expected, what
 * came, field by field, and what it looks like (doubled, stale, torn, swapped, a hole, zeros).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/oracle/trace_internal.h"
#include "framework/trace/record.h"
#include "framework/util/cleanup.h"

#define NOTE_MAX 256 /* of the first difference, what may make room for a note */

struct line {
	char *buf;
	size_t size, len;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->buf + l->len, l->size - l->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->len = l->len + (size_t)n < l->size ? l->len + (size_t)n : l->size - 1;
}

static enum pv_record_format format_of(const struct pv_walk *w)
{
	return w->size == 32 ? PV_RECORD_8DW : PV_RECORD_4DW;
}

static bool is_zero(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

static int decode(const struct pv_walk *w, const uint8_t *bytes, struct pv_record *r)
{
	return pv_record_decode(format_of(w), bytes, 0, r);
}

static void say_record(struct line *l, const struct pv_walk *w, const uint8_t *bytes)
{
	struct pv_record r;
	char text[128];

	if (is_zero(bytes, w->size)) {
		say(l, "zeros");
	} else if (decode(w, bytes, &r)) {
		say(l, "no record (DW0 0x%08x)", r.dw[0]);
	} else {
		pv_record_text(&r, text, sizeof(text));
		say(l, "%s", text);
	}
}

/* ---- field by field ---- */

static const struct pv_record_field *find_field(const struct pv_record_field *f, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

static bool say_fields(struct line *l, const struct pv_walk *w, const struct pv_walk_expect *expected,
		       const uint8_t *got)
{
	struct pv_record_field fe[PV_RECORD_FIELDS_MAX], fg[PV_RECORD_FIELDS_MAX];
	struct pv_record e, g;
	char te[24], tg[24];
	size_t ne, ng;
	bool said = false;

	if (decode(w, expected->bytes, &e) || decode(w, got, &g))
		return false;
	ne = pv_record_fields(&e, fe);
	ng = pv_record_fields(&g, fg);
	for (size_t i = 0; i < ne; i++) {
		const struct pv_record_field *f = find_field(fg, ng, fe[i].name);

		if (!f || f->value == fe[i].value || !strcmp(f->name, "so") ||
		    (!strcmp(f->name, "time") && pv_walk_same_time(w, expected, got)))
			continue;
		say(l, "; %s expected %s, got %s", f->name, pv_record_field_text(&fe[i], te, sizeof(te)),
		    pv_record_field_text(f, tg, sizeof(tg)));
		said = true;
	}
	return said;
}

/* ---- word by word: bits that no field of this kind of record holds ---- */

static const char *const words_8dw[] = {"mark",	      "Prefix",	    "Header DW0", "Header DW1",
					"Header DW2", "Header DW3", "reserved",	  "Time"};
static const char *const words_4dw[] = {"fields and Time", "Header DW1", "Header DW2", "Header DW3"};

static uint32_t le32(const uint8_t *b)
{
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void say_words(struct line *l, const struct pv_walk *w, const uint8_t *expected, const uint8_t *got)
{
	const char *const *names = format_of(w) == PV_RECORD_8DW ? words_8dw : words_4dw;

	for (size_t i = 0; i < w->size / 4; i++) {
		uint32_t e = le32(expected + 4 * i), g = le32(got + 4 * i);

		if (e != g)
			say(l, "; DW%zu (%s) expected 0x%08x, got 0x%08x: bits 0x%x", i, names[i], e, g, e ^ g);
	}
}

/* ---- what it looks like ---- */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static bool hint_zeros(struct line *l, struct pv_walk *w, const uint8_t *got)
{
	uint64_t n = 0, left = w->got - w->j;

	while (n < left && is_zero(got + n * w->size, w->size))
		n++;
	if (!n)
		return false;
	if (n == left)
		say(l, "; a zero tail of %" PRIu64 " record%s", n, plural(n));
	else
		say(l, "; %" PRIu64 " zero record%s in the middle", n, plural(n));
	return true;
}

static bool hint_swapped(struct line *l, struct pv_walk *w, const uint8_t *got)
{
	const struct pv_walk_expect *a = pv_walk_ahead(&w->e, 0), *b = pv_walk_ahead(&w->e, 1);
	const uint8_t *second = pv_walk_traced(w, 1);

	if (!a || !b || !second || !pv_walk_same(w, b, got) || !pv_walk_same(w, a, second))
		return false;
	say(l, "; records %" PRIu64 " and %" PRIu64 " are swapped", w->j, w->j + 1);
	return true;
}

/* Reports the number of the nearest identical record earlier in the trace. */
static bool hint_again(struct line *l, struct pv_walk *w, const uint8_t *got)
{
	for (uint64_t k = w->j; k-- > 0;) {
		if (memcmp(w->trace + k * w->size, got, w->size))
			continue;
		say(l, "; record %" PRIu64 " is record %" PRIu64 " again%s", w->j, k,
		    w->j - k > 1 ? ": stale data" : "");
		return true;
	}
	return false;
}

/* Begins as expected and ends as another record nearby, or the other way round. */
static bool torn_with(const struct pv_walk *w, const uint8_t *want, const uint8_t *got, const uint8_t *other,
		      size_t *cut)
{
	for (*cut = 4; *cut < w->size; *cut += 4)
		if (!memcmp(want, got, *cut) && !memcmp(other + *cut, got + *cut, w->size - *cut))
			return true;
	return false;
}

static bool hint_torn(struct line *l, struct pv_walk *w, const uint8_t *want, const uint8_t *got)
{
	static const uint8_t zeroes[32];
	const struct pv_walk_expect *next = pv_walk_ahead(&w->e, 1);
	const uint8_t *previous = w->j ? got - w->size : NULL;
	const struct {
		const uint8_t *bytes;
		const char *name;
	} others[] = {
		{zeroes, "zeros"}, {previous, "the record before"}, {next ? next->bytes : NULL, "the record after"}};
	size_t cut;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const uint8_t *o = others[i].bytes;

		if (!o || !memcmp(o, want, w->size))
			continue;
		if (torn_with(w, want, got, o, &cut))
			say(l, "; torn: right up to byte %zu, then %s", cut, others[i].name);
		else if (torn_with(w, o, got, want, &cut))
			say(l, "; torn: %s up to byte %zu, then right", others[i].name, cut);
		else
			continue;
		return true;
	}
	return false;
}

static void say_hint(struct line *l, struct pv_walk *w, const struct pv_align_step *step, const uint8_t *got)
{
	const struct pv_walk_expect *want = pv_walk_ahead(&w->e, 0);
	uint64_t lost = step->x > step->y ? step->x - step->y : 0, extra = step->y > step->x ? step->y - step->x : 0;

	if (!got)
		return;
	if (hint_zeros(l, w, got) || hint_swapped(l, w, got))
		return;
	if (lost) {
		say(l, "; a hole of %" PRIu64 " record%s", lost, plural(lost));
		return;
	}
	if (hint_again(l, w, got) || (want && hint_torn(l, w, want->bytes, got)))
		return;
	if (extra)
		say(l, "; %" PRIu64 " record%s that do%s not belong here", extra, plural(extra),
		    extra == 1 ? "es" : "");
}

void pv_walk_describe(struct pv_walk *w, const struct pv_align_step *step)
{
	const struct pv_walk_expect *want = pv_walk_ahead(&w->e, 0);
	const uint8_t *got = pv_walk_traced(w, 0);
	struct line l = {w->diff->first, sizeof(w->diff->first), 0};

	say(&l, "record %" PRIu64 " at 0x%" PRIx64 ": expected ", w->j, w->j * w->size);
	if (want)
		say_record(&l, w, want->bytes);
	else
		say(&l, "the end of the trace");
	say(&l, ", got ");
	if (got)
		say_record(&l, w, got);
	else
		say(&l, "the end of the trace");
	if (want && got && step->x == step->y && !say_fields(&l, w, want, got) && !is_zero(got, w->size))
		say_words(&l, w, want->bytes, got);
	say_hint(&l, w, step, got);
}

void pv_walk_describe_unsearched(struct pv_walk *w)
{
	const struct pv_trace_diff *d = w->diff;
	char text[NOTE_MAX];
	size_t len = strlen(d->first);
	int n;

	if (!d->unsearched)
		return;
	n = snprintf(text, sizeof(text),
		     "; too little agrees to search for all losses: from record %" PRIu64 " on %" PRIu64
		     " of the differing ones were compared one to one and may be missing or extra instead",
		     d->unsearched_from, d->unsearched);
	if (len + (size_t)n >= sizeof(d->first))
		len = sizeof(d->first) - 1 - (size_t)n;
	memcpy(w->diff->first + len, text, (size_t)n + 1);
}

void pv_walk_describe_leftover(struct pv_walk *w, size_t bytes)
{
	struct line l = {w->diff->first, sizeof(w->diff->first), 0};

	if (w->diff->first[0])
		return;
	say(&l, "record %" PRIu64 " at 0x%" PRIx64 ": the trace ends within it, after %zu of %zu bytes", w->got,
	    w->got * w->size, bytes, w->size);
}
