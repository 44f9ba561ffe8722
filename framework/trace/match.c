/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests and their completions: see match.h. Tables with a fixed number of places, no allocation for a record. */
#include "framework/trace/match.h"

#include <stdlib.h>
#include <string.h>

#include "framework/trace/words.h"
#include "framework/util/cleanup.h"

#define TABLE  (2 * PV_MATCH_PIECE) /* power of two */
#define TAGS   1024
#define NO_KEY UINT32_MAX

struct entry {
	uint64_t begin;
	uint32_t epoch; /* of the piece that wrote it; in the whole: 1 where the request is open */
	uint32_t key;	/* requester << 10 | tag */
	uint16_t asked, got, completions;
	bool open, read;
};

/* A completion, as far as matching needs it. */
struct completion {
	uint64_t time;
	uint32_t key;
	uint16_t bytes; /* of data in it */
	uint8_t status;
	bool last;
};

struct pv_match_piece {
	uint32_t epoch;
	size_t n_touched, n_early;
	uint16_t touched[PV_MATCH_PIECE];	 /* places of table[] that this piece has written */
	struct completion early[PV_MATCH_PIECE]; /* completions of requests before this piece */
	struct entry table[TABLE];
};

struct pv_match {
	uint16_t slot[1 << 16]; /* of a requester, from 1 */
	unsigned n_slots;
	struct entry *entries[PV_MATCH_REQUESTERS];
};

/* ---- the latency histogram ---- */

unsigned pv_match_bucket(uint64_t v)
{
	unsigned top;

	if (v < 16)
		return (unsigned)v;
	top = 63 - (unsigned)__builtin_clzll(v);
	return 16 + (top - 4) * 8 + (unsigned)(v >> (top - 3) & 7);
}

uint64_t pv_match_bucket_start(unsigned b)
{
	return b < 16 ? b : (uint64_t)(8 + (b - 16) % 8) << ((b - 16) / 8 + 1);
}

uint64_t pv_match_quantile(const struct pv_match_sums *s, double q)
{
	uint64_t rank = (uint64_t)(q * (double)s->answered), seen = 0;

	for (unsigned b = 0; b < PV_MATCH_BUCKETS; b++) {
		seen += s->latency[b];
		if (seen > rank)
			return pv_match_bucket_start(b);
	}
	return s->latency_max;
}

void pv_match_sums_merge(struct pv_match_sums *s, const struct pv_match_sums *from)
{
	uint64_t *to = (uint64_t *)s;
	const uint64_t *f = (const uint64_t *)from;
	uint64_t min = s->latency_min, max = s->latency_max;

	if (from->answered && (!s->answered || from->latency_min < min))
		min = from->latency_min;
	if (from->latency_max > max)
		max = from->latency_max;
	for (size_t i = 0; i < sizeof(*s) / sizeof(*to); i++)
		to[i] += f[i];
	s->latency_min = min;
	s->latency_max = max;
}

_Static_assert(sizeof(struct pv_match_sums) % sizeof(uint64_t) == 0, "all members are 64 bits wide");

/* ---- one request and one completion ---- */

static void answered(const struct entry *e, const struct completion *c, struct pv_match_sums *s, struct pv_timeline *t)
{
	uint64_t latency = c->time - e->begin;

	if (!s->answered || latency < s->latency_min)
		s->latency_min = latency;
	if (latency > s->latency_max)
		s->latency_max = latency;
	s->answered++;
	s->latency_sum += latency;
	s->latency[pv_match_bucket(latency)]++;
	s->pieces[e->completions <= 2 ? e->completions - 1 : e->completions <= 4 ? 2 : e->completions <= 8 ? 3 : 4]++;
	s->wrong_size += !c->status && e->got != e->asked;
	pv_timeline_interval(t, e->begin, c->time);
}

static void complete(struct entry *e, const struct completion *c, struct pv_match_sums *s, struct pv_timeline *t)
{
	if (!e->open) {
		s->unmatched++;
		return;
	}
	e->got = (uint16_t)(e->got + c->bytes);
	e->completions++;
	s->returned_bytes += c->bytes;
	if (c->last || e->completions == UINT16_MAX) {
		answered(e, c, s, t);
		e->open = false;
	}
}

/* Bytes of `n` DWs without those whose byte enables are off at either end (PCIe 5.0 table 2-39). */
static unsigned enabled_bytes(unsigned dw, unsigned first_be, unsigned last_be)
{
	unsigned lead, tail;

	if (dw == 1) {
		if (!first_be)
			return 1;
		return 32 - (unsigned)__builtin_clz(first_be) - (unsigned)__builtin_ctz(first_be);
	}
	lead = first_be ? (unsigned)__builtin_ctz(first_be) : 4;
	tail = last_be ? (unsigned)__builtin_clz(last_be) - 28 : 4;
	return 4 * dw - lead - tail;
}

/*
 * Bytes that must come back (PCIe 5.0 2.2.9): the operand of an atomic; 4 of a configuration or I/O read, whatever
 * its byte enables; of a memory read, the enabled ones, or all where the byte enables are a steering tag (2.2.5).
 */
static inline unsigned asked_bytes(const struct pv_words *w)
{
	unsigned kind = pv_words_table[w->code].kind;

	if (kind <= PV_TLP_MRDLK64)
		return w->th ? 4 * w->length : enabled_bytes(w->length, w->dw1 & 0xf, w->dw1 >> 4 & 0xf);
	if (pv_tlp_kinds[kind].is_atomic)
		return kind == PV_TLP_CAS32 || kind == PV_TLP_CAS64 ? 2 * w->length : 4 * w->length;
	return pv_words_table[w->code].is_read ? 4 : 0;
}

/* ---- a piece ---- */

struct pv_match_piece *pv_match_piece_new(void)
{
	return calloc(1, sizeof(struct pv_match_piece));
}

void pv_match_piece_free(struct pv_match_piece *p)
{
	free(p);
}

/* The place of a key, or the free one where it belongs: what another piece wrote is free. */
static struct entry *find(struct pv_match_piece *p, uint32_t key)
{
	uint32_t i = key * 0x9e3779b1u >> 17;

	while (p->table[i].epoch == p->epoch && p->table[i].key != key)
		i = (i + 1) % TABLE;
	return &p->table[i];
}

static void piece_request(struct pv_match_piece *p, uint32_t key, uint64_t time, unsigned asked,
			  struct pv_match_sums *s)
{
	struct entry *e = find(p, key);

	if (e->epoch != p->epoch)
		p->touched[p->n_touched++] = (uint16_t)(e - p->table);
	else
		s->tag_reused += e->open;
	s->requests++;
	s->asked_bytes += asked;
	*e = (struct entry){.begin = time, .epoch = p->epoch, .key = key, .asked = (uint16_t)asked, .open = true};
}

static void piece_completion(struct pv_match_piece *p, const struct completion *c, struct pv_match_sums *s,
			     struct pv_timeline *t)
{
	struct entry *e = find(p, c->key);

	s->completions++;
	s->status[c->status]++;
	if (e->epoch == p->epoch)
		complete(e, c, s, t);
	else
		p->early[p->n_early++] = *c;
}

static inline __attribute__((always_inline)) void run(struct pv_match_piece *p, bool is_8dw, const uint8_t *data,
						      size_t n, const uint64_t *time, struct pv_match_sums *s,
						      struct pv_timeline *t)
{
	for (size_t i = 0; i < n; i++, data += is_8dw ? 32 : 16) {
		struct pv_words w = pv_words(is_8dw, data);
		enum pv_tlp_class cls = (enum pv_tlp_class)pv_words_table[w.code].cls;

		if (cls == PV_CLASS_NONPOSTED) {
			piece_request(p, (w.dw1 >> 16) << 10 | w.tag_high | (w.dw1 >> 8 & 0xff), time[i],
				      asked_bytes(&w), s);
		} else if (cls == PV_CLASS_COMPLETION) {
			struct completion c = {time[i], (w.dw2 >> 16) << 10 | w.tag_high | (w.dw2 >> 8 & 0xff), 0,
					       w.dw1 >> 13 & 7, true};

			if (pv_words_table[w.code].has_data) {
				unsigned left = w.dw1 & 0xfff ? w.dw1 & 0xfff : 4096;
				unsigned room = 4 * w.length - (w.dw2 & 3);

				c.bytes = (uint16_t)(left < room ? left : room);
				c.last = left <= room || c.status;
			}
			piece_completion(p, &c, s, t);
		}
	}
}

void pv_match_piece_run(struct pv_match_piece *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t)
{
	p->n_touched = p->n_early = 0;
	if (!++p->epoch) { /* all places were written by another piece: once in 2^32 */
		memset(p->table, 0, sizeof(p->table));
		p->epoch = 1;
	}
	if (f == PV_RECORD_8DW)
		run(p, true, data, n, time, sums, t);
	else
		run(p, false, data, n, time, sums, t);
}

/* ---- the whole ---- */

struct pv_match *pv_match_new(void)
{
	return calloc(1, sizeof(struct pv_match));
}

void pv_match_free(struct pv_match *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_slots; i++)
		free(m->entries[i]);
	free(m);
}

/* NULL: the requester was never seen (or, with `make`, there is no more room). */
static struct entry *whole_entry(struct pv_match *m, uint32_t key, bool make)
{
	uint16_t *slot = &m->slot[key >> 10];

	if (!*slot) {
		if (!make || m->n_slots == PV_MATCH_REQUESTERS)
			return NULL;
		m->entries[m->n_slots] = calloc(TAGS, sizeof(struct entry));
		if (!m->entries[m->n_slots])
			return NULL;
		*slot = (uint16_t)++m->n_slots;
	}
	return &m->entries[*slot - 1][key % TAGS];
}

void pv_match_join(struct pv_match *m, const struct pv_match_piece *p, struct pv_match_sums *sums,
		   struct pv_timeline *t)
{
	static const struct entry closed;

	for (size_t i = 0; i < p->n_early; i++) {
		struct entry none = closed, *e = whole_entry(m, p->early[i].key, false);

		complete(e ? e : &none, &p->early[i], sums, t);
	}
	for (size_t i = 0; i < p->n_touched; i++) {
		const struct entry *mine = &p->table[p->touched[i]];
		struct entry *e = whole_entry(m, mine->key, mine->open);

		if (e) {
			sums->tag_reused += e->open;
			*e = *mine;
		} else {
			sums->not_followed += mine->open;
		}
	}
}

void pv_match_end(struct pv_match *m, struct pv_match_sums *sums)
{
	for (unsigned s = 0; s < m->n_slots; s++)
		for (unsigned i = 0; i < TAGS; i++) {
			sums->unanswered += m->entries[s][i].open;
			m->entries[s][i].open = false;
		}
}
