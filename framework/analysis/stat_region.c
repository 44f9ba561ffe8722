/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters by address range, in an open-addressing hash table: see stat_count.h. */
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"
#include "framework/analysis/match.h"
#include "framework/analysis/stat_count.h"

#define SHIFT_MAX 63
#define PLACES	  256 /* number of places tested for zero at once */
/* From a place that is taken to the next: odd, so that it meets all, and to another group, which may not be full. */
#define NEXT	  12609

_Static_assert(PV_REGIONS_MAX < PV_REGIONS_TABLE, "a search must meet a free place");

void pv_addr_histogram_init(struct pv_addr_histogram *r, unsigned shift)
{
	r->shift = shift;
}

static struct pv_addr_range *find(struct pv_addr_histogram *r, uint64_t number)
{
	size_t i = pv_addr_histogram_place(number);

	while (r->table[i].tlps && r->table[i].number != number)
		i = (i + NEXT) % PV_REGIONS_TABLE;
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

/* Returns true if i begins a group of PLACES empty places. */
static bool is_empty(const struct pv_addr_histogram *r, size_t i)
{
	return !(i % PLACES) && pv_all_zero(&r->table[i], PLACES * sizeof(r->table[i]));
}

static size_t pack(struct pv_addr_histogram *r)
{
	size_t n = 0;

	for (size_t i = 0; i < PV_REGIONS_TABLE && n < r->n; i++) {
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

/* Doubles the size of ranges: sorts them by number, merges neighbours, and inserts them again. */
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

void pv_addr_histogram_add_slow(struct pv_addr_histogram *r, uint64_t address, uint64_t tlps, uint64_t dw)
{
	while (r->n >= PV_REGIONS_MAX && !find(r, address >> r->shift)->tlps && r->shift < SHIFT_MAX)
		coarsen(r);
	put(r, address >> r->shift, tlps, dw);
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
			pv_addr_histogram_add_slow(r, f->number << from->shift, f->tlps, f->dw);
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
