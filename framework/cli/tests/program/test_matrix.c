/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run with several kernels, drivers or targets: a run of each combination, and a table of what differs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"

/* An agent for which the case "pass" fails on driver "bad", is an error on "ugly", and is skipped on "lacking". */
static void put_agent(void)
{
	FILE *f = fopen("agent", "w");

	cr_assert(f &&
		  fputs("#!/bin/sh\nread -r message\n"
			"case $message in\n"
			"*'\"driver\":\"bad\"'*) name=fail ;;\n"
			"*'\"driver\":\"ugly\"'*) name=crash ;;\n"
			"*'\"driver\":\"lacking\"'*) name=skip ;;\n"
			"*) name=pass ;;\n"
			"esac\n"
			"printf '%s\\n' \"$message\" | sed \"s/\\\"case\\\":\\\"pass\\\"/\\\"case\\\":\\\"$name\\\"/\" "
			"| " AGENT "\n",
			f) >= 0 &&
		  !fclose(f));
	cr_assert_eq(program_script("chmod +x agent"), 0);
}

static void set_up(void)
{
	program_set_up();
	put_agent();
	setenv("PCIEVAL_AGENT", "./agent", 1);
}

TestSuite(matrix, .init = set_up, .fini = program_tear_down);

static int script(const char *text)
{
	return program_script(text);
}

Test(matrix, each_combination_is_a_run_with_its_reports_and_a_table_shows_what_differs)
{
	cr_assert_eq(script("\"$pcieval\" run -q --driver good --driver bad --target local --target model --name "
			    "pass --name 'slow*' --results m " PLAN),
		     1, "%s", output);
	expect_output("\n== model_bad, 4 of 4\n");
	expect_output("\n== what differs\n");
	expect_output("b  m/local_bad\n   target local, driver bad, board default\n   2 passed, 1 failed, 0 errors, 0 "
		      "skipped\n");
	expect_output("behaviours/pass                                        PASS  FAIL  PASS  FAIL\n"
		      "    b d: expected 4 records, got 3\n");
	expect_output("\nb against a: REGRESSION: 1 New failures and errors\n");
	expect_output("\nresults: m\n");
	for (size_t i = 0; i < 4; i++) {
		static const char *const names[] = {"local_good", "local_bad", "model_good", "model_bad"};
		static const char *const files[] = {"settings.json", "report.html", "junit.xml", "report.json"};
		char path[128];

		for (size_t k = 0; k < 4; k++) {
			snprintf(path, sizeof(path), "m/%s/%s", names[i], files[k]);
			cr_expect(exists(path), "%s", path);
		}
	}
	cr_expect(exists("m/report.html"));
	cr_expect(!exists("m/journal.jsonl"));
	cr_expect_eq(script("\"$pcieval\" compare m"), 1);
	expect_output("\nd  m/model_bad\n");
	cr_expect_eq(script("\"$pcieval\" report -q m/local_good"), 0, "%s", output);
}

Test(matrix, junit_has_the_suites_of_all_runs)
{
	cr_assert_eq(script("\"$pcieval\" run -q --driver good --driver lab:bad --name pass --junit j.xml --html "
			    "h.html --json "
			    "j.json " PLAN),
		     0, "%s", output);
	cr_expect_eq(script("xmllint --noout --schema " SCHEMA " j.xml 2>&1"), 0, "%s", output);
	cr_expect_eq(script("grep -o 'testsuite "
			    "name=\"[^\"]*\"\\|classname=\"[^\"]*\"\\|testsuites.*tests=\"[0-9]*\"\\| id=\"[0-9]*\"' "
			    "j.xml"),
		     0);
	expect_output("tests=\"2\"");
	expect_output("testsuite name=\"model.embedded.good.behaviours\"\n id=\"0\"\nclassname=\"model.embedded.good."
		      "behaviours\"\n");
	expect_output("testsuite name=\"model.embedded.lab-bad.behaviours\"\n id=\"1\"\nclassname=\"model.embedded.lab-"
		      "bad.behaviours\"\n");
	cr_expect_eq(
		script("xmllint --noout h.html && jq -e '.cases == 1 and (.rows | length) == 1 and (.runs | length) == "
		       "2' j.json"),
		0, "%s", output);
	/* Without --results the folder is as for a run. */
	cr_expect(exists("pcieval-results/latest/good/settings.json"));
	/* The JUnit of one of them is as ever. */
	cr_expect_eq(
		script("grep -q 'testsuite name=\"model.embedded.behaviours\"' pcieval-results/latest/good/junit.xml"),
		0);
}

Test(matrix, the_status_is_the_worst_of_the_runs)
{
	cr_expect_eq(script("\"$pcieval\" run -q --driver a --driver b --name pass " PLAN), 0, "%s", output);
	cr_expect_eq(script("\"$pcieval\" run -q --driver ugly --driver a --name pass " PLAN), 3, "%s", output);
	cr_expect_eq(script("\"$pcieval\" run -q --driver ugly --driver bad --name pass " PLAN), 1, "%s", output);
	cr_expect_eq(script("\"$pcieval\" run -q --driver lacking --driver a --name pass " PLAN), 4, "%s", output);
	expect_output("b against a: NOTHING TO COMPARE");
	cr_expect_eq(script("\"$pcieval\" run -q --allow-skip --driver lacking --driver a --name pass " PLAN), 0, "%s",
		     output);
	cr_expect_eq(script("\"$pcieval\" run -q --driver a --driver b --name pass --junit /dev/full " PLAN), 3, "%s",
		     output);
}

Test(matrix, runs_of_one_name_get_numbers)
{
	cr_expect_eq(
		script("\"$pcieval\" run -q --results m --driver x/y --driver x:y --driver ../x --name pass " PLAN), 0,
		"%s", output);
	cr_expect_eq(script("ls m"), 0);
	expect_output("matrix.json\nreport.html\n");
	expect_output("x-y\nx-y~2\n");
	expect_output("\nx\nx-y\n");
}

Test(matrix, a_value_that_is_given_twice_is_one_run)
{
	cr_expect_eq(pcieval("run -q --results r --driver a --driver a --name pass " PLAN), 0, "%s", output);
	cr_expect(exists("r/journal.jsonl"));
	cr_expect_eq(pcieval("run -q --results m --driver a --driver b --driver a --name pass " PLAN), 0, "%s", output);
	expect_output("== b, 2 of 2\n");
	cr_expect_eq(pcieval("run --seed 1 --seed 2 " PLAN), 2);
	expect_output("--seed: expected one value, got '1' and '2'");
}

Test(matrix, mistakes_are_told_before_the_first_run)
{
	static const struct program_row rows[] = {
		{"run --driver a --driver b --name pass --results m --ktap k " PLAN, 2, "",
		 "--ktap: expected one kernel, driver and target"},
		{"run --driver a --driver b --name pass --results m --junit - " PLAN, 2, "",
		 "--junit: expected a file"},
		{"run --driver a --driver b --name pass --results m --timeout-scale 0 " PLAN, 2, "",
		 "a: --timeout-scale"},
		{"run --driver a --driver b --results agent " PLAN, 2, "",
		 "agent: cannot hold the results: it is not a folder"},
		{"run --driver a --driver b --name pass --results m --shard 1/2 " PLAN, 2, "",
		 "--shard: expected one kernel, driver and target"},
		{"run --driver a --driver b --resume m", 2, "", "--resume: expected no --driver"},
		{"run --driver a --driver b --rerun failed m", 2, "", "--rerun: expected no --driver"},
		{"run --driver a --driver b --bisect --name pass " PLAN, 255, "",
		 "expected no second kernel, driver or target"},
		{"run --driver 1 --driver 2 --driver 3 --kernel 1 --kernel 2 --kernel 3 --target qemu --target model "
		 "--target local "
		 "--name pass " PLAN,
		 2, "", "expected at most 26 combinations"},
	};

	program_expect_all(rows, sizeof(rows) / sizeof(*rows));
	cr_expect(!exists("m"));
	unsetenv("PCIEVAL_AGENT");
	cr_expect_eq(pcieval("run --driver reference --driver kernel --results m " PLAN), 2);
	expect_output("kernel: --driver: target model has: reference; got 'kernel'");
	cr_expect(!exists("m"));
}

Test(matrix, the_folder_is_no_run)
{
	cr_assert_eq(pcieval("run -q --results m --driver a --driver b --name pass " PLAN), 0, "%s", output);
	static const char *const commands[] = {"run --resume m", "run --rerun failed m", "report m"};
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(pcieval(commands[i]), 2);
		expect_output("m has several runs (matrix.json): expected one of its folders");
	}
	cr_expect_eq(pcieval("run --rerun failed m/a"), 4, "%s", output);
	cr_expect_eq(pcieval("run -q --results m --name pass " PLAN), 2);
	expect_output("expected a new or empty folder");
}

Test(matrix, an_interrupt_ends_all_of_it)
{
	cr_expect_eq(script("sed 's/\"pass\"/\"hang\"/' " PLAN
			    " >hang.xml; \"$pcieval\" run -q --results m --driver a --driver b "
			    "--name hang hang.xml & sleep 1; kill -TERM $!; wait $!"),
		     3, "%s", output);
	cr_expect(exists("m/a/settings.json"));
	cr_expect(!exists("m/b"), "%s", output);
	expect_output("b  m/b\n   ERROR: it has not begun: an earlier run was interrupted\n");
}

Test(matrix, a_combination_that_cannot_run_is_not_passed_over)
{
	cr_expect_eq(script("mkdir -p tree/ci/guest.d; cp " PLAN
			    " tree/plan.xml; printf '#!/bin/sh\\necho /opt/qemu\\n' "
			    ">tree/ci/qemu\n"
			    "printf '#!/bin/sh\\n[ $1 != debug ] || exit 1; mkdir -p made; echo $PWD/made\\n' "
			    ">tree/ci/guest\n"
			    "chmod +x tree/ci/*; unset PCIEVAL_QEMU; \"$pcieval\" run -q --results m --target qemu "
			    "--kernel debug "
			    "--kernel fast --name pass --junit j.xml tree/plan.xml 2>&1"),
		     3, "%s", output);
	expect_output("no kernel; `");
	expect_output("a  m/debug\n   ERROR: it could not begin, for the reason that was printed\nb  m/fast\n");
	cr_expect(!exists("m/debug"));
	cr_expect_eq(script("xmllint --noout --schema " SCHEMA " j.xml 2>&1 && "
			    "xmllint --xpath "
			    "'//testsuites/@*|//testsuite[1]/@name|//testcase[1]/@*|//testcase[1]/error/@*' j.xml"),
		     0, "%s", output);
	expect_output(" tests=\"2\"\n failures=\"0\"\n errors=\"1\"\n");
	expect_output(" name=\"qemu.default.debug.run\"\n name=\"begin\"\n");
	expect_output(" message=\"it could not begin, for the reason that was printed\"");
	cr_expect_eq(pcieval("compare m"), 3, "%s", output);
	expect_output("a  m/debug\n   ERROR: it has not begun\n");
	expect_output("a: ERROR: it has no result\n");
}

Test(matrix, standard_input_and_a_dry_run)
{
	cr_expect_eq(
		script("echo behaviours/pass | \"$pcieval\" run -q --results m --driver a --driver b --cases - " PLAN),
		0, "%s", output);
	expect_output("1 case: 0 differ");
	cr_expect_eq(pcieval("run --dry-run --results n --driver a --driver b --name pass " PLAN), 0, "%s", output);
	expect_output("driver b, ");
	cr_expect(!exists("n"));
}
