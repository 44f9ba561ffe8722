/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds small machines for tests: functions with a PCI Express capability at 0x40, written as a dump or as a sysfs
 * tree.
 */
#ifndef PV_PCI_TESTS_BUILD_H
#define PV_PCI_TESTS_BUILD_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/pci/machine.h"

#define BUILD_EXP 0x40u

struct build_func {
	const char *name; /* "0000:01:00.0" */
	int type;	  /* PCI_EXP_TYPE_*; -1: no capability */
	int mpss, mps, mrrs;
	unsigned secondary, subordinate; /* 0: no bridge */
	bool hotplug;
};

static inline unsigned build_field(int bytes)
{
	unsigned n = 0;

	while (128 << n < bytes)
		n++;
	return n;
}

static inline void build_put(uint8_t *space, unsigned off, unsigned bytes, uint32_t value)
{
	memcpy(space + off, &value, bytes);
}

static inline void build_space(const struct build_func *b, uint8_t space[256])
{
	memset(space, 0, 256);
	build_put(space, PCI_VENDOR_ID, 4, 0x000c1b36);
	build_put(space, PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	if (b->secondary) {
		space[PCI_HEADER_TYPE] = PCI_HEADER_TYPE_BRIDGE;
		space[PCI_SECONDARY_BUS] = (uint8_t)b->secondary;
		space[PCI_SUBORDINATE_BUS] = (uint8_t)b->subordinate;
	}
	if (b->type < 0)
		return;
	build_put(space, PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
	space[PCI_CAPABILITIES] = BUILD_EXP;
	space[BUILD_EXP] = PCI_CAP_ID_EXP;
	build_put(space, BUILD_EXP + PCI_EXP_FLAGS, 2,
		  2u | (unsigned)b->type << PCI_EXP_FLAGS_TYPE_SHIFT | (b->hotplug ? PCI_EXP_FLAGS_SLOT : 0));
	build_put(space, BUILD_EXP + PCI_EXP_DEVCAP, 4, build_field(b->mpss));
	build_put(space, BUILD_EXP + PCI_EXP_DEVCTL, 2,
		  build_field(b->mps) << PCI_EXP_DEVCTL_MPS_SHIFT | build_field(b->mrrs) << PCI_EXP_DEVCTL_MRRS_SHIFT);
	build_put(space, BUILD_EXP + PCI_EXP_LNKCAP, 4, 0x83);
	build_put(space, BUILD_EXP + PCI_EXP_LNKSTA, 2, 0x83);
	build_put(space, BUILD_EXP + PCI_EXP_SLTCAP, 4, b->hotplug ? PCI_EXP_SLTCAP_HPC : 0);
}

/* Reads the machine of these functions (the last one has no name) from a dump. */
static inline struct pv_pci_machine *build_machine(const struct build_func *b)
{
	char path[] = "/tmp/dump-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct pv_error e = {0};
	struct pv_pci_machine *m;
	uint8_t space[256];

	for (; b->name; b++) {
		build_space(b, space);
		fprintf(f, "%s Example\n", b->name);
		for (unsigned off = 0; off < 256; off++) {
			if (off % 16 == 0)
				fprintf(f, "%02x:", off);
			fprintf(f, " %02x%s", space[off], off % 16 == 15 ? "\n" : "");
		}
	}
	fclose(f);
	m = pv_pci_machine_open(PV_PCI_DUMP, path, &e);
	unlink(path);
	cr_assert(m, "%s", e.text);
	return m;
}

/* Writes the functions as DIR/devices/NAME/config. */
static inline void build_tree(const struct build_func *b, const char *dir)
{
	char path[256];
	uint8_t space[256];

	snprintf(path, sizeof(path), "%s/devices", dir);
	cr_assert_eq(mkdir(path, 0777), 0);
	for (; b->name; b++) {
		int fd;

		build_space(b, space);
		snprintf(path, sizeof(path), "%s/devices/%s", dir, b->name);
		cr_assert_eq(mkdir(path, 0777), 0);
		snprintf(path, sizeof(path), "%s/devices/%s/config", dir, b->name);
		fd = open(path, O_WRONLY | O_CREAT, 0666);
		cr_assert_eq(write(fd, space, sizeof(space)), sizeof(space));
		close(fd);
	}
}

#endif
