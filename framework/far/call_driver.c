/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events, attributes, sizes, hot-plug and log of the far driver; the far machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/far/client_internal.h"
#include "framework/util/cleanup.h"

/* Puts the far side's name of a PMU into the request. */
static void put_pmu(struct pv_far_client *c, const char *pmu)
{
	pv_put_string(&c->request, c->names.there ? c->names.there(c->names.ctx, pmu) : pmu);
}

/* ---- events ---- */

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

static int event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
		      struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	struct pv_put *p = pv_far_begin(c, PV_FAR_EVENT_OPEN);
	struct pv_perf_event *ev = calloc(1, sizeof(*ev));
	int err;

	if (!ev)
		return -ENOMEM;
	*ev = (struct pv_perf_event){.aux = aux, .aux_ctx = aux_ctx};
	put_pmu(c, pmu);
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

/* Begins a call whose only argument is an event. */
static struct pv_far_client *begin_of(struct pv_driver *d, struct pv_perf_event *ev, enum pv_far_op op)
{
	struct pv_far_client *c = pv_far_of_driver(d);

	pv_put_u32(pv_far_begin(c, op), ev->id);
	return c;
}

static void event_close(struct pv_driver *d, struct pv_perf_event *ev)
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

static int event_enable(struct pv_driver *d, struct pv_perf_event *ev)
{
	return pv_far_call(begin_of(d, ev, PV_FAR_EVENT_ENABLE));
}

static int event_disable(struct pv_driver *d, struct pv_perf_event *ev)
{
	int err = pv_far_offer(pv_far_of_driver(d));
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_DISABLE);

	return err ? err : pv_far_settle(c, pv_far_call(c));
}

static int event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_READ);
	int err = pv_far_ask(c);

	if (!err)
		*value = pv_get_u64(&c->answer);
	return pv_far_end(c, err);
}

static int event_times(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_TIMES);
	int err = pv_far_ask(c);

	if (!err) {
		*enabled_ns = pv_get_u64(&c->answer);
		*running_ns = pv_get_u64(&c->answer);
	}
	return pv_far_end(c, err);
}

static int event_poll(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_POLL);
	int err = pv_far_ask(c);

	if (!err)
		*revents = pv_get_u32(&c->answer);
	return pv_far_end(c, err);
}

static int event_mmap(struct pv_driver *d, struct pv_perf_event *ev)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_MMAP);

	return pv_far_end(c, pv_far_ask(c));
}

/* Also holds data that have already arrived here. */
static int event_hold(struct pv_driver *d, struct pv_perf_event *ev, bool hold)
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

static int event_take(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes)
{
	struct pv_far_client *c = begin_of(d, ev, PV_FAR_EVENT_TAKE);

	pv_put_u64(&c->request, bytes);
	return pv_far_settle(c, pv_far_call(c));
}

static int event_records(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out)
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

/* ---- probing and PMUs ---- */

static int probe_status(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	struct pv_put *p = pv_far_begin(c, PV_FAR_PROBE_STATUS);
	int err, status = 0;

	pv_put_u32(p, bdf);
	pv_put_u32(p, n);
	err = pv_far_ask(c);
	c->why[0] = '\0';
	if (!err) {
		status = pv_get_i32(&c->answer);
		pv_get_string(&c->answer, c->why, sizeof(c->why));
	}
	err = pv_far_end(c, err);
	*why = c->failure.code ? c->failure.text : c->why;
	return err ? err : status;
}

/* Returns entry n of a list; NULL beyond the last. */
static const char *entry(struct pv_far_client *c, enum pv_far_op op, size_t n, char *text, size_t size)
{
	bool there = false;
	int err;

	if (n > UINT32_MAX)
		return NULL;
	pv_put_u32(pv_far_begin(c, op), (uint32_t)n);
	err = pv_far_ask(c);
	if (!err)
		there = pv_get_bool(&c->answer);
	if (there)
		pv_get_string(&c->answer, text, size);
	return pv_far_end(c, err) || !there ? NULL : text;
}

static const char *pmu_name(struct pv_driver *d, size_t n)
{
	struct pv_far_client *c = pv_far_of_driver(d);

	const char *name = entry(c, PV_FAR_PMU_NAME, n, c->name, sizeof(c->name));

	return name && c->names.here ? c->names.here(c->names.ctx, name) : name;
}

static const char *log_line(struct pv_driver *d, size_t n)
{
	struct pv_far_client *c = pv_far_of_driver(d);

	return entry(c, PV_FAR_LOG_LINE, n, c->line, sizeof(c->line));
}

static int pmu_parent(struct pv_driver *d, const char *pmu, pv_bdf *bdf)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	int err;

	pv_far_begin(c, PV_FAR_PMU_PARENT);
	put_pmu(c, pmu);
	err = pv_far_ask(c);
	if (!err)
		*bdf = pv_get_u32(&c->answer);
	return pv_far_end(c, err);
}

/* ---- attributes ---- */

/* Begins a call that takes the path of an attribute. */
static struct pv_far_client *begin_attr(struct pv_driver *d, enum pv_far_op op, const char *pmu, const char *path)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	struct pv_put *p = pv_far_begin(c, op);

	put_pmu(c, pmu);
	pv_put_string(p, path);
	return c;
}

static int attr_read(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size)
{
	struct pv_far_client *c = begin_attr(d, PV_FAR_ATTR_READ, pmu, path);
	int err;

	pv_put_u32(&c->request, size < PV_FAR_TEXT_MAX ? (uint32_t)size : PV_FAR_TEXT_MAX);
	err = pv_far_ask(c);
	if (!err)
		pv_get_string(&c->answer, buf, size);
	err = pv_far_end(c, err);
	return err ? err : (int)strlen(buf);
}

static int attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	struct pv_far_client *c = begin_attr(d, PV_FAR_ATTR_WRITE, pmu, path);

	pv_put_string(&c->request, text);
	return pv_far_call(c);
}

/* The whole answer is checked before fn is called. */
static int attr_list(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *), void *ctx)
{
	struct pv_far_client *c = begin_attr(d, PV_FAR_ATTR_LIST, pmu, dir);
	int err = pv_far_ask(c);
	uint32_t n = err ? 0 : pv_get_u32(&c->answer);
	struct pv_get begin = c->answer;
	char name[PV_FAR_PATH_MAX];

	for (uint32_t i = 0; i < n && !c->answer.bad; i++)
		pv_get_string(&c->answer, name, sizeof(name));
	err = pv_far_end(c, err);
	for (uint32_t i = 0; !err && i < n; i++) {
		pv_get_string(&begin, name, sizeof(name));
		fn(ctx, name);
	}
	return err;
}

/* ---- sizes and hot-plug ---- */

static int get_size(struct pv_driver *d, pv_bdf bdf, bool mrrs)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	struct pv_put *p = pv_far_begin(c, PV_FAR_GET_SIZE);
	int err, bytes = 0;

	pv_put_u32(p, bdf);
	pv_put_u8(p, mrrs);
	err = pv_far_ask(c);
	if (!err)
		bytes = pv_get_i32(&c->answer);
	c->answer.bad |= bytes < 0;
	err = pv_far_end(c, err);
	return err ? err : bytes;
}

static int set_size(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	struct pv_put *p = pv_far_begin(c, PV_FAR_SET_SIZE);

	pv_put_u32(p, bdf);
	pv_put_u8(p, mrrs);
	pv_put_i32(p, bytes);
	return pv_far_call(c);
}

/* The far driver may wait here: AUX data arrive. */
static int hotplug(struct pv_driver *d, enum pv_far_op op, const pv_bdf *bdf)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	int err = pv_far_offer(c);
	struct pv_put *p = pv_far_begin(c, op);

	if (err)
		return err;
	if (bdf)
		pv_put_u32(p, *bdf);
	return pv_far_settle(c, pv_far_call(c));
}

static int slot_event(struct pv_driver *d, pv_bdf port)
{
	return hotplug(d, PV_FAR_SLOT_EVENT, &port);
}

static int gone(struct pv_driver *d, pv_bdf bdf)
{
	return hotplug(d, PV_FAR_GONE, &bdf);
}

static int rescan(struct pv_driver *d)
{
	return hotplug(d, PV_FAR_RESCAN, NULL);
}

static int remove_function(struct pv_driver *d, pv_bdf bdf)
{
	return hotplug(d, PV_FAR_REMOVE, &bdf);
}

static int set_vfs(struct pv_driver *d, pv_bdf pf, unsigned n)
{
	struct pv_far_client *c = pv_far_of_driver(d);
	int err = pv_far_offer(c);
	struct pv_put *p = pv_far_begin(c, PV_FAR_SET_VFS);

	if (err)
		return err;
	pv_put_u32(p, pf);
	pv_put_u32(p, n);
	return pv_far_settle(c, pv_far_call(c));
}

static int ptt_buffer(struct pv_driver *d, uint64_t bytes)
{
	struct pv_far_client *c = pv_far_of_driver(d);

	pv_put_u64(pv_far_begin(c, PV_FAR_PTT_BUFFER), bytes);
	return pv_far_call(c);
}

const struct pv_driver_ops pv_far_driver_ops = {
	.probe_status = probe_status,
	.pmu_name = pmu_name,
	.pmu_parent = pmu_parent,
	.attr_read = attr_read,
	.attr_write = attr_write,
	.attr_list = attr_list,
	.event_open = event_open,
	.event_enable = event_enable,
	.event_disable = event_disable,
	.event_read = event_read,
	.event_close = event_close,
	.event_times = event_times,
	.event_poll = event_poll,
	.event_mmap = event_mmap,
	.event_hold = event_hold,
	.event_take = event_take,
	.event_records = event_records,
	.get_size = get_size,
	.set_size = set_size,
	.slot_event = slot_event,
	.gone = gone,
	.rescan = rescan,
	.remove = remove_function,
	.set_vfs = set_vfs,
	.log_line = log_line,
	.ptt_buffer = ptt_buffer,
};

/* ---- machine ---- */

static struct pv_far_client *begin_reg(struct pv_machine *m, enum pv_far_op op, pv_bdf bdf, int bar, uint32_t off,
				       unsigned bytes)
{
	struct pv_far_client *c = pv_far_of_machine(m);
	struct pv_put *p = pv_far_begin(c, op);

	pv_put_u32(p, bdf);
	pv_put_i32(p, bar < 0 ? -1 : bar);
	pv_put_u32(p, off);
	pv_put_u32(p, bytes);
	return c;
}

static int reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	struct pv_far_client *c = begin_reg(m, PV_FAR_REG_READ, bdf, bar, off, bytes);
	int err = pv_far_ask(c);

	if (!err)
		*value = pv_get_u64(&c->answer);
	return pv_far_end(c, err);
}

static int reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_far_client *c = begin_reg(m, PV_FAR_REG_WRITE, bdf, bar, off, bytes);

	pv_put_u64(&c->request, value);
	return pv_far_call(c);
}

static int wait_ns(struct pv_machine *m, uint64_t ns)
{
	struct pv_far_client *c = pv_far_of_machine(m);
	int err = pv_far_offer(c);

	pv_put_u64(pv_far_begin(c, PV_FAR_WAIT), ns);
	return err ? err : pv_far_settle(c, pv_far_call(c));
}

/* Returns 0 when the far side is dead. */
static uint64_t now_ps(struct pv_machine *m)
{
	struct pv_far_client *c = pv_far_of_machine(m);
	uint64_t ps = 0;
	int err;

	pv_far_begin(c, PV_FAR_NOW);
	err = pv_far_ask(c);
	if (!err)
		ps = pv_get_u64(&c->answer);
	return pv_far_end(c, err) ? 0 : ps;
}

const struct pv_machine_ops pv_far_machine_ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.wait = wait_ns,
	.now_ps = now_ps,
};
