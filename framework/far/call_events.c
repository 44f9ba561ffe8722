/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the far side. */
#include <errno.h>
#include <stdlib.h>

#include "framework/far/client_internal.h"

static void put_attr(struct pv_put *p, const struct pv_perf_attr *a)
{
	pv_put_u64(p, a->config);
	pv_put_u64(p, a->config1);
	pv_put_u64(p, a->config2);
	pv_put_u32(p, a->type);
	pv_put_u8(p, a->on_cpu);
	pv_put_u32(p, a->cpu);
	pv_put_u8(p, a->per_task);
	pv_put_u8(p, a->sampling);
	pv_put_u8(p, a->pinned);
	pv_put_u32(p, a->exclude);
	pv_put_u8(p, (uint8_t)(a->aux | a->aux_action << 1)); /* bit 0; bits 3:1 */
	pv_put_u64(p, a->aux_bytes);
	pv_put_u8(p, a->aux_overwrite);
}

static void add(struct pv_far_client *c, struct pv_perf_event *ev)
{
	ev->end = &ev->refused;
	ev->next = c->events;
	c->events = ev;
}

int pv_far_event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
		      struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	struct pv_put *p = pv_far_begin(c, PV_FAR_EVENT_OPEN);
	struct pv_perf_event *ev = calloc(1, sizeof(*ev));
	int err;

	if (!ev)
		return -ENOMEM;
	*ev = (struct pv_perf_event){.aux = aux, .aux_ctx = aux_ctx};
	pv_far_put_pmu(c, pmu);
	put_attr(p, attr);
	pv_put_u32(p, leader ? leader->id : 0);
	err = pv_far_ask(c);
	if (!err)
		ev->id = pv_get_u32(&c->answer);
	err = pv_far_end(c, err);
	if (err) {
		free(ev);
		return err;
	}
	add(c, ev);
	*out = ev;
	return 0;
}

/* A call that takes nothing but an event: begin it. */
static struct pv_far_client *begin_of(struct pv_driver *d, struct pv_perf_event *ev, enum pv_far_op op)
{
	struct pv_far_client *c = pv_far_of_driver(d);

	pv_put_u32(pv_far_begin(c, op), ev->id);
	return c;
}

void pv_far_event_close(struct pv_driver *d, struct pv_perf_event *ev)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_CLOSE);
	struct pv_perf_event **at = &c->events;

	pv_far_call(c);
	pv_far_tell_lost(ev);
	while (*at != ev)
		at = &(*at)->next;
	*at = ev->next;
	pv_far_forget_aux(ev);
	free(ev);
}

int pv_far_event_enable(struct pv_driver *d, struct pv_perf_event *ev)
{
	return pv_far_call(begin_of(d, ev, PV_FAR_EVENT_ENABLE));
}

int pv_far_event_disable(struct pv_driver *d, struct pv_perf_event *ev)
{
	int err = pv_far_offer(pv_far_of_driver(d));
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_DISABLE);

	return err ? err : pv_far_settle(c, pv_far_call(c));
}

int pv_far_event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_READ);
	int err = pv_far_ask(c);

	if (!err)
		*value = pv_get_u64(&c->answer);
	return pv_far_end(c, err);
}

int pv_far_event_times(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_TIMES);
	int err = pv_far_ask(c);

	if (!err) {
		*enabled_ns = pv_get_u64(&c->answer);
		*running_ns = pv_get_u64(&c->answer);
	}
	return pv_far_end(c, err);
}

int pv_far_event_poll(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_POLL);
	int err = pv_far_ask(c);

	if (!err)
		*revents = pv_get_u32(&c->answer);
	return pv_far_end(c, err);
}

int pv_far_event_mmap(struct pv_driver *d, struct pv_perf_event *ev)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_MMAP);

	return pv_far_end(c, pv_far_ask(c));
}

/* Holds data that are already on this side, too. */
int pv_far_event_hold(struct pv_driver *d, struct pv_perf_event *ev, bool hold)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	int err;

	ev->held_here = hold;
	ev->held = false;
	err = pv_far_offer(c);
	if (err)
		return err;
	begin_of(d, ev, PV_FAR_EVENT_HOLD);
	pv_put_u8(&c->request, hold);
	return pv_far_settle(c, pv_far_call(c));
}

int pv_far_event_take(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_TAKE);

	pv_put_u64(&c->request, bytes);
	return pv_far_settle(c, pv_far_call(c));
}

int pv_far_event_records(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_RECORDS);
	struct pv_get *g = &c->answer;
	int err = pv_far_ask(c);

	if (!err) {
		out->aux = pv_get_u64(g);
		out->itrace_start = pv_get_u64(g);
		out->lost = pv_get_u64(g);
		out->other = pv_get_u64(g);
		out->lost_records = pv_get_u64(g);
	}
	return pv_far_end(c, err);
}
