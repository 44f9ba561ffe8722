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

struct entry {
	uint64_t begin;
	uint64_t name;	/* epoch of the piece that wrote the entry, and the key: requester << 10 | tag */
	uint64_t state; /* ASKED, BACK, PARTS and OPEN */
};

/* The fields of a completion that matching needs. */
struct completion {
	uint64_t time;
	uint32_t key;
	uint16_t bytes; /* bytes of data in this completion */
	uint8_t status;
	bool is_last;
};

/* A request and its last completion. */
struct answer {
	uint64_t begin, end, state;
	uint64_t status; /* Completion Status */
	uint16_t requester;
};

#define EPOCH	((uint64_t)1 << 32)
#define TABLE	(2 * PV_MATCH_PIECE) /* power of two */
#define AT_ONCE 2048		     /* records per step: the intermediate results of a step fit into the cache */

struct pv_match_chunk {
	uint64_t epoch; /* EPOCH times the number of the piece: the upper half of all names in this piece */
	size_t n_touched, n_early;
	struct pv_latencies *latencies;		 /* NULL: not collected */
	uint16_t touched[PV_MATCH_PIECE];	 /* places of table[] that this piece wrote */
	struct completion early[PV_MATCH_PIECE]; /* completions of requests before this piece */
	uint16_t list[AT_ONCE];
	struct answer answers[AT_ONCE];
	struct entry table[TABLE];
};

/* Applies a completion to the entry of its key. Returns 1 if this answered the request (see *answer), or 0. */
static inline uint64_t complete(struct entry *e, const struct completion *c, struct answer *answer,
				struct pv_match_sums *s)
{
	uint64_t open = e->state / OPEN; /* 0 or 1; no branch, since it would be unpredictable */
	uint64_t state = e->state + open * (PARTS_ONE + c->bytes * BACK_ONE);
	uint64_t done = open & (c->is_last | (state >= (OPEN | PARTS)));

	*answer = (struct answer){e->begin, c->time, state, c->status, (uint16_t)(c->key >> 10)};
	e->state = state - done * OPEN;
	s->unmatched += !open;
	s->returned_bytes += open * c->bytes;
	return done;
}

/* ---- sums: the latency histogram ---- */

/* Returns the bucket of a latency: its top bit and the three bits below it; values below 16 are their own bucket. */
unsigned pv_match_bucket(uint64_t v)
{
	unsigned shift = 60 - (unsigned)__builtin_clzll(v | 8);

	return 8 * shift + (unsigned)(v >> shift);
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
			pv_latency_add(pv_latency_of(latencies, a->requester), latency, pv_match_bucket(latency));
		s->pieces[completions_class((a->state & PARTS) / PARTS_ONE)]++;
		s->wrong_size += !a->status && back != asked;
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

static inline uint32_t key_of(uint32_t requester_and_tag, uint32_t tag_high)
{
	return (requester_and_tag >> 16) << 10 | tag_high | (requester_and_tag >> 8 & 0xff);
}

/*
 * Returns the place of a name, or the free place for it; entries of earlier pieces are free. Tags of one requester have
 * adjacent places, and requesters are far apart.
 */
static inline size_t find(const struct pv_match_chunk *p, uint64_t name)
{
	size_t i = ((uint32_t)name + ((uint32_t)name >> 10) * 0x9e3779b1u) % TABLE;

	while (p->table[i].name != name && p->table[i].name >> 32 == name >> 32)
		i = (i + 1) % TABLE;
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
	struct entry *e = &p->table[place];

	if (e->name != name)
		p->touched[p->n_touched++] = (uint16_t)place;
	else
		s->tag_reused += e->state / OPEN;
	s->asked_bytes += asked;
	*e = (struct entry){time, name, asked | OPEN};
}

/* Returns 1 if *answer is an answered request, or 0. */
static inline __attribute__((always_inline)) uint64_t meet_completion(struct pv_match_chunk *p,
								      const struct pv_words *w, uint64_t time,
								      struct answer *answer, struct pv_match_sums *s)
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
	uint64_t name = p->epoch | c.key;
	size_t place = find(p, name);

	s->status[status]++;
	if (p->table[place].name == name)
		return complete(&p->table[place], &c, answer, s);
	p->early[p->n_early++] = c;
	return 0;
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
	add_answers(p->answers, answered, s, t, p->latencies);
}

void pv_match_chunk_run(struct pv_match_chunk *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t)
{
	p->n_touched = p->n_early = 0;
	p->epoch += EPOCH;
	if (!p->epoch) { /* the epoch wrapped: entries of old pieces could look current */
		memset(p->table, 0, sizeof(p->table));
		p->epoch = EPOCH;
	}
	for (size_t i = 0; i < n; i += AT_ONCE) {
		size_t some = n - i < AT_ONCE ? n - i : AT_ONCE;

		if (f == PV_RECORD_8DW)
			run(p, true, data + 32 * i, some, time + i, sums, t);
		else
			run(p, false, data + 16 * i, some, time + i, sums, t);
	}
}

/* ---- the whole ---- */

#define TAGS 1024

struct pv_match {
	uint16_t slot[1 << 16]; /* of each requester: its index in entries[] plus 1; 0: none */
	unsigned n_slots;
	struct pv_latencies *latencies;	  /* NULL: not collected */
	bool opened[PV_MATCH_REQUESTERS]; /* has had an open request since the last hole in the trace */
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

static void join_early(struct pv_match *m, const struct completion *c, struct pv_match_sums *sums,
		       struct pv_timeline *t)
{
	struct entry none = {0}, *e = whole_entry(m, c->key, false);
	struct answer answer;

	if (complete(e ? e : &none, c, &answer, sums))
		add_answers(&answer, 1, sums, t, m->latencies);
}

static void join_entry(struct pv_match *m, const struct entry *mine, struct pv_match_sums *sums)
{
	uint64_t open = mine->state / OPEN;
	uint32_t key = (uint32_t)mine->name;
	struct entry *e = whole_entry(m, (uint32_t)mine->name, open);

	if (m->latencies)
		pv_latency_tag(pv_latency_of(m->latencies, (uint16_t)(key >> 10)), key % TAGS);
	if (!e) {
		sums->not_followed += open;
		return;
	}
	sums->tag_reused += e->state / OPEN;
	*e = *mine;
	if (open)
		m->opened[m->slot[(uint32_t)mine->name >> 10] - 1] = true;
}

void pv_match_join(struct pv_match *m, const struct pv_match_chunk *p, struct pv_match_sums *sums,
		   struct pv_timeline *t)
{
	for (size_t i = 0; i < p->n_early; i++)
		join_early(m, &p->early[i], sums, t);
	for (size_t i = 0; i < p->n_touched; i++)
		join_entry(m, &p->table[p->touched[i]], sums);
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
}
