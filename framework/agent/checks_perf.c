/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of what perf printed: its lines, and its counts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/checks.h"
#include "framework/agent/perf_run.h"
#include "framework/util/cleanup.h"

/* ---- lines ---- */

static int do_check_perf(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = pv_perf_run_get(s, pv_arg_text(a, "id"));
	uint64_t want = pv_arg_number(a, "lines"), got = 0;

	if (!p)
		return 0;
	_autofree_ char *text = strdup(p->said);
	for (char *at = text, *line; text && (line = strsep(&at, "\n"));)
		got += pv_arg_matches(a, "match", line);
	return pv_session_judge(s, pv_arg_has(a, "lines") ? got == want : got, p->said,
				"perf %s: expected %s%" PRIu64 " lines that match \"%s\", got %" PRIu64, p->id,
				pv_arg_has(a, "lines") ? "" : "at least ", pv_arg_has(a, "lines") ? want : 1,
				pv_arg_text(a, "match"), got);
}

/* ---- counts ---- */

/* Limits of a hostile perf: counts and times in ps fit into 64 bits. */
#define MOST_COUNTED 1e18
#define MOST_SECONDS 1e6

struct pv_perf_counts pv_perf_counts_of(const struct pv_perf_run *p, const char *event)
{
	char *text = strdup(p->said);

	return (struct pv_perf_counts){.run = p, .event = event, .text = text, .at = text};
}

void pv_perf_counts_free(struct pv_perf_counts *c)
{
	free(c->text);
	c->text = c->at = NULL;
}

/* Without intervals, the first field of a line is not the time. */
static int parse(const struct pv_perf_run *p, const char *line, struct pv_perf_stat *out)
{
	_autofree_ char *timed = NULL;

	if (p->has_intervals)
		return pv_perf_stat_parse(line, out);
	return asprintf(&timed, "0,%s", line) < 0 ? -1 : pv_perf_stat_parse(timed, out);
}

static bool is_of(const struct pv_perf_stat *stat, const char *event)
{
	char name[sizeof(stat->pmu) + sizeof(stat->event) + 2];

	snprintf(name, sizeof(name), *stat->pmu ? "%s/%s/" : "%s%s", stat->pmu, stat->event);
	return !strcmp(name, event);
}

bool pv_perf_counts_next(struct pv_perf_counts *c, struct pv_perf_stat *out)
{
	for (char *line; c->text && (line = strsep(&c->at, "\n"));)
		if (!parse(c->run, line, out) && is_of(out, c->event)) {
			out->value = fmin(out->value, MOST_COUNTED);
			out->end_s = fmin(out->end_s, MOST_SECONDS);
			return true;
		}
	return false;
}

static int do_check_perf_count(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = pv_perf_run_get(s, pv_arg_text(a, "id"));
	const char *event = pv_arg_text(a, "event");
	uint64_t want = pv_arg_number(a, "equals"), got = 0;
	struct pv_perf_stat one;
	bool found = false;

	if (!p)
		return 0;
	struct pv_perf_counts counts = pv_perf_counts_of(p, event);
	while (pv_perf_counts_next(&counts, &one)) {
		found |= one.counted;
		got += (uint64_t)one.value;
	}
	pv_perf_counts_free(&counts);
	if (!found)
		return pv_session_judge(s, false, p->said, "perf %s: expected a count of %s, got none", p->id, event);
	return pv_session_judge(s, got == want, p->said, "perf %s: %s: expected %" PRIu64 ", got %" PRIu64, p->id,
				event, want, got);
}

const struct pv_step_def pv_checks_perf[] = {
	{"check-perf", do_check_perf, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-perf-count", do_check_perf_count, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-perf-intervals", pv_check_perf_intervals, PV_STEP_DRIVER | PV_STEP_CHECK | PV_STEP_LEDGER},
	{NULL},
};
