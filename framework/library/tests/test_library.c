/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpcieval from outside: what a program that includes pcieval.h alone sees. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/library/pcieval.h"

/* Two 8DW records: MWr64 of 01:00.0, tag 0x12, 1 DW to 0x240001000, and the CplD of 04:00.0 for tag 0x34. */
static const uint32_t records[2][8] = {
	{0xffffffff, 0, 0x60000001, 0x0100120f, 0x00000002, 0x40001000, 0, 77},
	{0xffffffff, 0, 0x4a000002, 0x04000008, 0x01003404, 0, 0, 99},
};

struct damage {
	unsigned n;
	int64_t stream;
	char what[64];
};

static void note(void *ctx, const struct pcieval_problem *p)
{
	struct damage *d = ctx;

	d->n++;
	d->stream = p->stream;
	snprintf(d->what, sizeof(d->what), "%s", p->what);
}

static struct pcieval_trace *open_records(struct damage *d)
{
	return pcieval_trace_open_memory(records, sizeof(records), d ? note : NULL, d, NULL);
}

/* A read of 01:00.0 with its completion, 22 ticks apart, and a write of 4 bytes; the statistics need no reader. */
static struct pcieval_stat *stat_of_records(unsigned time)
{
	static const uint32_t three[3][8] = {
		{0xffffffff, 0, 0x00000002, 0x010034ff, 0x00001000, 0, 0, 70},
		{0xffffffff, 0, 0x60000001, 0x0100120f, 0x00000002, 0x40001004, 0, 77},
		{0xffffffff, 0, 0x4a000002, 0x04000008, 0x01003400, 0, 0, 92},
	};
	struct pcieval_trace *t = pcieval_trace_open_memory(three, sizeof(three), NULL, NULL, NULL);
	struct pcieval_error error;
	struct pcieval_stat *s;

	cr_assert_eq(pcieval_trace_time(t, time), 0);
	s = pcieval_stat_run(t, 2, &error);
	cr_assert_not_null(s, "%s", error.text);
	pcieval_trace_close(t);
	return s;
}

Test(library, a_device_has_its_figures)
{
	struct pcieval_stat *s = stat_of_records(PCIEVAL_TIME_CLOCK);
	struct pcieval_device d;

	cr_assert_eq(pcieval_stat_devices(s), 1);
	cr_assert_eq(pcieval_stat_device(s, 0, &d), 0);
	cr_expect_eq(pcieval_stat_device(s, 1, &d), -EINVAL);
	cr_expect(d.requester == 0x100 && d.tlps == 3 && d.wire_bytes == 28 + 20 + 28);
	cr_expect(d.writes.tlps == 1 && d.writes.bytes == 4 && d.writes.wire_bytes == 28 &&
		  d.writes.largest_bytes == 4);
	cr_expect(d.writes.sizes[0] == 1 && d.writes.off_64 == 1 && d.writes.part_of_64 == 1 && d.writes.off_4096 == 1);
	cr_expect(d.writes.partial_enables == 0 && d.writes.cross_4096 == 0 && d.writes.relaxed_ordering == 0);
	cr_expect(d.reads.bytes == 8 && d.completions.bytes == 8 && d.other.tlps == 0);
	cr_expect_eq(d.completions.off_64, PCIEVAL_NOT_KNOWN);
	cr_expect(d.answered == 1 && d.latency_min == 22 && d.latency_max == 22 && d.latency_sum == 22);
	cr_expect_float_eq(d.mean_open, 1, 1e-9);
	cr_expect(d.tags_used == 1 && d.most_open == 1 && d.unanswered == 0);
	cr_expect_eq(pcieval_stat_latency(s, 0, 0.5), 22);
	cr_expect_eq(pcieval_stat_latency(s, 1, 0.5), PCIEVAL_NOT_KNOWN);
	cr_expect_eq(pcieval_stat_ticks(s), 22);
	pcieval_stat_free(s);
}

/* A BAR around the write of the records, and one elsewhere. */
Test(library, requests_to_a_bar_are_counted)
{
	struct pcieval_trace *t = open_records(NULL);
	struct pcieval_bar bar;
	struct pcieval_stat *s;

	cr_assert_eq(pcieval_trace_time(t, PCIEVAL_TIME_CLOCK), 0);
	cr_expect_eq(pcieval_trace_bar(t, 0x200, 6, 0, 4096), -EINVAL);
	cr_expect_eq(pcieval_trace_bar(t, 0x200, 0, 0, 0), -EINVAL);
	cr_expect_eq(pcieval_trace_bar(t, 0x200, 0, UINT64_MAX - 1, 4), -EINVAL);
	cr_assert_eq(pcieval_trace_bar(t, 0x208, 1, 1ull << 40, 4096), 0);
	cr_assert_eq(pcieval_trace_bar(t, 0x200, 2, 0x240001000, 16), 0);
	s = pcieval_stat_run(t, 1, NULL);
	cr_assert_not_null(s);
	cr_expect_eq(pcieval_trace_bar(t, 0x200, 0, 0, 4096), -EBUSY);
	pcieval_trace_close(t);
	cr_assert_eq(pcieval_stat_bars(s), 1);
	cr_assert_eq(pcieval_stat_bar(s, 0, &bar), 0);
	cr_expect(bar.function == 0x200 && bar.number == 2 && bar.address == 0x240001000 && bar.size == 16);
	cr_expect(bar.writes == 1 && bar.write_bytes == 4 && bar.largest_write == 4 && bar.reads == 0);
	cr_expect_eq(pcieval_stat_bar(s, 1, &bar), -EINVAL);
	pcieval_stat_free(s);
}

Test(library, a_bin_has_what_was_in_its_time)
{
	struct pcieval_stat *s = stat_of_records(PCIEVAL_TIME_CLOCK);
	struct pcieval_bin bin, sum = {0};
	uint64_t ticks = 0;
	unsigned n = pcieval_stat_bins(s, &ticks);

	cr_assert(n == 23 && ticks == 1, "%u bins of %llu ticks", n, (unsigned long long)ticks);
	for (unsigned i = 0; i < n; i++) {
		cr_assert_eq(pcieval_stat_bin(s, i, &bin), 0);
		sum.tlps += bin.tlps;
		sum.posted_bytes += bin.posted_bytes;
		sum.completion_bytes += bin.completion_bytes;
		sum.asked_bytes += bin.asked_bytes;
		sum.open += bin.open;
		cr_expect_eq(bin.records_missing, 0);
	}
	cr_expect_eq(pcieval_stat_bin(s, n, &bin), -EINVAL);
	cr_expect(sum.tlps == 3 && sum.posted_bytes == 4 && sum.completion_bytes == 8 && sum.asked_bytes == 8);
	cr_expect_float_eq(sum.open, 22, 1e-9);
	pcieval_stat_free(s);
}

Test(library, figures_without_times_are_not_known)
{
	struct pcieval_stat *s = stat_of_records(PCIEVAL_TIME_UNKNOWN);
	struct pcieval_device d;

	cr_assert_eq(pcieval_stat_device(s, 0, &d), 0);
	cr_expect_eq(pcieval_stat_ticks(s), PCIEVAL_NOT_KNOWN);
	cr_expect(d.latency_min == PCIEVAL_NOT_KNOWN && d.latency_sum == PCIEVAL_NOT_KNOWN && d.mean_open == -1);
	cr_expect_eq(pcieval_stat_latency(s, 0, 0.5), PCIEVAL_NOT_KNOWN);
	cr_expect_eq(pcieval_stat_set_rate(s, 1e9), 0);
	cr_expect_eq(pcieval_stat_bins(s, NULL), 0);
	pcieval_stat_free(s);
}

static bool found(struct pcieval_stat *s, const char *rule, struct pcieval_finding *finding)
{
	int n = pcieval_stat_findings(s);

	for (int i = 0; i < n; i++)
		if (!pcieval_stat_finding(s, (unsigned)i, finding) && !strcmp(finding->rule.name, rule))
			return true;
	return false;
}

Test(library, findings_are_of_what_was_told)
{
	struct pcieval_stat *s = stat_of_records(PCIEVAL_TIME_CLOCK);
	const struct pcieval_function f = {.bdf = "0000:01:00.0",
					   .name = "NVMe: x",
					   .link = "8GT/s x4",
					   .mps = 256,
					   .mrrs = 512,
					   .tags = 32,
					   .write_ceiling = 1e6,
					   .read_ceiling = 1e6};
	struct pcieval_finding finding;
	struct pcieval_rule rule;

	cr_expect_eq(pcieval_stat_finding(s, 0, &finding), -EINVAL);
	cr_assert(found(s, "small-writes", &finding));
	cr_expect_str_eq(finding.text, "01:00.0 writes 4-byte TLPs: 86 % of their wire bytes are overhead");
	cr_expect(finding.requester == 0x100 && finding.value > 85 && finding.value < 86);
	cr_expect_not(found(s, "mps-unused", &finding));
	cr_assert_eq(pcieval_stat_set_function(s, 0x100, &f), 0);
	cr_assert_eq(pcieval_stat_set_function(s, 0x200, &f), 0);
	cr_assert(found(s, "mps-unused", &finding));
	cr_expect_str_eq(finding.text, "NVMe 0000:01:00.0 never writes more than 4 bytes, although its MPS is 256");
	cr_expect_eq(pcieval_stat_set_tick(s, 0), -EINVAL);
	cr_expect_eq(pcieval_stat_per_second(s, 1), -1);
	cr_assert_eq(pcieval_stat_set_tick(s, 22e5), 0); /* the whole takes 10 us */
	cr_expect_float_eq(pcieval_stat_per_second(s, 8), 8e5, 1e-3);
	cr_assert(found(s, "link-bound", &finding)); /* 0.8 of the ceiling */
	cr_expect_float_eq(pcieval_stat_set_rate(s, 12), 22, 1e-9);
	cr_expect_not(found(s, "link-bound", &finding));
	cr_expect_eq(pcieval_stat_rule(s, 0, &rule), 1);
	cr_expect_str_eq(rule.name, "small-writes");
	cr_expect_eq(pcieval_stat_rule(s, 1000, &rule), -EINVAL);
	pcieval_stat_free(s);
}

Test(library, records_are_read_or_counted)
{
	struct pcieval_trace *t = open_records(NULL);
	struct pcieval_record r;
	struct pcieval_error error;

	cr_assert_eq(pcieval_trace_next(t, &r), 1);
	cr_expect_null(pcieval_stat_run(t, 1, &error));
	cr_expect_eq(error.code, -EBUSY);
	pcieval_trace_close(t);
	pcieval_stat_free(NULL);
}

Test(library, a_record_has_the_fields_of_its_kind)
{
	struct pcieval_trace *t = open_records(NULL);
	struct pcieval_record r;

	cr_assert_eq(pcieval_trace_time(t, PCIEVAL_TIME_DISTANCE + 1), -EINVAL);
	cr_assert_eq(pcieval_trace_time(t, PCIEVAL_TIME_CLOCK), 0);
	cr_assert_eq(pcieval_trace_next(t, &r), 1);
	cr_expect_eq(r.time_is, PCIEVAL_TIME_CLOCK);
	cr_expect_eq(r.kind, PCIEVAL_MWR64);
	cr_expect_str_eq(pcieval_kind_name(r.kind), "MWr64");
	cr_expect_eq(r.requester, 0x0100);
	cr_expect_eq(r.tag, 0x12);
	cr_expect_eq(r.address, 0x240001000);
	cr_expect_eq(r.length_dw, 1);
	cr_expect_eq(r.time, 77);
	cr_expect_eq(r.format, 8);
	cr_expect_eq(r.dw[7], 77);
	cr_assert_eq(pcieval_trace_next(t, &r), 1);
	cr_expect_eq(r.kind, PCIEVAL_CPLD);
	cr_expect_eq(r.completer, 0x0400);
	cr_expect_eq(r.requester, 0x0100);
	cr_expect_eq(r.tag, 0x34);
	cr_expect_eq(r.byte_count, 8);
	cr_expect_eq(r.lower_address, 4);
	cr_expect_eq(r.offset, 32);
	cr_expect_eq(pcieval_trace_next(t, &r), 0);
	cr_expect_eq(pcieval_trace_problems(t), 0);
	pcieval_trace_close(t);
}

Test(library, each_flag_is_a_bit_of_the_header)
{
	static const struct {
		unsigned record, dw;
		uint32_t bit, flag;
	} bits[] = {
		{0, 2, 1u << 16, PCIEVAL_TH},  {0, 2, 1u << 15, PCIEVAL_TD},	  {0, 2, 1u << 14, PCIEVAL_EP},
		{1, 3, 1u << 12, PCIEVAL_BCM}, {0, 1, 0x91000000, PCIEVAL_PASID},
	};

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		uint32_t one[8];
		struct pcieval_record r;

		memcpy(one, records[bits[i].record], sizeof(one));
		one[bits[i].dw] |= bits[i].bit;
		struct pcieval_trace *t = pcieval_trace_open_memory(one, sizeof(one), NULL, NULL, NULL);
		cr_assert_eq(pcieval_trace_next(t, &r), 1);
		cr_expect_eq(r.flags, bits[i].flag, "bit 0x%x of DW %u: got flags 0x%x", bits[i].bit, bits[i].dw,
			     r.flags);
		pcieval_trace_close(t);
	}
}

Test(library, where_chooses_records_and_a_mistake_changes_nothing)
{
	struct pcieval_trace *t = open_records(NULL);
	struct pcieval_record r;
	struct pcieval_error e;

	cr_assert_eq(pcieval_trace_where(t, "kind == CplD", &e), 0);
	cr_assert_eq(pcieval_trace_where(t, "kind == nonsense", &e), -EINVAL);
	cr_expect_eq(e.code, -EINVAL);
	cr_expect(strstr(e.text, "nonsense"), "expected the word in '%s'", e.text);
	cr_assert_eq(pcieval_trace_next(t, &r), 1);
	cr_expect_eq(r.kind, PCIEVAL_CPLD);
	cr_expect_eq(pcieval_trace_next(t, &r), 0);
	pcieval_trace_close(t);
}

Test(library, a_line_is_that_of_trace_decode_and_is_cut_to_size)
{
	struct pcieval_trace *t = open_records(NULL);
	struct pcieval_record r;
	char line[1024], cut[8];

	cr_assert_eq(pcieval_trace_line(t, "text", line, sizeof(line)), -ENODATA);
	pcieval_trace_next(t, &r);
	cr_assert_eq(pcieval_trace_line(t, "yaml", line, sizeof(line)), -EINVAL);
	int n = pcieval_trace_line(t, "jsonl", line, sizeof(line));
	cr_expect_eq(n, (int)strlen(line));
	cr_expect(strstr(line, "\"kind\":\"MWr64\""), "got %s", line);
	cr_expect_eq(line[n - 1], '}');
	cr_expect_eq(pcieval_trace_line(t, "jsonl", cut, sizeof(cut)), n);
	cr_expect_eq(strncmp(cut, line, 7), 0);
	cr_expect_eq(strlen(cut), 7);
	pcieval_trace_close(t);
}

Test(library, damage_is_told_and_what_is_good_is_read)
{
	uint32_t bytes[5 * 8];
	struct damage d = {0};
	struct pcieval_record r;
	unsigned good = 0;

	for (unsigned i = 0; i < 5; i++)
		memcpy(bytes + 8 * i, records[i & 1], sizeof(records[0]));
	memset(bytes + 8, 0xff, sizeof(records[0]));
	struct pcieval_trace *t = pcieval_trace_open_memory(bytes, sizeof(bytes), note, &d, NULL);
	while (pcieval_trace_next(t, &r) > 0)
		good++;
	cr_expect_eq(good, 4);
	cr_expect_eq(d.n, 1);
	cr_expect_eq(d.stream, 0);
	cr_expect(*d.what);
	cr_expect_eq(pcieval_trace_problems(t), 1);
	pcieval_trace_close(t);
}

Test(library, what_cannot_be_opened_says_why)
{
	struct pcieval_error e;

	cr_assert_null(pcieval_trace_open("/nonexistent/trace", NULL, NULL, &e));
	cr_expect_eq(e.code, -ENOENT);
	cr_expect(strstr(e.text, "/nonexistent/trace"), "got '%s'", e.text);
	cr_assert_null(pcieval_trace_open("/nonexistent/trace", NULL, NULL, NULL));
	pcieval_trace_close(NULL);
	cr_expect_null(pcieval_kind_name(PCIEVAL_DMWR64 + 1));
}
