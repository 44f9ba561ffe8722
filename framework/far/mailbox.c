/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers are Device memory: each access must have 64 bits. */
#include "framework/far/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/qemu/fabric.h"
#include "framework/util/cleanup.h"

#define WINDOW_FROM_PAGE (PV_FABRIC_WINDOW - PV_FABRIC_MAILBOX)

static volatile uint64_t *reg(const struct pv_mailbox *m, size_t offset)
{
	return m->regs + offset / sizeof(uint64_t);
}

/* Returns the length of the other end's message in the window. */
static uint64_t ring(struct pv_mailbox *m, const void *message, size_t n)
{
	if (n)
		memcpy(m->window, message, n);
	*reg(m, PV_MAILBOX_LENGTH) = n;
	__sync_synchronize();
	*reg(m, PV_MAILBOX_DOORBELL) = 1;
	__sync_synchronize();
	return *reg(m, PV_MAILBOX_LENGTH);
}

int64_t pv_mailbox_exchange(struct pv_mailbox *m, const void *answer, size_t n, void *request)
{
	uint64_t length;

	if (n > m->window_bytes)
		return -EMSGSIZE;
	/* If the machine was saved here, the restored one has another window, of another process. */
	do
		length = ring(m, answer, n);
	while (length == PV_MAILBOX_AGAIN);
	if (length > m->window_bytes)
		return -EMSGSIZE;
	memcpy(request, m->window, (size_t)length);
	return (int64_t)length;
}

static int map(int fd, uint64_t at, size_t bytes, void **out, struct pv_error *e)
{
	void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

	if (mapped == MAP_FAILED)
		return pv_error(e, -errno, "mapping 0x%zx bytes at 0x%" PRIx64 " through /dev/mem: %s", bytes, at,
				strerror(errno));
	*out = mapped;
	return 0;
}

/* Checks the page, and maps the window that it describes. */
static int map_window(struct pv_mailbox *m, int fd, uint64_t page, struct pv_error *e)
{
	uint64_t magic = *reg(m, PV_MAILBOX_MAGIC), bytes;

	if (magic != PV_MAILBOX_MAGIC_VALUE)
		return pv_error(e, -ENODEV,
				"mailbox at 0x%" PRIx64 ": expected 0x%llx in its first register, got 0x%" PRIx64
				"; is there a pcieval-fabric device?",
				page, PV_MAILBOX_MAGIC_VALUE, magic);
	bytes = *reg(m, PV_MAILBOX_WINDOW_BYTES);
	if (bytes < PV_MAILBOX_BYTES || bytes > PV_FABRIC_WINDOW_MAX || bytes % PV_MAILBOX_BYTES)
		return pv_error(e, -EINVAL,
				"mailbox at 0x%" PRIx64
				": expected a window of 4 KiB to 16 MiB in whole pages, got 0x%" PRIx64 " bytes",
				page, bytes);
	m->window_bytes = (size_t)bytes;
	return map(fd, page + WINDOW_FROM_PAGE, m->window_bytes, &m->window, e);
}

int pv_mailbox_open(struct pv_mailbox *m, uint64_t page, struct pv_error *e)
{
	_autoclose_ int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	void *regs = NULL;
	int err;

	*m = (struct pv_mailbox){0};
	if (fd < 0)
		return pv_error(e, -errno, "opening /dev/mem: %s", strerror(errno));
	err = map(fd, page, PV_MAILBOX_BYTES, &regs, e);
	m->regs = regs;
	if (!err)
		err = map_window(m, fd, page, e);
	if (err)
		pv_mailbox_close(m);
	return err;
}

void pv_mailbox_close(struct pv_mailbox *m)
{
	if (m->regs)
		munmap((void *)m->regs, PV_MAILBOX_BYTES);
	if (m->window)
		munmap(m->window, m->window_bytes);
	*m = (struct pv_mailbox){0};
}
