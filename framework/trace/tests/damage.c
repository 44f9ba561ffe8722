/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damage to a payload between the hardware and the reader. */
#include <stdlib.h>
#include <string.h>

#include "framework/trace/tests/traffic.h"
#include "framework/util/cleanup.h"

enum { FEW_BYTES = 48, MANY_BYTES = 3000 };

static size_t clamp(const struct traffic *t, size_t at, size_t n)
{
	return at >= t->n ? 0 : n < t->n - at ? n : t->n - at;
}

void traffic_cut(struct traffic *t, size_t at, size_t n)
{
	n = clamp(t, at, n);
	memmove(t->bytes + at, t->bytes + at + n, t->n - at - n);
	memmove(t->origin + at, t->origin + at + n, (t->n - at - n) * sizeof(*t->origin));
	t->n -= n;
}

/* Room for n bytes at a place. */
static void part(struct traffic *t, size_t at, size_t n)
{
	if (at > t->n || n > t->room - t->n)
		abort();
	memmove(t->bytes + at + n, t->bytes + at, t->n - at);
	memmove(t->origin + at + n, t->origin + at, (t->n - at) * sizeof(*t->origin));
	t->n += n;
	memset(t->origin + at, 0, n * sizeof(*t->origin));
}

static void set(struct traffic *t, size_t at, uint8_t value)
{
	if (t->bytes[at] != value)
		t->origin[at] = (struct traffic_origin){0};
	t->bytes[at] = value;
}

static void fill(struct traffic *t, size_t at, size_t n, int value, struct traffic_random *r)
{
	for (size_t i = 0; i < n; i++)
		set(t, at + i, (uint8_t)(value < 0 ? traffic_random(r) : (unsigned)value));
}

/* ---- damages ---- */

static void hole(struct traffic *t, size_t at, struct traffic_random *r)
{
	traffic_cut(t, at, 1 + traffic_below(r, traffic_below(r, 2) ? FEW_BYTES : MANY_BYTES));
}

static void hole_of_words(struct traffic *t, size_t at, struct traffic_random *r)
{
	traffic_cut(t, at & ~(size_t)3, 4 * (1 + traffic_below(r, 15)));
}

static void noise_over(struct traffic *t, size_t at, struct traffic_random *r)
{
	fill(t, at, clamp(t, at, 1 + traffic_below(r, MANY_BYTES)), -1, r);
}

static void noise_between(struct traffic *t, size_t at, struct traffic_random *r)
{
	size_t n = 1 + traffic_below(r, traffic_below(r, 2) ? FEW_BYTES : MANY_BYTES);

	part(t, at, n);
	fill(t, at, n, -1, r);
}

static void zeros_over(struct traffic *t, size_t at, struct traffic_random *r)
{
	fill(t, at, clamp(t, at, 64 + traffic_below(r, MANY_BYTES)), 0, r);
}

static void zeros_between(struct traffic *t, size_t at, struct traffic_random *r)
{
	size_t n = 32 + traffic_below(r, MANY_BYTES);

	part(t, at, n);
	fill(t, at, n, 0, r);
}

static void ones_over(struct traffic *t, size_t at, struct traffic_random *r)
{
	fill(t, at, clamp(t, at, 64 + traffic_below(r, MANY_BYTES)), 0xff, r);
}

static void flipped_bit(struct traffic *t, size_t at, struct traffic_random *r)
{
	set(t, at, t->bytes[at] ^ (uint8_t)(1u << traffic_below(r, 8)));
}

/* Old payload shows through, as where a buffer was not written to its end: of another phase, as a rule. */
static void stale_over(struct traffic *t, size_t at, struct traffic_random *r)
{
	size_t from = traffic_below(r, (uint32_t)t->n), n = 1 + traffic_below(r, MANY_BYTES);

	n = clamp(t, from, clamp(t, at, n));
	memmove(t->bytes + at, t->bytes + from, n);
	memmove(t->origin + at, t->origin + from, n * sizeof(*t->origin));
}

/* A few records of the other format, between records. */
static void other_format(struct traffic *t, size_t at, struct traffic_random *r)
{
	struct traffic other = traffic_new(1 << 12);

	while (at < t->n && !traffic_record_at(t, at))
		at++;
	traffic_make(&other, traffic_below(r, 5), t->origin[at].size == 16 ? 32 : 16, 24 + traffic_below(r, 32),
		     traffic_random(r));
	for (size_t i = 0; i < other.n; i++)
		other.origin[i].record += t->records;
	t->records += other.records;
	part(t, at, other.n);
	memcpy(t->bytes + at, other.bytes, other.n);
	memcpy(t->origin + at, other.origin, other.n * sizeof(*other.origin));
	traffic_free(&other);
}

static void begin_lost(struct traffic *t, size_t at, struct traffic_random *r)
{
	(void)at;
	traffic_cut(t, 0, 1 + traffic_below(r, 2 * FEW_BYTES));
}

static void end_lost(struct traffic *t, size_t at, struct traffic_random *r)
{
	(void)at;
	t->n -= 1 + traffic_below(r, 2 * FEW_BYTES);
}

static void close_together(struct traffic *t, size_t at, struct traffic_random *r)
{
	for (unsigned i = 0; i < 4; i++) {
		hole(t, at, r);
		at += 160 + traffic_below(r, 160);
		if (at < t->n)
			noise_between(t, at, r);
		at += 160 + traffic_below(r, 160);
		if (at >= t->n)
			return;
	}
}

static const struct {
	const char *name;
	void (*apply)(struct traffic *t, size_t at, struct traffic_random *r);
} damages[] = {
	{"hole", hole},
	{"hole of words", hole_of_words},
	{"noise over", noise_over},
	{"noise between", noise_between},
	{"zeros over", zeros_over},
	{"zeros between", zeros_between},
	{"ones over", ones_over},
	{"flipped bit", flipped_bit},
	{"stale over", stale_over},
	{"other format", other_format},
	{"begin lost", begin_lost},
	{"end lost", end_lost},
	{"close together", close_together},
};

const char *traffic_damage_name(unsigned damage)
{
	return damage < ARRAY_SIZE(damages) ? damages[damage].name : NULL;
}

void traffic_damage(struct traffic *t, unsigned damage, size_t at, struct traffic_random *r)
{
	damages[damage].apply(t, at, r);
}
