/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches requests with their completions, by requester and tag (PCIe 5.0 2.2.9). Pieces of a trace are matched
 * independently, on any thread, and joined in order: a piece passes on completions of earlier requests and its open
 * requests. The result does not depend on how the trace was divided.
 */
#ifndef PV_ANALYSIS_MATCH_H
#define PV_ANALYSIS_MATCH_H

#include "framework/analysis/latency.h"
#include "framework/analysis/timeline.h"
#include "framework/trace/record.h"

#define PV_MATCH_PIECE	    16384 /* records of a piece at most */
#define PV_MATCH_BUCKETS    512	  /* of the latency histogram: 8 for each power of two */
#define PV_MATCH_REQUESTERS 1024  /* that are followed across pieces */

/* Totals. */
struct pv_match_sums {
	uint64_t requests, asked_bytes; /* non-posted requests; bytes that reads and atomics ask for */
	uint64_t completions, returned_bytes;
	uint64_t answered;		    /* requests whose last completion was seen */
	uint64_t wrong_size;		    /* completed successfully, but not with the requested size */
	uint64_t status[8];		    /* completions by status */
	uint64_t tag_reused;		    /* requests whose tag was reused before they were answered */
	uint64_t unanswered;		    /* still open at the end, or where records are missing: pv_match_end() */
	uint64_t unmatched;		    /* completions without a request in the trace */
	uint64_t not_followed;		    /* requests ignored: more requesters than PV_MATCH_REQUESTERS */
	uint64_t pieces[5];		    /* requests answered by 1, 2, 3-4, 5-8, more completions */
	uint64_t latency[PV_MATCH_BUCKETS]; /* of answered requests, request to last completion */
	uint64_t latency_sum, latency_min, latency_max;
};

struct pv_match_chunk; /* one for each thread */
struct pv_match;       /* the whole, of one stream */

struct pv_match_chunk *pv_match_chunk_new(void);
void pv_match_chunk_free(struct pv_match_chunk *p);
/* Matches n <= PV_MATCH_PIECE records; time[i] is never before time[i - 1]. Adds to sums and open requests to t. */
void pv_match_chunk_run(struct pv_match_chunk *p, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time, struct pv_match_sums *sums, struct pv_timeline *t);

struct pv_match *pv_match_new(void);
void pv_match_free(struct pv_match *m);
/* Joins a piece. Call in the order of the pieces. */
void pv_match_join(struct pv_match *m, const struct pv_match_chunk *p, struct pv_match_sums *sums,
		   struct pv_timeline *t);
/* Ends matching, at the end of the trace or at a hole in it: open requests are unanswered. */
void pv_match_end(struct pv_match *m, struct pv_match_sums *sums);

/* From now on latencies, and by the whole also tags, are added by requester to *l, which the caller keeps. NULL: no
 * more. */
void pv_match_chunk_latencies(struct pv_match_chunk *p, struct pv_latencies *l);
void pv_match_latencies(struct pv_match *m, struct pv_latencies *l);

void pv_match_sums_merge(struct pv_match_sums *s, const struct pv_match_sums *from);
/* The bucket of a latency, the first latency of a bucket (exact below 16), and a quantile (its bucket's first). */
unsigned pv_match_bucket(uint64_t latency);
uint64_t pv_match_bucket_start(unsigned bucket);
uint64_t pv_match_quantile(const struct pv_match_sums *s, double q);

#endif
