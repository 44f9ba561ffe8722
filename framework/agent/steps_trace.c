/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT traces: opened, started, read, stopped and closed, one by one or all at once. Their checks are in checks_trace.c.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/agent/checks.h"
#include "framework/agent/event_attr.h"
#include "framework/agent/traces.h"
#include "framework/util/cleanup.h"

#define AUX_BYTES_DEFAULT (16u << 20)

/* ---- opening ---- */

static const char *const terms[] = {"filter", "direction", "type", "format"}; /* the first is no plain number */

/* A name of the filter: another Root Port, or the one function. */
static int add_to_filter(struct pv_session *s, const char *name, uint64_t *filter)
{
	const struct pv_topo_node *node = pv_session_node(s, name);

	if (!node)
		return -1;
	if (node->role != PV_ROLE_PORT || node->parent >= 0) {
		if (*filter)
			return pv_session_plan_error(
				s, "filter: expected Root Ports or one other function, got %s beside others", name);
		*filter = PCI_RID(node->bdf);
		return 0;
	}
	if (*filter && !(*filter & PTT_FILTER_IS_PORT))
		return pv_session_plan_error(
			s, "filter: expected Root Ports or one other function, got %s beside another", name);
	*filter |= PTT_FILTER_IS_PORT | PTT_FILTER_PORT_BIT(node->bdf);
	return 0;
}

/*
 * A filter is a number, or the names of functions: where they stand is known here, also on a board that has them
 * elsewhere.
 */
static int read_filter(struct pv_session *s, const struct pv_args *a, uint64_t *filter)
{
	const char *text = pv_arg_text(a, "filter");
	char name[64];

	*filter = 0;
	if (!text)
		return 0;
	if (isdigit((unsigned char)*text))
		return pv_number_parse(text, filter);
	while (pv_word_next(&text, name, sizeof(name)))
		if (add_to_filter(s, name, filter))
			return -1;
	return 0;
}

/* The terms as a user gives them to perf. */
static int resolve(struct pv_session *s, const struct pv_args *a, uint64_t filter, struct pv_event_config *c,
		   struct pv_error *e)
{
	char text[256] = "";
	size_t len = 0;

	*c = (struct pv_event_config){{pv_arg_number(a, "config")}};
	if (pv_arg_has(a, "config"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (pv_arg_has(a, terms[i]))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=0x%" PRIx64, len ? "," : "",
						terms[i], i ? pv_arg_number(a, terms[i]) : filter);
	return len ? pv_event_resolve(s->t, pv_arg_text(a, "pmu"), text, c, e) : 0;
}

/* The config word that the plan means, packed by the documented layout and not by the driver's format files. */
static uint64_t intent(const struct pv_args *a, uint64_t filter)
{
	uint64_t config = pv_arg_number(a, "config");

	for (size_t i = 0; !pv_arg_has(a, "config") && i < ARRAY_SIZE(terms); i++)
		pv_trace_pack(terms[i], i ? pv_arg_number(a, terms[i]) : filter, &config);
	return config;
}

static struct pv_session_trace *new_trace(struct pv_session *s, const struct pv_args *a, uint64_t filter)
{
	struct pv_session_trace *t = pv_trace_new(s, pv_arg_text(a, "id"), pv_arg_text(a, "pmu"));
	uint64_t aux = pv_arg_number(a, "aux");

	if (!t)
		return NULL;
	t->config.word[0] = intent(a, filter);
	if (pv_arg_choice(a, "reader"))
		t->area = aux ? aux : AUX_BYTES_DEFAULT;
	return t;
}

/*
 * Small buffers alone are there to make a short trace wrap: where they cannot be chosen, the driver's own do. With an
 * AUX area of a chosen size the trace is about sizes.
 */
static int set_buffer(struct pv_session *s, const struct pv_args *a)
{
	if (!pv_has(s->t->driver, ptt_buffer))
		return pv_arg_has(a, "buffer") && pv_arg_has(a, "aux")
			       ? pv_session_unsupported(s, "choice of the PTT's buffer size")
			       : 0;
	int err = s->t->driver->ops->ptt_buffer(s->t->driver, pv_arg_number(a, "buffer"));
	/* Busy: another session has them; opening this one will be refused, and that is for the plan to judge. */
	return err && err != -EBUSY ? pv_session_plan_error(s, "buffer: the driver refuses %s: %s",
							    pv_arg_text(a, "buffer"), pv_errno_name(err))
				    : 0;
}

static int open_event(struct pv_session *s, const struct pv_args *a, uint64_t filter, struct pv_session_trace *t,
		      struct pv_perf_attr *attr, struct pv_error *e)
{
	struct pv_event_config c;
	int err = resolve(s, a, filter, &c, e);

	if (err)
		return err;
	attr->config = c.word[0];
	attr->config1 = c.word[1];
	attr->config2 = c.word[2];
	attr->aux = true;
	attr->aux_bytes = pv_arg_number(a, "aux");
	attr->aux_overwrite = pv_arg_yes(a, "snapshot");
	return pv_event_attr_open(s, t->pmu, attr, NULL, pv_trace_take, t, &t->event, e);
}

/* Holds the event if steps read the AUX area. Without event_hold, the consumer refuses data that does not fit. */
static int hold(struct pv_session *s, const struct pv_session_trace *t, bool on)
{
	struct pv_driver *d = s->t->driver;

	return t->area == SIZE_MAX || !t->event || !pv_has(d, event_hold) ? 0 : d->ops->event_hold(d, t->event, on);
}

/* The trace, with the result of opening it in *err; NULL: a problem was reported. */
static struct pv_session_trace *open_trace(struct pv_session *s, const struct pv_args *a, struct pv_error *e, int *err)
{
	struct pv_perf_attr attr = {0};
	uint64_t filter;
	bool bad = pv_event_attr_fill(s, a, &attr) || read_filter(s, a, &filter);
	struct pv_session_trace *t = bad ? NULL : new_trace(s, a, filter);

	if (!t || set_buffer(s, a))
		return NULL;
	*err = open_event(s, a, filter, t, &attr, e);
	if (!*err)
		*err = hold(s, t, true);
	return t;
}

static int do_trace_open(struct pv_session *s, const struct pv_args *a)
{
	struct pv_error e = {0};
	int err;
	struct pv_session_trace *t = open_trace(s, a, &e, &err);

	if (!t)
		return -1;
	int end = pv_session_expect(s, err, e.text, "opening trace %s on %s", t->id, t->pmu);
	if (end)
		pv_session_drop_trace(s, t->id);
	return end < 0;
}

/* ---- from start to stop ---- */

static struct pv_session_trace *opened(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_session_trace(s, pv_arg_text(a, "id"));

	if (!t || t->event)
		return t;
	pv_session_plan_error(s, "trace %s: expected an open one, got one that is closed", t->id);
	return NULL;
}

static int enable(struct pv_session *s, struct pv_session_trace *t)
{
	if (t->running)
		return s->t->driver->ops->event_enable(s->t->driver, t->event);
	int err = pv_trace_starting(s, t);
	if (err)
		return err;
	err = s->t->driver->ops->event_enable(s->t->driver, t->event);
	pv_trace_started(s, t, err);
	return err;
}

static int disable(struct pv_session *s, struct pv_session_trace *t)
{
	pv_trace_ending(s, t);
	int err = s->t->driver->ops->event_disable(s->t->driver, t->event);
	pv_trace_ended(s, t);
	return err;
}

static int do_trace_enable(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = opened(s, a);

	if (!t)
		return -1;
	return pv_session_expect(s, enable(s, t), NULL, "starting trace %s on %s", t->id, t->pmu) < 0;
}

static int do_trace_disable(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = opened(s, a);

	if (!t)
		return -1;
	int err = disable(s, t);
	if (pv_trace_check_kept(s, t))
		return -1;
	return pv_session_expect(s, err, NULL, "stopping trace %s", t->id) < 0;
}

/* Reports an AUX area whose state violates the perf ABI. */
static int read_failed(struct pv_session *s, const struct pv_session_trace *t, int err)
{
	s->checks++;
	pv_session_problem(
		s, PV_EMIT_FAIL, "errno", NULL,
		"reading trace %s: expected no more in the AUX area than it holds, behind what was read, got %s", t->id,
		pv_errno_name(err));
	return -1;
}

/* Takes up to `bytes` of what waits in the area; where nothing waits there, its consumer has it already. */
static int take(struct pv_session *s, struct pv_session_trace *t, uint64_t bytes)
{
	struct pv_driver *d = s->t->driver;
	size_t before;
	int err;

	if (!pv_has(d, event_take))
		return 0;
	do {
		before = t->unread;
		err = d->ops->event_take(d, t->event, bytes - before);
	} while (!err && t->unread > before && t->unread < bytes);
	pv_trace_read_late(t);
	return err;
}

static int do_trace_read(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = opened(s, a);

	if (!t)
		return -1;
	uint64_t least = pv_arg_number(a, "bytes-min"),
		 most = pv_arg_has(a, "bytes") ? pv_arg_number(a, "bytes") : SIZE_MAX;
	int err = take(s, t, most);
	if (err)
		return read_failed(s, t, err);
	if (least)
		pv_session_judge(s, t->unread >= least, NULL,
				 "trace %s: expected at least %" PRIu64 " bytes that were not read yet, got %zu", t->id,
				 least, t->unread);
	t->unread -= t->unread < most ? t->unread : most;
	return 0;
}

/* Reads the event's descriptor, as perf stat would. */
static int do_check_trace_count(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = opened(s, a);
	uint64_t want = pv_arg_number(a, "equals"), got = 0;

	if (!t)
		return -1;
	int err = s->t->driver->ops->event_read(s->t->driver, t->event, &got);
	if (err)
		return pv_session_expect(s, err, NULL, "reading the count of trace %s", t->id);
	return pv_session_judge(s, got == want, NULL, "count of trace %s: expected %" PRIu64 ", got %" PRIu64 ": %s",
				t->id, want, got, t->pmu);
}

static int do_trace_close(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = opened(s, a);

	if (!t)
		return -1;
	pv_trace_ending(s, t);
	int err = hold(s, t, false);
	s->t->driver->ops->event_close(s->t->driver, steal(&t->event));
	pv_trace_ended(s, t);
	return err ? read_failed(s, t, err) : pv_trace_check_kept(s, t);
}

/* ---- all at once ---- */

static int do_trace_start(struct pv_session *s, const struct pv_args *a)
{
	struct pv_error e = {0};
	int err;
	struct pv_session_trace *t = open_trace(s, a, &e, &err);

	if (!t)
		return -1;
	if (!err)
		err = enable(s, t);
	int end = pv_session_expect(s, err, e.text, "trace %s on %s", t->id, t->pmu);
	if (end)
		pv_session_drop_trace(s, t->id);
	return end < 0;
}

static int do_trace_stop(struct pv_session *s, const struct pv_args *a)
{
	struct pv_session_trace *t = pv_session_trace(s, pv_arg_text(a, "id"));

	if (!t)
		return -1;
	if (!t->event)
		return pv_session_plan_error(s, "trace %s: expected it to run, got one that is stopped", t->id);
	int err = disable(s, t), left = hold(s, t, false);
	s->t->driver->ops->event_close(s->t->driver, steal(&t->event));
	err = err ? err : left;
	if (pv_trace_check_kept(s, t))
		return -1;
	return pv_session_expect(s, err, NULL, "stopping trace %s", t->id) < 0;
}

const struct pv_step_def pv_steps_trace[] = {
	{"trace-start", do_trace_start, PV_STEP_DRIVER},
	{"trace-stop", do_trace_stop, PV_STEP_DRIVER},
	{"trace-open", do_trace_open, PV_STEP_DRIVER},
	{"trace-enable", do_trace_enable, PV_STEP_DRIVER},
	{"trace-disable", do_trace_disable, PV_STEP_DRIVER},
	{"trace-read", do_trace_read, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"trace-close", do_trace_close, PV_STEP_DRIVER},
	{"check-trace-count", do_check_trace_count, PV_STEP_DRIVER | PV_STEP_CHECK},
	{NULL},
};
