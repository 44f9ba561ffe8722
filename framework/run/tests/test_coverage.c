/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cases of plans and results of runs count for the requirements that they verify. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/law/law.h"
#include "framework/run/coverage.h"

static struct pv_coverage m;

static size_t index_of(const char *id)
{
	const struct pv_requirement *r = pv_requirement_find(id);

	cr_assert(r, "%s", id);
	return (size_t)(r - pv_requirements);
}

static int add_run(const char *target, enum pv_verdict verdict)
{
	static char id[] = "PTT-TU-01", unknown[] = "no-such-requirement", *verifies[] = {id, unknown, NULL};
	struct pv_case_result c = {.verifies = verifies, .verdict = verdict};

	return pv_coverage_add_run(&m, &(struct pv_run_result){.target = (char *)target, .cases = &c, .n_cases = 1});
}

Test(coverage, runs_on_one_target_are_one_column)
{
	size_t i = index_of("PTT-TU-01");

	cr_assert_eq(add_run("ssh:board7", PV_PASS), 0);
	cr_assert_eq(add_run("ssh:board8", PV_FAIL), 0);
	cr_assert_eq(add_run("model", PV_PASS), 0);
	cr_expect_eq(m.n, 2);
	cr_expect_str_eq(m.columns[0].title, "ssh");
	cr_expect_eq(m.columns[0].cases[i], 2);
	cr_expect_eq(m.columns[0].passed[i], 1);
	cr_expect_eq(pv_coverage_verified(&m, i), 2);
	cr_expect_eq(pv_coverage_verified(&m, i + 1), 0);
}

Test(coverage, targets_are_bounded)
{
	static const char *const targets[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

	for (size_t i = 0; i < PV_COVERAGE_COLUMNS; i++)
		cr_expect_eq(add_run(targets[i], PV_PASS), 0);
	cr_expect_eq(add_run("i", PV_PASS), -E2BIG);
	cr_expect_eq(add_run("h", PV_PASS), 0);
}

Test(coverage, a_case_that_would_be_skipped_is_not_planned)
{
	static const char *const verifies[] = {"PTT-TU-01", NULL}, *const model[] = {"model", NULL};
	struct pv_case cases[] = {{.verifies = verifies, .targets = model},
				  {.verifies = verifies, .targets = model, .skip = "why"}};
	struct pv_case *list[] = {&cases[0], &cases[1]};
	const struct pv_plans plans = {.cases = list, .n_cases = 2};

	pv_coverage_add_plans(&m, &plans, "model");
	pv_coverage_add_plans(&m, &plans, "qemu");
	cr_expect_eq(m.n, 2);
	cr_expect_eq(m.columns[0].cases[index_of("PTT-TU-01")], 1);
	cr_expect_eq(m.columns[1].cases[index_of("PTT-TU-01")], 0);
}
