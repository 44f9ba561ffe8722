/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The corpus: cases that reached something new, from which others are made. */
#ifndef PV_EXPLORE_CORPUS_H
#define PV_EXPLORE_CORPUS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

/*
 * Cases are drawn in generations of so many. A case is made of what was given and of what all generations before the
 * last one found: this is the same with any number of workers, which need not wait for each other.
 */
enum { PV_CORPUS_GENERATION = 50 };
#define PV_CORPUS_LINE "line " /* so begin the names of states that are lines of a driver */

struct pv_corpus_entry {
	json_object *c;	     /* in the form of element.h, with "tags": "explore", its target and its subjects */
	uint64_t index;	     /* number of the case that it was in the session */
	unsigned subjects;   /* 1 << enum pv_explore_subject */
	bool model;	     /* drawn for the models */
	bool foreign;	     /* of another folder than the one that is written */
	json_object *states; /* new ones: an object of names to hashes; NULL: none, or they are not known yet */
	bool lines;	     /* among them are lines of a driver, which the models do not reach */
};

/* Zeroed: empty. */
struct pv_corpus {
	struct pv_corpus_entry *entry; /* ascending by index */
	size_t n, given;	       /* the first ones come from files */
};

/*
 * Adds the plans of a folder, by name. `foreign`: the folder is only read, and must exist. 0, or -errno with *e: the
 * file and line of a plan that is none, or that is no case of explore.
 */
int pv_corpus_load(struct pv_corpus *k, const char *folder, bool foreign, struct pv_error *e);
/* Adds a case, and takes it over; `states` likewise. 0, -EINVAL if its tags name no subject, -ENOMEM. */
int pv_corpus_add(struct pv_corpus *k, json_object *c, uint64_t index, json_object *states);
/* Returns the number of entries, from the first, that case number `index` may be made of. */
size_t pv_corpus_bases(const struct pv_corpus *k, uint64_t index);
void pv_corpus_free(struct pv_corpus *k);

#endif
