/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report on a trace: order of findings, unknown figures, names of devices, and width of the text. */
#include "framework/analysis/report.h"

#include <stdio.h>
#include <string.h>

#include "framework/analysis/tests/convert_here.h"
#include "framework/analysis/tests/printed.h"
#include "framework/util/cleanup.h"
#include "framework/util/tests/text.h"

enum { NIC = 0x100, DISK = 0x208 };

static struct pv_stat *stat_of(const struct here *h)
{
	const struct pv_trace_options how = {.time = PV_TRACE_TIME_CLOCK};
	struct pv_trace *t = pv_trace_open_memory(h->dw, h->n * 32, &how);
	struct pv_stat *s = pv_stat_run(t, &(struct pv_stat_options){.by_requester = true}, NULL);

	cr_assert_not_null(s);
	pv_trace_close(t);
	return s;
}

/* Makes small writes of one function, and large ones of another. */
static struct here *wasteful(void)
{
	struct here *h = calloc(1, sizeof(*h));

	for (uint32_t i = 0; i < 200; i++)
		here_request(h, MWR64, i % 2 ? DISK : NIC, i % 2 ? 64 : 4, 4096 * i, 10 * i);
	return h;
}

static struct pv_stat_function functions[] = {
	{.requester = NIC,
	 .bdf = "0000:01:00.0",
	 .name = "Ethernet controller: <b>Vendor & \033[1mSons</b>",
	 .mps = 256,
	 .mrrs = 512,
	 .tags = 32},
};
static const struct pv_stat_machine machine = {"machine.txt", functions, 1};

Test(report, the_page_answers_first)
{
	static const char *const order[] = {"<h2>Findings",
					    "writes 16-byte TLPs: ",
					    "(small-writes; ",
					    "Not judged without",
					    "<ul class=\"figures\">",
					    "<h2>Payload over time</h2>",
					    "<h2>TLPs by size",
					    "<h2>Latency",
					    "<h2>Devices",
					    "by requester</h2>",
					    "<h3>02:01.0</h3>",
					    "<h3>0000:01:00.0 <span class=\"dim\">Ethernet controller: &#60;",
					    "<h2>Kinds"};
	_autofree_ struct here *h = wasteful();
	struct pv_stat *s = stat_of(h);
	const struct pv_stat_share shares[] = {{DISK, pv_timelines_find(s->timelines, DISK)},
					       {NIC, pv_timelines_find(s->timelines, NIC)}};
	_autofree_ char *page = printed(
		pv_report_html, s,
		&(struct pv_stat_report){
			.name = "a.bin", .machine = &machine, .shares = shares, .n_shares = 2, .own_scale = true});
	const char *at = page;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		at = strstr(at, order[i]);
		cr_assert_not_null(at, "%s is not where it is expected: %s", order[i], page);
	}
	pv_stat_free(s);
}

Test(report, devices_have_the_names_of_the_machine)
{
	_autofree_ struct here *h = wasteful();
	struct pv_stat *s = stat_of(h);
	const struct pv_stat_report r = {.name = "a.bin", .machine = &machine};
	_autofree_ char *page = printed(pv_report_html, s, &r), *text = printed(pv_report_text, s, &r);

	cr_expect_not_null(strstr(page, "<tr><td>0000:01:00.0<span class=\"dim\">Ethernet controller: "
					"&#60;b&#62;Vendor &#38; \xef\xbf\xbd[1mSons&#60;/b&#62;</span></td>"),
			   "%s", page);
	cr_expect_not_null(strstr(page, "<tr><td>02:01.0</td>"), "%s", page);
	cr_expect_not_null(strstr(text, "\n0000:01:00.0 "), "%s", text);
	cr_expect_not_null(strstr(text, "\n  Ethernet controller: <b>Vendor & "), "%s", text);
	cr_expect_null(strchr(text, '\033'));
	pv_stat_free(s);
}

Test(report, rates_where_the_tick_is_known)
{
	_autofree_ struct here *h = wasteful();
	struct pv_stat *s = stat_of(h);
	_autofree_ char *ticks = printed(pv_report_text, s, &(struct pv_stat_report){.name = "a.bin"}),
			*seconds =
				printed(pv_report_text, s, &(struct pv_stat_report){.name = "a.bin", .tick_hz = 1e9});

	cr_expect_not_null(strstr(ticks, "a.bin: 200 records in 1990 ticks\n"), "%s", ticks);
	cr_expect_not_null(strstr(ticks, "\n02:01.0         25.6 kB "), "%s", ticks);
	cr_expect_not_null(strstr(seconds, "a.bin: 200 records in 1.99 us\n"), "%s", seconds);
	cr_expect_not_null(strstr(seconds, "\n02:01.0       12.9 GB/s "), "%s", seconds);
	pv_stat_free(s);
}

Test(report, stat_names_a_device_and_its_limits)
{
	_autofree_ struct here *h = wasteful();
	struct pv_stat *s = stat_of(h);
	_autofree_ char *text =
		printed(pv_stat_text, s, &(struct pv_stat_report){.name = "a.bin", .machine = &machine});

	cr_expect_not_null(strstr(text, "\n0000:01:00.0 Ethernet controller: <b>Vendor & \\x1b[1mSons</b>, MPS 256, "
					"MRRS\n  512, 32 tags\n"),
			   "%s", text);
	pv_stat_free(s);
}

/* In all texts and pages of a trace. */
Test(report, problems_of_the_input_are_counted)
{
	static const struct {
		void (*print)(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
		const char *one, *several;
	} rows[] = {
		{pv_report_text, "\n1 problem in the input: records are missing\n",
		 "\n7 problems in the input: records are missing\n"},
		{pv_stat_text, "\n1 problem in the input: see standard error\n",
		 "\n7 problems in the input: see standard error\n"},
		{pv_stat_html, ">1 problem in the input<", ">7 problems in the input<"},
		{pv_stat_json, "\n  \"problems\":1,\n", "\n  \"problems\":7,\n"},
	};
	_autofree_ struct here *h = wasteful();
	struct pv_stat *s = stat_of(h);
	const struct pv_stat_report r = {.name = "a.bin"};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		s->problems = 0;
		_autofree_ char *none = printed(rows[i].print, s, &r);
		s->problems = 1;
		_autofree_ char *one = printed(rows[i].print, s, &r);
		s->problems = 7;
		_autofree_ char *several = printed(rows[i].print, s, &r);

		cr_expect_null(strstr(none, rows[i].one), "%zu", i);
		cr_expect_not_null(strstr(one, rows[i].one), "%zu: %s", i, one);
		cr_expect_not_null(strstr(several, rows[i].several), "%zu: %s", i, several);
	}
	pv_stat_free(s);
}

Test(report, no_latency_is_not_none)
{
	_autofree_ struct here *h = wasteful(), *answered = wasteful();
	here_request(answered, MRD64, NIC, 1, 0x1000, 3000);
	here_completion(answered, CPLD | 1, NIC, 0, 3500);
	struct pv_stat *without = stat_of(h), *with = stat_of(answered);
	const struct pv_stat_report r = {.name = "a.bin"};
	_autofree_ char *unknown = printed(pv_report_html, without, &r), *known = printed(pv_report_html, with, &r),
			*text = printed(pv_report_text, with, &r);

	cr_expect_not_null(strstr(unknown, "Unknown: no request has its completion in this trace."));
	cr_expect_null(strstr(known, "Unknown: no request"));
	cr_expect_not_null(
		strstr(known, "<td data-head=\"median latency\">480 ticks</td><td data-head=\"most open\">1</td></tr>"),
		"%s", known);
	cr_expect_not_null(strstr(text, " 480 ticks\n"), "%s", text);
	pv_stat_free(without);
	pv_stat_free(with);
}

Test(report, lines_are_80_columns_at_most)
{
	_autofree_ struct here *h = wasteful();
	struct pv_stat *s = stat_of(h);
	_autofree_ char *text = printed(
		pv_report_text, s, &(struct pv_stat_report){.name = "a.bin", .machine = &machine, .tick_hz = 250e6});
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		cr_expect_leq(strlen(line), 80, "%s", line);
	pv_stat_free(s);
}

Test(report, more_devices_than_are_followed_are_told)
{
	_autofree_ struct here *h = calloc(1, sizeof(*h));

	for (uint32_t i = 0; i < 80; i++)
		here_request(h, MWR64, NIC + i, 4, 4096 * i, 10 * i);
	struct pv_stat *s = stat_of(h);
	_autofree_ char *page = printed(pv_report_html, s, &(struct pv_stat_report){.name = "a.bin"});
	cr_expect_not_null(strstr(page, "<p>More than 64 devices: nothing is judged."), "%s", page);
	cr_expect_null(strstr(page, "Nothing found"));
	pv_stat_free(s);
}

Test(report, a_trace_of_nothing_has_a_page)
{
	struct pv_stat *s = calloc(1, sizeof(*s));
	_autofree_ char *page = printed(pv_report_html, s, &(struct pv_stat_report){.name = "a.bin"}),
			*text = printed(pv_report_text, s, &(struct pv_stat_report){.name = "a.bin"});

	cr_expect_not_null(strstr(page, "<p>No records.</p>"));
	cr_expect_not_null(strstr(text, "a.bin: 0 records\n"), "%s", text);
	free(s);
}
