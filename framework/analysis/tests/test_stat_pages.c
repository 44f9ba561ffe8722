/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The printed statistics: their text, and the pages with plots, time axes and cut pauses. */
#include "framework/analysis/stat_plot.h"
#include "framework/analysis/tests/printed.h"
#include "framework/analysis/tests/stat_here.h"
#include "framework/util/tests/text.h"

/* Two functions write in turn, one much more than the other: with own scales, both plots are the same. */
Test(stat_pages, plots_of_requesters_have_one_scale_or_their_own)
{
	static uint32_t trace[200][8];
	struct pv_stat *s;

	for (uint32_t i = 0; i < 200; i++)
		memcpy(trace[i],
		       (uint32_t[8]){~0u, 0, 0x40000000 | (i % 2 ? 1 : 100),
				     (0x100 + i % 2) << 16 | (i % 2 ? 0xf : 0xff), 0x1000, 0, 0, i / 2 * 10},
		       32);
	s = stat_of((const uint8_t *)trace, sizeof(trace), &(struct pv_stat_options){.by_requester = true});
	const struct pv_stat_share shares[] = {{0x100, pv_timelines_find(s->timelines, 0x100)},
					       {0x101, pv_timelines_find(s->timelines, 0x101)}};
	for (unsigned own = 0; own < 2; own++) {
		const struct pv_stat_report r = {.name = "-", .shares = shares, .n_shares = 2, .own_scale = own};
		char *text = printed(pv_stat_html, s, &r), *first, *second;

		first = strstr(strstr(text, "<h3>01:00.0"), "<path class=\"a\"");
		second = strstr(strstr(text, "<h3>01:00.1"), "<path class=\"a\"");
		cr_expect_eq(!strncmp(first, second, 200), own, "%.200s\n%.200s", first, second);
		free(text);
	}
	pv_stat_free(s);
}

static const struct pv_stat_report limits = {.name = "a<b", .mps = 16, .mrrs = 16};

/* Open requests of requesters beyond the limit are reported as not followed; they are not counted as answered. */
Test(stat_pages, requesters_beyond_the_limit_are_told)
{
	enum { REQUESTERS = PV_MATCH_REQUESTERS + 76 };
	static uint32_t trace[REQUESTERS][8];
	struct pv_stat *s;
	char *text;

	for (uint32_t i = 0; i < REQUESTERS; i++) {
		const uint32_t read[8] = {~0u, 0, 0x20000001, i << 16 | 0xf, 0, i << 12, 0, i};

		memcpy(trace[i], read, sizeof(read));
	}
	s = stat_of((const uint8_t *)trace, sizeof(trace), &(struct pv_stat_options){0});
	cr_assert_eq(s->match.requests, REQUESTERS);
	cr_assert_eq(s->match.unanswered, PV_MATCH_REQUESTERS);
	cr_assert_eq(s->match.not_followed, 76);
	text = printed(pv_stat_text, s, &limits);
	cr_assert_neq(
		strstr(text, "76 requests not followed: more than 1024 requesters; completions are matched in part\n"),
		NULL, "%s", text);
	free(text);
	pv_stat_free(s);
}

/* A trace of one direction has DMA reads without their completions; the text explains that. */
Test(stat_pages, requests_without_any_answer_are_explained)
{
	uint8_t data[4 * 32];
	struct pv_stat *s;
	char *text;

	for (uint32_t i = 0; i < 4; i++)
		memcpy(data + 32 * i, (uint32_t[8]){~0u, 0, 0x00000001, 0x0100000f | i << 8, 0x1000, 0, 0, i}, 32);
	s = stat_of(data, sizeof(data), &(struct pv_stat_options){0});
	text = printed(pv_stat_text, s, &limits);
	cr_assert_neq(strstr(text, "none answered: only requests from port to port have both in one trace\n"), NULL);
	cr_assert_eq(strstr(text, "median"), NULL);
	free(text);
	text = printed(pv_stat_html, s, &limits);
	cr_assert_eq(strstr(text, "Latency"), NULL);
	free(text);
	pv_stat_free(s);
}

/* ---- time axes ---- */

static void busy(struct pv_timeline *t, uint64_t from, uint64_t to)
{
	for (uint64_t time = from; time < to; time++)
		t->sum[pv_timeline_bin(t, time)][PV_TIMELINE_TLPS]++;
}

Test(stat_pages, a_long_pause_is_cut_out_of_the_axis)
{
	struct pv_timeline t = {0};
	struct pv_axis a;

	busy(&t, 0, 20);
	busy(&t, 480, 500);
	pv_axis_make(&a, &t);
	cr_assert_eq(a.n, 2);
	cr_assert_eq(a.spans[0].first, 0);
	cr_assert_eq(a.spans[0].n, 21);
	cr_assert_eq(a.spans[1].first, 479);
	cr_assert_eq(a.spans[1].n, 21);
	cr_assert_float_eq(a.cut, 42 / 16.0, 1e-9);
	cr_assert_float_eq(a.spans[1].x, 21 + a.cut, 1e-9);
	cr_assert_float_eq(a.length, 42 + a.cut, 1e-9);
}

Test(stat_pages, short_pauses_and_the_ends_are_not_cut)
{
	struct pv_timeline t = {0};
	struct pv_axis a;

	busy(&t, 100, 200);
	busy(&t, 240, 300);
	busy(&t, 350, 400);
	t.used = 480;
	pv_axis_make(&a, &t);
	cr_assert_eq(a.n, 1);
	cr_assert_eq(a.spans[0].n, 480);
	cr_assert_float_eq(a.length, 480, 1e-9);
}

Test(stat_pages, more_pauses_than_there_is_room_for_are_left)
{
	struct pv_timeline t = {0};
	struct pv_axis a;

	for (uint64_t i = 0; i < 8; i++)
		busy(&t, 64 * i, 64 * i + 1);
	pv_axis_make(&a, &t);
	cr_assert_eq(a.n, 8);
	for (unsigned i = 0; i < a.n; i++)
		cr_assert_leq(a.spans[i].first + a.spans[i].n, t.used);
}

/* Without a cut, bins are merged to PV_TIMELINE_SHOWN; with a cut, the remaining bins stay finer. */
Test(stat_pages, what_is_left_beside_a_pause_is_drawn_finely)
{
	struct pv_timeline dense = {0}, sparse = {0};
	struct pv_axis a;

	busy(&dense, 0, 4096);
	pv_axis_make(&a, &dense);
	cr_assert_eq(a.n, 1);
	cr_assert_eq(a.spans[0].n, PV_TIMELINE_SHOWN);
	cr_assert_float_eq(a.bin_ticks, 8, 1e-9);
	busy(&sparse, 0, 100);
	busy(&sparse, 4000, 4096);
	pv_axis_make(&a, &sparse);
	cr_assert_eq(a.n, 2);
	cr_assert_eq(a.spans[0].n, 101);
	cr_assert_float_eq(a.bin_ticks, 1, 1e-9);
	pv_timeline_coarsen(&sparse, PV_TIMELINE_SHOWN);
	cr_assert_eq(sparse.used, PV_TIMELINE_SHOWN);
	cr_assert_eq(sparse.shift, 3);
	cr_assert_eq(sparse.sum[12][PV_TIMELINE_TLPS], 4);
}

Test(stat_pages, the_numbers_of_an_axis_are_of_one_kind)
{
	static const struct {
		double v, step, max;
		const char *text;
	} rows[] = {
		{0, 0.5, 1.5, "0"},
		{1, 0.5, 1.5, "1.0"},
		{500e3, 500e3, 1.5e6, "0.5M"},
		{1e6, 500e3, 1.5e6, "1.0M"},
		{51.02e6, 20e3, 51.4e6, "51.02M"},
		{800, 200, 1000, "0.8k"},
		{8000, 2000, 10000, "8k"},
		{200, 200, 800, "200"},
	};
	char text[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_str_eq(pv_plot_axis_number(rows[i].v, rows[i].step, rows[i].max, text), rows[i].text,
				 "%g: expected %s, got %s", rows[i].v, rows[i].text, text);
}

/* Two bursts with a long pause between them: without a cut, the pause would fill the plot. */
Test(stat_pages, a_page_is_drawn_once_for_all_widths_and_tells_a_pause)
{
	enum { EACH = 40 };
	static uint32_t trace[2 * EACH][8];
	struct pv_stat *s;
	char *text;

	for (uint32_t i = 0; i < 2 * EACH; i++) {
		const uint32_t write[8] = {~0u,	   0, 0x40000001, 0x0100000f,
					   0x1000, 0, 0,	  i * 10 + (i < EACH ? 0 : 500000)};

		memcpy(trace[i], write, sizeof(write));
	}
	s = stat_of((const uint8_t *)trace, sizeof(trace), &(struct pv_stat_options){0});
	text = printed(pv_stat_html, s, &limits);
	cr_expect_eq(count_of(text, "<div class=\"plot\"><svg height=\"250\""), 2, "%s", text);
	cr_expect_eq(count_of(text, "k idle</text>"), 1);
	cr_expect_eq(count_of(text, "<rect class=\"i\""), 1);
	free(text);
	pv_stat_free(s);
}

/* A trace of 100 records, 10 ticks apart; records 40 to 59 are zeros. */
static struct pv_stat *stat_of_damaged(unsigned jobs)
{
	static uint32_t trace[100][8];
	struct pv_trace *t;
	struct pv_stat *s;

	for (uint32_t i = 0; i < 100; i++)
		memcpy(trace[i], (uint32_t[8]){~0u, 0, 0x00000004, 0x0100000f | i << 8, 0x1000, 0, 0, i * 10},
		       i < 40 || i >= 60 ? 32 : 0);
	t = pv_trace_open_memory(trace, sizeof(trace), NULL);
	s = pv_stat_run(t, &(struct pv_stat_options){.jobs = jobs}, NULL);
	cr_assert_neq(s, NULL);
	pv_trace_close(t);
	return s;
}

Test(stat_pages, records_are_missing_between_those_around_damage)
{
	struct pv_stat *s = stat_of_damaged(1);

	cr_assert_eq(s->problems, 1);
	for (unsigned b = 0; b < s->timeline.used; b++)
		cr_expect_eq(s->timeline.lost[b], b >= 390 && b <= 600, "bin %u", b);
	pv_timeline_coarsen(&s->timeline, 100);
	cr_assert_eq(s->timeline.shift, 4);
	for (unsigned b = 0; b < s->timeline.used; b++)
		cr_expect_eq(s->timeline.lost[b], b >= 390 / 16 && b <= 600 / 16, "bin %u", b);
	pv_stat_free(s);
}

/* Requested bytes are drawn as a line, a gap as a band; the label of a cut gap is "missing". */
Test(stat_pages, a_page_shows_reads_and_gaps)
{
	struct pv_stat *s = stat_of_damaged(2);
	char *text = printed(pv_stat_html, s, &limits);

	cr_expect_eq(count_of(text, "asked for by reads</span>"), 1, "%s", text);
	cr_expect_eq(count_of(text, "records missing</span>"), 1);
	cr_expect_eq(count_of(text, "<polyline class=\"l c\""), 2);
	cr_expect_eq(count_of(text, "<rect class=\"h\""), 2);
	cr_expect_eq(count_of(text, " missing</text>"), 1);
	cr_expect_eq(count_of(text, " idle</text>"), 0);
	free(text);
	pv_stat_free(s);
}

/* A device that only reads has a row of its own in the text, and so have gaps; JSON has both for each bin. */
Test(stat_pages, a_gap_is_in_text_and_json)
{
	struct pv_stat *s = stat_of_damaged(1);
	char *text = printed(pv_stat_text, s, &limits), *json = printed(pv_stat_json, s, &limits),
	     *list = strstr(json, "records_missing");

	cr_expect_eq(count_of(text, "\nreads ask for at most 8 bytes a tick\n"), 1, "%s", text);
	cr_expect_eq(count_of(text, "\nreads       |"), 1);
	cr_expect_eq(count_of(text, "\nmissing     |"), 1);
	cr_assert_not_null(list);
	/* Bins of 2 ticks: 390 to 600. */
	cr_expect_eq(count_of(list, "true"), 106, "%s", list);
	cr_expect_eq(count_of(json, "\n      16"), 80);
	free(text);
	free(json);
	pv_stat_free(s);
}

Test(stat_pages, reports_of_anything_and_of_nothing)
{
	size_t bytes;
	uint8_t *data = make_trace(true, &bytes);
	struct pv_stat *full = stat_of(data, bytes, &(struct pv_stat_options){0}), *empty = calloc(1, sizeof(*empty));
	char *text;

	text = printed(pv_stat_text, full, &limits);
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		if (!memchr(line, 0xe2, (size_t)(end - line)))
			cr_assert_leq(end - line, 80, "%.*s", (int)(end - line), line);
	cr_assert_neq(strstr(text, "MWr64"), NULL);
	/* A payload above the receiver's MPS is a Malformed TLP; a read above MRRS is not (PCIe 5.0 2.2.2, 2.2.7). */
	cr_assert_neq(strstr(text, "requests with data, MPS 16: "), NULL);
	cr_assert_neq(strstr(text, "above it  <-- malformed for that receiver\n"), NULL);
	cr_assert_neq(strstr(text, "above it  <-- more than a requester may ask for\n"), NULL);
	free(text);
	text = printed(pv_stat_html, full, &limits);
	cr_assert_neq(strstr(text, "a&#60;b"), NULL);
	cr_assert_eq(strstr(text, "://"), NULL, "nothing is fetched");
	free(text);
	text = printed(pv_stat_json, full, &limits);
	cr_assert_neq(strstr(text, "\"latency_ticks\""), NULL);
	free(text);
	free(printed(pv_stat_text, empty, &limits));
	free(printed(pv_stat_html, empty, &limits));
	free(printed(pv_stat_json, empty, &limits));
	pv_stat_free(full);
	free(empty);
	free(data);
}
