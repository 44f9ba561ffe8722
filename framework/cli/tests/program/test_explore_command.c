/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval explore` and `pcieval shrink`. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

TestSuite(explore_command, .init = program_set_up, .fini = program_tear_down, .timeout = 280);

static const struct program_row mistakes[] = {
	{"explore --subject dcw", 2, "",
	 "--subject: expected ptt, cpmu, dwc, mps, abi, registers or all, got 'dcw'; did"},
	{"explore --time soon", 2, "", "--time: expected a time such as 30s, 10m or 2h, got 'soon'"},
	{"explore --time -1s", 2, "", "--time: expected a time such as 30s"},
	{"explore --seed x", 2, "", "--seed: expected a number, got 'x'"},
	{"explore --steps 2000", 2, "", "--steps: expected at most 1000, got 2000"},
	{"explore --target local", 2, "", "--target: expected model or qemu, whose machines can be drawn, got 'local'"},
	{"explore --defect nothing", 2, "", "--defect: there is no defect 'nothing'"},
	{"explore --cases 1 --results /", 2, "", "--results: expected a new or empty folder, got /"},
	{"explore --driver-coverage --target qemu", 2, "",
	 "--driver-coverage: expected --corpus, for which lines count"},
	{"explore --corpus " TREE "/scenarios", 2, "", "expected "},
	{"explore --corpus new --corpus nowhere", 2, "", "nowhere: No such file or directory"},
	{"explore plan.xml", 2, "", "explore: expected no argument, got 'plan.xml'"},
	{"shrink plan.xml", 2, "", "shrink: expected a plan and the name of a case, got 1 argument"},
	{"shrink " TREE "/scenarios/ptt-tune.xml nobody", 2, "", "there is no case 'nobody'"},
	{"shrink " TREE "/scenarios/ptt-tune.xml decimal", 2, "", "expected a case that fails, got one that passes"},
};

Test(explore_command, mistakes_are_told)
{
	program_expect_all(mistakes, ARRAY_SIZE(mistakes));
	program_expect_help("explore");
	program_expect_help("shrink");
}

/* The good driver on good models: a session of each subject finds nothing. */
Test(explore_command, raises_no_false_alarm)
{
	static const struct program_row rows[] = {
		{"explore --subject ptt --cases 40 --seed 3", 0, "seed 3: 40 cases with ", ""},
		{"explore --subject cpmu --cases 40 --seed 3", 0, "0 findings", ""},
		{"explore --subject dwc --cases 40 --seed 3", 0, "0 findings", ""},
		{"explore --subject mps --cases 40 --seed 3", 0, "0 findings", ""},
		{"explore --subject abi --cases 30 --seed 3", 0, "0 findings", ""},
		{"explore --subject registers --cases 40 --seed 3", 0, "0 findings", ""},
		{"explore --cases 40 --seed 3", 0, "0 findings", ""},
	};

	program_expect_all(rows, ARRAY_SIZE(rows));
	cr_expect(!exists("pcieval-findings"), "a folder is made only for findings");
}

Test(explore_command, finds_a_planted_defect_and_makes_the_case_small)
{
	cr_assert_eq(pcieval("explore --subject dwc --defect dwc-rx-tx-swapped --seed 1 --cases 200 --findings 1"), 1);
	expect_output("pcieval-findings/finding-1.xml\n");
	expect_output("check-counter: counter ");
	cr_assert_eq(pcieval("list pcieval-findings/finding-1.xml"), 0);
	cr_expect_eq(pcieval("run -q pcieval-findings/finding-1.xml"), 0, "without the defect it passes: %s", output);
	cr_expect_eq(pcieval("run -q --defect dwc-rx-tx-swapped pcieval-findings/finding-1.xml"), 1);
	_autofree_ char *plan = read_file("pcieval-findings/finding-1.xml");
	size_t steps = 0;
	for (const char *at = plan; (at = strstr(at, "\n    <")); at++)
		steps++;
	/*
	 * Description and topology; a counter is opened, started, stopped and checked while something is sent, which
	 * may need a second start and a drain.
	 */
	cr_expect(steps <= 2 + 1 + 8, "expected at most 8 steps, got %s", plan);
}

Test(explore_command, the_same_seed_finds_the_same)
{
	static const char *const jobs[] = {"1", "2", "3"};
	_autofree_ char *first = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
		char command[256];

		snprintf(command, sizeof(command),
			 "explore -q -s cpmu --defect cpmu-threshold-off --seed 5 --cases 60 --no-shrink --jobs %s "
			 "--results found%s",
			 jobs[i], jobs[i]);
		cr_expect_eq(pcieval(command), 1, "%s", output);
		snprintf(command, sizeof(command), "found%s/finding-1.xml", jobs[i]);
		char *plan = read_file(command);
		if (!first)
			first = strdup(plan);
		cr_expect_str_eq(plan, first, "with %s jobs", jobs[i]);
		free(plan);
	}
}

/* The corpus begins empty and is written at the end; what is drawn depends on it, but not on the number of workers. */
Test(explore_command, the_same_seed_and_corpus_repeat_to_the_byte)
{
	cr_expect_eq(
		program_script("for j in 1 3; do $pcieval explore -s dwc --seed 2 --cases 130 --steps 6 --no-shrink "
			       "--jobs $j --corpus k$j | grep reached | sed s/k$j// >out$j || exit; done\n"
			       "diff -r k1 k3 && diff out1 out3 && cat out1"),
		0, "%s", output);
	expect_output(" states reached, ");
	cr_expect_eq(program_script("$pcieval list k1/*.xml"), 0, "%s", output);
	cr_expect_eq(program_script("$pcieval run -q k1/*.xml"), 0, "kept cases are plans that pass: %s", output);
}

/* Failing cases are not kept. The states that they reach count as reached, with any number of workers. */
Test(explore_command, the_same_corpus_comes_of_a_session_with_failures)
{
	cr_expect_eq(program_script("for j in 1 3; do $pcieval explore -s dwc --defect dwc-rx-tx-swapped --seed 2 "
				    "--cases 130 --steps 12 --no-shrink --jobs $j --corpus k$j --results r$j | "
				    "grep reached | sed s/k$j// >out$j || exit; done\n"
				    "diff -r k1 k3 && diff out1 out3 && cat out1"),
		     0, "%s", output);
	expect_output(" states reached, ");
	cr_expect_eq(pcieval("run -q --defect dwc-rx-tx-swapped k1"), 0, "kept cases pass: %s", output);
}

/* A part of a plan in a corpus would end the next session before it begins. */
Test(explore_command, no_part_of_a_case_is_kept_on_a_full_disk)
{
	cr_expect_eq(
		program_script("trap '' XFSZ; ulimit -f 24; $pcieval explore -s dwc --seed 2 --cases 3 --steps 600 "
			       "--no-shrink --jobs 1 --corpus k"),
		3, "%s", output);
	expect_output("/reach-");
	expect_output(" states reached, 0 cases added to k\n");
	cr_expect_eq(program_script("ls -A k | grep ."), 1, "%s", output);
}

/* A failure that is no check's leaves a plan with one. */
Test(explore_command, a_finding_without_a_check_fails_by_itself)
{
	cr_expect_eq(pcieval("explore -s ptt --defect ptt-tune-never-done --defect ptt-double-record --seed 1 --cases "
			     "60 --junit j.xml --results r"),
		     1, "%s", output);
	cr_expect(!strstr(output, "when it was run again"), "%s", output);
	cr_expect_eq(program_script("for f in r/finding-*.xml; do $pcieval run -q --defect ptt-tune-never-done "
				    "--defect ptt-double-record $f; test $? = 1 || exit 9; done; grep finding-1 j.xml"),
		     0, "%s", output);
}

/* A second session reads the corpus, whose cases it runs first, and adds what it lacks: here it has all of it. */
Test(explore_command, a_corpus_is_read_and_merged)
{
	cr_assert_eq(pcieval("explore -s dwc --seed 4 --cases 6 --steps 6 --corpus a"), 0, "%s", output);
	cr_assert_eq(pcieval("explore -s dwc --seed 5 --cases 6 --steps 6 --corpus b --junit b.xml"), 0, "%s", output);
	_autofree_ char *junit = read_file("b.xml");
	cr_expect(strstr(junit, "6 cases, 0 findings, ") && strstr(junit, " states reached"), "%s", junit);
	cr_assert_eq(
		program_script("cp -r a merged; n=$(ls a b | grep -c xml)\n"
			       "$pcieval explore -s dwc --seed 2 --cases 1 --steps 6 --corpus merged --corpus b && "
			       "test $(ls merged | wc -l) -gt $(ls a | wc -l) -a $(ls merged | wc -l) -le $((n + 1))"),
		0, "%s", output);
	expect_output(" added to merged\n");
	/* The one case that is drawn may be new. */
	cr_expect_eq(
		program_script(
			"$pcieval explore -s dwc --seed 2 --cases 1 --steps 6 --corpus merged --corpus a --corpus b | "
			"grep -E ' [01] cases? added to merged'"),
		0, "%s", output);
}

Test(explore_command, reports_for_ci)
{
	cr_expect_eq(pcieval("explore -s mps --cases 10 --seed 1 --junit good.xml"), 0);
	_autofree_ char *good = read_file("good.xml");
	cr_expect(strstr(good, "tests=\"1\"") && strstr(good, "failures=\"0\""), "%s", good);
	cr_expect_eq(
		pcieval("explore -s dwc --defect dwc-rx-tx-swapped --seed 1 --cases 60 --no-shrink --junit bad.xml"),
		1);
	_autofree_ char *bad = read_file("bad.xml");
	cr_expect(strstr(bad, "classname=\"model.") && strstr(bad, "finding-1"), "%s", bad);
}

Test(explore_command, shrink_keeps_the_failure)
{
	cr_assert_eq(
		pcieval("shrink " TREE "/scenarios/dwc-several.xml one-stops --defect dwc-rx-tx-swapped -o small.xml"),
		0, "%s", output);
	expect_output(" steps of ");
	cr_expect_eq(pcieval("run -q small.xml"), 0, "without the defect it passes: %s", output);
	cr_expect_eq(pcieval("run -q --defect dwc-rx-tx-swapped small.xml"), 1);
	expect_output("check-counter: counter ");
	_autofree_ char *plan = read_file("small.xml");
	cr_expect(!strstr(plan, "reg-write"), "a step that has no part in it is gone: %s", plan);
}

/* A message of the case goes into the plan, whose reader refuses a part of a character. */
Test(explore_command, shrink_cuts_a_message_between_characters)
{
	for (int shift = 0; shift < 2; shift++) {
		FILE *f = fopen("plan.xml", "w");

		fprintf(f,
			"<plan name=\"p\"><description>Tests it.</description><topology><ptt "
			"sicl=\"0\" core=\"0\" name=\"ptt0\" bdf=\"00:01.0\" first=\"rp0\" last=\"rp0\"/><root-port "
			"name=\"rp0\" bdf=\"00:10.0\"/></topology><case name=\"c\" "
			"verifies=\"PTT-TU-01\"><description>Reads.</description><tune-read pmu=\"hisi_ptt0_0\" "
			"event=\"qos_tx_cpl\" equals=\"%.*s",
			shift, "a");
		for (int i = 0; i < 600; i++)
			fputs("\xc3\xa9", f);
		fputs("\"/></case></plan>\n", f);
		fclose(f);
		cr_assert_eq(pcieval("shrink plan.xml c -o small.xml"), 0, "%s", output);
		cr_expect_eq(pcieval("validate small.xml"), 0, "%s", output);
	}
}

Test(explore_command, an_interrupted_session_tells_what_it_found)
{
	cr_expect_eq(
		program_script("$pcieval explore -s dwc --time 200s --seed 1 --junit j.xml >out 2>&1 & p=$!; sleep 2; "
			       "kill -INT $p; wait $p; s=$?; cat out; grep '<error ' j.xml; exit $s"),
		3, "%s", output);
	expect_output("pcieval: explore: interrupted\n");
	expect_output(" cases, 0 findings; broken off: interrupted");
}
