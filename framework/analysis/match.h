/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches requests with their completions, by requester and tag (PCIe 5.0 2.2.9). Pieces of a trace are matched
 * independently, on any thread, and joined in order: a piece hands over completions of earlier requests, and its own
 * open requests. The result does not depend on the division into pieces, unless requests are not followed: requesters
 * are counted where a piece ends with an open request of theirs.
 */
#ifndef PV_ANALYSIS_MATCH_H
#define PV_ANALYSIS_MATCH_H

#include "framework/analysis/latency.h"
#include "framework/analysis/timeline.h"
#include "framework/trace/record.h"

#define PV_MATCH_PIECE	    16384 /* maximum number of records in a piece */
#define PV_MATCH_REQUESTERS 1024  /* maximum number of requesters followed across pieces */

/* Totals. */
struct pv_match_sums {
	uint64_t requests, asked_bytes; /* non-posted requests; bytes requested by reads and atomics */
	uint64_t completions, returned_bytes;
	uint64_t answered;		      /* requests whose last completion is in the trace */
	uint64_t wrong_size;		      /* requests completed successfully, but with a wrong number of bytes */
	uint64_t status[8];		      /* completions by status */
	uint64_t tag_reused;		      /* requests whose tag was reused before they were complete */
	uint64_t unanswered;		      /* requests open at the end, or at a hole in the trace: pv_match_end() */
	uint64_t unmatched;		      /* completions without a request in the trace */
	uint64_t not_followed;		      /* open where a piece ended, and ignored: there are more requesters than
						 PV_MATCH_REQUESTERS */
	uint64_t pieces[5];		      /* requests answered by 1, 2, 3-4, 5-8, more completions */
	uint64_t latency[PV_LATENCY_BUCKETS]; /* answered requests by ticks from request to last completion */
	uint64_t latency_sum, latency_min, latency_max;
};

struct pv_match_chunk; /* matches pieces; one per thread */
struct pv_match;       /* joins the pieces of one stream */

struct pv_match_chunk *pv_match_chunk_new(void);
void pv_match_chunk_free(struct pv_match_chunk *p);
/* Matches n <= PV_MATCH_PIECE records; time[] must not decrease. Adds totals to sums, and open requests to t. */
void pv_match_chunk_run(struct pv_match_chunk *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t);

struct pv_match *pv_match_new(void);
void pv_match_free(struct pv_match *m);
/* Joins a piece with the earlier ones. Call it in the order of the pieces. */
void pv_match_join(struct pv_match *m, const struct pv_match_chunk *p, struct pv_match_sums *sums,
		   struct pv_timeline *t);
/* Ends matching, at the end of the trace or at a hole in it: open requests become unanswered. */
void pv_match_end(struct pv_match *m, struct pv_match_sums *sums);

/* Sets *l, to which latencies are added from now on, and by pv_match also tags. The caller keeps *l. NULL: none. */
void pv_match_chunk_latencies(struct pv_match_chunk *p, struct pv_latencies *l);
void pv_match_latencies(struct pv_match *m, struct pv_latencies *l);

void pv_match_sums_merge(struct pv_match_sums *s, const struct pv_match_sums *from);
/* The same as pv_latency_quantile(). */
static inline uint64_t pv_match_quantile(const struct pv_match_sums *s, double q)
{
	return pv_latency_buckets_quantile(s->latency, s->answered, s->latency_max, q);
}

#endif
