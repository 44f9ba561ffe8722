/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history for a test, runs to add to it, and what it then says of cases. */
#ifndef PV_HISTORY_TESTS_RUNS_H
#define PV_HISTORY_TESTS_RUNS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/history/history.h"
#include "reports/tests/result_fixture.h"

enum { DAY = 86400, FIRST = 1772366400 };

static char path[64];
static struct pv_history h;
static struct pv_error e;

static inline void begin(void)
{
	strcpy(path, "/tmp/pcieval-history-XXXXXX");
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%s", e.text);
}

static inline void end(void)
{
	pv_history_close(&h);
	unlink(path);
}

/* Makes a run on day `day`, without cases. */
static inline struct pv_run_result *run_of(int day)
{
	struct pv_run_result *r = result_new();

	r->started = FIRST + (int64_t)day * DAY;
	return r;
}

/* Adds the run to the history, and frees it. */
static inline void add(struct pv_run_result *r)
{
	bool known;

	pv_run_count(r);
	cr_assert_eq(pv_history_add(&h, r, &known, &e), 0, "%s", e.text);
	cr_expect_not(known);
	pv_run_result_free(r);
}

/* Adds a run per letter, on successive days: P, F, E, S, or R for a pass after a retry. */
static inline void add_days(const char *letters)
{
	for (int day = 0; letters[day]; day++) {
		struct pv_run_result *r = run_of(day);
		const char *at = strchr("PFES", letters[day]);
		struct pv_case_result *c = result_add(r, "plan", "case", at ? (enum pv_verdict)(at - "PFES") : PV_PASS);

		c->message = strdup(letters[day] == 'F' ? "expected 2, got 1" : "killed");
		if (letters[day] == 'R') {
			c->n_attempts = 1;
			c->attempts = calloc(1, sizeof(*c->attempts));
		}
		add(r);
	}
}

/* Copies of the values that callbacks got. */
struct seen {
	struct pv_history_case cases[64];
	char names[64][64], message[64], strip[PV_HISTORY_STRIP + 1];
	size_t n;
};

static inline int take_case(void *ctx, const struct pv_history_case *c)
{
	struct seen *s = ctx;

	cr_assert_lt(s->n, 64);
	s->cases[s->n] = *c;
	snprintf(s->names[s->n++], sizeof(s->names[0]), "%s/%s", c->plan, c->name);
	snprintf(s->message, sizeof(s->message), "%s", c->message);
	snprintf(s->strip, sizeof(s->strip), "%s", c->strip);
	return 0;
}

static inline struct seen cases_of(struct pv_history_filter filter)
{
	struct seen s = {0};

	cr_assert_eq(pv_history_cases(&h, &filter, take_case, &s, &e), 0, "%s", e.text);
	return s;
}

static inline struct pv_history_case only_case(void)
{
	struct seen s = cases_of((struct pv_history_filter){0});

	cr_assert_eq(s.n, 1);
	return s.cases[0];
}

static inline int64_t date(int day)
{
	return FIRST + (int64_t)day * DAY;
}

static inline int count_run(void *ctx, const struct pv_history_run *run)
{
	size_t *n = ctx;

	++*n;
	return 0;
}

static inline size_t n_runs(size_t most)
{
	size_t n = 0;

	cr_assert_eq(pv_history_runs(&h, most, count_run, &n, &e), 0, "%s", e.text);
	return n;
}

#endif
