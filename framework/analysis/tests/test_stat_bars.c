/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory requests by the BAR that they go to. */
#include "framework/analysis/kind_lut.h"
#include "framework/analysis/tests/printed.h"
#include "framework/analysis/tests/stat_here.h"
#include "framework/util/cleanup.h"
#include "framework/util/tests/text.h"

enum { MRD32 = 0x00, MRD64 = 0x20, MWR32 = 0x40, MWR64 = 0x60, IOWR = 0x42, SWAP32 = 0x4d };

#define REQUEST(code, length, address)                                                   \
	{                                                                                \
		~0u, 0, (uint32_t)(code) << 24 | (length), 0x000000ff,                   \
			(code)&0x20 ? (uint32_t)((address) >> 32) : (uint32_t)(address), \
			(code)&0x20 ? (uint32_t)(address) : 0, 0, 0                      \
	}

static const uint32_t requests[][8] = {
	REQUEST(MWR32, 2, 0xfe000000ull),  /* the first byte of BAR 0 */
	REQUEST(MWR32, 4, 0xfe000ffcull),  /* begins in the last DW of BAR 0 */
	REQUEST(MWR32, 2, 0xfe001000ull),  /* behind it */
	REQUEST(MWR32, 2, 0xfdfffffcull),  /* before it */
	REQUEST(MRD32, 8, 0xfe000100ull),  /* a read of BAR 0 */
	REQUEST(SWAP32, 2, 0xfe000200ull), /* an atomic */
	REQUEST(IOWR, 1, 0xfe000000ull),   /* I/O is not memory */
	REQUEST(MWR64, 16, 0x2000001000ull), REQUEST(MWR64, 32, 0x2000001040ull),
	REQUEST(MRD64, 2, 0x20000fe000ull), /* between BARs */
};

static const struct pv_stat_bar bars[] = {{0x6500, 0, 0xfe000000, 0x1000},
					  {0x6600, 0, 0xfe800000, 0x1000},
					  {0x6500, 2, 0x2000000000, 0x2000},
					  {0x6501, 4, 0x3000000000, 0x1000}};

static struct pv_stat *stat_of_requests(unsigned jobs)
{
	return stat_of((const uint8_t *)requests, sizeof(requests),
		       &(struct pv_stat_options){.jobs = jobs, .bars = bars, .n_bars = ARRAY_SIZE(bars)});
}

Test(stat_bars, requests_are_counted_by_the_bar_in_which_they_begin)
{
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct pv_stat *s = stat_of_requests(jobs);
		const struct pv_stat_bar_use *u = s->bars.of;

		cr_assert_eq(s->bars.n, 2);
		cr_expect(u[0].bar.function == 0x6500 && u[0].bar.number == 2);
		cr_expect(u[0].writes == 2 && u[0].write_bytes == 192 && u[0].largest_write == 128 && !u[0].reads);
		cr_expect(u[1].bar.address == 0xfe000000 && u[1].writes == 2 && u[1].write_bytes == 24);
		cr_expect(u[1].reads == 1 && u[1].asked_bytes == 32 && u[1].largest_read == 32);
		cr_expect_eq(u[1].others, 1);
		pv_stat_free(s);
	}
}

static void count(struct pv_stat_bars *b, size_t first, size_t n)
{
	cr_assert_eq(pv_stat_bars_init(b, bars, ARRAY_SIZE(bars)), 0);
	pv_stat_bars_count(b, PV_RECORD_8DW, (const uint8_t *)requests[first], n);
}

Test(stat_bars, two_parts_are_counted_as_one)
{
	size_t n = ARRAY_SIZE(requests);
	struct pv_stat_bars whole;

	pv_kind_lut_init();
	count(&whole, 0, n);
	cr_expect_eq(whole.of[0].write_bytes, 24);
	for (size_t part = 0; part < n; part++) {
		struct pv_stat_bars first, second;

		count(&first, 0, part);
		count(&second, part, n - part);
		pv_stat_bars_merge(&first, &second);
		cr_expect_arr_eq(first.of, whole.of, sizeof(*whole.of) * whole.n, "cut at %zu", part);
		pv_stat_bars_free(&first);
		pv_stat_bars_free(&second);
	}
	pv_stat_bars_free(&whole);
}

Test(stat_bars, bars_that_overlap_are_left_out)
{
	struct pv_stat_bar some[] = {{1, 0, 0x5000, 0x1000},	{2, 0, 0x1000, 0x3000}, {3, 0, 0x2000, 0x1000},
				     {4, 0, 0x3fff, 1},		{5, 0, 0x4000, 0x1000}, {6, 0, 0x6000, 0},
				     {7, 0, UINT64_MAX - 1, 16}};

	cr_assert_eq(pv_stat_bars_sort(some, ARRAY_SIZE(some)), 3);
	cr_expect(some[0].function == 5 && some[1].function == 1 && some[2].function == 7);
	cr_expect_eq(pv_stat_bars_sort(NULL, 0), 0);
}

static const struct pv_stat_report plain = {.name = "-", .tick_hz = 1e9};

Test(stat_bars, are_in_text_page_and_json)
{
	struct pv_stat *s = stat_of_requests(1);
	char *text = printed(pv_stat_text, s, &plain), *page = printed(pv_stat_html, s, &plain),
	     *json = printed(pv_stat_json, s, &plain);

	cr_expect_eq(
		count_of(text, "\n65:00.0      BAR 2           2    192 B   96.0   128                  0       0 B\n"),
		1, "%s", text);
	cr_expect_eq(
		count_of(page,
			 "<td>65:00.0 BAR 2</td><td data-head=\"writes\">2</td><td data-head=\"payload\">192 B</td>"),
		1, "%s", page);
	cr_expect_eq(count_of(json, "\"function\":\"65:00.0\",\n      \"bar\":2,\n      \"address\":\"0x2000000000\""),
		     1, "%s", json);
	cr_expect_eq(count_of(json, "\"payload_bytes\":192,\n        \"largest_bytes\":128"), 1, "%s", json);
	free(text);
	free(page);
	free(json);
	pv_stat_free(s);
}

Test(stat_bars, without_requests_are_told_and_without_a_dump_are_not)
{
	const struct pv_stat_bar other = {0x6500, 0, 0x1000, 0x1000};
	struct pv_stat *none = stat_of((const uint8_t *)requests, sizeof(requests), &(struct pv_stat_options){0});
	struct pv_stat *unused = stat_of((const uint8_t *)requests, sizeof(requests),
					 &(struct pv_stat_options){.bars = &other, .n_bars = 1});
	char *text = printed(pv_stat_text, none, &plain), *json = printed(pv_stat_json, none, &plain);

	cr_expect_eq(count_of(text, "BAR"), 0);
	cr_expect_eq(count_of(json, "\"bars\""), 0);
	free(text);
	free(json);
	text = printed(pv_stat_text, unused, &plain);
	cr_expect_eq(count_of(text, "no memory request is to a BAR of the dump\n"), 1);
	free(text);
	pv_stat_free(none);
	pv_stat_free(unused);
}
