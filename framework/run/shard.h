/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shards: a run that is divided among machines. Each of N runs takes every job that falls to it, so that all N together
 * run each job once. All of them compute the same division from the same jobs; merge.h checks that they did.
 */
#ifndef PV_RUN_SHARD_H
#define PV_RUN_SHARD_H

#include "framework/run/folder.h"
#include "framework/util/hash.h"

enum { PV_SHARDS_MAX = 10000 };

/* Reads "2/12". 0 or -EINVAL. */
int pv_shard_parse(const char *text, struct pv_shard *s, struct pv_error *e);

/*
 * Returns the jobs of shard s->index, in order, with their `position` among all, and fills the other members of *s. The
 * longest job goes first, to the shard with the least to do. Durations are those of `earlier`, on average for a job
 * that it does not have; NULL: all jobs last the same. Updates *n. The caller frees the list and still owns `jobs`.
 * NULL: *e.
 */
struct pv_job *pv_shard_jobs(struct pv_shard *s, const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n,
			     const struct pv_run_result *earlier, struct pv_error *e);

/* The two hashes, of jobs one after the other. */
struct pv_shard_digests {
	uint64_t selection, plans;
};
#define PV_SHARD_DIGESTS_BEGIN ((struct pv_shard_digests){PV_HASH_OF_NOTHING, PV_HASH_OF_NOTHING})
void pv_shard_digests_add(struct pv_shard_digests *d, const char *plan, const char *name, unsigned round,
			  const char *case_digest);
/* Writes a hash as text. */
void pv_shard_digest_text(uint64_t digest, char out[PV_DIGEST_TEXT]);

#endif
