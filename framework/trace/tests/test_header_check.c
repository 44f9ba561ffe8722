/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of a 4DW record, and of a block of them, say what a plain reading of the decoded fields says: for every
 * kind with every rule of it kept and broken, and for records with bits changed at random, at every place of a block.
 */
#include "framework/trace/header_check.h"

#include <criterion/criterion.h>

#include "framework/trace/record.h"
#include "framework/util/cleanup.h"

enum { RECORD = PTT_RECORD_4DW_BYTES, BLOCK = PV_PLAUSIBLE_BLOCK };

static uint32_t random32(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static void put(uint8_t *block, unsigned i, uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
	memcpy(block + i * RECORD, (uint32_t[]){htole32(dw0), htole32(dw1), htole32(dw2), htole32(dw3)}, RECORD);
}

/* MRd64, MWr32, CplD and a message that are as they should be. */
static void put_good(uint8_t *block, unsigned i)
{
	switch (random32() % 4) {
	case 0:
		put(block, i, 0x40000000 | 7 << 11, 0x01001eff, random32(), random32() & ~3u);
		break;
	case 1:
		put(block, i, 0x80000000 | 1 << 11 | (random32() & 0x7ff), 0x0100000f, random32() & ~3u, 0);
		break;
	case 2:
		put(block, i, 0x94000000 | 8 << 11, 0x00800020, 0x01001e00, random32());
		break;
	default:
		put(block, i, 0x68000000, 0x0100007f, random32(), random32());
	}
}

static void make_good(uint8_t *block)
{
	for (unsigned i = 0; i < BLOCK; i++)
		put_good(block, i);
}

static bool has_byte_enables(const struct pv_tlp_kind_info *k)
{
	return !k->is_completion && !k->is_message && !k->is_atomic;
}

/* PCIe 5.0 2.2.5 */
static bool enables_keep_the_rules(const struct pv_tlp *v)
{
	return v->length_dw == 1 ? !v->last_be : v->first_be && v->last_be;
}

static uint32_t reserved_bits(const struct pv_tlp_kind_info *k, const struct pv_record *r)
{
	if (k->is_completion)
		return r->dw[2] & 0x80;
	if (k->is_config)
		return r->dw[2] & 0xf003;
	return k->has_address ? r->dw[k->four_dw ? 3 : 2] & 3 : 0;
}

/* The expected result of pv_strict_4dw(), from the fields. */
static bool keeps_the_rules(const uint8_t *p)
{
	struct pv_record r;
	const struct pv_tlp_kind_info *k;

	if (pv_record_decode(PV_RECORD_4DW, p, 0, &r) || r.tlp.kind == PV_TLP_UNDEFINED)
		return false;
	k = &pv_tlp_kinds[r.tlp.kind];
	if (k->is_completion && r.tlp.status != 0 && r.tlp.status != 1 && r.tlp.status != 2 && r.tlp.status != 4)
		return false;
	if (r.tlp.th)
		return true;
	return !reserved_bits(k, &r) && (!has_byte_enables(k) || enables_keep_the_rules(&r.tlp));
}

static bool all_keep_the_rules(const uint8_t *block)
{
	bool all = true;

	for (unsigned i = 0; i < BLOCK; i++) {
		const uint8_t *p = block + i * RECORD;
		bool good = keeps_the_rules(p);

		cr_assert_eq(pv_strict_4dw(p), good, "%08x %08x %08x %08x: the fields say %d", pv_dw(p, 0), pv_dw(p, 1),
			     pv_dw(p, 2), pv_dw(p, 3), good);
		all = all && good;
	}
	return all;
}

/* How often blocks were as they should be, and how often not. */
static unsigned outcomes[2];

static void expect_agreement(const uint8_t *block)
{
	bool all = all_keep_the_rules(block);

	cr_assert_eq(pv_strict_block_4dw(block), all, "the records say %d", all);
	outcomes[all]++;
}

static void expect_both_outcomes(unsigned at_least)
{
	cr_assert_gt(outcomes[false], at_least);
	cr_assert_gt(outcomes[true], at_least);
}

Test(plausible, a_block_of_good_records_is_good)
{
	uint8_t block[BLOCK * RECORD];

	for (unsigned i = 0; i < 1000; i++) {
		make_good(block);
		cr_assert(all_keep_the_rules(block));
		cr_assert(pv_strict_block_4dw(block));
	}
}

/* The enables or the status in DW1 [15:0], by kind, with and without hints. */
static void every_enable_and_status(uint8_t *block, uint32_t dw0)
{
	unsigned place = random32() % BLOCK;

	for (uint32_t dw1 = 0; dw1 < 0x100; dw1++) {
		put(block, place, dw0, random32() << 16 | (random32() & 7) << 13 | dw1, 0, 0);
		expect_agreement(block);
	}
	put_good(block, place);
}

Test(plausible, a_block_knows_the_byte_enables_and_the_status_of_every_kind)
{
	static const uint32_t lengths[] = {0, 1, 2, 0x3ff};
	uint8_t block[BLOCK * RECORD];

	make_good(block);
	for (uint32_t code = 0; code < 128; code++)
		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
			for (uint32_t th = 0; th < 2; th++)
				every_enable_and_status(block, code << 25 | th << 22 | lengths[i] << 11);
	expect_both_outcomes(1000);
}

Test(plausible, a_block_knows_the_bits_that_a_kind_wants_0)
{
	uint8_t block[BLOCK * RECORD];

	make_good(block);
	for (uint32_t code = 0; code < 128; code++)
		for (unsigned bit = 0; bit < 64; bit++)
			for (uint32_t th = 0; th < 2; th++) {
				uint64_t words = (uint64_t)1 << bit;
				unsigned place = bit % BLOCK;

				put(block, place, code << 25 | th << 22 | 2 << 11, 0xff, (uint32_t)words,
				    (uint32_t)(words >> 32));
				expect_agreement(block);
				put_good(block, place);
			}
	expect_both_outcomes(1000);
}

Test(plausible, a_block_sees_changed_bits_at_any_place)
{
	uint8_t block[BLOCK * RECORD];

	for (unsigned i = 0; i < 100000; i++) {
		make_good(block);
		for (unsigned changes = random32() % 3; changes; changes--)
			block[random32() % sizeof(block)] ^= (uint8_t)(1u << random32() % 8);
		expect_agreement(block);
	}
	expect_both_outcomes(1000);
}

Test(plausible, a_block_of_noise_of_zeros_or_of_marks_is_not_good)
{
	uint8_t block[BLOCK * RECORD];

	for (unsigned i = 0; i < 1000; i++) {
		for (size_t at = 0; at < sizeof(block); at++)
			block[at] = (uint8_t)random32();
		expect_agreement(block);
	}
	for (unsigned i = 0; i < BLOCK; i++) {
		make_good(block);
		memset(block + i * RECORD, 0, RECORD);
		expect_agreement(block);
		memset(block + i * RECORD, 0xff, RECORD);
		expect_agreement(block);
	}
	cr_assert_eq(outcomes[true], 0);
}
