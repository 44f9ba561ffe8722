/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT: filter lists, and every legal and illegal combination of a trace's parameters.
 */
#include <criterion/criterion.h>

#include "drivers/core/ptt.h"
#include "drivers/regs/pcie.h"

enum { RP0 = 0x0080, RP1 = 0x0089, NIC0 = 0x0100, NIC0_1 = 0x0101 };

static struct pv_ptt_filter storage[8];
static struct pv_ptt_filters list;

/* Root Ports 00:10.0 and 00:11.1, functions 01:00.0 and 01:00.1. */
static void setup(void)
{
	list = (struct pv_ptt_filters){storage, 8, 0};
	cr_assert_eq(pv_ptt_filter_add(&list, NIC0_1, false), 0);
	cr_assert_eq(pv_ptt_filter_add(&list, RP0, true), 0);
	cr_assert_eq(pv_ptt_filter_add(&list, NIC0, false), 0);
	cr_assert_eq(pv_ptt_filter_add(&list, RP1, true), 0);
}

TestSuite(ptt_check, .init = setup);

static int check(uint64_t filter, uint64_t direction, uint64_t type, uint64_t format)
{
	struct pv_ptt_params params;

	return pv_ptt_params_check(&list, filter | direction << 20 | type << 24 | format << 32, &params);
}

Test(ptt_check, list_is_sorted_and_has_each_function_once)
{
	static const pv_bdf sorted[] = {RP0, RP1, NIC0, NIC0_1};
	size_t i;

	cr_assert_eq(pv_ptt_filter_add(&list, NIC0, false), -PV_EEXIST);
	cr_assert_eq(list.count, 4);
	for (i = 0; i < 4; i++)
		cr_expect_eq(list.entry[i].bdf, sorted[i], "entry %zu is %04x", i, list.entry[i].bdf);
}

Test(ptt_check, list_does_not_grow_beyond_its_array)
{
	list.max = 4;
	cr_assert_eq(pv_ptt_filter_add(&list, 0x200, false), -PV_ENOSPC);
	cr_assert_eq(list.count, 4);
}

Test(ptt_check, removed_function_is_no_filter_any_more)
{
	cr_assert_eq(check(0x00100, 0, 1, 0), 0);
	cr_assert_eq(pv_ptt_filter_remove(&list, NIC0), 0);
	cr_assert_eq(check(0x00100, 0, 1, 0), -PV_EINVAL);
	cr_assert_eq(check(0x00101, 0, 1, 0), 0);
	cr_assert_eq(pv_ptt_filter_remove(&list, NIC0), -PV_ENOENT);
}

Test(ptt_check, filter_values_are_those_of_the_documents)
{
	/* 0000:00:10.0 is 0x80001, and so is 0000:00:10.1 (F-P26); 0000:01:00.1 is 0x00101. */
	cr_expect_eq(pv_ptt_filter_value(&(struct pv_ptt_filter){0x0080, true}), 0x80001);
	cr_expect_eq(pv_ptt_filter_value(&(struct pv_ptt_filter){0x0081, true}), 0x80001);
	cr_expect_eq(pv_ptt_filter_value(&(struct pv_ptt_filter){0x0088, true}), 0x80004);
	cr_expect_eq(pv_ptt_filter_value(&(struct pv_ptt_filter){0x00b8, true}), 0x84000);
	cr_expect_eq(pv_ptt_filter_value(&(struct pv_ptt_filter){0x0101, false}), 0x00101);
}

Test(ptt_check, filters)
{
	static const struct {
		uint32_t filter;
		int result;
		const char *why;
	} cases[] = {
		{0x80001, 0, "Root Port 00:10.0"},
		{0x80004, 0, "Root Port 00:11.1"},
		{0x80005, 0, "both"},
		{0x00100, 0, "function 01:00.0"},
		{0x00101, 0, "function 01:00.1"},
		{0x00000, -PV_EINVAL, "no filter"},
		{0x80000, -PV_EINVAL, "no port in the mask"},
		{0x80010, -PV_EINVAL, "unknown port"},
		{0x80011, -PV_EINVAL, "known and unknown port"},
		{0x80002, -PV_EINVAL, "odd bit"},
		{0x80100, -PV_EINVAL, "port and function"},
		{0x80101, -PV_EINVAL, "port and function"},
		{0x00102, -PV_EINVAL, "unknown function"},
		{0x00200, -PV_EINVAL, "function elsewhere"},
		{0x00080, -PV_EINVAL, "a Root Port is no requester"},
		{0x00001, -PV_EINVAL, "port mask without bit 19"},
		{0x90001, -PV_EINVAL, "reserved bit 16"},
		{0xa0001, -PV_EINVAL, "reserved bit 17"},
		{0xc0001, -PV_EINVAL, "reserved bit 18"},
		{0x10100, -PV_EINVAL, "reserved bit 16"},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(check(cases[i].filter, 0, 1, 0), cases[i].result, "%05x: %s", cases[i].filter,
			     cases[i].why);
}

/* The expected result of a combination, computed from the text of the document, not as in the driver. */
static int expected(unsigned direction, unsigned type, unsigned format)
{
	bool eight = format == 1;
	bool outbound = direction == 1 || (!eight && direction >= 2);
	bool several = type == 3 || type == 5 || type == 6 || type == 7;

	if (format > 1 || direction > 3 || type == 0 || type > 7)
		return -PV_EINVAL;
	if (eight && direction == 0)
		return -PV_EINVAL; /* reserved, F-P30 */
	return outbound && several ? -PV_EINVAL : 0;
}

Test(ptt_check, every_direction_type_and_format)
{
	unsigned direction, type, format, legal = 0;

	for (format = 0; format < 16; format++)
		for (direction = 0; direction < 16; direction++)
			for (type = 0; type < 256; type++) {
				int result = check(0x80001, direction, type, format);

				cr_assert_eq(result, expected(direction, type, format),
					     "direction %u type %u format %u: got %d", direction, type, format, result);
				legal += result == 0;
			}
	/* 4DW: 7 + 3 + 3 + 3; 8DW: 0 + 3 + 7 + 7. */
	cr_assert_eq(legal, 33);
}

Test(ptt_check, parameters_and_control_word)
{
	struct pv_ptt_params params;

	cr_assert_eq(pv_ptt_params_check(&list, 0x00101 | 2ull << 20 | 7ull << 24 | 1ull << 32, &params), 0);
	cr_expect_eq(params.filter, 0x101);
	cr_expect_eq(params.direction, 2);
	cr_expect_eq(params.type, 7);
	cr_expect_eq(params.format, 1);
	/* TARGET_SEL 0x0101, FILTER_MODE, DATA_FORMAT, TYPE_SEL 7, RXTX_SEL 2 */
	cr_expect_eq(pv_ptt_params_ctrl(&params), 0x0101c078, "got %08x", pv_ptt_params_ctrl(&params));

	cr_assert_eq(pv_ptt_params_check(&list, 0x80005 | 1ull << 20 | 4ull << 24, &params), 0);
	cr_expect_eq(pv_ptt_params_ctrl(&params), 0x00050044, "got %08x", pv_ptt_params_ctrl(&params));
}
