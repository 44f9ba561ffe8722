/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs workload commands of a board; checks counters against the bytes that a workload moved, and throughput against a
 * recorded baseline. Unlike in the steps of traffic, a plan chooses only who sends to whom: it cannot choose the TLPs
 * of a real program.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "framework/agent/checks.h"
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

struct pv_counter *pv_check_counter_read(struct pv_session *s, const char *id)
{
	struct pv_counter *c = pv_session_counter(s, id);

	if (c && !c->read) {
		pv_session_plan_error(s, "counter %s: expected it to have been read", id);
		return NULL;
	}
	return c && pv_check_counter_documented(s, c) ? c : NULL;
}

static int do_check_workload(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *m = pv_session_named(s, s->measures, "measure", pv_arg_text(a, "id"));
	struct pv_counter *c = m ? pv_check_counter_read(s, pv_arg_text(a, "counter")) : NULL;

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

/* ---- baselines ---- */

/* Each board has its own. */
static void baseline_name(struct pv_session *s, const char *case_name, char *buf, size_t size)
{
	const char *board = json_object_get_string(json_object_object_get(s->msg, "board"));

	snprintf(buf, size, "%s.%s.%s", board ? board : "default", s->plan, case_name);
	pv_check_golden_clean(buf);
}

static int record_baseline(struct pv_session *s, const char *name, const struct pv_named *m, double tolerance)
{
	struct pv_golden_source src = pv_session_source(s);
	const char *staging = pv_session_golden(s, "staging");
	struct pv_error e = {0};
	int err =
		pv_golden_stage_baseline(staging ? staging : ".", name, &src, m->id, (uint64_t)m->value, tolerance, &e);

	return err ? pv_check_golden_refused(s, err, &e)
		   : pv_session_judge(s, true, NULL, "measure %s: recorded in baseline %s", m->id, name);
}

/* Reads a baseline by the name of the case, or by one that it had when the baseline was recorded. */
static int find_baseline(struct pv_session *s, const struct pv_named *m, char *name, size_t size, uint64_t *was,
			 struct pv_error *e)
{
	json_object *former = json_object_object_get(s->msg, "formerly");
	size_t n = json_object_is_type(former, json_type_array) ? json_object_array_length(former) : 0;
	const char *folder = pv_session_golden(s, "folder");
	struct pv_error none = {0};

	folder = folder ? folder : "fixtures/golden";
	int err = pv_golden_get_counter(folder, name, m->id, was, e);
	for (size_t i = 0; err == -ENOENT && i < n; i++) {
		const char *old = json_object_get_string(json_object_array_get_idx(former, i));
		char before[256];

		baseline_name(s, old ? old : "", before, sizeof(before));
		if (pv_golden_get_counter(folder, before, m->id, was, &none))
			continue;
		snprintf(name, size, "%s", before);
		return 0;
	}
	return err;
}

static int judge_baseline(struct pv_session *s, char *name, size_t size, const struct pv_named *m, double tolerance)
{
	struct pv_error e = {0};
	uint64_t was;

	if (find_baseline(s, m, name, size, &was, &e)) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL,
				   "%s; record the baseline of this board with `pcieval golden regen --accept`",
				   e.text);
		return 0;
	}
	return pv_session_judge(s, pv_golden_is_near(was, (uint64_t)m->value, tolerance), NULL,
				"measure %s: expected %" PRIu64 " +-%g %% (baseline %s), got %.0f: %s", m->id, was,
				100 * tolerance, name, m->value, m->what);
}

static int do_check_baseline(struct pv_session *s, const struct pv_args *a)
{
	struct pv_named *m = pv_session_named(s, s->measures, "measure", pv_arg_text(a, "id"));
	const char *mode = pv_session_golden(s, "mode");
	double tolerance = pv_arg_real(a, "tolerance");
	char name[256];

	if (!m)
		return -1;
	if (!(m->value >= 1 && m->value < 1e18))
		return pv_session_plan_error(s, "measure %s: expected 1 to 1e18 for a baseline, got %g", m->id,
					     m->value);
	/* Baselines are whole numbers. */
	if (m->value < 1000 && m->value != floor(m->value))
		return pv_session_plan_error(
			s, "measure %s: expected a whole number, or at least 1000, for a baseline, got %g", m->id,
			m->value);
	baseline_name(s, s->case_name, name, sizeof(name));
	return mode && !strcmp(mode, "record") ? record_baseline(s, name, m, tolerance)
					       : judge_baseline(s, name, sizeof(name), m, tolerance);
}

const struct pv_step_def pv_steps_workload[] = {
	{"workload", do_workload, PV_STEP_DRIVER},
	{"check-workload", do_check_workload, PV_STEP_CHECK},
	{"check-baseline", do_check_baseline, PV_STEP_CHECK},
	{NULL},
};
