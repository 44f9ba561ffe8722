/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of BARs, mapped through sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/vfio/bus_internal.h"

/* Its file, resource0 to resource5. */
static int open_bar(struct pv_vfio_bus *b, pv_bdf bdf, unsigned bar, uint64_t *size)
{
	struct stat st;
	int fd = open(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/resource%u", pv_bdf_name(bdf).s, bar),
		      O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	if (fstat(fd, &st)) {
		int err = -errno;

		close(fd);
		return err;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

/* Where the BAR begins in its first page. */
static uint32_t offset_in_page(struct pv_vfio_bus *b, pv_bdf bdf, unsigned bar, uint32_t page)
{
	return b->bus.cfg_read(b, bdf, PCI_BAR(bar), 4) & ~0xfu & (page - 1);
}

static int map_part(struct pv_vfio_bus *b, pv_bdf bdf, int fd, struct pv_vfio_map *m)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint32_t begin = offset_in_page(b, bdf, m->bar, page) + m->off, down = begin & ~(page - 1);

	m->page_bytes = begin - down + m->bytes;
	m->page = mmap(NULL, m->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, down);
	if (m->page == MAP_FAILED)
		return -errno;
	m->at = (uint8_t *)m->page + (begin - down);
	return 0;
}

static int map_bar(struct pv_vfio_bus *b, struct pv_vfio_func *f, struct pv_vfio_map *m)
{
	uint64_t size;
	_autoclose_ int fd = open_bar(b, f->bdf, m->bar, &size);

	if (fd < 0)
		return fd;
	if (!m->bytes || m->bytes > size || m->off > size - m->bytes)
		return -EINVAL;
	return map_part(b, f->bdf, fd, m);
}

int pv_vfio_bus_map(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);
	int err = f && bar < PV_BUS_BARS ? pv_vfio_bus_take(bus, f) : -ENODEV;
	struct pv_vfio_map *m = err ? NULL : calloc(1, sizeof(*m));

	if (!m)
		return err ? err : -ENOMEM;
	*m = (struct pv_vfio_map){.next = f->maps, .bar = bar, .off = off, .bytes = bytes};
	m->noted = calloc(bytes / 4 + 1, sizeof(*m->noted));
	err = m->noted ? map_bar(bus, f, m) : -ENOMEM;
	if (err) {
		free(m->noted);
		free(m);
	} else
		f->maps = m;
	return err;
}

static void unmap(struct pv_vfio_map **at)
{
	struct pv_vfio_map *m = *at;

	*at = m->next;
	munmap(m->page, m->page_bytes);
	free(m->noted);
	free(m);
}

void pv_vfio_bus_unmap(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);

	for (struct pv_vfio_map **at = f ? &f->maps : NULL; at && *at; at = &(*at)->next)
		if ((*at)->bar == bar && (*at)->off == off && (*at)->bytes == bytes) {
			unmap(at);
			return;
		}
}

void pv_vfio_bus_unmap_all(struct pv_vfio_func *f)
{
	while (f->maps)
		unmap(&f->maps);
}

/* NULL: the driver has not mapped it, or the function has left. */
static struct pv_vfio_map *find(struct pv_vfio_bus *b, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(b, bdf);

	for (struct pv_vfio_map *m = f ? f->maps : NULL; m; m = m->next)
		if (m->bar == bar && off >= m->off && off - m->off < m->bytes && bytes <= m->bytes - (off - m->off))
			return m;
	return NULL;
}

uint64_t pv_vfio_bus_mmio_read(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	const struct pv_vfio_map *m = find(bus, bdf, bar, off, bytes);

	if (!m)
		return UINT64_MAX;
	const void *at = m->at + (off - m->off);
	return bytes == 8 ? *(const volatile uint64_t *)at : *(const volatile uint32_t *)at;
}

/* Journals the old value of a BAR register before the first write to it. */
static void note(struct pv_vfio_bus *b, pv_bdf bdf, struct pv_vfio_map *m, uint32_t off, unsigned bytes)
{
	bool *noted = m->noted + (off - m->off) / 4;

	if (!pv_linux_notes(b->l) || (noted[0] && (bytes == 4 || noted[1])))
		return;
	int err = pv_linux_note_reg(b->l, bdf, (int)m->bar, off, bytes);
	if (err)
		pv_vfio_bus_give_up(bdf, err);
	noted[0] = true;
	if (bytes == 8)
		noted[1] = true;
}

void pv_vfio_bus_mmio_write(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_vfio_map *m = find(bus, bdf, bar, off, bytes);

	if (!m)
		return;
	note(bus, bdf, m, off, bytes);
	void *at = m->at + (off - m->off);
	if (bytes == 8)
		*(volatile uint64_t *)at = value;
	else
		*(volatile uint32_t *)at = (uint32_t)value;
}
