/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines for the tests of MPS and MRRS: a table of functions, whose configuration space is made from that here.
 */
#ifndef PV_ORACLE_TESTS_MPS_MACHINE_H
#define PV_ORACLE_TESTS_MPS_MACHINE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/oracle/oracle.h"

#include "drivers/regs/pcie.h"

enum kind {
	EP = 0,
	LEGACY = 1,
	RP = 4,
	UP = 5,
	DOWN = 6,
	TO_PCI = 7,
	TO_PCIE = 8,
	RCIEP = 9,
	RCEC = 10,
	CONV = 100,
	CONV_BRIDGE
};

struct node {
	pv_bdf bdf;
	enum kind kind;
	unsigned mpss, mps, mrrs;
	uint8_t secondary;
	bool hotplug, vf;
	bool no_slot;	    /* hot-plug capable without Slot Implemented */
	uint32_t id;	    /* device << 16 | vendor, 0: of no quirk */
	uint16_t devctl_ro; /* bits that no write changes */
	uint16_t mrrs_max;  /* 0: takes all */
	bool hides;	    /* function 0 does not say that there are others */
	bool forwards_ari;
	bool ari;
	uint8_t ari_next;
	bool version_1; /* the PCI Express capability is of the first version */
};

static inline unsigned field(unsigned bytes)
{
	return bytes ? __builtin_ctz(bytes) - 7 : 0;
}

static inline void put16(struct pv_cfg_image *c, unsigned at, unsigned v)
{
	c->data[at] = v & 0xff;
	c->data[at + 1] = v >> 8 & 0xff;
}

static inline void make_image(struct pv_cfg_image *c, const struct node *n)
{
	bool bridge = (n->kind >= RP && n->kind <= TO_PCIE) || n->kind == CONV_BRIDGE;
	unsigned cap = 0x60;

	memset(c, 0, sizeof(*c));
	c->bdf = n->bdf;
	c->devctl_ro = n->devctl_ro;
	c->mrrs_max = n->mrrs_max;
	put16(c, PCI_VENDOR_ID, n->vf ? 0xffff : n->id ? n->id & 0xffff : 0x19e5);
	put16(c, PCI_DEVICE_ID, n->vf ? 0xffff : n->id ? n->id >> 16 : 0x1234);
	c->data[PCI_HEADER_TYPE] = bridge | (n->hides ? 0 : PCI_HEADER_MULTI_FUNCTION);
	c->data[PCI_SECONDARY_BUS] = n->secondary;
	c->data[PCI_SUBORDINATE_BUS] = n->secondary;
	if (n->kind >= CONV)
		return;
	put16(c, PCI_STATUS, PCI_STATUS_CAP_LIST);
	c->data[PCI_CAPABILITIES] = 0x40; /* MSI first: the list must be walked */
	c->data[0x40] = PCI_CAP_ID_MSI;
	c->data[0x41] = cap;
	c->data[cap] = PCI_CAP_ID_EXP;
	put16(c, cap + PCI_EXP_FLAGS,
	      (n->version_1 ? 1 : 2) | n->kind << PCI_EXP_FLAGS_TYPE_SHIFT |
		      (n->hotplug && !n->no_slot ? PCI_EXP_FLAGS_SLOT : 0));
	c->data[cap + PCI_EXP_DEVCAP] = field(n->mpss);
	put16(c, cap + PCI_EXP_DEVCTL,
	      field(n->mps) << PCI_EXP_DEVCTL_MPS_SHIFT | field(n->mrrs) << PCI_EXP_DEVCTL_MRRS_SHIFT | 0x0810);
	c->data[cap + PCI_EXP_SLTCAP] = n->hotplug ? PCI_EXP_SLTCAP_HPC : 0;
	c->data[cap + PCI_EXP_DEVCAP2] = n->forwards_ari ? PCI_EXP_DEVCAP2_ARI : 0;
	if (n->ari) {
		put16(c, PCI_EXT_CAP_START, PCI_EXT_CAP_ID_ARI);
		put16(c, PCI_EXT_CAP_START + PCI_ARI_CAP, n->ari_next << 8);
	}
}

#define MAX_NODES 16
static struct pv_cfg_image images[MAX_NODES];
static struct pv_mps_expect got[MAX_NODES];

/*
 * The expected sizes after a boot, in the order of `before`. `mrrs_max`: the largest MRRS that each function accepts,
 * in bytes; NULL: as in the images.
 */
static inline int expect_boot(enum pv_mps_policy p, const struct pv_cfg_image *before, size_t n,
			      const uint16_t *mrrs_max, struct pv_mps_expect *out)
{
	struct pv_cfg_image all[MAX_NODES];
	size_t there;

	for (size_t i = 0; i < n; i++) {
		all[i] = before[i];
		if (mrrs_max)
			all[i].mrrs_max = mrrs_max[i];
	}
	return pv_oracle_mps_events(p, &(struct pv_mps_event){.how = PV_MPS_AT_BOOT, .images = all, .n = n}, 1, out,
				    &there);
}

static inline void apply(enum pv_mps_policy p, const struct node *nodes, size_t n, const uint16_t *mrrs_max)
{
	for (size_t i = 0; i < n; i++)
		make_image(&images[i], &nodes[i]);
	cr_assert_eq(expect_boot(p, images, n, mrrs_max, got), 0);
}

/* The MPS of each function, in the order of the table; and the same with MRRS. */
static inline void expect_mps(enum pv_mps_policy p, const struct node *nodes, size_t n, const uint16_t *want)
{
	apply(p, nodes, n, NULL);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(got[i].bdf, nodes[i].bdf);
		cr_expect_eq(got[i].mps, want[i], "policy %d, function %zu: expected MPS %u, got %u", p, i, want[i],
			     got[i].mps);
	}
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXPECT_MPS(policy, nodes, ...) \
	expect_mps(PV_MPS_##policy, nodes, COUNT(nodes), (const uint16_t[COUNT(nodes)]){__VA_ARGS__})

static inline void expect_mrrs(const struct node *nodes, size_t n, const uint16_t *want)
{
	apply(PV_MPS_PERFORMANCE, nodes, n, NULL);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(got[i].mrrs, want[i], "function %zu: expected MRRS %u, got %u", i, want[i], got[i].mrrs);
}

#define EXPECT_MRRS(nodes, ...) expect_mrrs(nodes, COUNT(nodes), (const uint16_t[COUNT(nodes)]){__VA_ARGS__})

#endif
