/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block loop of the statistics. One counter per kind and length serves kinds, bytes and sizes at once; one packed
 * word per requester serves its TLPs and its bytes. A table indexed by one byte of the header gives the properties of a
 * kind, so that the loop has no branch but its end. Address ranges are in an open-addressing table.
 */
#include "framework/analysis/stat_count.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"
#include "framework/analysis/match.h"

#define PACK_TLP    ((uint64_t)1 << 40)
#define PACK_DW	    (PACK_TLP - 1)
#define PACK_MAX    ((1u << 24) - 1) /* records until a packed word could overflow */
#define NO_BODY	    (1u << 16)
#define STRETCH	    512 /* requesters that are looked at together */
/* A word holds three sums of lengths of up to WEIGHED_MAX records. */
#define WEIGHT_BITS 21
#define WEIGHT_MASK (((uint64_t)1 << WEIGHT_BITS) - 1)
#define WEIGHED_MAX 2047
_Static_assert(WEIGHED_MAX *(uint64_t)1024 <= WEIGHT_MASK, "the sums of a word do not meet");

/* Properties of a kind for the loop, indexed by code: made from pv_kind_lut_table, two in a cache line. */
struct step {
	uint64_t weight;    /* of the length, by WEIGHT_BITS: payload posted, of completions, asked for */
	uint32_t kind;	    /* times PV_STAT_LENGTHS */
	uint32_t data_mask; /* the length is payload */
	uint32_t requester; /* its byte offset in the header */
	uint32_t requester_mask, requester_else;
	uint32_t has_address;
};
static struct step steps[256];
static bool has_length[PV_TLP_KINDS];
static pthread_once_t steps_once = PTHREAD_ONCE_INIT;

static void fill_steps(void)
{
	pv_kind_lut_init();
	for (unsigned i = 0; i < 256; i++) {
		const struct pv_kind_lut_kind *k = &pv_kind_lut_table[i];
		bool posted = k->has_data && k->cls == PV_CLASS_POSTED,
		     cpl = k->has_data && k->cls == PV_CLASS_COMPLETION;

		has_length[k->kind] = k->has_length;
		steps[i] = (struct step){
			.weight = posted       ? 1
				  : cpl	       ? (uint64_t)1 << WEIGHT_BITS
				  : k->is_read ? (uint64_t)1 << 2 * WEIGHT_BITS
					       : 0,
			.kind = k->kind * PV_STAT_LENGTHS,
			.data_mask = k->has_data ? UINT32_MAX : 0,
			.requester = 4u * (k->requester_word ? k->requester_word : 1) + 2,
			.requester_mask = k->requester_word ? 0xffff : 0,
			.requester_else = k->requester_word ? 0 : NO_BODY,
			.has_address = k->has_address,
		};
	}
}

struct pv_stat_counts *pv_stat_counts_new(void)
{
	pthread_once(&steps_once, fill_steps);
	return calloc(1, sizeof(struct pv_stat_counts));
}

void pv_stat_counts_free(struct pv_stat_counts *c)
{
	free(c);
}

/* Adds the packed sums to the requesters' and begins anew. */
static void unpack(struct pv_stat_counts *c, struct pv_stat_requester *to)
{
	for (size_t first = 0; first < 1 << 16; first += STRETCH) {
		if (pv_all_zero(c->packed + first, STRETCH * sizeof(*c->packed)))
			continue;
		for (size_t i = first; i < first + STRETCH; i++) {
			to[i].tlps += c->packed[i] >> 40;
			to[i].dw += c->packed[i] & PACK_DW;
			c->packed[i] = 0;
		}
	}
	c->pending = 0;
}

static void add_bin(struct pv_timeline *t, unsigned bin, uint64_t tlps, uint64_t weighed)
{
	t->sum[bin][PV_TIMELINE_TLPS] += tlps;
	t->sum[bin][PV_TIMELINE_POSTED_DW] += weighed & WEIGHT_MASK;
	t->sum[bin][PV_TIMELINE_CPL_DW] += weighed >> WEIGHT_BITS & WEIGHT_MASK;
	t->sum[bin][PV_TIMELINE_READ_DW] += weighed >> 2 * WEIGHT_BITS;
}

static inline uint32_t le16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, 2);
	return le16toh(v);
}

/* One header; returns its length, weighed. */
static inline __attribute__((always_inline)) uint64_t count_one(struct pv_stat_counts *c, bool is_8dw, const uint8_t *h)
{
	uint32_t d = pv_le32(h), length = is_8dw ? d : d >> 11;
	const struct step *s = &steps[is_8dw ? d >> 24 : d >> 25];
	uint64_t dw = ((length - 1) & 0x3ff) + 1;

	(&c->sizes[0][0])[s->kind + (length & 0x3ff)]++;
	c->packed[(le16(h + s->requester) & s->requester_mask) | s->requester_else] += PACK_TLP | (dw & s->data_mask);
	return s->weight * dw;
}

/* The first of time[from..n) that is not before `end`. */
static size_t find_time(const uint64_t *time, size_t from, size_t n, uint64_t end)
{
	while (from < n) {
		size_t middle = from + (n - from) / 2;

		if (time[middle] < end)
			from = middle + 1;
		else
			n = middle;
	}
	return n;
}

static inline __attribute__((always_inline)) void count(struct pv_stat_counts *c, bool is_8dw, const uint8_t *p,
							size_t n, const uint64_t *time)
{
	const unsigned size = is_8dw ? 32 : 16, header = is_8dw ? 8 : 0;

	if (n)
		pv_timeline_bin(&c->timeline, time[n - 1]); /* the bins are long enough for all */
	for (size_t i = 0, end; i < n; i = end) {
		unsigned bin = pv_timeline_bin(&c->timeline, time[i]);
		uint64_t weighed = 0;

		end = find_time(time, i, n - i < WEIGHED_MAX ? n : i + WEIGHED_MAX,
				pv_timeline_bin_end(&c->timeline, bin));
#pragma GCC unroll 2
		for (size_t j = i; j < end; j++)
			weighed += count_one(c, is_8dw, p + j * size + header);
		add_bin(&c->timeline, bin, end - i, weighed);
	}
}

void pv_stat_count(struct pv_stat_counts *c, enum pv_record_format f, const uint8_t *data, size_t n,
		   const uint64_t *time)
{
	c->records[f] += n;
	c->pending += n;
	if (c->pending > PACK_MAX) {
		unpack(c, c->requesters);
		c->unpacked = true;
		c->pending = n;
	}
	if (f == PV_RECORD_8DW)
		count(c, true, data, n, time);
	else
		count(c, false, data, n, time);
}

/* ---- address ranges ---- */

#define SHIFT_MAX 63
#define PLACES	  256 /* places that are looked at together */

_Static_assert(PV_REGIONS_MAX < PV_REGIONS_TABLE, "a search must meet a free place");

void pv_addr_histogram_init(struct pv_addr_histogram *r, unsigned shift)
{
	r->shift = shift;
}

static inline size_t place_of(uint64_t number)
{
	return number * 0x9e3779b97f4a7c15u >> 49; /* of PV_REGIONS_TABLE */
}

static struct pv_addr_range *find(struct pv_addr_histogram *r, uint64_t number)
{
	size_t i = place_of(number);

	while (r->table[i].tlps && r->table[i].number != number)
		i = (i + 1) % PV_REGIONS_TABLE;
	return &r->table[i];
}

static void put(struct pv_addr_histogram *r, uint64_t number, uint64_t tlps, uint64_t dw)
{
	struct pv_addr_range *p = find(r, number);

	r->n += !p->tlps;
	p->number = number;
	p->tlps += tlps;
	p->dw += dw;
}

/* Returns true if this part of the table is empty. */
static bool is_empty(const struct pv_addr_histogram *r, size_t i)
{
	return !(i % PLACES) && pv_all_zero(&r->table[i], PLACES * sizeof(r->table[i]));
}

static size_t pack(struct pv_addr_histogram *r)
{
	size_t n = 0;

	for (size_t i = 0; i < PV_REGIONS_TABLE; i++) {
		if (is_empty(r, i)) {
			i += PLACES - 1;
			continue;
		}
		if (!r->table[i].tlps)
			continue;
		r->table[n] = r->table[i];
		if (n++ != i)
			r->table[i] = (struct pv_addr_range){0};
	}
	return n;
}

static int by_number(const void *a, const void *b)
{
	const struct pv_addr_range *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Larger ranges: sorted by number, neighbours are next to each other; then they find their places again. */
static void coarsen(struct pv_addr_histogram *r)
{
	size_t n = pack(r), m = 0;

	qsort(r->table, n, sizeof(r->table[0]), by_number);
	r->shift++;
	for (size_t i = 0; i < n; i++) {
		struct pv_addr_range one = r->table[i];

		one.number >>= 1;
		if (m && r->sorted[m - 1].number == one.number) {
			r->sorted[m - 1].tlps += one.tlps;
			r->sorted[m - 1].dw += one.dw;
		} else {
			r->sorted[m++] = one;
		}
	}
	memset(r->table, 0, n * sizeof(r->table[0]));
	r->n = 0;
	for (size_t i = 0; i < m; i++)
		put(r, r->sorted[i].number, r->sorted[i].tlps, r->sorted[i].dw);
}

static __attribute__((noinline)) void add_slow(struct pv_addr_histogram *r, uint64_t address, uint64_t tlps,
					       uint64_t dw)
{
	while (r->n >= PV_REGIONS_MAX && !find(r, address >> r->shift)->tlps && r->shift < SHIFT_MAX)
		coarsen(r);
	put(r, address >> r->shift, tlps, dw);
}

inline __attribute__((always_inline)) void pv_addr_histogram_add(struct pv_addr_histogram *r, uint64_t address,
								 uint64_t dw)
{
	uint64_t number = address >> r->shift;
	struct pv_addr_range *p = &r->table[place_of(number)];

	if (p->number != number || !p->tlps) {
		add_slow(r, address, 1, dw);
		return;
	}
	p->tlps++;
	p->dw += dw;
}

void pv_addr_histogram_merge(struct pv_addr_histogram *r, const struct pv_addr_histogram *from)
{
	while (r->shift < from->shift)
		coarsen(r);
	for (size_t i = 0; i < PV_REGIONS_TABLE; i++) {
		const struct pv_addr_range *f = &from->table[i];

		if (is_empty(from, i))
			i += PLACES - 1;
		else if (f->tlps)
			add_slow(r, f->number << from->shift, f->tlps, f->dw);
	}
}

static int by_size(const void *a, const void *b)
{
	const struct pv_addr_range *x = a, *y = b;

	if (x->dw != y->dw)
		return x->dw < y->dw ? 1 : -1;
	if (x->tlps != y->tlps)
		return x->tlps < y->tlps ? 1 : -1;
	return by_number(a, b);
}

void pv_addr_histogram_sort(struct pv_addr_histogram *r)
{
	qsort(r->table, pack(r), sizeof(r->table[0]), by_size);
}

/* Records with an address come first: whether the next one has an address is unpredictable, and a mispredicted branch
 * costs more than the copy. */
static inline __attribute__((always_inline)) void regions(struct pv_addr_histogram *r, bool is_8dw, const uint8_t *p,
							  size_t n)
{
	const size_t size = is_8dw ? 32 : 16, header = is_8dw ? 8 : 0;
	uint16_t list[PV_MATCH_PIECE];
	size_t listed = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t d = pv_le32(p + i * size + header);

		list[listed] = (uint16_t)i;
		listed += steps[is_8dw ? d >> 24 : d >> 25].has_address;
	}
	for (size_t i = 0; i < listed; i++) {
		struct pv_words w = pv_words(is_8dw, p + list[i] * size);
		const struct pv_kind_lut_kind *k = &pv_kind_lut_table[w.code];

		pv_addr_histogram_add(r, k->four_dw ? (uint64_t)w.dw2 << 32 | (w.dw3 & ~3u) : w.dw2 & ~3u,
				      k->has_data || k->is_read ? w.length : 0);
	}
}

void pv_stat_count_regions(struct pv_addr_histogram *r, enum pv_record_format f, const uint8_t *data, size_t n)
{
	if (f == PV_RECORD_8DW)
		regions(r, true, data, n);
	else
		regions(r, false, data, n);
}

/* ---- sums ---- */

static void add_requesters(struct pv_stat_counts *c, struct pv_stat_requester *to)
{
	unpack(c, to);
	for (size_t i = 0; c->unpacked && i < 1 << 16; i++) {
		to[i].tlps += c->requesters[i].tlps;
		to[i].dw += c->requesters[i].dw;
	}
}

static void add_sizes(const struct pv_stat_counts *c, uint64_t to[32][PV_STAT_LENGTHS])
{
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		if (pv_all_zero(c->sizes[k], sizeof(c->sizes[k])))
			continue;
		for (unsigned l = 0; l < PV_STAT_LENGTHS; l++)
			to[k][has_length[k] ? l : 0] += c->sizes[k][l];
	}
}

void pv_stat_counts_into(struct pv_stat_counts *c, uint64_t sizes[32][PV_STAT_LENGTHS],
			 struct pv_stat_requester *requesters, struct pv_timeline *timeline)
{
	add_sizes(c, sizes);
	add_requesters(c, requesters);
	pv_timeline_merge(timeline, &c->timeline);
}
