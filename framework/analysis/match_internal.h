/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of matching: what a piece hands to the whole, and what both hand to the sums. */
#ifndef PV_ANALYSIS_MATCH_INTERNAL_H
#define PV_ANALYSIS_MATCH_INTERNAL_H

#include "framework/analysis/match.h"

/*
 * State of a request in one word, so that one addition counts a completion. The last completion closes the request, or
 * the highest number of completions that can be counted.
 */
#define PV_MATCH_ASKED	   ((uint64_t)0x1fff)	       /* bytes */
#define PV_MATCH_BACK	   ((uint64_t)0xfffffff << 16) /* bytes that came back */
#define PV_MATCH_BACK_ONE  ((uint64_t)1 << 16)
#define PV_MATCH_PARTS	   ((uint64_t)0xffff << 44) /* completions */
#define PV_MATCH_PARTS_ONE ((uint64_t)1 << 44)
#define PV_MATCH_OPEN	   ((uint64_t)1 << 60)

struct pv_match_entry {
	uint64_t begin;
	uint64_t name;	/* epoch of the piece that wrote it, above the key: requester << 10 | tag */
	uint64_t state; /* as above */
};

/* A completion, as far as matching needs it. */
struct pv_match_completion {
	uint64_t time;
	uint32_t key;
	uint16_t bytes; /* of data in it */
	uint8_t status;
	bool is_last;
};

/* A request and its last completion. */
struct pv_match_answer {
	uint64_t begin, end, state;
	uint64_t status; /* of the completion */
};

#define PV_MATCH_EPOCH	 ((uint64_t)1 << 32)
#define PV_MATCH_TABLE	 (2 * PV_MATCH_PIECE) /* power of two */
#define PV_MATCH_AT_ONCE 2048		      /* records: what is made of them stays in the cache */

struct pv_match_chunk {
	uint64_t epoch; /* PV_MATCH_EPOCH times the number of the piece: the upper half of the names that it writes */
	size_t n_touched, n_early;
	uint16_t touched[PV_MATCH_PIECE];		  /* places of table[] that this piece has written */
	struct pv_match_completion early[PV_MATCH_PIECE]; /* of requests before this piece */
	uint16_t list[PV_MATCH_AT_ONCE];
	struct pv_match_answer answers[PV_MATCH_AT_ONCE];
	struct pv_match_entry table[PV_MATCH_TABLE];
};

/* A completion meets the entry of its key. Returns 1 if *answer says how the request was answered, or 0. */
static inline uint64_t pv_match_complete(struct pv_match_entry *e, const struct pv_match_completion *c,
					 struct pv_match_answer *answer, struct pv_match_sums *s)
{
	uint64_t open = e->state / PV_MATCH_OPEN; /* 0 or 1, without a branch: it is unpredictable */
	uint64_t state = e->state + open * (PV_MATCH_PARTS_ONE + c->bytes * PV_MATCH_BACK_ONE);
	uint64_t done = open & (c->is_last | (state >= (PV_MATCH_OPEN | PV_MATCH_PARTS)));

	*answer = (struct pv_match_answer){e->begin, c->time, state, c->status};
	e->state = state - done * PV_MATCH_OPEN;
	s->unmatched += !open;
	s->returned_bytes += open * c->bytes;
	return done;
}

void pv_match_answered(const struct pv_match_answer *answers, size_t n, struct pv_match_sums *s, struct pv_timeline *t);

#endif
