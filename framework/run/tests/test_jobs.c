/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order and repetition of jobs: --shuffle, --repeat, --until-failure. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/run/jobs.h"

enum { N = 20 };

static struct pv_job given[N];
static struct pv_run_options opt;

static void begin(void)
{
	opt = (struct pv_run_options){0};
	for (int i = 0; i < N; i++)
		given[i] = (struct pv_job){.line = i};
}

TestSuite(order, .init = begin);

/* The jobs as options put them; *n: how many there are. */
static struct pv_job *ordered(size_t *n)
{
	struct pv_job *jobs = pv_jobs_order(&opt, given, n);

	cr_assert_not_null(jobs);
	return jobs;
}

static bool same_order(const struct pv_job *a, const struct pv_job *b)
{
	for (int i = 0; i < N; i++)
		if (a[i].line != b[i].line)
			return false;
	return true;
}

static bool has_each_once(const struct pv_job *jobs)
{
	unsigned seen = 0;

	for (int i = 0; i < N; i++)
		seen |= 1u << jobs[i].line;
	return seen == (1u << N) - 1;
}

Test(order, without_options_it_is_that_of_the_plans_and_no_job_has_a_round)
{
	size_t n = N;
	struct pv_job *jobs = ordered(&n);

	cr_expect_eq(n, N);
	cr_expect(same_order(jobs, given));
	cr_expect_eq(jobs[N - 1].round, 0);
	free(jobs);
}

Test(order, repeat_numbers_the_rounds_from_1)
{
	size_t n = N;

	opt.repeat = 3;
	struct pv_job *jobs = ordered(&n);

	cr_assert_eq(n, 3 * N);
	for (size_t r = 0; r < 3; r++) {
		cr_expect(same_order(&jobs[r * N], given));
		cr_expect_eq(jobs[r * N].round, r + 1);
		cr_expect_eq(jobs[r * N + N - 1].round, r + 1);
	}
	free(jobs);
}

Test(order, until_failure_is_bounded_by_jobs_and_by_rounds)
{
	static const struct {
		size_t jobs, rounds;
	} bounds[] = {{1, 1000}, {10, 1000}, {20, 500}, {6000, 2}, {20000, 2}};

	opt.until_failure = true;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		size_t n = bounds[i].jobs;
		struct pv_job *many = calloc(n, sizeof(*many)), *jobs = pv_jobs_order(&opt, many, &n);

		cr_expect_eq(n, bounds[i].jobs * bounds[i].rounds);
		free(many);
		free(jobs);
	}
}

Test(order, repeat_bounds_until_failure)
{
	size_t n = N;

	opt.until_failure = true;
	opt.repeat = 4;
	free(ordered(&n));
	cr_expect_eq(n, 4 * N);
}

Test(order, a_seed_gives_one_order_and_each_round_another)
{
	size_t n = N, m = N;

	opt.shuffle = "7";
	opt.repeat = 2;
	struct pv_job *first = ordered(&n), *again = ordered(&m);

	cr_expect(has_each_once(first));
	cr_expect(has_each_once(first + N));
	cr_expect(same_order(first, again));
	cr_expect(same_order(first + N, again + N));
	cr_expect_not(same_order(first, given));
	cr_expect_not(same_order(first, first + N));
	free(first);
	free(again);
}

Test(order, another_seed_gives_another_order)
{
	size_t n = N, m = N;

	opt.shuffle = "7";
	struct pv_job *first = ordered(&n);
	opt.shuffle = "8";
	struct pv_job *second = ordered(&m);

	cr_expect_not(same_order(first, second));
	free(first);
	free(second);
}

Test(order, a_shuffle_is_the_same_on_every_machine)
{
	static const int want[] = {2, 1, 4, 3, 0};
	size_t n = 5;

	opt.shuffle = "1";
	struct pv_job *jobs = ordered(&n);

	for (int i = 0; i < 5; i++)
		cr_expect_eq(jobs[i].line, want[i], "place %d", i);
	free(jobs);
}

Test(order, a_seed_is_chosen_where_none_is_given)
{
	char text[PV_SEED_TEXT];
	struct pv_error e = {0};

	opt.shuffle = "";
	cr_assert_eq(pv_order_check(&opt, text, &e), 0);
	cr_expect(opt.shuffle == text);
	cr_expect_gt(strlen(text), 0);
	cr_expect_eq(strspn(text, "0123456789"), strlen(text));
}

Test(order, a_seed_that_is_no_number_of_64_bits_is_refused)
{
	static const char *const bad[] = {"x", "1x", "-1", " 1", "18446744073709551616"};
	char text[PV_SEED_TEXT];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pv_error e = {0};

		opt.shuffle = bad[i];
		cr_expect_eq(pv_order_check(&opt, text, &e), -EINVAL, "'%s'", bad[i]);
		cr_expect_not_null(strstr(e.text, "--shuffle: expected a number as seed"));
	}
	opt.shuffle = "18446744073709551615";
	cr_expect_eq(pv_order_check(&opt, text, &(struct pv_error){0}), 0);
}

Test(order, repeat_is_bounded_by_a_million_jobs)
{
	struct pv_error e = {0};

	opt.repeat = 50000;
	cr_expect_eq(pv_order_fits(&opt, N, &e), 0);
	cr_expect_eq(pv_order_fits(&opt, 0, &e), 0);
	opt.repeat = 50001;
	cr_expect_eq(pv_order_fits(&opt, N, &e), -EINVAL);
	cr_expect_str_eq(e.text, "--repeat: expected at most 50000 with 20 cases, got 50001");
}
