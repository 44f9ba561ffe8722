/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLP headers: each kind of PCIe 5.0 table 2-3, each header shape with its bytes written out by hand
 * from the figures of section 2.2.
 */
#include "framework/trace/tlp.h"

#include <criterion/criterion.h>
#include <string.h>

/* A header as it stands on the wire, byte 0 first. */
static struct pv_tlp decode(const uint8_t b[16])
{
	struct pv_tlp t;
	uint32_t hdr[4];

	for (int i = 0; i < 4; i++)
		hdr[i] = (uint32_t)b[4 * i] << 24 | b[4 * i + 1] << 16 | b[4 * i + 2] << 8 | b[4 * i + 3];
	pv_tlp_decode(hdr, &t);
	return t;
}
#define DECODE(...) decode((const uint8_t[16]){__VA_ARGS__})

static const struct {
	unsigned fmt, type;
	enum pv_tlp_kind kind;
	const char *name;
	enum pv_tlp_class cls;
} table[] = {
	{0, 0x00, PV_TLP_MRD32, "MRd32", PV_CLASS_NONPOSTED},
	{1, 0x00, PV_TLP_MRD64, "MRd64", PV_CLASS_NONPOSTED},
	{0, 0x01, PV_TLP_MRDLK32, "MRdLk32", PV_CLASS_NONPOSTED},
	{1, 0x01, PV_TLP_MRDLK64, "MRdLk64", PV_CLASS_NONPOSTED},
	{2, 0x00, PV_TLP_MWR32, "MWr32", PV_CLASS_POSTED},
	{3, 0x00, PV_TLP_MWR64, "MWr64", PV_CLASS_POSTED},
	{0, 0x02, PV_TLP_IORD, "IORd", PV_CLASS_NONPOSTED},
	{2, 0x02, PV_TLP_IOWR, "IOWr", PV_CLASS_NONPOSTED},
	{0, 0x04, PV_TLP_CFGRD0, "CfgRd0", PV_CLASS_NONPOSTED},
	{2, 0x04, PV_TLP_CFGWR0, "CfgWr0", PV_CLASS_NONPOSTED},
	{0, 0x05, PV_TLP_CFGRD1, "CfgRd1", PV_CLASS_NONPOSTED},
	{2, 0x05, PV_TLP_CFGWR1, "CfgWr1", PV_CLASS_NONPOSTED},
	{0, 0x0a, PV_TLP_CPL, "Cpl", PV_CLASS_COMPLETION},
	{2, 0x0a, PV_TLP_CPLD, "CplD", PV_CLASS_COMPLETION},
	{0, 0x0b, PV_TLP_CPLLK, "CplLk", PV_CLASS_COMPLETION},
	{2, 0x0b, PV_TLP_CPLDLK, "CplDLk", PV_CLASS_COMPLETION},
	{2, 0x0c, PV_TLP_FETCHADD32, "FetchAdd32", PV_CLASS_NONPOSTED},
	{3, 0x0c, PV_TLP_FETCHADD64, "FetchAdd64", PV_CLASS_NONPOSTED},
	{2, 0x0d, PV_TLP_SWAP32, "Swap32", PV_CLASS_NONPOSTED},
	{3, 0x0d, PV_TLP_SWAP64, "Swap64", PV_CLASS_NONPOSTED},
	{2, 0x0e, PV_TLP_CAS32, "CAS32", PV_CLASS_NONPOSTED},
	{3, 0x0e, PV_TLP_CAS64, "CAS64", PV_CLASS_NONPOSTED},
	{2, 0x1b, PV_TLP_DMWR32, "DMWr32", PV_CLASS_NONPOSTED},
	{3, 0x1b, PV_TLP_DMWR64, "DMWr64", PV_CLASS_NONPOSTED},
};

Test(tlp, every_kind_has_its_code_name_and_class)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		enum pv_tlp_kind k = pv_tlp_kind(table[i].fmt, table[i].type);

		cr_assert_eq(k, table[i].kind, "%s: kind: expected %u, got %u", table[i].name, table[i].kind, k);
		cr_assert_str_eq(pv_tlp_kinds[k].name, table[i].name);
		cr_assert_eq(pv_tlp_kinds[k].cls, table[i].cls, "%s: class: expected %u, got %u", table[i].name,
			     table[i].cls, pv_tlp_kinds[k].cls);
		cr_assert_eq(pv_tlp_kinds[k].has_data, table[i].fmt >> 1, "%s: has data", table[i].name);
		cr_assert_eq(pv_tlp_kinds[k].four_dw, table[i].fmt & 1, "%s: 4 DW", table[i].name);
	}
}

Test(tlp, messages_have_eight_routings)
{
	for (unsigned routing = 0; routing < 8; routing++) {
		cr_assert_eq(pv_tlp_kind(1, 0x10 | routing), PV_TLP_MSG);
		cr_assert_eq(pv_tlp_kind(3, 0x10 | routing), PV_TLP_MSGD);
	}
}

Test(tlp, all_other_codes_are_undefined)
{
	unsigned defined = 0;

	for (unsigned fmt = 0; fmt < 8; fmt++)
		for (unsigned type = 0; type < 32; type++)
			defined += pv_tlp_kind(fmt, type) != PV_TLP_UNDEFINED;
	cr_assert_eq(defined, sizeof(table) / sizeof(*table) + 2 * 8);
	cr_assert_eq(pv_tlp_kind(8, 0), PV_TLP_UNDEFINED);
	cr_assert_eq(pv_tlp_kind(0, 32), PV_TLP_UNDEFINED);
}

Test(tlp, tcfg_and_prefixes_are_undefined)
{
	cr_assert_eq(pv_tlp_kind(0, 0x1b), PV_TLP_UNDEFINED);
	cr_assert_eq(pv_tlp_kind(1, 0x1b), PV_TLP_UNDEFINED);
	cr_assert_eq(pv_tlp_kind(4, 0x00), PV_TLP_UNDEFINED); /* local prefix */
	cr_assert_eq(pv_tlp_kind(4, 0x11), PV_TLP_UNDEFINED); /* end-end prefix: PASID */
}

Test(tlp, undefined_keeps_code_only)
{
	struct pv_tlp t = DECODE(0x59, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

	cr_assert_eq(t.kind, PV_TLP_UNDEFINED);
	cr_assert_eq(t.fmt, 2);
	cr_assert_eq(t.type, 0x19);
	cr_assert_eq(t.requester, 0);
	cr_assert_eq(t.length_dw, 0);
	cr_assert_eq(t.tag, 0);
}

Test(tlp, memory_write_64)
{
	/* TC 5, no attributes, 64 DW, 01:00.1, tag 0x2a, all bytes, 0x12_34567890 */
	struct pv_tlp t = DECODE(0x60, 0x50, 0x00, 0x40, 0x01, 0x01, 0x2a, 0xff, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0x90);

	cr_assert_eq(t.kind, PV_TLP_MWR64);
	cr_assert_eq(t.tc, 5);
	cr_assert_eq(t.length_dw, 64);
	cr_assert_eq(t.requester, 0x0101);
	cr_assert_eq(t.tag, 0x2a);
	cr_assert_eq(t.first_be, 0xf);
	cr_assert_eq(t.last_be, 0xf);
	cr_assert_eq(t.address, 0x1234567890);
}

Test(tlp, memory_read_32_ignores_the_fourth_word_and_processing_hints)
{
	struct pv_tlp t =
		DECODE(0x00, 0x01, 0x00, 0x02, 0x02, 0x08, 0x01, 0x73, 0x80, 0x00, 0x00, 0x07, 0xde, 0xad, 0xbe, 0xef);

	cr_assert_eq(t.kind, PV_TLP_MRD32);
	cr_assert(t.th);
	cr_assert_eq(t.address, 0x80000004);
	cr_assert_eq(t.first_be, 3);
	cr_assert_eq(t.last_be, 7);
}

Test(tlp, length_zero_is_1024)
{
	struct pv_tlp t = DECODE(0x40, 0, 0, 0, 1, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0);

	cr_assert_eq(t.length_dw, 1024);
}

Test(tlp, common_bits_each_have_their_place)
{
	static const struct {
		uint8_t byte1, byte2;
		uint8_t attr, at;
		bool th, td, ep;
		uint16_t tag;
	} cases[] = {
		{.byte1 = 0x80, .tag = 0x200}, {.byte1 = 0x08, .tag = 0x100}, {.byte1 = 0x04, .attr = 4},
		{.byte1 = 0x01, .th = true},   {.byte2 = 0x80, .td = true},   {.byte2 = 0x40, .ep = true},
		{.byte2 = 0x20, .attr = 2},    {.byte2 = 0x10, .attr = 1},    {.byte2 = 0x08, .at = 2},
		{.byte2 = 0x04, .at = 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pv_tlp t = DECODE(0x20, cases[i].byte1, cases[i].byte2, 1);

		cr_expect_eq(t.tag, cases[i].tag, "case %zu: tag: expected %#x, got %#x", i, cases[i].tag, t.tag);
		cr_expect_eq(t.attr, cases[i].attr, "case %zu: attr: expected %u, got %u", i, cases[i].attr, t.attr);
		cr_expect_eq(t.at, cases[i].at, "case %zu: AT: expected %u, got %u", i, cases[i].at, t.at);
		cr_expect_eq(t.th, cases[i].th, "case %zu: TH: expected %d, got %d", i, cases[i].th, t.th);
		cr_expect_eq(t.td, cases[i].td, "case %zu: TD: expected %d, got %d", i, cases[i].td, t.td);
		cr_expect_eq(t.ep, cases[i].ep, "case %zu: EP: expected %d, got %d", i, cases[i].ep, t.ep);
		cr_expect_eq(t.tc, 0, "case %zu: TC %u", i, t.tc);
	}
}

Test(tlp, io_and_configuration_requests)
{
	struct pv_tlp io = DECODE(0x42, 0, 0, 1, 0, 0, 7, 0x0f, 0, 0, 0x10, 0x40);
	struct pv_tlp cfg = DECODE(0x45, 0, 0, 1, 0, 0, 9, 0x03, 0x02, 0x09, 0x0f, 0xfc);

	cr_assert_eq(io.kind, PV_TLP_IOWR);
	cr_assert_eq(io.address, 0x1040);
	cr_assert_eq(cfg.kind, PV_TLP_CFGWR1);
	cr_assert_eq(cfg.completer, 0x0209);
	cr_assert_eq(cfg.reg, 0xffc);
	cr_assert_eq(cfg.first_be, 3);
	cr_assert_eq(cfg.address, 0);
}

Test(tlp, completion_with_data)
{
	/* completer 00:00.0, SC, 256 bytes left, requester 01:00.0, tag 0x31f, lower address 0x40 */
	struct pv_tlp t = DECODE(0x4a, 0x88, 0x00, 0x20, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x1f, 0x40);

	cr_assert_eq(t.kind, PV_TLP_CPLD);
	cr_assert_eq(t.tag, 0x31f);
	cr_assert_eq(t.byte_count, 256);
	cr_assert_eq(t.requester, 0x0100);
	cr_assert_eq(t.lower_address, 0x40);
	cr_assert_eq(t.length_dw, 32);
}

Test(tlp, completion_status_bcm_and_byte_count_zero)
{
	struct pv_tlp t = DECODE(0x0a, 0, 0, 0, 0x05, 0x20, 0x90, 0x00, 0x01, 0x00, 0x02, 0xff);

	cr_assert_eq(t.status, 4);
	cr_assert(t.bcm);
	cr_assert_eq(t.byte_count, 4096);
	cr_assert_eq(t.completer, 0x0520);
	cr_assert_eq(t.lower_address, 0x7f);
	cr_assert_eq(t.length_dw, 0); /* reserved without data */
}

Test(tlp, message_code_and_routing)
{
	struct pv_tlp t = DECODE(0x34, 0, 0, 0, 0x01, 0x00, 0x00, 0x20);
	struct pv_tlp d = DECODE(0x73, 0, 0, 4, 0x01, 0x00, 0x05, 0x7f, 0, 0, 0x1e, 0x2c);

	cr_assert_eq(t.kind, PV_TLP_MSG);
	cr_assert_eq(t.routing, 4);
	cr_assert_eq(t.message_code, 0x20);
	cr_assert_eq(t.length_dw, 0);
	cr_assert_eq(d.kind, PV_TLP_MSGD);
	cr_assert_eq(d.routing, 3);
	cr_assert_eq(d.message_code, 0x7f);
	cr_assert_eq(d.tag, 5);
	cr_assert_eq(d.length_dw, 4);
}

Test(tlp, wire_bytes_of_section_5)
{
	struct pv_tlp write = DECODE(0x60, 0, 0, 0x40, 0, 0, 0, 0xff);
	struct pv_tlp read = DECODE(0x00, 0, 0, 0x80, 0, 0, 0, 0xff);
	struct pv_tlp digest = DECODE(0x40, 0, 0x80, 1, 0, 0, 0, 0x0f);

	cr_assert_eq(pv_tlp_wire_bytes(&write, 0), 280); /* the example: 256 bytes, 64-bit address */
	cr_assert_eq(pv_tlp_wire_bytes(&write, 1), 284);
	cr_assert_eq(pv_tlp_wire_bytes(&read, 0), 20);
	cr_assert_eq(pv_tlp_wire_bytes(&digest, 0), 28);
}
