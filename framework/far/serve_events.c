/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of events, which a client knows by numbers that are never used again, and their AUX data on the way to the
 * client: kept as committed, sent in pieces that fit into answers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/server_internal.h"

/* ---- AUX data ---- */

/* A pv_perf_aux_fn whose ctx is a struct pv_far_event. */
static int aux_add(void *event, const void *data, size_t len, uint32_t flags)
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

/* Drops all waiting data. */
static void aux_drop(struct pv_far_server *s)
{
	while (s->first)
		drop_first(s);
}

#define DRIVER (s->t.driver)

/* ---- events by number ---- */

static struct pv_far_event *find(struct pv_far_server *s, uint32_t id)
{
	struct pv_far_event *ev = s->events;

	while (ev && ev->id != id)
		ev = ev->next;
	return ev;
}

static struct pv_far_event *add(struct pv_far_server *s)
{
	struct pv_far_event *ev = s->n_events < PV_FAR_EVENTS_MAX ? calloc(1, sizeof(*ev)) : NULL;

	if (!ev)
		return NULL;
	*ev = (struct pv_far_event){.id = ++s->last_id, .server = s, .next = s->events};
	s->events = ev;
	s->n_events++;
	return ev;
}

/* The last AUX data of the event may still be in transit, identified by its number. */
static void forget(struct pv_far_server *s, struct pv_far_event *ev)
{
	struct pv_far_event **at = &s->events;

	while (*at != ev)
		at = &(*at)->next;
	*at = ev->next;
	s->n_events--;
	free(ev);
}

/* Members were opened after their leaders, and are closed before them. */
void pv_far_close_events(struct pv_far_server *s)
{
	while (s->events) {
		DRIVER->ops->event_close(DRIVER, s->events->event);
		forget(s, s->events);
	}
	aux_drop(s);
	s->refused = false;
}

/* ---- opening and closing ---- */

static struct pv_perf_attr get_attr(struct pv_get *g)
{
	struct pv_perf_attr a = {.config = pv_get_u64(g)};

	a.config1 = pv_get_u64(g);
	a.config2 = pv_get_u64(g);
	a.type = pv_get_u32(g);
	a.on_cpu = pv_get_bool(g);
	a.cpu = pv_get_u32(g);
	a.per_task = pv_get_bool(g);
	a.sampling = pv_get_bool(g);
	a.pinned = pv_get_bool(g);
	a.exclude = pv_get_u32(g);
	a.aux_action = pv_get_u8(g);
	a.aux = a.aux_action & 1;
	a.aux_action = a.aux_action >> 1 & PV_PERF_AUX_ACTIONS;
	a.aux_bytes = pv_get_u64(g);
	a.aux_overwrite = pv_get_bool(g);
	return a;
}

static int event_open(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	char pmu[PV_FAR_NAME_MAX];
	struct pv_perf_attr attr;
	struct pv_far_event *leader, *ev;
	uint32_t leader_id;
	int err;

	pv_get_string(g, pmu, sizeof(pmu));
	attr = get_attr(g);
	leader_id = pv_get_u32(g);
	leader = leader_id ? find(s, leader_id) : NULL;
	if (!pv_get_done(g) || (leader_id && !leader))
		return -EBADMSG;
	ev = add(s);
	if (!ev)
		return -EMFILE;
	err = DRIVER->ops->event_open(DRIVER, pmu, &attr, leader ? leader->event : NULL, attr.aux ? aux_add : NULL, ev,
				      &ev->event);
	if (err) {
		forget(s, ev);
		return err;
	}
	pv_put_u32(p, ev->id);
	return 0;
}

/* Returns the event of a request that has no other argument; NULL: the request is bad. */
static struct pv_far_event *get_event(struct pv_far_server *s, struct pv_get *g)
{
	uint32_t id = pv_get_u32(g);

	return pv_get_done(g) ? find(s, id) : NULL;
}

static int event_close(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);

	if (!ev)
		return -EBADMSG;
	DRIVER->ops->event_close(DRIVER, ev->event);
	forget(s, ev);
	return 0;
}

/* ---- working ---- */

static int event_enable(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);

	return ev ? DRIVER->ops->event_enable(DRIVER, ev->event) : -EBADMSG;
}

static int event_disable(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);

	return ev ? DRIVER->ops->event_disable(DRIVER, ev->event) : -EBADMSG;
}

static int event_read(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);
	uint64_t value = 0;
	int err = ev ? DRIVER->ops->event_read(DRIVER, ev->event, &value) : -EBADMSG;

	pv_put_u64(p, value);
	return err;
}

static int event_times(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);
	uint64_t enabled = 0, running = 0;
	int err = ev ? DRIVER->ops->event_times(DRIVER, ev->event, &enabled, &running) : -EBADMSG;

	pv_put_u64(p, enabled);
	pv_put_u64(p, running);
	return err;
}

static int event_poll(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);
	uint32_t revents = 0;
	int err = ev ? DRIVER->ops->event_poll(DRIVER, ev->event, &revents) : -EBADMSG;

	pv_put_u32(p, revents);
	return err;
}

static int event_mmap(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);

	return ev ? DRIVER->ops->event_mmap(DRIVER, ev->event) : -EBADMSG;
}

static int event_hold(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint32_t id = pv_get_u32(g);
	bool hold = pv_get_bool(g);
	struct pv_far_event *ev = pv_get_done(g) ? find(s, id) : NULL;

	return ev ? DRIVER->ops->event_hold(DRIVER, ev->event, hold) : -EBADMSG;
}

static int event_take(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	uint32_t id = pv_get_u32(g);
	uint64_t bytes = pv_get_u64(g);
	struct pv_far_event *ev = pv_get_done(g) ? find(s, id) : NULL;

	return ev ? DRIVER->ops->event_take(DRIVER, ev->event, bytes) : -EBADMSG;
}

static int event_records(struct pv_far_server *s, struct pv_get *g, struct pv_put *p)
{
	struct pv_far_event *ev = get_event(s, g);
	struct pv_perf_records r = {0};
	int err = ev ? DRIVER->ops->event_records(DRIVER, ev->event, &r) : -EBADMSG;

	pv_put_u64(p, r.aux);
	pv_put_u64(p, r.itrace_start);
	pv_put_u64(p, r.lost);
	pv_put_u64(p, r.other);
	pv_put_u64(p, r.lost_records);
	return err;
}

const pv_far_handler pv_far_event_handlers[PV_FAR_OPS] = {
	[PV_FAR_EVENT_OPEN] = event_open,	[PV_FAR_EVENT_ENABLE] = event_enable,
	[PV_FAR_EVENT_DISABLE] = event_disable, [PV_FAR_EVENT_READ] = event_read,
	[PV_FAR_EVENT_CLOSE] = event_close,	[PV_FAR_EVENT_TIMES] = event_times,
	[PV_FAR_EVENT_HOLD] = event_hold,	[PV_FAR_EVENT_RECORDS] = event_records,
	[PV_FAR_EVENT_TAKE] = event_take,	[PV_FAR_EVENT_POLL] = event_poll,
	[PV_FAR_EVENT_MMAP] = event_mmap,
};
