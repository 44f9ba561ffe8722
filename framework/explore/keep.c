/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases are looked at from the last one back: it was made of earlier ones and often reaches what they do, which need
 * not be kept then.
 */
#include "framework/explore/keep.h"

#include <errno.h>
#include <string.h>

#include "framework/explore/element.h"
#include "framework/explore/shrink.h"
#include "framework/explore/states.h"
#include "framework/util/json.h"

static bool is_stopped(void *ctx)
{
	const struct pv_keeping *keeping = ctx;

	return keeping->stop && *keeping->stop;
}

static void cover(struct pv_states *covered, json_object *c)
{
	json_object *list = json_object_object_get(c, "reached");

	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		pv_states_add(covered, json_object_get_uint64(json_object_array_get_idx(list, i)));
	json_object_object_del(c, "reached");
}

static void cover_own(struct pv_states *covered, json_object *names)
{
	json_object_object_foreach(names, name, hash)
	{
		(void)name;
		pv_states_add(covered, json_object_get_uint64(hash));
	}
}

/* A case that reaches its states only among other cases of its process is not kept. */
static int make_small(json_object **c, const struct pv_keeping *keeping, const struct pv_states *wanted, bool *reaches,
		      struct pv_error *e)
{
	struct pv_explore_shrinking s = {
		.tried = {.wanted = wanted}, .tries = keeping->tries, .stop = is_stopped, .stop_ctx = (void *)keeping};
	int err = pv_explore_judge(c, &s.tried, &s.v, e);

	*reaches = !err && s.v.bad;
	return *reaches && keeping->tries ? pv_explore_shrink(c, &s, e) : err;
}

/* A plan has a check. */
static void put_check(json_object *c)
{
	json_object *steps = json_object_object_get(c, "steps");
	size_t n = json_object_array_length(steps);

	if (!n || strcmp(pv_element_kind(json_object_array_get_idx(steps, n - 1)), "check-rules") != 0)
		pv_element_append(steps, "check-rules");
}

static int keep_one(const struct pv_corpus_entry *x, const struct pv_keeping *keeping, struct pv_states *covered,
		    struct pv_error *e)
{
	struct pv_states wanted = {0};
	_autojson_ json_object *names = pv_states_take(&wanted, x->states, covered), *c = NULL;
	bool reaches = false;
	int err = 0;

	if (names && json_object_deep_copy(x->c, &c, NULL))
		err = pv_error(e, -ENOMEM, "no memory");
	if (names && x->lines)
		reaches = true; /* to try whether smaller ones do needs a guest */
	else if (names && !err)
		err = make_small(&c, keeping, &wanted, &reaches, e);
	if (c && x->lines)
		cover_own(covered, names);
	else if (c)
		cover(covered, c);
	if (reaches && !err)
		put_check(c);
	if (reaches && !err)
		err = keeping->keep(keeping->ctx, c, names, e);
	pv_states_free(&wanted);
	return err;
}

int pv_explore_keep(const struct pv_corpus *k, const struct pv_keeping *keeping, struct pv_error *e)
{
	struct pv_states covered = {0};
	int err = 0;

	for (size_t i = k->n; i-- && !err;) {
		const struct pv_corpus_entry *x = &k->entry[i];

		if (x->states && (i >= k->given || x->foreign))
			err = keep_one(x, keeping, &covered, e);
	}
	pv_states_free(&covered);
	return err;
}
