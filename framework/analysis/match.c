/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and their completions: see match.h. This is the whole, where pieces are joined; tables with a fixed number
 * of places, no allocation for a record.
 */
#include "framework/analysis/match.h"

#include <stdlib.h>
#include <string.h>

#include "framework/analysis/match_internal.h"

#define TAGS 1024

struct pv_match {
	uint16_t slot[1 << 16]; /* of a requester, from 1 */
	unsigned n_slots;
	bool opened[PV_MATCH_REQUESTERS]; /* since pv_match_end(): between two holes of a damaged trace few are */
	struct pv_match_entry *entries[PV_MATCH_REQUESTERS];
};

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
static struct pv_match_entry *whole_entry(struct pv_match *m, uint32_t key, bool make)
{
	uint16_t *slot = &m->slot[key >> 10];

	if (!*slot) {
		if (!make || m->n_slots == PV_MATCH_REQUESTERS)
			return NULL;
		m->entries[m->n_slots] = calloc(TAGS, sizeof(struct pv_match_entry));
		if (!m->entries[m->n_slots])
			return NULL;
		*slot = (uint16_t)++m->n_slots;
	}
	return &m->entries[*slot - 1][key % TAGS];
}

static void join_early(struct pv_match *m, const struct pv_match_completion *c, struct pv_match_sums *sums,
		       struct pv_timeline *t)
{
	struct pv_match_entry none = {0}, *e = whole_entry(m, c->key, false);
	struct pv_match_answer answer;

	if (pv_match_complete(e ? e : &none, c, &answer, sums))
		pv_match_answered(&answer, 1, sums, t);
}

static void join_entry(struct pv_match *m, const struct pv_match_entry *mine, struct pv_match_sums *sums)
{
	uint64_t open = mine->state / PV_MATCH_OPEN;
	struct pv_match_entry *e = whole_entry(m, (uint32_t)mine->name, open);

	if (!e) {
		sums->not_followed += open;
		return;
	}
	sums->tag_reused += e->state / PV_MATCH_OPEN;
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

static uint64_t close_all(struct pv_match_entry *entries)
{
	uint64_t open = 0;

	for (unsigned i = 0; i < TAGS; i++) {
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
}
