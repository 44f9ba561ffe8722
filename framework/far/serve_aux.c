/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AUX data on their way to the client: kept as committed, sent in pieces that fit into answers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/server_internal.h"

int pv_far_aux_add(void *event, const void *data, size_t len, uint32_t flags)
{
	struct pv_far_event *ev = event;
	struct pv_far_server *s = ev->server;
	struct pv_far_commit *c = NULL;

	/* One commit is always accepted, whatever its length: otherwise it could never be sent. */
	if (!s->waiting || (s->waiting < s->t.aux_max && len <= s->t.aux_max - s->waiting))
		c = malloc(sizeof(*c) + len);
	if (!c) {
		s->refused = true;
		return -ENOSPC;
	}
	*c = (struct pv_far_commit){.id = ev->id, .flags = flags, .len = len};
	if (len)
		memcpy(c->data, data, len);
	*s->end = c;
	s->end = &c->next;
	s->waiting += len;
	return 0;
}

static void drop_first(struct pv_far_server *s)
{
	struct pv_far_commit *c = s->first;

	s->first = c->next;
	if (!s->first)
		s->end = &s->first;
	s->waiting -= c->len;
	free(c);
}

/* Writes as much of the first commit as fits; returns false if nothing does. */
static bool put_piece(struct pv_far_server *s, struct pv_put *p)
{
	struct pv_far_commit *c = s->first;
	size_t left = c->len - c->sent, room = p->room - p->len;
	bool goes_on;

	if (room <= PV_FAR_PIECE_HEAD + 64)
		return false;
	room -= PV_FAR_PIECE_HEAD;
	goes_on = left > room;
	pv_put_u32(p, c->id);
	pv_put_u32(p, c->flags);
	pv_put_u8(p, goes_on);
	pv_put_bytes(p, c->data + c->sent, goes_on ? room : left);
	c->sent += room;
	if (!goes_on)
		drop_first(s);
	return true;
}

uint32_t pv_far_aux_put(struct pv_far_server *s, struct pv_put *p)
{
	uint32_t n = 0;

	while (s->first && put_piece(s, p))
		n++;
	return n;
}

bool pv_far_aux_has_more(const struct pv_far_server *s)
{
	return s->first || s->refused;
}

void pv_far_aux_drop(struct pv_far_server *s)
{
	while (s->first)
		drop_first(s);
}
