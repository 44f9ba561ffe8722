/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TLPs that a trace must contain: tables of filters, types and directions, and the bytes of each record. */
#include "drivers/regs/ptt.h"
#include "framework/oracle/tests/make.h"

/* All of both ports, everything inbound, 4DW. */
static const struct pv_trace_spec everything = {
	.filter = PTT_FILTER_IS_PORT | 5, .type = 7, .direction = PTT_DIR_IN, .range_lower = RP0, .range_upper = RP1};

static struct pv_trace_spec spec(bool format_8dw, uint8_t direction, uint8_t type)
{
	struct pv_trace_spec s = everything;

	s.format_8dw = format_8dw;
	s.direction = direction;
	s.type = type;
	return s;
}

Test(oracle_trace, direction_tables_of_both_formats)
{
	/* columns: in P, in NP, in CPL A, in CPL B, out P, out NP, out CPL */
	static const char *const table[2][4] = {{"1111000", "0000111", "1101111", "0010111"},
						{"0000000", "0000111", "1101000", "0010000"}};
	struct pv_wire column[7] = {make_tlp(MWR64), make_tlp(MRD64), make_tlp(CPLD), make_tlp(CPLD),
				    make_tlp(MWR64), make_tlp(MRD64), make_tlp(CPLD)};

	column[3].origin = PV_ORIGIN_P2P;
	for (int i = 4; i < 7; i++)
		column[i].dir = PV_WIRE_OUT;
	for (int format = 0; format < 2; format++)
		for (int dir = 0; dir < 4; dir++)
			for (int i = 0; i < 7; i++) {
				struct pv_trace_spec s = spec(format, dir, 7);

				cr_expect_eq(pv_oracle_traced(&s, &column[i]), table[format][dir][i] == '1',
					     "8dw %d direction %d column %d", format, dir, i);
			}
}

Test(oracle_trace, completion_a_and_b_by_origin)
{
	static const struct {
		enum pv_wire_origin origin;
		bool b;
	} cases[] = {{PV_ORIGIN_CPU, false}, {PV_ORIGIN_DMA, false}, {PV_ORIGIN_REMOTE, true}, {PV_ORIGIN_P2P, true}};
	struct pv_trace_spec a = spec(true, PTT_DIR_A, 4), b = spec(true, PTT_DIR_B, 4);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pv_wire w = make_tlp(CPLD);

		w.origin = cases[i].origin;
		cr_expect_eq(pv_oracle_traced(&a, &w), !cases[i].b, "origin %d", w.origin);
		cr_expect_eq(pv_oracle_traced(&b, &w), cases[i].b, "origin %d", w.origin);
	}
}

Test(oracle_trace, unknown_direction_holds_nothing)
{
	struct pv_trace_spec s = spec(false, 4, 7);
	struct pv_wire w = make_write(0);

	cr_assert_not(pv_oracle_traced(&s, &w));
}

Test(oracle_trace, type_mask_selects_the_class)
{
	static const uint32_t dw0[] = {MWR32, MRD32, CPLD};

	for (int type = 0; type < 8; type++)
		for (int c = 0; c < 3; c++) {
			struct pv_trace_spec s = spec(false, PTT_DIR_IN, type);
			struct pv_wire w = make_tlp(dw0[c]);

			cr_expect_eq(pv_oracle_traced(&s, &w), type >> c & 1, "type %d class %d", type, c);
		}
}

Test(oracle_trace, switch_ports_in_the_range_are_no_root_ports)
{
	struct pv_trace_spec s = everything;
	struct pv_wire w = make_write(0);

	s.range_upper = 0x4080;
	s.below[0x03 / 8] |= 1u << 0x03 % 8;
	w.port = 0x0380;
	cr_expect_eq(pv_oracle_traced(&s, &w), 0);
	w.port = 0x0280;
	cr_expect_eq(pv_oracle_traced(&s, &w), true);
	w.port = 0x4080;
	cr_expect_eq(pv_oracle_traced(&s, &w), true);
}

Test(oracle_trace, ports_of_other_domains_are_not_in_the_range)
{
	struct pv_trace_spec s = everything;
	struct pv_wire w = make_write(0);

	s.range_lower = PCI_IN_DOMAIN(2, RP0);
	s.range_upper = PCI_IN_DOMAIN(2, RP1);
	cr_expect_eq(pv_oracle_traced(&s, &w), 0);
	w.port = PCI_IN_DOMAIN(2, RP0);
	cr_expect_eq(pv_oracle_traced(&s, &w), true);
}

Test(oracle_trace, port_mask_is_twice_the_slot)
{
	static const struct {
		pv_bdf port;
		uint16_t bit;
	} cases[] = {{0x0080, 0}, {0x0088, 2}, {0x0098, 6}, {0x00b8, 14}, {0x0081, 0}};
	struct pv_trace_spec s = everything;

	s.range_upper = 0x00ff;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (unsigned bit = 0; bit < 16; bit++) {
			struct pv_wire w = make_write(0);

			w.port = cases[i].port;
			s.filter = PTT_FILTER_IS_PORT | 1u << bit;
			cr_expect_eq(pv_oracle_traced(&s, &w), bit == cases[i].bit, "port %x bit %u", w.port, bit);
		}
}

Test(oracle_trace, ports_of_other_cores_and_of_switches_do_not_match)
{
	struct pv_trace_spec s = everything;
	struct pv_wire w = make_write(0);

	s.filter = PTT_FILTER_IS_PORT | 0xffff;
	w.port = 0x0078; /* 00:0f.0: below the range */
	cr_assert_not(pv_oracle_traced(&s, &w));
	w.port = 0x0090; /* 00:12.0: above it */
	cr_assert_not(pv_oracle_traced(&s, &w));
	w.port = 0x0280; /* 02:10.0: a switch's Downstream Port with the same slot */
	cr_assert_not(pv_oracle_traced(&s, &w));
}

Test(oracle_trace, requester_filter_takes_its_requests_and_completions_to_it)
{
	struct pv_trace_spec s = spec(false, PTT_DIR_B, 7);
	struct pv_wire request = make_tlp(MRD64), completion = make_tlp(CPLD), other = make_tlp(MRD64);

	s.filter = NIC;
	completion.dir = PV_WIRE_OUT;
	completion.hdr[1] = RP0 << 16;
	other.hdr[1] = 0x01010000; /* 01:00.1 */
	cr_assert(pv_oracle_traced(&s, &request));
	cr_assert(pv_oracle_traced(&s, &completion));
	cr_assert_not(pv_oracle_traced(&s, &other));
	completion.hdr[1] = NIC << 16; /* completions by it, for somebody else */
	completion.hdr[2] = 0x00000000;
	cr_assert_not(pv_oracle_traced(&s, &completion));
}

Test(oracle_trace, reserved_filter_bits_hold_nothing)
{
	struct pv_trace_spec s = everything;
	struct pv_wire w = make_write(0);

	s.filter |= 1u << 17;
	cr_assert_not(pv_oracle_traced(&s, &w));
}

Test(oracle_trace, discarded_tlps_are_never_traced)
{
	for (unsigned flags = 1; flags < 2 * PV_WIRE_F_BAD_LCRC; flags++) { /* alone and together */
		struct pv_wire w = make_write(0);

		w.flags = flags;
		cr_expect_not(pv_oracle_traced(&everything, &w), "flags %u", flags);
	}
}

/* F-P32 */
Test(oracle_trace, a_malformed_tlp_is_traced_where_it_is_sent)
{
	struct pv_trace_spec out = spec(false, PTT_DIR_OUT, 1);
	struct pv_wire w = make_write(0);

	w.dir = PV_WIRE_OUT;
	cr_assert(pv_oracle_traced(&out, &w));
	w.flags = PV_WIRE_F_MALFORMED;
	cr_expect(pv_oracle_traced(&out, &w));
}

Test(oracle_trace, only_defined_tlps_are_traced)
{
	struct pv_wire undefined = make_tlp(0x5a000001), dllp = make_write(0);

	dllp.what = PV_WIRE_DLLP;
	cr_assert_not(pv_oracle_traced(&everything, &undefined));
	cr_assert_not(pv_oracle_traced(&everything, &dllp));
}

/* PCIe 6.0 2.2.1; in PCIe 5.0 the short one is TCfgWr, which is non-posted as well. */
Test(oracle_trace, deferrable_writes_are_non_posted)
{
	static const uint32_t dw0[] = {0x5b000001, 0x7b000001};

	for (size_t i = 0; i < sizeof(dw0) / sizeof(*dw0); i++)
		for (int type = 0; type < 8; type++) {
			struct pv_trace_spec s = spec(false, PTT_DIR_IN, type);
			struct pv_wire w = make_tlp(dw0[i]);

			cr_expect_eq(pv_oracle_traced(&s, &w), !!(type & PTT_TYPE_NONPOSTED), "%x type %d", dw0[i],
				     type);
		}
}

Test(oracle_trace, record_8dw_to_the_byte)
{
	static const uint8_t want[32] = {0xff, 0xff, 0xff, 0xff, 0x05, 0x00, 0x30, 0x91, 0x01, 0x00, 0x00,
					 0x60, 0x0f, 0x1e, 0x00, 0x01, 0x04, 0x00, 0x00, 0x00, 0x40, 0x00,
					 0x81, 0x02, 0x00, 0x00, 0x00, 0x00, 0x33, 0xc0, 0x04, 0x00};
	struct pv_trace_spec s = spec(true, PTT_DIR_B, 1);
	struct pv_wire w = {.time_ps = 0x10004c033ull * 1000 + 999, /* above 32 bits: cut */
			    .prefix = 0x91300005,
			    .hdr = {0x60000001, 0x01001e0f, 4, 0x02810040}};
	uint8_t got[32];

	cr_assert_eq(pv_oracle_record(&s, &test_head, &w, got), 32);
	cr_assert_eq(memcmp(got, want, 32), 0);
}

Test(oracle_trace, other_prefixes_are_recorded_as_none)
{
	struct pv_trace_spec s = spec(true, PTT_DIR_B, 1);
	struct pv_wire w = {.prefix = 0x90000001, .hdr = {0x60000001}};
	uint8_t got[32];

	pv_oracle_record(&s, &test_head, &w, got);
	cr_assert_eq(memcmp(got + 4, "\0\0\0", 4), 0);
}

Test(oracle_trace, record_4dw_is_the_published_one)
{
	static const uint8_t want[16] = {0xff, 0x0f, 0x20, 0x40, 0x0f, 0x10, 0x80, 0x00,
					 0x00, 0x04, 0x00, 0x00, 0x48, 0x01, 0x01, 0x00};
	struct pv_wire w = {.time_ps = (7 * 2048 + 0x7ff) * 1000ull, /* above 11 bits: cut */
			    .hdr = {0x20002001, 0x0080100f, 0x400, 0x10148}};
	uint8_t got[32];

	cr_assert_eq(pv_oracle_record(&everything, &test_head, &w, got), 16);
	cr_assert_eq(memcmp(got, want, 16), 0);
}

Test(oracle_trace, each_field_of_a_4dw_record)
{
	static const struct {
		uint32_t header, record;
	} cases[] = {{0x60000000, 0xc0000000}, {0x1f000000, 0x3e000000},  {1u << 23, 1u << 24},
		     {1u << 19, 1u << 23},     {1u << 16, 1u << 22},	  {1u << 13, 1u << 21},
		     {0x3ff, 0x3ff << 11},     {0x8070dc00 & ~0x2000u, 0} /* Fmt[2], TC, TD, EP, NS, AT: not kept */};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pv_wire w = {.hdr = {cases[i].header}};
		uint8_t got[32];

		pv_oracle_record(&everything, &test_head, &w, got);
		cr_expect_eq(got[0] | got[1] << 8 | got[2] << 16 | (uint32_t)got[3] << 24, cases[i].record, "case %zu",
			     i);
	}
}
