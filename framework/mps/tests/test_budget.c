/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Budgets of uplinks. All links are 8 GT/s x8 unless a test changes them. */
#include "framework/mps/budget.h"
#include "framework/pci/tests/dumps.h"
#include "framework/util/cleanup.h"

/* A switch with a device and another switch, which has two devices. */
static const struct build_func machine[] = {
	{"0000:00:01.0", PCI_EXP_TYPE_ROOT_PORT, 256, 256, 512, 1, 8, false},
	{"0000:01:00.0", PCI_EXP_TYPE_UPSTREAM, 256, 256, 512, 2, 8, false},
	{"0000:02:00.0", PCI_EXP_TYPE_DOWNSTREAM, 256, 256, 512, 3, 3, false},
	{"0000:02:01.0", PCI_EXP_TYPE_DOWNSTREAM, 256, 256, 512, 4, 8, false},
	{"0000:03:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
	{"0000:03:00.1", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
	{"0000:04:00.0", PCI_EXP_TYPE_UPSTREAM, 256, 256, 512, 5, 8, false},
	{"0000:05:00.0", PCI_EXP_TYPE_DOWNSTREAM, 256, 256, 512, 6, 6, false},
	{"0000:05:01.0", PCI_EXP_TYPE_DOWNSTREAM, 256, 256, 512, 7, 7, false},
	{"0000:06:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
	{"0000:07:00.0", PCI_EXP_TYPE_ENDPOINT, 256, 256, 512, 0, 0, false},
	{0},
};

#define X8    (8e9 * 128 / 130)	   /* bytes per second of a link */
#define WRITE (X8 * 4096 / 4480.0) /* payload: 16 TLPs of 24 + 256 bytes */

static void set_link(struct pv_pci_machine *m, const char *name, uint8_t link)
{
	pv_pci_find_name(m, name)->space[BUILD_EXP + PCI_EXP_LNKSTA] = link;
}

static void set_flits(struct pv_pci_machine *m, const char *name)
{
	uint8_t *express = &pv_pci_find_name(m, name)->space[BUILD_EXP];

	express[PCI_EXP_FLAGS] |= 2;
	express[PCI_EXP_LNKSTA2 + 1] = PCI_EXP_LNKSTA2_FLIT >> 8;
}

static struct pv_budget budget_of(const struct pv_pci_machine *m, const char *name)
{
	struct pv_budget b;

	cr_assert(pv_budget_find(pv_pci_find_name(m, name), &b), "%s", name);
	return b;
}

Test(mps_budget, devices_behind_two_switches_share_both_uplinks)
{
	struct pv_pci_machine *m = build_machine(machine);
	struct pv_budget inner = budget_of(m, "04:00.0"), outer = budget_of(m, "01:00.0");

	cr_expect_eq(inner.devices, 2);
	cr_expect_float_eq(inner.link, X8, 1);
	cr_expect_float_eq(inner.below, 2 * X8, 1);
	cr_expect_float_eq(inner.alone.write, 2 * WRITE, 1);
	cr_expect_float_eq(inner.together.write, WRITE, 1);
	cr_expect(pv_budget_is_short(&inner));
	/* Function 1 of 03:00 has no link of its own; the inner switch is limited to X8 by its uplink. */
	cr_expect_eq(outer.devices, 3);
	cr_expect_float_eq(outer.below, 2 * X8, 1);
	cr_expect_float_eq(outer.alone.write, 3 * WRITE, 1);
	cr_expect_float_eq(outer.together.write, WRITE, 1);
	pv_pci_machine_free(m);
}

/* Function 8 of an ARI device has device number 1 and function number 0 (PCIe 5.0 6.13); its MPS does not count. */
Test(mps_budget, a_link_counts_once_whatever_the_functions_of_its_device)
{
	struct build_func with_ari[ARRAY_SIZE(machine) + 1];
	struct pv_pci_machine *m;
	struct pv_budget b;

	memcpy(with_ari, machine, sizeof(machine));
	with_ari[ARRAY_SIZE(machine)] = with_ari[ARRAY_SIZE(machine) - 1];
	with_ari[ARRAY_SIZE(machine) - 1] =
		(struct build_func){"0000:07:01.0", PCI_EXP_TYPE_ENDPOINT, 256, 128, 512, 0, 0, false};
	m = build_machine(with_ari);
	b = budget_of(m, "04:00.0");
	cr_expect_eq(b.devices, 2);
	cr_expect_float_eq(b.below, 2 * X8, 1);
	cr_expect_float_eq(b.alone.write, 2 * WRITE, 1);
	pv_pci_machine_free(m);
}

Test(mps_budget, an_uplink_that_is_wide_enough_takes_nothing_away)
{
	struct pv_pci_machine *m = build_machine(machine);
	struct pv_budget b;

	set_link(m, "06:00.0", 0x43); /* x4 */
	set_link(m, "07:00.0", 0x43);
	b = budget_of(m, "04:00.0");
	cr_expect_not(pv_budget_is_short(&b));
	cr_expect_float_eq(b.together.write, b.alone.write, 1);
	cr_expect_float_eq(b.together.read, b.alone.read, 1);
	pv_pci_machine_free(m);
}

Test(mps_budget, what_is_not_known_has_no_budget)
{
	struct pv_pci_machine *m = build_machine(machine);
	struct pv_budget b;

	cr_expect_not(pv_budget_find(pv_pci_find_name(m, "00:01.0"), &b), "a Root Port");
	cr_expect_not(pv_budget_find(pv_pci_find_name(m, "03:00.0"), &b), "a device");
	set_link(m, "07:00.0", 0x86); /* 64 GT/s: flits */
	cr_expect_not(pv_budget_find(pv_pci_find_name(m, "04:00.0"), &b), "flits below");
	set_link(m, "07:00.0", 0x43);
	cr_expect(pv_budget_find(pv_pci_find_name(m, "04:00.0"), &b));
	set_flits(m, "07:00.0");
	cr_expect_not(pv_budget_find(pv_pci_find_name(m, "04:00.0"), &b), "flits at 8 GT/s");
	set_link(m, "07:00.0", 0);
	set_link(m, "06:00.0", 0);
	cr_expect_not(pv_budget_find(pv_pci_find_name(m, "04:00.0"), &b), "no device has a link");
	set_link(m, "04:00.0", 0);
	cr_expect_not(pv_budget_find(pv_pci_find_name(m, "04:00.0"), &b), "no link");
	pv_pci_machine_free(m);
}
