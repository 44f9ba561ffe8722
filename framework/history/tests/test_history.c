/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history of runs: stored values, queries about cases, and rates. */
#include <errno.h>
#include <inttypes.h>

#include "framework/history/tests/runs.h"
#include "framework/util/cleanup.h"
#include "framework/util/hash.h"

TestSuite(history, .init = begin, .fini = end);

/* ---- stored values ---- */

static int check_run(void *ctx, const struct pv_history_run *run)
{
	cr_expect_str_eq(run->target, "model");
	cr_expect_str_eq(run->driver, "reference");
	cr_expect_str_eq(run->kernel, "6.12.1");
	cr_expect_str_eq(run->folder, "pcieval-results/2026-03-01T12-00-00Z");
	cr_expect_eq(run->started, FIRST);
	cr_expect_eq(run->count[PV_PASS], 1);
	cr_expect_eq(run->count[PV_FAIL], 2);
	cr_expect_float_eq(run->seconds, 2.5, 1e-9);
	return 0;
}

Test(history, has_what_a_run_tested_and_its_totals)
{
	struct pv_run_result *r = run_of(0);

	r->environment = result_strings("kernel", "6.12.1");
	result_add(r, "p", "a", PV_PASS);
	result_add(r, "p", "b", PV_FAIL);
	result_add(r, "p", "c", PV_FAIL);
	add(r);
	cr_expect_eq(pv_history_runs(&h, 0, check_run, NULL, &e), 0);
}

Test(history, stays_in_the_file)
{
	add_days("PF");
	pv_history_close(&h);
	cr_assert_eq(pv_history_open(&h, path, false, &e), 0, "%s", e.text);
	cr_expect_eq(n_runs(0), 2);
	cr_expect_eq(n_runs(1), 1);
}

Test(history, a_run_is_not_added_twice)
{
	struct pv_run_result *r = run_of(0);
	bool known;

	result_add(r, "p", "a", PV_PASS);
	cr_assert_eq(pv_history_add(&h, r, &known, &e), 0);
	cr_expect_not(known);
	free(r->folder);
	r->folder = strdup("copied/elsewhere");
	cr_assert_eq(pv_history_add(&h, r, &known, &e), 0);
	cr_expect(known);
	cr_expect_eq(only_case().results, 1);
	pv_run_result_free(r);
}

/* Returns whether the run was added, and frees it. */
static bool is_added(struct pv_run_result *r)
{
	bool known;

	pv_run_count(r);
	cr_assert_eq(pv_history_add(&h, r, &known, &e), 0, "%s", e.text);
	pv_run_result_free(r);
	return !known;
}

/* A run of a second that is not the only one of its machine. */
static struct pv_run_result *run_of_id(const char *id, enum pv_verdict v)
{
	struct pv_run_result *r = run_of(0);

	r->id = id ? strdup(id) : NULL;
	result_add(r, "p", "a", v);
	return r;
}

Test(history, an_id_tells_runs_apart)
{
	cr_expect(is_added(run_of_id("1", PV_PASS)));
	cr_expect(is_added(run_of_id("2", PV_PASS)));
	cr_expect_not(is_added(run_of_id("1", PV_PASS)));
	cr_expect_not(is_added(run_of_id("2", PV_PASS)));
	cr_expect(is_added(run_of_id("", PV_PASS)));
	cr_expect_eq(only_case().results, 3);
}

Test(history, a_run_that_went_on_replaces_what_it_was)
{
	struct pv_run_result *resumed = run_of_id("1", PV_PASS);

	resumed->seconds++;
	result_property(resumed, "defects", "ptt-drop-record");
	cr_expect(is_added(run_of_id("2", PV_PASS)));
	cr_expect(is_added(run_of_id("1", PV_FAIL)));
	cr_expect(is_added(resumed));
	cr_expect_not(is_added(run_of_id("1", PV_FAIL)), "a copy of before");
	cr_expect_eq(n_runs(0), 2);
	cr_expect_eq(only_case().results, 2);
	cr_expect_eq(only_case().count[PV_PASS], 2);
}

Test(history, runs_without_an_id_are_told_apart_by_what_they_found)
{
	struct pv_run_result *r[] = {run_of_id(NULL, PV_PASS), run_of_id(NULL, PV_PASS), run_of_id(NULL, PV_PASS),
				     run_of_id(NULL, PV_PASS), run_of_id(NULL, PV_FAIL), run_of_id(NULL, PV_FAIL)};

	r[1]->driver[0] = 'R';
	r[2]->cases[0].seconds++;
	result_property(r[3], "guest kernel", "7.0.0");
	result_say(&r[5]->cases[0], "check", "expected 2, got 1", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(r); i++)
		cr_expect(is_added(r[i]), "%zu", i);
	cr_expect_not(is_added(run_of_id(NULL, PV_FAIL)));
	cr_expect_eq(only_case().results, ARRAY_SIZE(r));
}

/* Stores for run_of_id() what earlier versions did. */
static void store_first_hash(void)
{
	struct pv_run_result *r = run_of_id(NULL, PV_PASS);
	uint64_t hash = pv_hash_text(r->hostname);
	char sql[96];

	hash = pv_hash_more(hash, &r->started, sizeof(r->started));
	hash = pv_hash_more(hash, r->command, strlen(r->command));
	hash = pv_hash_more(hash, &r->seconds, sizeof(r->seconds));
	hash = pv_hash_more(hash, "a", 1);
	snprintf(sql, sizeof(sql), "UPDATE run SET digest = '%016" PRIx64 "'", hash);
	cr_assert_eq(sqlite3_exec(h.db, sql, NULL, NULL, NULL), SQLITE_OK);
	pv_run_result_free(r);
}

Test(history, a_run_that_an_earlier_version_added_is_known)
{
	cr_expect(is_added(run_of_id(NULL, PV_PASS)));
	store_first_hash();
	cr_expect_not(is_added(run_of_id(NULL, PV_PASS)));
	cr_expect(is_added(run_of_id(NULL, PV_FAIL)), "another run of the second");
	cr_expect_eq(only_case().results, 2);
}

Test(history, a_run_that_goes_on_is_refused)
{
	struct pv_run_result *r = run_of(0);
	bool known;

	r->running = true;
	cr_expect_eq(pv_history_add(&h, r, &known, &e), -EBUSY);
	cr_expect_eq(n_runs(0), 0);
	pv_run_result_free(r);
}

Test(history, a_case_that_never_ran_or_was_stopped_has_no_result)
{
	struct pv_run_result *r = run_of(0);

	result_say(result_add(r, "p", "a", PV_ERROR), "not-run", "not run: interrupted", NULL);
	result_say(result_add(r, "p", "b", PV_ERROR), "crash", "killed", NULL);
	struct pv_case_result *c = result_add(r, "p", "c", PV_ERROR);
	result_say(c, "incomplete", "interrupted by SIGTERM", NULL);
	c->stopped = true;
	add(r);
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 1);
	cr_expect_str_eq(s.names[0], "p/b");
}

Test(history, rounds_of_a_case_are_results_of_their_own)
{
	struct pv_run_result *r = run_of(0);

	for (unsigned round = 1; round <= 3; round++)
		result_add(r, "p", "a", round == 2 ? PV_FAIL : PV_PASS)->round = round;
	add(r);
	struct pv_history_case c = only_case();
	cr_expect_eq(c.results, 3);
	cr_expect_eq(c.changes, 2, "got %ld", (long)c.changes);
}

/* ---- queries about a case ---- */

Test(history, tells_first_failure_last_pass_and_since_when)
{
	add_days("PFPPFE");
	struct seen s = cases_of((struct pv_history_filter){0});
	const struct pv_history_case *c = &s.cases[0];

	cr_expect_eq(c->first_bad, date(1));
	cr_expect_eq(c->last_pass, date(3));
	cr_expect_eq(c->since, date(4));
	cr_expect_eq(c->last_bad, date(5));
	cr_expect_eq(c->last, PV_ERROR);
	cr_expect_eq(c->judged, 5);
	cr_expect_str_eq(s.message, "killed");
	cr_expect_str_eq(s.strip, "PFPPFE");
}

Test(history, runs_are_in_order_of_time_and_not_of_coming)
{
	struct pv_run_result *late = run_of(9), *early = run_of(1);

	result_add(late, "p", "a", PV_PASS);
	result_add(early, "p", "a", PV_FAIL);
	add(late);
	add(early);
	struct pv_history_case c = only_case();
	cr_expect_eq(c.last, PV_PASS);
	cr_expect_eq(c.since, 0);
}

Test(history, changes_without_a_reason_are_flaky)
{
	add_days("PFPSPPFF");
	struct pv_history_case c = only_case();

	cr_expect_eq(c.changes, 3, "got %ld", (long)c.changes);
	cr_expect_float_eq(pv_history_flaky_rate(&c), 3.0 / 7, 1e-9);
}

Test(history, a_pass_after_a_retry_is_flaky)
{
	add_days("PRPP");
	struct pv_history_case c = only_case();

	cr_expect_eq(c.retried, 1);
	cr_expect_eq(c.changes, 0);
	cr_expect_float_eq(pv_history_flaky_rate(&c), 0.25, 1e-9);
	cr_expect_eq(cases_of((struct pv_history_filter){.flaky = true}).n, 1);
}

Test(history, a_failure_and_an_error_are_no_change)
{
	add_days("FEFE");
	cr_expect_eq(only_case().changes, 0);
	cr_expect_eq(cases_of((struct pv_history_filter){.flaky = true}).n, 0);
}

/* A verdict may change with the kernel, the driver or the revision. */
Test(history, what_was_tested_is_a_reason_to_change)
{
	for (int day = 0; day < 6; day++) {
		struct pv_run_result *r = run_of(day);

		r->environment = result_strings("kernel", day % 2 ? "6.12.1" : "7.0.0");
		result_add(r, "p", "a", day % 2 ? PV_PASS : PV_FAIL);
		add(r);
	}
	cr_expect_eq(only_case().changes, 0);
}

/* Releases have no revision. */
Test(history, another_version_is_a_reason_to_change)
{
	for (int day = 0; day < 6; day++) {
		struct pv_run_result *r = run_of(day);

		r->version[0] = day % 2 ? '1' : '2';
		result_add(r, "p", "a", day % 2 ? PV_PASS : PV_FAIL);
		add(r);
	}
	cr_expect_eq(only_case().changes, 0);
}

/* The guest's kernel may be unknown if no case got as far as to ask it. */
Test(history, fixed_drivers_and_the_kernel_of_a_guest_are_tested)
{
	static const char *const properties[][2] = {{"drivers", "fixed"}, {"guest kernel", "7.0.0"}};

	for (size_t k = 0; k < 2; k++) {
		for (int day = 0; day < 6; day++) {
			struct pv_run_result *r = run_of(day + 10 * (int)k);

			if (day % 2)
				result_property(r, properties[k][0], properties[k][1]);
			result_add(r, "p", "a", day % 2 ? PV_PASS : PV_FAIL);
			add(r);
		}
	}
	cr_expect_eq(only_case().changes, 0);
}

/* Every other run has other conditions than the one before. */
static void add_conditions(bool planted)
{
	for (int day = 0; day < 6; day++) {
		struct pv_run_result *r = run_of(day);

		if (day % 2 && planted)
			result_property(r, "defects", "ptt-drop-record");
		else if (day % 2)
			r->known = strdup("0123456789abcdef");
		result_add(r, "p", "a", day % 2 ? PV_FAIL : PV_PASS);
		add(r);
	}
}

Test(history, a_planted_defect_is_a_reason_to_change)
{
	add_conditions(true);
	cr_expect_eq(only_case().changes, 0);
	cr_expect_eq(cases_of((struct pv_history_filter){.flaky = true}).n, 0);
}

Test(history, known_failures_are_a_reason_to_change)
{
	add_conditions(false);
	cr_expect_eq(only_case().changes, 0);
}

static int count_unrecorded(void *ctx, const struct pv_history_run *run)
{
	size_t *n = ctx;

	*n += run->unrecorded;
	return 0;
}

static size_t n_unrecorded(void)
{
	size_t n = 0;

	cr_assert_eq(pv_history_runs(&h, 0, count_unrecorded, &n, &e), 0, "%s", e.text);
	return n;
}

/*
 * A history of an earlier version has no table of conditions: it is read without, and gets it when a run is added. Its
 * runs may have had any.
 */
Test(history, a_file_of_before_gets_the_table_of_conditions)
{
	add_days("PFP");
	cr_assert_eq(sqlite3_exec(h.db, "DROP TABLE conditions", NULL, NULL, NULL), SQLITE_OK);
	for (int create = 0; create < 2; create++) {
		pv_history_close(&h);
		cr_assert_eq(pv_history_open(&h, path, create, &e), 0, "%s", e.text);
		cr_expect_eq(only_case().changes, 2);
		cr_expect_eq(n_runs(0), 3);
		cr_expect_eq(n_unrecorded(), 3);
	}
	add_conditions(true);
	cr_expect_eq(n_unrecorded(), 3);
	cr_expect_eq(cases_of((struct pv_history_filter){.flaky = true}).n, 1, "only plan/case, not p/a");
}

Test(history, conditions_that_were_not_recorded_may_be_others)
{
	add_days("PPP");
	cr_assert_eq(sqlite3_exec(h.db, "DROP TABLE conditions", NULL, NULL, NULL), SQLITE_OK);
	pv_history_close(&h);
	cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%s", e.text);
	struct pv_run_result *r = run_of(3);
	result_add(r, "plan", "case", PV_FAIL);
	add(r);
	cr_expect_eq(only_case().changes, 0);
	cr_expect_eq(n_unrecorded(), 3);
}

Test(history, the_strip_has_the_newest_results)
{
	char letters[PV_HISTORY_STRIP + 12] = "";

	memset(letters, 'F', 10);
	memset(letters + 10, 'P', PV_HISTORY_STRIP - 1);
	letters[PV_HISTORY_STRIP + 9] = 'E';
	add_days(letters);
	cr_expect_str_eq(cases_of((struct pv_history_filter){0}).strip, letters + 10);
}

Test(history, the_worst_case_is_first)
{
	static const char *const names[] = {"steady", "flips", "failed"};

	for (int day = 0; day < 4; day++) {
		struct pv_run_result *r = run_of(day);

		result_add(r, "p", names[0], PV_PASS);
		result_add(r, "p", names[1], day % 2 ? PV_PASS : PV_FAIL);
		result_add(r, "p", names[2], day ? PV_PASS : PV_FAIL);
		add(r);
	}
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 3);
	cr_expect_str_eq(s.names[0], "p/flips");
	cr_expect_str_eq(s.names[1], "p/failed");
	cr_expect_str_eq(s.names[2], "p/steady");
	cr_expect_eq(cases_of((struct pv_history_filter){.bad = true}).n, 2);
}

Test(history, names_are_globs_or_literal)
{
	struct pv_run_result *r = run_of(0);

	result_add(r, "p", "a[n=1]", PV_PASS);
	result_add(r, "p", "a[n=2]", PV_PASS);
	result_add(r, "q", "b", PV_PASS);
	add(r);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "p/a[n=2]"}).n, 1);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "p/*"}).n, 2);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "b"}).n, 1);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "c"}).n, 0);
}

/* ---- rates ---- */

Test(history, the_last_rate_of_the_figures_counts)
{
	static const struct {
		const char *figure;
		double rate;
	} figures[] = {{"write at rp0: expected 0.98 of 1684 MB/s, got 1.000 of it (1670 MB/s)", 1670e6},
		       {"12.5 MB/s", 12.5e6},
		       {"fast MB/s", 0},
		       {"expected 10 records", 0}};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		char *list[] = {(char *)figures[i].figure, NULL};
		struct pv_case_result c = {.figures = list};

		cr_expect_float_eq(pv_history_rate(&c), figures[i].rate, 1, "%s", figures[i].figure);
	}
}

static int take_rate(void *ctx, const struct pv_history_result *r)
{
	double *sum = ctx;

	*sum = *sum * 1000 + r->rate / 1e6;
	return 0;
}

Test(history, rates_are_in_order_of_time)
{
	static const char *const figures[] = {"got 1 MB/s", "got 2 MB/s", "got 3 MB/s"};
	double sum = 0;

	for (int day = 0; day < 3; day++) {
		struct pv_run_result *r = run_of(day);

		result_add(r, "p", "a", PV_PASS)->figures = result_strings(figures[day], "");
		add(r);
	}
	cr_assert_eq(pv_history_results(&h, only_case().id, take_rate, &sum, &e), 0);
	cr_expect_float_eq(sum, 1002003, 1e-6, "got %g", sum);
}
