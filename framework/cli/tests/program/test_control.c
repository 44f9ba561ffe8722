/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control of runs: selection, order and repetition of cases. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/cli/tests/program/program.h"

static void set_up(void)
{
	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	unsetenv("NO_COLOR");
}

TestSuite(control, .init = set_up, .fini = program_tear_down);

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	cr_assert(f && fputs(text, f) >= 0 && !fclose(f), "%s", path);
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *s = output; (s = strstr(s, part)); s += strlen(part))
		n++;
	return n;
}

/* ---- selection ---- */

Test(control, exclude_leaves_out_what_it_matches)
{
	cr_expect_eq(pcieval("list --exclude fail --exclude 'behaviours/slow*' " PLAN), 0, "%s", output);
	cr_expect_eq(count("behaviours/"), 2, "pass and crash: %s", output);
	cr_expect_eq(pcieval("list --name 'slow*' --exclude 'slow[n=2]' " PLAN), 0, "%s", output);
	cr_expect_eq(count("behaviours/"), 1, "%s", output);
	expect_output("slow[n=1]");
	cr_expect_eq(pcieval("run --exclude '*' " PLAN), 2);
	expect_output("no case is selected");
}

Test(control, a_folder_stands_for_its_plans)
{
	mkdir("plans", 0777);
	write_file("plans/readme.txt", "no plan");
	cr_expect_eq(pcieval("run plans"), 2);
	expect_output("plans: expected plans (*.xml) in this folder, found none\n");
	cr_assert_eq(symlink(PLAN, "plans/b.xml"), 0);
	cr_expect_eq(pcieval("run ."), 2);
	expect_output(".: expected plans (*.xml) in this folder, found none; did you mean './plans'?");
	cr_expect_eq(program_script("sed 's/name=.behaviours./name=\"first\"/' " PLAN " >plans/a.xml"), 0);
	cr_expect_eq(pcieval("list --name pass plans/"), 0, "%s", output);
	cr_expect(strstr(output, "plans/a.xml") && strstr(output, "plans/b.xml"), "%s", output);
	cr_expect_lt(strstr(output, "plans/a.xml"), strstr(output, "plans/b.xml"), "sorted: %s", output);
	cr_expect_eq(pcieval("run --name first/pass plans"), 0, "%s", output);
}

Test(control, cases_come_from_a_file)
{
	write_file("cases", "# a comment\n\n  behaviours/slow[n=2] \nbehaviours/pass\tas list prints it\n");
	cr_expect_eq(pcieval("list --cases cases " PLAN), 0, "%s", output);
	cr_expect_eq(count("behaviours/"), 2, "%s", output);
	cr_expect(strstr(output, "slow[n=2]") && strstr(output, "/pass"), "%s", output);
	cr_expect_eq(pcieval("list --cases - " PLAN " <cases"), 0, "%s", output);
	cr_expect_eq(count("behaviours/"), 2, "%s", output);
	cr_expect_eq(pcieval("list " PLAN " | \"$pcieval\" list --cases - " PLAN), 0, "%s", output);
}

Test(control, what_is_listed_takes_what_list_prints)
{
	cr_expect_eq(program_script("\"$pcieval\" list --exclude fail " PLAN
				    " >l && \"$pcieval\" run --dry-run --cases l " PLAN),
		     0, "%s", output);
	cr_expect_eq(count("\nbehaviours/"), 4, "%s", output);
}

Test(control, a_line_that_names_no_case_is_2)
{
	write_file("cases", "behaviours/pass\nbehaviours/pas\nbehaviours\nbehaviours/pas\n");
	cr_expect_eq(pcieval("run --results r --cases cases " PLAN), 2);
	expect_output("--cases: cases:2: 'behaviours/pas' is none of 5 cases for target model; did you mean 'pass'?");
	expect_output("--cases: cases:4: 'behaviours/pas' is none");
	expect_output("--cases: cases:3: 'behaviours' is none of 5 cases for target model; expected PLAN/CASE");
	cr_expect_not(exists("r"));
	cr_expect_eq(pcieval("run --allow-empty --cases cases " PLAN), 0, "%s", output);
	expect_output("warning: --cases: cases:2");
	expect_output("1 case: 1 passed");
	write_file("twice", "behaviours/pass\nbehaviours/pass\n");
	cr_expect_eq(pcieval("run --cases twice " PLAN), 0, "%s", output);
	expect_output("1 case: 1 passed");
	cr_expect_eq(pcieval("run --cases absent " PLAN), 2);
	expect_output("--cases: absent: cannot be read: No such file");
}

Test(control, tags_are_listed_with_how_many_have_them)
{
	cr_expect_eq(pcieval("list --list-tags " PLAN), 0, "%s", output);
	cr_expect_str_eq(output, "     1  bad\n     1  good\n     2  sluggish\n     1  ugly\n");
	cr_expect_eq(pcieval("run --list-tags --name 'slow*' " PLAN), 0, "%s", output);
	cr_expect_str_eq(output, "     2  sluggish\n");
	cr_expect_not(exists("pcieval-results"));
}

Test(control, a_dry_run_prints_and_runs_nothing)
{
	cr_expect_eq(pcieval("run --dry-run --seed 9 -j 3 --defect ptt-drop-record --exclude crash " PLAN), 0, "%s",
		     output);
	expect_output("# target model, board embedded, driver reference, 3 at a time\n# defects: ptt-drop-record\n");
	expect_output("behaviours/pass\t" PLAN);
	expect_output("\tseed 9\n");
	expect_output("# 4 cases, 0 to be skipped; nothing was run\n");
	cr_expect_not(exists("pcieval-results"));
}

/* ---- order and repetition ---- */

/* The same plan, with cases that crash at their first attempt instead of the slow ones. */
#define FLAKY_PLAN "sed 's/name=\"slow\"/name=\"flaky\"/' " PLAN " >p.xml; "

/* Writes the order of the cases to `file`, as a dry run prints it. */
#define ORDER(options, file) "\"$pcieval\" run --dry-run " options " " PLAN " | grep -v '^#' >" file "; "

Test(control, an_order_is_repeated_by_its_seed)
{
	cr_expect_eq(program_script(ORDER("", "plain") ORDER("--shuffle=7", "a") ORDER("--shuffle=7", "b")
					    ORDER("--shuffle=8", "c") "cmp a b && ! cmp -s a c && ! cmp -s a plain && "
								      "sort a >x && sort plain >y && cmp x y"),
		     0, "%s", output);
}

Test(control, a_seed_that_is_chosen_is_told_and_kept)
{
	cr_expect_eq(pcieval("run --shuffle -j1 --results r --junit j.xml --exclude fail --exclude crash " PLAN), 0,
		     "%s", output);
	cr_expect_eq(program_script("seed=$(jq -r .shuffle r/settings.json); echo seed $seed; "
				    "grep -q \"name=.shuffle. value=.$seed.\" j.xml && "
				    "\"$pcieval\" report r | grep -e \"--shuffle=$seed\""),
		     0, "%s", output);
	cr_expect_eq(
		program_script("\"$pcieval\" run --shuffle=$(jq -r .shuffle r/settings.json) -j1 --results s "
			       "--exclude fail --exclude crash " PLAN
			       " >out; grep -q 'in another order: --shuffle=' out && "
			       "jq '[.cases[].case]' r/cases.json >a; jq '[.cases[].case]' s/cases.json >b; cmp a b"),
		0, "%s", output);
	cr_expect_eq(pcieval("run --shuffle=some " PLAN), 2);
	expect_output("--shuffle: expected a number as seed, got 'some'");
}

Test(control, a_repeated_run_says_how_often_each_case_ran)
{
	cr_expect_eq(pcieval("run --repeat 3 --results r --json a.json --html a.html --junit a.xml --ktap a.ktap "
			     "--name pass "
			     "--name fail " PLAN),
		     1, "%s", output);
	expect_output("6 cases: 3 passed, 3 failed, 0 errors, 0 skipped");
	expect_output("2 cases repeated: each ran 3 times\n");
	expect_output("FAIL behaviours/fail #3 ");
	cr_expect_eq(
		program_script(
			"jq -e '.repeats == [{plan:\"behaviours\",case:\"pass\",runs:3,pass:3,fail:0,error:0,skip:0},"
			"{plan:\"behaviours\",case:\"fail\",runs:3,pass:0,fail:3,error:0,skip:0}] and "
			"[.cases[].round] == [1,1,2,2,3,3]' a.json && grep -q 'Repeated cases (2)' a.html && "
			"grep -q 'name=\"pass #3\"' a.xml && grep -q 'ok 5 pass _3' a.ktap"),
		0, "%s", output);
	cr_expect_eq(pcieval("run --repeat 600000 --name pass --name fail " PLAN), 2);
	expect_output("--repeat: expected at most 500000 with 2 cases, got 600000");
}

Test(control, until_failure_stops_at_the_first)
{
	cr_expect_eq(pcieval("run -j1 --until-failure --results r --json a.json --name pass --name fail " PLAN), 1,
		     "%s", output);
	expect_output("2 cases: 1 passed, 1 failed, 0 errors, 0 skipped");
	expect_output("2 cases repeated: each ran 1 time\n");
	cr_expect_eq(pcieval("run -j1 --until-failure --name fail --name pass --shuffle=1 " PLAN), 1, "%s", output);
	cr_expect_eq(pcieval("run --until-failure --repeat 4 --name pass " PLAN), 0, "%s", output);
	expect_output("4 cases: 4 passed");
	cr_expect_eq(
		program_script("sed 's/name=\"slow\"/name=\"gate\"/' " PLAN " >g.xml; "
			       "GATE=open \"$pcieval\" run -j1 --until-failure --name 'gate*' --results s g.xml "
			       ">out & pid=$!; "
			       ": >open; until grep -q '#3' out 2>/dev/null; do sleep 0.01; done; kill -TERM $pid; "
			       "wait $pid; echo status $? >>out; cat out"),
		0, "%s", output);
	expect_output("2 cases repeated: each ran ");
	expect_output("(interrupted by SIGTERM)");
	/* The case that was stopped may have come to its end, or not. */
	int status = strstr(output, "status 0\n") ? 0 : 3;
	cr_expect_eq(pcieval("report s"), status, "%s", output);
}

/* Its journal says that all cases passed, for those that it lacks are rounds that need not have been reached. */
Test(control, until_failure_that_was_killed_or_not_written_has_not_passed)
{
	cr_expect_eq(program_script("$pcieval run -j1 -q --until-failure --repeat 4 --results whole --name pass " PLAN
				    " && "
				    "cp -r whole killed && grep -m2 -n '\"ev\":\"verdict\"' whole/journal.jsonl | "
				    "tail -n1 | { IFS=: read -r line rest; head -n $line whole/journal.jsonl "
				    ">killed/journal.jsonl; } && $pcieval report killed"),
		     3, "%s", output);
	expect_output("2 cases: 2 passed, 0 failed, 0 errors, 0 skipped");
	expect_output("(interrupted)");
	/* A limit that has room for the list of cases, and not for the journal. */
	cr_expect_eq(program_script("sed 's/name=\"pass\"/name=\"accents\"/' " PLAN
				    " >p.xml; (ulimit -f 60; $pcieval run "
				    "-j1 -q --until-failure --repeat 100 --results full --name accents p.xml); "
				    "echo run: $?; $pcieval report full"),
		     3, "%s", output);
	expect_output("full: the results cannot be written: File too large; the run was ended");
	expect_output("run: 3");
}

Test(control, max_fail_ends_a_run)
{
	cr_expect_eq(pcieval("run -j1 --max-fail 2 --repeat 3 --name fail " PLAN), 1, "%s", output);
	expect_output("3 cases: 0 passed, 2 failed, 0 errors, 1 skipped");
	expect_output("not run: --max-fail after behaviours/fail");
	cr_expect_eq(pcieval("run -j1 --max-fail 3 --repeat 3 --name fail " PLAN), 1, "%s", output);
	expect_output("3 cases: 0 passed, 3 failed, 0 errors, 0 skipped");
}

Test(control, an_error_that_passes_when_it_is_run_again_is_flaky)
{
	cr_expect_eq(program_script(FLAKY_PLAN
				    "\"$pcieval\" run --retry-errors 2 --results r --junit a.xml --json a.json --html "
				    "a.html --ktap a.ktap --name 'flaky[n=1]' p.xml"),
		     0, "%s", output);
	expect_output("ERROR behaviours/flaky[n=1] (");
	expect_output("; run again): ");
	expect_output("1 case: 1 passed, 0 failed, 0 errors, 0 skipped, 1 flaky in ");
	expect_output("FLAKY behaviours/flaky[n=1]  passed at attempt 2\n      attempt 1: error (crash): the agent was "
		      "killed by "
		      "SIGSEGV");
	cr_expect_eq(program_script(
			     "grep -q '<flakyError message=\"the agent was killed by SIGSEGV.*type=\"crash\"' a.xml && "
			     "grep -q 'errors=\"0\"' a.xml && "
			     "jq -e '.totals.flaky == 1 and .cases[0].attempts[0].type == \"crash\" and "
			     "(.cases[0].attempts[0].log | contains(\"attempt\"))' a.json && "
			     "grep -q 'Flaky: passed when run again (1)' a.html && grep -q '# attempt 1: error "
			     "(crash)' a.ktap && "
			     "test -f r/cases/0000-behaviours-flaky_n=1_.1/log.txt && "
			     "\"$pcieval\" report --junit b.xml r && cmp a.xml b.xml"),
		     0, "%s", output);
}

Test(control, only_errors_are_run_again_and_as_often_as_is_said)
{
	cr_expect_eq(pcieval("run --retry-errors 2 --results r --junit a.xml --name fail --name crash " PLAN), 1, "%s",
		     output);
	cr_expect_eq(program_script("grep -c '\"ev\":\"start\"' r/journal.jsonl; grep -c '<rerunError' a.xml; grep -c "
				    "'<error' a.xml"),
		     0, "%s", output);
	cr_expect_str_eq(output, "4\n2\n1\n", "a failure once, a crash three times: %s", output);
}

Test(control, what_failed_is_run_again_in_a_new_run)
{
	cr_expect_eq(
		pcieval("run --results r --seed 5 --defect ptt-drop-record --name pass --name fail --name crash " PLAN),
		1, "%s", output);
	cr_expect_eq(pcieval("run --rerun failed --dry-run r"), 0, "%s", output);
	expect_output("# defects: ptt-drop-record\nbehaviours/fail\t");
	expect_output("seed 5\nbehaviours/crash\t");
	expect_output("# 2 cases, 0 to be skipped");
	cr_expect_eq(pcieval("run --rerun failed --results s r"), 1, "%s", output);
	expect_output("2 cases: 0 passed, 1 failed, 1 error");
	cr_expect_eq(program_script("jq -e '.seed == \"5\" and .defects == [\"ptt-drop-record\"]' s/settings.json"), 0);
	cr_expect_eq(pcieval("run --rerun incomplete r"), 4);
	expect_output("no case of the run is incomplete: nothing was run");
	cr_expect_eq(pcieval("run --rerun incomplete --allow-empty r"), 0);
	cr_expect_eq(pcieval("run --rerun fialed r"), 2);
	expect_output("--rerun: expected failed or incomplete, got 'fialed'; did you mean 'failed'?");
	cr_expect_eq(pcieval("run --rerun failed --seed 6 r"), 2);
	expect_output("--rerun: expected no --seed: it is taken from the earlier run");
	cr_expect_eq(pcieval("run --rerun failed " PLAN " r"), 2);
}

#define NAMED_ROWS "<rows names=\"n\"><row name=\"one\">1</row><row name=\"two\">2</row></rows>"

Test(control, a_renamed_case_is_the_same_case)
{
	setenv("plan", PLAN, 1);
	cr_assert_eq(program_script("cp $plan p.xml; $pcieval run -q --results r --name 'slow*' p.xml; "
				    "sed -i 's/\"verdict\":\"pass\"/\"verdict\":\"fail\"/' r/journal.jsonl; "
				    "sed -i 's,<param name=\"n\" values=\"1 2\"/>," NAMED_ROWS ",' p.xml"),
		     0, "%s", output);
	cr_expect_eq(pcieval("run --rerun failed --results s r"), 0, "%s", output);
	expect_output("PASS behaviours/slow[one]");
	cr_expect_eq(pcieval("compare r s"), 0, "%s", output);
	expect_output("\nFixed (2)\n  PASS behaviours/slow[one] (before: fail)\n");
	expect_output("\nRenamed, and compared (2)\n  behaviours/slow[n=1] is now slow[one]\n");
	cr_expect_eq(pcieval("list --name 'behaviours/slow[n=2]' p.xml"), 0);
	expect_output("behaviours/slow[two]\t");
}

/* ---- what is run again is what is there now ---- */

/* Runs a case, which is then said to have failed. The scripts find parts of a guest; the agent needs none. */
static void run_for_again(const char *options)
{
	char run[256];

	setenv("plan", PLAN, 1);
	cr_assert_eq(
		program_script("mkdir -p ci/guest.d && cp $plan p.xml && echo 1 >version && "
			       "echo '#!/bin/sh\necho /bin/true' >ci/qemu && "
			       "echo '#!/bin/sh\necho $PWD/$1-$(cat version)' >ci/guest && chmod +x ci/qemu ci/guest"),
		0, "%s", output);
	snprintf(run, sizeof(run), "run --results r --name pass %s p.xml", options);
	cr_expect_eq(pcieval(run), 0, "%s", output);
	cr_assert_eq(program_script("sed -i 's/\"verdict\":\"pass\"/\"verdict\":\"fail\"/' r/journal.jsonl"), 0);
	cr_expect_eq(pcieval("run --rerun failed --results same r"), 0, "%s", output);
	cr_expect_eq(program_script("jq -e '.rerun_of == \"r\" and .differs == null' same/settings.json"), 0, "%s",
		     output);
}

/* Runs it again: the new report says what differs, and the old run cannot go on. */
static void expect_another(const char *what)
{
	char text[512];

	cr_expect_eq(program_script("\"$pcieval\" run --rerun failed --results other r"), 0, "%s", output);
	snprintf(text, sizeof(text), "--rerun: not as in r: %s\n", what);
	expect_output(text);
	snprintf(text, sizeof(text), "\"$pcieval\" report --junit - other | grep -q 'name=\"differs\" value=\"%s\"'",
		 what);
	cr_expect_eq(program_script(text), 0, "%s", output);
	cr_expect_eq(program_script("\"$pcieval\" run --resume r"), 2, "%s", output);
	snprintf(text, sizeof(text),
		 "--resume: expected what the run has tested, got %s; `run --rerun incomplete r` tests what is there "
		 "now",
		 what);
	expect_output(text);
}

/* Parts of a guest are named by their contents, here by a number. */
Test(control, what_is_run_again_is_what_is_on_disk_now)
{
	run_for_again("--target qemu");
	cr_assert_eq(program_script("echo 2 >version"), 0);
	expect_another("another kernel, other modules or programs");
	cr_expect_eq(program_script("jq -e '.guest.kernel | endswith(\"fast-2/Image\")' other/settings.json"), 0);
}

#define MAKE_IMAGE(contents) "{ head -c 56 /dev/zero; printf 'ARM\\144%s' " contents "; } >Image"

Test(control, a_kernel_of_the_same_name_may_be_another)
{
	cr_assert_eq(program_script(MAKE_IMAGE("one")), 0);
	run_for_again("--target qemu --kernel ./Image");
	cr_assert_eq(program_script(MAKE_IMAGE("two")), 0);
	expect_another("another kernel");
}

Test(control, a_qemu_of_the_same_name_may_be_another)
{
	cr_assert_eq(program_script("cp /bin/true qemu"), 0);
	setenv("PCIEVAL_QEMU", "./qemu", 1);
	run_for_again("--target qemu");
	cr_assert_eq(program_script("echo >>qemu"), 0);
	expect_another("another QEMU");
}

Test(control, a_program_of_the_same_version_may_be_another)
{
	run_for_again("");
	cr_assert_eq(program_script("cp \"$pcieval\" other-pcieval && echo >>other-pcieval"), 0);
	setenv("pcieval", "./other-pcieval", 1);
	expect_another("another pcieval");
	cr_assert_eq(program_script("rm -r other; sed -i '/\"digests\"/,/}/d' r/settings.json"), 0);
	cr_expect_eq(pcieval("run --resume r"), 2, "%s", output);
	expect_output("got another pcieval, another agent;");
}

Test(control, an_agent_of_the_same_name_may_be_another)
{
	setenv("agent", AGENT, 1);
	cr_assert_eq(program_script("cp $agent agent"), 0);
	run_for_again("--agent ./agent");
	cr_assert_eq(program_script("echo >>agent"), 0);
	expect_another("another agent");
}

Test(control, what_the_run_did_not_come_to_is_incomplete)
{
	cr_expect_eq(pcieval("run -j1 --fail-fast --results r " PLAN), 1, "%s", output);
	cr_expect_eq(pcieval("run --rerun incomplete --dry-run r"), 0, "%s", output);
	cr_expect_eq(count("\nbehaviours/"), 3, "crash and two slow ones: %s", output);
}

/* ---- output ---- */

Test(control, quiet_shows_what_did_not_pass_and_the_totals)
{
	cr_expect_eq(pcieval("run --quiet --results r --name pass " PLAN), 0, "%s", output);
	cr_expect_eq(strncmp(output, "\n1 case: 1 passed, 0 failed, 0 errors, 0 skipped in ", 51), 0, "%s", output);
	expect_output("\nresults: r\n");
	cr_expect_eq(pcieval("run -q --name pass --name fail " PLAN), 1);
	cr_expect_null(strstr(output, "PASS"), "%s", output);
	cr_expect_eq(count("FAIL behaviours/fail"), 1, "%s", output);
}

Test(control, colour_is_as_it_is_asked_for)
{
	cr_expect_eq(pcieval("run --color=always --results r --name pass " PLAN), 0, "%s", output);
	expect_output("\033[32mPASS\033[0m behaviours/pass");
	cr_expect_eq(pcieval("report --color=always r"), 0, "%s", output);
	expect_output("\033[");
	setenv("NO_COLOR", "1", 1);
	cr_expect_eq(pcieval("report --color=always r"), 0, "%s", output);
	expect_output("\033[");
	cr_expect_eq(pcieval("report --color=auto r"), 0, "%s", output);
	cr_expect_null(strchr(output, '\033'), "%s", output);
	cr_expect_eq(pcieval("run --color=sometimes " PLAN), 2);
	expect_output("--color: expected auto, always or never, got 'sometimes'");
}

/* ---- comparing runs ---- */

Test(control, a_run_is_no_regression_of_itself)
{
	cr_expect_eq(pcieval("run --results a " PLAN), 1, "%s", output);
	cr_expect_eq(pcieval("compare a a"), 0, "%s", output);
	expect_output("\nNO REGRESSION: 2 Failures and errors as before\n");
	cr_expect_eq(pcieval("compare a"), 2);
	cr_expect_eq(pcieval("compare a absent"), 2);
	cr_expect_eq(pcieval("compare --slower 0.5 a a"), 2);
	expect_output("--slower: expected a number from 1 to 1000000, got '0.5'");
}

/* Makes two runs, a and b, with these options. */
static void two_runs(const char *options_before, const char *options_after)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "\"$pcieval\" run --results a %s " PLAN " >/dev/null; \"$pcieval\" run --results b %s " PLAN
		 " >/dev/null; [ -e b/journal.jsonl ]",
		 options_before, options_after);
	cr_assert_eq(program_script(script), 0, "%s", output);
}

Test(control, a_passed_case_that_is_gone_is_a_regression)
{
	two_runs("--name pass --name fail", "--name fail --name crash");
	cr_expect_eq(pcieval("compare a b"), 1, "%s", output);
	expect_output("New failures and errors (1)\n  ERROR behaviours/crash\n");
	expect_output("Passed before, and gone (1)\n  PASS behaviours/pass\n");
	expect_output(
		"REGRESSION: 1 New failures and errors; 1 Passed before, and gone; 1 Failures and errors as before\n");
	cr_expect_eq(pcieval("compare b a"), 0, "%s", output);
	expect_output("New cases (1)\n  PASS behaviours/pass\n");
	expect_output("Gone, and did not pass before (1)\n  ERROR behaviours/crash\n");
}

Test(control, a_case_that_passed_and_fails_is_a_regression_and_the_other_way_round_is_fixed)
{
	two_runs("--name pass", "--name pass");
	cr_expect_eq(program_script("sed -i "
				    "'s/\"verdict\":\"pass\",\"ms\"/"
				    "\"verdict\":\"fail\",\"type\":\"check\",\"message\":\"m\",\"ms\"/' "
				    "b/journal.jsonl; \"$pcieval\" compare --html c.html a b"),
		     1, "%s", output);
	expect_output("FAIL behaviours/pass (before: pass)\n      m\n");
	cr_expect_eq(program_script("xmllint --noout c.html && grep -q REGRESSION c.html && grep -q 'New failures and "
				    "errors (1)' c.html"),
		     0, "%s", output);
	cr_expect_eq(pcieval("compare b a"), 0, "%s", output);
	expect_output("Fixed (1)\n  PASS behaviours/pass (before: fail)\n");
	cr_expect_eq(program_script("sed -i 's/\"verdict\":\"fail\"/\"verdict\":\"skip\"/' b/journal.jsonl; "
				    "\"$pcieval\" compare a b"),
		     1);
	expect_output("Passed before, and not run (1)\n  SKIP behaviours/pass (before: pass)\n");
	cr_expect_eq(pcieval("compare --html c.html b b"), 4, "every case was skipped: %s", output);
	expect_output("\nNOTHING TO COMPARE\n");
	cr_expect_eq(program_script("xmllint --noout c.html && grep -q 'NOTHING TO COMPARE' c.html"), 0);
	cr_expect_eq(pcieval("compare b a"), 4);
}

/* A skipped case has not passed, and has a reason; a known failure was judged. */
Test(control, a_run_that_judged_nothing_says_so)
{
	cr_expect_eq(pcieval("run --results r --name pass --name 'slow*' " PLAN), 0, "%s", output);
	cr_expect_eq(program_script("sed -i 's/\"verdict\":\"[a-z]*\"/\"verdict\":\"skip\",\"type\":\"target\","
				    "\"message\":\"no way\"/' r/journal.jsonl; \"$pcieval\" report --html r.html r"),
		     4, "%s", output);
	expect_output("\nskipped\n     3  no way\n");
	expect_output("\ntested: target model, driver reference\n");
	expect_output("nothing was judged: every case was skipped\n");
	cr_expect_eq(program_script("grep -q 'SKIPPED' r.html"), 0);
	cr_expect_eq(program_script("sed 's/name=\"slow\"/name=\"skip\"/' " PLAN " >skips.xml; "
				    "\"$pcieval\" run --quiet --name 'skip*' skips.xml"),
		     4, "%s", output);
	expect_output("skipped\n     2  ");
	cr_expect_eq(program_script("sed -i 's/\"type\":\"target\"/\"type\":\"known-failure\"/' r/journal.jsonl; "
				    "\"$pcieval\" report r"),
		     0, "%s", output);
}

Test(control, passed_cases_are_compared_by_time_and_figures)
{
	two_runs("--name pass --name 'slow*'", "--name pass --name 'slow*'");
	cr_expect_eq(program_script("sed -i 's/\"ms\":[0-9]*/\"ms\":300/' a/journal.jsonl b/journal.jsonl; sed -i "
				    "'s/1000 of 1000/999 of 999/; /\"case\":1/s/\"ms\":[0-9]*/\"ms\":9000/' "
				    "b/journal.jsonl; "
				    "\"$pcieval\" compare a b"),
		     0, "%s", output);
	expect_output("Slower (1)\n  PASS behaviours/slow[n=1]\n");
	expect_output("9.000 s now\n");
	expect_output("Passed, with other figures (1)\n  PASS behaviours/pass\n      999 of 999 records; before: 1000 "
		      "of 1000 records\n");
	cr_expect_eq(
		program_script(
			"\"$pcieval\" compare --json --slower 1000 a b | jq -e '.regression == false and (.slower | "
			"length) == 0 and .different[0].case == \"pass\"'"),
		0, "%s", output);
}

Test(control, more_than_two_runs_are_a_table)
{
	two_runs("--name pass --name 'slow*'", "--name pass --name 'slow*'");
	cr_assert_eq(pcieval("run --results c --name pass --name 'slow*' --name crash " PLAN), 3, "%s", output);
	cr_expect_eq(pcieval("compare --slower 1000 --html t.html a b c"), 1, "%s", output);
	expect_output("\nbehaviours/crash ");
	expect_output(" -     -     ERROR\n");
	expect_output("\nb against a: NO REGRESSION\nc against a: REGRESSION: 1 New failures and errors\n");
	expect_output("\n4 cases: 1 differ, ");
	cr_expect_null(strstr(output, "behaviours/pass"), "%s", output);
	cr_expect_eq(program_script("xmllint --noout t.html && grep -q '3 runs compared' t.html"), 0);
	cr_expect_eq(pcieval("compare --all c b a"), 0, "%s", output);
	expect_output("\nbehaviours/pass ");
	cr_expect_eq(pcieval("compare --all a b"), 0, "%s", output);
	expect_output("case                                                               a     b\n");
	cr_expect_eq(
		program_script("\"$pcieval\" compare --json a b c | jq -e '(.rows | length) == 1 and .regression'"), 0,
		"%s", output);
}

Test(control, a_table_with_a_run_that_judged_nothing_is_not_green)
{
	two_runs("--name pass", "--name pass");
	cr_assert_eq(pcieval("run --results c --name crash " PLAN), 3, "%s", output);
	cr_expect_eq(pcieval("compare c c a"), 4, "%s", output);
	expect_output("b against a: NOTHING TO COMPARE");
	cr_expect_eq(pcieval("compare c c"), 4, "%s", output);
	cr_expect_eq(pcieval("compare a a a a a a a a a a a a a a a a a a a a a a a a a a a"), 2);
	expect_output("expected 2 to 26 run folders, got more");
}

/* ---- known failures ---- */

#define KNOWN(more, cases)                                                                                       \
	"[{\"id\":\"bug 7\",\"reason\":\"told\",\"reference\":\"r\",\"says\":\"expected 4\",\"cases\":[\"" cases \
	"\"]" more "}]"

Test(control, a_known_failure_is_a_skip_and_a_pass_of_it_an_error)
{
	write_file("k.json",
		   KNOWN(",\"expires\":\"2999-12-31\",\"target\":\"model\",\"driver\":\"reference\"", "behaviours/*"));
	cr_expect_eq(pcieval("run --known-failures k.json --name fail " PLAN), 0, "%s", output);
	expect_output("known failure: bug 7 (told)");
	cr_expect_eq(pcieval("run --known-failures k.json --name pass " PLAN), 1, "%s", output);
	expect_output("expected the known failure bug 7 of driver reference, got a pass");
}

Test(control, a_known_failure_that_expired_fails)
{
	write_file("k.json", KNOWN(",\"expires\":\"2020-02-29\"", "behaviours/fail"));
	cr_expect_eq(pcieval("run --known-failures k.json --name fail --json a.json " PLAN), 1, "%s", output);
	expect_output("the known failure bug 7 expired on 2020-02-29: expected 4 records, got 3");
	cr_expect_eq(program_script("jq -e '.cases[0].type == \"known-failure-expired\"' a.json"), 0, "%s", output);
}

/* The earlier run knew of the failure: --rerun asks the file again, even if the entry has expired or is gone. */
Test(control, a_known_failure_of_an_earlier_run_is_none_unless_the_file_still_has_it)
{
	static const char *const now[] = {KNOWN(",\"expires\":\"2020-02-29\"", "*"), "[]"};

	for (size_t i = 0; i < sizeof(now) / sizeof(*now); i++) {
		write_file("k.json", KNOWN(",\"expires\":\"2999-12-31\"", "*/fail"));
		cr_expect_eq(program_script("rm -rf r; $pcieval run -q --results r --known-failures k.json "
					    "--name fail " PLAN " && sed -i '/\"ev\":\"verdict\"/d' r/journal.jsonl"),
			     0, "%s", output);
		cr_expect_eq(pcieval("run --rerun incomplete r"), 0, "%s", output);
		expect_output("known failure: bug 7");
		write_file("k.json", now[i]);
		cr_expect_eq(pcieval("run --rerun incomplete r"), 1, "%s: %s", now[i], output);
	}
}

Test(control, a_known_failure_of_something_else_is_none)
{
	static const char *const others[] = {KNOWN(",\"target\":\"qemu\"", "*"), KNOWN(",\"driver\":\"kernel\"", "*"),
					     KNOWN(",\"from\":\"6.1\"", "*"), KNOWN(",\"kernel\":\"debug\"", "*"),
					     KNOWN("", "other/*")};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		write_file("k.json", others[i]);
		cr_expect_eq(pcieval("run --known-failures k.json --name fail " PLAN), 1, "%s", others[i]);
		expect_output("1 failed");
	}
	write_file("k.json", KNOWN(",\"expires\":\"soon\"", "*"));
	cr_expect_eq(pcieval("run --results r --known-failures k.json " PLAN), 2);
	expect_output("--known-failures: k.json: deviation 1: \"expires\": expected a date like \"2027-03-31\", got "
		      "\"soon\"");
	cr_expect_not(exists("r"));
}

/* ---- facts about a run ---- */

Test(control, reports_name_the_build_and_the_machine)
{
	cr_expect_eq(pcieval("run --results 'a b' --junit a.xml --html a.html --ktap a.ktap --json a.json --name "
			     "pass " PLAN),
		     0, "%s", output);
	cr_expect_eq(
		program_script("for name in revision compiler kernel; do value=$(jq -r .$name 'a b/settings.json'); "
			       "[ \"$value\" != null ] || exit 1; for f in a.xml a.html a.ktap a.json; do grep -qF -- "
			       "\"$value\" $f || "
			       "exit 2; done; done; jq -e '.command | contains(\"--results '\"'\"'a b'\"'\"' "
			       "--junit\")' a.json && "
			       "grep -q '^# command: pcieval run' a.ktap"),
		0, "%s", output);
}
