/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic by profile: headers as PCIe 5.0 2.2 has them, with the habits of real devices (few requesters, buffers
 * read through in order, tags in turn), and traces that PCIe 5.0 does not explain but hardware may write.
 */
#include "framework/trace/tests/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

uint32_t traffic_random(struct traffic_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

uint32_t traffic_below(struct traffic_random *r, uint32_t n)
{
	return (uint32_t)((uint64_t)traffic_random(r) * n >> 32);
}

struct traffic traffic_new(size_t room)
{
	struct traffic t = {malloc(room), calloc(room, sizeof(struct traffic_origin)), 0, room, 0};

	if (!t.bytes || !t.origin)
		abort();
	return t;
}

void traffic_free(struct traffic *t)
{
	free(t->bytes);
	free(t->origin);
	*t = (struct traffic){0};
}

size_t traffic_record_at(const struct traffic *t, size_t at)
{
	const struct traffic_origin *o = t->origin + at;
	size_t size = o->size;

	if (!o->record || o->byte || t->n - at < size)
		return 0;
	for (size_t i = 1; i < size; i++)
		if (o[i].record != o->record || o[i].byte != i)
			return 0;
	return size;
}

/* ---- headers ---- */

enum { REQUESTERS_MAX = 8, READS_MAX = 16 };

enum pace { DENSE, MEDIUM, BURSTS, SPARSE, PACES };

/* A read that waits for its completions. */
struct reading {
	uint16_t requester, tag, bytes;
	uint64_t address;
};

struct maker {
	struct traffic_random r;
	uint16_t requesters[REQUESTERS_MAX], host, completer;
	unsigned n_requesters;
	uint64_t buffers[REQUESTERS_MAX]; /* where each writes and reads next */
	uint16_t tag, tag_mask;
	uint32_t time;
	enum pace pace;
	unsigned burst; /* records left of it */
	uint32_t header[4], same[4], prefix, stale;
	struct reading reads[READS_MAX];
	unsigned n_reads;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return traffic_below(&m->r, n);
}

static bool chance(struct maker *m, unsigned percent)
{
	return below(m, 100) < percent;
}

enum {
	MRD = 0x00,
	IORD = 0x02,
	CFG0 = 0x04,
	CFG1 = 0x05,
	CPL = 0x0a,
	FETCH_ADD = 0x0c,
	SWAP = 0x0d,
	CAS = 0x0e,
	MSG = 0x10,
	FMT_4DW = 1,
	FMT_DATA = 2
};

static void head(struct maker *m, unsigned fmt, unsigned type, unsigned dw, uint16_t tag)
{
	m->header[0] = fmt << 29 | type << 24 | (tag & 0x200u) << 14 | (tag & 0x100u) << 11 | (dw & 0x3ff);
}

static void request(struct maker *m, uint16_t requester, uint16_t tag, unsigned low)
{
	m->header[1] = (uint32_t)requester << 16 | (tag & 0xffu) << 8 | low;
}

static unsigned byte_enables(struct maker *m, unsigned dw)
{
	static const uint8_t first[] = {0xf, 0xf, 0xf, 0xf, 0xf, 0xe, 0xc, 0x8}, last[] = {0xf, 0xf, 0xf, 7, 3, 1};

	if (dw == 1)
		return chance(m, 90) ? 0xf : 1 + below(m, 15);
	return first[below(m, 8)] | (unsigned)last[below(m, 6)] << 4;
}

/* 32-bit addresses take the short header (PCIe 5.0 2.2.4.1). */
static void memory(struct maker *m, unsigned data, unsigned type, uint16_t requester, uint64_t address, unsigned dw)
{
	uint16_t tag = m->tag++ & m->tag_mask;
	bool four = address >> 32;
	unsigned room = (4096 - (unsigned)(address & 0xffc)) / 4;

	dw = dw && dw < room ? dw : room; /* up to the next 4 KiB (2.2.7) */
	head(m, data | (four ? FMT_4DW : 0), type, dw, tag);
	request(m, requester, tag, type == MRD || type == IORD ? byte_enables(m, dw) : 0);
	m->header[2] = four ? (uint32_t)(address >> 32) : (uint32_t)address & ~3u;
	m->header[3] = four ? (uint32_t)address & ~3u : 0;
	if (!data && m->n_reads < READS_MAX)
		m->reads[m->n_reads++] = (struct reading){requester, tag, (uint16_t)(dw * 4), address};
}

/* Answers the oldest read, in pieces of at most 128 bytes. */
static bool complete(struct maker *m)
{
	struct reading *read = m->reads;
	unsigned bytes = read->bytes < 128 ? read->bytes : 128;
	unsigned status = chance(m, 2) ? 1 : 0;

	if (!m->n_reads)
		return false;
	head(m, status ? 0 : FMT_DATA, CPL, status ? 0 : bytes / 4, read->tag);
	m->header[1] = (uint32_t)m->completer << 16 | status << 13 | (read->bytes & 0xfff);
	m->header[2] = (uint32_t)read->requester << 16 | (read->tag & 0xffu) << 8 | (read->address & 0x7c);
	m->header[3] = 0;
	read->address += bytes;
	read->bytes -= (uint16_t)bytes;
	if (status || !read->bytes)
		memmove(m->reads, m->reads + 1, --m->n_reads * sizeof(*m->reads));
	return true;
}

static unsigned any_requester(struct maker *m)
{
	return below(m, m->n_requesters);
}

/* The next piece of a requester's buffer; now and then another buffer. */
static uint64_t buffer(struct maker *m, unsigned who, unsigned bytes)
{
	uint64_t here = m->buffers[who];

	m->buffers[who] += bytes;
	if (chance(m, 3))
		m->buffers[who] = (here & ~0xfffffffull) | (uint64_t)(traffic_random(&m->r) & 0xffff000);
	return here;
}

/* ---- profiles ---- */

static void nvme(struct maker *m)
{
	unsigned what = below(m, 10);

	if (what < 4 && complete(m))
		return;
	if (what < 7)
		memory(m, 0, MRD, m->requesters[0], buffer(m, 0, 512), 128);
	else if (what == 7)
		memory(m, FMT_DATA, MRD, m->requesters[0], buffer(m, 1, 16), 4);
	else if (what == 8)
		memory(m, FMT_DATA, MRD, m->requesters[0], 0xfee00000 + 4 * below(m, 8), 1);
	else
		memory(m, FMT_DATA, MRD, m->requesters[0], buffer(m, 2, 256), 64);
}

static void nic(struct maker *m)
{
	unsigned who = any_requester(m), bytes = chance(m, 60) ? 256 : 4 + 4 * below(m, 63);

	if (chance(m, 20))
		memory(m, 0, MRD, m->requesters[who], buffer(m, who, 64), 16);
	else
		memory(m, FMT_DATA, MRD, m->requesters[who], buffer(m, who, bytes), bytes / 4);
}

static void p2p(struct maker *m)
{
	unsigned who = any_requester(m);

	if (chance(m, 40) && complete(m))
		return;
	memory(m, chance(m, 50) ? FMT_DATA : 0, MRD, m->requesters[who], 0xc0000000 + (buffer(m, who, 128) & 0xffffff),
	       32);
}

static void completions(struct maker *m)
{
	unsigned who = any_requester(m);

	while (m->n_reads < 4)
		memory(m, 0, MRD, m->requesters[who], buffer(m, who, 512), 32 + 32 * below(m, 4));
	complete(m);
}

static void config(struct maker *m)
{
	uint16_t tag = m->tag++ & m->tag_mask;

	if (chance(m, 45) && complete(m))
		return;
	if (chance(m, 20)) {
		memory(m, chance(m, 50) ? FMT_DATA : 0, IORD, m->host, 0xe000 + 4 * below(m, 16), 1);
		return;
	}
	head(m, chance(m, 30) ? FMT_DATA : 0, chance(m, 50) ? CFG0 : CFG1, 1, tag);
	request(m, m->host, tag, 0xf);
	m->header[2] = (uint32_t)m->requesters[any_requester(m)] << 16 | below(m, 0x400) << 2;
	m->header[3] = 0;
	if (m->n_reads < READS_MAX)
		m->reads[m->n_reads++] = (struct reading){m->host, tag, 4, 0};
}

static void messages(struct maker *m)
{
	static const struct {
		uint8_t fmt, route, code;
	} some[] = {{1, 4, 0x20}, {1, 4, 0x24}, {1, 0, 0x18}, {1, 3, 0x19}, {1, 0, 0x30},
		    {1, 0, 0x31}, {1, 4, 0x14}, {3, 4, 0x50}, {3, 2, 0x7e}, {1, 2, 0x7f}};
	unsigned i = below(m, sizeof(some) / sizeof(some[0]));

	head(m, some[i].fmt, MSG | some[i].route, some[i].fmt & FMT_DATA ? 1 + below(m, 4) : 0, 0);
	request(m, m->requesters[any_requester(m)], 0, some[i].code);
	m->header[2] = some[i].route == 2 ? (uint32_t)m->host << 16 | 0x19e5 : 0;
	m->header[3] = some[i].code >= 0x7e ? traffic_random(&m->r) : 0;
}

static void atomics(struct maker *m)
{
	unsigned who = any_requester(m), type = FETCH_ADD + below(m, 3);

	if (chance(m, 40) && complete(m))
		return;
	memory(m, FMT_DATA, type, m->requesters[who], buffer(m, who, 32) & ~31ull,
	       (type == CAS ? 2u : 1u) << below(m, 2));
}

static void tags10(struct maker *m)
{
	m->tag_mask = 0x3ff;
	m->tag += (uint16_t)below(m, 3);
	nvme(m);
}

/* Hints stand where byte enables and low address bits were (PCIe 5.0 2.2.7.1). */
static void hints(struct maker *m)
{
	nic(m);
	if (chance(m, 30))
		return;
	m->header[0] |= 1u << 16;
	m->header[1] = (m->header[1] & ~0xffu) | below(m, 256);
	m->header[m->header[0] >> 29 & FMT_4DW ? 3 : 2] |= below(m, 4);
}

static void all_64(struct maker *m)
{
	unsigned who = any_requester(m);

	m->buffers[who] |= 0x4000000000;
	memory(m, chance(m, 50) ? FMT_DATA : 0, MRD, m->requesters[who], buffer(m, who, 256), 64);
}

static void all_32(struct maker *m)
{
	unsigned who = any_requester(m);

	memory(m, chance(m, 50) ? FMT_DATA : 0, MRD, m->requesters[who], (uint32_t)buffer(m, who, 256), 64);
}

static void constant(struct maker *m)
{
	if (!m->same[1]) {
		nic(m);
		memcpy(m->same, m->header, sizeof(m->same));
	}
	memcpy(m->header, m->same, sizeof(m->same));
}

static void scattered(struct maker *m)
{
	uint64_t address = (uint64_t)traffic_random(&m->r) << 32 | traffic_random(&m->r);

	m->tag = (uint16_t)traffic_random(&m->r);
	memory(m, chance(m, 50) ? FMT_DATA : 0, MRD, (uint16_t)traffic_random(&m->r),
	       chance(m, 80) ? address : address >> 32, below(m, 1024));
}

/* Both ways through the port, as direction 2 and 3 of the 4DW format trace. */
static void both_ways(struct maker *m)
{
	if (chance(m, 40) && complete(m))
		return;
	if (chance(m, 50))
		memory(m, chance(m, 50) ? FMT_DATA : 0, MRD, m->host, 0xc0000000 + 4 * below(m, 4096), 1);
	else
		nic(m);
}

/* The fourth word of a short header is undocumented: here it is stale data. */
static void stale_word(struct maker *m)
{
	nvme(m);
	if (m->header[0] >> 29 & FMT_4DW)
		m->stale = m->header[3];
	else
		m->header[3] = m->stale;
}

/* One traffic, then another, on and on. */
static void phases(struct maker *m)
{
	static void (*const all[])(struct maker *) = {nvme, messages, config, nic, atomics, p2p, hints, completions};

	all[m->time >> 12 & 7](m);
}

/* ---- what PCIe 5.0 does not define ---- */

/* Another type of the same format: one of a few, or of many. */
static void undefine(struct maker *m, bool many)
{
	static const uint8_t types[] = {0x1a, 0x18, 0x1d, 0x06, 0x1f, 0x09, 0x19, 0x0f};

	m->header[0] = (m->header[0] & 0xe0ffffff) | (uint32_t)types[many ? below(m, 8) : 0] << 24;
}

static void undefined_few(struct maker *m)
{
	nic(m);
	if (chance(m, 2))
		undefine(m, true);
}

static void undefined_bursts(struct maker *m)
{
	nvme(m);
	if (!m->burst && chance(m, 1))
		m->burst = 1 + below(m, 40);
	if (m->burst) {
		m->burst--;
		undefine(m, false);
	}
}

static void undefined_half(struct maker *m)
{
	nic(m);
	if (chance(m, 50))
		undefine(m, true);
}

static void undefined_only(struct maker *m)
{
	nic(m);
	undefine(m, false);
}

static void undefined_many(struct maker *m)
{
	nic(m);
	undefine(m, true);
}

/* Nothing is known of them but that they are single. */
static void opaque(struct maker *m)
{
	nic(m);
	if (!chance(m, 1))
		return;
	for (unsigned i = 1; i < 4; i++)
		m->header[i] = traffic_random(&m->r);
	undefine(m, true);
}

/* Defined kinds that break the rules: malformed TLPs are traced, too. */
static void malformed(struct maker *m)
{
	nvme(m);
	if (!chance(m, 5))
		return;
	switch (below(m, 3)) {
	case 0:
		m->header[1] ^= 0xf0;
		break;
	case 1:
		m->header[2] |= 3;
		m->header[3] |= 3;
		break;
	default:
		m->header[0] = (m->header[0] & ~0x3ffu) | 1;
	}
}

static const struct {
	const char *name;
	void (*next)(struct maker *);
} profiles[] = {
	{"nvme", nvme},
	{"nic", nic},
	{"p2p", p2p},
	{"completions", completions},
	{"config and io", config},
	{"messages", messages},
	{"atomics", atomics},
	{"10-bit tags", tags10},
	{"hints", hints},
	{"64-bit", all_64},
	{"32-bit", all_32},
	{"constant", constant},
	{"scattered", scattered},
	{"both ways", both_ways},
	{"stale word", stale_word},
	{"phases", phases},
	{"undefined, few", undefined_few},
	{"undefined, bursts", undefined_bursts},
	{"undefined, half", undefined_half},
	{"undefined, only", undefined_only},
	{"undefined, many", undefined_many},
	{"opaque", opaque},
	{"malformed", malformed},
};

const char *traffic_profile_name(unsigned profile)
{
	return profile < ARRAY_SIZE(profiles) ? profiles[profile].name : NULL;
}

/* ---- records ---- */

static uint32_t pause_after(struct maker *m)
{
	switch (m->pace) {
	case DENSE:
		return 1 + below(m, 8);
	case MEDIUM:
		return below(m, 200);
	case BURSTS:
		return chance(m, 95) ? 1 + below(m, 4) : below(m, 100000);
	default:
		return traffic_random(&m->r) & 0xfffff;
	}
}

static void put(struct traffic *t, uint32_t v, uint8_t size, uint8_t byte)
{
	for (uint8_t i = 0; i < 4; i++) {
		if (t->n == t->room)
			abort();
		t->origin[t->n] = (struct traffic_origin){t->records, (uint8_t)(byte + i), size};
		t->bytes[t->n++] = (uint8_t)(v >> 8 * i);
	}
}

/* The bits of header DW0 in a record: docs/hardware-notes.md, "Records". */
static uint32_t first_of_4dw(uint32_t h, uint32_t time)
{
	return (h >> 29 & 3) << 30 | (h >> 24 & 0x1f) << 25 | (h >> 23 & 1) << 24 | (h >> 19 & 1) << 23 |
	       (h >> 16 & 1) << 22 | (h >> 13 & 1) << 21 | (h & 0x3ff) << 11 | (time & 0x7ff);
}

static void put_record(struct traffic *t, const struct maker *m, uint8_t size)
{
	uint32_t words[8] = {0xffffffff, m->prefix, m->header[0], m->header[1], m->header[2], m->header[3], 0, m->time};

	t->records++;
	if (size == 16) {
		memcpy(words, m->header, 16);
		words[0] = first_of_4dw(m->header[0], m->time);
	}
	for (uint8_t i = 0; i < size / 4; i++)
		put(t, words[i], size, 4 * i);
}

static void settle(struct maker *m, uint64_t seed)
{
	m->r.state = seed;
	m->n_requesters = 1 + below(m, REQUESTERS_MAX);
	m->host = (uint16_t)(below(m, 4) << 3);
	m->completer = (uint16_t)(below(m, 2) << 8);
	for (unsigned i = 0; i < REQUESTERS_MAX; i++) {
		m->requesters[i] = (uint16_t)((1 + below(m, 130)) << 8 | below(m, 4) << 3 | below(m, 8));
		m->buffers[i] = (uint64_t)below(m, 0x80) << 32 | (traffic_random(&m->r) & ~0xfffu);
	}
	m->tag_mask = chance(m, 50) ? 0xff : 0x1f;
	m->pace = below(m, PACES);
	m->time = traffic_random(&m->r);
}

void traffic_make(struct traffic *t, unsigned profile, size_t size, unsigned records, uint64_t seed)
{
	struct maker m = {0};

	settle(&m, seed);
	for (unsigned i = 0; i < records; i++) {
		profiles[profile].next(&m);
		m.prefix = size == 32 && chance(&m, 10) ? 0x91000000 | below(&m, 1 << 20) : 0;
		m.time += pause_after(&m);
		put_record(t, &m, (uint8_t)size);
	}
}

void traffic_take(struct traffic *t, const void *bytes, size_t n, size_t size)
{
	const uint8_t *p = bytes;

	n -= n % size;
	if (n > t->room - t->n)
		abort();
	for (size_t i = 0; i < n; i++) {
		t->records += i % size == 0;
		t->origin[t->n] = (struct traffic_origin){t->records, (uint8_t)(i % size), (uint8_t)size};
		t->bytes[t->n++] = p[i];
	}
}
