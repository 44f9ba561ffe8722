/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether bytes are a record. Evidence in bits says how much more likely they are as a record than as noise, by
 * the rules of PCIe 5.0 for headers and by their resemblance to other records of this trace.
 */
#ifndef PV_TRACE_LIKELIHOOD_H
#define PV_TRACE_LIKELIHOOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Evidence is counted in sixteenths of a bit. */
#define PV_BIT	 16
#define PV_NEVER (-(1 << 20)) /* certainly no record */

/* For each Fmt: one for each Type below 16, messages, the rest. */
#define PV_BIT_STATS	  (4 * 18)
#define PV_LOOK_FUNCTIONS 64

/* Which bits were 1 in any record of a kind and which were 0 in any: header DW0 with DW1, and DW2 with DW3. */
struct pv_look {
	uint64_t ones[2], zeros[2];
	uint16_t seen;
	bool irregular; /* some did not keep the rules */
};

/*
 * Properties of a trace's 4DW records, which are learnt all the time. Only the last complete set and the one in
 * progress are used, so that mistakes are forgotten. All zero: nothing is known.
 */
struct pv_bit_stats {
	struct pv_look known[PV_BIT_STATS], now[PV_BIT_STATS];
	uint32_t functions[PV_LOOK_FUNCTIONS]; /* in DW1 [31:16], by a hash: 1 more than the ID */
};

/* Evidence for a 4DW record at p, of n bytes (at least 16). The records behind it tell whether Time changes. */
int pv_likelihood_4dw(const struct pv_bit_stats *l, const uint8_t *p, size_t n);
/*
 * As above, for a record in line with those before it, after `l` has learnt from them. Records that look alike may all
 * be shifted, so that likeness cannot outweigh earlier knowledge or, at `first`, the rules.
 */
int pv_likelihood_in_step(const struct pv_bit_stats *l, const uint8_t *p, size_t n, bool first);
/* Returns true if the next n records resemble the previous ones, allowing a few odd ones. */
bool pv_likelihood_all_well(const struct pv_bit_stats *l, const uint8_t *p, unsigned records);
/* Evidence for an 8DW record at p, where n bytes are (32 at least). */
int pv_likelihood_8dw(const uint8_t *p, size_t n);

/* A 4DW record of a kind that was not seen, or that is less like those of its kind than noise is. */
bool pv_bit_stats_strange(const struct pv_bit_stats *l, const uint8_t *p);
/* Returns true if the record adds nothing to the known properties. */
bool pv_bit_stats_usual(const struct pv_bit_stats *l, const uint8_t *p);
void pv_bit_stats_learn(struct pv_bit_stats *l, const uint8_t *p);

#endif
