/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine table of a running Linux: registers through sysfs, and time. It cannot boot. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/linux/undo.h"
#include "framework/util/cleanup.h"

static struct pv_linux *of(struct pv_machine *m)
{
	return (struct pv_linux *)((char *)m - offsetof(struct pv_linux, machine));
}

/* ---- configuration space ---- */

static bool is_access(unsigned bytes, uint32_t off)
{
	return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && off % bytes == 0;
}

static int open_file(struct pv_linux *l, pv_bdf bdf, const char *file, int flags)
{
	int fd = open(PV_LINUX_PATH(l, "sys/bus/pci/devices/%s/%s", pv_bdf_name(bdf).s, file), flags | O_CLOEXEC);

	return fd >= 0 ? fd : errno == ENOENT ? -ENODEV : -errno;
}

/* Reads past the end of the file (256 bytes for anyone but root) are errors, not zeros. */
static int config_read(struct pv_linux *l, pv_bdf bdf, uint32_t off, unsigned bytes, uint64_t *value)
{
	_autoclose_ int fd = open_file(l, bdf, "config", O_RDONLY);
	uint8_t raw[8] = {0};
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, raw, bytes, off);
	if (n != (ssize_t)bytes)
		return n < 0 ? -errno : -EINVAL;
	*value = 0;
	for (unsigned i = 0; i < bytes; i++)
		*value |= (uint64_t)raw[i] << 8 * i;
	return 0;
}

int pv_linux_read_express(struct pv_linux *l, pv_bdf bdf, uint8_t space[PV_LINUX_CONFIG_BYTES])
{
	_autoclose_ int fd = open_file(l, bdf, "config", O_RDONLY);

	if (fd < 0)
		return fd;
	ssize_t n = pread(fd, space, PV_LINUX_CONFIG_BYTES, 0);
	if (n != PV_LINUX_CONFIG_BYTES)
		return n < 0 ? -errno : -EPERM;
	unsigned at = space[PCI_CAPABILITIES] & ~3u;
	/* At most 48 capabilities: a hostile list may be circular. */
	for (int i = 0; i < 48 && at >= 64 && at + PCI_EXP_DEVCTL + 2 <= PV_LINUX_CONFIG_BYTES; i++) {
		if (space[at] == PCI_CAP_ID_EXP)
			return (int)at;
		at = space[at + 1] & ~3u;
	}
	return -ENOENT;
}

int pv_linux_write_config(struct pv_linux *l, pv_bdf bdf, uint32_t off, unsigned bytes, uint64_t value)
{
	_autoclose_ int fd = open_file(l, bdf, "config", O_WRONLY);
	uint8_t raw[8];
	ssize_t n;

	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < bytes; i++)
		raw[i] = (uint8_t)(value >> 8 * i);
	n = pwrite(fd, raw, bytes, off);
	return n < 0 ? -errno : n == (ssize_t)bytes ? 0 : -EINVAL;
}

/* ---- BARs ---- */

/* Opens the BAR's file, resource0 to resource5. */
static int open_bar(struct pv_linux *l, pv_bdf bdf, int bar, int flags, uint64_t *bytes)
{
	const char file[] = {'r', 'e', 's', 'o', 'u', 'r', 'c', 'e', (char)('0' + bar), 0};
	int fd = open_file(l, bdf, file, flags);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		int err = -errno;

		close(fd);
		return err;
	}
	*bytes = (uint64_t)st.st_size;
	return fd;
}

/* The kernel maps whole pages: one that is larger than the BAR begins before it (pci_mmap_resource_range()). */
static int map_part(int fd, uint64_t begin, size_t bytes, bool write, struct pv_linux_bar *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = begin & (page - 1);

	out->page_bytes = before + bytes;
	out->page = mmap(NULL, out->page_bytes, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, fd,
			 (off_t)(begin - before));
	if (out->page == MAP_FAILED)
		return -errno;
	out->at = (uint8_t *)out->page + before;
	return 0;
}

int pv_linux_map_bar(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, size_t bytes, bool write,
		     struct pv_linux_bar *out)
{
	uint64_t size = 0, address = 0;
	_autoclose_ int fd = bar <= 5 ? open_bar(l, bdf, bar, write ? O_RDWR : O_RDONLY, &size) : -EINVAL;

	if (fd < 0)
		return fd;
	if (!bytes || bytes > size || off > size - bytes)
		return -EINVAL;
	int err = config_read(l, bdf, PCI_BAR(bar), 4, &address);
	if (err)
		return err;
	uint64_t in_page = address & ~(uint64_t)PCI_BAR_FLAGS & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	return map_part(fd, in_page + off, bytes, write, out);
}

static uint64_t load(const void *at, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)at;
	case 2:
		return *(const volatile uint16_t *)at;
	case 4:
		return *(const volatile uint32_t *)at;
	default:
		return *(const volatile uint64_t *)at;
	}
}

static void store(void *at, unsigned bytes, uint64_t value)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(volatile uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(volatile uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(volatile uint64_t *)at = value;
		break;
	}
}

/* One access to a register in a BAR. */
static int bar_access(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, bool write,
		      uint64_t *value)
{
	struct pv_linux_bar b;
	int err = pv_linux_map_bar(l, bdf, bar, off, bytes, write, &b);

	if (err)
		return err;
	if (write)
		store(b.at, bytes, *value);
	else
		*value = load(b.at, bytes);
	munmap(b.page, b.page_bytes);
	return 0;
}

int pv_linux_write_bar(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	return bar_access(l, bdf, bar, off, bytes, true, &value);
}

static int reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	struct pv_linux *l = of(m);

	if (!is_access(bytes, off))
		return -EINVAL;
	return bar < 0 ? config_read(l, bdf, off, bytes, value) : bar_access(l, bdf, bar, off, bytes, false, value);
}

static int reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_linux *l = of(m);

	if (!is_access(bytes, off))
		return -EINVAL;
	/* Writes to BARs are refused: their effect is unknown and cannot be undone. */
	if (bar >= 0)
		return pv_linux_notes(l) ? -EPERM : pv_linux_write_bar(l, bdf, bar, off, bytes, value);
	int err = pv_linux_note_reg(l, bdf, bar, off, bytes);
	return err ? err : pv_linux_write_config(l, bdf, off, bytes, value);
}

/* ---- time ---- */

static int wait_ns(struct pv_machine *m, uint64_t ns)
{
	return pv_linux_wait(of(m), ns);
}

const struct pv_machine_ops pv_linux_machine_ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.wait = wait_ns,
};
