/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the functions of the machine like `lspci -xxxx`, for a reader elsewhere that uses libpci. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/linux/linux.h"
#include "framework/util/cleanup.h"

struct dump {
	struct pv_linux *l;
	FILE *out;
};

/* Only root can read more than 64 bytes. */
static void dump_function(void *ctx, const char *name)
{
	const struct dump *d = ctx;
	_autoclose_ int fd = open(PV_LINUX_PATH(d->l, "sys/bus/pci/devices/%s/config", name), O_RDONLY | O_CLOEXEC);
	uint8_t space[PCI_CFG_BYTES];
	ssize_t n = fd < 0 ? -1 : pread(fd, space, sizeof(space), 0);

	fprintf(d->out, "%s function\n", name);
	for (ssize_t i = 0; i < n; i++) {
		if (i % 16 == 0)
			fprintf(d->out, "%02zx:", (size_t)i);
		fprintf(d->out, " %02x%s", space[i], i % 16 == 15 || i == n - 1 ? "\n" : "");
	}
}

int pv_linux_dump(struct pv_linux *l, FILE *out)
{
	struct dump d = {l, out};
	int err = pv_sysfs_list(PV_LINUX_PATH(l, "sys/bus/pci/devices"), dump_function, &d);

	return err ? err : fflush(out) ? -EIO : 0;
}
