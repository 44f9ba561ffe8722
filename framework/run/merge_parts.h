/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shards of a run that are to be merged, read and checked: together they are the whole run, each case once. */
#ifndef PV_RUN_MERGE_PARTS_H
#define PV_RUN_MERGE_PARTS_H

#include "framework/run/folder.h"

struct pv_merge_part {
	const char *folder;	       /* not owned */
	json_object *settings, *cases; /* cases: the list */
	json_object *environment;      /* NULL: no machine was asked */
	unsigned index, count;	       /* "shard" of its settings */
};

/* A case of the whole run: number `index` of a part. */
struct pv_merge_place {
	const struct pv_merge_part *part; /* NULL: not found yet */
	size_t index;
};

/* Begins zeroed. */
struct pv_merge_parts {
	struct pv_merge_part *parts; /* by shard */
	size_t n;
	struct pv_merge_place *places; /* by position in the whole run */
	size_t n_places;
};

/*
 * Reads the folders. 0; -ESTALE: they are not all shards of one run, or one is missing or there twice; -ENODATA: one
 * has not ended; another error: one cannot be read. Free with pv_merge_parts_free(), also after an error.
 */
int pv_merge_parts_read(struct pv_merge_parts *m, const char *const *folders, size_t n, struct pv_error *e);
void pv_merge_parts_free(struct pv_merge_parts *m);

/* Returns the JSON of case `index` of a part. */
json_object *pv_merge_case(const struct pv_merge_part *part, size_t index);
/* Returns whether `name` of the digests (framework/cli/run_earlier.c), such as "agent", differs. Absent is different.
 */
bool pv_merge_is_other_program(const struct pv_merge_part *a, const struct pv_merge_part *b, const char *name);

#endif
