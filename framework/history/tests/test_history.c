/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history of runs: stored values, queries about cases, and files that are no history. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/history/history.h"
#include "framework/util/cleanup.h"
#include "framework/util/hash.h"
#include "reports/tests/result_fixture.h"

enum { DAY = 86400, FIRST = 1772366400 };

static char path[64];
static struct pv_history h;
static struct pv_error e;

static void begin(void)
{
	strcpy(path, "/tmp/pcieval-history-XXXXXX");
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%s", e.text);
}

static void end(void)
{
	pv_history_close(&h);
	unlink(path);
}

TestSuite(history, .init = begin, .fini = end);

/* ---- synthetic runs ---- */

/* Makes a run on day `day`, without cases. */
static struct pv_run_result *run_of(int day)
{
	struct pv_run_result *r = result_new();

	r->started = FIRST + (int64_t)day * DAY;
	return r;
}

/* Adds the run to the history, and frees it. */
static void add(struct pv_run_result *r)
{
	bool known;

	pv_run_count(r);
	cr_assert_eq(pv_history_add(&h, r, &known, &e), 0, "%s", e.text);
	cr_expect_not(known);
	pv_run_result_free(r);
}

/* Adds a run per letter, on successive days: P, F, E, S, or R for a pass after a retry. */
static void add_days(const char *letters)
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

static int take_case(void *ctx, const struct pv_history_case *c)
{
	struct seen *s = ctx;

	cr_assert_lt(s->n, 64);
	s->cases[s->n] = *c;
	snprintf(s->names[s->n++], sizeof(s->names[0]), "%s/%s", c->plan, c->name);
	snprintf(s->message, sizeof(s->message), "%s", c->message);
	snprintf(s->strip, sizeof(s->strip), "%s", c->strip);
	return 0;
}

static struct seen cases_of(struct pv_history_filter filter)
{
	struct seen s = {0};

	cr_assert_eq(pv_history_cases(&h, &filter, take_case, &s, &e), 0, "%s", e.text);
	return s;
}

static struct pv_history_case only_case(void)
{
	struct seen s = cases_of((struct pv_history_filter){0});

	cr_assert_eq(s.n, 1);
	return s.cases[0];
}

static int64_t date(int day)
{
	return FIRST + (int64_t)day * DAY;
}

/* ---- stored values ---- */

static int count_run(void *ctx, const struct pv_history_run *run)
{
	size_t *n = ctx;

	++*n;
	return 0;
}

static size_t n_runs(size_t most)
{
	size_t n = 0;

	cr_assert_eq(pv_history_runs(&h, most, count_run, &n, &e), 0, "%s", e.text);
	return n;
}

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

/* ---- names ---- */

static void add_renamed(int day, const char *name, const char *former, enum pv_verdict v)
{
	struct pv_run_result *r = run_of(day);
	struct pv_case_result *c = result_add(r, "p", name, v);

	c->formerly = result_strings(former, NULL);
	add(r);
}

static void add_one(int day, const char *name, enum pv_verdict v)
{
	struct pv_run_result *r = run_of(day);

	result_add(r, "p", name, v);
	add(r);
}

Test(history, a_renamed_case_keeps_its_results)
{
	add_one(0, "a[n=1,m=2]", PV_FAIL);
	add_renamed(2, "a[n=1]", "a[n=1,m=2]", PV_PASS);
	add_one(1, "a[n=1,m=2]", PV_FAIL); /* an old run that is added late */
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 1);
	cr_expect_str_eq(s.names[0], "p/a[n=1]");
	cr_expect_eq(s.cases[0].results, 3);
	cr_expect_str_eq(s.strip, "FFP");
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "p/a[n=1,m=2]"}).n, 1);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "*m=3*"}).n, 0);
}

Test(history, a_former_name_is_that_of_one_case)
{
	static const char *const names[][2] = {{"a", "former a"}, {"b", "former b"}, {"c", "former c"}};

	for (int i = 0; i < 3; i++)
		add_renamed(i, names[i][0], names[i][1], PV_PASS);
	for (int i = 0; i < 3; i++) {
		struct seen s = cases_of((struct pv_history_filter){.glob = names[i][1]});

		cr_assert_eq(s.n, 1, "%s: %zu", names[i][1], s.n);
		cr_expect(s.names[0][2] == *names[i][0], "%s: %s", names[i][1], s.names[0]);
	}
}

Test(history, a_case_that_is_renamed_twice_keeps_its_results)
{
	add_one(0, "a", PV_PASS);
	add_renamed(1, "b", "a", PV_PASS);
	add_renamed(2, "c", "b", PV_PASS);
	add_renamed(3, "b", "a", PV_PASS); /* the plan of day 1 again */
	add_one(4, "a", PV_PASS);
	cr_expect_eq(only_case().results, 5);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "c"}).n, 1);
}

Test(history, names_that_are_each_others_former_ones_lose_nothing)
{
	add_renamed(0, "a", "a", PV_PASS);
	add_renamed(1, "a", "b", PV_PASS);
	add_renamed(2, "b", "a", PV_PASS);
	add_renamed(3, "a", "a", PV_PASS);
	cr_expect_eq(only_case().results, 4);
}

static const struct pv_history_case *find(const struct seen *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->names[i], name))
			return &s->cases[i];
	cr_assert_fail("%s is not there", name);
	return NULL;
}

/* A run of two cases, the first of which fails. */
static void add_two(int day, const char *bad, const char *good)
{
	struct pv_run_result *r = run_of(day);

	result_add(r, "p", bad, PV_FAIL);
	result_add(r, "p", good, PV_PASS);
	add(r);
}

Test(history, a_former_name_that_is_used_again_is_another_case)
{
	add_one(0, "a", PV_PASS);
	add_renamed(1, "b", "a", PV_PASS);
	add_two(2, "a", "b");
	add_one(3, "a", PV_FAIL);
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 2);
	cr_expect_eq(find(&s, "p/a")->count[PV_FAIL], 2);
	cr_expect_eq(find(&s, "p/a")->results, 2);
	cr_expect_eq(find(&s, "p/b")->count[PV_PASS], 3);
	cr_expect_eq(find(&s, "p/b")->results, 3);
}

Test(history, two_former_names_of_a_case_in_one_run_are_two_cases)
{
	add_renamed(0, "b", "a", PV_PASS);
	add_renamed(1, "c", "b", PV_PASS);
	add_two(2, "a", "b");
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 2);
	cr_expect_eq(find(&s, "p/a")->count[PV_FAIL], 1);
	cr_expect_eq(find(&s, "p/c")->count[PV_PASS], 3);
}

Test(history, a_run_with_both_names_keeps_both_results)
{
	add_two(0, "a", "b");
	add_one(1, "a", PV_PASS);
	add_renamed(2, "b", "a", PV_PASS);
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 2);
	cr_expect_eq(find(&s, "p/a")->results, 1);
	cr_expect_eq(find(&s, "p/a")->count[PV_FAIL], 1);
	cr_expect_eq(find(&s, "p/b")->count[PV_PASS], 3);
}

Test(history, a_file_of_before_gets_the_table_of_former_names)
{
	cr_assert_eq(sqlite3_exec(h.db, "DROP TABLE former", NULL, NULL, NULL), SQLITE_OK);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "a"}).n, 0);
	pv_history_close(&h);
	cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%s", e.text);
	add_one(0, "a", PV_PASS);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "a"}).n, 1);
}

static int no_case(void *ctx, const struct pv_history_case *c)
{
	return 0;
}

/* A table that cannot be read is none that is missing: a case might be found by a name in it. */
Test(history, former_names_that_cannot_be_read_are_an_error)
{
	const struct pv_history_filter filter = {.glob = "a"};

	add_one(0, "a", PV_PASS);
	cr_assert_eq(sqlite3_exec(h.db, "DROP TABLE former; CREATE TABLE former(plan TEXT)", NULL, NULL, NULL),
		     SQLITE_OK);
	cr_expect_lt(pv_history_cases(&h, &filter, no_case, NULL, &e), 0);
	cr_expect(strstr(e.text, "no such column: test"), "%s", e.text);
	cr_expect_eq(pv_history_cases(&h, &(struct pv_history_filter){0}, no_case, NULL, &e), 0, "it is not needed");
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

/* ---- files that are no history ---- */

static void write_at(off_t offset, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY);

	cr_assert_eq(pwrite(fd, bytes, n, offset), (ssize_t)n);
	close(fd);
}

/* Opening the file must fail with `code` and a message that contains `text`, for reading and for writing. */
static void expect_refused(int code, const char *text)
{
	for (int create = 0; create < 2; create++) {
		struct pv_history other;
		int err = pv_history_open(&other, path, create, &e);

		cr_expect_eq(err, code, "create %d: got %d: %s", create, err, e.text);
		cr_expect(strstr(e.text, text), "expected '%s', got '%s'", text, e.text);
		pv_history_close(&other);
	}
}

Test(history, a_text_is_none)
{
	pv_history_close(&h);
	cr_assert_eq(truncate(path, 0), 0);
	write_at(0,
		 "once upon a time there was a file of more than a hundred bytes, which began like no database that "
		 "ever was seen",
		 110);
	expect_refused(-EINVAL, "it is no history of runs");
}

Test(history, another_database_is_none)
{
	cr_assert_eq(sqlite3_exec(h.db, "PRAGMA application_id = 7", NULL, NULL, NULL), SQLITE_OK);
	expect_refused(-EINVAL, "it is no history of runs; `pcieval history add` makes one");
}

Test(history, a_later_version_is_refused)
{
	cr_assert_eq(sqlite3_exec(h.db, "PRAGMA user_version = 2", NULL, NULL, NULL), SQLITE_OK);
	expect_refused(-EINVAL, "expected a history of version 1, got 2");
}

Test(history, damage_is_found_before_anything_is_said)
{
	char rubbish[64];

	memset(rubbish, 0x5a, sizeof(rubbish));
	for (int i = 0; i < 40; i++) {
		struct pv_run_result *r = run_of(i);

		for (int k = 0; k < 20; k++) {
			char name[16];

			snprintf(name, sizeof(name), "c%d", k);
			result_add(r, "p", name, PV_PASS);
		}
		add(r);
	}
	pv_history_close(&h);
	off_t size = lseek(open(path, O_RDONLY), 0, SEEK_END);
	for (off_t at = 8192; at + (off_t)sizeof(rubbish) < size; at += 4096)
		write_at(at, rubbish, sizeof(rubbish));
	expect_refused(-EINVAL, "it is damaged");
}

Test(history, a_file_that_is_cut_is_damaged)
{
	add_days("PFPFPFPF");
	pv_history_close(&h);
	cr_assert_eq(truncate(path, 8192 + 100), 0);
	expect_refused(-EINVAL, "it is damaged");
}

Test(history, a_file_that_is_not_there_is_made_only_to_add)
{
	struct pv_history other;

	unlink(path);
	cr_expect_eq(pv_history_open(&other, path, false, &e), -ENOENT, "%s", e.text);
	pv_history_close(&other);
	cr_expect(access(path, F_OK));
	cr_expect_eq(pv_history_open(&other, path, true, &e), 0);
	pv_history_close(&other);
	cr_expect_not(access(path, F_OK));
}

/* ---- files that were not made to the end ---- */

/* Makes the file anew, with these statements in it. */
static void begin_file(const char *sql)
{
	sqlite3 *db;

	pv_history_close(&h);
	unlink(path);
	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* Earlier versions wrote these one by one, and could be killed after any. */
Test(history, what_is_missing_in_a_file_is_made)
{
	static const char *const begun[] = {"", "PRAGMA application_id = 1885554038",
					    "PRAGMA application_id = 1885554038; PRAGMA user_version = 1",
					    "PRAGMA application_id = 1885554038; PRAGMA user_version = 1;"
					    "CREATE TABLE test(id INTEGER PRIMARY KEY, plan TEXT NOT NULL, name TEXT "
					    "NOT NULL, UNIQUE(plan, name))"};

	for (size_t i = 0; i < ARRAY_SIZE(begun); i++) {
		begin_file(begun[i]);
		cr_expect_eq(pv_history_open(&h, path, false, &e), -EINVAL);
		cr_expect(strstr(e.text, "it is no history of runs; `pcieval history add` makes one"), "%s", e.text);
		pv_history_close(&h);
		cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%zu: %s", i, e.text);
		add_days("PF");
		cr_expect_eq(only_case().results, 2);
	}
	begin_file("PRAGMA application_id = 1885554038; PRAGMA user_version = 2");
	expect_refused(-EINVAL, "expected a history of version 1, got 2");
}

static void limit_files(rlim_t bytes, struct rlimit *old)
{
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, old);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, old->rlim_max});
}

Test(history, a_file_for_which_there_is_no_room_is_not_half_made)
{
	struct rlimit old;

	begin_file("");
	limit_files(10000, &old);
	cr_expect_eq(pv_history_open(&h, path, true, &e), -EIO, "%s", e.text);
	setrlimit(RLIMIT_FSIZE, &old);
	pv_history_close(&h);
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_size, 0);
}

/* Each process makes the file unless another was faster, and adds a run. */
Test(history, several_processes_make_one_file)
{
	enum { PROCESSES = 8 };
	int status, ready[2];

	for (int round = 0; round < 5; round++) {
		begin_file("");
		cr_assert_eq(pipe(ready), 0);
		for (int i = 0; i < PROCESSES; i++) {
			if (fork())
				continue;
			close(ready[1]);
			(void)!read(ready[0], &status, 1);
			struct pv_run_result *r = run_of(i);
			bool known;
			int err = pv_history_open(&h, path, true, &e);
			_exit(err || pv_history_add(&h, r, &known, &e));
		}
		close(ready[0]);
		close(ready[1]);
		for (int i = 0; i < PROCESSES; i++)
			cr_expect(wait(&status) > 0 && !status, "%d", status);
		cr_assert_eq(pv_history_open(&h, path, false, &e), 0, "%s", e.text);
		cr_expect_eq(n_runs(0), PROCESSES);
	}
}

/* ---- several processes, and a full disk ---- */

Test(history, a_second_writer_waits_and_is_told)
{
	struct pv_history other;
	struct pv_run_result *r = run_of(0);
	bool known;

	cr_assert_eq(pv_history_open(&other, path, true, &e), 0);
	sqlite3_busy_timeout(other.db, 10);
	cr_assert_eq(sqlite3_exec(h.db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	cr_expect_eq(pv_history_add(&other, r, &known, &e), -EBUSY);
	cr_expect(strstr(e.text, "another process is writing to it"), "got '%s'", e.text);
	sqlite3_exec(h.db, "COMMIT", NULL, NULL, NULL);
	cr_expect_eq(pv_history_add(&other, r, &known, &e), 0, "%s", e.text);
	pv_history_close(&other);
	pv_run_result_free(r);
}

Test(history, a_run_for_which_there_is_no_room_is_not_half_there)
{
	struct pv_run_result *r = run_of(9);
	struct rlimit old;
	bool known;

	add_days("P");
	for (int i = 0; i < 2000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "case-%d", i);
		result_add(r, "p", name, PV_PASS);
	}
	limit_files(40000, &old);
	int err = pv_history_add(&h, r, &known, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	cr_expect_eq(err, -EIO, "got %d: %s", err, e.text);
	cr_expect_eq(n_runs(0), 1);
	cr_expect_eq(only_case().results, 1);
	cr_expect_eq(pv_history_add(&h, r, &known, &e), 0, "then there is: %s", e.text);
	pv_run_result_free(r);
}
