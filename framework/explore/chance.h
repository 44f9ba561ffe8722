/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random choices of a session, from the models' generator: the same seed gives the same choices. */
#ifndef PV_EXPLORE_CHANCE_H
#define PV_EXPLORE_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "fixtures/models/random.h"
#include "framework/util/cleanup.h"

struct pv_draw {
	uint64_t s[4];
};

/* Each case has numbers of its own, whatever cases ran before it. */
static inline void pv_draw_seed(struct pv_draw *d, uint64_t seed, uint64_t index)
{
	uint64_t state = seed;

	state = pv_random_mix(&state) ^ index;
	pv_random_seed(d->s, state);
}

/* Returns a number from 0 to n - 1. */
static inline unsigned pv_draw_below(struct pv_draw *d, unsigned n)
{
	return (unsigned)pv_random_below(d->s, n);
}

/* Returns a number from min to max. */
static inline unsigned pv_draw_range(struct pv_draw *d, unsigned min, unsigned max)
{
	return min + pv_draw_below(d, max - min + 1);
}

static inline bool pv_draw_chance(struct pv_draw *d, unsigned percent)
{
	return pv_draw_below(d, 100) < percent;
}

/* Returns one word of an array. */
#define pv_draw_word(d, words) ((words)[pv_draw_below(d, (unsigned)ARRAY_SIZE(words))])

#endif
