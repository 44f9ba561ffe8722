/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latencies by requester: see latency.h. */
#include "framework/analysis/latency.h"

/* A bucket is the top bit of a latency and the three bits below it. */
unsigned pv_latency_bucket(uint64_t latency)
{
	unsigned shift = 60 - (unsigned)__builtin_clzll(latency | 8);

	return 8 * shift + (unsigned)(latency >> shift);
}

uint64_t pv_latency_bucket_start(unsigned b)
{
	return b < 16 ? b : (uint64_t)(8 + (b - 16) % 8) << ((b - 16) / 8 + 1);
}

uint64_t pv_latency_buckets_quantile(const uint64_t buckets[PV_LATENCY_BUCKETS], uint64_t n, uint64_t max, double q)
{
	uint64_t rank = (uint64_t)(q * (double)n), seen = 0;

	for (unsigned b = 0; b < PV_LATENCY_BUCKETS; b++) {
		seen += buckets[b];
		if (seen > rank)
			return pv_latency_bucket_start(b);
	}
	return max;
}

struct pv_latency *pv_latency_new(struct pv_latencies *l, uint16_t requester)
{
	if (l->n == PV_LATENCY_REQUESTERS) {
		l->too_many = true;
		return &l->of[0];
	}
	l->requester[++l->n] = requester;
	l->slot[requester] = (uint8_t)l->n;
	return &l->of[l->n];
}

unsigned pv_latency_tags(const struct pv_latency *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PV_LATENCY_TAGS / 64; i++)
		n += (unsigned)__builtin_popcountll(l->tags[i]);
	return n;
}

void pv_latency_merge(struct pv_latency *l, const struct pv_latency *from)
{
	for (unsigned i = 0; i < PV_LATENCY_TAGS / 64; i++)
		l->tags[i] |= from->tags[i];
	l->most_open = l->most_open > from->most_open ? l->most_open : from->most_open;
	if (!from->answered)
		return;
	l->min = l->answered && l->min < from->min ? l->min : from->min;
	l->max = l->max > from->max ? l->max : from->max;
	l->answered += from->answered;
	l->sum += from->sum;
	for (unsigned b = 0; b < PV_LATENCY_BUCKETS; b++)
		l->buckets[b] += from->buckets[b];
}
