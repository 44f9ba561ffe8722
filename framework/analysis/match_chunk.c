/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requests and completions of one piece, in a loop over all records: see match.h. Nothing is allocated per record.
 */
#include "framework/analysis/match_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"

#define OTHERS UINT32_MAX

/* The loop has few branches on the kind of a record and on the last completion of a request: both are unpredictable. */

#define REQUEST	 0x8000	    /* flag in list[], beside the index of the record */
#define ANY_SIZE (1u << 16) /* larger than any byte count */

/* Properties of a kind for the loop, indexed by code; made from pv_kind_lut_table. */
struct rule {
	uint16_t is_listed, request;
	uint16_t dw_bytes, fixed_bytes; /* requested bytes: per DW of Length, and independent of Length */
	uint16_t enables_mask;		/* all ones: disabled bytes are not requested */
	uint32_t data_mask, no_data;	/* with data: all ones, and 0; without: 0, and ANY_SIZE */
};
static struct rule rules[256];

/*
 * Number of disabled bytes in the first and last DW, by byte enables (PCIe 5.0 table 2-39): [0] longer requests, [1]
 * requests of 1 DW.
 */
static uint8_t not_enabled[2][256];

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Counts bytes from the first to the last enabled one; no enabled byte counts as one. */
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
 * Returns the rule for the bytes that must come back (PCIe 5.0 2.2.9). Atomic: its operand. Configuration or I/O read:
 * 4, whatever the byte enables. Memory read: the enabled bytes, or all of them if the byte enables are a steering tag
 * (2.2.5).
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

void pv_match_chunk_latencies(struct pv_match_chunk *p, struct pv_latencies *l)
{
	p->latencies = l;
}

void pv_match_chunk_free(struct pv_match_chunk *p)
{
	free(p);
}

/* Returns the place of a key of a requester without a slot. */
static __attribute__((noinline, cold)) size_t find_other(struct pv_match_chunk *p, uint32_t key)
{
	size_t i = (key + (key >> 10) * 0x9e3779b1u) % PV_MATCH_HASHED;

	while (p->table[PV_MATCH_SLOTS * PV_MATCH_TAGS + i].state && p->keys[i] != key)
		i = (i + 1) % PV_MATCH_HASHED;
	p->keys[i] = key;
	return PV_MATCH_SLOTS * PV_MATCH_TAGS + i;
}

/* Returns the place of a key whose requester has no slot yet, or gets none. */
static __attribute__((noinline, cold)) uint32_t find_rare(struct pv_match_chunk *p, uint32_t key)
{
	uint32_t *base = &p->base[key >> 10];

	if (!*base && p->n_slots < PV_MATCH_SLOTS) {
		p->requester[p->n_slots] = (uint16_t)(key >> 10);
		*base = p->n_slots++ * PV_MATCH_TAGS + 1;
		return *base - 1 + key % PV_MATCH_TAGS;
	}
	*base = OTHERS;
	return find_other(p, key);
}

static inline uint32_t key_of(uint32_t requester_and_tag, uint32_t tag_high)
{
	return (requester_and_tag >> 16) << 10 | tag_high | (requester_and_tag >> 8 & 0xff);
}

/* Returns the place of a request. Tags of one requester have adjacent places. */
static inline uint32_t find(struct pv_match_chunk *p, uint32_t requester_and_tag, uint32_t tag_high)
{
	uint32_t base = p->base[requester_and_tag >> 16] - 1; /* not met yet: the largest number */

	if (__builtin_expect(base >= PV_MATCH_SLOTS * PV_MATCH_TAGS, 0))
		return find_rare(p, key_of(requester_and_tag, tag_high));
	return base + (tag_high | (requester_and_tag >> 8 & 0xff));
}

static __attribute__((noinline)) void add_event(struct pv_match_chunk *p, uint32_t place,
						const struct pv_match_event *v)
{
	struct pv_match_event *e = &p->events[p->n_events++];

	*e = *v;
	e->peak = p->peak[place / PV_MATCH_TAGS];
	p->peak[place / PV_MATCH_TAGS] = p->now[place / PV_MATCH_TAGS];
}

/* Sums of a step, in registers. */
struct step_sums {
	uint64_t asked_bytes, returned_bytes, tag_reused, unmatched;
};

static inline __attribute__((always_inline)) void meet_request(struct pv_match_chunk *p, const struct pv_words *w,
							       uint64_t time, struct step_sums *s)
{
	const struct rule *r = &rules[w->code];
	unsigned off = not_enabled[w->length == 1][w->th ? 0xff : w->dw1 & 0xff] & r->enables_mask;
	unsigned asked = r->dw_bytes * w->length + r->fixed_bytes - off, now;
	uint32_t place = find(p, w->dw1, w->tag_high);
	struct pv_match_entry *e = &p->table[place];
	uint64_t was_open = e->state / PV_MATCH_OPEN;

	if (__builtin_expect(!e->state, 0))
		add_event(p, place, &(struct pv_match_event){{.key = key_of(w->dw1, w->tag_high)}, place, 0});
	s->tag_reused += was_open;
	s->asked_bytes += asked;
	now = p->now[place / PV_MATCH_TAGS] + !was_open;
	p->now[place / PV_MATCH_TAGS] = (uint16_t)now;
	p->peak[place / PV_MATCH_TAGS] =
		(uint16_t)(now > p->peak[place / PV_MATCH_TAGS] ? now : p->peak[place / PV_MATCH_TAGS]);
	*e = (struct pv_match_entry){time, asked | PV_MATCH_OPEN};
}

/* Returns 1 if *answer is an answered request, or 0. */
static inline __attribute__((always_inline)) uint64_t meet_completion(struct pv_match_chunk *p,
								      const struct pv_words *w, uint64_t time,
								      struct pv_match_answer *answer,
								      struct step_sums *s)
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
	uint32_t place = find(p, w->dw2, w->tag_high);
	uint64_t done;

	if (__builtin_expect(!p->table[place].state, 0)) {
		add_event(p, place, &(struct pv_match_event){c, PV_MATCH_NO_PLACE, 0});
		return 0;
	}
	done = pv_match_complete(&p->table[place], &c, answer, &s->unmatched, &s->returned_bytes);
	p->now[place / PV_MATCH_TAGS] = (uint16_t)(p->now[place / PV_MATCH_TAGS] - done);
	return done;
}

/* Lists the requests and completions among n records. Returns their number. */
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

/* Matches n <= PV_MATCH_AT_ONCE records. */
static inline __attribute__((always_inline)) void run(struct pv_match_chunk *p, bool is_8dw, const uint8_t *data,
						      size_t n, const uint64_t *time, struct pv_match_sums *s,
						      struct pv_timeline *t)
{
	size_t listed = fill_list(p->list, is_8dw, data, n), requests = 0, answered = 0;
	struct step_sums sums = {0};

	for (size_t i = 0; i < listed; i++) {
		size_t record = p->list[i] % REQUEST;
		struct pv_words w = pv_words(is_8dw, data + record * (is_8dw ? 32 : 16));

		if (p->list[i] & REQUEST) {
			requests++;
			meet_request(p, &w, time[record], &sums);
		} else {
			s->status[w.dw1 >> 13 & 7]++;
			answered += meet_completion(p, &w, time[record], &p->answers[answered], &sums);
		}
	}
	s->requests += requests;
	s->completions += listed - requests;
	s->asked_bytes += sums.asked_bytes;
	s->returned_bytes += sums.returned_bytes;
	s->tag_reused += sums.tag_reused;
	s->unmatched += sums.unmatched;
	pv_match_add_answers(p->answers, answered, s, t, p->latencies);
}

void pv_match_chunk_run(struct pv_match_chunk *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].place != PV_MATCH_NO_PLACE)
			p->table[p->events[i].place].state = 0;
	p->n_events = 0;
	memset(p->now, 0, sizeof(p->now));
	memset(p->peak, 0, sizeof(p->peak));
	for (size_t i = 0; i < n; i += PV_MATCH_AT_ONCE) {
		size_t some = n - i < PV_MATCH_AT_ONCE ? n - i : PV_MATCH_AT_ONCE;

		if (f == PV_RECORD_8DW)
			run(p, true, data + 32 * i, some, time + i, sums, t);
		else
			run(p, false, data + 16 * i, some, time + i, sums, t);
	}
}
