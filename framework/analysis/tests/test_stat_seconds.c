/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics in seconds, if the user gives the length of a tick. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/tests/printed.h"
#include "framework/util/cleanup.h"
#include "framework/util/tests/text.h"

/*
 * Four writes of 32 bytes by 01:00.0 at 0, 1000, 2000 and 4000 ticks, and a read from port to port that takes 500
 * ticks.
 */
static struct pv_stat *example(void)
{
	static const uint32_t records[6][8] = {
		{~0u, 0, 0x60000008, 0x010000ff, 1, 0x1000, 0, 0},
		{~0u, 0, 0x60000008, 0x010000ff, 1, 0x1000, 0, 1000},
		{~0u, 0, 0x20000004, 0x020001ff, 1, 0x2000, 0, 1500},
		{~0u, 0, 0x60000008, 0x010000ff, 1, 0x1000, 0, 2000},
		{~0u, 0, 0x4a000004, 0x01000010, 0x02000100, 0, 0, 2000},
		{~0u, 0, 0x60000008, 0x010000ff, 1, 0x1000, 0, 4000},
	};
	const struct pv_trace_options how = {.time = PV_TRACE_TIME_CLOCK};
	struct pv_trace *t = pv_trace_open_memory(records, sizeof(records), &how);
	struct pv_error e = {0};
	struct pv_stat *s = pv_stat_run(t, &(struct pv_stat_options){0}, &e);

	cr_assert_not_null(s, "%s", e.text);
	pv_trace_close(t);
	return s;
}

static char *printed_with(void (*fn)(const struct pv_stat *, const struct pv_stat_report *, FILE *), double hz)
{
	struct pv_stat *s = example();
	char *text = printed(fn, s, &(struct pv_stat_report){.name = "example", .tick_hz = hz});

	pv_stat_free(s);
	return text;
}

Test(stat_seconds, the_text_has_times_and_rates)
{
	_autofree_ char *text = printed_with(pv_stat_text, 1e9), *slow = printed_with(pv_stat_text, 1e3);

	expect_text(text, "4000 ticks (4.00 us)\n");
	expect_text(text, "\n1e+09 ticks a second, as given by --tick-hz\n");
	expect_text(text, "\nposted 32.0 MB/s, completions 4.00 MB/s on average; most payload ");
	expect_text(text, "\nmin 500 ns, mean 500 ns, max 500 ns, median ");
	expect_text(slow, "4000 ticks (4.00 s)\n");
	expect_text(slow, "\nposted 32.0 B/s, completions 4.00 B/s on average");
	expect_text(slow, "\nmin 500 ms, mean 500 ms, max 500 ms, median ");
}

Test(stat_seconds, the_page_is_over_seconds)
{
	_autofree_ char *page = printed_with(pv_stat_html, 1e9), *slow = printed_with(pv_stat_html, 100);

	expect_text(page, "4000 ticks (4.00 us)");
	expect_text(page, "; 1e+09 ticks a second, as given by --tick-hz</p>");
	expect_text(page, "payload<b>36.0 MB/s</b>");
	expect_text(page, ">bytes per second<");
	expect_text(page, ">nanoseconds<");
	expect_text(slow, ">seconds<");
	expect_text(slow, ">2.5k</text>"); /* bytes per second: 25 per tick */
	expect_text(slow, ">18</text>");   /* seconds; 1800 ticks */
	cr_expect_null(strstr(page, "per tick"));
}

Test(stat_seconds, the_json_has_them_beside_ticks)
{
	_autofree_ char *text = printed_with(pv_stat_json, 1e9);

	expect_text(text, "\"ticks\":4000");
	expect_text(text, "\"tick_hz\":1000000000.0");
	expect_text(text, "\"posted_bytes_per_s\":32000000");
}

Test(stat_seconds, without_a_tick_nothing_is_said_of_seconds)
{
	_autofree_ char *text = printed_with(pv_stat_text, 0), *page = printed_with(pv_stat_html, 0),
			*json = printed_with(pv_stat_json, 0);

	expect_text(text, "4000 ticks\n");
	cr_expect_null(strstr(text, "on average"));
	expect_text(page, "bytes/tick");
	expect_text(page, ">ticks<");
	cr_expect_null(strstr(json, "in_seconds"));
}

Test(stat_seconds, numbers_have_three_digits)
{
	static const struct {
		double v;
		const char *seconds, *rate;
	} rows[] = {{0, "0.00 ns", "0.00 B/s"}, {1.5e-9, "1.50 ns", "0.00 B/s"}, {0.012, "12.0 ms", "0.01 B/s"},
		    {1, "1.00 s", "1.00 B/s"},	{999, "999 s", "999 B/s"},	 {2.5e9, NULL, "2.50 GB/s"}};
	char buf[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].seconds)
			cr_expect_str_eq(pv_stat_seconds_text(rows[i].v, 1, buf), rows[i].seconds);
		cr_expect_str_eq(pv_stat_rate_text(rows[i].v, buf), rows[i].rate);
	}
}
