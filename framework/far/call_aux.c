/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AUX data that arrive with answers: assembled into commits, delivered, or kept if the consumer refuses them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/client_internal.h"

/* ---- commits ---- */

static void stash_clear(struct pv_far_stash *s)
{
	free(s->data);
	*s = (struct pv_far_stash){0};
}

static int stash_append(struct pv_far_stash *s, const uint8_t *data, size_t n)
{
	if (n > PV_FAR_COMMIT_MAX - s->len)
		return -EMSGSIZE;
	if (n > s->room - s->len) {
		size_t room = s->len + n > 2 * s->room ? s->len + n : 2 * s->room;
		uint8_t *grown = realloc(s->data, room);

		if (!grown)
			return -ENOMEM;
		s->data = grown;
		s->room = room;
	}
	if (n)
		memcpy(s->data + s->len, data, n);
	s->len += n;
	return 0;
}

void pv_far_forget_aux(struct pv_perf_event *ev)
{
	stash_clear(&ev->coming);
	while (ev->refused) {
		struct pv_far_stash *s = ev->refused;

		ev->refused = s->next;
		free(s->data);
		free(s);
	}
	ev->end = &ev->refused;
	ev->refused_bytes = 0;
}

/* ---- handing over ---- */

/* Keeps a commit that the consumer refused. Kept commits are offered first from now on. */
static int keep(struct pv_perf_event *ev, const void *data, size_t n, uint32_t flags)
{
	struct pv_far_stash *s = calloc(1, sizeof(*s));
	int err = !s ? -ENOMEM : n > PV_FAR_COMMIT_MAX - ev->refused_bytes ? -ENOBUFS : stash_append(s, data, n);

	if (err) {
		free(s);
		return err;
	}
	s->flags = flags;
	*ev->end = s;
	ev->end = &s->next;
	ev->refused_bytes += n;
	return 0;
}

static bool can_hold(const struct pv_far_client *c)
{
	return c->driver_ops.event_hold;
}

/* Gives a whole commit to the consumer. */
static int hand(struct pv_far_client *c, struct pv_perf_event *ev, const void *data, size_t n, uint32_t flags)
{
	if (!ev->aux)
		return 0;
	flags |= ev->lost ? PV_PERF_AUX_TRUNCATED : 0;
	if (!ev->refused && !ev->aux(ev->aux_ctx, data, n, flags)) {
		ev->lost = false;
		return 0;
	}
	if (can_hold(c))
		return keep(ev, data, n, flags);
	ev->lost = true;
	return 0;
}

static struct pv_perf_event *find(struct pv_far_client *c, uint32_t id)
{
	struct pv_perf_event *ev = c->events;

	while (ev && ev->id != id)
		ev = ev->next;
	return ev;
}

/* A commit of one piece is delivered directly from the answer. */
static int add_piece(struct pv_far_client *c, struct pv_perf_event *ev, const uint8_t *data, size_t n, uint32_t flags,
		     bool goes_on)
{
	int err;

	if (!goes_on && !ev->coming.len)
		return hand(c, ev, data, n, flags);
	err = stash_append(&ev->coming, data, n);
	if (err || goes_on)
		return err;
	err = hand(c, ev, ev->coming.data, ev->coming.len, flags);
	stash_clear(&ev->coming);
	return err;
}

int pv_far_take_pieces(struct pv_far_client *c)
{
	struct pv_get *g = &c->answer;

	for (uint32_t i = 0; i < c->pieces && !g->bad; i++) {
		uint32_t id = pv_get_u32(g), flags = pv_get_u32(g);
		bool goes_on = pv_get_bool(g);
		size_t n;
		const uint8_t *data = pv_get_bytes(g, &n);
		struct pv_perf_event *ev = g->bad ? NULL : find(c, id);
		int err = ev ? add_piece(c, ev, data, n, flags, goes_on) : 0;

		if (!g->bad && !ev)
			return pv_far_die(c, "AUX data of event %" PRIu32 ", which is not open", id);
		if (err)
			return pv_far_die(c, "keeping AUX data of event %" PRIu32 ": %s", id, strerror(-err));
	}
	return 0;
}

/* ---- refusal ---- */

static int hold(struct pv_far_client *c, struct pv_perf_event *ev, bool on)
{
	struct pv_put *p = pv_far_begin(c, PV_FAR_EVENT_HOLD);

	pv_put_u32(p, ev->id);
	pv_put_u8(p, on);
	ev->held = on;
	return pv_far_call(c);
}

void pv_far_tell_lost(struct pv_perf_event *ev)
{
	if (ev->lost && ev->aux && !ev->aux(ev->aux_ctx, NULL, 0, PV_PERF_AUX_TRUNCATED))
		ev->lost = false;
}

/* Offers refused commits again, oldest first. Returns true if none is left. */
static bool offer(struct pv_perf_event *ev)
{
	while (ev->refused) {
		struct pv_far_stash *s = ev->refused;

		if (ev->aux(ev->aux_ctx, s->data, s->len, s->flags))
			return false;
		ev->refused = s->next;
		ev->refused_bytes -= s->len;
		free(s->data);
		free(s);
	}
	ev->end = &ev->refused;
	return true;
}

int pv_far_offer(struct pv_far_client *c)
{
	int err = 0;

	for (struct pv_perf_event *ev = c->events; ev && !err; ev = ev->next) {
		pv_far_tell_lost(ev);
		if (!ev->held_here && offer(ev) && ev->held)
			err = hold(c, ev, false);
	}
	return err == -ECONNRESET ? err : 0;
}

static int more(struct pv_far_client *c)
{
	int err = 0;

	while (c->more && !err) {
		pv_far_begin(c, PV_FAR_AUX_MORE);
		err = pv_far_call(c);
	}
	return err;
}

int pv_far_settle(struct pv_far_client *c, int result)
{
	int err = more(c);

	for (struct pv_perf_event *ev = c->events; ev && !err; ev = ev->next)
		if (ev->refused && !ev->held && !ev->held_here)
			err = hold(c, ev, true);
	/* The answer to hold tells how much data the far side still has. */
	return result ? result : err;
}
