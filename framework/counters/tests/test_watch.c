/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series over intervals: rates, shares, and intervals with missing counts. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "framework/counters/watch.h"
#include "framework/util/cleanup.h"
#include "framework/util/tests/text.h"

#define RX   "dwc_rootport_10/Rx_PCIe_TLP_Data_Payload/"
#define TX   "dwc_rootport_10/Tx_PCIe_TLP_Data_Payload/"
#define L1   "dwc_rootport_10/L1/"
#define ONE  "dwc_rootport_10/one_cycle/"
#define RD   "cxl_pmu_mem0.0/m2s_req_memrd/"
#define WR   "cxl_pmu_mem0.0/m2s_rwd_memwr/"
#define DATA "cxl_pmu_mem0.0/s2m_drs_memdata/"

static struct pv_watch w;

static void tear_down(void)
{
	pv_watch_free(&w);
}

TestSuite(watch, .fini = tear_down);

static int add(double end, const char *value, const char *event, double running)
{
	char line[256];

	snprintf(line, sizeof(line), "%.9f,%s,,%s,1000,%.2f,,", end, value, event, running);
	return pv_watch_add(&w, line);
}

static const struct pv_series *series(const char *event)
{
	for (size_t i = 0; i < w.n; i++)
		if (!strcmp(w.series[i]->event, event))
			return w.series[i];
	cr_assert_fail("no series %s", event);
	return NULL;
}

static double no_ceiling(void *ctx, const char *pmu)
{
	return 0;
}

/* The ceiling of the Root Port: 4 GB/s. */
static double four(void *ctx, const char *pmu)
{
	return !strcmp(pmu, "dwc_rootport_10") ? 4e9 : 0;
}

static char *summary(pv_ceiling_fn ceiling)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_watch_put_summary(&w, ceiling, NULL, f);
	fclose(f);
	return text;
}

static char *now(unsigned columns)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_watch_put_now(&w, 0, 4e9, columns, f);
	fclose(f);
	return text;
}

Test(watch, a_rate_is_the_count_by_the_length_of_its_interval)
{
	cr_expect_eq(add(1, "1000", RX, 100), 0);
	cr_expect_eq(add(3, "6000", RX, 100), 1, "the first interval has ended");
	cr_expect_eq(series("Rx_PCIe_TLP_Data_Payload")->now, 1000);
	cr_expect_eq(add(3, "5", TX, 100), 0);
	cr_expect(pv_watch_end(&w));
	cr_expect_not(pv_watch_end(&w), "ended before");
	const struct pv_series *rx = series("Rx_PCIe_TLP_Data_Payload");
	cr_expect_eq(rx->now, 3000);
	cr_expect_eq(rx->min, 1000);
	cr_expect_eq(rx->max, 3000);
	cr_expect_float_eq(pv_series_mean(rx), 7000 / 3.0, 1e-9, "of the time, not of the intervals");
	cr_expect_eq(series("Tx_PCIe_TLP_Data_Payload")->now, 2.5);
	cr_expect_eq(w.intervals, 2);
	cr_expect_eq(w.seconds, 3);
}

Test(watch, counts_of_cpus_are_parts_of_one_count)
{
	pv_watch_add(&w, "1.0,CPU0,300,," RX ",1000,100.00,,");
	pv_watch_add(&w, "1.0,CPU1,200,," RX ",1000,50.00,,");
	pv_watch_end(&w);
	cr_expect_eq(w.n, 1);
	cr_expect_eq(w.series[0]->now, 500);
	cr_expect_eq(w.series[0]->counted_s, 0.5, "one of them was counted for a part");
}

Test(watch, an_interval_that_was_not_counted_is_a_gap)
{
	add(1, "1000", RX, 100);
	add(2, "<not counted>", RX, 0);
	add(3, "3000", RX, 50);
	pv_watch_end(&w);
	const struct pv_series *rx = w.series[0];
	cr_expect_eq(rx->intervals, 2);
	cr_expect_eq(rx->counted_s, 1.5);
	cr_expect_eq(rx->printed_s, 3);
	cr_expect_eq(pv_series_mean(rx), 2000);
	cr_expect_eq(rx->n_points, 3);
	cr_expect(isnan(rx->points[1].value));
	_autofree_ char *text = summary(no_ceiling);
	expect_text(text, "2.00 kB/s   1.00 kB/s   3.00 kB/s            50 %\n  counted: share of the time");
}

Test(watch, an_event_that_is_not_supported_is_named)
{
	add(1, "<not supported>", RX, 0);
	pv_watch_end(&w);
	_autofree_ char *text = summary(no_ceiling);
	expect_text(text, "  Rx_PCIe_TLP_Data_Payload     not supported\n");
}

Test(watch, payload_has_its_share_of_the_ceiling)
{
	add(1, "1000000000", RX, 100);
	add(2, "3000000000", RX, 100);
	pv_watch_end(&w);
	_autofree_ char *with = summary(four), *without = summary(no_ceiling), *line = now(0);
	expect_text(with,
		    "receives 2.00 GB/s on average, 3.00 GB/s at most: 50 and 75 % of the 4.00 GB/s that its link");
	expect_text(without, "receives 2.00 GB/s on average, 3.00 GB/s at most\n");
	cr_expect_str_eq(line, "     2.0 s  dwc_rootport_10  rx 3.00 GB/s (75 %)");
}

/* F-D16: the length of a cycle is not a count. perf printed 1000 in the first interval, then 0. */
Test(watch, time_in_a_state_needs_the_length_of_a_cycle)
{
	add(1, "500000000", L1, 100);
	pv_watch_end(&w);
	_autofree_ char *before = summary(no_ceiling);
	expect_text(before, "500 M/s");
	expect_text(before, "in cycles: --cycle PS");
	add(2, "250000000", L1, 100);
	add(2, "1000", ONE, 100);
	add(3, "250000000", L1, 100);
	add(3, "0", ONE, 100);
	pv_watch_end(&w);
	cr_expect_eq(series("one_cycle")->now, 1000);
	_autofree_ char *after = summary(no_ceiling);
	expect_text(after, "  L1                                33.3 %      25.0 %      50.0 %           100 %\n");
	expect_text(after, "1000 ps");
	cr_expect_null(strstr(after, "--cycle"));
	w.cycle_ps = 500;
	_autofree_ char *given = summary(no_ceiling);
	expect_text(given, "  L1                                16.7 %      12.5 %      25.0 %           100 %\n");
}

/* perf printed 50057 when it multiplexed the event with L0 and L1. */
Test(watch, a_cycle_that_took_turns_is_unknown)
{
	add(1, "500000000", L1, 33);
	add(1, "50057", ONE, 33);
	pv_watch_end(&w);
	_autofree_ char *text = summary(no_ceiling);
	expect_text(text, "in cycles: --cycle PS");
	expect_text(text, "  one_cycle                              ?           ?           ?            33 %\n");
}

Test(watch, events_are_known_by_any_of_their_names)
{
	add(1, "1000", "dwc_rootport_10/rx_pcie_tlp_data_payload/", 100);
	add(1, "2000", "dwc_rootport_11/eventid=0x20,type=0x0/", 100);
	add(1, "3000", "dwc_rootport_11/eventid=0x20,type=0x1,lane=0/", 100);
	add(1, "4000", "other/Rx_PCIe_TLP_Data_Payload/", 100);
	pv_watch_end(&w);
	_autofree_ char *text = summary(no_ceiling);
	expect_text(text, "receives 1.00 kB/s");
	expect_text(text, "sends 2.00 kB/s");
	expect_text(text, "  Tx_PCIe_TLP_Data_Payload       2.00 kB/s");
	expect_text(text, "  eventid=0x20,type=0x1,lane=0    3.00 k/s");
	expect_text(text, "  Rx_PCIe_TLP_Data_Payload        4.00 k/s");
}

Test(watch, counts_keep_their_unit)
{
	pv_watch_add(&w, "2.0,19,msec,task-clock,992410,100.00,,");
	pv_watch_end(&w);
	_autofree_ char *text = summary(no_ceiling);
	expect_text(text, "9.5 msec/s");
}

Test(watch, opcodes_have_shares_of_their_direction)
{
	add(1, "3000000", RD, 100);
	add(1, "1000000", WR, 100);
	add(1, "3000000", DATA, 100);
	pv_watch_end(&w);
	_autofree_ char *line = now(0), *text = summary(no_ceiling);
	cr_expect_str_eq(line,
			 "     1.0 s  cxl_pmu_mem0.0  read 192 MB/s  written 64.0 MB/s  m2s_req_memrd 3.00 M/s (75 %)"
			 "  m2s_rwd_memwr 1.00 M/s (25 %)  s2m_drs_memdata 3.00 M/s (100 %)");
	expect_text(text, "  192 MB/s of cache lines read\n  64.0 MB/s of cache lines written\n");
}

Test(watch, a_long_name_has_a_line_of_its_own)
{
	add(1, "5", "cxl_pmu_mem0.0/vid=0x1e98,gid=0x10,mask=0x2,threshold=3/", 100);
	pv_watch_end(&w);
	_autofree_ char *text = summary(no_ceiling);
	expect_text(text, "  vid=0x1e98,gid=0x10,mask=0x2,threshold=3\n                                       5/s");
}

Test(watch, a_line_fits_on_the_terminal)
{
	add(1, "1000000000", RX, 100);
	add(1, "1000000000", TX, 100);
	pv_watch_end(&w);
	_autofree_ char *line = now(40);
	cr_expect_eq(strlen(line), 40);
	cr_expect_str_eq(line + 37, "...");
}

Test(watch, perf_that_is_started_again_begins_at_0)
{
	add(10, "1000", RX, 100);
	cr_expect_eq(add(2, "1000", RX, 100), 1);
	pv_watch_end(&w);
	cr_expect_eq(w.series[0]->now, 500);
	cr_expect_eq(w.seconds, 12);
}

Test(watch, lines_of_others_are_counted)
{
	cr_expect_eq(pv_watch_add(&w, "fio-3.33"), 0);
	cr_expect_eq(pv_watch_add(&w, ""), 0);
	cr_expect_eq(w.foreign, 1);
	cr_expect_not(pv_watch_end(&w));
}

Test(watch, points_are_merged_and_keep_the_mean)
{
	for (unsigned i = 1; i <= 5000; i++) {
		char value[16];

		snprintf(value, sizeof(value), "%u", i % 2 ? 100 : 300);
		add(i, value, RX, 100);
	}
	pv_watch_end(&w);
	const struct pv_series *s = w.series[0];
	cr_expect_leq(s->n_points, PV_WATCH_POINTS);
	cr_expect_eq(s->merged, 3);
	cr_expect_eq(s->n_points, 625);
	for (unsigned i = 0; i < s->n_points; i++) {
		cr_expect_float_eq(s->points[i].value, 200, 1e-9, "point %u", i);
		cr_expect_float_eq(s->points[i].end_s, 8 * (i + 1), 1e-9, "point %u", i);
	}
}

Test(watch, too_many_events_are_refused)
{
	int r = 0;

	for (unsigned i = 0; i <= 1024 && !r; i++) {
		char event[64];

		snprintf(event, sizeof(event), "dwc_rootport_10/eventid=%u/", i);
		r = add(1, "1", event, 100);
		cr_assert(i == 1024 ? r == -E2BIG : !r, "%u: %d", i, r);
	}
}

/* ---- the page ---- */

static char *page(void)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_watch_html(&w, four, NULL, f);
	fclose(f);
	return text;
}

Test(watch, the_page_has_the_summary_and_a_plot_of_each_event)
{
	add(1, "1000000000", RX, 100);
	add(1, "5", RD, 100);
	add(1, "1000", ONE, 100);
	pv_watch_end(&w);
	_autofree_ char *text = page();
	expect_text(text, "receives 1.00 GB/s on average, 1.00 GB/s at most: 25 and 25 % of the 4.00 GB/s");
	expect_text(text, "<h2>dwc_rootport_10 Rx_PCIe_TLP_Data_Payload</h2>");
	expect_text(text, "<h2>cxl_pmu_mem0.0 m2s_req_memrd</h2>");
	cr_expect_eq(count_of(text, "<h2>"), 2, "one_cycle has no plot");
	cr_expect_eq(count_of(text, ">bytes per second<"), 1);
	cr_expect_eq(count_of(text, ">events per second<"), 1);
}

Test(watch, time_that_was_not_counted_is_a_band)
{
	add(1, "1000", RX, 100);
	add(2, "1000", RX, 100);
	pv_watch_end(&w);
	_autofree_ char *whole = page();
	cr_expect_eq(count_of(whole, "class=\"i\""), 0);
	add(3, "<not counted>", RX, 0);
	add(4, "1000", RX, 100);
	pv_watch_end(&w);
	_autofree_ char *text = page();
	cr_expect_eq(count_of(text, "class=\"i\""), 1);
}

/* Intervals of 1, 2 and 1 s in three bins of 4/3 s: rates of 4000, 0 and 2000 are 3000, 0 and 1500 in the bins. */
Test(watch, a_bin_has_the_part_of_each_interval_that_lies_in_it)
{
	add(1, "4000", RD, 100);
	add(3, "0", RD, 100);
	add(4, "2000", RD, 100);
	pv_watch_end(&w);
	_autofree_ char *text = page();
	expect_text(text, "d=\"M0,166V0.0H1V166.0H2V83.0H3");
}

Test(watch, names_are_text_in_the_page)
{
	add(1, "5", "<script>&/\"x\"/", 100);
	pv_watch_end(&w);
	_autofree_ char *text = page();
	cr_expect_null(strstr(text, "<script>"));
	expect_text(text, "&#60;script&#62;&#38;");
}

Test(watch, a_page_has_at_most_24_plots)
{
	for (unsigned i = 0; i < 26; i++) {
		char event[64];

		snprintf(event, sizeof(event), "dwc_rootport_10/eventid=%u/", 0x500 + i);
		add(1, "1", event, 100);
	}
	pv_watch_end(&w);
	_autofree_ char *text = page();
	cr_expect_eq(count_of(text, "<h2>"), 24);
	expect_text(text, "2 more events have no plot");
}
