/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins the requests and completions of pieces, which match_chunk.c has matched: see match.h. */
#include "framework/analysis/match_internal.h"

#include <stdlib.h>
#include <string.h>

struct pv_match {
	uint16_t slot[1 << 16]; /* of each requester: its index in entries[] plus 1; 0: none */
	unsigned n_slots;
	struct pv_latencies *latencies;	  /* NULL: not collected */
	bool opened[PV_MATCH_REQUESTERS]; /* has had an open request since the last hole in the trace */
	/* Open requests of each requester, without those that the current piece has closed or used the tags of. */
	unsigned open[PV_MATCH_REQUESTERS];
	struct pv_match_entry *entries[PV_MATCH_REQUESTERS];
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
static struct pv_match_entry *whole_entry(struct pv_match *m, uint32_t key, bool make)
{
	uint16_t *slot = &m->slot[key >> 10];

	if (!*slot) {
		if (!make || m->n_slots == PV_MATCH_REQUESTERS)
			return NULL;
		m->entries[m->n_slots] = calloc(PV_MATCH_TAGS, sizeof(struct pv_match_entry));
		if (!m->entries[m->n_slots])
			return NULL;
		*slot = (uint16_t)++m->n_slots;
	}
	return &m->entries[*slot - 1][key % PV_MATCH_TAGS];
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

static void join_completion(struct pv_match *m, const struct pv_match_completion *c, struct pv_match_sums *sums,
			    struct pv_timeline *t)
{
	struct pv_match_entry none = {0}, *e = whole_entry(m, c->key, false);
	struct pv_match_answer answer;

	if (!pv_match_complete(e ? e : &none, c, &answer, &sums->unmatched, &sums->returned_bytes))
		return;
	m->open[m->slot[c->key >> 10] - 1]--;
	pv_match_add_answers(&answer, 1, sums, t, m->latencies);
}

static void join_request(struct pv_match *m, uint32_t key, const struct pv_match_entry *mine,
			 struct pv_match_sums *sums)
{
	uint64_t open = mine->state / PV_MATCH_OPEN, was_open;
	struct pv_match_entry *e = whole_entry(m, key, open);

	if (m->latencies)
		pv_latency_tag(pv_latency_of(m->latencies, (uint16_t)(key >> 10)), key % PV_MATCH_TAGS);
	if (!e) {
		sums->not_followed += open;
		return;
	}
	was_open = e->state / PV_MATCH_OPEN;
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
		const struct pv_match_event *v = &p->events[i];

		note_peak(m, (uint16_t)(v->c.key >> 10), v->peak);
		if (v->place == PV_MATCH_NO_PLACE)
			join_completion(m, &v->c, sums, t);
		else
			join_request(m, v->c.key, &p->table[v->place], sums);
	}
	join_slots(m, p);
}

static uint64_t close_all(struct pv_match_entry *entries)
{
	uint64_t open = 0;

	for (unsigned i = 0; i < PV_MATCH_TAGS; i++) {
		open += entries[i].state / PV_MATCH_OPEN;
		entries[i].state &= ~PV_MATCH_OPEN;
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
