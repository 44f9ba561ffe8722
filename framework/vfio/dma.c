/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for DMA: huge pages, which stay where they are, at the physical addresses that /proc/self/pagemap tells; an
 * IOMMU maps them one to one. Without one, a device that is programmed wrongly writes to memory of others. Only
 * functions that vfio-pci has, whose Bus Master goes off with this process, are given some.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/vfio/bus_internal.h"

#define HUGE_BYTES	(2u << 20)
#define HUGE_MAX	256u /* maximum number of pages tried for a contiguous run */
#define RESERVE		64u  /* pages to reserve in the kernel */
#define PAGEMAP_FRAME	0x7fffffffffffffull
#define PAGEMAP_PRESENT (1ull << 63)

struct huge {
	void *at;
	uint64_t physical;
};

/* 0: nobody may know. */
static uint64_t physical_of(int pagemap, const void *at)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entry = 0;
	ssize_t n = pread(pagemap, &entry, sizeof(entry), (off_t)((uintptr_t)at / page * sizeof(entry)));

	return n == sizeof(entry) && entry & PAGEMAP_PRESENT ? (entry & PAGEMAP_FRAME) * page : 0;
}

static bool take_huge(int pagemap, struct huge *h)
{
	h->at = mmap(NULL, HUGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << MAP_HUGE_SHIFT | MAP_POPULATE | MAP_LOCKED, -1,
		     0);
	if (h->at == MAP_FAILED)
		return false;
	h->physical = physical_of(pagemap, h->at);
	if (h->physical)
		return true;
	munmap(h->at, HUGE_BYTES);
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct huge *x = a, *y = b;

	return x->physical < y->physical ? -1 : x->physical > y->physical;
}

/* Index of the first of `want` neighbours among sorted pages; n: there are none. */
static size_t find_run(const struct huge *h, size_t n, size_t want)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > first && h[i].physical != h[i - 1].physical + HUGE_BYTES)
			first = i;
		if (i + 1 - first == want)
			return first;
	}
	return n;
}

/* Moves neighbours to one place, in their order. Returns false if the kernel refuses; some may then have moved. */
static bool join(struct huge *h, size_t n)
{
	uint8_t *all = mmap(NULL, (n + 1) * HUGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *at = (uint8_t *)(((uintptr_t)all + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);

	if (all == MAP_FAILED)
		return false;
	if (at > all)
		munmap(all, (size_t)(at - all));
	munmap(at + n * HUGE_BYTES, (size_t)(all + HUGE_BYTES - at));
	for (size_t i = 0; i < n; i++, at += HUGE_BYTES) {
		if (mremap(h[i].at, HUGE_BYTES, HUGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) {
			munmap(at, (n - i) * HUGE_BYTES);
			return false;
		}
		h[i].at = at;
	}
	return true;
}

/* One page more until `want` of them are neighbours. */
static void *gather(struct huge *h, size_t want, uint64_t *dma)
{
	_autoclose_ int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t n = 0, first = 0;

	while (pagemap >= 0 && first == n && n < HUGE_MAX && take_huge(pagemap, &h[n])) {
		qsort(h, ++n, sizeof(*h), by_address);
		first = find_run(h, n, want);
	}
	bool joined = first < n && join(h + first, want);
	for (size_t i = 0; i < n; i++)
		if (!joined || i < first || i >= first + want)
			munmap(h[i].at, HUGE_BYTES);
	if (!joined)
		return NULL;
	*dma = h[first].physical;
	return h[first].at;
}

/* Where that is noted, the kernel is asked for huge pages, once; it gives as many as it can. */
static bool reserve(struct pv_vfio_bus *b)
{
	static const char file[] = "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
	char text[16];
	uint32_t now;

	if (b->reserved || !pv_linux_notes(b->l) || pv_sysfs_read_number(PV_LINUX_PATH(b->l, file), &now))
		return false;
	b->reserved = true;
	snprintf(text, sizeof(text), "%" PRIu32, now + RESERVE);
	return !pv_vfio_note_file(b->l, file) && !pv_sysfs_write(PV_LINUX_PATH(b->l, file), text);
}

void *pv_vfio_bus_dma_alloc(void *bus, pv_bdf bdf, size_t bytes, uint64_t *dma)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);
	size_t want = (bytes + HUGE_BYTES - 1) / HUGE_BYTES;
	_autofree_ struct huge *h = NULL;

	if (!f || f->vfio.device < 0 || !want || want > HUGE_MAX)
		return NULL;
	h = calloc(HUGE_MAX, sizeof(*h));
	void *at = h ? gather(h, want, dma) : NULL;
	if (h && !at && reserve(bus))
		at = gather(h, want, dma);
	if (at && !pv_vfio_group_map(f->vfio.group, at, want * HUGE_BYTES, *dma)) {
		munmap(at, want * HUGE_BYTES);
		at = NULL;
	}
	return at;
}

void pv_vfio_bus_dma_free(void *bus, pv_bdf bdf, void *cpu, size_t bytes, uint64_t dma)
{
	const struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);
	size_t whole = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;

	if (f && f->vfio.group)
		pv_vfio_group_unmap(f->vfio.group, whole, dma);
	munmap(cpu, whole);
}
