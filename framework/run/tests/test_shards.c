/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shards of a run: how jobs are divided, and that a merge is the whole run or an error. */
#include <criterion/criterion.h>
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/run/merge.h"
#include "framework/run/shard.h"
#include "framework/run/tests/run_fixture.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

/* ---- division ---- */

enum { JOBS = 60 };

static char names[JOBS][16], plan[] = "plan";
static struct pv_job given[JOBS];
static struct pv_case_result lasted[JOBS];
static const struct pv_run_options none;

static void make_jobs(void)
{
	for (int i = 0; i < JOBS; i++) {
		snprintf(names[i], sizeof(names[i]), "case-%02d", i);
		given[i] = (struct pv_job){.plan = plan, .name = names[i], .line = i};
		lasted[i] = (struct pv_case_result){.plan = plan, .name = names[i]};
	}
}

TestSuite(division, .init = make_jobs);

/* The jobs of shard i of n; *count: how many. */
static struct pv_job *shard_of(unsigned i, unsigned n, const struct pv_run_result *earlier, size_t *count)
{
	struct pv_shard s = {.index = i, .count = n};
	struct pv_error e = {0};

	*count = JOBS;
	struct pv_job *jobs = pv_shard_jobs(&s, &none, given, count, earlier, &e);
	cr_assert_not_null(jobs, "%s", e.text);
	return jobs;
}

static double seconds_of(const struct pv_job *jobs, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += lasted[jobs[i].line].seconds;
	return sum;
}

Test(division, each_job_falls_to_one_shard)
{
	unsigned seen[JOBS] = {0};

	for (unsigned s = 1; s <= 7; s++) {
		size_t n;
		struct pv_job *jobs = shard_of(s, 7, NULL, &n);

		for (size_t i = 0; i < n; i++) {
			seen[jobs[i].position]++;
			cr_expect_eq(jobs[i].position, (size_t)jobs[i].line);
			cr_expect(!i || jobs[i].position > jobs[i - 1].position, "the order is kept");
		}
		cr_expect(n == JOBS / 7 || n == JOBS / 7 + 1, "without durations by number, got %zu", n);
		free(jobs);
	}
	for (int i = 0; i < JOBS; i++)
		cr_expect_eq(seen[i], 1);
}

Test(division, durations_balance_it)
{
	const struct pv_run_result earlier = {.cases = lasted, .n_cases = JOBS};

	for (int i = 0; i < JOBS; i++)
		lasted[i].seconds = i + 1; /* 1830 s in all */
	for (unsigned s = 1; s <= 7; s++) {
		size_t n;
		struct pv_job *jobs = shard_of(s, 7, &earlier, &n);

		cr_expect_float_eq(seconds_of(jobs, n), 1830 / 7.0, 5, "shard %u: %g s", s, seconds_of(jobs, n));
		free(jobs);
	}
}

Test(division, a_case_that_is_new_lasts_as_long_as_others)
{
	const struct pv_run_result earlier = {.cases = lasted, .n_cases = 2};
	size_t n[2];

	lasted[0].seconds = 100;
	lasted[1].seconds = 2;
	for (unsigned s = 0; s < 2; s++)
		free(shard_of(s + 1, 2, &earlier, &n[s]));
	/* 51 s is the mean: two of them make up for the 100 s. */
	cr_expect_eq(n[0], 30);
	cr_expect_eq(n[1], 30);
}

Test(division, of_a_repeated_case_the_longest_run_counts)
{
	struct pv_case_result twice[] = {{.plan = plan, .name = names[0], .seconds = 1},
					 {.plan = plan, .name = names[0], .seconds = 58},
					 {.plan = plan, .name = names[1], .seconds = 1}};
	const struct pv_run_result earlier = {.cases = twice, .n_cases = 3};
	size_t n;

	/* case-00 takes 58 s, case-01 1 s, all others 29.5 s. */
	struct pv_job *jobs = shard_of(1, 30, &earlier, &n);
	cr_expect_eq(jobs[0].line, 0);
	cr_expect_eq(jobs[1].line, 1, "58 s are less than twice 29.5 s");
	free(jobs);
}

Test(division, more_shards_than_cases_are_refused)
{
	struct pv_shard s = {.index = 1, .count = JOBS + 1};
	struct pv_error e = {0};
	size_t n = JOBS;

	cr_expect_null(pv_shard_jobs(&s, &none, given, &n, NULL, &e));
	cr_expect_str_eq(e.text, "--shard: expected at most as many shards as cases, 60, got 61");
}

Test(division, says_what_a_shard_is_called)
{
	static const char *const wrong[] = {"",	     "1",    "/2",	"0/2",	"3/2", "1/0",
					    "1/2/3", "-1/2", "1/10001", "1 /2", "a/b"};
	struct pv_shard s = {0};
	struct pv_error e = {0};

	cr_expect_eq(pv_shard_parse("12/12", &s, &e), 0);
	cr_expect_eq(s.index, 12);
	cr_expect_eq(s.count, 12);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_expect_eq(pv_shard_parse(wrong[i], &s, &e), -EINVAL, "'%s'", wrong[i]);
	cr_expect_str_eq(e.text, "--shard: expected I/N, from 1/N to N/N with N up to 10000, got 'a/b'");
}

Test(division, ten_thousand_cases_among_a_thousand_machines)
{
	enum { MANY = 10000, SHARDS = 1000 };
	struct pv_job *many = calloc(MANY, sizeof(*many));
	size_t total = 0;

	for (int i = 0; i < MANY; i++)
		many[i] = (struct pv_job){.plan = "plan", .name = "case", .line = i};
	for (unsigned s = 1; s <= SHARDS; s += 333) {
		struct pv_shard shard = {.index = s, .count = SHARDS};
		size_t n = MANY;
		struct pv_job *jobs = pv_shard_jobs(&shard, &none, many, &n, NULL, NULL);

		cr_assert_not_null(jobs);
		total += n;
		free(jobs);
	}
	cr_expect_eq(total, 40);
	free(many);
}

/* ---- merging ---- */

#define CASES "pass fail[n=1] flaky[n=1] skip fail[n=2]"

static int version; /* of the plans */

static json_object *case_of_version(const struct pv_job *job)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "version", json_object_new_int(version));
	return o;
}

/* Shards of a run, in folders of their own. */
struct shards {
	struct fixture *f[8];
	const char *folders[8];
	size_t n;
	char out[192];
	struct pv_run_result *merged;
	struct pv_error e;
};

/* Makes the jobs of a shard, f->n of them, those of the fixture, which had `all`. */
static void keep_only(struct fixture *f, const struct pv_job *jobs, size_t all)
{
	for (size_t i = 0, k = 0; i < all; i++)
		if (k < f->n && jobs[k].position == i)
			k++;
		else
			free((char *)f->jobs[i].name);
	memcpy(f->jobs, jobs, f->n * sizeof(*jobs));
}

/* Runs one more shard, of `cases`. `change` may change its options. */
static void run_shard(struct shards *s, unsigned index, unsigned count, const char *cases,
		      void (*change)(struct pv_run_options *opt))
{
	struct fixture *f = fixture_new(cases);
	struct pv_shard shard = {.index = index, .count = count};

	f->opt.retry_errors = 1;
	f->opt.case_json = case_of_version;
	f->opt.shard = &shard;
	if (change)
		change(&f->opt);
	size_t all = f->n;
	struct pv_job *jobs = pv_shard_jobs(&shard, &f->opt, f->jobs, &f->n, NULL, NULL);
	cr_assert_not_null(jobs);
	keep_only(f, jobs, all);
	free(jobs);
	int status;
	cr_assert_gt(waitpid(fixture_run_in_child(f), &status, 0), 0);
	cr_assert_eq(status, 0);
	fixture_load(f);
	s->folders[s->n] = f->folder;
	s->f[s->n++] = f;
	snprintf(s->out, sizeof(s->out), "%s/merged", s->f[0]->scratch);
}

static struct shards *all_shards(unsigned count)
{
	struct shards *s = calloc(1, sizeof(*s));

	for (unsigned i = 1; i <= count; i++)
		run_shard(s, i, count, CASES, NULL);
	return s;
}

static void shards_free(struct shards *s)
{
	pv_run_result_free(s->merged);
	for (size_t i = s->n; i; i--)
		fixture_free(s->f[i - 1]);
	free(s);
}

static int merge(struct shards *s)
{
	int err = pv_merge(s->folders, s->n, s->out, "pcieval merge", &s->e);

	if (!err)
		cr_assert_eq(pv_run_load(s->out, &s->merged, &s->e), 0, "%s", s->e.text);
	return err;
}

/* The merge is refused with `code` and a message with `text`, and leaves nothing. */
static void expect_refused(struct shards *s, int code, const char *text)
{
	int err = merge(s);

	cr_expect_eq(err, code, "got %d: %s", err, s->e.text);
	cr_expect(strstr(s->e.text, text), "expected '%s', got '%s'", text, s->e.text);
	cr_expect(access(s->out, F_OK), "nothing is left");
	shards_free(s);
}

/* Changes a file of shard i by a command of sed. */
static void edit(const struct shards *s, size_t i, const char *file, const char *sed)
{
	char command[512];

	snprintf(command, sizeof(command), "sed -i '%s' %s/%s", sed, s->folders[i], file);
	cr_assert_eq(system(command), 0);
}

Test(merge, is_the_whole_run_in_its_order)
{
	static const struct {
		const char *name;
		enum pv_verdict verdict;
	} cases[] = {{"pass", PV_PASS},
		     {"fail[n=1]", PV_FAIL},
		     {"flaky[n=1]", PV_PASS},
		     {"skip", PV_SKIP},
		     {"fail[n=2]", PV_FAIL}};
	struct shards *s = all_shards(3);

	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	cr_assert_eq(s->merged->n_cases, 5);
	for (size_t i = 0; i < 5; i++) {
		cr_expect_str_eq(s->merged->cases[i].name, cases[i].name);
		cr_expect_eq(s->merged->cases[i].verdict, cases[i].verdict, "%s", cases[i].name);
	}
	cr_expect_not(s->merged->interrupted);
	cr_expect_eq(pv_run_exit(s->merged), PV_EXIT_FAILED);
	cr_expect_str_eq(s->merged->command, "pcieval merge");
	cr_expect_str_eq(pv_run_property(s->merged, "shards"), "3");
	cr_expect_null(pv_run_property(s->merged, "shard"));
	cr_expect_null(pv_run_property(s->merged, "differs"));
	shards_free(s);
}

Test(merge, keeps_artefacts_logs_and_attempts)
{
	struct shards *s = all_shards(2);
	char path[256];

	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	const struct pv_case_result *fail = &s->merged->cases[4], *flaky = &s->merged->cases[2];
	snprintf(path, sizeof(path), "%s/cases/0004-plan-fail_n=2_/ledger.txt", s->out);
	cr_assert_not_null(fail->artefacts[0]);
	cr_expect_str_eq(fail->artefacts[0], path);
	char *text = fixture_read(path);
	cr_expect_str_eq(text, "ledger\n");
	free(text);
	cr_assert_eq(flaky->n_attempts, 1);
	cr_expect_str_eq(flaky->attempts[0].log, "attempt\n");
	shards_free(s);
}

Test(merge, a_case_that_failed_says_where_it_ran)
{
	struct shards *s = all_shards(2);
	char where[192];

	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	snprintf(where, sizeof(where), "ran in shard 2/2 on %s\n", s->f[0]->result->hostname);
	cr_expect(strstr(s->merged->cases[1].text, where), "expected '%s' in '%s'", where, s->merged->cases[1].text);
	shards_free(s);
}

Test(merge, the_whole_is_a_run_of_its_own)
{
	struct shards *s = all_shards(2);

	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	cr_expect_eq(strlen(s->merged->id), 32);
	for (size_t i = 0; i < 2; i++)
		cr_expect_str_neq(s->merged->id, s->f[i]->result->id);
	shards_free(s);
}

Test(merge, the_longest_shard_is_how_long_it_took_whatever_the_clocks_say)
{
	struct shards *s = all_shards(2);

	edit(s, 0, PV_SETTINGS_FILE, "s/\"started\": *[0-9]*/\"started\": 4000000000/");
	edit(s, 1, PV_SETTINGS_FILE, "s/\"started\": *[0-9]*/\"started\": 5/");
	edit(s, 1, PV_JOURNAL_FILE, "s/\"at_ms\":[0-9]*,\"ev\":\"end\"/\"at_ms\":7000,\"ev\":\"end\"/");
	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	cr_expect_eq(s->merged->started, 5);
	cr_expect_float_eq(s->merged->seconds, 7, 0.001, "got %g", s->merged->seconds);
	shards_free(s);
}

static void on_board_7(struct pv_run_options *opt)
{
	opt->target = "ssh:board7";
	opt->board = "seven";
	opt->environment = json_tokener_parse("{\"kernel\": \"6.12.0\", \"BIOS\": \"A\"}");
}

static void on_board_8(struct pv_run_options *opt)
{
	opt->target = "ssh:board8";
	opt->board = "eight";
	opt->environment = json_tokener_parse("{\"kernel\": \"6.12.0\", \"BIOS\": \"B\"}");
}

static void with_kernel_7(struct pv_run_options *opt)
{
	on_board_8(opt);
	json_object_object_add(opt->environment, "kernel", json_object_new_string("7.0.0"));
}

Test(merge, of_several_boards_has_the_facts_of_all)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 2, CASES, on_board_7);
	run_shard(s, 2, 2, CASES, on_board_8);
	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	cr_expect_str_eq(s->merged->target, "ssh");
	cr_expect_str_eq(s->merged->board, "seven; eight");
	cr_expect_str_eq(pv_run_fact(s->merged, "kernel"), "6.12.0");
	cr_expect_str_eq(pv_run_fact(s->merged, "BIOS"), "A; B");
	cr_expect(strstr(s->merged->cases[1].text, ", ssh:board8\n"), "got '%s'", s->merged->cases[1].text);
	for (size_t i = 0; i < s->n; i++)
		json_object_put(s->f[i]->opt.environment);
	shards_free(s);
}

Test(merge, passed_over_lines_stay_so)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_JOURNAL_FILE, "1i not a line\n1i {\"ev\":\"surprise\"}");
	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	cr_expect_eq(s->merged->damaged, 2);
	shards_free(s);
}

Test(merge, a_verdict_that_was_lost_is_no_pass)
{
	struct shards *s = all_shards(2);

	edit(s, 0, PV_JOURNAL_FILE, "/\"ev\":\"verdict\"/d");
	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	cr_expect_eq(s->merged->cases[0].verdict, PV_ERROR);
	cr_expect_str_eq(s->merged->cases[0].type, "incomplete");
	shards_free(s);
}

Test(merge, refuses_a_missing_shard)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 3, CASES, NULL);
	run_shard(s, 3, 3, CASES, NULL);
	expect_refused(s, -ESTALE, "shard 2/3 is missing: expected 3 folders, got 2");
}

Test(merge, refuses_the_last_shard_missing)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 2, CASES, NULL);
	expect_refused(s, -ESTALE, "shard 2/2 is missing: expected 2 folders, got 1");
}

Test(merge, refuses_a_shard_that_is_there_twice)
{
	struct shards *s = all_shards(2);

	run_shard(s, 2, 2, CASES, NULL);
	expect_refused(s, -ESTALE, "are both shard 2/2");
}

Test(merge, refuses_another_version_of_the_plans)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 2, CASES, NULL);
	version = 2;
	run_shard(s, 2, 2, CASES, NULL);
	expect_refused(s, -ESTALE, "expected the same version of the plans, as in shard 1/2 (");
}

Test(merge, refuses_other_cases)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 2, CASES, NULL);
	run_shard(s, 2, 2, CASES " pass[n=9]", NULL);
	expect_refused(s, -ESTALE, "expected the same cases to be selected, as in shard 1/2 (");
}

Test(merge, refuses_a_shard_of_another_number_of_shards)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 2, CASES, NULL);
	run_shard(s, 2, 3, CASES, NULL);
	expect_refused(s, -ESTALE, "expected a shard of 2, as in shard 1/2 (");
}

static void kernels_driver(struct pv_run_options *opt)
{
	opt->driver = "kernel";
}

static void another_target(struct pv_run_options *opt)
{
	opt->target = "qemu";
}

static void another_seed(struct pv_run_options *opt)
{
	opt->seed = "5";
}

static void a_defect(struct pv_run_options *opt)
{
	static const char *const defects[] = {"ptt-drop-record", NULL};

	opt->defects = defects;
}

Test(merge, refuses_what_has_tested_something_else)
{
	static const struct {
		void (*change)(struct pv_run_options *opt);
		const char *text;
	} others[] = {{kernels_driver, "expected driver reference, as in"},
		      {another_target, "expected target model, as in"},
		      {another_seed, "expected seed none, as in"},
		      {a_defect, "expected defects none, as in"}};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct shards *s = calloc(1, sizeof(*s));

		run_shard(s, 1, 2, CASES, NULL);
		run_shard(s, 2, 2, CASES, others[i].change);
		expect_refused(s, -ESTALE, others[i].text);
	}
}

/* As after an update of one of the machines. */
Test(merge, refuses_a_shard_of_another_version)
{
	static const char *const texts[][2] = {{"s/\"version\": *\"[^\"]*\"/\"version\":\"9.9\"/", ", got 9.9"},
					       {"s/\"revision\": *\"[^\"]*\"/\"revision\":\"abc\"/", ", got abc"}};

	for (size_t i = 0; i < 2; i++) {
		struct shards *s = all_shards(2);

		edit(s, 1, PV_SETTINGS_FILE, texts[i][0]);
		expect_refused(s, -ESTALE, texts[i][1]);
	}
}

/* Sets the digest of shard i's program, as of a build of its own. */
static void set_digest(const struct shards *s, size_t i, const char *program, const char *digest)
{
	char command[96];

	snprintf(command, sizeof(command), "1a \"digests\": {\"%s\": \"%s\"},", program, digest);
	edit(s, i, PV_SETTINGS_FILE, command);
}

Test(merge, refuses_a_shard_with_another_agent)
{
	struct shards *s = all_shards(2);

	edit(s, 0, PV_SETTINGS_FILE, "/\"agent\"/d");
	expect_refused(s, -ESTALE, "expected agent none, as in shard 1/2 (");
	s = all_shards(2);
	set_digest(s, 0, "agent", "1");
	set_digest(s, 1, "agent", "2");
	expect_refused(s, -ESTALE, "expected the same contents of agent ");
}

Test(merge, takes_an_agent_that_is_elsewhere)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_SETTINGS_FILE, "s,\"agent\": *\",&/elsewhere,");
	cr_assert_eq(merge(s), 0, "%s", s->e.text);
	shards_free(s);
}

Test(merge, refuses_a_shard_of_another_build)
{
	struct shards *s = all_shards(2);

	set_digest(s, 0, "pcieval", "1");
	set_digest(s, 1, "pcieval", "2");
	expect_refused(s, -ESTALE, "expected the same build of pcieval, as in shard 1/2 (");
	s = all_shards(2);
	set_digest(s, 1, "pcieval", "2");
	expect_refused(s, -ESTALE, ", got another");
}

Test(merge, machines_of_two_kinds_have_two_builds)
{
	static const char *const keys[] = {"compiler", "machine"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct shards *s = all_shards(2);
		char command[64];

		snprintf(command, sizeof(command), "s/\"%s\": *\"/&another /", keys[i]);
		edit(s, 1, PV_SETTINGS_FILE, command);
		set_digest(s, 0, "pcieval", "1");
		set_digest(s, 1, "pcieval", "2");
		cr_assert_eq(merge(s), 0, "%s", s->e.text);
		cr_expect_str_eq(pv_run_property(s->merged, "differs"), "several builds of pcieval");
		shards_free(s);
	}
}

Test(merge, refuses_another_kernel)
{
	struct shards *s = calloc(1, sizeof(*s));

	run_shard(s, 1, 2, CASES, on_board_7);
	run_shard(s, 2, 2, CASES, with_kernel_7);
	for (size_t i = 0; i < s->n; i++)
		json_object_put(s->f[i]->opt.environment);
	expect_refused(s, -ESTALE, "expected kernel 6.12.0, as in shard 1/2 (");
}

/* The options are the same: `kernel`, or a file of the user's that is another on each machine. */
Test(merge, refuses_another_guest)
{
	static const struct {
		const char *kernel, *guest[2], *digest[2], *says;
	} rows[] = {
		{"fast",
		 {"\"release\": \"6.12.1\"", "\"release\": \"6.12.9\""},
		 {"1", "1"},
		 "expected guest kernel 6.12.1, as in shard 1/2 ("},
		{"fast",
		 {"\"drivers\": \"a.c 1234\"", "\"drivers\": \"a.c 5678\""},
		 {"1", "1"},
		 "expected drivers a.c 1234, as in shard 1/2 ("},
		{"fast", {"\"fixed\": true", "\"drivers\": \"a.c 5678\""}, {"1", "1"}, "expected drivers none, as in"},
		{"/x/Image", {"", ""}, {"1", "2"}, "expected the same contents of kernel /x/Image, as in shard 1/2 ("},
		{"/x/Image", {"", ""}, {"1", "1"}, NULL},
		{"fast", {"\"drivers\": \"a.c 1234\"", "\"drivers\": \"a.c 1234\""}, {"1", "2"}, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct shards *s = all_shards(2);

		for (size_t k = 0; k < 2; k++) {
			char command[200];

			set_digest(s, k, "kernel", rows[i].digest[k]);
			snprintf(command, sizeof(command),
				 "1a \"guest_options\": {\"kernel\": \"%s\"}, \"guest\": {%s},", rows[i].kernel,
				 rows[i].guest[k]);
			edit(s, k, PV_SETTINGS_FILE, command);
		}
		if (rows[i].says) {
			expect_refused(s, -ESTALE, rows[i].says);
			continue;
		}
		cr_expect_eq(merge(s), 0, "row %zu: %s", i, s->e.text);
		shards_free(s);
	}
}

Test(merge, refuses_a_shard_that_has_not_ended)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_JOURNAL_FILE, "/\"ev\":\"end\"/d");
	expect_refused(s, -ENODATA, "shard 2/2 was interrupted; `pcieval run --resume ");
}

Test(merge, refuses_a_shard_whose_disk_was_full_and_that_wrote_its_end_later)
{
	struct shards *s = all_shards(2);

	edit(s, 0, PV_JOURNAL_FILE, "s/\"ev\":\"end\"/\"why\":\"the run folder cannot be written: full\",&/");
	expect_refused(s, -ENODATA,
		       "shard 1/2 was interrupted: the run folder cannot be written: full; `pcieval run --resume ");
}

Test(merge, refuses_a_shard_that_goes_on)
{
	struct shards *s = all_shards(2);

	edit(s, 0, PV_JOURNAL_FILE, "/\"ev\":\"end\"/d");
	int claim = pv_journal_claim(s->folders[0]);
	cr_assert_geq(claim, 0);
	expect_refused(s, -ENODATA, "shard 1/2 is still running");
	close(claim);
}

Test(merge, refuses_a_whole_run)
{
	struct shards *s = all_shards(1);

	edit(s, 0, PV_SETTINGS_FILE, "/\"shard/d");
	expect_refused(s, -ESTALE, "expected a shard (`pcieval run --shard`), got a whole run");
}

Test(merge, refuses_a_case_of_another_place)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_CASES_FILE, "s/\"position\": *3/\"position\": 0/");
	expect_refused(s, -ESTALE, ", too; shards must be made");
}

Test(merge, refuses_a_place_that_there_is_not)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_CASES_FILE, "s/\"position\": *3/\"position\": 5/");
	expect_refused(s, -EINVAL, "expected a position below 5, got 5");
}

/* json-c makes 3 of the first three, and 0 of the others. */
Test(merge, refuses_a_place_that_is_no_number)
{
	static const char *const places[] = {"3e", "3.9", "\"3\"", "-1", "null"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct shards *s = all_shards(2);
		char command[64];

		snprintf(command, sizeof(command), "s/\"position\": *3/\"position\": %s/", places[i]);
		edit(s, 1, PV_CASES_FILE, command);
		expect_refused(s, -EINVAL, "expected a position below 5, got ");
	}
}

Test(merge, refuses_a_changed_list_of_cases)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_CASES_FILE, "s/\"skip\"/\"pass\"/");
	expect_refused(s, -ESTALE, "the cases of the shards are not those that were divided");
}

Test(merge, refuses_a_place_that_is_empty)
{
	struct shards *s = all_shards(2);

	edit(s, 1, PV_SETTINGS_FILE, "s/\"shard_cases\": *5/\"shard_cases\": 6/");
	edit(s, 0, PV_SETTINGS_FILE, "s/\"shard_cases\": *5/\"shard_cases\": 6/");
	expect_refused(s, -ESTALE, "1 of 6 cases is in no shard");
}

Test(merge, a_full_disk_leaves_no_half_of_it)
{
	struct shards *s = all_shards(2);
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 1500; /* less than the journal, more than the other files */
	setrlimit(RLIMIT_FSIZE, &limit);
	int err = merge(s);
	setrlimit(RLIMIT_FSIZE, &old);
	cr_expect_eq(err, -EFBIG, "got %d: %s", err, s->e.text);
	cr_expect(access(s->out, F_OK));
	cr_expect_eq(merge(s), 0, "the next attempt has room: %s", s->e.text);
	shards_free(s);
}

Test(merge, takes_no_folder_that_holds_something)
{
	struct shards *s = all_shards(2);

	cr_assert_eq(merge(s), 0);
	cr_expect_eq(pv_merge(s->folders, s->n, s->out, "again", &s->e), -ENOTEMPTY);
	cr_expect_not(access(s->out, F_OK), "it stays");
	shards_free(s);
}
