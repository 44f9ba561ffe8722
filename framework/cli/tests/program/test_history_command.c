/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval history as a user runs it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

static void set_up(void)
{
	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	/* Three runs; the second one fails, the others pass. */
	cr_assert_eq(program_script("mkdir runs; sed 's/name=\"fail\"/name=\"skip\"/' " PLAN " >p.xml; "
				    "$pcieval run -q --results runs/1 --name pass --name skip p.xml; "
				    "sed -i 's/\"skip\"/\"fail\"/' p.xml; "
				    "$pcieval run -q --results runs/2 --name pass --name fail p.xml; "
				    "$pcieval run -q --results runs/3 --name pass p.xml; "
				    "$pcieval history add lab.db runs/*"),
		     0, "%s", output);
}

TestSuite(history, .init = set_up, .fini = program_tear_down);

Test(history, mistakes_are_2)
{
	static const struct program_row rows[] = {
		{"history", 2, "", "history: expected a command"},
		{"history add", 2, "", "history add: expected a history and run folders, got 0 arguments"},
		{"history add lab.db", 2, "", "history add: expected a history and run folders, got 1 argument"},
		{"history add lab.db none", 2, "", "none is not the folder of a run"},
		{"history add runs runs/1", 2, "", "runs: expected a file, got a folder"},
		{"history add p.xml runs/1", 2, "", "p.xml: cannot be read: it is no history of runs"},
		{"history show", 2, "",
		 "history show: expected one history, a file or a folder of runs, got 0 arguments"},
		{"history show none.db", 2, "", "none.db: cannot be read: No such file or directory"},
		{"history show runs/1", 2, "", "runs/1: expected run folders in it, found none"},
		{"history show --html none/x lab.db", 2, "", "none"},
		{"history trend --name nobody lab.db", 2, "", "--name: 'nobody' matches no case with such results"},
	};

	program_expect_all(rows, sizeof(rows) / sizeof(*rows));
	cr_expect_not(exists("none.db"));
}

/* A link of another user in a folder like /tmp: the database would be made, or changed, where it leads. */
Test(history, links_of_others_are_not_followed)
{
	if (geteuid())
		cr_skip_test("not root, who can make links of others");
	cr_assert_eq(
		program_script(
			"mkdir -m 1777 shared; cd shared; ln -s ../new.db new; ln -s ../lab.db old; ln -s ../runs sub\n"
			"chown -h 1234:1234 new old sub; cksum ../lab.db >../before"),
		0, "%s", output);
	static const struct program_row rows[] = {
		{"history add shared/new runs/3", 2, "",
		 "shared/new: cannot be written: it is, or lies behind, a link"},
		{"history add shared/old runs/3", 2, "",
		 "shared/old: cannot be written: it is, or lies behind, a link"},
		{"history add shared/sub/new runs/3", 2, "",
		 "shared/sub/new: cannot be written: it is, or lies behind"},
	};

	program_expect_all(rows, ARRAY_SIZE(rows));
	cr_expect_eq(program_script("cksum lab.db | sed 's/lab/..\\/lab/' | cmp - before"), 0, "%s", output);
	cr_expect(!exists("new.db") && !exists("runs/new"));
}

Test(history, help_fits)
{
	static const char *const commands[] = {"history", "history add", "history show", "history flaky",
					       "history trend"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		program_expect_help(commands[i]);
}

Test(history, says_what_was_added)
{
	cr_expect_eq(pcieval("history add lab.db runs/3"), 0);
	expect_output("runs/3: already there\n");
	cr_expect_eq(pcieval("history add new.db runs/3 runs/3"), 0);
	expect_output("runs/3: added\nruns/3: already there\n");
}

Test(history, a_folder_says_what_the_file_says)
{
	cr_expect_eq(
		program_script("for c in show flaky 'trend --name pass'; do "
			       "$pcieval history $c runs >a; $pcieval history $c lab.db >b; diff a b || exit 1; done"),
		0, "%s", output);
	cr_expect_eq(pcieval("history show runs"), 0);
	expect_output("fail  ");
	expect_output("behaviours/fail\n      expected 4 records, got 3\n");
}

/* The case passes, except that it was not expected to, or has a planted defect. */
Test(history, other_conditions_make_no_case_flaky)
{
	cr_expect_eq(
		program_script(
			"echo '[{\"id\":\"k\",\"reason\":\"r\",\"reference\":\"x\","
			"\"cases\":[\"behaviours/pass\"],\"says\":\"no\"}]' >k.json; "
			"$pcieval run -q --results k --known-failures k.json --name pass p.xml; [ $? = 1 ] || exit; "
			"$pcieval run -q --results d --defect ptt-drop-record --name pass p.xml; "
			"$pcieval history add lab.db k d; $pcieval history flaky lab.db"),
		0, "%s", output);
	expect_output("no case is flaky");
	cr_expect_eq(pcieval("history trend lab.db"), 0);
	expect_output(", planted defects: ptt-drop-record  d\n");
}

Test(history, that_there_is_no_case_is_said)
{
	cr_expect_eq(pcieval("history show --name nobody lab.db"), 0);
	expect_output("\n\nno such case\n");
	cr_expect_eq(
		program_script("$pcieval run -q --name '*pass*' --results good/1 p.xml; $pcieval history show good"),
		0);
	expect_output("\n\neach result is a pass or a skip; a case that never ran has none\n");
}

Test(history, results_of_cases_are_paragraphs)
{
	cr_expect_eq(pcieval("history trend --name '*' lab.db"), 0);
	expect_output("\n\nbehaviours/");
	cr_expect_neq(*output, '\n', "%s", output);
}

Test(history, links_shards_and_other_folders_are_passed_over)
{
	cr_expect_eq(program_script(
			     "ln -s 3 runs/latest; mkdir runs/notes; "
			     "for i in 1 2; do $pcieval run -q --shard $i/2 --results runs/s$i p.xml >/dev/null; done; "
			     "$pcieval history show runs | grep -c '  runs/'"),
		     0);
	expect_output("3\n");
}

Test(history, a_run_in_a_folder_that_is_damaged_is_told)
{
	cr_expect_eq(program_script("echo nonsense >runs/2/settings.json; $pcieval history show runs"), 2);
	expect_output("runs/2/settings.json: expected JSON, got a mistake at byte 1");
}

Test(history, the_page_has_the_case_that_fails)
{
	cr_expect_eq(pcieval("history show --html page.html lab.db"), 0);
	char *page = read_file("page.html");

	cr_expect(strstr(page, "behaviours/fail"));
	free(page);
	cr_expect_eq(pcieval("history show --html - lab.db"), 0);
	cr_expect_eq(strncmp(output, "<!DOCTYPE html>", 15), 0, "%s", output);
}

/* The history keeps the runs that precede the damaged one. */
Test(history, a_run_that_is_damaged_adds_nothing)
{
	cr_expect_eq(program_script("echo nonsense >runs/2/cases.json; rm lab.db; $pcieval history add lab.db runs/*"),
		     2);
	expect_output("runs/1: added\n");
	cr_expect_eq(pcieval("history trend lab.db | grep -c '  runs/'"), 0);
	expect_output("1\n");
}
