/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval run --resume: an interrupted run continues, and its reports cover the whole run. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"

/*
 * The cases are pass, fail, crash, gate[n=1] and gate[n=2]; a gate waits for the file `open`. COMPARABLE removes the
 * parts of a report that vary from run to run.
 */
#define WAIT_FOR_THE_GATE \
	"for i in $(seq 3000); do grep -q wait run/journal.jsonl 2>/dev/null && break; sleep 0.01; done; "
#define RUN_TO_THE_GATE	 "$pcieval run -j1 --results run p.xml >/dev/null 2>&1 & pid=$!; " WAIT_FOR_THE_GATE
#define KILL_AT_THE_GATE RUN_TO_THE_GATE "kill -9 $pid; wait $pid 2>/dev/null; : >open; "
#define COMPARABLE	 "jq -S '[.cases[] | del(.seconds, .artefacts)]' "

static void set_up(void)
{
	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	setenv("GATE", "open", 1);
	cr_assert_eq(system("sed 's/name=\"slow\"/name=\"gate\"/' " PLAN " >p.xml"), 0);
}

TestSuite(resume, .init = set_up, .fini = program_tear_down);

Test(resume, goes_on_where_the_run_was_killed)
{
	cr_expect_eq(program_script(KILL_AT_THE_GATE "$pcieval run --resume run --json a.json"), 1, "%s", output);
	expect_output("ERROR behaviours/gate[n=1]");
	expect_output("the run ended while this case was in step 3 (wait, line 17)");
	expect_output("PASS behaviours/gate[n=2]");
	expect_output("5 cases: 2 passed, 1 failed, 2 errors, 0 skipped in ");
	cr_expect_null(strstr(output, "interrupted"), "the run has ended now: %s", output);
	cr_expect_eq(program_script("test $(grep -c '\"start\"' run/journal.jsonl) = 5"), 0, "each case began once");
}

/* Without --again, an interrupted run could never become green. */
Test(resume, runs_interrupted_cases_again_when_it_is_asked_to)
{
	cr_expect_eq(program_script("sed -i '/fail\\|crash/,/<\\/case>/d' p.xml; " KILL_AT_THE_GATE
				    "$pcieval run --resume run --again interrupted --junit r.xml"),
		     0, "%s", output);
	expect_output("PASS behaviours/gate[n=1]");
	expect_output("3 cases: 3 passed, 0 failed, 0 errors, 0 skipped in ");
	cr_expect_eq(pcieval("report run"), 0, "%s", output);
}

Test(resume, runs_a_case_again_that_an_interrupt_stopped)
{
	cr_expect_eq(program_script(RUN_TO_THE_GATE "kill -TERM $pid; wait $pid; : >open; "
						    "$pcieval run --resume run --again interrupted"),
		     1, "%s", output);
	expect_output("PASS behaviours/gate[n=1]");
	expect_output("5 cases: 3 passed, 1 failed, 1 error, 0 skipped in ");
}

/* Each case has one result then; none is flaky. */
Test(resume, a_run_that_went_on_is_in_a_history_once)
{
	cr_expect_eq(program_script(RUN_TO_THE_GATE
				    "kill -TERM $pid; wait $pid; : >open; $pcieval history add h run >/dev/null; "
				    "$pcieval history trend --name '*gate*' h; "
				    "$pcieval run -q --resume run --again interrupted >/dev/null; "
				    "$pcieval history add h run; $pcieval history flaky h; "
				    "[ $($pcieval history trend h | grep -c '  run') = 1 ]"),
		     0, "%s", output);
	expect_output("matches no case with such results\n");
	expect_output("run: added\nno case is flaky\n");
}

Test(resume, a_renamed_case_is_named_as_before_and_now)
{
	cr_expect_eq(program_script(KILL_AT_THE_GATE "sed -i 's,<param name=\"n\" values=\"1 2\"/>,<rows names=\"n\">"
						     "<row name=\"one\">1</row><row>2</row></rows>,' p.xml; "
						     "$pcieval run --resume run"),
		     2, "%s", output);
	expect_output("case behaviours/gate[one] is not what it was when the run began");
	expect_output("start a new run; it was called gate[n=1]");
}

/* The folder in its place is of a run that passed. */
Test(resume, a_folder_that_is_replaced_does_not_speak_for_the_run)
{
	cr_expect_eq(program_script("$pcieval run -q --name pass --results green p.xml >/dev/null; "
				    "$pcieval run -j1 --results run p.xml >out 2>&1 & pid=$!; " WAIT_FOR_THE_GATE
				    "mv run away; mv green run; : >open; wait $pid; status=$?; cat out; exit $status"),
		     3, "%s", output);
	expect_output("run: results folder run is another one than the run began: it was replaced while");
	cr_expect_null(strstr(output, "1 case"), "%s", output);
}

Test(resume, gives_the_report_of_an_uninterrupted_run)
{
	cr_expect_eq(program_script(KILL_AT_THE_GATE "$pcieval run --resume run --json a.json >/dev/null; "
						     "$pcieval run -j1 --results whole --json b.json p.xml >/dev/null; "
						     "for f in a b; do " COMPARABLE
						     "$f.json | jq 'map(select(.case != \"gate[n=1]\"))' >$f; done; "
						     "grep -q 'expected 4 records, got 3' a && diff a b"),
		     0, "%s", output);
}

Test(resume, half_a_line_at_the_end_of_the_journal_does_no_harm)
{
	cr_expect_eq(program_script(KILL_AT_THE_GATE "printf '{\"ev\":\"verdict\",\"case\":3,' >>run/journal.jsonl; "
						     "$pcieval run --resume run"),
		     1, "%s", output);
	expect_output("PASS behaviours/gate[n=2]");
	expect_output("2 passed, 1 failed, 2 errors, 0 skipped");
	cr_expect_eq(program_script("grep -c '^{\"at_ms\":[0-9]*,\"ev\":\"resume\"}$' run/journal.jsonl"), 0,
		     "on a line of its own");
}

Test(resume, what_an_interrupt_left_is_made_up_for)
{
	cr_expect_eq(program_script(RUN_TO_THE_GATE "kill -TERM $pid; wait $pid; : >open; "
						    "$pcieval report run | grep '(interr'; $pcieval run --resume run"),
		     1, "%s", output);
	expect_output("PASS behaviours/gate[n=2]");
	char *first = strstr(output, "(interrupted by SIGTERM)");
	cr_assert_not_null(first);
	cr_expect_null(strstr(first + 1, "(interrupted"), "not any more: %s", output);
}

Test(resume, a_folder_without_its_words_in_the_journal_is_made_anew)
{
	cr_expect_eq(program_script(KILL_AT_THE_GATE "mkdir run/cases/0004-behaviours-gate_n=2_; "
						     "echo old >run/cases/0004-behaviours-gate_n=2_/log.txt; "
						     "$pcieval run --resume run"),
		     1, "%s", output);
	expect_output("PASS behaviours/gate[n=2]");
}

Test(resume, of_a_whole_run_reports_and_runs_nothing)
{
	cr_expect_eq(program_script(": >open; $pcieval run -j1 --results run --json a.json p.xml >/dev/null; "
				    "$pcieval run --resume run --json b.json && exit; " COMPARABLE
				    "a.json >a; " COMPARABLE "b.json >b; diff a b"),
		     0, "%s", output);
	expect_output("5 cases: 3 passed, 1 failed, 1 error");
}

Test(resume, begins_no_case_after_what_fail_fast_saw)
{
	cr_expect_eq(program_script("$pcieval run -j1 --fail-fast --results run p.xml >/dev/null; "
				    "sed -i '/fail-fast/d; /\"end\"/d' run/journal.jsonl; $pcieval run --resume run"),
		     1, "%s", output);
	expect_output("1 passed, 1 failed, 0 errors, 3 skipped");
}

Test(resume, begins_no_case_after_as_many_failures_as_max_fail_allows)
{
	cr_expect_eq(program_script("$pcieval run -j1 --max-fail 2 --results run p.xml >/dev/null; "
				    "sed -i '/fail-fast/d; /\"end\"/d' run/journal.jsonl; $pcieval run --resume run"),
		     1, "%s", output);
	expect_output("1 passed, 1 failed, 1 error, 2 skipped");
	expect_output("--max-fail after behaviours/crash");
}

Test(resume, plans_that_have_changed_are_refused)
{
	cr_expect_eq(program_script(KILL_AT_THE_GATE "sed -i 's/lacks=\"pmu/lacks=\"qmu/' p.xml; "
						     "$pcieval run --resume run"),
		     2);
	expect_output("p.xml:19: case behaviours/gate[n=1] is not what it was when the run began");
	cr_expect_eq(program_script("sed -i 's/name=\"gate\"/name=\"gates\"/' p.xml; $pcieval run --resume run"), 2);
	expect_output("p.xml: there is no case gate[n=1] any more");
}

Test(resume, a_run_that_still_runs_is_left_alone)
{
	cr_expect_eq(program_script(RUN_TO_THE_GATE
				    "$pcieval run --resume run; status=$?; : >open; wait $pid; exit $status"),
		     2, "%s", output);
	expect_output("run: cannot be resumed: another pcieval is running it");
	cr_expect_eq(program_script("grep -c resume run/journal.jsonl"), 1, "nothing was written");
}

Test(resume, what_was_settled_cannot_be_asked_for_again)
{
	static const struct program_row rows[] = {
		{"run --resume run", 2, "", "run is not the folder of a run"},
		{"run --resume run --again all", 2, "", "--again: expected interrupted, got 'all'"},
		{"run --again interrupted p.xml", 2, "", "--again goes with --resume only"},
		{"run --resume . p.xml", 2, "", "--resume: expected no plans, got 1"},
		{"run --resume . --seed 1", 2, "", "--resume: expected no --seed"},
		{"run --resume . --fail-fast", 2, "", "--resume: expected no --fail-fast"},
		{"run --resume . --defect ptt-drop-record", 2, "", "--resume: expected no --defect"},
		{"run --resume . --results x", 2, "", "--resume: expected no --results"},
	};

	program_expect_all(rows, sizeof(rows) / sizeof(rows[0]));
	cr_expect_eq(program_script(": >open; $pcieval run --results run p.xml >/dev/null; mkdir sub; cd sub; "
				    "$pcieval run --resume ../run"),
		     2);
	expect_output("expected the folder where the run was started as working directory: cd /");
	cr_expect_eq(program_script("sed -i 's/\"version\": *\"[^\"]*\"/\"version\": \"0.0.1\"/' run/settings.json; "
				    "$pcieval run --resume run"),
		     2);
	expect_output("expected a run of this version");
}
