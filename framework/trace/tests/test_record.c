/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT records: the two published ones of real hardware, hand-made ones for each field, and damage.
 */
#include "framework/trace/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* Published, 4DW: MRd64, 1 DW, 00:10.0, tag 0x10, 0x400_0001_0148, SO 1, time 0x7ff. */
static const uint8_t published_4dw[16] = {0xff, 0x0f, 0x20, 0x40, 0x0f, 0x10, 0x80, 0x00,
					  0x00, 0x04, 0x00, 0x00, 0x48, 0x01, 0x01, 0x00};
/* Published excerpt of the kernel's documentation, DW0 put in front (F-P43). */
static const uint8_t published_8dw[32] = {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
					  0x60, 0x0f, 0x1e, 0x00, 0x01, 0x04, 0x00, 0x00, 0x00, 0x40, 0x00,
					  0x81, 0x02, 0x00, 0x00, 0x00, 0x00, 0x33, 0xc0, 0x04, 0x00};

static struct pv_record decode_words(enum pv_record_format f, const uint32_t *dw)
{
	struct pv_record r;

	cr_assert_eq(pv_record_decode(f, dw, 0, &r), 0);
	return r;
}

Test(record, published_4dw)
{
	struct pv_record r;

	cr_assert_eq(pv_record_detect(published_4dw, 16), PV_RECORD_4DW);
	cr_assert_eq(pv_record_decode(PV_RECORD_4DW, published_4dw, 0x30, &r), 0);
	cr_assert_eq(r.tlp.kind, PV_TLP_MRD64);
	cr_assert_eq(r.tlp.length_dw, 1);
	cr_assert_eq(r.tlp.requester, 0x0080);
	cr_assert_eq(r.tlp.tag, 0x10);
	cr_assert_eq(r.tlp.first_be, 0xf);
	cr_assert_eq(r.tlp.last_be, 0);
	cr_assert_eq(r.tlp.address, 0x40000010148);
	cr_assert(r.so);
	cr_assert_eq(r.tlp.attr, 2);
	cr_assert_eq(r.time, 0x7ff);
	cr_assert_eq(r.offset, 0x30);
}

Test(record, published_8dw)
{
	struct pv_record r;

	cr_assert_eq(pv_record_detect(published_8dw, 32), PV_RECORD_8DW);
	cr_assert_eq(pv_record_decode(PV_RECORD_8DW, published_8dw, 0, &r), 0);
	cr_assert_eq(r.tlp.kind, PV_TLP_MWR64);
	cr_assert_eq(r.tlp.length_dw, 1);
	cr_assert_eq(r.tlp.requester, 0x0100);
	cr_assert_eq(r.tlp.tag, 0x1e);
	cr_assert_eq(r.tlp.address, 0x402810040);
	cr_assert_eq(r.time, 0x4c033);
	cr_assert_not(r.has_pasid);
}

Test(record, pasid_prefix_fields)
{
	uint32_t dw[8] = {0xffffffff, 0x913abcde, 0x60000001, 0x0100000f, 0, 0x1000, 0, 7};
	struct pv_record r = decode_words(PV_RECORD_8DW, dw);

	cr_assert(r.has_pasid);
	cr_assert_eq(r.pasid, 0xabcde);
	cr_assert(r.pasid_exe);
	cr_assert(r.pasid_pmr);
	dw[1] = 0x91000001;
	r = decode_words(PV_RECORD_8DW, dw);
	cr_assert_not(r.pasid_exe);
	cr_assert_not(r.pasid_pmr);
}

Test(record, other_prefix_is_kept_but_is_no_pasid)
{
	uint32_t dw[8] = {0xffffffff, 0x90123456, 0x60000001, 0x0100000f, 0, 0x1000, 0, 7};
	struct pv_record r = decode_words(PV_RECORD_8DW, dw);

	cr_assert_eq(r.prefix, 0x90123456);
	cr_assert_not(r.has_pasid);
	cr_assert_eq(r.pasid, 0);
}

Test(record, fields_of_4dw_each_have_their_place)
{
	static const struct {
		uint32_t bit;
		uint16_t tag;
		bool th, so;
		uint16_t length;
		uint32_t time;
	} cases[] = {
		{.bit = 1u << 24, .tag = 0x200, .length = 1024},
		{.bit = 1u << 23, .tag = 0x100, .length = 1024},
		{.bit = 1u << 22, .th = true, .length = 1024},
		{.bit = 1u << 21, .so = true, .length = 1024},
		{.bit = 1u << 20, .length = 512},
		{.bit = 1u << 11, .length = 1},
		{.bit = 1u << 10, .length = 1024, .time = 1024},
		{.bit = 1, .length = 1024, .time = 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pv_record r = decode_words(PV_RECORD_4DW, (uint32_t[4]){1u << 30 | cases[i].bit, 0, 0, 0});

		cr_expect_eq(r.tlp.kind, PV_TLP_MRD64, "case %zu: kind %u", i, r.tlp.kind);
		cr_expect_eq(r.tlp.tag, cases[i].tag, "case %zu: tag: expected %#x, got %#x", i, cases[i].tag,
			     r.tlp.tag);
		cr_expect_eq(r.tlp.th, cases[i].th, "case %zu: TH: expected %d, got %d", i, cases[i].th, r.tlp.th);
		cr_expect_eq(r.so, cases[i].so, "case %zu: SO: expected %d, got %d", i, cases[i].so, r.so);
		cr_expect_eq(r.tlp.length_dw, cases[i].length, "case %zu: length: expected %u, got %u", i,
			     cases[i].length, r.tlp.length_dw);
		cr_expect_eq(r.time, cases[i].time, "case %zu: time", i);
	}
}

Test(record, completion_in_4dw)
{
	/* CplD: Fmt 10b, Type 0_1010b, 16 DW */
	struct pv_record r = decode_words(
		PV_RECORD_4DW, (uint32_t[4]){2u << 30 | 0x0au << 25 | 16 << 11 | 5, 0x00800040, 0x01010a00, 0});

	cr_assert_eq(r.tlp.kind, PV_TLP_CPLD);
	cr_assert_eq(r.tlp.completer, 0x0080);
	cr_assert_eq(r.tlp.requester, 0x0101);
	cr_assert_eq(r.tlp.byte_count, 64);
}

Test(record, payload_without_records_is_unknown)
{
	uint8_t zero_tail[64] = {0};

	cr_assert_eq(pv_record_detect(zero_tail, sizeof(zero_tail)), PV_RECORD_UNKNOWN);
	cr_assert_eq(pv_record_detect(published_4dw, 15), PV_RECORD_UNKNOWN);
	cr_assert_eq(pv_record_detect(published_8dw, 31), PV_RECORD_UNKNOWN);
	cr_assert_eq(pv_record_detect(NULL, 0), PV_RECORD_UNKNOWN);
}

Test(record, damaged_fixed_bits_are_refused)
{
	struct pv_record r;
	uint8_t bytes[32];

	for (size_t i = 1; i < 4; i++) {
		memcpy(bytes, published_8dw, sizeof(bytes));
		bytes[i] ^= 0x10;
		cr_expect_eq(pv_record_decode(PV_RECORD_8DW, bytes, 0, &r), -EBADMSG, "byte %zu", i);
	}
}

Test(record, mark_is_the_upper_21_bits)
{
	struct pv_record r;
	uint8_t bytes[32];

	memcpy(bytes, published_8dw, sizeof(bytes));
	bytes[0] = 0;
	bytes[1] = 0xf8;
	cr_expect_eq(pv_record_decode(PV_RECORD_8DW, bytes, 0, &r), 0);
	cr_expect_eq(pv_record_detect(bytes, sizeof(bytes)), PV_RECORD_8DW);
	bytes[1] = 0xf0;
	cr_expect_eq(pv_record_decode(PV_RECORD_8DW, bytes, 0, &r), -EBADMSG);
	cr_expect_eq(pv_record_detect(bytes, sizeof(bytes)), PV_RECORD_4DW);
}

/* A decoded record of data pattern 1, with extra fields in its header words (layout of perf's decoder). */
static struct pv_record with_extra(uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
	const uint32_t words[8] = {0xffffffff, 0, dw0, dw1, dw2, dw3, 0, 7};
	struct pv_record r;

	cr_assert_eq(pv_record_decode(PV_RECORD_8DW, words, 0, &r), 0);
	pv_record_read_extra(&r);
	return r;
}

Test(record, pattern_1_of_long_addresses)
{
	/* segment 0xa5, TV, T, tag[13:10] 0xc, address[47:32] 0xbeef */
	struct pv_record r =
		with_extra(0x60880001, 0x0100120f, 0xa5u << 23 | 1u << 21 | 1u << 20 | 0xcu << 16 | 0xbeef, 0x12345678);

	cr_expect_eq(r.tlp.address, 0xbeef12345678);
	cr_expect_eq(r.tlp.tag, 0xc << 10 | 0x312);
	cr_expect_eq(r.extra.segment, 0xa5);
	cr_expect(r.extra.t && r.extra.tv && !r.extra.has_fm && !r.extra.is_short);
}

Test(record, pattern_1_of_short_addresses)
{
	/* segment, ST[15:8], HV, AMA, AV, FM, TV, T, tag[13:10] */
	struct pv_record r =
		with_extra(0x40000001, 0x0100120f, 0x1000,
			   0x5au << 24 | 0x77u << 16 | 2u << 12 | 5u << 9 | 1u << 8 | 1u << 7 | 1u << 5 | 0x3);

	cr_expect_eq(r.tlp.address, 0x1000);
	cr_expect_eq(r.tlp.tag, 3 << 10 | 0x12);
	cr_expect_eq(r.extra.segment, 0x5a);
	cr_expect_eq(r.extra.st_high, 0x77);
	cr_expect_eq(r.extra.hv, 2);
	cr_expect_eq(r.extra.ama, 5);
	cr_expect(r.extra.av && r.extra.fm && r.extra.has_fm && r.extra.tv && !r.extra.t && r.extra.is_short);
}

Test(record, pattern_1_of_io_configuration_and_completions)
{
	struct pv_record io =
		with_extra(0x02000001, 0x0100120f, 0x1000, 0x5au << 24 | 0x77u << 16 | 1u << 7 | 1u << 4 | 3);
	struct pv_record config =
		with_extra(0x04000001, 0x0100120f, 0x02000040, 0xa5u << 23 | 1u << 22 | 1u << 21 | 9u << 16 | 0xffff);
	struct pv_record cpl = with_extra(0x4a000001, 0x02000004, 0x01001200,
					  0x11u << 24 | 0x22u << 16 | 1u << 15 | 1u << 5 | 1u << 4 | 0xf);

	cr_expect_eq(io.extra.segment, 0x5a);
	cr_expect_eq(io.extra.st_high, 0, "no steering tag");
	cr_expect(io.extra.fm && io.extra.has_fm && io.extra.t && !io.extra.is_short);
	cr_expect_eq(io.tlp.tag, 3 << 10 | 0x12);
	cr_expect_eq(config.extra.segment, 0xa5);
	cr_expect(config.extra.dsv && config.extra.tv && !config.extra.t && !config.extra.has_fm);
	cr_expect_eq(config.tlp.tag, 9 << 10 | 0x12);
	cr_expect_eq(cpl.extra.segment, 0x11);
	cr_expect_eq(cpl.extra.completer_segment, 0x22);
	cr_expect(cpl.extra.dsv && cpl.extra.tv && cpl.extra.t);
	cr_expect_eq(cpl.tlp.tag, 0xf << 10 | 0x12);
}

Test(record, pattern_1_has_nothing_of_messages)
{
	struct pv_record r = with_extra(0x30000000, 0x01001220, 0xffffffff, 0xffffffff);

	cr_expect_not(r.has_extra);
	cr_expect_eq(r.tlp.tag, 0x12);
}

Test(record, reserved_word_hides_nothing)
{
	struct pv_record r;
	uint8_t bytes[32];

	memcpy(bytes, published_8dw, sizeof(bytes));
	bytes[25] = 0x5a;
	cr_assert_eq(pv_record_decode(PV_RECORD_8DW, bytes, 0, &r), 0);
	cr_expect_eq(r.dw[6], 0x5a00);
	cr_expect_eq(r.tlp.address, 0x402810040);
}

Test(record, zero_and_8dw_mark_are_no_4dw_records)
{
	uint8_t zeroes[16] = {0};
	struct pv_record r;

	cr_assert_eq(pv_record_decode(PV_RECORD_4DW, zeroes, 0, &r), -EBADMSG);
	cr_assert_eq(pv_record_decode(PV_RECORD_4DW, published_8dw, 0, &r), -EBADMSG);
	cr_assert_eq(pv_record_decode(PV_RECORD_UNKNOWN, published_8dw, 0, &r), -EBADMSG);
}

Test(record, unaligned_data_is_read)
{
	uint8_t buf[33];
	struct pv_record r;

	memcpy(buf + 1, published_8dw, 32);
	cr_assert_eq(pv_record_decode(PV_RECORD_8DW, buf + 1, 0, &r), 0);
	cr_assert_eq(r.tlp.address, 0x402810040);
}
