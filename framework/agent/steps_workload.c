/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload commands of a board, and counters against what they counted. What a real program sends cannot be chosen as for
 * the steps of traffic: only who sends to whom.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "framework/agent/session.h"
#include "framework/util/cleanup.h"

static int end_of(struct pv_session *s, const char *name, const char *host, pv_bdf *end)
{
	if (strcmp(name, host))
		return pv_session_bdf(s, name, end);
	*end = PV_COMMAND_CPU;
	return 0;
}

static int remember(struct pv_session *s, const char *id, double value, const char *what)
{
	struct pv_named *m = pv_session_name(s, &s->measures, id);

	if (!m)
		return -ENOMEM;
	m->value = value;
	snprintf(m->what, sizeof(m->what), "%s", what);
	return 0;
}

static int do_workload(struct pv_session *s, const struct pv_args *a)
{
	const char *id = pv_arg_text(a, "id"), *rate = pv_arg_text(a, "rate");
	struct pv_command_result r = {0};
	struct pv_error e = {0};
	char text[160];
	pv_bdf from, to;

	if (!s->t->commands)
		return pv_session_unsupported(s, "workload commands");
	if (end_of(s, pv_arg_text(a, "from"), "cpu", &from) || end_of(s, pv_arg_text(a, "to"), "memory", &to))
		return -1;
	int err = s->t->commands->ops->run(s->t->commands, from, to, &r, &e);
	bool none = err == -ENOENT || err == -EPERM;
	if (err)
		pv_session_problem(s, none ? PV_EMIT_SKIP : PV_EMIT_ERROR, none ? "target" : "infrastructure", NULL,
				   "%s", e.text);
	if (err)
		return err;
	snprintf(text, sizeof(text), "workload %s: %" PRIu64 " bytes in %.3f s", id, r.bytes, r.seconds);
	pv_emit_log(s->emit, "info", text);
	err = remember(s, id, (double)r.bytes, "bytes of a workload");
	if (!err && rate)
		err = remember(s, rate, r.seconds > 0 ? (double)r.bytes / r.seconds : 0, "bytes/s of a workload");
	return err;
}

static struct pv_counter *read_counter(struct pv_session *s, const char *id)
{
	struct pv_counter *c = pv_session_counter(s, id);

	if (c && !c->read)
		pv_session_plan_error(s, "counter %s: expected it to have been read", id);
	return c && c->read ? c : NULL;
}

static int do_check_workload(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *m = pv_session_named(s, s->measures, "measure", pv_arg_text(a, "id"));
	struct pv_counter *c = m ? read_counter(s, pv_arg_text(a, "counter")) : NULL;

	if (!c)
		return -1;
	double tolerance = pv_arg_has(a, "tolerance") ? pv_arg_real(a, "tolerance")
			   : s->t->commands	      ? s->t->commands->tolerance
						      : 0;
	double counted = (double)c->value * (double)pv_arg_number(a, "unit");
	if (!(m->value > 0))
		return pv_session_plan_error(s,
					     "workload %s: expected it to move data, got %.0f bytes: the check "
					     "proves nothing",
					     m->id, m->value);
	double min = m->value * (1 - tolerance), max = m->value * (1 + tolerance);
	return pv_session_judge(s, counted >= min && counted <= max, NULL,
				"counter %s: expected %.0f to %.0f bytes (workload %s, %.0f), got %.0f (%" PRIu64
				" of %" PRIu64 " bytes): %s",
				c->id, min, max, m->id, m->value, counted, c->value, pv_arg_number(a, "unit"), c->what);
}

const struct pv_step_def pv_steps_workload[] = {
	{"workload", do_workload, PV_STEP_DRIVER,
	 PV_ARGS({"id", PV_ARG_TEXT, true}, {"from", PV_ARG_DEVICE, .def = "cpu"},
		 {"to", PV_ARG_DEVICE, .def = "memory"}, {"rate", PV_ARG_TEXT})},
	{"check-workload", do_check_workload, PV_STEP_CHECK,
	 PV_ARGS({"id", PV_ARG_TEXT, true}, {"counter", PV_ARG_TEXT, true}, {"unit", PV_ARG_NUMBER, .def = "1"},
		 {"tolerance", PV_ARG_REAL})},
	{NULL},
};
