/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by match_chunk.c (the requests of one piece), match.c (the whole) and match_sums.c. */
#ifndef PV_ANALYSIS_MATCH_INTERNAL_H
#define PV_ANALYSIS_MATCH_INTERNAL_H

#include "framework/analysis/match.h"

/*
 * State of a request in one word, so that one addition counts a completion. The last completion closes the request, and
 * so does a count that reaches the maximum of PV_MATCH_PARTS.
 */
#define PV_MATCH_ASKED	   ((uint64_t)0x1fff)	       /* requested bytes */
#define PV_MATCH_BACK	   ((uint64_t)0xfffffff << 16) /* returned bytes */
#define PV_MATCH_BACK_ONE  ((uint64_t)1 << 16)
#define PV_MATCH_PARTS	   ((uint64_t)0xffff << 44) /* number of completions */
#define PV_MATCH_PARTS_ONE ((uint64_t)1 << 44)
#define PV_MATCH_OPEN	   ((uint64_t)1 << 60)

#define PV_MATCH_STATUS 61 /* in answers: shift of the Completion Status */

/* A request. State 0: none was written, in this piece, or ever. */
struct pv_match_entry {
	uint64_t begin;
	uint64_t state; /* PV_MATCH_ASKED, PV_MATCH_BACK, PV_MATCH_PARTS and PV_MATCH_OPEN */
};

/* The fields of a completion that matching needs. */
struct pv_match_completion {
	uint64_t time;
	uint32_t key;	/* requester << 10 | tag */
	uint16_t bytes; /* bytes of data in this completion */
	uint8_t status;
	bool is_last;
};

/* An event that depends on earlier pieces: the first request of a tag, or a completion before it. */
struct pv_match_event {
	struct pv_match_completion c; /* of a request: only the key */
	uint32_t place;		      /* of the request in table[]; NO_PLACE: a completion */
	uint16_t peak;		      /* most requests of this piece that the requester had open since its last event */
};

/* A request and its last completion. */
struct pv_match_answer {
	uint64_t begin, end, state; /* state with the Completion Status above it */
	uint32_t requester;
};

#define PV_MATCH_TAGS	  1024
#define PV_MATCH_SLOTS	  64 /* requesters whose tags have a place each; the others share a hash table */
#define PV_MATCH_HASHED	  (2 * PV_MATCH_PIECE) /* power of two */
#define PV_MATCH_TABLE	  (PV_MATCH_SLOTS * PV_MATCH_TAGS + PV_MATCH_HASHED)
#define PV_MATCH_NO_PLACE UINT32_MAX
#define PV_MATCH_AT_ONCE  2048 /* records per step: the intermediate results of a step fit into the cache */

struct pv_match_chunk {
	size_t n_events;
	struct pv_latencies *latencies; /* NULL: not collected */
	unsigned n_slots;
	/* By requester: the place of its tag 0 in table[] plus 1; OTHERS: it has no slot; 0: not met yet. */
	uint32_t base[1 << 16];
	uint16_t requester[PV_MATCH_SLOTS]; /* of each slot */
	/* By slot: open requests of this piece, and the most of them since its last event; the rest is unused. */
	uint16_t now[PV_MATCH_TABLE / PV_MATCH_TAGS], peak[PV_MATCH_TABLE / PV_MATCH_TAGS];
	struct pv_match_event events[PV_MATCH_PIECE];
	uint16_t list[PV_MATCH_AT_ONCE];
	struct pv_match_answer answers[PV_MATCH_AT_ONCE];
	struct pv_match_entry table[PV_MATCH_TABLE]; /* the tags of slot 0, of slot 1, ..., and the hash table */
	uint32_t keys[PV_MATCH_HASHED];
};

/* Applies a completion to the entry of its key. Returns 1 if this answered the request (see *answer), or 0. */
static inline uint64_t pv_match_complete(struct pv_match_entry *e, const struct pv_match_completion *c,
					 struct pv_match_answer *answer, uint64_t *unmatched, uint64_t *returned_bytes)
{
	uint64_t open = e->state / PV_MATCH_OPEN; /* 0 or 1; no branch, since it would be unpredictable */
	uint64_t state = e->state + open * (PV_MATCH_PARTS_ONE + c->bytes * PV_MATCH_BACK_ONE);
	uint64_t done = open & (c->is_last | (state >= (PV_MATCH_OPEN | PV_MATCH_PARTS)));

	*answer = (struct pv_match_answer){e->begin, c->time, state | (uint64_t)c->status << PV_MATCH_STATUS,
					   c->key >> 10};
	e->state = state - done * PV_MATCH_OPEN;
	*unmatched += !open;
	*returned_bytes += open * c->bytes;
	return done;
}

/* Adds answered requests to the sums, the timeline and, if they are not NULL, the latencies. */
void pv_match_add_answers(const struct pv_match_answer *answers, size_t n, struct pv_match_sums *s,
			  struct pv_timeline *t, struct pv_latencies *latencies);

#endif
