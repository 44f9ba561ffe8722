/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces that nothing was tuned on: traffic made otherwise than that of traffic.c, whole and damaged, short and long,
 * and with odd records at the end. Counts how many whole ones are read as whole, and how many damaged ones cost few
 * records and are reported. Usage: held_out [SEEDS [FIRST]]; exit status 1 if less is right than should be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/tests/traffic.h"
#include "framework/trace/trace.h"
#include "framework/util/cleanup.h"

enum { FUNCTIONS = 24, OPEN_READS = 64, ROOM = 1 << 18 };

struct function {
	uint16_t id;
	uint64_t base, next;
	uint32_t tag, tags, writes, reads, length;
};

struct read {
	uint16_t requester, tag, left;
	uint64_t address;
};

struct world {
	struct traffic_random r;
	struct function functions[FUNCTIONS];
	unsigned n_functions, n_reads, pace;
	struct read reads[OPEN_READS];
	uint16_t host;
	bool stale;	/* a short header is followed by the word of the previous record */
	bool undefined; /* kinds that PCIe 5.0 does not define are among the odd records */
	unsigned odd;	/* records in 10,000 */
	uint32_t h[4], time;
};

static uint32_t below(struct world *w, uint32_t n)
{
	return traffic_below(&w->r, n);
}

/* ---- records ---- */

static void header(struct world *w, unsigned fmt, unsigned type, uint32_t length, uint16_t id, uint32_t low)
{
	w->h[0] = fmt << 29 | type << 24 | (length & 0x3ff);
	w->h[1] = (uint32_t)id << 16 | low;
	w->h[2] = 0;
	if (!w->stale)
		w->h[3] = 0;
}

static void memory(struct world *w, struct function *f, bool write, uint32_t length, uint64_t address)
{
	uint32_t enables = length > 1 ? 0xff : 0x0f;
	bool is_long = address >> 32;

	f->tag = (f->tag + 1) % f->tags;
	header(w, (write ? 2 : 0) | is_long, 0, length, f->id, (f->tag & 0xff) << 8 | enables);
	w->h[0] |= (f->tag >> 8 & 1) << 19 | (f->tag >> 9 & 1) << 23;
	w->h[2] = (uint32_t)(is_long ? address >> 32 : address);
	if (is_long)
		w->h[3] = (uint32_t)address;
}

static void write_next(struct world *w, struct function *f)
{
	uint32_t length = below(w, 10) ? f->length : 1 + below(w, 4);

	if ((f->next & 0xfff) + 4 * length > 0x1000)
		f->next = (f->next + 0xfff) & ~0xfffull;
	memory(w, f, true, length, f->next);
	f->next = f->next + 4 * length > f->base + (1 << 22) ? f->base : f->next + 4 * length;
}

static void read_somewhere(struct world *w, struct function *f)
{
	uint32_t length = 16u << below(w, 4);
	uint64_t address = f->base + 64ull * below(w, 1 << 16);

	if ((address & 0xfff) + 4 * length > 0x1000)
		address &= ~0xfffull;
	memory(w, f, false, length, address);
	w->reads[w->n_reads++] = (struct read){f->id, (uint16_t)f->tag, (uint16_t)(4 * length), address};
}

static void complete(struct world *w)
{
	struct read *r = &w->reads[below(w, w->n_reads)];
	uint16_t bytes = (uint16_t)(64 * (1 + below(w, 4)));

	bytes = bytes < r->left ? bytes : r->left;
	header(w, 2, 0x0a, bytes / 4, w->host, r->left);
	w->h[0] |= (r->tag >> 8 & 1u) << 19 | (r->tag >> 9 & 1u) << 23;
	w->h[2] = (uint32_t)r->requester << 16 | (r->tag & 0xffu) << 8 | (r->address & 0x7f);
	r->left -= bytes;
	r->address += bytes;
	if (!r->left)
		*r = w->reads[--w->n_reads];
}

static void usual(struct world *w)
{
	struct function *f = &w->functions[below(w, w->n_functions)];
	struct function host = {w->host, 0, 0, below(w, 32), 32, 0, 0, 0};
	uint32_t choice = below(w, f->writes + f->reads + 1);

	if (w->n_reads && below(w, 2))
		complete(w);
	else if (choice < f->writes)
		write_next(w, f);
	else if (choice < f->writes + f->reads && w->n_reads < OPEN_READS)
		read_somewhere(w, f);
	else
		memory(w, &host, below(w, 3), 1, 0x80000000 + 4 * below(w, 1 << 14));
}

/* ---- odd ones ---- */

static void config(struct world *w, uint16_t id)
{
	header(w, 2 * below(w, 2), 4 + below(w, 2), 1, w->host, below(w, 32) << 8 | 0xf);
	w->h[2] = (uint32_t)id << 16 | below(w, 1024) << 2;
}

static void io(struct world *w, uint16_t id)
{
	(void)id;
	header(w, 2 * below(w, 2), 2, 1, w->host, below(w, 32) << 8 | 1u << below(w, 4));
	w->h[2] = 0x1000 + 4 * below(w, 0x3fff);
}

/* Of any routing and code. */
static void message(struct world *w, uint16_t id)
{
	header(w, 1, 0x10 | below(w, 6), 0, id, below(w, 0x10000));
	w->h[2] = traffic_random(&w->r);
	w->h[3] = traffic_random(&w->r);
}

static void error(struct world *w, uint16_t id)
{
	header(w, 1, 0x10, 0, id, 0x30 + below(w, 2));
	w->h[3] = 0;
}

static void unsupported(struct world *w, uint16_t id)
{
	header(w, 0, 0x0a, 0, w->host, 1u << 13 | 4);
	w->h[2] = (uint32_t)id << 16 | below(w, 256) << 8 | below(w, 128);
}

static void flush(struct world *w, uint16_t id)
{
	header(w, 0, 0, 1, id, below(w, 32) << 8);
	w->h[2] = 0x80000000 + 4 * below(w, 4096);
}

/* TCfgRd and TCfgWr, which PCIe no longer has, and types that it never had. */
static void undefined(struct world *w, uint16_t id)
{
	static const uint8_t types[] = {0x1a, 0x1a, 0x18, 0x1d, 0x06, 0x07, 0x09, 0x1f};

	header(w, below(w, 4), types[below(w, 8)], below(w, 64), id, below(w, 0x10000));
	w->h[2] = traffic_random(&w->r);
}

static void odd(struct world *w, bool undefined_too)
{
	static void (*const kinds[])(struct world *, uint16_t) = {config, io,	   error,    unsupported,
								  flush,  message, undefined};
	uint16_t id = w->functions[below(w, w->n_functions)].id;

	if (undefined_too && !below(w, 3))
		id = (uint16_t)traffic_random(&w->r); /* of a function that nothing is known of */
	kinds[undefined_too ? 4 + below(w, 3) : below(w, 6)](w, id);
}

/* ---- traces ---- */

static void settle(struct world *w, uint64_t seed)
{
	*w = (struct world){.r = {seed * 77 + 5}, .host = 0};
	w->n_functions = 1 + below(w, below(w, 3) ? 4 : FUNCTIONS);
	w->pace = below(w, 4);
	w->stale = !below(w, 5);
	w->undefined = below(w, 2);
	w->odd = (const unsigned[]){0, 5, 20, 100, 500}[below(w, 5)];
	w->time = traffic_random(&w->r);
	for (unsigned i = 0; i < w->n_functions; i++) {
		uint64_t high = below(w, 10) < 7 ? (uint64_t)below(w, 0x400) << 32 : 0;
		uint64_t base = high | (traffic_random(&w->r) & 0xffc00000u);

		w->functions[i] = (struct function){(uint16_t)(256 + below(w, 0xc800)),
						    base,
						    base,
						    0,
						    (const uint32_t[]){32, 256, 1024}[below(w, 3)],
						    1 + below(w, 9),
						    below(w, 10),
						    1u << below(w, 8)};
	}
}

static uint32_t pause_after(struct world *w)
{
	static const uint32_t paces[] = {6, 300, 3, 1 << 19};

	return w->pace == 2 && !below(w, 20) ? below(w, 1 << 17) : below(w, paces[w->pace]);
}

/* Appends one as both formats have it: docs/hardware-notes.md, "Records". */
static void put(struct world *w, struct traffic *t, size_t size)
{
	const uint32_t *h = w->h, kept = (h[0] >> 29 & 3) << 30 | (h[0] >> 24 & 0x1f) << 25 | (h[0] >> 23 & 1) << 24 |
					 (h[0] >> 19 & 1) << 23 | (h[0] & 0x3ff) << 11;
	uint32_t four[4], eight[8] = {UINT32_MAX, 0, h[0], h[1], h[2], h[3], 0, 0};

	w->time += pause_after(w);
	memcpy(four, h, sizeof(four));
	four[0] = kept | (w->time & 0x7ff);
	eight[7] = w->time;
	traffic_take(t, size == 16 ? (void *)four : eight, size, size);
}

/* A trace whose last `end` records are odd. */
static void make(struct traffic *t, uint64_t seed, size_t size, unsigned end)
{
	struct world w;
	unsigned records;

	settle(&w, seed);
	records = 20 + end + below(&w, below(&w, 3) ? 3000 : 100);
	t->n = t->records = 0;
	for (unsigned i = 0; i < records; i++) {
		if (i + end >= records)
			odd(&w, true);
		else if (below(&w, 10000) < w.odd)
			odd(&w, w.undefined);
		else
			usual(&w);
		put(&w, t, size);
	}
}

/* ---- what is made of them ---- */

static uint8_t found[ROOM];

/* Marks the records; how many problems there are. */
static uint64_t read_trace(const struct traffic *t)
{
	struct pv_trace *reader = pv_trace_open_memory(t->bytes, t->n, NULL);
	struct pv_trace_record r;
	uint64_t problems;

	memset(found, 0, t->n);
	while (reader && pv_trace_next(reader, &r) > 0)
		found[r.record.offset] = (uint8_t)pv_record_bytes(r.record.format);
	problems = reader ? pv_trace_problems(reader) : 1;
	pv_trace_close(reader);
	return problems;
}

/* Records that were not found, and such as are none. */
static unsigned wrong(const struct traffic *t)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += found[i] != traffic_record_at(t, i);
	return n;
}

struct score {
	const char *name;
	unsigned right, all;
};

static void add(struct score *s, bool right)
{
	s->all++;
	s->right += right;
}

static bool is_whole(struct traffic *t, uint64_t seed, size_t size, unsigned end)
{
	make(t, seed, size, end);
	return !read_trace(t) && !wrong(t);
}

/* The damages that every reader can see: bytes lost or put in that leave a shift, zeros, an end that is cut. */
static bool is_damage_found(struct traffic *t, uint64_t seed, size_t size)
{
	static const char *const visible[] = {"hole of words", "noise between", "zeros over", "end lost"};
	struct traffic_random r = {seed};
	unsigned d = 0;
	size_t before;

	make(t, seed, size, 0);
	while (strcmp(traffic_damage_name(d), visible[seed % ARRAY_SIZE(visible)]))
		d++;
	before = t->n;
	traffic_damage(t, d, t->n / 4 + traffic_below(&r, (uint32_t)t->n / 4), &r);
	if (t->n % size == before % size && seed % ARRAY_SIZE(visible) != 2)
		traffic_cut(t, t->n - 5, 5); /* whole records are lost or inserted: cannot be detected in 4DW */
	return read_trace(t) && wrong(t) <= 12;
}

static bool report(const struct score *s, unsigned tolerated)
{
	printf("%-28s %u of %u\n", s->name, s->right, s->all);
	return s->all - s->right <= s->all / tolerated;
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 40;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct score whole = {"whole"}, few = {"whole, 1-3 odd at the end"}, many = {"whole, 4-8 odd at the end"};
	struct score damaged = {"damaged"};
	struct traffic t = traffic_new(ROOM);
	bool well;

	for (uint64_t seed = first; seed < first + seeds; seed++)
		for (size_t size = 16; size <= 32; size += 16) {
			add(&whole, is_whole(&t, seed, size, 0));
			add(&few, is_whole(&t, seed, size, 1 + seed % 3));
			add(&many, is_whole(&t, seed, size, 4 + seed % 5));
			add(&damaged, is_damage_found(&t, seed, size));
		}
	well = report(&whole, 1000) & report(&few, 500) & report(&many, 50) & report(&damaged, 50);
	traffic_free(&t);
	return !well;
}
