/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of states: open addressing, at most half full. */
#include "framework/explore/states.h"

#include <stdlib.h>

#include "framework/util/json.h"

enum { ROOM_FIRST = 4096 };

static size_t place_of(const struct pv_states *s, uint64_t state)
{
	size_t at = state & (s->room - 1);

	while (s->slot[at] && s->slot[at] != state)
		at = (at + 1) & (s->room - 1);
	return at;
}

static bool grow(struct pv_states *s)
{
	struct pv_states more = {.room = s->room ? 2 * s->room : ROOM_FIRST, .n = s->n};

	more.slot = calloc(more.room, sizeof(more.slot[0]));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < s->room; i++)
		if (s->slot[i])
			more.slot[place_of(&more, s->slot[i])] = s->slot[i];
	free(s->slot);
	*s = more;
	return true;
}

bool pv_states_has(const struct pv_states *s, uint64_t state)
{
	return s->room && s->slot[place_of(s, state ? state : 1)];
}

bool pv_states_add(struct pv_states *s, uint64_t state)
{
	if (2 * s->n >= s->room && !grow(s))
		return false;
	state = state ? state : 1;
	size_t at = place_of(s, state);
	if (s->slot[at])
		return false;
	s->slot[at] = state;
	s->n++;
	return true;
}

json_object *pv_states_take(struct pv_states *s, json_object *named, const struct pv_states *except)
{
	json_object *fresh = NULL;

	json_object_object_foreach(named, name, hash)
	{
		uint64_t state = json_object_get_uint64(hash);

		if ((except && pv_states_has(except, state)) || !pv_states_add(s, state))
			continue;
		if (!fresh)
			fresh = json_object_new_object();
		pv_json_add(fresh, name, json_object_get(hash));
	}
	return fresh;
}

void pv_states_free(struct pv_states *s)
{
	free(s->slot);
	*s = (struct pv_states){0};
}
