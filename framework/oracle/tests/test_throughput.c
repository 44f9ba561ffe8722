/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link arithmetic: worked examples, and the published measurements of 21 hosts (fixtures/published).
 */
#include "framework/oracle/oracle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct pv_link_rate gen3_x8 = {8000, 8};

#define RAW_GEN3_X8 (8e9 * 128 / 130) /* bytes per second */

Test(throughput, links_after_encoding)
{
	static const struct {
		struct pv_link_rate link;
		double gbit;
	} cases[] = {{{2500, 1}, 2.0},
		     {{5000, 4}, 16.0},
		     {{8000, 8}, 64 * 128 / 130.0},
		     {{16000, 16}, 256 * 128 / 130.0},
		     {{32000, 16}, 512 * 128 / 130.0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_float_eq(pv_link_bytes_per_s(&cases[i].link) * 8e-9, cases[i].gbit, 1e-9, "case %zu", i);
}

Test(throughput, speeds_by_their_numbers)
{
	static const unsigned mt[] = {0, 2500, 5000, 8000, 16000, 32000, 64000, 0};

	for (unsigned n = 0; n < sizeof(mt) / sizeof(*mt); n++) {
		struct pv_link_rate link = pv_link_rate_of(n, 4);

		cr_expect(link.speed_mt == mt[n] && link.width == (mt[n] ? 4 : 0), "number %u", n);
	}
}

Test(throughput, writes_of_the_example_put_280_bytes_on_the_wire)
{
	cr_assert_float_eq(pv_ceiling_write(&gen3_x8, 256, 256, true, 0), RAW_GEN3_X8 * 256 / 280, 1);
}

Test(throughput, writes_are_cut_at_mps)
{
	/* 512 bytes: 2 TLPs of 24 + 256; 257: 24 + 256 and 24 + 1; 3DW headers take 4 less, a prefix 4 more */
	cr_expect_float_eq(pv_ceiling_write(&gen3_x8, 512, 256, true, 0), RAW_GEN3_X8 * 512 / 560, 1);
	cr_expect_float_eq(pv_ceiling_write(&gen3_x8, 257, 256, true, 0), RAW_GEN3_X8 * 257 / 305, 1);
	cr_expect_float_eq(pv_ceiling_write(&gen3_x8, 256, 256, false, 0), RAW_GEN3_X8 * 256 / 276, 1);
	cr_expect_float_eq(pv_ceiling_write(&gen3_x8, 256, 256, true, 1), RAW_GEN3_X8 * 256 / 284, 1);
}

Test(throughput, reads_are_limited_by_their_completions)
{
	/* 512 bytes at MPS 256: 2 completions of 20 + 256 */
	cr_expect_float_eq(pv_ceiling_read(&gen3_x8, 512, 256, 4096, 64, true), RAW_GEN3_X8 * 512 / 552, 1);
	/* MRRS 128 cuts the completions too: 4 of 20 + 128 */
	cr_expect_float_eq(pv_ceiling_read(&gen3_x8, 512, 256, 128, 64, true), RAW_GEN3_X8 * 512 / 592, 1);
	/* 300 bytes at MRRS 256: 20 + 256 and 20 + 44 */
	cr_expect_float_eq(pv_ceiling_read(&gen3_x8, 300, 256, 256, 64, true), RAW_GEN3_X8 * 300 / 340, 1);
}

Test(throughput, small_reads_with_long_addresses_are_limited_by_their_requests)
{
	/* 1 byte: 24 up, 21 down; with a 3DW header 20 up */
	cr_expect_float_eq(pv_ceiling_read(&gen3_x8, 1, 256, 512, 64, true), RAW_GEN3_X8 / 24, 1);
	cr_expect_float_eq(pv_ceiling_read(&gen3_x8, 1, 256, 512, 64, false), RAW_GEN3_X8 / 21, 1);
}

Test(throughput, nothing_is_zero)
{
	cr_expect_eq(pv_ceiling_write(&gen3_x8, 0, 256, true, 0), 0);
	cr_expect_eq(pv_ceiling_write(&gen3_x8, 64, 0, true, 0), 0);
	cr_expect_eq(pv_ceiling_read(&gen3_x8, 64, 256, 0, 64, true), 0);
}

/* ---- the published measurements ---- */

struct row {
	char system[128], op[16];
	unsigned mps, mrrs, size;
	double share; /* of the ceiling */
};

/* One row; false at the end. Its link must be Gen3 x8, or the file is not the one that is meant. */
static bool next_row(FILE *f, struct row *r)
{
	double gbps, ceiling;
	char line[256], link[32];

	if (!fgets(line, sizeof(line), f))
		return false;
	cr_assert_eq(sscanf(line, "%127[^,],%u,%u,%31[^,],%15[^,],%u,%lf", r->system, &r->mps, &r->mrrs, link, r->op,
			    &r->size, &gbps),
		     7, "%s", line);
	cr_assert_str_eq(link, "8GT/s x8");
	ceiling = !strcmp(r->op, "write") ? pv_ceiling_write(&gen3_x8, r->size, r->mps, true, 0)
					  : pv_ceiling_read(&gen3_x8, r->size, r->mps, r->mrrs, 64, true);
	r->share = gbps * 1e9 / 8 / ceiling;
	return true;
}

static FILE *open_published(void)
{
	FILE *f = fopen(PUBLISHED_CSV, "r");
	char head[256];

	cr_assert(f != NULL, "%s", PUBLISHED_CSV);
	cr_assert(fgets(head, sizeof(head), f) != NULL);
	return f;
}

Test(throughput, no_published_row_exceeds_the_ceiling)
{
	FILE *f = open_published();
	unsigned rows = 0;
	struct row r;

	while (next_row(f, &r)) {
		if (!strcmp(r.op, "read_write"))
			continue;
		rows++;
		cr_expect_leq(r.share, 1.0, "%s %s %u", r.system, r.op, r.size);
	}
	fclose(f);
	cr_assert_geq(rows, 300);
}

/* The best host of each size: good hosts exist, and come near but not to the ceiling. */
static void best_shares(const char *op, unsigned size, double *best)
{
	FILE *f = open_published();
	struct row r;

	*best = 0;
	while (next_row(f, &r))
		if (!strcmp(r.op, op) && r.size == size)
			*best = fmax(*best, r.share);
	fclose(f);
}

Test(throughput, good_hosts_reach_most_of_the_ceiling)
{
	static const char *const ops[] = {"read", "write"};
	static const unsigned sizes[] = {512, 1024, 1536, 2048};

	for (int op = 0; op < 2; op++)
		for (int i = 0; i < 4; i++) {
			double best;

			best_shares(ops[op], sizes[i], &best);
			cr_expect_geq(best, 0.82, "%s %u", ops[op], sizes[i]);
			cr_expect_leq(best, 0.956, "%s %u", ops[op], sizes[i]);
		}
}
