/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests by BAR: see stat_bars.h. */
#include "framework/analysis/stat_bars.h"

#include <errno.h>
#include <stdlib.h>

#include "framework/analysis/kind_lut.h"

static int by_address(const void *a, const void *b)
{
	const struct pv_stat_bar *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

/* Returns the last byte of a BAR, at most the last address. */
static uint64_t last_of(const struct pv_stat_bar *b)
{
	return b->size - 1 > UINT64_MAX - b->address ? UINT64_MAX : b->address + b->size - 1;
}

size_t pv_stat_bars_sort(struct pv_stat_bar *bars, size_t n)
{
	size_t sized = 0, kept = 0;
	uint64_t reached = 0;

	for (size_t i = 0; i < n; i++)
		if (bars[i].size)
			bars[sized++] = bars[i];
	if (sized)
		qsort(bars, sized, sizeof(*bars), by_address);
	for (size_t i = 0; i < sized; i++) {
		struct pv_stat_bar b = bars[i];
		bool is_alone = (!i || b.address > reached) && (i + 1 == sized || bars[i + 1].address > last_of(&b));

		reached = !i || last_of(&b) > reached ? last_of(&b) : reached;
		if (is_alone)
			bars[kept++] = b;
	}
	return kept;
}

int pv_stat_bars_init(struct pv_stat_bars *b, const struct pv_stat_bar *bars, size_t n)
{
	*b = (struct pv_stat_bars){.n = n};
	if (!n)
		return 0;
	b->of = calloc(n, sizeof(*b->of));
	if (!b->of)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		b->of[i].bar = bars[i];
	b->begin = bars[0].address;
	b->length = last_of(&bars[n - 1]) - b->begin;
	return 0;
}

void pv_stat_bars_free(struct pv_stat_bars *b)
{
	free(b->of);
	*b = (struct pv_stat_bars){0};
}

/* Returns the BAR that contains an address between the first and the last BAR. NULL: none. */
static struct pv_stat_bar_use *find(struct pv_stat_bars *b, uint64_t address)
{
	size_t low = 0, high = b->n;

	if (address - b->of[b->last].bar.address < b->of[b->last].bar.size)
		return &b->of[b->last];
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (b->of[middle].bar.address <= address)
			low = middle;
		else
			high = middle;
	}
	b->last = low;
	return address - b->of[low].bar.address < b->of[low].bar.size ? &b->of[low] : NULL;
}

static void add(struct pv_stat_bar_use *u, const struct pv_kind_lut_kind *k, unsigned length)
{
	unsigned bytes = 4 * length;

	if (k->marked_flow == 0) {
		u->writes++;
		u->write_bytes += bytes;
		u->largest_write = bytes > u->largest_write ? bytes : u->largest_write;
	} else if (k->marked_flow == 1) {
		u->reads++;
		u->asked_bytes += bytes;
		u->largest_read = bytes > u->largest_read ? bytes : u->largest_read;
	} else {
		u->others++;
	}
}

void pv_stat_bars_count(struct pv_stat_bars *b, enum pv_record_format f, const uint8_t *data, size_t n)
{
	for (size_t i = 0; b->n && i < n; i++) {
		struct pv_words w = pv_words(f == PV_RECORD_8DW, data + i * pv_record_bytes(f));
		const struct pv_kind_lut_kind *k = &pv_kind_lut_table[w.code];
		uint64_t address = (k->four_dw ? (uint64_t)w.dw2 << 32 | w.dw3 : w.dw2) & ~(uint64_t)3;
		struct pv_stat_bar_use *u;

		if (!k->has_address || k->kind == PV_TLP_IORD || k->kind == PV_TLP_IOWR ||
		    address - b->begin > b->length)
			continue;
		u = find(b, address);
		if (u)
			add(u, k, w.length);
	}
}

void pv_stat_bars_merge(struct pv_stat_bars *b, const struct pv_stat_bars *from)
{
	for (size_t i = 0; i < b->n; i++) {
		struct pv_stat_bar_use *to = &b->of[i];
		const struct pv_stat_bar_use *u = &from->of[i];

		to->writes += u->writes;
		to->write_bytes += u->write_bytes;
		to->reads += u->reads;
		to->asked_bytes += u->asked_bytes;
		to->others += u->others;
		to->largest_write = u->largest_write > to->largest_write ? u->largest_write : to->largest_write;
		to->largest_read = u->largest_read > to->largest_read ? u->largest_read : to->largest_read;
	}
}

static uint64_t requests(const struct pv_stat_bar_use *u)
{
	return u->writes + u->reads + u->others;
}

static int by_use(const void *a, const void *b)
{
	const struct pv_stat_bar_use *x = a, *y = b;

	if (x->write_bytes != y->write_bytes)
		return x->write_bytes < y->write_bytes ? 1 : -1;
	if (requests(x) != requests(y))
		return requests(x) < requests(y) ? 1 : -1;
	return by_address(&x->bar, &y->bar);
}

void pv_stat_bars_rank(struct pv_stat_bars *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n; i++)
		if (requests(&b->of[i]))
			b->of[kept++] = b->of[i];
	b->n = kept;
	if (kept)
		qsort(b->of, kept, sizeof(*b->of), by_use);
}
