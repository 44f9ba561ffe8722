/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for DMA, with pages that need no huge pages of this machine; their physical addresses are made up. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/vfio/bus_internal.h"

#define HUGE_BYTES	(2u << 20)
#define PAGES_MAX	8u
#define PAGEMAP_PRESENT (1ull << 63)

static void *places[2 * PAGES_MAX]; /* all addresses that pages have had */
static unsigned n_places, taken;
static unsigned moves_left; /* pages that the kernel moves */

/* Instead of libc's. */
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	bool huge = flags & MAP_HUGETLB;

	if (huge && taken == PAGES_MAX)
		return MAP_FAILED;
	void *got = (void *)syscall(SYS_mmap, at, bytes, protection, huge ? MAP_PRIVATE | MAP_ANONYMOUS : flags, fd,
				    offset);
	if (huge)
		places[n_places++] = got;
	taken += huge;
	return got;
}

void *mremap(void *at, size_t was, size_t bytes, int flags, ...)
{
	va_list rest;

	va_start(rest, flags);
	void *to = va_arg(rest, void *);
	va_end(rest);
	places[n_places++] = to;
	if (moves_left) {
		moves_left--;
		return (void *)syscall(SYS_mremap, at, was, bytes, flags, to);
	}
	errno = ENOMEM;
	return MAP_FAILED;
}

/* The entry in the pagemap of the page that was taken last. */
ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	if (!taken)
		return syscall(SYS_pread64, fd, buf, n, at);
	*(uint64_t *)buf = PAGEMAP_PRESENT | (uint64_t)(1 + taken) * HUGE_BYTES / (uint64_t)sysconf(_SC_PAGESIZE);
	return (ssize_t)n;
}

static struct pv_vfio_group group;
static struct pv_vfio_func func = {.bdf = PCI_BDF(1, 0, 0), .vfio = {.group = &group}};
static struct pv_vfio_bus bus = {.func = &func, .n = 1, .reserved = true};

static bool is_mapped(void *at)
{
	return !msync(at, (size_t)sysconf(_SC_PAGESIZE), MS_ASYNC);
}

static unsigned count_mapped(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_places; i++)
		n += is_mapped(places[i]);
	return n;
}

Test(dma, neighbours_are_joined)
{
	uint64_t dma = 0;

	moves_left = 3;
	void *at = pv_vfio_bus_dma_alloc(&bus, func.bdf, 3 * HUGE_BYTES, &dma);
	cr_assert_not_null(at);
	cr_expect_eq(dma, 2 * HUGE_BYTES);
	cr_expect_eq(count_mapped(), 3);
	pv_vfio_bus_dma_free(&bus, func.bdf, at, 3 * HUGE_BYTES, dma);
	cr_expect_eq(count_mapped(), 0);
}

Test(dma, pages_that_cannot_all_be_moved_are_given_back)
{
	uint64_t dma;

	moves_left = 1;
	cr_expect_null(pv_vfio_bus_dma_alloc(&bus, func.bdf, 3 * HUGE_BYTES, &dma));
	cr_expect_eq(taken, 3, "no more pages are tried: %u", taken);
	cr_expect_eq(count_mapped(), 0);
}
