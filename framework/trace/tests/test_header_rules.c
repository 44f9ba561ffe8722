/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules for 4DW records that take more than masks: each kept, and each broken alone. */
#include <criterion/criterion.h>
#include <endian.h>

#include "framework/trace/header_check.h"
#include "framework/util/cleanup.h"

#define DW0(fmt, type, length) ((uint32_t)(fmt) << 30 | (type) << 25 | ((length)&0x3ff) << 11)
#define TH		       (1u << 22)
#define MEM(fmt, length)       DW0(fmt, 0x00, length)
#define FETCH_ADD(fmt, length) DW0(2 + (fmt), 0x0c, length)
#define CPL(fmt, length)       DW0(fmt, 0x0a, length)

static const struct {
	const char *what;
	uint32_t dw[4];
	bool regular;
} records[] = {
	{"a read up to a 4 KiB border", {MEM(0, 16), 0x010000ff, 0x1fc0, 0}, true},
	{"a read over a 4 KiB border", {MEM(0, 17), 0x010000ff, 0x1fc0, 0}, false},
	{"a read of 4 KiB", {MEM(0, 0), 0x010000ff, 0x1000, 0}, true},
	{"a read of 4 KiB from elsewhere", {MEM(0, 0), 0x010000ff, 0x1004, 0}, false},
	{"a long write up to a border", {MEM(3, 16), 0x010000ff, 1, 0x1fc0}, true},
	{"a long write over a border", {MEM(3, 17), 0x010000ff, 1, 0x1fc0}, false},
	{"a long write to a short address", {MEM(3, 16), 0x010000ff, 0, 0x1000}, false},
	{"a read with a hint", {MEM(0, 16) | TH, 0x01000000, 0x1000, 0}, true},
	{"an atomic of 8 bytes", {FETCH_ADD(1, 2), 0x01000000, 1, 0x1000}, true},
	{"an atomic of 12 bytes", {FETCH_ADD(1, 3), 0x01000000, 1, 0x1000}, false},
	{"an atomic of 64 bytes", {FETCH_ADD(0, 16), 0x01000000, 0x1000, 0}, false},
	{"an I/O read", {DW0(0, 0x02, 1), 0x0100000f, 0x3f8, 0}, true},
	{"an I/O read of two DWs", {DW0(0, 0x02, 2), 0x010000ff, 0x3f8, 0}, false},
	{"an I/O read with TH", {DW0(0, 0x02, 1) | TH, 0x0100000f, 0x3f8, 0}, false},
	{"a configuration write", {DW0(2, 0x04, 1), 0x0000000f, 0x01000010, 0}, true},
	{"a configuration write of two DWs", {DW0(2, 0x04, 2), 0x000000ff, 0x01000010, 0}, false},
	{"all that is left, with data", {CPL(2, 16), 0x00000040, 0x01000000, 0}, true},
	{"more data than is left", {CPL(2, 18), 0x00000040, 0x01000000, 0}, false},
	{"a part of its first and last DW", {CPL(2, 2), 0x00000002, 0x01000003, 0}, true},
	{"the first of 4 KiB", {CPL(2, 32), 0x00000000, 0x01000000, 0}, true},
	{"an error with data", {CPL(2, 1), 0x00002004, 0x01000000, 0}, false},
	{"an error without", {CPL(0, 0), 0x00002004, 0x01000000, 0}, true},
	{"a completion with Length but no data", {CPL(0, 1), 0x00000004, 0x01000000, 0}, false},
	{"a completion with TH", {CPL(2, 16) | TH, 0x00000040, 0x01000000, 0}, false},
	{"what header_check.h has against", {CPL(2, 16), 0x00006040, 0x01000000, 0}, false},
	{"a kind that is not defined", {DW0(2, 0x1f, 1), 0x0100000f, 0x1000, 0}, false},
};

static bool is_regular(const uint32_t dw[4])
{
	uint32_t record[4] = {htole32(dw[0]), htole32(dw[1]), htole32(dw[2]), htole32(dw[3])};

	return pv_regular_4dw((const uint8_t *)record);
}

Test(regular, each_rule_alone)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		cr_expect_eq(is_regular(records[i].dw), records[i].regular, "%s", records[i].what);
}

/* PCIe 5.0 tables 2-20 to 2-30 and 10.2: the routing of each message that has just one. */
static const struct {
	uint8_t code, routing;
} messages[] = {
	{0x00, 3}, {0x01, 2}, {0x02, 2}, {0x04, 0}, {0x05, 2}, {0x10, 4}, {0x12, 4}, {0x14, 4},
	{0x18, 0}, {0x19, 3}, {0x1b, 5}, {0x20, 4}, {0x21, 4}, {0x22, 4}, {0x23, 4}, {0x24, 4},
	{0x25, 4}, {0x26, 4}, {0x27, 4}, {0x30, 0}, {0x31, 0}, {0x33, 0}, {0x40, 4}, {0x41, 4},
	{0x43, 4}, {0x44, 4}, {0x45, 4}, {0x47, 4}, {0x48, 4}, {0x50, 4}, {0x52, 4}, {0x53, 4},
};

static bool is_message_regular(uint32_t code, uint32_t routing)
{
	return is_regular((const uint32_t[]){DW0(1, 0x10 | routing, 0), 0x01000000 | code, 0, 0});
}

Test(regular, a_message_has_its_routing)
{
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		for (uint32_t routing = 0; routing < 8; routing++)
			cr_expect_eq(is_message_regular(messages[i].code, routing), routing == messages[i].routing,
				     "message %#x routed %u", messages[i].code, routing);
}

Test(regular, a_vendor_s_message_has_any_that_is_for_one_message)
{
	for (uint32_t code = 0x7e; code <= 0x7f; code++)
		for (uint32_t routing = 0; routing < 8; routing++)
			cr_expect_eq(is_message_regular(code, routing), routing < 5, "message %#x routed %u", code,
				     routing);
}

Test(regular, a_message_without_data_has_no_length_and_a_code_that_is_defined)
{
	static const uint32_t with_length[] = {DW0(1, 0x14, 1), 0x01000020, 0, 0};

	cr_expect(!is_regular(with_length));
	cr_expect(!is_message_regular(0x11, 4));
	cr_expect(!is_message_regular(0xff, 0));
}
