/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log-likelihood ratios of records against noise (every bit by chance). A record keeps the rules, or resembles earlier
 * ones of its kind, or, rarely, neither. The figures are log2 of the shares of records and of noise with the property.
 * The share of noise was counted; that of records is a guess, which need not be accurate, since evidence adds up.
 */
#include "framework/trace/likelihood.h"

#include "framework/trace/header_check.h"

#define BIT PV_BIT

enum {
	/* Evidence of a record that keeps the rules: */
	REGULAR = 7 * BIT,   /* half of the records have long addresses and such, and 1/380 of noise */
	STALE = 5 * BIT,     /* a short header is followed by a word other than 0: 1/8, and 1/285 */
	HINTED = 3 * BIT,    /* with TH: 1/8, and 1/85 */
	COARSE = 2 * BIT,    /* the low bits of the time are constant, as those of addresses */
	PASSABLE = -1 * BIT, /* all of pv_strict_4dw(): 1/10, and 1/5 */
	/* and of one that does not: its kind is regular; has such records; was never seen */
	FIRST = -24 * BIT,
	AGAIN = -6 * BIT,
	UNKNOWN = -12 * BIT,
	ANYTHING = -12 * BIT,
	/* In step: its only evidence is that it resembles others */
	FAMILIAR = 4 * BIT, /* of a kind that is not defined, and so has no rules */
	FAMILIAR_DEFINED = 1 * BIT,
	FAMILIAR_REGULAR = 18 * BIT,
	LIKE_OTHERS = -1 * BIT,	   /* half of the records look like others */
	FUNCTION_KNOWN = 10 * BIT, /* 64 of 65536 are */
	FUNCTION_NEW = -4 * BIT,
	GENERATION = 64,
	KNOWN = 4, /* records of a kind that show what is usual */
	TIME_BITS = 0x7ff,
	CLOCK = 4,		 /* records in which time goes on */
	PARTIAL_MARK = 42 * BIT, /* hisi-ptt.rst has ones below the mark, which perf does not check: 1/2048 */
};

/* Evidence of a bit that was the same in all of `seen` records, by log2(seen): if it is again, and if not (Laplace). */
static const int8_t same[] = {7, 9, 12, 14, 15, 15, 16}, differs[] = {-9, -16, -25, -37, -51, -65, -81};

/* ---- resemblance ---- */

static unsigned count(uint64_t v)
{
	return (unsigned)__builtin_popcountll(v);
}

static unsigned place_of(const uint8_t *p)
{
	unsigned fmt = pv_dw(p, 0) >> 30, type = pv_dw(p, 0) >> 25 & 0x1f;

	return 18 * fmt + (type < 16 ? type : 14 + (type >> 3));
}

/* The bits to compare: all but the time; the function is looked up. */
static void words(const uint8_t *p, uint64_t w[2])
{
	w[0] = (pv_dw(p, 0) & 0x01fff800) | (uint64_t)(pv_dw(p, 1) & 0xffff) << 32;
	w[1] = pv_dw(p, 2) | (uint64_t)pv_dw(p, 3) << 32;
}

static const uint64_t meant[2] = {0x0000ffff01fff800, UINT64_MAX};

static uint32_t function_of(const uint8_t *p)
{
	return pv_dw(p, 1) >> 16;
}

static unsigned function_place(uint32_t id)
{
	return (id * 0x9e3779b1u) >> 26; /* 64 places */
}

static bool is_function_known(const struct pv_bit_stats *l, const uint8_t *p)
{
	return l->functions[function_place(function_of(p))] == function_of(p) + 1;
}

/* Returns all bits of the bytes that are 0. */
static uint64_t zero_bytes(uint64_t w)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f;

	return (~(((w & low7) + low7) | w | low7) >> 7) * 0xff;
}

/*
 * By the bits that never changed. Shifted records have zeros too, more than noise has: those of a byte count as two
 * bits.
 */
static int evidence_of_bits(const struct pv_look *look, const uint8_t *p)
{
	unsigned right = 0, wrong = 0, row;
	uint64_t w[2];

	if (!look->seen)
		return 0;
	words(p, w);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t fixed = ~(look->ones[i] & look->zeros[i]) & meant[i];
		uint64_t off = (w[i] ^ look->ones[i]) & fixed, zero = zero_bytes(w[i]);

		wrong += count(off);
		right += count(fixed & ~off & ~zero) + count(fixed & ~off & zero) / 4;
	}
	row = 31 - (unsigned)__builtin_clz(look->seen);
	row = row < sizeof(same) ? row : sizeof(same) - 1;
	return (int)right * same[row] + (int)wrong * differs[row];
}

static int evidence_of_look(const struct pv_bit_stats *l, const uint8_t *p)
{
	return evidence_of_bits(&l->known[place_of(p)], p) + (is_function_known(l, p) ? FUNCTION_KNOWN : FUNCTION_NEW);
}

bool pv_bit_stats_strange(const struct pv_bit_stats *l, const uint8_t *p)
{
	const struct pv_look *look = &l->known[place_of(p)];

	return !look->seen || evidence_of_bits(look, p) < 0;
}

bool pv_bit_stats_usual(const struct pv_bit_stats *l, const uint8_t *p)
{
	const struct pv_look *look = &l->known[place_of(p)];
	uint64_t w[2], unlike = 0;

	words(p, w);
	for (unsigned i = 0; i < 2; i++)
		unlike |= ((w[i] & ~look->ones[i]) | (~w[i] & ~look->zeros[i])) & meant[i];
	return look->seen >= KNOWN && !unlike;
}

static void add(struct pv_look *look, const uint64_t w[2], bool irregular)
{
	look->seen++;
	look->irregular |= irregular;
	for (unsigned i = 0; i < 2; i++) {
		look->ones[i] |= w[i];
		look->zeros[i] |= ~w[i];
	}
}

void pv_bit_stats_learn(struct pv_bit_stats *l, const uint8_t *p)
{
	struct pv_look *known = &l->known[place_of(p)], *now = &l->now[place_of(p)];
	bool irregular = !pv_regular_4dw(p);
	uint64_t w[2];

	words(p, w);
	if (now->seen == GENERATION) {
		*known = *now;
		*now = (struct pv_look){0};
	}
	add(known, w, irregular);
	add(now, w, irregular);
	l->functions[function_place(function_of(p))] = function_of(p) + 1;
}

/* ---- evidence ---- */

/* Evidence of the time's bits, which change from record to record like those of a clock. */
static uint32_t changing_time(const uint8_t *p, size_t n)
{
	uint32_t changing = 0;

	if (n < CLOCK * PTT_RECORD_4DW_BYTES)
		return TIME_BITS;
	for (size_t i = 1; i < CLOCK; i++)
		changing |= pv_dw(p, 0) ^ pv_dw(p + i * PTT_RECORD_4DW_BYTES, 0);
	return changing & TIME_BITS;
}

static int by_rules(const uint8_t *p, size_t n, bool strict, bool regular)
{
	bool is_short = !(pv_dw(p, 0) & 1u << 30);
	uint32_t time;

	if (!strict)
		return ANYTHING;
	time = regular ? changing_time(p, n) : 0;
	if (!time)
		return PASSABLE;
	if (!(time & 3))
		return COARSE;
	if (pv_dw(p, 0) & PV_TH_4DW)
		return HINTED;
	return is_short && pv_dw(p, 3) ? STALE : REGULAR;
}

static int by_look(const struct pv_bit_stats *l, const uint8_t *p, bool regular)
{
	const struct pv_look *look = &l->known[place_of(p)];
	int evidence = evidence_of_look(l, p) + LIKE_OTHERS;

	if (regular)
		return evidence;
	return evidence + (!look->seen ? UNKNOWN : look->irregular ? AGAIN : FIRST);
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

int pv_likelihood_4dw(const struct pv_bit_stats *l, const uint8_t *p, size_t n)
{
	bool strict = pv_strict_4dw(p), regular = strict && pv_regular_4dw(p);

	return pv_good_4dw(p) ? max(by_look(l, p, regular), by_rules(p, n, strict, regular)) : PV_NEVER;
}

int pv_likelihood_in_step(const struct pv_bit_stats *l, const uint8_t *p, size_t n, bool first)
{
	bool strict = pv_strict_4dw(p), regular = strict && pv_regular_4dw(p);
	int look = by_look(l, p, regular), most = first ? REGULAR : FAMILIAR_REGULAR;

	if (!pv_good_4dw(p))
		return PV_NEVER;
	if (by_rules(p, n, strict, regular) != REGULAR)
		most = pv_kind_4dw(p) ? FAMILIAR_DEFINED : FAMILIAR;
	if (strict)
		look = max(look, FAMILIAR_DEFINED);
	return look < most ? look : most;
}

bool pv_likelihood_all_well(const struct pv_bit_stats *l, const uint8_t *p, unsigned records)
{
	int enough = (int)records / 2 * FAMILIAR_REGULAR, sum = 0;

	for (unsigned i = 0; i < records && sum < enough; i++, p += PTT_RECORD_4DW_BYTES) {
		int here = pv_likelihood_4dw(l, p, PTT_RECORD_4DW_BYTES);

		sum += here < FAMILIAR_REGULAR ? here : FAMILIAR_REGULAR;
	}
	return sum >= enough;
}

/*
 * The mark alone, a header of a kind that is or may be defined, and a valid prefix, followed by the next record or the
 * end: the reserved word of a record that a hole has torn belongs to another one.
 */
static int likely_with_reserved_bits(const uint8_t *p, size_t n)
{
	uint32_t dw0 = pv_dw(p, 2);
	bool goes_on = n < PTT_RECORD_8DW_BYTES + 4 || pv_good_8dw(p + PTT_RECORD_8DW_BYTES);

	if (!pv_prefix_8dw(p) || dw0 >> 31 || !goes_on)
		return PV_NEVER;
	return pv_tlp_kind(dw0 >> 29, dw0 >> 24 & 0x1f) == PV_TLP_UNDEFINED ? 16 * BIT : 24 * BIT;
}

int pv_likelihood_8dw(const uint8_t *p, size_t n)
{
	if (!pv_good_8dw(p))
		return PV_NEVER;
	if (pv_reserved_8dw(p))
		return likely_with_reserved_bits(p, n);
	/* The mark and the reserved word; and one of the prefix and the bits below the mark may be odd. */
	if (pv_full_mark_8dw(p))
		return (pv_prefix_8dw(p) ? 64 : 48) * BIT;
	return pv_prefix_8dw(p) ? PARTIAL_MARK : PV_NEVER;
}
