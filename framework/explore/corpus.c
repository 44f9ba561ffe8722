/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries, and which of them a case may use. */
#include "framework/explore/corpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/explore/explore.h"

/* Reads "explore model dwc". */
static void read_tags(const char *tags, struct pv_corpus_entry *x)
{
	char text[256], *rest = text, *word;

	snprintf(text, sizeof(text), "%s", tags ? tags : "");
	while ((word = strsep(&rest, " "))) {
		x->model |= !strcmp(word, "model");
		x->subjects |= strcmp(word, "all") ? pv_explore_subject_by_name(word) : 0;
	}
}

static bool has_lines(json_object *states)
{
	if (!states)
		return false;
	json_object_object_foreach(states, name, hash)
	{
		(void)hash;
		if (!strncmp(name, PV_CORPUS_LINE, strlen(PV_CORPUS_LINE)))
			return true;
	}
	return false;
}

int pv_corpus_add(struct pv_corpus *k, json_object *c, uint64_t index, json_object *states)
{
	struct pv_corpus_entry x = {.c = c, .index = index, .states = states, .lines = has_lines(states)};
	struct pv_corpus_entry *more = realloc(k->entry, (k->n + 1) * sizeof(*more));

	k->entry = more ? more : k->entry;
	read_tags(json_object_get_string(json_object_object_get(c, "tags")), &x);
	if (!more || !x.subjects) {
		json_object_put(c);
		json_object_put(states);
		return more ? -EINVAL : -ENOMEM;
	}
	k->entry[k->n++] = x;
	return 0;
}

size_t pv_corpus_bases(const struct pv_corpus *k, uint64_t index)
{
	uint64_t generation = index / PV_CORPUS_GENERATION;
	uint64_t end = generation ? (generation - 1) * PV_CORPUS_GENERATION : 0;
	size_t n = k->given;

	while (n < k->n && k->entry[n].index < end)
		n++;
	return n;
}

void pv_corpus_free(struct pv_corpus *k)
{
	for (size_t i = 0; i < k->n; i++) {
		json_object_put(k->entry[i].c);
		json_object_put(k->entry[i].states);
	}
	free(k->entry);
	*k = (struct pv_corpus){0};
}
