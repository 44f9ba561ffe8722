/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latencies of answered requests, and the tags in use, by requester. */
#ifndef PV_ANALYSIS_LATENCY_H
#define PV_ANALYSIS_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#define PV_LATENCY_BUCKETS    512 /* 8 for each power of two; a latency below 16 is its own bucket */
#define PV_LATENCY_REQUESTERS 64
#define PV_LATENCY_TAGS	      1024

unsigned pv_latency_bucket(uint64_t latency);
/* Returns the lower bound of a bucket. */
uint64_t pv_latency_bucket_start(unsigned bucket);
/* Returns the lower bound of the bucket that contains quantile q (0 to 1) of n latencies; q = 1: the maximum. */
uint64_t pv_latency_buckets_quantile(const uint64_t buckets[PV_LATENCY_BUCKETS], uint64_t n, uint64_t max, double q);

/* Latencies of one requester, in ticks. */
struct pv_latency {
	uint64_t answered, sum, min, max; /* min and max: valid if answered > 0 */
	unsigned most_open;		  /* largest number of open requests at once; filled by pv_match only */
	uint64_t buckets[PV_LATENCY_BUCKETS];
	uint64_t tags[PV_LATENCY_TAGS / 64]; /* bitmap of the tags of its non-posted requests */
};

/* Latencies of all requesters. Zeroed memory is an empty table. */
struct pv_latencies {
	bool too_many; /* there are more than PV_LATENCY_REQUESTERS; of[0] collects the surplus */
	unsigned n;    /* number of entries in use; their indices begin at 1 */
	uint8_t slot[1 << 16];
	uint16_t requester[PV_LATENCY_REQUESTERS + 1];
	struct pv_latency of[PV_LATENCY_REQUESTERS + 1];
};

/* Adds a requester and returns its entry; of[0] if the table is full. */
struct pv_latency *pv_latency_new(struct pv_latencies *l, uint16_t requester);
static inline struct pv_latency *pv_latency_of(struct pv_latencies *l, uint16_t requester)
{
	return l->slot[requester] ? &l->of[l->slot[requester]] : pv_latency_new(l, requester);
}

static inline void pv_latency_add(struct pv_latency *l, uint64_t ticks, unsigned bucket)
{
	l->min = l->answered && l->min < ticks ? l->min : ticks;
	l->max = l->max > ticks ? l->max : ticks;
	l->answered++;
	l->sum += ticks;
	l->buckets[bucket]++;
}

static inline void pv_latency_tag(struct pv_latency *l, unsigned tag)
{
	l->tags[tag / 64] |= (uint64_t)1 << tag % 64;
}
/* Returns the number of different tags: the upper limit of open requests at any time. */
unsigned pv_latency_tags(const struct pv_latency *l);

void pv_latency_merge(struct pv_latency *l, const struct pv_latency *from);
static inline uint64_t pv_latency_quantile(const struct pv_latency *l, double q)
{
	return pv_latency_buckets_quantile(l->buckets, l->answered, l->max, q);
}

#endif
