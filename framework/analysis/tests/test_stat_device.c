/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of devices from small traces, on one thread and on several. */
#include "framework/analysis/stat.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/stat_report.h"

enum { NIC = 0x0200, DISK = 0x0300, MAX = 80000 };

struct fixture {
	uint32_t (*dw)[8];
	size_t n;
};

static void put(struct fixture *f, uint32_t h0, uint32_t h1, uint32_t h2, uint32_t h3)
{
	if (!f->dw)
		f->dw = calloc(MAX, sizeof(*f->dw));
	cr_assert_lt(f->n, (size_t)MAX);
	memcpy(f->dw[f->n], (uint32_t[8]){~0u, 0, h0, h1, h2, h3, 0, (uint32_t)f->n * 10}, 32);
	f->n++;
}

/* Adds an MWr64, or with `code` 0 an MRd32, with all bytes enabled. */
static void memory(struct fixture *f, uint32_t code, uint32_t id, uint32_t dw, uint32_t address)
{
	uint32_t h1 = id << 16 | (dw == 1 ? 0xf : 0xff);

	if (code & 0x20)
		put(f, code << 24 | (dw & 0x3ff), h1, 1, address);
	else
		put(f, code << 24 | (dw & 0x3ff), h1, address, 0);
}

/* Returns the statistics of the trace, and frees the trace. */
static struct pv_stat *stat_of(struct fixture *f, unsigned jobs)
{
	const struct pv_trace_options how = {.time = PV_TRACE_TIME_CLOCK};
	struct pv_trace *t = pv_trace_open_memory(f->dw, f->n * 32, &how);
	struct pv_error e = {0};
	struct pv_stat *s = pv_stat_run(t, &(struct pv_stat_options){.jobs = jobs}, &e);

	cr_assert_not_null(s, "%s", e.text);
	pv_trace_close(t);
	free(f->dw);
	return s;
}

static const struct pv_stat_device *device(const struct pv_stat *s, uint16_t requester)
{
	for (unsigned i = 0; i < s->devices.n; i++)
		if (s->devices.of[i].requester == requester)
			return &s->devices.of[i];
	cr_assert_fail("no device %04x", requester);
	return NULL;
}

Test(stat_device, each_has_its_own_tlps)
{
	struct fixture f = {0};
	struct pv_stat *s;
	const struct pv_stat_flow *w, *r, *c, *o;

	memory(&f, 0x60, NIC, 16, 0x1000);
	memory(&f, 0x60, NIC, 1024, 0x2000);
	memory(&f, 0x40, DISK, 1, 0x3000);
	memory(&f, 0x00, NIC, 128, 0x4000);
	memory(&f, 0x01, DISK, 2, 0x4000); /* locked */
	put(&f, 0x4a000000 | 32, 0x00080000 | 128, NIC << 16, 0);
	put(&f, 0x34000000, NIC << 16 | 0x7f, 0, 0);
	put(&f, 0x5f000005, NIC << 16, 0, 0); /* undefined kind: no requester */
	s = stat_of(&f, 1);
	w = &device(s, NIC)->flow[PV_FLOW_WRITES];
	r = &device(s, NIC)->flow[PV_FLOW_READS];
	c = &device(s, NIC)->flow[PV_FLOW_COMPLETIONS];
	o = &device(s, NIC)->flow[PV_FLOW_OTHER];
	cr_expect_eq(s->devices.n, 2);
	cr_expect_eq(device(s, NIC)->tlps, 5);
	cr_expect(w->tlps == 2 && w->bytes == 64 + 4096 && w->wire_bytes == 64 + 4096 + 48 && w->largest == 4096);
	cr_expect(r->tlps == 1 && r->bytes == 512 && r->wire_bytes == 20 && r->largest == 512);
	cr_expect(c->tlps == 1 && c->bytes == 128 && c->wire_bytes == 148 && c->largest == 128);
	cr_expect(o->tlps == 1 && o->bytes == 0 && o->wire_bytes == 24);
	cr_expect_eq(pv_stat_device_payload(device(s, NIC)), 64 + 4096 + 128);
	cr_expect_eq(pv_stat_device_wire_bytes(device(s, NIC)), 4208 + 20 + 148 + 24);
	cr_expect_float_eq(pv_stat_flow_mean(w), 2080, 1e-9);
	cr_expect_float_eq(pv_stat_flow_efficiency(w), 4160.0 / 4208, 1e-9);
	cr_expect_eq(device(s, DISK)->flow[PV_FLOW_WRITES].largest, 4);
	cr_expect_eq(device(s, DISK)->flow[PV_FLOW_READS].bytes, 8);
	pv_stat_free(s);
}

Test(stat_device, figures_of_parts_add_up)
{
	struct pv_stat_device a = {0}, b = {0};
	const struct pv_stat_flow *w = &a.flow[PV_FLOW_WRITES];

	pv_stat_device_add(&a, PV_TLP_MWR64, 16, 3);
	pv_stat_device_add(&b, PV_TLP_MWR64, 32, 2);
	pv_stat_device_merge(&a, &b);
	cr_expect(a.tlps == 5 && w->tlps == 5 && w->bytes == 3 * 64 + 2 * 128 && w->largest == 128);
	cr_expect(w->sizes[4] == 3 && w->sizes[5] == 2 && w->wire_bytes == w->bytes + 5 * 24);
	pv_stat_device_merge(&b, &a);
	cr_expect_eq(b.flow[PV_FLOW_WRITES].largest, 128);
}

Test(stat_device, sizes_are_counted_by_power_of_two)
{
	struct fixture f = {0};
	const struct pv_stat_flow *w;
	struct pv_stat *s;

	memory(&f, 0x60, NIC, 1, 0x1000);
	memory(&f, 0x60, NIC, 31, 0x1000);
	memory(&f, 0x60, NIC, 32, 0x1000);
	memory(&f, 0x60, NIC, 63, 0x1000);
	memory(&f, 0x60, NIC, 1024, 0x1000);
	s = stat_of(&f, 1);
	w = &device(s, NIC)->flow[PV_FLOW_WRITES];
	cr_expect(w->sizes[0] == 1 && w->sizes[4] == 1 && w->sizes[5] == 2 && w->sizes[10] == 1);
	cr_expect_eq(pv_stat_flow_below(w, 128), 2);
	cr_expect_eq(pv_stat_flow_below(w, 256), 4);
	cr_expect_eq(pv_stat_flow_below(w, 4), 0);
	cr_expect_eq(pv_stat_flow_below(w, 4096), 4);
	pv_stat_free(s);
}

static void expect_marks(struct fixture *f, enum pv_stat_flow_kind kind, const uint64_t marks[PV_MARKS])
{
	struct pv_stat *s = stat_of(f, 1);

	for (unsigned m = 0; m < PV_MARKS; m++)
		cr_expect_eq(device(s, NIC)->flow[kind].marks[m], marks[m], "%s: expected %d, got %d",
			     pv_stat_mark_names[m], (int)marks[m], (int)device(s, NIC)->flow[kind].marks[m]);
	pv_stat_free(s);
}

Test(stat_device, places_of_writes)
{
	struct fixture f = {0};

	memory(&f, 0x60, NIC, 16, 0x1000); /* starts a page, fills a cache line */
	memory(&f, 0x60, NIC, 16, 0x1040);
	memory(&f, 0x60, NIC, 16, 0x1044);   /* begins within a cache line */
	memory(&f, 0x60, NIC, 15, 0x1080);   /* ends within a cache line */
	memory(&f, 0x60, NIC, 16, 0x1fc0);   /* ends at a page boundary */
	memory(&f, 0x60, NIC, 17, 0x1fc0);   /* crosses a page boundary */
	memory(&f, 0x60, NIC, 1024, 0x2000); /* fills a page */
	memory(&f, 0x60, NIC, 1024, 0x2004);
	expect_marks(
		&f, PV_FLOW_WRITES,
		(uint64_t[PV_MARKS]){
			[PV_MARK_OFF_64] = 2, [PV_MARK_PART_LINE] = 4, [PV_MARK_OFF_4K] = 6, [PV_MARK_CROSS_4K] = 2});
}

Test(stat_device, places_of_32_bit_reads)
{
	struct fixture f = {0};

	memory(&f, 0x00, NIC, 16, 0x1000);
	memory(&f, 0x00, NIC, 16, 0x1004);
	expect_marks(&f, PV_FLOW_READS,
		     (uint64_t[PV_MARKS]){[PV_MARK_OFF_64] = 1, [PV_MARK_PART_LINE] = 1, [PV_MARK_OFF_4K] = 1});
}

Test(stat_device, byte_enables_and_relaxed_ordering)
{
	struct fixture f = {0};
	const uint32_t id = NIC << 16;

	put(&f, 0x60000001, id | 0x0f, 1, 0x1000);	     /* all four bytes enabled */
	put(&f, 0x60000001, id | 0x07, 1, 0x1000);	     /* last byte disabled */
	put(&f, 0x60000010, id | 0xff, 1, 0x1000);	     /* all bytes enabled */
	put(&f, 0x60000010, id | 0x7f, 1, 0x1000);	     /* last byte disabled */
	put(&f, 0x60000010, id | 0xfe, 1, 0x1000);	     /* first byte disabled */
	put(&f, 0x60000010 | 1 << 13, id | 0xff, 1, 0x1000); /* relaxed */
	put(&f, 0x60000010 | 1 << 16, id | 0x7f, 1, 0x1000); /* TH of a write: byte enables are valid */
	expect_marks(&f, PV_FLOW_WRITES,
		     (uint64_t[PV_MARKS]){[PV_MARK_PARTIAL] = 4, [PV_MARK_PART_LINE] = 2, [PV_MARK_RELAXED] = 1});
	f = (struct fixture){0};
	put(&f, 0x20000010 | 1 << 16, id | 0x12, 1, 0x1000); /* TH of a read: a steering tag */
	put(&f, 0x20000010, id | 0x7f, 1, 0x1000);
	put(&f, 0x20000010 | 1 << 13, id | 0xff, 1, 0x1000);
	expect_marks(&f, PV_FLOW_READS, (uint64_t[PV_MARKS]){[PV_MARK_PARTIAL] = 1, [PV_MARK_RELAXED] = 1});
}

/* A tag that is used twice, in consecutive pieces, counts once; tags of completions without a request do not count. */
Test(stat_device, tags_that_are_used)
{
	struct fixture f = {0};
	struct pv_stat *s;

	for (uint32_t i = 0; i < 40000; i++)
		put(&f, 0x00000010 | (i % 5 == 4) << 23, NIC << 16 | i % 5 << 8 | 0xff, 0x1000, 0);
	put(&f, 0x4a000010, 0x00080000 | 64, NIC << 16 | 77 << 8, 0);
	memory(&f, 0x60, DISK, 16, 0x1000);
	s = stat_of(&f, 2);
	cr_expect_eq(pv_stat_tags_used(s, device(s, NIC)), 5);
	cr_expect_eq(device(s, NIC)->latency.tags[8], 1 << 4); /* 0x204 */
	cr_expect_eq(pv_stat_tags_used(s, device(s, DISK)), 0);
	s->long_tags = true;
	cr_expect_eq(pv_stat_tags_used(s, device(s, NIC)), 0);
	pv_stat_free(s);
}

/* A read of the NIC takes 20 ticks and one of the disk 40, within pieces and across their borders. */
static void put_read(struct fixture *f, uint32_t id, uint32_t gap)
{
	put(f, 0x00000010, id << 16 | 0xff, 0x1000, 0);
	for (; gap; gap--)
		memory(f, 0x60, id, 16, 0x2000);
	put(f, 0x4a000010, 0x00080000 | 64, id << 16, 0);
}

static void expect_latencies(unsigned jobs)
{
	struct fixture f = {0};
	const struct pv_latency *nic, *disk;
	struct pv_stat *s;

	memory(&f, 0x60, NIC, 16, 0x2000); /* shifts the reads, so that some cross the borders of pieces */
	for (unsigned i = 0; i < 9000; i++) {
		put_read(&f, NIC, 1);
		put_read(&f, DISK, 3);
	}
	s = stat_of(&f, jobs);
	nic = &device(s, NIC)->latency;
	disk = &device(s, DISK)->latency;
	cr_expect(nic->answered == 9000 && nic->min == 20 && nic->max == 20 && nic->sum == 180000);
	cr_expect(disk->answered == 9000 && disk->min == 40 && disk->max == 40 && disk->sum == 360000);
	cr_expect_eq(pv_latency_quantile(nic, 0.5), 20);
	cr_expect_eq(pv_latency_quantile(disk, 0.99), 40);
	/* a round has 8 records, 10 ticks apart */
	cr_expect_float_eq(pv_stat_mean_open(s, device(s, NIC)), 20 / 80.0, 1e-4);
	cr_expect_eq(s->devices.of[0].requester, DISK);
	pv_stat_free(s);
}

Test(stat_device, latencies_of_each)
{
	expect_latencies(1);
	expect_latencies(3);
}

Test(stat_device, latencies_of_parts_add_up)
{
	struct pv_latency a = {0}, b = {0};

	pv_latency_add(&a, 7, 7);
	pv_latency_add(&a, 5, 5);
	cr_expect_eq(a.min, 5);
	pv_latency_add(&b, 3, 3);
	pv_latency_add(&b, 9, 9);
	pv_latency_merge(&a, &b);
	cr_expect(a.answered == 4 && a.min == 3 && a.max == 9 && a.sum == 24);
	cr_expect(a.buckets[3] == 1 && a.buckets[5] == 1 && a.buckets[7] == 1 && a.buckets[9] == 1);
	cr_expect_eq(pv_latency_quantile(&a, 0.5), 7);
	pv_latency_merge(&a, &(struct pv_latency){0});
	cr_expect_eq(a.min, 3);
}

/* Up to 64 devices have figures; with one more, none has, on any number of threads. */
Test(stat_device, too_many_are_none)
{
	for (unsigned more = 0; more < 2; more++)
		for (unsigned jobs = 1; jobs <= 3; jobs++) {
			struct fixture f = {0};
			struct pv_stat *s;

			for (unsigned i = 0; i < MAX; i++)
				memory(&f, 0x60, 0x1000 + i * (PV_STAT_DEVICES + more) / MAX, 16, 0x1000);
			s = stat_of(&f, jobs);
			cr_expect_eq(s->devices.too_many, more);
			cr_expect_eq(s->devices.n, more ? 0 : PV_STAT_DEVICES);
			cr_expect_eq(s->requesters[0x1000].tlps, more ? 1231 : 1250);
			pv_stat_free(s);
		}
}

/* 400 bytes of payload in 10 ticks, at 4000 bytes per second: a tick is 10 ms. */
Test(stat_device, a_rate_tells_the_tick)
{
	struct fixture f = {0};
	struct pv_stat *s;
	char how[PV_STAT_HOW_TEXT];

	memory(&f, 0x60, NIC, 50, 0x1000);
	put(&f, 0x4a000000 | 50, 0x00080000 | 200, NIC << 16, 0);
	s = stat_of(&f, 1);
	cr_expect_float_eq(pv_stat_hz_of_rate(s, 4000, how), 100, 1e-9);
	cr_expect_str_eq(how, "from --rate, 4.00 kB/s of payload");
	s->time_at_least = true;
	s->problems = 1;
	pv_stat_hz_of_rate(s, 4000, how);
	cr_expect_str_eq(how, "at least, from --rate, 4.00 kB/s of payload; records are missing: too high");
	s->time = PV_TRACE_TIME_UNKNOWN;
	cr_expect_eq(pv_stat_hz_of_rate(s, 4000, how), 0);
	cr_expect_str_eq(how, "unknown: --rate needs times");
	pv_stat_free(s);
}
