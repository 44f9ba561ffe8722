/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval run --shard and pcieval merge as a user or a CI job runs them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"

/*
 * The cases are skip, fail, crash, pass[n=1] and pass[n=2]. COMPARABLE keeps the parts of a report that do not depend
 * on the machine.
 */
#define COMPARABLE "jq -S '[.cases[] | del(.seconds, .artefacts, .where, .text)]' "
#define SHARDS	   "$pcieval run -q --shard 1/2 --results 1 p.xml; $pcieval run -q --shard 2/2 --results 2 p.xml; "

static void set_up(void)
{
	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	cr_assert_eq(system("sed 's/name=\"pass\"/name=\"skip\"/; s/name=\"slow\"/name=\"pass\"/' " PLAN " >p.xml"), 0);
}

TestSuite(shards, .init = set_up, .fini = program_tear_down);

Test(shards, mistakes_are_2_and_run_nothing)
{
	static const struct program_row rows[] = {
		{"run --shard 3/2 p.xml", 2, "",
		 "--shard: expected I/N, from 1/N to N/N with N up to 10000, got '3/2'"},
		{"run --shard 1/9 p.xml", 2, "", "--shard: expected at most as many shards as cases, 5, got 9"},
		{"run --durations x p.xml", 2, "", "--durations goes with --shard only"},
		{"run --shard 1/2 --durations none p.xml", 2, "", "--durations: none is not the folder of a run"},
		{"run --shard 1/2 --until-failure p.xml", 2, "", "--shard: expected no --until-failure"},
		{"run --shard 1/2 --shuffle p.xml", 2, "", "--shard: expected --shuffle=SEED, the same for all shards"},
		{"merge", 2, "", "merge: expected the folders of all shards of a run, got none"},
		{"merge 1 2", 2, "", "merge: expected --output DIR, the folder of the merged run"},
		{"merge -o all none", 2, "", "merge: none is not the folder of a run"},
	};

	program_expect_all(rows, sizeof(rows) / sizeof(*rows));
	cr_expect_not(exists("all"));
}

Test(shards, help_fits)
{
	program_expect_help("merge");
}

Test(shards, the_merged_run_is_the_whole_run)
{
	cr_expect_eq(program_script("$pcieval run -q --results whole --json w.json p.xml; " SHARDS
				    "$pcieval merge -o all --json a.json 1 2; status=$?; "
				    "for f in w a; do " COMPARABLE
				    "$f.json >$f.txt; done; diff w.txt a.txt; exit $status"),
		     1, "%s", output);
	expect_output("5 cases: 2 passed, 1 failed, 1 error, 1 skipped in ");
	cr_expect_null(strstr(output, "\n> "), "%s", output);
}

/* The long case is alone in its shard if its duration is known. */
Test(shards, durations_are_known_of_a_renamed_case)
{
	setenv("plan", PLAN, 1);
	cr_expect_eq(program_script("sed 's/values=\"1 2\"/values=\"1\"/' $plan >q.xml; "
				    "$pcieval run -q --results r --exclude crash q.xml >/dev/null 2>&1; "
				    "sed -i 's/values=\"1\"/& unnamed=\"1\"/' q.xml; for i in 1 2; do "
				    "$pcieval run --shard $i/2 --durations r --exclude crash --dry-run q.xml | "
				    "grep -o '^behaviours/[a-z]*'; done"),
		     0, "%s", output);
	cr_expect_str_eq(output, "behaviours/slow\nbehaviours/pass\nbehaviours/fail\n");
}

/* Two runs with the same seed each test half of the shuffled order. */
Test(shards, a_shuffled_run_is_divided_too)
{
	cr_expect_eq(
		program_script(
			"for i in 1 2; do $pcieval run -q --shuffle=3 --repeat 2 --shard $i/2 --results $i p.xml; done;"
			"$pcieval merge -q -o all --json a.json 1 2; "
			"$pcieval run -q --shuffle=3 --repeat 2 --results whole --json w.json p.xml; "
			"for f in w a; do " COMPARABLE "$f.json >$f.txt; done; diff w.txt a.txt"),
		0, "%s", output);
}

Test(shards, a_shard_that_was_killed_is_resumed_and_merged)
{
	setenv("GATE", "open", 1);
	cr_expect_eq(
		program_script(
			"sed -i 's/name=\"pass\"/name=\"gate\"/' p.xml; "
			"$pcieval run -q -j1 --shard 1/2 --results 1 p.xml & pid=$!; "
			"for i in $(seq 3000); do grep -q wait 1/journal.jsonl 2>/dev/null && break; sleep 0.01; done; "
			"kill -9 $pid; wait $pid 2>/dev/null; : >open; "
			"$pcieval run -q --shard 2/2 --results 2 p.xml; "
			"$pcieval merge -o all 1 2; [ $? = 3 ] && [ ! -e all ] || exit 99; "
			"$pcieval run -q --resume 1 --again interrupted; $pcieval merge -o all 1 2"),
		1, "%s", output);
	expect_output("merge: 1: shard 1/2 was interrupted; `pcieval run --resume 1` continues it");
	expect_output("5 cases: 2 passed, 1 failed, 1 error, 1 skipped in ");
}

Test(shards, failed_cases_of_the_merged_run_can_be_run_again)
{
	cr_expect_eq(program_script(SHARDS "$pcieval merge -q -o all 1 2; $pcieval run -q --rerun failed all"), 1, "%s",
		     output);
	expect_output("2 cases: 0 passed, 1 failed, 1 error, 0 skipped in ");
}

Test(shards, a_merged_run_is_no_shard)
{
	cr_expect_eq(program_script(SHARDS "$pcieval merge -q -o all 1 2; $pcieval merge -o again all"), 2, "%s",
		     output);
	expect_output("merge: all: expected a shard (`pcieval run --shard`), got a whole run");
}

Test(shards, two_merges_into_one_folder_are_refused)
{
	cr_expect_eq(program_script(SHARDS "$pcieval merge -q -o all 1 2; $pcieval merge -q -o all 1 2"), 2, "%s",
		     output);
	expect_output("merge: all: cannot hold the results: expected a new or empty folder");
	cr_expect(exists("all/journal.jsonl"));
}

Test(shards, a_dry_run_shows_those_of_the_shard)
{
	cr_expect_eq(program_script(
			     "for i in 1 2; do $pcieval run --dry-run --shard $i/2 p.xml; done | grep -c ^behaviours/"),
		     0);
	expect_output("5\n");
}
