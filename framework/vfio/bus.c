/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the bus, their configuration space and BARs, and the bus as a whole. */
#include "framework/vfio/bus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/vfio/bus_internal.h"

#define NS_PER_S  1000000000ull
#define CPUS_MAX  64u
#define CPUS_TEXT 4096 /* of a bitmap of CPUs: the kernel prints one page */

enum { CONFIG_BYTES = 4096 };

/* ---- parts of BARs, mapped through sysfs ---- */

static int bar_map(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);
	int err = f && bar < PV_BUS_BARS ? pv_vfio_bus_take(bus, f) : -ENODEV;
	struct pv_vfio_map *m = err ? NULL : calloc(1, sizeof(*m));

	if (!m)
		return err ? err : -ENOMEM;
	*m = (struct pv_vfio_map){.next = f->maps, .bar = bar, .off = off, .bytes = bytes};
	m->noted = calloc(bytes / 4 + 1, sizeof(*m->noted));
	err = m->noted ? pv_linux_map_bar(((struct pv_vfio_bus *)bus)->l, bdf, (int)bar, off, bytes, true, &m->mapped)
		       : -ENOMEM;
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
	munmap(m->mapped.page, m->mapped.page_bytes);
	free(m->noted);
	free(m);
}

static void bar_unmap(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(bus, bdf);

	for (struct pv_vfio_map **at = f ? &f->maps : NULL; at && *at; at = &(*at)->next)
		if ((*at)->bar == bar && (*at)->off == off && (*at)->bytes == bytes) {
			unmap(at);
			return;
		}
}

/* Unmaps what is left. */
static void unmap_all(struct pv_vfio_func *f)
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

static uint64_t mmio_read(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	const struct pv_vfio_map *m = find(bus, bdf, bar, off, bytes);

	if (!m)
		return UINT64_MAX;
	const void *at = m->mapped.at + (off - m->off);
	return bytes == 8 ? *(const volatile uint64_t *)at : *(const volatile uint32_t *)at;
}

/*
 * Exits because a register cannot be journalled: a write to it could not be undone. The owner of the undo journal
 * restores all other changes.
 */
static __attribute__((noreturn)) void give_up(pv_bdf bdf, int err)
{
	fprintf(stderr, "pcieval-far: %s: noting what a register was, to put it back: %s; the driver stops here\n",
		pv_bdf_name(bdf).s, pv_errno_name(err));
	_exit(PV_EXIT_UNJUDGED);
}

/* Journals the old value of a BAR register before the first write to it. */
static void note(struct pv_vfio_bus *b, pv_bdf bdf, struct pv_vfio_map *m, uint32_t off, unsigned bytes)
{
	bool *noted = m->noted + (off - m->off) / 4;

	if (!pv_linux_notes(b->l) || (noted[0] && (bytes == 4 || noted[1])))
		return;
	int err = pv_linux_note_reg(b->l, bdf, (int)m->bar, off, bytes);
	if (err)
		give_up(bdf, err);
	noted[0] = true;
	if (bytes == 8)
		noted[1] = true;
}

static void mmio_write(void *bus, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_vfio_map *m = find(bus, bdf, bar, off, bytes);

	if (!m)
		return;
	note(bus, bdf, m, off, bytes);
	void *at = m->mapped.at + (off - m->off);
	if (bytes == 8)
		*(volatile uint64_t *)at = value;
	else
		*(volatile uint32_t *)at = (uint32_t)value;
}

/* ---- functions ---- */

static int by_bdf(const void *a, const void *b)
{
	pv_bdf x = ((const struct pv_vfio_func *)a)->bdf, y = ((const struct pv_vfio_func *)b)->bdf;

	return x < y ? -1 : x > y;
}

struct pv_vfio_func *pv_vfio_bus_func(struct pv_vfio_bus *b, pv_bdf bdf)
{
	const struct pv_vfio_func key = {.bdf = bdf};

	return b->n ? bsearch(&key, b->func, b->n, sizeof(key), by_bdf) : NULL;
}

static struct pv_vfio_func new_func(pv_bdf bdf)
{
	struct pv_vfio_func f = {.bdf = bdf, .config = -1, .vfio = {.device = -1}};

	memset(f.vfio.event, -1, sizeof(f.vfio.event));
	return f;
}

static void drop_func(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	pv_vfio_device_close(b, f);
	unmap_all(f);
	free(f->noted);
	if (f->config >= 0)
		close(f->config);
}

struct listing {
	const struct pv_vfio_bus *bus;
	pv_bdf *bdf;
	size_t n, room;
	bool full;
};

static bool is_wanted(const struct pv_vfio_bus *b, pv_bdf bdf)
{
	bool wanted = !b->only;

	for (size_t i = 0; i < b->n_only; i++)
		wanted |= b->only[i] == bdf;
	return wanted;
}

static void list_one(void *ctx, const char *name)
{
	struct listing *list = ctx;
	pv_bdf bdf;
	size_t n = pv_bdf_scan(name, &bdf);

	if (!n || name[n] || !is_wanted(list->bus, bdf))
		return;
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		pv_bdf *more = reallocarray(list->bdf, room, sizeof(*more));

		list->full |= !more;
		if (!more)
			return;
		list->bdf = more;
		list->room = room;
	}
	list->bdf[list->n++] = bdf;
}

static bool is_listed(const struct listing *list, pv_bdf bdf)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->bdf[i] == bdf)
			return true;
	return false;
}

static void drop_gone(struct pv_vfio_bus *b, const struct listing *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (is_listed(list, b->func[i].bdf))
			b->func[kept++] = b->func[i];
		else
			drop_func(b, &b->func[i]);
	}
	b->n = kept;
}

static int add_new(struct pv_vfio_bus *b, const struct listing *list)
{
	struct pv_vfio_func *func = reallocarray(b->func, list->n + 1, sizeof(*func));
	pv_bdf *buses = reallocarray(b->buses, list->n + 1, sizeof(*buses));
	size_t known = b->n;

	b->func = func ? func : b->func;
	b->buses = buses ? buses : b->buses;
	if (!func || !buses)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		const struct pv_vfio_func key = {.bdf = list->bdf[i]};

		if (!known || !bsearch(&key, b->func, known, sizeof(key), by_bdf))
			b->func[b->n++] = new_func(list->bdf[i]);
	}
	qsort(b->func, b->n, sizeof(*b->func), by_bdf);
	return 0;
}

static void note_buses(struct pv_vfio_bus *b)
{
	b->bus.buses = b->buses;
	b->bus.n_buses = 0;
	for (size_t i = 0; i < b->n; i++) {
		pv_bdf bus = PCI_FIRST_ON_BUS(b->func[i].bdf);

		if (!b->bus.n_buses || b->buses[b->bus.n_buses - 1] != bus)
			b->buses[b->bus.n_buses++] = bus;
	}
}

int pv_vfio_bus_refresh(struct pv_vfio_bus *b)
{
	struct listing list = {.bus = b};
	int err = pv_sysfs_list(PV_LINUX_PATH(b->l, "sys/bus/pci/devices"), list_one, &list);

	if (!err && list.full)
		err = -ENOMEM;
	if (!err) {
		drop_gone(b, &list);
		err = add_new(b, &list);
		note_buses(b);
	}
	free(list.bdf);
	return err;
}

void pv_vfio_bus_let_go(struct pv_vfio_bus *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!b->func[i].maps && !b->func[i].line.fn)
			pv_vfio_device_close(b, &b->func[i]);
}

/* ---- configuration space ---- */

/*
 * Opens the file of a function, which stays open, as the driver reads counters through it. -1: no such function, or no
 * permission.
 */
static int config_of(struct pv_vfio_bus *b, pv_bdf bdf)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(b, bdf);

	if (f && f->config < 0)
		f->config = open(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/config", pv_bdf_name(bdf).s),
				 O_RDWR | O_CLOEXEC);
	return f ? f->config : -1;
}

/* A function that has left answers as an empty place does. */
static uint32_t cfg_read(void *bus, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	uint8_t raw[4] = {0};
	int fd = config_of(bus, bdf);
	uint32_t value = 0;

	if (fd < 0 || bytes > sizeof(raw) || pread(fd, raw, bytes, off) != (ssize_t)bytes)
		return UINT32_MAX >> (32 - 8 * bytes);
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)raw[i] << 8 * i;
	return value;
}

/* Journals the old value of a register once for each byte: a driver writes some registers all the time. */
static void note_config(struct pv_vfio_bus *b, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	struct pv_vfio_func *f = pv_vfio_bus_func(b, bdf);
	bool noted = true;

	if (!f || !pv_linux_notes(b->l) || off + bytes > CONFIG_BYTES)
		return;
	if (!f->noted)
		f->noted = calloc(CONFIG_BYTES, sizeof(*f->noted));
	for (uint32_t i = 0; f->noted && i < bytes; i++)
		noted &= f->noted[off + i];
	int err = !f->noted ? -ENOMEM : noted ? 0 : pv_linux_note_reg(b->l, bdf, -1, off, bytes);
	if (err == -ENODEV)
		return; /* it has left */
	if (err)
		give_up(bdf, err);
	memset(f->noted + off, true, bytes);
}

static void cfg_write(void *bus, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	int fd = config_of(bus, bdf);
	uint8_t raw[4];

	note_config(bus, bdf, off, bytes);
	for (unsigned i = 0; i < sizeof(raw); i++)
		raw[i] = (uint8_t)(value >> 8 * i);
	/* A write to what has left is lost on the bus as well. */
	if (fd >= 0 && bytes <= sizeof(raw) && pwrite(fd, raw, bytes, off) < 0)
		return;
}

/* ---- CPUs ---- */

/*
 * The kernel's bitmap, groups of 32 bits with the highest first; CPUs from 64 on are left out, and the reference driver
 * has none of them (CPUS_MAX).
 */
static uint64_t local_cpus(void *bus, pv_bdf bdf)
{
	struct pv_vfio_bus *b = bus;
	char text[CPUS_TEXT], *at = text;
	uint64_t cpus = 0;

	if (pv_sysfs_read(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/local_cpus", pv_bdf_name(bdf).s), text,
			  sizeof(text)) < 0)
		return 0;
	do
		cpus = cpus << 32 | strtoul(at, &at, 16);
	while (*at++ == ',');
	return cpus;
}

/* ---- time and words ---- */

uint64_t pv_vfio_bus_now_ns(void *bus)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- the bus ---- */

static const struct pv_bus bus_ops = {
	.cfg_read = cfg_read,
	.cfg_write = cfg_write,
	.bar_map = bar_map,
	.bar_unmap = bar_unmap,
	.mmio_read = mmio_read,
	.mmio_write = mmio_write,
	.dma_alloc = pv_vfio_bus_dma_alloc,
	.dma_free = pv_vfio_bus_dma_free,
	.local_cpus = local_cpus,
	.irq_set = pv_vfio_bus_irq_set,
	.irq_save = pv_vfio_bus_irq_save,
	.irq_restore = pv_vfio_bus_irq_restore,
	.now_ns = pv_vfio_bus_now_ns,
	.delay_ns = pv_vfio_bus_delay_ns,
};

static unsigned count_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n < 1 ? 1 : n > (long)CPUS_MAX ? CPUS_MAX : (unsigned)n;
}

static int set_only(struct pv_vfio_bus *b, const pv_bdf *functions, size_t n)
{
	b->only = n ? reallocarray(NULL, n, sizeof(*b->only)) : NULL;
	if (!b->only)
		return n ? -ENOMEM : 0;
	memcpy(b->only, functions, n * sizeof(*b->only));
	b->n_only = n;
	return 0;
}

int pv_vfio_bus_open(struct pv_vfio_bus **out, struct pv_linux *l, const pv_bdf *functions, size_t n,
		     struct pv_error *e)
{
	struct pv_vfio_bus *b = calloc(1, sizeof(*b));
	int err = b ? 0 : -ENOMEM;

	if (!err) {
		b->l = l;
		b->bus = bus_ops;
		b->bus.ctx = b;
		b->bus.cpus = count_cpus();
		err = set_only(b, functions, n);
	}
	if (!err)
		err = pv_vfio_bus_refresh(b);
	if (!err)
		*out = b;
	else
		pv_vfio_bus_close(b);
	return err ? pv_error(e, err, "listing PCI functions, for the reference driver: %s", pv_errno_name(err)) : 0;
}

void pv_vfio_bus_settle(struct pv_vfio_bus *b)
{
	b->settling = true;
}

void pv_vfio_bus_close(struct pv_vfio_bus *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		pv_vfio_bus_give_back(b, &b->func[i]);
	for (size_t i = 0; i < b->n; i++) {
		pv_vfio_bus_await(b, &b->func[i]);
		drop_func(b, &b->func[i]);
	}
	free(b->func);
	free(b->buses);
	free(b->only);
	free(b);
}

const struct pv_bus *pv_vfio_bus_of(struct pv_vfio_bus *b)
{
	return &b->bus;
}
