/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of matching, those of several threads: see match.h. */
#include "framework/analysis/match_internal.h"

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

/* ---- answered requests ---- */

/* Returns the class of a number of completions: 1, 2, 3-4, 5-8, more. */
static unsigned completions_class(uint64_t n)
{
	static const uint8_t classes[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};

	return classes[n < sizeof(classes) ? n : sizeof(classes) - 1];
}

void pv_match_add_answers(const struct pv_match_answer *answers, size_t n, struct pv_match_sums *s,
			  struct pv_timeline *t, struct pv_latencies *latencies)
{
	for (size_t i = 0; i < n; i++) {
		const struct pv_match_answer *a = &answers[i];
		uint64_t latency = a->end - a->begin;
		unsigned bucket = pv_latency_bucket(latency);
		uint64_t asked = a->state & PV_MATCH_ASKED, back = (a->state & PV_MATCH_BACK) / PV_MATCH_BACK_ONE;

		if (!s->answered || latency < s->latency_min)
			s->latency_min = latency;
		if (latency > s->latency_max)
			s->latency_max = latency;
		s->answered++;
		s->latency_sum += latency;
		s->latency[bucket]++;
		if (latencies)
			pv_latency_add(pv_latency_of(latencies, (uint16_t)a->requester), latency, bucket);
		s->pieces[completions_class((a->state & PV_MATCH_PARTS) / PV_MATCH_PARTS_ONE)]++;
		s->wrong_size += !(a->state >> PV_MATCH_STATUS) && back != asked;
		pv_timeline_interval(t, a->begin, a->end);
	}
}
