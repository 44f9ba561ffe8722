/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each rule of the findings, on both sides of its threshold and with unknown inputs. */
#include "framework/analysis/stat_finding.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

enum { NIC = 0x200 };

static struct pv_stat *with_nic(void)
{
	struct pv_stat *s = calloc(1, sizeof(*s));

	s->has_regions = s->has_match = true;
	s->time = PV_TRACE_TIME_CLOCK;
	s->span = 1000;
	s->records[PV_RECORD_8DW] = 1;
	s->match.answered = 1;
	cr_assert_not_null(pv_stat_devices_get(&s->devices, NIC));
	return s;
}

/* Adds n TLPs to the first device. */
static void put(struct pv_stat *s, enum pv_tlp_kind k, unsigned bytes, uint64_t n)
{
	pv_stat_device_add(&s->devices.of[0], k, bytes / 4, n);
	s->sizes[k][bytes / 4 % PV_STAT_LENGTHS] += n;
}

static struct pv_stat_function nic(void)
{
	return (struct pv_stat_function){.requester = NIC,
					 .bdf = "0000:02:00.0",
					 .name = "Ethernet controller: Some NIC",
					 .link = "8GT/s x8",
					 .mps = 256,
					 .mrrs = 512,
					 .tags = 32,
					 .relaxed = true,
					 .write_ceiling = 1e9,
					 .read_ceiling = 2e9};
}

/* Expects a finding; `text` NULL: the rule must have none. Frees the statistics. */
static void expect(struct pv_stat *s, struct pv_stat_function f, const char *rule, const char *text)
{
	const struct pv_stat_machine machine = {"machine.txt", &f, 1};
	const struct pv_stat_report r = {.name = "t", .machine = &machine, .tick_hz = 1e3};
	_autofree_ struct pv_stat_finding *found = calloc(PV_STAT_FINDINGS_MAX, sizeof(*found));
	const char *got = NULL;
	size_t n = pv_stat_find(s, &r, found);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(found[i].rule->name, rule))
			got = found[i].text;
	if (text)
		cr_expect_str_eq(got ? got : "(none)", text);
	else
		cr_expect_null(got, "%s: %s", rule, got);
	free(s);
}

Test(stat_finding, small_writes)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 72, 10);
	expect(s, nic(), "small-writes",
	       "Ethernet controller 0000:02:00.0 writes 72-byte TLPs: 25 % of their wire bytes are overhead");
	s = with_nic();
	put(s, PV_TLP_MWR64, 76, 10);
	expect(s, nic(), "small-writes", NULL);
	s = with_nic();
	put(s, PV_TLP_MWR64, 72, 10);
	put(s, PV_TLP_MWR64, 64, 10);
	expect(s, nic(), "small-writes",
	       "Ethernet controller 0000:02:00.0 writes TLPs of 68.0 bytes on average: 26 % of their wire bytes are "
	       "overhead");
}

Test(stat_finding, small_completions)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_CPLD, 80, 10);
	expect(s, nic(), "small-completions",
	       "Ethernet controller 0000:02:00.0 gets what it reads in 80-byte TLPs: 20 % of their wire bytes are "
	       "overhead");
	s = with_nic();
	put(s, PV_TLP_CPLD, 84, 10);
	expect(s, nic(), "small-completions", NULL);
}

Test(stat_finding, small_reads)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MRD64, 120, 10);
	expect(s, nic(), "small-reads",
	       "Ethernet controller 0000:02:00.0 asks for 120 bytes at a time: its read requests take 20 % of the "
	       "bytes that they ask for");
	s = with_nic();
	put(s, PV_TLP_MRD64, 124, 10);
	expect(s, nic(), "small-reads", NULL);
}

Test(stat_finding, sizes_above_what_is_configured)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 260, 1);
	expect(s, nic(), "above-mps",
	       "Ethernet controller 0000:02:00.0 writes TLPs of up to 260 bytes, above its MPS of "
	       "256");
	s = with_nic();
	put(s, PV_TLP_MWR64, 256, 1);
	expect(s, nic(), "above-mps", NULL);
	s = with_nic();
	put(s, PV_TLP_MRD64, 516, 1);
	expect(s, nic(), "above-mrrs",
	       "Ethernet controller 0000:02:00.0 asks for up to 516 bytes, above its MRRS of 512");
	s = with_nic();
	put(s, PV_TLP_MRD64, 512, 1);
	expect(s, nic(), "above-mrrs", NULL);
}

Test(stat_finding, sizes_that_are_not_used)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 128, 9);
	expect(s, nic(), "mps-unused",
	       "Ethernet controller 0000:02:00.0 never writes more than 128 bytes, although its MPS is 256");
	s = with_nic();
	put(s, PV_TLP_MWR64, 132, 9);
	expect(s, nic(), "mps-unused", NULL);
	s = with_nic();
	put(s, PV_TLP_MRD64, 256, 9);
	expect(s, nic(), "mrrs-unused",
	       "Ethernet controller 0000:02:00.0 never asks for more than 256 bytes, although its MRRS is 512");
	s = with_nic();
	put(s, PV_TLP_MRD64, 260, 9);
	expect(s, nic(), "mrrs-unused", NULL);
}

Test(stat_finding, writes_below_mps)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 252, 5);
	put(s, PV_TLP_MWR64, 256, 5);
	expect(s, nic(), "below-mps",
	       "Ethernet controller 0000:02:00.0 writes 50 % of its TLPs with less than its MPS of 256 bytes");
	s = with_nic();
	put(s, PV_TLP_MWR64, 252, 5);
	put(s, PV_TLP_MWR64, 256, 6);
	expect(s, nic(), "below-mps", NULL);
	/* No write has the size of MPS: mps-unused reports it if half of MPS is never used. */
	s = with_nic();
	put(s, PV_TLP_MWR64, 252, 5);
	expect(s, nic(), "below-mps", NULL);
}

Test(stat_finding, marks_of_writes)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 256, 100);
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_PARTIAL] = 5;
	expect(s, nic(), "partial-enables",
	       "Ethernet controller 0000:02:00.0 writes 5 % of its TLPs with some bytes not enabled");
	s = with_nic();
	put(s, PV_TLP_MWR64, 256, 100);
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_PARTIAL] = 4;
	expect(s, nic(), "partial-enables", NULL);
	s = with_nic();
	put(s, PV_TLP_MWR64, 256, 100);
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_PART_LINE] = 25;
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_OFF_64] = 10;
	expect(s, nic(), "part-lines",
	       "Ethernet controller 0000:02:00.0 begins or ends 25 % of its writes within a 64-byte line (10 % begin "
	       "there)");
	s = with_nic();
	put(s, PV_TLP_MWR64, 256, 100);
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_PART_LINE] = 24;
	expect(s, nic(), "part-lines", NULL);
}

Test(stat_finding, requests_across_4_kib)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 256, 1000);
	s->devices.of[0].flow[PV_FLOW_READS].marks[PV_MARK_CROSS_4K] = 1;
	expect(s, nic(), "crosses-4k",
	       "Ethernet controller 0000:02:00.0 sends 1 request across a border of 4 KiB: receivers may take it for "
	       "malformed");
	s = with_nic();
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_CROSS_4K] = 2;
	expect(s, nic(), "crosses-4k",
	       "Ethernet controller 0000:02:00.0 sends 2 requests across a border of 4 KiB: receivers may take them "
	       "for "
	       "malformed");
	expect(with_nic(), nic(), "crosses-4k", NULL);
}

static struct pv_stat *relaxed(uint64_t n)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MWR64, 256, 5);
	put(s, PV_TLP_MRD64, 512, 5);
	s->devices.of[0].flow[PV_FLOW_READS].marks[PV_MARK_RELAXED] = n;
	return s;
}

Test(stat_finding, relaxed_ordering_that_is_not_used)
{
	const char *text =
		"Ethernet controller 0000:02:00.0 may use relaxed ordering, and none of its memory requests does";
	struct pv_stat_function strict = nic();
	struct pv_stat *s;

	strict.relaxed = false;
	expect(relaxed(0), nic(), "relaxed-unused", text);
	expect(relaxed(1), nic(), "relaxed-unused", NULL);
	expect(relaxed(0), strict, "relaxed-unused", NULL);
	s = relaxed(0);
	s->records[PV_RECORD_4DW] = 1; /* the meaning of SO in 4DW is unknown */
	expect(s, nic(), "relaxed-unused", NULL);
}

static struct pv_stat *open_for(uint64_t ticks)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MRD64, 512, 5);
	s->devices.of[0].latency = (struct pv_latency){.answered = 5, .sum = ticks};
	return s;
}

Test(stat_finding, tags_that_are_in_use)
{
	struct pv_stat *s;

	expect(open_for(25600), nic(), "tags-in-use",
	       "Ethernet controller 0000:02:00.0 has 25.6 of its 32 tags in use on average: reads wait for tags");
	expect(open_for(25599), nic(), "tags-in-use", NULL);
	s = open_for(25600);
	s->long_tags = true;
	cr_expect_eq(pv_stat_mean_open(s, &s->devices.of[0]), -1);
	expect(s, nic(), "tags-in-use", NULL);
}

static struct pv_stat *with_tags(unsigned tags, uint64_t reads)
{
	struct pv_stat *s = with_nic();

	put(s, PV_TLP_MRD64, 512, reads);
	for (unsigned i = 0; i < tags; i++)
		pv_latency_tag(&s->devices.of[0].latency, 3 * i);
	return s;
}

Test(stat_finding, few_tags)
{
	expect(with_tags(16, 128), nic(), "few-tags",
	       "Ethernet controller 0000:02:00.0 uses 16 of its 32 tags: no more reads wait at once");
	expect(with_tags(17, 128), nic(), "few-tags", NULL);
	expect(with_tags(16, 127), nic(), "few-tags", NULL); /* too few reads for a judgement */
	expect(with_tags(0, 128), nic(), "few-tags", NULL);  /* unknown */
}

static struct pv_stat *bytes_of(enum pv_tlp_kind k, uint64_t n)
{
	struct pv_stat *s = with_nic(); /* the trace takes 1 s */

	put(s, k, 1000, n);
	return s;
}

Test(stat_finding, links_that_are_full)
{
	struct pv_stat_function of_flits = nic();

	expect(bytes_of(PV_TLP_MWR64, 800000), nic(), "link-bound",
	       "Ethernet controller 0000:02:00.0 writes at 800 MB/s, 80 % of the most that its link (8GT/s x8) "
	       "carries: "
	       "the link is the limit");
	expect(bytes_of(PV_TLP_MWR64, 799999), nic(), "link-bound", NULL);
	expect(bytes_of(PV_TLP_CPLD, 1600000), nic(), "link-bound",
	       "Ethernet controller 0000:02:00.0 reads at 1.60 GB/s, 80 % of the most that its link (8GT/s x8) "
	       "carries: "
	       "the link is the limit");
	expect(bytes_of(PV_TLP_CPLD, 1599999), nic(), "link-bound", NULL);
	expect(bytes_of(PV_TLP_MWR64, 1060000), nic(), "link-bound",
	       "Ethernet controller 0000:02:00.0 writes at 1.06 GB/s, 106 % of the most that its link (8GT/s x8) "
	       "carries: the tick, or the dump, is not that of the trace");
	of_flits.write_ceiling = of_flits.read_ceiling = 0;
	expect(bytes_of(PV_TLP_MWR64, 2000000), of_flits, "link-bound", NULL);
}

/* A flow needs one percent of all wire bytes to be worth a finding; a violation does not. */
Test(stat_finding, a_small_part_of_the_wire_is_left_out)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pv_stat *s = with_nic();

		put(s, PV_TLP_MWR64, 40, 10);
		s->sizes[PV_TLP_CPLD][1020 / 4] += i ? 61 : 60; /* other traffic: 1040 bytes each, compared with 640 */
		expect(s, nic(), "small-writes",
		       i ? NULL
			 : "Ethernet controller 0000:02:00.0 writes 40-byte TLPs: 38 % of their wire bytes are "
			   "overhead");
	}
}

/* Writes by the host go to its devices, not to memory. */
Test(stat_finding, rules_for_devices_spare_the_host)
{
	struct pv_stat_function host = nic();
	struct pv_stat *s = with_nic();

	host.is_host = true;
	put(s, PV_TLP_MWR32, 8, 10);
	s->devices.of[0].flow[PV_FLOW_WRITES].marks[PV_MARK_PART_LINE] = 10;
	expect(s, host, "part-lines", NULL);
	s = with_nic();
	put(s, PV_TLP_MWR32, 8, 10);
	expect(s, host, "small-writes",
	       "Ethernet controller 0000:02:00.0 writes 8-byte TLPs: 71 % of their wire bytes are overhead");
}

static bool judged(const struct pv_stat *s, const struct pv_stat_report *r, const char *rule)
{
	for (size_t i = 0; i < PV_STAT_RULES; i++)
		if (!strcmp(pv_stat_rule(i)->name, rule))
			return pv_stat_is_judged(s, r, pv_stat_rule(i));
	cr_assert_fail("no rule %s", rule);
	return false;
}

Test(stat_finding, what_is_unknown_is_not_judged)
{
	const struct pv_stat_machine machine = {"machine.txt", NULL, 0};
	struct pv_stat_report none = {.name = "t"}, some = {.name = "t", .machine = &machine},
			      sizes = {.name = "t", .mps = 128, .mrrs = 128}, all = some;
	struct pv_stat *s = with_nic();

	all.tick_hz = 1;
	cr_expect(judged(s, &none, "small-writes") && judged(s, &none, "part-lines"));
	cr_expect(!judged(s, &none, "above-mps") && judged(s, &sizes, "above-mps") && judged(s, &some, "above-mps"));
	cr_expect(!judged(s, &none, "relaxed-unused") && judged(s, &some, "relaxed-unused"));
	cr_expect(!judged(s, &none, "tags-in-use") && judged(s, &some, "tags-in-use"));
	cr_expect(!judged(s, &some, "link-bound") && judged(s, &all, "link-bound"));
	s->time = PV_TRACE_TIME_UNKNOWN;
	cr_expect(!judged(s, &all, "tags-in-use") && !judged(s, &all, "link-bound") && judged(s, &all, "few-tags"));
	s->long_tags = true;
	cr_expect(!judged(s, &all, "few-tags"));
	s->long_tags = false;
	s->time = PV_TRACE_TIME_CLOCK;
	s->match.answered = 0;
	cr_expect(!judged(s, &all, "tags-in-use"));
	s->time = PV_TRACE_TIME_UNKNOWN;
	s->has_regions = false;
	cr_expect(!judged(s, &all, "part-lines") && !judged(s, &all, "relaxed-unused"));
	s->devices.too_many = true;
	cr_expect(!judged(s, &all, "small-writes"));
	free(s);
}

/* docs/trace.md has a row for each rule, with the same words. */
Test(stat_finding, each_rule_is_in_the_document)
{
	_autofree_ char *document = NULL;
	struct pv_error e = {0};
	size_t bytes;

	cr_assert_eq(pv_file_read(TRACE_MD, 1 << 20, &document, &bytes, &e), 0, "%s", e.text);
	for (size_t i = 0; i < PV_STAT_RULES; i++) {
		const struct pv_stat_rule *r = pv_stat_rule(i);
		char row[1024];

		snprintf(row, sizeof(row), "\n| `%s` | %g %s | %s | %s | %s |\n", r->name, r->threshold, r->unit,
			 r->figure, r->why, r->document);
		cr_expect_not_null(strstr(document, row), "docs/trace.md lacks%s", row);
	}
}

/* Two functions in different domains have the same ID: a TLP cannot tell them apart. */
Test(stat_finding, functions_of_several_domains_are_ambiguous)
{
	struct pv_stat_function f[3] = {{.requester = 0x300, .bdf = "0001:03:00.0"},
					{.requester = 0x200, .bdf = "0000:02:00.0"},
					{.requester = 0x300, .bdf = "0000:03:00.0"}};
	struct pv_stat_machine m = {"machine.txt", f, pv_stat_functions_sort(f, 3)};
	char bdf[20];

	cr_assert_eq(m.n, 2);
	cr_expect_str_eq(pv_stat_function_bdf(&m, 0x200, bdf), "0000:02:00.0");
	cr_expect_str_eq(pv_stat_function_bdf(&m, 0x300, bdf), "03:00.0");
	cr_expect(pv_stat_function_of(&m, 0x300)->ambiguous && !pv_stat_function_of(&m, 0x200)->ambiguous);
	cr_expect_null(pv_stat_function_of(&m, 0x400));
	cr_expect_null(pv_stat_function_of(NULL, 0x200));
}
