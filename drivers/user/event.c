/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event handles and their groups, over the methods of the PMU kinds (see pmu.h for who calls what when).
 */
#include <stdlib.h>

#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

static void link_event(struct pv_event **list, struct pv_event *ev)
{
	while (*list)
		list = &(*list)->next;
	ev->next = NULL;
	*list = ev;
}

static void unlink_event(struct pv_event **list, struct pv_event *ev)
{
	while (*list && *list != ev)
		list = &(*list)->next;
	if (*list)
		*list = ev->next;
}

static void join_group(struct pv_event *leader, struct pv_event *ev)
{
	struct pv_event *last = leader;

	ev->leader = leader;
	if (ev == leader)
		return;
	while (last->member)
		last = last->member;
	last->member = ev;
}

/* A member leaves its group. Members that lose their leader become events of their own, as in perf. */
static void leave_group(struct pv_event *ev)
{
	struct pv_event *at = ev->leader, *member, *next;

	if (at != ev) {
		while (at->member != ev)
			at = at->member;
		at->member = ev->member;
	} else {
		for (member = ev->member; member; member = next) {
			next = member->member;
			member->leader = member;
			member->member = NULL;
		}
	}
	ev->leader = ev;
	ev->member = NULL;
}

/*
 * Checks that are common to all kinds of PMUs. The hardware counts for everybody, so exclude bits are refused
 * (PERF_PMU_CAP_NO_EXCLUDE). The CPU of the event must be online and near the device.
 */
static int check_common(const struct pv_event *ev)
{
	if (ev->attr.exclude)
		return -PV_EINVAL;
	if (!pv_cpu_is_online(ev->sys, ev->cpu))
		return -PV_ENODEV;
	return !ev->pmu->kind->any_cpu || pv_cpus_of(ev->pmu) >> ev->cpu & 1 ? 0 : -PV_EINVAL;
}

static int init(struct pv_event *ev)
{
	int err = ev->pmu->kind->event_init(ev);

	if (err)
		return err;
	err = check_common(ev);
	if (err && ev->pmu->kind->event_exit)
		ev->pmu->kind->event_exit(ev);
	return err;
}

static int open_event(struct pv_sys *sys, struct pv_pmu *pmu, struct pv_event *ev, struct pv_event *leader)
{
	int err;

	ev->pmu = pmu;
	ev->sys = sys;
	ev->cpu = ev->attr.on_cpu ? ev->attr.cpu : pv_cpu_of(pmu);
	join_group(leader ? leader : ev, ev);
	err = ev->cpu < sys->cpus ? init(ev) : -PV_EINVAL;
	if (err) {
		leave_group(ev);
		return err;
	}
	link_event(&pmu->events, ev);
	return 0;
}

/* Returns the PMU of a type; NULL: none. */
static struct pv_pmu *pmu_of_type(const struct pv_sys *sys, unsigned type)
{
	struct pv_pmu *pmu = sys->pmus;

	while (pmu && pmu->type != type)
		pmu = pmu->next;
	return pmu;
}

/* Tries each PMU, as perf does with an unknown type. */
static int offer_event(struct pv_sys *sys, struct pv_event *ev, struct pv_event *leader)
{
	int err = -PV_ENOENT;
	struct pv_pmu *pmu;

	for (pmu = sys->pmus; pmu && err == -PV_ENOENT; pmu = pmu->next)
		err = open_event(sys, pmu, ev, leader);
	return err;
}

static int open_any(struct pv_sys *sys, const char *name, const struct pv_event_attr *attr, struct pv_event *leader,
		    pv_aux_fn aux, void *aux_ctx, struct pv_event **out)
{
	struct pv_pmu *pmu = attr->type ? pmu_of_type(sys, attr->type) : pv_sys_pmu(sys, name);
	struct pv_event *ev;
	int err;

	*out = NULL;
	if (!pmu && !attr->type)
		return -PV_ENODEV;
	if (leader && ((pmu && leader->pmu != pmu) || leader->leader != leader))
		return -PV_EINVAL;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return -PV_ENOMEM;
	ev->attr = *attr;
	ev->attr.type = attr->type ? attr->type : pmu->type;
	ev->aux = aux;
	ev->aux_ctx = aux_ctx;
	err = pmu ? open_event(sys, pmu, ev, leader) : offer_event(sys, ev, leader);
	if (err)
		free(ev);
	else
		*out = ev;
	return err;
}

int pv_event_open(struct pv_sys *sys, const char *pmu, const struct pv_event_attr *attr, pv_aux_fn aux, void *aux_ctx,
		  struct pv_event **out)
{
	return open_any(sys, pmu, attr, NULL, aux, aux_ctx, out);
}

int pv_event_open_group(struct pv_sys *sys, const char *pmu, const struct pv_event_attr *attr, struct pv_event *leader,
			struct pv_event **out)
{
	return open_any(sys, pmu, attr, leader, NULL, NULL, out);
}

/* Returns the next event that a call on `head` affects: a leader stands for its group, a member for itself only. */
static struct pv_event *next_of(struct pv_event *head, struct pv_event *ev)
{
	return head->leader == head ? ev->member : NULL;
}

static void freeze(struct pv_pmu *pmu)
{
	if (pmu->kind->pmu_disable)
		pmu->kind->pmu_disable(pmu);
}

static void unfreeze(struct pv_pmu *pmu)
{
	if (pmu->kind->pmu_enable)
		pmu->kind->pmu_enable(pmu);
}

/* Chooses the events of a call that are running, or those that are not: a member may run while its leader does not. */
static void choose(struct pv_event *head, bool running)
{
	struct pv_event *ev;

	for (ev = head; ev; ev = next_of(head, ev))
		ev->chosen = ev->running == running;
}

static int start_chosen(struct pv_event *head)
{
	struct pv_event *ev;
	int err = 0;

	for (ev = head; ev && !err; ev = next_of(head, ev)) {
		if (!ev->chosen)
			continue;
		ev->running = true; /* an interrupt may arrive before start() returns */
		err = ev->pmu->kind->start(ev);
		ev->running = !err;
	}
	return err;
}

static void stop_chosen(struct pv_event *head)
{
	struct pv_event *ev;

	for (ev = head; ev; ev = next_of(head, ev))
		if (ev->chosen && ev->running) {
			ev->running = false;
			ev->pmu->kind->stop(ev);
		}
}

int pv_event_enable(struct pv_event *head)
{
	struct pv_pmu *pmu = head->pmu;
	int err;

	if (!pmu || !pv_cpu_is_online(head->sys, head->cpu))
		return -PV_ENODEV;
	freeze(pmu);
	choose(head, false);
	err = start_chosen(head);
	if (err)
		stop_chosen(head);
	unfreeze(pmu);
	return err;
}

int pv_event_disable(struct pv_event *ev)
{
	struct pv_pmu *pmu = ev->pmu;

	if (!pmu)
		return -PV_ENODEV;
	freeze(pmu);
	choose(ev, true);
	stop_chosen(ev);
	unfreeze(pmu);
	return 0;
}

void pv_event_cpu_gone(struct pv_event *ev)
{
	if (ev->running)
		pv_event_disable(ev); /* with its group, which is on one CPU */
}

int pv_event_read(struct pv_event *ev, uint64_t *value)
{
	struct pv_event *each;

	if (!ev->pmu)
		return -PV_ENODEV;
	for (each = ev->leader; each; each = each->member)
		if (each->running && ev->pmu->kind->read)
			ev->pmu->kind->read(each);
	*value = ev->count;
	return 0;
}

void pv_sys_poll(struct pv_sys *sys)
{
	struct pv_pmu *pmu;
	struct pv_event *ev;

	sys->polled_ns = sys->bus->now_ns(sys->bus->ctx);
	for (pmu = sys->pmus; pmu; pmu = pmu->next)
		for (ev = pmu->events; pmu->kind->read && ev; ev = ev->next)
			if (ev->running)
				pmu->kind->read(ev);
}

uint64_t pv_sys_poll_due_ns(const struct pv_sys *sys)
{
	return sys->polled_ns + PV_SYS_POLL_NS;
}

int pv_event_reserve(struct pv_event *ev, size_t bytes, int (*check)(struct pv_event *ev))
{
	int err;

	ev->priv = calloc(1, bytes);
	if (!ev->priv)
		return -PV_ENOMEM;
	err = check(ev);
	if (err)
		pv_event_unreserve(ev);
	return err;
}

void pv_event_unreserve(struct pv_event *ev)
{
	free(ev->priv);
	ev->priv = NULL;
}

/* Stops only this one and removes it from its PMU. */
static void release(struct pv_event *ev)
{
	struct pv_pmu *pmu = ev->pmu;

	leave_group(ev);
	if (ev->running)
		pv_event_disable(ev);
	if (pmu->kind->event_exit)
		pmu->kind->event_exit(ev);
	unlink_event(&pmu->events, ev);
	ev->pmu = NULL;
}

void pv_event_close(struct pv_event *ev)
{
	if (!ev)
		return;
	if (ev->pmu)
		release(ev);
	else
		unlink_event(&ev->sys->orphans, ev);
	free(ev);
}

void pv_event_orphan_all(struct pv_pmu *pmu)
{
	while (pmu->events) {
		struct pv_event *ev = pmu->events;

		release(ev);
		link_event(&ev->sys->orphans, ev);
	}
}

void pv_event_free_all(struct pv_sys *sys)
{
	while (sys->orphans)
		pv_event_close(sys->orphans);
}
