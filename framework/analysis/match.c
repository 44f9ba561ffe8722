/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and their completions: see match.h. A chunk matches one piece by itself, in a loop over all records; the
 * whole joins the pieces. Tables have a fixed size; nothing is allocated per record.
 */
#include "framework/analysis/match.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/kind_lut.h"

/*
 * State of a request in one word, so that one addition counts a completion. The last completion closes the request, and
 * so does a count that reaches the maximum of PARTS.
 */
#define ASKED	  ((uint64_t)0x1fff)	      /* requested bytes */
#define BACK	  ((uint64_t)0xfffffff << 16) /* returned bytes */
#define BACK_ONE  ((uint64_t)1 << 16)
#define PARTS	  ((uint64_t)0xffff << 44) /* number of completions */
#define PARTS_ONE ((uint64_t)1 << 44)
#define OPEN	  ((uint64_t)1 << 60)

#define STATUS 61 /* in answers: shift of the Completion Status */

/* A request. State 0: none was written, in this piece, or ever. */
struct entry {
	uint64_t begin;
	uint64_t state; /* ASKED, BACK, PARTS and OPEN */
};

/* The fields of a completion that matching needs. */
struct completion {
	uint64_t time;
	uint32_t key;	/* requester << 10 | tag */
	uint16_t bytes; /* bytes of data in this completion */
	uint8_t status;
	bool is_last;
};

/* An event that depends on earlier pieces: the first request of a tag, or a completion before it. */
struct event {
	struct completion c; /* of a request: only the key */
	uint32_t place;	     /* of the request in table[]; NO_PLACE: a completion */
	uint16_t peak;	     /* most requests of this piece that the requester had open since its last event */
};

/* A request and its last completion. */
struct answer {
	uint64_t begin, end, state; /* state with the Completion Status above it */
	uint32_t requester;
};

#define TAGS	 1024
#define SLOTS	 64		      /* requesters whose tags have a place each; the others share a hash table */
#define HASHED	 (2 * PV_MATCH_PIECE) /* power of two */
#define TABLE	 (SLOTS * TAGS + HASHED)
#define OTHERS	 UINT32_MAX
#define NO_PLACE UINT32_MAX
#define AT_ONCE	 2048 /* records per step: the intermediate results of a step fit into the cache */

struct pv_match_chunk {
	size_t n_events;
	struct pv_latencies *latencies; /* NULL: not collected */
	unsigned n_slots;
	/* By requester: the place of its tag 0 in table[] plus 1; OTHERS: it has no slot; 0: not met yet. */
	uint32_t base[1 << 16];
	uint16_t requester[SLOTS]; /* of each slot */
	/* Open requests of this piece by slot, and the most of them since its last event; behind SLOTS unused. */
	uint16_t now[TABLE / TAGS], peak[TABLE / TAGS];
	struct event events[PV_MATCH_PIECE];
	uint16_t list[AT_ONCE];
	struct answer answers[AT_ONCE];
	struct entry table[TABLE]; /* the tags of slot 0, of slot 1, ..., and the hash table */
	uint32_t keys[HASHED];
};

/* Applies a completion to the entry of its key. Returns 1 if this answered the request (see *answer), or 0. */
static inline uint64_t complete(struct entry *e, const struct completion *c, struct answer *answer, uint64_t *unmatched,
				uint64_t *returned_bytes)
{
	uint64_t open = e->state / OPEN; /* 0 or 1; no branch, since it would be unpredictable */
	uint64_t state = e->state + open * (PARTS_ONE + c->bytes * BACK_ONE);
	uint64_t done = open & (c->is_last | (state >= (OPEN | PARTS)));

	*answer = (struct answer){e->begin, c->time, state | (uint64_t)c->status << STATUS, c->key >> 10};
	e->state = state - done * OPEN;
	*unmatched += !open;
	*returned_bytes += open * c->bytes;
	return done;
}

/* ---- answers ---- */

/* Returns the class of a number of completions: 1, 2, 3-4, 5-8, more. */
static unsigned completions_class(uint64_t n)
{
	static const uint8_t classes[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};

	return classes[n < sizeof(classes) ? n : sizeof(classes) - 1];
}

/* `latencies` may be NULL. */
static void add_answers(const struct answer *answers, size_t n, struct pv_match_sums *s, struct pv_timeline *t,
			struct pv_latencies *latencies)
{
	for (size_t i = 0; i < n; i++) {
		const struct answer *a = &answers[i];
		uint64_t latency = a->end - a->begin;
		uint64_t asked = a->state & ASKED, back = (a->state & BACK) / BACK_ONE;

		if (!s->answered || latency < s->latency_min)
			s->latency_min = latency;
		if (latency > s->latency_max)
			s->latency_max = latency;
		s->answered++;
		s->latency_sum += latency;
		s->latency[pv_match_bucket(latency)]++;
		if (latencies)
			pv_latency_add(pv_latency_of(latencies, (uint16_t)a->requester), latency,
				       pv_match_bucket(latency));
		s->pieces[completions_class((a->state & PARTS) / PARTS_ONE)]++;
		s->wrong_size += !(a->state >> STATUS) && back != asked;
		pv_timeline_interval(t, a->begin, a->end);
	}
}

/* ---- a chunk ---- */

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
	size_t i = (key + (key >> 10) * 0x9e3779b1u) % HASHED;

	while (p->table[SLOTS * TAGS + i].state && p->keys[i] != key)
		i = (i + 1) % HASHED;
	p->keys[i] = key;
	return SLOTS * TAGS + i;
}

/* Returns the place of a key whose requester has no slot yet, or gets none. */
static __attribute__((noinline, cold)) uint32_t find_rare(struct pv_match_chunk *p, uint32_t key)
{
	uint32_t *base = &p->base[key >> 10];

	if (!*base && p->n_slots < SLOTS) {
		p->requester[p->n_slots] = (uint16_t)(key >> 10);
		*base = p->n_slots++ * TAGS + 1;
		return *base - 1 + key % TAGS;
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

	if (__builtin_expect(base >= SLOTS * TAGS, 0))
		return find_rare(p, key_of(requester_and_tag, tag_high));
	return base + (tag_high | (requester_and_tag >> 8 & 0xff));
}

static __attribute__((noinline)) void add_event(struct pv_match_chunk *p, uint32_t place, const struct event *v)
{
	struct event *e = &p->events[p->n_events++];

	*e = *v;
	e->peak = p->peak[place / TAGS];
	p->peak[place / TAGS] = p->now[place / TAGS];
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
	struct entry *e = &p->table[place];
	uint64_t was_open = e->state / OPEN;

	if (__builtin_expect(!e->state, 0))
		add_event(p, place, &(struct event){{.key = key_of(w->dw1, w->tag_high)}, place, 0});
	s->tag_reused += was_open;
	s->asked_bytes += asked;
	now = p->now[place / TAGS] + !was_open;
	p->now[place / TAGS] = (uint16_t)now;
	p->peak[place / TAGS] = (uint16_t)(now > p->peak[place / TAGS] ? now : p->peak[place / TAGS]);
	*e = (struct entry){time, asked | OPEN};
}

/* Returns 1 if *answer is an answered request, or 0. */
static inline __attribute__((always_inline)) uint64_t meet_completion(struct pv_match_chunk *p,
								      const struct pv_words *w, uint64_t time,
								      struct answer *answer, struct step_sums *s)
{
	const struct rule *r = &rules[w->code];
	uint32_t left = ((w->dw1 - 1) & 0xfff) + 1, room = 4 * w->length - (w->dw2 & 3), status = w->dw1 >> 13 & 7;
	struct completion c = {
		.time = time,
		.key = key_of(w->dw2, w->tag_high),
		.bytes = (uint16_t)((left < room ? left : room) & r->data_mask),
		.status = (uint8_t)status,
		.is_last = left <= (room | r->no_data | status * ANY_SIZE),
	};
	uint32_t place = find(p, w->dw2, w->tag_high);
	uint64_t done;

	if (__builtin_expect(!p->table[place].state, 0)) {
		add_event(p, place, &(struct event){c, NO_PLACE, 0});
		return 0;
	}
	done = complete(&p->table[place], &c, answer, &s->unmatched, &s->returned_bytes);
	p->now[place / TAGS] = (uint16_t)(p->now[place / TAGS] - done);
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

/* Matches n <= AT_ONCE records. */
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
	add_answers(p->answers, answered, s, t, p->latencies);
}

void pv_match_chunk_run(struct pv_match_chunk *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].place != NO_PLACE)
			p->table[p->events[i].place].state = 0;
	p->n_events = 0;
	memset(p->now, 0, sizeof(p->now));
	memset(p->peak, 0, sizeof(p->peak));
	for (size_t i = 0; i < n; i += AT_ONCE) {
		size_t some = n - i < AT_ONCE ? n - i : AT_ONCE;

		if (f == PV_RECORD_8DW)
			run(p, true, data + 32 * i, some, time + i, sums, t);
		else
			run(p, false, data + 16 * i, some, time + i, sums, t);
	}
}

/* ---- the whole ---- */

struct pv_match {
	uint16_t slot[1 << 16]; /* of each requester: its index in entries[] plus 1; 0: none */
	unsigned n_slots;
	struct pv_latencies *latencies;	  /* NULL: not collected */
	bool opened[PV_MATCH_REQUESTERS]; /* has had an open request since the last hole in the trace */
	/* Open requests of each requester, without those that the current piece has closed or used the tags of. */
	unsigned open[PV_MATCH_REQUESTERS];
	struct entry *entries[PV_MATCH_REQUESTERS];
};

struct pv_match *pv_match_new(void)
{
	return calloc(1, sizeof(struct pv_match));
}

void pv_match_latencies(struct pv_match *m, struct pv_latencies *l)
{
	m->latencies = l;
}

void pv_match_free(struct pv_match *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_slots; i++)
		free(m->entries[i]);
	free(m);
}

/* Returns the entry of a key. NULL: the requester was never seen, or, with `make`, the table is full. */
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

/* Notes that a requester has had `more` open requests beside those that are open. */
static void note_peak(struct pv_match *m, uint16_t requester, unsigned more)
{
	unsigned open = more + (m->slot[requester] ? m->open[m->slot[requester] - 1] : 0);
	struct pv_latency *l;

	if (!m->latencies || !open)
		return;
	l = pv_latency_of(m->latencies, requester);
	l->most_open = open > l->most_open ? open : l->most_open;
}

static void join_completion(struct pv_match *m, const struct completion *c, struct pv_match_sums *sums,
			    struct pv_timeline *t)
{
	struct entry none = {0}, *e = whole_entry(m, c->key, false);
	struct answer answer;

	if (!complete(e ? e : &none, c, &answer, &sums->unmatched, &sums->returned_bytes))
		return;
	m->open[m->slot[c->key >> 10] - 1]--;
	add_answers(&answer, 1, sums, t, m->latencies);
}

static void join_request(struct pv_match *m, uint32_t key, const struct entry *mine, struct pv_match_sums *sums)
{
	uint64_t open = mine->state / OPEN, was_open;
	struct entry *e = whole_entry(m, key, open);

	if (m->latencies)
		pv_latency_tag(pv_latency_of(m->latencies, (uint16_t)(key >> 10)), key % TAGS);
	if (!e) {
		sums->not_followed += open;
		return;
	}
	was_open = e->state / OPEN;
	sums->tag_reused += was_open;
	m->open[m->slot[key >> 10] - 1] -= (unsigned)was_open;
	*e = *mine;
	if (open)
		m->opened[m->slot[key >> 10] - 1] = true;
}

/* Adds the requests that are open at the end of a piece to those that are open. */
static void join_slots(struct pv_match *m, const struct pv_match_chunk *p)
{
	for (unsigned slot = 0; slot < p->n_slots; slot++) {
		uint16_t requester = p->requester[slot];

		note_peak(m, requester, p->peak[slot]);
		if (m->slot[requester])
			m->open[m->slot[requester] - 1] += p->now[slot];
	}
}

void pv_match_join(struct pv_match *m, const struct pv_match_chunk *p, struct pv_match_sums *sums,
		   struct pv_timeline *t)
{
	for (size_t i = 0; i < p->n_events; i++) {
		const struct event *v = &p->events[i];

		note_peak(m, (uint16_t)(v->c.key >> 10), v->peak);
		if (v->place == NO_PLACE)
			join_completion(m, &v->c, sums, t);
		else
			join_request(m, v->c.key, &p->table[v->place], sums);
	}
	join_slots(m, p);
}

static uint64_t close_all(struct entry *entries)
{
	uint64_t open = 0;

	for (unsigned i = 0; i < TAGS; i++) {
		open += entries[i].state / OPEN;
		entries[i].state &= ~OPEN;
	}
	return open;
}

void pv_match_end(struct pv_match *m, struct pv_match_sums *sums)
{
	for (unsigned s = 0; s < m->n_slots; s++)
		if (m->opened[s])
			sums->unanswered += close_all(m->entries[s]);
	memset(m->opened, 0, sizeof(m->opened));
	memset(m->open, 0, sizeof(m->open));
}
