/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks of configuration space over a table of bytes, broken and endless lists included.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"

static uint8_t space[PCI_CFG_BYTES];
static unsigned reads;

static uint32_t table_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	uint32_t value = 0;

	cr_assert_lt(off + bytes, PCI_CFG_BYTES + 1, "read outside of configuration space: 0x%x", off);
	cr_assert_lt(reads++, 20000, "the walk does not end");
	memcpy(&value, space + off, bytes);
	return value;
}

static const struct pv_cfg cfg = {.read = table_read};

static void put16(uint32_t off, uint16_t value)
{
	memcpy(space + off, &value, 2);
}

static void put32(uint32_t off, uint32_t value)
{
	memcpy(space + off, &value, 4);
}

static void put_ext(uint32_t off, uint16_t id, uint32_t next)
{
	put32(off, id | 1u << 16 | next << 20);
}

static void setup(void)
{
	memset(space, 0, sizeof(space));
	reads = 0;
	put16(PCI_VENDOR_ID, 0x1ded);
	put16(PCI_DEVICE_ID, 0x8000);
	put16(PCI_STATUS, PCI_STATUS_CAP_LIST);
}

TestSuite(pcie, .init = setup);

Test(pcie, capability_is_found_behind_others)
{
	space[PCI_CAPABILITIES] = 0x40;
	put16(0x40, 0x01 | 0x50 << 8);
	put16(0x50, PCI_CAP_ID_MSI | 0x80 << 8);
	put16(0x80, PCI_CAP_ID_EXP);
	cr_expect_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP), 0x80);
	cr_expect_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_MSI), 0x50);
	cr_expect_eq(pv_pcie_find_cap(&cfg, 0x11), 0);
}

Test(pcie, capability_without_a_list_is_not_looked_for)
{
	put16(PCI_STATUS, 0);
	space[PCI_CAPABILITIES] = 0x40;
	put16(0x40, PCI_CAP_ID_EXP);
	cr_assert_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP), 0);
}

Test(pcie, capability_pointer_has_its_two_low_bits_ignored)
{
	space[PCI_CAPABILITIES] = 0x43;
	put16(0x40, PCI_CAP_ID_EXP);
	cr_assert_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP), 0x40);
}

Test(pcie, capability_list_that_loops_ends)
{
	space[PCI_CAPABILITIES] = 0x40;
	put16(0x40, 0x01 | 0x50 << 8);
	put16(0x50, 0x05 | 0x40 << 8);
	cr_assert_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP), 0);
}

Test(pcie, capability_pointer_into_the_header_ends_the_list)
{
	space[PCI_CAPABILITIES] = 0x40;
	put16(0x40, 0x01 | 0x10 << 8);
	put16(0x10, PCI_CAP_ID_EXP);
	cr_assert_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP), 0);
}

Test(pcie, nobody_answers)
{
	memset(space, 0xff, sizeof(space));
	cr_expect_not(pv_pcie_present(&cfg));
	cr_expect_eq(pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP), 0);
	cr_expect_eq(pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_AER), 0);
	cr_expect_eq(pv_pcie_find_vsec(&cfg, 0xffff, 2, NULL, NULL), 0);
}

/* As Linux has it: some boards answer for nobody with zeros, or with half of the all ones. */
Test(pcie, what_broken_boards_answer_is_nobody)
{
	static const uint32_t nobody[] = {0, 0x0000ffff, 0xffff0000, 0xffffffff};

	cr_expect(pv_pcie_present(&cfg));
	for (unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++) {
		put32(PCI_VENDOR_ID, nobody[i]);
		cr_expect_not(pv_pcie_present(&cfg), "%08x", nobody[i]);
	}
	put32(PCI_VENDOR_ID, 0x00001ded);
	cr_expect(pv_pcie_present(&cfg), "0 is a device id");
}

Test(pcie, extended_capability_at_the_end_is_found)
{
	put_ext(0x100, PCI_EXT_CAP_ID_VSEC, 0xff0);
	put_ext(0xff0, PCI_EXT_CAP_ID_AER, 0);
	cr_expect_eq(pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_AER), 0xff0);
}

Test(pcie, extended_capabilities_of_one_id_are_walked)
{
	put_ext(0x100, PCI_EXT_CAP_ID_VSEC, 0x200);
	put_ext(0x200, PCI_EXT_CAP_ID_AER, 0x300);
	put_ext(0x300, PCI_EXT_CAP_ID_VSEC, 0);
	cr_expect_eq(pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_VSEC), 0x100);
	cr_expect_eq(pv_pcie_next_ext_cap(&cfg, 0x100, PCI_EXT_CAP_ID_VSEC), 0x300);
	cr_expect_eq(pv_pcie_next_ext_cap(&cfg, 0x300, PCI_EXT_CAP_ID_VSEC), 0);
}

Test(pcie, extended_list_that_loops_ends)
{
	uint32_t at = 0;
	unsigned n = 0;

	put_ext(0x100, PCI_EXT_CAP_ID_VSEC, 0x200);
	put_ext(0x200, PCI_EXT_CAP_ID_VSEC, 0x300);
	put_ext(0x300, PCI_EXT_CAP_ID_VSEC, 0x200);
	while ((at = pv_pcie_next_ext_cap(&cfg, at, PCI_EXT_CAP_ID_VSEC)))
		n++;
	cr_assert_eq(n, 3, "each entry once, got %u", n);
}

Test(pcie, vsec_is_told_by_vendor_and_id)
{
	unsigned revision = 0, bytes = 0;

	put_ext(0x100, PCI_EXT_CAP_ID_VSEC, 0x200);
	put32(0x104, 0x01 | 4u << 16 | 0x20u << 20);
	put_ext(0x200, PCI_EXT_CAP_ID_VSEC, 0);
	put32(0x204, 0x02 | 12u << 16 | 0x100u << 20);
	cr_expect_eq(pv_pcie_find_vsec(&cfg, 0x1ded, 0x02, &revision, &bytes), 0x200);
	cr_expect_eq(revision, 12);
	cr_expect_eq(bytes, 0x100);
	cr_expect_eq(pv_pcie_find_vsec(&cfg, 0x17cb, 0x02, NULL, NULL), 0, "the id is another vendor's");
	cr_expect_eq(pv_pcie_find_vsec(&cfg, 0x1ded, 0x03, NULL, NULL), 0);
}

Test(pcie, dvsec_is_told_by_its_own_vendor_and_id)
{
	unsigned bytes = 0;

	put_ext(0x100, PCI_EXT_CAP_ID_DVSEC, 0x200);
	put32(0x104, 0x1e98 | 0x38u << 20);
	put16(0x108, 0);
	put_ext(0x200, PCI_EXT_CAP_ID_DVSEC, 0);
	put32(0x204, 0x1e98 | 0x24u << 20);
	put16(0x208, 8);
	cr_expect_eq(pv_pcie_find_dvsec(&cfg, 0x1e98, 8, &bytes), 0x200);
	cr_expect_eq(bytes, 0x24);
	cr_expect_eq(pv_pcie_find_dvsec(&cfg, 0x1e99, 8, NULL), 0);
}

Test(pcie, header_at_the_very_end_is_not_read_beyond)
{
	put_ext(0x100, PCI_EXT_CAP_ID_AER, 0xffc);
	put_ext(0xffc, PCI_EXT_CAP_ID_VSEC, 0);
	cr_expect_eq(pv_pcie_find_vsec(&cfg, 0x1ded, 2, NULL, NULL), 0);
	put_ext(0xffc, PCI_EXT_CAP_ID_DVSEC, 0);
	cr_expect_eq(pv_pcie_find_dvsec(&cfg, 0x1e98, 8, NULL), 0);
}

/* A list may go down again. */
Test(pcie, header_at_the_very_end_hides_no_other)
{
	put_ext(0x100, PCI_EXT_CAP_ID_AER, 0xff8);
	put_ext(0xff8, PCI_EXT_CAP_ID_VSEC, 0x200);
	put_ext(0x200, PCI_EXT_CAP_ID_VSEC, 0xffc);
	put32(0x204, 0x02 | 12u << 16 | 0x100u << 20);
	put_ext(0xffc, PCI_EXT_CAP_ID_DVSEC, 0x300);
	put_ext(0x300, PCI_EXT_CAP_ID_DVSEC, 0);
	put32(0x304, 0x1e98 | 0x24u << 20);
	put16(0x308, 8);
	cr_expect_eq(pv_pcie_find_vsec(&cfg, 0x1ded, 2, NULL, NULL), 0x200);
	cr_expect_eq(pv_pcie_find_dvsec(&cfg, 0x1e98, 8, NULL), 0x300);
}
