/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts, lookups and windows of a running case. The run itself is in case.c. */
#include "framework/agent/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"

#define FORMAT(buf, fmt)                                    \
	do {                                                \
		va_list ap_;                                \
		va_start(ap_, fmt);                         \
		pv_utf8_vprint(buf, sizeof(buf), fmt, ap_); \
		va_end(ap_);                                \
	} while (0)

/* ---- verdicts ---- */

/* Returns the output of a perf that is this text. NULL: it is none. */
static const struct pv_perf_run *perf_of(const struct pv_session *s, const char *text)
{
	const struct pv_perf_run *p = s->perfs;

	while (p && p->said != text)
		p = p->next;
	return p;
}

/* Returns the message, and of the text what an event has room for. The caller frees it. NULL: no memory. */
static char *join(const struct pv_session *s, const char *message, const char *text)
{
	size_t n = strlen(text), kept = pv_utf8_cut(text, n, PV_PROBLEM_TEXT_MAX);
	const struct pv_perf_run *p = kept < n ? perf_of(s, text) : NULL;
	char cut[PV_ID_MAX + 128] = "", *all;

	if (kept < n)
		snprintf(cut, sizeof(cut), "\n[cut: the text is longer than %u KiB]", PV_PROBLEM_TEXT_MAX >> 10);
	if (p)
		snprintf(cut + strlen(cut) - 1, sizeof(cut) - strlen(cut), "; all of it is in " PV_PERF_FILE "]",
			 p->id);
	return asprintf(&all, "%s\n%.*s%s", message, (int)kept, text, cut) < 0 ? NULL : all;
}

static void problem(struct pv_session *s, enum pv_emit_verdict v, const char *type, const char *text, const char *what)
{
	_autofree_ char *line = NULL, *all = NULL;

	if (v > s->verdict)
		s->verdict = v;
	if (s->step && asprintf(&line, "%s:%d: %s: %s", s->step->file, s->step->line, s->step->kind, what) < 0)
		line = NULL;
	const char *message = line ? line : what;
	if (text)
		all = join(s, message, text);
	if (s->rehearsal && s->rehearsal->problem)
		s->rehearsal->problem(s->rehearsal->ctx, v, type, message);
	pv_emit_problem(s->emit, s->n, v, type, message, all ? all : message);
}

void pv_session_problem(struct pv_session *s, enum pv_emit_verdict v, const char *type, const char *text,
			const char *fmt, ...)
{
	char what[1024];

	FORMAT(what, fmt);
	problem(s, v, type, text, what);
}

int pv_session_judge(struct pv_session *s, bool ok, const char *text, const char *fmt, ...)
{
	char what[1024];

	FORMAT(what, fmt);
	s->checks++;
	if (ok)
		pv_emit_check(s->emit, s->n, s->step->kind, what);
	else
		problem(s, PV_EMIT_FAIL, "check", text, what);
	return 0;
}

int pv_session_plan_error(struct pv_session *s, const char *fmt, ...)
{
	char what[1024];

	FORMAT(what, fmt);
	problem(s, PV_EMIT_ERROR, "plan", NULL, what);
	return -EINVAL;
}

int pv_session_lost(struct pv_session *s, const char *why, const char *what, ...)
{
	char doing[512];

	FORMAT(doing, what);
	s->lost = true;
	pv_session_problem(s, PV_EMIT_ERROR, "guest", why, "%s: the machine does not answer any more", doing);
	return -1;
}

void pv_session_learn(struct pv_session *s, const char *attr, const char *fmt, ...)
{
	_autofree_ char *text = NULL;
	va_list ap;

	if (!s->rehearsal || !s->rehearsal->learn || !pv_arg_has(s->step, attr))
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		pv_json_string(s->step->obj, attr, text);
	va_end(ap);
}

/* Makes the outcome of a step its expectation. Returns false if it has one already that is another. */
static bool learn(struct pv_session *s, int err)
{
	if (s->learned && (err < 0 || pv_arg_has(s->step, "expect")))
		return false;
	s->learned = true;
	json_object_object_del(s->step->obj, "expect");
	if (err < 0 && err != -ECONNRESET && pv_schema_attr(s->step->decl, "expect"))
		pv_json_string(s->step->obj, "expect", pv_errno_name(-err));
	return true;
}

int pv_session_expect(struct pv_session *s, int err, const char *why, const char *what, ...)
{
	char doing[512];

	FORMAT(doing, what);
	if (s->rehearsal && s->rehearsal->learn && !learn(s, err))
		return pv_session_plan_error(s, "%s: %s, which one expectation of the step cannot say", doing,
					     pv_errno_name(err));
	/* A step without this attribute expects success. */
	int expected = pv_schema_attr(s->step->decl, "expect") ? pv_arg_errno(s->step, "expect") : 0;
	int got = err < 0 ? -err : 0;
	char want_name[32], got_name[32];
	snprintf(want_name, sizeof(want_name), "%s", expected ? pv_errno_name(expected) : "success");
	snprintf(got_name, sizeof(got_name), "%s", got ? pv_errno_name(got) : "success");
	if (got == expected) {
		char told[640];

		snprintf(told, sizeof(told), "%s: %s as expected", doing, got_name);
		if (pv_arg_has(s->step, "expect")) {
			s->checks++;
			pv_emit_check(s->emit, s->n, s->step->kind, told);
		}
		return expected ? 1 : 0;
	}
	s->checks++;
	if (got == ECONNRESET)
		return pv_session_lost(s, why, "%s", doing);
	pv_session_problem(s, PV_EMIT_FAIL, "errno", why, "%s: expected %s, got %s%s%s%s", doing, want_name, got_name,
			   why && *why ? " (" : "", why ? why : "", why && *why ? ")" : "");
	return -1;
}

int pv_session_unsupported(struct pv_session *s, const char *what)
{
	pv_session_problem(s, PV_EMIT_SKIP, "target", NULL, "target %s has no %s", s->t->ops->name, what);
	return -EOPNOTSUPP;
}

/* ---- the driver ---- */

static void put_name(void *list, const char *name)
{
	fprintf(list, "%s ", name);
}

int pv_session_attr_list(struct pv_session *s, const char *pmu, const char *dir, char **names)
{
	struct pv_driver *d = s->t->driver;
	size_t size;

	*names = NULL;
	FILE *f = open_memstream(names, &size);
	int err = f ? d->ops->attr_list(d, pmu, dir, put_name, f) : -ENOMEM;

	if (f && fclose(f))
		err = -ENOMEM;
	if (err < 0) {
		free(*names);
		*names = NULL;
	}
	return err;
}

/* ---- lookups ---- */

const struct pv_topo_node *pv_session_node(struct pv_session *s, const char *name)
{
	const struct pv_topo_node *node = s->t->topology ? pv_topology_node(s->t->topology, name) : NULL;

	if (!node)
		pv_session_plan_error(s, "device: expected a function of the topology, got \"%s\"", name);
	return node;
}

int pv_session_bdf(struct pv_session *s, const char *name, pv_bdf *bdf)
{
	const struct pv_topo_node *node = s->t->topology ? pv_topology_node(s->t->topology, name) : NULL;

	if (node) {
		*bdf = node->bdf;
		return 0;
	}
	/* A function that is not there may be meant: asking for it must be an error of the driver. */
	if (!pv_bdf_parse(name, bdf))
		return 0;
	return pv_session_plan_error(
		s, "device: expected a function of the topology by name or [dddd:]bb:dd.f, got \"%s\"", name);
}

int pv_session_requester(struct pv_session *s, const struct pv_args *a, uint16_t *out)
{
	const char *text = pv_arg_text(a, "requester");
	uint64_t number;
	pv_bdf bdf = 0;

	if (!text)
		return 0;
	if (!pv_number_parse(text, &number) && number <= 0xffff)
		bdf = (pv_bdf)number;
	else if (pv_session_bdf(s, text, &bdf))
		return -1;
	*out = PCI_RID(bdf);
	return 1;
}

struct pv_session_trace *pv_session_trace(struct pv_session *s, const char *id)
{
	for (struct pv_session_trace *t = s->traces; t; t = t->next)
		if (!strcmp(t->id, id))
			return t;
	pv_session_plan_error(s, "expected a trace that was started, got \"%s\"", id);
	return NULL;
}

struct pv_counter *pv_session_counter(struct pv_session *s, const char *id)
{
	for (struct pv_counter *c = s->counters; c; c = c->next)
		if (!strcmp(c->id, id))
			return c;
	pv_session_plan_error(s, "expected a counter that was opened, got \"%s\"", id);
	return NULL;
}

static struct pv_named *find_named(struct pv_named *list, const char *id)
{
	for (; list; list = list->next)
		if (!strcmp(list->id, id))
			return list;
	return NULL;
}

struct pv_named *pv_session_named(struct pv_session *s, struct pv_named *list, const char *what, const char *id)
{
	struct pv_named *n = find_named(list, id);

	if (!n)
		pv_session_plan_error(s, "expected a %s of an earlier step, got \"%s\"", what, id);
	return n;
}

struct pv_named *pv_session_name(struct pv_session *s, struct pv_named **list, const char *id)
{
	struct pv_named *n = find_named(*list, id);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
		return NULL;
	}
	snprintf(n->id, sizeof(n->id), "%s", id);
	n->next = *list;
	*list = n;
	return n;
}

/* ---- windows ---- */

static void position(struct pv_session *s, uint64_t *record, uint64_t *time_ps)
{
	struct pv_ledger *l = pv_has(s->t->truth, ledger) ? s->t->truth->ops->ledger(s->t->truth) : NULL;

	*record = l ? pv_ledger_records(l) : 0;
	*time_ps = pv_has(s->t->machine, now_ps) ? s->t->machine->ops->now_ps(s->t->machine) : 0;
}

void pv_window_outer_begin(struct pv_session *s, struct pv_window *w)
{
	position(s, &w->outer_first, &w->outer_begin_ps);
}

void pv_window_inner_begin(struct pv_session *s, struct pv_window *w)
{
	position(s, &w->inner_first, &w->inner_begin_ps);
}

void pv_window_inner_end(struct pv_session *s, struct pv_window *w)
{
	position(s, &w->inner_last, &w->inner_end_ps);
}

void pv_window_outer_end(struct pv_session *s, struct pv_window *w)
{
	position(s, &w->outer_last, &w->outer_end_ps);
}

void pv_pause_begin(struct pv_session *s, struct pv_pause *p)
{
	position(s, &p->first, &p->begin_ps);
}

int pv_pause_end(struct pv_session *s, struct pv_pause *p)
{
	position(s, &p->last, &p->end_ps);
	if (!pv_step_is_for("kernel", s->driver) || (p->last == p->first && p->end_ps == p->begin_ps))
		return 0;
	for (struct pv_counter *c = s->counters; c; c = c->next) {
		if (!c->running || c->starting)
			continue;
		struct pv_window *w = &c->win[c->windows - 1];
		struct pv_pause *more = realloc(w->pause, (w->pauses + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		w->pause = more;
		w->pause[w->pauses++] = *p;
	}
	return 0;
}

void pv_counter_delete(struct pv_counter *c)
{
	for (size_t i = 0; i < c->windows; i++)
		free(c->win[i].pause);
	free(c->win);
	free(c);
}

/* ---- goldens ---- */

struct pv_golden_source pv_session_source(const struct pv_session *s)
{
	return (struct pv_golden_source){s->plan, s->case_name, s->driver, s->target, s->seed};
}

const char *pv_session_golden(const struct pv_session *s, const char *key)
{
	return json_object_get_string(json_object_object_get(json_object_object_get(s->msg, "golden"), key));
}
