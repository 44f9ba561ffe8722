/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding CPMUs through the Register Locator DVSEC, and refusing entries that make no sense.
 */
#include <criterion/criterion.h>

#include "drivers/core/cpmu.h"
#include "drivers/core/tests/fake_cfg.h"

enum { LOCATOR = 0x140, COMPONENT = 1, MEMDEV = 3, CPMU = 4 };

/* One Register Locator entry. */
struct entry {
	unsigned bir, id;
	uint64_t offset;
};

static void with_locator(struct fake_cfg *f, const struct entry *e, unsigned n)
{
	unsigned i;

	fake_function(f, 0x1234, PCI_EXP_TYPE_ENDPOINT, 8);
	fake_put(f, PCI_BAR(0), 4, PCI_BAR_64);
	fake_put(f, PCI_BAR(2), 4, PCI_BAR_64);
	fake_put(f, PCI_BAR(4), 4, PCI_BAR_IO);
	fake_ext_cap(f, 0x100, PCI_EXT_CAP_ID_AER);
	fake_ext_cap(f, LOCATOR, PCI_EXT_CAP_ID_DVSEC);
	fake_put(f, LOCATOR + PCI_DVSEC_HEADER1, 4,
		 CXL_DVSEC_VENDOR_ID | (CXL_REG_LOCATOR_FIRST + n * CXL_REG_LOCATOR_ENTRY_BYTES) << 20);
	fake_put(f, LOCATOR + PCI_DVSEC_HEADER2, 2, CXL_DVSEC_REG_LOCATOR_ID);
	for (i = 0; i < n; i++) {
		uint32_t at = LOCATOR + CXL_REG_LOCATOR_FIRST + i * CXL_REG_LOCATOR_ENTRY_BYTES;

		fake_put(f, at, 4, (uint32_t)(e[i].offset & 0xffff0000) | e[i].id << 8 | e[i].bir);
		fake_put(f, at + 4, 4, (uint32_t)(e[i].offset >> 32));
	}
}

Test(cpmu_find, all_instances_are_found_among_other_blocks)
{
	const struct entry entries[] = {
		{0, COMPONENT, 0}, {2, CPMU, 0x30000}, {2, MEMDEV, 0x10000}, {0, CPMU, 0xfff0000}};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block first, second;
	const char *why;

	with_locator(&f, entries, 4);

	cr_assert_eq(pv_cpmu_count(&cfg), 2);
	cr_assert_eq(pv_cpmu_find(&cfg, 0, &first, &why), 0);
	cr_assert_eq(pv_cpmu_find(&cfg, 1, &second, &why), 0);
	cr_expect_eq(first.bar, 2);
	cr_expect_eq(first.offset, 0x30000);
	cr_expect_eq(second.bar, 0);
	cr_expect_eq(second.offset, 0xfff0000);
	cr_expect_eq(pv_cpmu_find(&cfg, 2, &first, &why), -PV_ENOENT);
}

Test(cpmu_find, no_locator_means_no_cpmu)
{
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);

	fake_function(&f, 0x1234, PCI_EXP_TYPE_ENDPOINT, 8);

	cr_expect_eq(pv_cpmu_count(&cfg), 0);
}

Test(cpmu_find, entries_that_make_no_sense_are_refused_with_a_reason)
{
	static const struct {
		const char *what;
		struct entry e;
		const char *says;
	} bad[] = {
		{"BIR 6", {6, CPMU, 0}, "cannot exist"},
		{"BIR 7", {7, CPMU, 0}, "cannot exist"},
		{"upper half of BAR 0", {1, CPMU, 0}, "upper half"},
		{"upper half of BAR 2", {3, CPMU, 0}, "upper half"},
		{"I/O BAR", {4, CPMU, 0}, "I/O"},
		{"offset of 4 GiB", {0, CPMU, 1ull << 32}, "beyond"},
		{"offset of all ones", {0, CPMU, ~0ull}, "beyond"},
	};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *why = NULL;

		with_locator(&f, &bad[i].e, 1);

		cr_expect_eq(pv_cpmu_find(&cfg, 0, &block, &why), -PV_ENODEV, "%s", bad[i].what);
		cr_expect(why && strstr(why, bad[i].says), "%s: reason is \"%s\"", bad[i].what, why ? why : "");
	}
}

Test(cpmu_find, a_bridge_has_two_bars)
{
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);

	for (unsigned bir = 0; bir < 3; bir++) {
		const struct entry e = {bir, CPMU, 0};
		struct pv_cpmu_block block;
		const char *why = "";
		int err;

		with_locator(&f, &e, 1);
		fake_put(&f, PCI_HEADER_TYPE, 1, PCI_HEADER_MULTI_FUNCTION | PCI_HEADER_TYPE_BRIDGE);
		fake_put(&f, PCI_BAR(0), 4, 0);
		fake_put(&f, PCI_BAR(2), 4, 0x00020100); /* bus numbers */
		err = pv_cpmu_find(&cfg, 0, &block, &why);
		cr_expect_eq(err, bir < 2 ? 0 : -PV_ENODEV, "BIR %u: %d", bir, err);
		cr_expect(!err || strstr(why, "cannot exist"), "BIR %u: %s", bir, why);
	}
}

/* Bit 2 is the type of a memory BAR, and part of the address of an I/O BAR. */
Test(cpmu_find, an_io_bar_has_no_upper_half)
{
	const struct entry e = {1, CPMU, 0};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	const char *why;

	with_locator(&f, &e, 1);
	fake_put(&f, PCI_BAR(0), 4, 0x1004 | PCI_BAR_IO);

	cr_expect_eq(pv_cpmu_find(&cfg, 0, &block, &why), 0);
}

Test(cpmu_find, a_broken_entry_does_not_renumber_the_next)
{
	const struct entry entries[] = {{7, CPMU, 0}, {0, CPMU, 0x20000}};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	const char *why;

	with_locator(&f, entries, 2);

	cr_assert_eq(pv_cpmu_find(&cfg, 1, &block, &why), 0);
	cr_expect_eq(block.offset, 0x20000);
}

Test(cpmu_find, registers_listed_twice_are_one_cpmu)
{
	const struct entry entries[] = {{0, CPMU, 0x20000}, {2, CPMU, 0x20000}, {0, CPMU, 0x20000}};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	const char *why;

	with_locator(&f, entries, 3);

	cr_expect_eq(pv_cpmu_find(&cfg, 0, &block, &why), 0);
	cr_expect_eq(pv_cpmu_find(&cfg, 1, &block, &why), 0, "another BAR is another block");
	cr_expect_eq(pv_cpmu_find(&cfg, 2, &block, &why), -PV_ENODEV);
}

Test(cpmu_find, registers_of_another_block_are_no_cpmu)
{
	const struct entry entries[] = {{0, CPMU, 0x10000}, {0, MEMDEV, 0x10000}, {0, 0, 0x20000}, {0, CPMU, 0x20000}};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	const char *why;

	with_locator(&f, entries, 4);

	cr_expect_eq(pv_cpmu_find(&cfg, 0, &block, &why), -PV_ENODEV);
	cr_expect(strstr(why, "another block"), "%s", why);
	cr_expect_eq(pv_cpmu_find(&cfg, 1, &block, &why), 0, "an empty entry is no block");
}

Test(cpmu_find, offsets_that_differ_in_their_high_half_are_not_the_same)
{
	const struct entry entries[] = {{0, CPMU, 1ull << 32 | 0x20000}, {0, CPMU, 0x20000}};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	const char *why;

	with_locator(&f, entries, 2);

	cr_expect_eq(pv_cpmu_find(&cfg, 0, &block, &why), -PV_ENODEV);
	cr_expect_eq(pv_cpmu_find(&cfg, 1, &block, &why), 0);
}

Test(cpmu_find, an_address_in_an_upper_half_is_not_taken_for_a_bar)
{
	const struct entry e = {2, CPMU, 0};
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	struct pv_cpmu_block block;
	const char *why;

	with_locator(&f, &e, 1);
	fake_put(&f, PCI_BAR(1), 4, PCI_BAR_64); /* BAR 0 lies at 16 GiB */

	cr_expect_eq(pv_cpmu_find(&cfg, 0, &block, &why), 0);
}

Test(cpmu_find, a_dvsec_longer_than_configuration_space_is_cut)
{
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	const uint32_t at = PCI_CFG_BYTES - CXL_REG_LOCATOR_FIRST - CXL_REG_LOCATOR_ENTRY_BYTES;

	fake_function(&f, 0x1234, PCI_EXP_TYPE_ENDPOINT, 8);
	fake_ext_cap(&f, 0x100, PCI_EXT_CAP_ID_AER);
	fake_ext_cap(&f, at, PCI_EXT_CAP_ID_DVSEC);
	fake_put(&f, at + PCI_DVSEC_HEADER1, 4, CXL_DVSEC_VENDOR_ID | 0xfffu << 20);
	fake_put(&f, at + PCI_DVSEC_HEADER2, 2, CXL_DVSEC_REG_LOCATOR_ID);
	fake_put(&f, at + CXL_REG_LOCATOR_FIRST, 4, CPMU << 8);

	cr_expect_eq(pv_cpmu_count(&cfg), 1);
	cr_expect_eq(f.bad_accesses, 0);
}

Test(cpmu_find, a_dvsec_too_short_for_an_entry_lists_nothing)
{
	struct fake_cfg f;
	struct pv_cfg cfg = fake_cfg(&f);
	const struct entry e = {0, CPMU, 0};

	with_locator(&f, &e, 1);
	fake_put(&f, LOCATOR + PCI_DVSEC_HEADER1, 4, CXL_DVSEC_VENDOR_ID | 4u << 20);

	cr_expect_eq(pv_cpmu_count(&cfg), 0);
}
