/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches a chunk of a trace by itself: the loop that runs on every record. The kind of the next record, and whether it
 * is the last of its request, are unpredictable; so the loop has few branches on them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"
#include "framework/analysis/match_internal.h"

#define REQUEST	 0x8000	    /* in list[], beside the number of the record */
#define ANY_SIZE (1u << 16) /* more than any byte count */

/* Properties of a kind for the loops, indexed by code: made from pv_kind_lut_table. */
struct rule {
	uint16_t is_listed, request;
	uint16_t dw_bytes, fixed_bytes; /* asked for: for each DW of Length, and without regard to it */
	uint16_t enables_mask;		/* all ones: bytes that are not enabled are not asked for */
	uint32_t data_mask, no_data;	/* all ones, and 0; or 0, and ANY_SIZE */
};
static struct rule rules[256];

/* Bytes at either end that are not enabled (PCIe 5.0 table 2-39): of longer requests, and of those of 1 DW. */
static uint8_t not_enabled[2][256];

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* From the first enabled byte to the last; none enabled is one byte. */
static unsigned enabled_in_one(unsigned first_be)
{
	if (!first_be)
		return 1;
	return 32 - (unsigned)__builtin_clz(first_be) - (unsigned)__builtin_ctz(first_be);
}

static void fill_enables(void)
{
	for (unsigned be = 0; be < 256; be++) {
		unsigned first = be & 0xf, last = be >> 4;
		int lead = first ? __builtin_ctz(first) : 4, tail = last ? __builtin_clz(last) - 28 : 4;

		not_enabled[0][be] = (uint8_t)(lead + tail);
		not_enabled[1][be] = (uint8_t)(4 - enabled_in_one(first));
	}
}

/*
 * Bytes that must come back (PCIe 5.0 2.2.9): the operand of an atomic; 4 of a configuration or I/O read, whatever
 * its byte enables; of a memory read, the enabled ones, or all where the byte enables are a steering tag (2.2.5).
 */
static struct rule rule_of(const struct pv_kind_lut_kind *k)
{
	bool is_memory_read = k->is_read && k->kind <= PV_TLP_MRDLK64;
	bool is_cas = k->kind == PV_TLP_CAS32 || k->kind == PV_TLP_CAS64;
	bool is_request = k->cls == PV_CLASS_NONPOSTED;

	return (struct rule){
		.is_listed = is_request || k->cls == PV_CLASS_COMPLETION,
		.request = is_request ? REQUEST : 0,
		.dw_bytes = is_cas						? 2
			    : is_memory_read || pv_tlp_kinds[k->kind].is_atomic ? 4
										: 0,
		.fixed_bytes = k->is_read && !is_memory_read ? 4 : 0,
		.enables_mask = is_memory_read ? UINT16_MAX : 0,
		.data_mask = k->has_data ? UINT32_MAX : 0,
		.no_data = k->has_data ? 0 : ANY_SIZE,
	};
}

static void fill(void)
{
	pv_kind_lut_init();
	fill_enables();
	for (unsigned i = 0; i < 256; i++)
		rules[i] = rule_of(&pv_kind_lut_table[i]);
}

struct pv_match_chunk *pv_match_chunk_new(void)
{
	pthread_once(&once, fill);
	return calloc(1, sizeof(struct pv_match_chunk));
}

void pv_match_chunk_free(struct pv_match_chunk *p)
{
	free(p);
}

static inline uint32_t key_of(uint32_t requester_and_tag, uint32_t tag_high)
{
	return (requester_and_tag >> 16) << 10 | tag_high | (requester_and_tag >> 8 & 0xff);
}

/*
 * The place of a name, or the free one where it belongs: what another piece wrote is free. Tags of a requester are
 * neighbours, and requesters far apart.
 */
static inline size_t find(const struct pv_match_chunk *p, uint64_t name)
{
	size_t i = ((uint32_t)name + ((uint32_t)name >> 10) * 0x9e3779b1u) % PV_MATCH_TABLE;

	while (p->table[i].name != name && p->table[i].name >> 32 == name >> 32)
		i = (i + 1) % PV_MATCH_TABLE;
	return i;
}

static inline __attribute__((always_inline)) void meet_request(struct pv_match_chunk *p, const struct pv_words *w,
							       uint64_t time, struct pv_match_sums *s)
{
	const struct rule *r = &rules[w->code];
	unsigned off = not_enabled[w->length == 1][w->th ? 0xff : w->dw1 & 0xff] & r->enables_mask;
	unsigned asked = r->dw_bytes * w->length + r->fixed_bytes - off;
	uint64_t name = p->epoch | key_of(w->dw1, w->tag_high);
	size_t place = find(p, name);
	struct pv_match_entry *e = &p->table[place];

	if (e->name != name)
		p->touched[p->n_touched++] = (uint16_t)place;
	else
		s->tag_reused += e->state / PV_MATCH_OPEN;
	s->asked_bytes += asked;
	*e = (struct pv_match_entry){time, name, asked | PV_MATCH_OPEN};
}

/* Returns 1 if *answer says how a request was answered, or 0. */
static inline __attribute__((always_inline)) uint64_t meet_completion(struct pv_match_chunk *p,
								      const struct pv_words *w, uint64_t time,
								      struct pv_match_answer *answer,
								      struct pv_match_sums *s)
{
	const struct rule *r = &rules[w->code];
	uint32_t left = ((w->dw1 - 1) & 0xfff) + 1, room = 4 * w->length - (w->dw2 & 3), status = w->dw1 >> 13 & 7;
	struct pv_match_completion c = {
		.time = time,
		.key = key_of(w->dw2, w->tag_high),
		.bytes = (uint16_t)((left < room ? left : room) & r->data_mask),
		.status = (uint8_t)status,
		.is_last = left <= (room | r->no_data | status * ANY_SIZE),
	};
	uint64_t name = p->epoch | c.key;
	size_t place = find(p, name);

	s->status[status]++;
	if (p->table[place].name == name)
		return pv_match_complete(&p->table[place], &c, answer, s);
	p->early[p->n_early++] = c;
	return 0;
}

/* The requests and completions among n records; returns how many. */
static inline __attribute__((always_inline)) size_t fill_list(uint16_t *list, bool is_8dw, const uint8_t *data,
							      size_t n)
{
	size_t listed = 0;

	for (size_t i = 0; i < n; i++) {
		const struct rule *r = &rules[is_8dw ? pv_le32(data + 32 * i + 8) >> 24 : pv_le32(data + 16 * i) >> 25];

		list[listed] = (uint16_t)(i | r->request);
		listed += r->is_listed;
	}
	return listed;
}

/* n <= PV_MATCH_AT_ONCE */
static inline __attribute__((always_inline)) void run(struct pv_match_chunk *p, bool is_8dw, const uint8_t *data,
						      size_t n, const uint64_t *time, struct pv_match_sums *s,
						      struct pv_timeline *t)
{
	size_t listed = fill_list(p->list, is_8dw, data, n), requests = 0, answered = 0;

	for (size_t i = 0; i < listed; i++) {
		size_t record = p->list[i] % REQUEST;
		struct pv_words w = pv_words(is_8dw, data + record * (is_8dw ? 32 : 16));

		if (p->list[i] & REQUEST) {
			requests++;
			meet_request(p, &w, time[record], s);
		} else {
			answered += meet_completion(p, &w, time[record], &p->answers[answered], s);
		}
	}
	s->requests += requests;
	s->completions += listed - requests;
	pv_match_answered(p->answers, answered, s, t);
}

void pv_match_chunk_run(struct pv_match_chunk *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t)
{
	p->n_touched = p->n_early = 0;
	p->epoch += PV_MATCH_EPOCH;
	if (!p->epoch) { /* all places were written by another piece: once in 2^32 */
		memset(p->table, 0, sizeof(p->table));
		p->epoch = PV_MATCH_EPOCH;
	}
	for (size_t i = 0; i < n; i += PV_MATCH_AT_ONCE) {
		size_t some = n - i < PV_MATCH_AT_ONCE ? n - i : PV_MATCH_AT_ONCE;

		if (f == PV_RECORD_8DW)
			run(p, true, data + 32 * i, some, time + i, sums, t);
		else
			run(p, false, data + 16 * i, some, time + i, sums, t);
	}
}
