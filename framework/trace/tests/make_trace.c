/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of everything, for ci/stat: requests of many requesters, answered in one or several completions, with
 * errors, or never; stray completions; all kinds. Usage: make_trace 4dw|8dw RECORDS SEED >trace.bin
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_MAX = 512 };

/* A request that waits for `left` bytes; `without_data`: for a Cpl. */
struct request {
	uint32_t id, tag, left, lower;
	bool without_data, is_memory;
};

static struct request open_requests[OPEN_MAX];
static unsigned n_open;
static uint64_t state;
static uint32_t now;
static bool is_8dw;

static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void put_le32(uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		putchar((int)(v >> 8 * i & 0xff));
}

/* `tag`: 10 bits, of which the upper two are in the first word. */
static void put_record(uint32_t d, uint32_t tag, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
	now += random_below(16) ? random_below(40) : random_below(1500);
	d |= (tag >> 9 & 1) << 23 | (tag >> 8 & 1) << 19;
	if (is_8dw) {
		put_le32(0xffffffff);
		put_le32(random_below(8) ? 0 : 0x91000000 | random_below(1 << 22));
		put_le32(d);
	} else {
		put_le32((d >> 29 & 3) << 30 | (d >> 24 & 0x1f) << 25 | (d >> 23 & 1) << 24 | (d >> 19 & 1) << 23 |
			 (d >> 16 & 1) << 22 | (d >> 13 & 1) << 21 | (d & 0x3ff) << 11 | (now & 0x7ff));
	}
	put_le32(dw1);
	put_le32(dw2);
	put_le32(dw3);
	if (is_8dw) {
		put_le32(0);
		put_le32(now);
	}
}

static uint32_t random_id(void)
{
	return (1 + random_below(6)) << 8 | random_below(4) << 3 | random_below(8);
}

/* A length in DW as devices use it: powers of two, now and then any; 1024 is written as 0. */
static uint32_t random_length(void)
{
	return random_below(3) ? 1u << random_below(11) : 1 + random_below(1024);
}

static uint32_t random_address(void)
{
	return random_below(1u << 26) << 2;
}

/* Bytes that are off at either end of a request: with their byte enables, as in the header. */
struct enables {
	uint32_t bits, lead, tail;
};

static struct enables random_enables(uint32_t length)
{
	struct enables e = {0xff, random_below(3) ? 0 : random_below(4), random_below(3) ? 0 : random_below(4)};

	if (length == 1) {
		e.tail = e.lead + e.tail > 3 ? 3 - e.lead : e.tail;
		e.bits = (0xfu << e.lead & 0xf) & (0xfu >> e.tail);
	} else {
		e.bits = (0xfu << e.lead & 0xf) | (0xfu >> e.tail) << 4;
	}
	return e;
}

static void put_memory(uint32_t code, uint32_t length, uint32_t tag, uint32_t id, uint32_t enables, uint32_t low)
{
	uint32_t th = random_below(16) ? 0 : 1u << 16;

	if (code & 0x20)
		put_record(code << 24 | th | (length & 0x3ff), tag, id << 16 | (tag & 0xff) << 8 | enables,
			   random_below(3), low);
	else
		put_record(code << 24 | th | (length & 0x3ff), tag, id << 16 | (tag & 0xff) << 8 | enables,
			   0x80000000 | low, 0);
}

static void put_posted(void)
{
	static const uint32_t codes[] = {0x40, 0x60, 0x60, 0x60, 0x30, 0x34, 0x74};
	uint32_t code = codes[random_below(sizeof(codes) / sizeof(*codes))], length = random_length();

	if (code & 0x10)
		put_record(code << 24 | (code & 0x40 ? length & 0x3ff : 0), 0, random_id() << 16 | 0x7f, 0, 0);
	else
		put_memory(code, length, random_below(256), random_id(), random_enables(length).bits, random_address());
}

/* Sometimes the tag is in use already: the answer to the older one got lost. */
static void put_request(void)
{
	static const uint32_t codes[] = {0x00, 0x20, 0x20, 0x20, 0x21, 0x02, 0x42, 0x04, 0x05,
					 0x44, 0x45, 0x4c, 0x6c, 0x4d, 0x6d, 0x4e, 0x6e};
	uint32_t code = codes[random_below(sizeof(codes) / sizeof(*codes))], type = code & 0x1f;
	struct request *r = &open_requests[n_open++];
	bool is_memory = type < 2, is_atomic = type >= 0x0c;
	uint32_t length = is_memory ? random_length() : is_atomic ? 1u << random_below(3) : 1;
	uint32_t address = random_address();
	struct enables e = random_enables(length);

	*r = (struct request){.id = random_id(),
			      .tag = random_below(random_below(2) ? 32 : 1024),
			      .left = type == 0x0e ? 2 * length : 4 * length,
			      .without_data = !is_atomic && (code & 0x40),
			      .is_memory = is_memory};
	if (is_memory) {
		r->left -= e.lead + e.tail;
		r->lower = (address + e.lead) & 0x7f;
	}
	if (type == 4 || type == 5)
		put_record(code << 24 | 1, r->tag, r->id << 16 | (r->tag & 0xff) << 8 | (1 + random_below(15)),
			   random_id() << 16 | random_below(1024) << 2, 0);
	else
		put_memory(code, length, r->tag, r->id, is_atomic ? 0 : e.bits, address);
}

/* The next completion of an open request: a piece of its data, all of it, none, or an error. */
static void put_completion(void)
{
	unsigned i = random_below(n_open);
	struct request *r = &open_requests[i];
	uint32_t status = random_below(24) ? 0 : 1u << random_below(3);
	uint32_t to_boundary = 64 - r->lower % 64;
	uint32_t bytes = r->is_memory && r->left > to_boundary && random_below(3) ? to_boundary : r->left;
	uint32_t dw1 = 0x0010u << 16 | status << 13, dw2 = r->id << 16 | (r->tag & 0xff) << 8;

	if (status || r->without_data)
		put_record(0x0a000000, r->tag, dw1 | 4, dw2, 0);
	else
		put_record(0x4a000000 | ((r->lower % 4 + bytes + 3) / 4 & 0x3ff), r->tag, dw1 | (r->left & 0xfff),
			   dw2 | r->lower, 0);
	r->left -= bytes;
	r->lower = (r->lower + bytes) & 0x7f;
	if (status || r->without_data || !r->left)
		*r = open_requests[--n_open];
}

static void put_stray(void)
{
	uint32_t tag = random_below(1024);

	if (random_below(2))
		put_record(0x4b000001, tag, 0x00100004, random_id() << 16 | (tag & 0xff) << 8, 0);
	else
		put_record(0x0b000000, tag, 0x00108004, random_id() << 16 | (tag & 0xff) << 8, 0);
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc != 4 || (strcmp(argv[1], "4dw") && strcmp(argv[1], "8dw"))) {
		fprintf(stderr, "usage: make_trace 4dw|8dw RECORDS SEED\n");
		return 2;
	}
	is_8dw = !strcmp(argv[1], "8dw");
	state = strtoull(argv[3], NULL, 10);
	now = 0xffff0000;
	while (n--) {
		uint32_t what = random_below(100);

		if (n_open && random_below(n_open < 100 ? 400 : 60) == 0)
			n_open--; /* will never be answered */
		if (what < 2)
			put_stray();
		else if (what < 30)
			put_posted();
		else if (n_open < OPEN_MAX && (!n_open || what < 58))
			put_request();
		else
			put_completion();
	}
	return 0;
}
