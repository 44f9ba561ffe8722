/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges each interval of a perf stat by the ledger. Their clocks run alike, but perf's begins at its start, whose time
 * in the ledger is unknown. Each count narrows the range of possible starts, until none agrees with a wrong count.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "framework/agent/checks.h"
#include "framework/agent/perf_run.h"
#include "framework/util/utf8.h"

/* From perf's look at the clock to its last counter; and how far the models lag behind the clock. */
#define SLACK_PS 5000000000ll

struct intervals {
	struct pv_session *s;
	const struct pv_perf_run *run;
	struct pv_counter counter;	/* the event, as a counter of a plan */
	int64_t earliest_ps, latest_ps; /* range of perf's start */
	uint64_t sum;			/* of the intervals so far */
	unsigned n, busy;		/* their number, and of those with a count */
};

/* ---- the event ---- */

/* Makes the counter of an event as perf takes it, by its documented meaning. 0, or a plan error. */
static int resolve(struct pv_session *s, const char *event, struct pv_counter *c)
{
	struct pv_event_config config;
	struct pv_error e = {0};
	char terms[192];
	int end = 0;

	snprintf(c->id, sizeof(c->id), "of perf");
	if (sscanf(event, "%63[^/]/%191[^/]/%n", c->pmu, terms, &end) != 2 || !end || event[end])
		return pv_session_plan_error(s, "event: expected PMU/TERM,.../, got \"%s\"", event);
	if (pv_event_resolve(s->t, c->pmu, terms, &config, &e))
		return pv_session_plan_error(s, "event: %s", e.text);
	struct pv_event_doc doc = pv_event_doc_find(c->pmu, terms);
	config = pv_event_doc_apply(&doc, config.word);
	memcpy(c->config, config.word, sizeof(c->config));
	c->parent = pv_counter_parent(s, c->pmu);
	return 0;
}

/* ---- the wire ---- */

/* Computes the count of the records before `end`, beginning with the start of the step. */
static int count_until(const struct intervals *j, uint64_t end, uint64_t *count)
{
	struct pv_window w = j->run->win;
	struct pv_bounds b = {0};

	w.inner_first = w.outer_first;
	w.inner_last = w.outer_last = end;
	w.inner_begin_ps = w.outer_begin_ps;
	w.inner_end_ps = w.outer_end_ps;
	int err = pv_check_counter_truth(j->s, &j->counter, &w, &b);
	*count = b.max;
	return err;
}

/* For an event whose count is known to be computable. */
static uint64_t passed(const struct intervals *j, uint64_t end)
{
	uint64_t count;

	count_until(j, end, &count);
	return count;
}

static int64_t time_of(const struct intervals *j, uint64_t record)
{
	struct pv_ledger_reader *r = pv_ledger_read(j->s->t->truth->ops->ledger(j->s->t->truth), record, record + 1);
	const struct pv_wire *w = r ? pv_ledger_next(r) : NULL;
	int64_t ps = w ? (int64_t)w->time_ps : 0;

	if (r)
		pv_ledger_close(r);
	return ps;
}

static bool is_at(const struct intervals *j, uint64_t record, int64_t ps)
{
	return time_of(j, record) >= ps;
}

static bool has_passed(const struct intervals *j, uint64_t record, int64_t count)
{
	return (int64_t)passed(j, record + 1) >= count;
}

/* Returns the first record of the run for which `is` holds, as it does for all records behind it; the end: none. */
static uint64_t first_record(const struct intervals *j, bool (*is)(const struct intervals *, uint64_t, int64_t),
			     int64_t what)
{
	uint64_t first = j->run->win.outer_first, end = j->run->win.outer_last;

	while (first < end) {
		uint64_t middle = first + (end - first) / 2;

		if (is(j, middle, what))
			end = middle;
		else
			first = middle + 1;
	}
	return first;
}

/* ---- judging ---- */

static int64_t ps_of(const struct pv_perf_stat *stat)
{
	return (int64_t)(stat->end_s * 1e12);
}

/* Makes the range of starts smaller by what had passed at the end of an interval. */
static void narrow(struct intervals *j, int64_t end_ps)
{
	uint64_t next = first_record(j, has_passed, (int64_t)j->sum + 1);
	int64_t from = j->sum ? time_of(j, first_record(j, has_passed, (int64_t)j->sum)) - end_ps - SLACK_PS : 0;
	int64_t to = next < j->run->win.outer_last ? time_of(j, next) - end_ps + SLACK_PS : INT64_MAX;

	j->earliest_ps = from > j->earliest_ps ? from : j->earliest_ps;
	j->latest_ps = to < j->latest_ps ? to : j->latest_ps;
}

/* Sets the range of starts that perf's own run allows. */
static void begin_range(struct intervals *j)
{
	struct pv_perf_counts counts = pv_perf_counts_of(j->run, j->counter.what);
	struct pv_perf_stat one = {0};

	while (pv_perf_counts_next(&counts, &one))
		;
	pv_perf_counts_free(&counts);
	j->earliest_ps = (int64_t)j->run->win.outer_begin_ps;
	j->latest_ps = (int64_t)j->run->win.outer_end_ps - ps_of(&one) + SLACK_PS;
}

/* False: wrong, and reported. */
static bool judge_interval(struct intervals *j, const struct pv_perf_stat *stat)
{
	int64_t end_ps = ps_of(stat);
	uint64_t before = j->sum, sum = before + (uint64_t)stat->value, end = j->run->win.outer_last;
	uint64_t reached = first_record(j, has_passed, (int64_t)sum);
	uint64_t min = passed(j, first_record(j, is_at, j->earliest_ps + end_ps - SLACK_PS));
	uint64_t max = passed(j, first_record(j, is_at, j->latest_ps + end_ps + SLACK_PS));
	uint64_t least = passed(j, sum && reached < end ? reached + 1 : reached);
	j->n++;
	j->busy += stat->value > 0;
	j->sum = sum;
	if (stat->counted && sum >= min && sum <= max && least == sum) {
		narrow(j, end_ps);
		return true;
	}
	pv_session_judge(j->s, false, j->run->said,
			 "perf %s: %s: interval %u, to %.3f s: expected %" PRIu64 " to %" PRIu64
			 " (wire), got %s%" PRIu64 "%s",
			 j->run->id, j->counter.what, j->n, stat->end_s, min > before ? min - before : 0,
			 max > before ? max - before : 0, stat->counted ? "" : "no count: ", sum - before,
			 sum >= min && sum <= max ? ", a part of what passed at once" : "");
	return false;
}

/* 0: the event can be judged. */
static int check_event(struct intervals *j)
{
	uint64_t none = 0;
	int err = count_until(j, j->run->win.outer_first, &none);

	if (err)
		pv_check_counter_unknown(j->s, &j->counter, err);
	else if (none)
		return pv_session_plan_error(j->s, "event: expected one that counts what passes, got one of time");
	return err;
}

int pv_check_perf_intervals(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = pv_perf_run_get(s, pv_arg_text(a, "id"));
	struct intervals j = {.s = s, .run = p};
	uint64_t busy = pv_arg_number(a, "busy");
	struct pv_perf_stat one;
	bool right = true;

	if (!p)
		return -1;
	if (!p->has_intervals || p->runs)
		return pv_session_plan_error(s, "perf '%s': expected a perf stat with an interval, and its end", p->id);
	pv_utf8_print(j.counter.what, sizeof(j.counter.what), "%s", pv_arg_text(a, "event"));
	if (resolve(s, pv_arg_text(a, "event"), &j.counter) || check_event(&j))
		return -1;
	begin_range(&j);
	struct pv_perf_counts counts = pv_perf_counts_of(p, pv_arg_text(a, "event"));
	while (right && pv_perf_counts_next(&counts, &one))
		right = judge_interval(&j, &one);
	pv_perf_counts_free(&counts);
	if (!right)
		return 0;
	if (!j.n)
		return pv_session_judge(s, false, p->said, "perf %s: expected intervals of %s, got none", p->id,
					j.counter.what);
	return pv_session_judge(s, j.busy >= busy, p->said,
				"perf %s: %s: expected counts in at least %" PRIu64 " intervals, got %u of %u", p->id,
				j.counter.what, busy, j.busy, j.n);
}
