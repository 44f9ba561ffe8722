/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the CPMU and the DWC PMU: open, start, stop, read, close. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/agent/checks.h"
#include "framework/agent/event_attr.h"
#include "framework/agent/registers.h"
#include "framework/agent/session.h"
#include "framework/agent/step.h"
#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"

/* ---- open ---- */

int64_t pv_counter_parent(struct pv_session *s, const char *pmu)
{
	pv_bdf bdf;

	return pv_has(s->t->driver, pmu_parent) && !s->t->driver->ops->pmu_parent(s->t->driver, pmu, &bdf)
		       ? (int64_t)bdf
		       : -1;
}

#define LAST "lane=last"

/* Returns the number of the last lane that a port may have (Link Capabilities, PCIe 5.0 7.5.3.6); -1: reported. */
static int last_lane(struct pv_session *s, const char *pmu)
{
	int64_t port = pv_counter_parent(s, pmu);
	uint32_t cap;
	uint64_t link;

	if (port < 0)
		return 0; /* opening the event says that there is no such PMU */
	cap = pv_registers_cap(s, (pv_bdf)port, PCI_CAP_ID_EXP);
	if (!cap)
		return pv_session_plan_error(s, "event: expected \"lane=last\" of a port, got %s", pmu);
	if (pv_registers_read(s, (pv_bdf)port, -1, cap + PCI_EXP_LNKCAP, 4, &link))
		return -1;
	int lanes = (int)PCI_EXP_LNKCAP_LANES(link);
	return lanes ? lanes - 1 : 0;
}

/* Copies the event, if there is one, with the number of the last lane. 0, or -1: reported. The caller frees *text. */
static int read_event_text(struct pv_session *s, const struct pv_args *a, char **text)
{
	const char *event = pv_arg_text(a, "event"), *last = event ? strstr(event, LAST) : NULL;
	int lane = last ? last_lane(s, pv_arg_text(a, "pmu")) : 0;

	*text = NULL;
	if (!event || lane < 0)
		return event ? -1 : 0;
	if (!last)
		*text = strdup(event);
	else if (asprintf(text, "%.*slane=%d%s", (int)(last - event), event, lane, last + strlen(LAST)) < 0)
		*text = NULL;
	if (!*text)
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
	return *text ? 0 : -1;
}

static int resolve(struct pv_session *s, const struct pv_args *a, const char *event, struct pv_perf_attr *attr,
		   struct pv_error *e)
{
	static const char *const words[] = {"config", "config1", "config2"};
	struct pv_event_config c = {0};
	int err = event ? pv_event_resolve(s->t, pv_arg_text(a, "pmu"), event, &c, e) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (pv_arg_has(a, words[i]))
			c.word[i] = pv_arg_number(a, words[i]);
	*attr = (struct pv_perf_attr){
		.config = c.word[0],
		.config1 = c.word[1],
		.config2 = c.word[2],
		.type = (uint32_t)pv_arg_number(a, "type"),
		.pinned = pv_arg_yes(a, "pinned"),
	};
	return err;
}

static bool id_taken(const struct pv_session *s, const char *id)
{
	for (struct pv_counter *c = s->counters; c; c = c->next)
		if (!strcmp(c->id, id))
			return true;
	return false;
}

/* `text`: the event, with the number of the lane; NULL: the plan gives config words. */
static int keep(struct pv_session *s, const struct pv_args *a, const char *text, const struct pv_perf_attr *attr,
		struct pv_counter *leader, struct pv_perf_event *event)
{
	struct pv_counter *c = calloc(1, sizeof(*c));

	if (!c) {
		s->t->driver->ops->event_close(s->t->driver, event);
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
		return -ENOMEM;
	}
	snprintf(c->id, sizeof(c->id), "%s", pv_arg_text(a, "id"));
	pv_utf8_print(c->pmu, sizeof(c->pmu), "%s", pv_arg_text(a, "pmu"));
	if (text) {
		pv_utf8_print(c->what, sizeof(c->what), "%s/%s/", c->pmu, pv_arg_text(a, "event"));
		c->documented = pv_event_doc_find(c->pmu, text);
	} else {
		pv_utf8_print(c->what, sizeof(c->what), "%s, config 0x%" PRIx64, c->pmu, pv_arg_number(a, "config"));
	}
	c->parent = pv_counter_parent(s, c->pmu);
	memcpy(c->config, (const uint64_t[]){attr->config, attr->config1, attr->config2}, sizeof(c->config));
	c->event = event;
	c->leader = leader;
	c->next = s->counters;
	s->counters = c;
	return 0;
}

static int do_open(struct pv_session *s, const struct pv_args *a)
{
	struct pv_error e = {0};
	struct pv_perf_attr attr;
	struct pv_perf_event *event = NULL;
	struct pv_counter *leader = NULL;
	struct pv_pause pause;
	const char *id = pv_arg_text(a, "id"), *pmu = pv_arg_text(a, "pmu"), *group = pv_arg_text(a, "group");

	if (id_taken(s, id))
		return pv_session_plan_error(s, "id: expected a new name, got \"%s\" again", id);
	if (group && !(leader = pv_session_counter(s, group)))
		return -1;
	if (group && !leader->event)
		return pv_session_plan_error(s, "group: expected an open counter, got \"%s\", which is closed", group);
	_autofree_ char *text = NULL;
	if (read_event_text(s, a, &text))
		return -1;
	int err = resolve(s, a, text, &attr, &e);
	if (pv_event_attr_fill(s, a, &attr))
		return -1;
	pv_pause_begin(s, &pause);
	if (!err)
		err = pv_event_attr_open(s, pmu, &attr, leader ? leader->event : NULL, NULL, NULL, &event, &e);
	if (pv_pause_end(s, &pause)) {
		if (!err)
			s->t->driver->ops->event_close(s->t->driver, event);
		return -ENOMEM;
	}
	int end = pv_session_expect(s, err, e.text, "opening counter %s on %s", id, pmu);
	if (!err && end)
		s->t->driver->ops->event_close(s->t->driver, event);
	if (end)
		return end < 0;
	return keep(s, a, text, &attr, leader, event);
}

/* ---- start, stop, read, close: each for a list of counters ---- */

static bool in_group(const struct pv_counter *c, const struct pv_counter *leader)
{
	return c->event && (c == leader || c->leader == leader);
}

static struct pv_window *add_window(struct pv_counter *c)
{
	struct pv_window *w = realloc(c->win, (c->windows + 1) * sizeof(*w));

	if (!w)
		return NULL;
	c->win = w;
	c->win[c->windows] = (struct pv_window){0};
	return &c->win[c->windows++];
}

/* A member that runs already keeps its window. */
static int open_windows(struct pv_session *s, struct pv_counter *leader)
{
	for (struct pv_counter *c = s->counters; c; c = c->next) {
		if (!in_group(c, leader) || c->running)
			continue;
		struct pv_window *w = add_window(c);
		if (!w)
			return -ENOMEM;
		pv_window_outer_begin(s, w);
		c->running = c->starting = true;
	}
	return 0;
}

/* Calls an edge of the open window of each member. */
static void edges(struct pv_session *s, struct pv_counter *leader,
		  void (*edge)(struct pv_session *, struct pv_window *))
{
	for (struct pv_counter *c = s->counters; c; c = c->next)
		if (in_group(c, leader) && c->running)
			edge(s, &c->win[c->windows - 1]);
}

/* Begins the inner windows of the counters being started; on error, drops their windows. */
static void settle_windows(struct pv_session *s, int err)
{
	for (struct pv_counter *c = s->counters; c; c = c->next) {
		if (!c->starting)
			continue;
		c->starting = false;
		pv_window_inner_begin(s, &c->win[c->windows - 1]);
		if (err) {
			c->running = false;
			c->windows--;
		} else {
			c->read = false; /* its value is that of earlier windows */
		}
	}
}

static bool all_run(const struct pv_session *s, const struct pv_counter *leader)
{
	for (const struct pv_counter *c = s->counters; c; c = c->next)
		if (in_group(c, leader) && !c->running)
			return false;
	return true;
}

static int start_one(struct pv_session *s, struct pv_counter *c)
{
	if (c->leader && all_run(s, c))
		return 0; /* its leader took it along */
	struct pv_pause pause;
	int err = open_windows(s, c);
	pv_pause_begin(s, &pause);
	if (!err)
		err = s->t->driver->ops->event_enable(s->t->driver, c->event);
	if (pv_pause_end(s, &pause))
		err = -ENOMEM;
	settle_windows(s, err);
	return err;
}

int pv_counter_read(struct pv_session *s, struct pv_counter *c)
{
	struct pv_window *w = c->running ? &c->win[c->windows - 1] : NULL;

	if (w)
		pv_window_inner_end(s, w);
	int err = s->t->driver->ops->event_read(s->t->driver, c->event, &c->value);
	if (w)
		pv_window_outer_end(s, w);
	c->read = !err;
	return err;
}

static int stop_one(struct pv_session *s, struct pv_counter *c)
{
	if (!c->running && c->leader)
		return 0; /* it went with its leader */
	struct pv_pause pause;
	pv_pause_begin(s, &pause);
	edges(s, c, pv_window_inner_end);
	int err = s->t->driver->ops->event_disable(s->t->driver, c->event);
	edges(s, c, pv_window_outer_end);
	for (struct pv_counter *m = s->counters; m; m = m->next)
		if (in_group(m, c))
			m->running = m->read = false;
	if (pv_pause_end(s, &pause))
		return -ENOMEM;
	for (struct pv_counter *m = s->counters; m && !err; m = m->next)
		if (in_group(m, c))
			err = pv_counter_read(s, m);
	return err;
}

static int mmap_one(struct pv_session *s, struct pv_counter *c)
{
	return s->t->driver->ops->event_mmap(s->t->driver, c->event);
}

static int close_one(struct pv_session *s, struct pv_counter *c)
{
	struct pv_pause pause;

	pv_pause_begin(s, &pause);
	s->t->driver->ops->event_close(s->t->driver, steal(&c->event));
	c->running = false;
	return pv_pause_end(s, &pause);
}

static int for_each(struct pv_session *s, const struct pv_args *a, const char *doing,
		    int (*fn)(struct pv_session *, struct pv_counter *))
{
	const char *list = pv_arg_text(a, "id");
	char id[PV_ID_MAX];

	while (pv_word_next(&list, id, sizeof(id))) {
		struct pv_counter *c = pv_session_counter(s, id);

		if (!c)
			return -1;
		if (!c->event)
			return pv_session_plan_error(s, "expected an open counter, got \"%s\", which is closed", id);
		int end = pv_session_expect(s, fn(s, c), NULL, "%s counter %s on %s", doing, id, c->pmu);
		if (end < 0)
			return end;
	}
	return 0;
}

static int do_start(struct pv_session *s, const struct pv_args *a)
{
	return for_each(s, a, "starting", start_one);
}

static int do_stop(struct pv_session *s, const struct pv_args *a)
{
	return for_each(s, a, "stopping", stop_one);
}

static int do_read(struct pv_session *s, const struct pv_args *a)
{
	return for_each(s, a, "reading", pv_counter_read);
}

static int do_mmap(struct pv_session *s, const struct pv_args *a)
{
	if (!pv_has(s->t->driver, event_mmap))
		return pv_session_unsupported(s, "files of events");
	return for_each(s, a, "mapping", mmap_one);
}

static int do_close(struct pv_session *s, const struct pv_args *a)
{
	return for_each(s, a, "closing", close_one);
}

const struct pv_step_def pv_steps_counter[] = {
	{"counter-open", do_open, PV_STEP_DRIVER},
	{"counter-start", do_start, PV_STEP_DRIVER},
	{"counter-stop", do_stop, PV_STEP_DRIVER},
	{"counter-read", do_read, PV_STEP_DRIVER},
	{"counter-mmap", do_mmap, PV_STEP_DRIVER},
	{"counter-close", do_close, PV_STEP_DRIVER},
	{NULL},
};
