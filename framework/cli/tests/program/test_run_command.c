/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval run and pcieval report as a user or a CI job runs them: outputs, streams, and exit statuses. */
#include <criterion/criterion.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/cli/tests/program/program.h"

static void set_up(void)
{
	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	unsetenv("NO_COLOR");
}

TestSuite(command, .init = set_up, .fini = program_tear_down);

/* ---- exit status ---- */

Test(command, all_passed_is_0)
{
	cr_expect_eq(pcieval("run --name pass " PLAN), 0, "%s", output);
	expect_output("PASS behaviours/pass (");
	expect_output("1 case: 1 passed, 0 failed, 0 errors, 0 skipped in ");
}

Test(command, a_failure_is_1_also_beside_an_error)
{
	cr_expect_eq(pcieval("run --name pass --name fail --name crash " PLAN), 1, "%s", output);
	expect_output("FAIL behaviours/fail (");
	expect_output("ERROR behaviours/crash (");
}

Test(command, an_error_is_3)
{
	cr_expect_eq(pcieval("run --tag ugly " PLAN), 3, "%s", output);
	expect_output("SIGSEGV");
}

Test(command, a_mistake_in_the_command_is_2_and_runs_nothing)
{
	cr_expect_eq(pcieval("run --surprise " PLAN), 2);
	cr_expect_eq(pcieval("run"), 2);
	cr_expect_eq(pcieval("run --jobs many " PLAN), 2);
	cr_expect_eq(pcieval("run --timeout-scale 0 " PLAN), 2);
	expect_output("--timeout-scale: expected a number above 0 and of at most 1000000, got '0'");
	cr_expect_eq(pcieval("run --max-artefact 1X " PLAN), 2);
	expect_output("--max-artefact: expected a size such as 65536 or 64M, got '1X'");
	cr_expect_eq(pcieval("run --max-memory lots " PLAN), 2);
	expect_output("--max-memory: expected a size such as 65536 or 64M, got 'lots'");
	cr_expect_eq(pcieval("run --defect none-such " PLAN), 2);
	expect_output("no defect 'none-such'");
	cr_expect_eq(pcieval("run --name none-such " PLAN), 2);
	expect_output("no case is selected: none of 5 is for target model");
	cr_expect_eq(pcieval("run --target quemu " PLAN), 2);
	expect_output("--target: expected model, qemu, local or ssh:HOST, got 'quemu'; did you mean 'qemu'?");
	cr_expect_eq(pcieval("run --seed 18446744073709551616 " PLAN), 2);
	expect_output("the seed: expected a number of 64 bits");
	cr_expect_eq(pcieval("run absent.xml"), 2);
	expect_output("absent.xml");
	cr_expect_eq(pcieval("run --results r --agent /absent " PLAN), 2);
	expect_output("--agent: /absent: cannot be run as the agent: No such file");
	cr_expect_eq(pcieval("run --results r --agent . " PLAN), 2);
	expect_output("--agent: .: cannot be run as the agent: Is a directory");
	cr_expect_eq(pcieval("run --results r --junit a --html a " PLAN), 2);
	expect_output("--html: expected a place of its own, got 'a', where --junit goes");
	cr_expect_eq(pcieval("run --results r --junit a --html ./a " PLAN), 2);
	expect_output("--html: expected a place of its own, got './a', where --junit goes");
	cr_expect_eq(pcieval("run --results r --json - --html - " PLAN), 2);
	cr_expect_not(exists("r"));
}

Test(command, a_target_without_its_host_is_2_unless_an_agent_is_given)
{
	cr_expect_eq(pcieval("run --target local --name pass " PLAN), 0, "%s", output);
	unsetenv("PCIEVAL_AGENT");
	cr_expect_eq(pcieval("run --target ssh " PLAN), 2);
	expect_output("--target: expected ssh:HOST, got 'ssh'");
}

/* Without this check, a typo removed cases from a green run. */
Test(command, a_selection_that_matches_nothing_is_2_beside_one_that_does)
{
	static const struct program_row rows[] = {
		{"run --name pass --name fial " PLAN, 2, "",
		 "--name: 'fial' matches none of 5 cases for target model; did you "
		 "mean 'fail'?"},
		{"run --tag good --tag gooood " PLAN, 2, "", "--tag: 'gooood' matches none of 5 cases"},
		{"run --requirement 'PTT-*' --requirement CP-CT-01 " PLAN, 2, "",
		 "--requirement: 'CP-CT-01' matches none"},
		{"run --requirement 'PTT-*' --requirement CP-CT-01 " PLAN, 2, "",
		 "nothing was run; --allow-empty runs the rest"},
		{"list --name pass --name fial " PLAN, 2, "", "did you mean 'fail'?"},
		{"list --name pass --name fial " PLAN, 2, "", "nothing was listed; --allow-empty lists the rest"},
		{"run --name pass --tag '!none-such' " PLAN, 0, "1 passed", ""},
	};

	program_expect_all(rows, sizeof(rows) / sizeof(rows[0]));
	cr_expect_not(exists("pcieval-results/latest/cases/0001-behaviours-fail"));
	cr_expect_eq(pcieval("run --allow-empty --name pass --name fial " PLAN), 0);
	expect_output("warning: --name: 'fial' matches none of 5 cases");
	expect_output("1 case: 1 passed");
}

/* Without this check, every case failed with the same message. */
Test(command, a_driver_that_the_target_does_not_have_is_2_at_once)
{
	cr_expect_eq(pcieval("run --driver kernel --name pass " PLAN), 0, "an agent may have others: %s", output);
	unsetenv("PCIEVAL_AGENT");
	cr_expect_eq(pcieval("run --driver referense --results r " PLAN), 2);
	expect_output("--driver: target model has: reference; got 'referense'; did you mean 'reference'?");
	cr_expect_not(exists("r"));
}

Test(command, a_slip_in_an_option_is_told_with_what_may_be_meant)
{
	cr_expect_eq(pcieval("run --seeed 1 " PLAN), 2);
	expect_output("unknown option '--seeed'; did you mean '--seed'? Or see 'pcieval run --help'");
	cr_expect_eq(pcieval("run --frob " PLAN), 2);
	expect_output("unknown option '--frob'; see 'pcieval run --help'");
	cr_expect_eq(pcieval("run --defect ptt-drop-recor " PLAN), 2);
	expect_output("did you mean 'ptt-drop-record'?");
}

Test(command, goldens_are_found_beside_the_plans_from_any_folder)
{
	cr_assert_eq(
		system("mkdir -p tree/fixtures/golden tree/scenarios elsewhere && cp " PLAN " tree/scenarios/p.xml"),
		0);
	pcieval("run --results b --name pass tree/scenarios/p.xml");
	char *settings = read_file("b/settings.json");
	char *place = strstr(settings, "\"golden\": ");
	cr_expect(place && strstr(place, "/tree/fixtures/golden\""), "got %s", settings);
	free(settings);
}

Test(command, help_and_the_list_of_defects_are_0)
{
	cr_expect_eq(pcieval("run --help"), 0);
	expect_output("--junit FILE");
	cr_expect_eq(pcieval("run --list-defects"), 0);
	expect_output("ptt-drop-record");
}

/* ---- paths ---- */

Test(command, an_unwritable_report_is_found_before_anything_runs)
{
	cr_expect_eq(pcieval("run --junit absent/report.xml " PLAN), 2);
	expect_output("--junit: absent/report.xml: cannot be written: No such file or directory");
	cr_expect_not(exists("pcieval-results"));
}

Test(command, results_cannot_go_to_a_file_or_on_top_of_others)
{
	cr_expect_eq(pcieval("run --results .output --name pass " PLAN), 2);
	expect_output("it is not a folder");
	cr_expect_eq(pcieval("run --results here --name pass " PLAN), 0);
	cr_expect_eq(pcieval("run --results here --name pass " PLAN), 2);
	expect_output("here: cannot hold the results: expected a new or empty folder");
}

/*
 * The folder is shared like /tmp: another user has put a folder and a link into it, and a link named like a journal
 * into our folder.
 */
Test(command, results_do_not_go_where_others_want_them)
{
	if (geteuid())
		cr_skip_test("not root, who can make folders of others");
	cr_assert_eq(program_script("mkdir -m 1777 tmp; mkdir tmp/theirs home ours; ln -s ../home tmp/link; "
				    "chown -h 1234 tmp/theirs tmp/link; ln -s ../written ours/journal.jsonl"),
		     0);
	cr_expect_eq(pcieval("run --results tmp/theirs " PLAN), 2, "%s", output);
	expect_output("tmp/theirs: cannot hold the results: it is another user's, in a folder that everybody may "
		      "write to");
	cr_expect_eq(pcieval("run --results tmp/theirs/ " PLAN), 2, "%s", output);
	cr_expect_eq(pcieval("run --results tmp/link " PLAN), 2, "%s", output);
	cr_expect_eq(pcieval("run --resume tmp/link"), 2, "%s", output);
	cr_expect_eq(pcieval("run --results ours " PLAN), 2, "%s", output);
	expect_output("ours: cannot hold the results: its journal.jsonl is a link");
	cr_expect_eq(program_script("[ ! -e written ] && [ -z \"$(ls home; ls tmp/theirs)\" ]"), 0, "%s", output);
	cr_expect_eq(
		program_script("cd tmp && mkdir pcieval-results && chown 1234 pcieval-results && $pcieval run " PLAN),
		2, "%s", output);
	expect_output("pcieval-results: cannot hold the results: it is another user's");
}

Test(command, of_two_runs_at_once_one_gets_the_folder, .timeout = 120)
{
	cr_expect_eq(program_script("for i in 1 2 3 4 5 6; do\n"
				    "$pcieval run --results r$i --name pass " PLAN " >a 2>&1 & a=$!\n"
				    "$pcieval run --results r$i --name fail " PLAN " >b 2>&1 & b=$!\n"
				    "wait $a; x=$?; wait $b; y=$?\n"
				    "case \"$x $y\" in '0 2') grep -q 'r.: cannot hold the results' b ;;\n"
				    "'2 1') grep -q 'r.: cannot hold the results' a ;; *) false ;; esac ||\n"
				    "{ echo \"$i: got $x $y\"; cat a b; exit 1; }; done"),
		     0, "%s", output);
}

Test(command, more_workers_than_files_may_be_open_are_fewer, .timeout = 60)
{
	cr_expect_eq(program_script("ulimit -n 32; timeout 30 $pcieval run -j 16 --name pass --name 'slow*' " PLAN), 0,
		     "%s", output);
	cr_expect_eq(program_script("ulimit -n 10; timeout 30 $pcieval run -j 16 --name pass " PLAN), 3, "%s", output);
	expect_output("no case can be run with so few open files; raise `ulimit -n`");
	cr_expect_null(strstr(output, "still running"), "the claim has ended: %s", output);
}

Test(command, results_have_a_default_place)
{
	cr_expect_eq(pcieval("run --name pass " PLAN), 0);
	cr_expect(exists("pcieval-results/latest/journal.jsonl"));
	expect_output("results: pcieval-results/2");
}

Test(command, a_report_that_cannot_be_written_at_last_is_3)
{
	cr_expect_eq(pcieval("run --name pass --junit /dev/full " PLAN), 3, "%s", output);
	expect_output("--junit: /dev/full: cannot be written: No space left on device; `pcieval report`");
}

Test(command, output_that_is_lost_is_3)
{
	cr_expect_eq(pcieval("run --name pass " PLAN " >/dev/full"), 3, "%s", output);
	char *said = strstr(output, "standard output: ");
	cr_assert_not_null(said, "got '%s'", output);
	cr_expect_null(strstr(said + 1, "standard output: "), "said once, got '%s'", output);
}

Test(command, what_is_lost_is_3_also_if_every_case_was_skipped)
{
	static const struct program_row rows[] = {
		{"run -q --results a skip.xml", 4, "nothing was judged", ""},
		{"run -q --results b --junit /dev/full skip.xml", 3, NULL, "--junit: /dev/full: cannot be written"},
		{"run -q --results c --allow-skip --junit /dev/full skip.xml", 3, NULL, "--junit: /dev/full: cannot"},
		{"run -q --results d skip.xml >/dev/full", 3, "", "standard output: No space left on device"},
		{"run -q --results e --allow-skip skip.xml >/dev/full", 3, "", "standard output: No space left"},
		{"report --junit /dev/full a", 3, NULL, "--junit: /dev/full: cannot be written"},
	};

	cr_assert_eq(system("sed 's/<case /<case skip=\"no board\" /' " PLAN " >skip.xml"), 0);
	cr_expect_eq(pcieval("run -q --results f --allow-skip skip.xml"), 0, "%s", output);
	program_expect_all(rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- reports ---- */

Test(command, several_reports_may_go_nowhere)
{
	cr_expect_eq(pcieval("run --name pass --junit /dev/null --html /dev/null " PLAN), 0, "%s", output);
}

Test(command, a_report_to_standard_output_has_it_for_itself)
{
	cr_expect_eq(pcieval("run --name pass --junit - " PLAN " 2>/dev/null"), 0);
	cr_expect(!strncmp(output, "<?xml", 5), "got '%.60s'", output);
}

Test(command, report_makes_the_same_files_again)
{
	cr_expect_eq(pcieval("run --results run --junit a.xml --html a.html --json a.json --ktap a.ktap --name "
			     "'[fpc]*' " PLAN),
		     1);
	cr_expect_eq(pcieval("report --junit b.xml --html b.html --json b.json --ktap b.ktap run"), 1, "%s", output);
	expect_output("3 cases: 1 passed, 1 failed, 1 error, 0 skipped in ");
	cr_expect_eq(system("cmp a.xml b.xml && cmp a.json b.json && cmp a.ktap b.ktap && cmp a.html b.html"), 0);
}

Test(command, report_wants_a_run_folder)
{
	cr_expect_eq(pcieval("report"), 2);
	cr_expect_eq(pcieval("report ."), 2);
	expect_output(". is not the folder of a run: ");
}

Test(command, a_run_that_did_not_come_to_its_cases_is_3)
{
	static const struct program_row rows[] = {
		{"report run", 3, "", "run: the run was ended before its list of cases was written: no case was run"},
		{"run --resume run", 2, "", "no case was run; remove the folder and start the run again"},
	};

	cr_assert_eq(system("mkdir run; : >run/journal.jsonl"), 0);
	program_expect_all(rows, 2);
	cr_expect_eq(pcieval("run --results run --name pass " PLAN), 0, "nothing was in it: %s", output);
}

/* Without this, the process was killed without any message. */
Test(command, a_limit_of_file_sizes_is_as_a_full_disk)
{
	cr_expect_eq(program_script("ulimit -f 1; $pcieval run --results run " PLAN), 2, "%s", output);
	expect_output("File too large");
	cr_expect_eq(program_script("sed 's/name=\"fail\"/name=\"long-text\"/' " PLAN " >p.xml; ulimit -f 1000; "
				    "$pcieval run -j1 --results run2 p.xml"),
		     3, "%s", output);
	expect_output("run2: the results cannot be written: File too large; the run was ended");
}

Test(command, a_killed_run_can_be_reported)
{
	cr_assert_eq(system(PCIEVAL " run --results run --name 'slow*' -j1 " PLAN " >/dev/null 2>&1 & pid=$!; "
				    "for i in $(seq 500); do grep -q '\"step\"' run/journal.jsonl 2>/dev/null && "
				    "break; sleep 0.01; done; kill -9 $pid"),
		     0);
	cr_expect_eq(pcieval("report --junit r.xml run"), 3, "%s", output);
	expect_output("the run ended while this case was in step 0 (wait, line 5)");
	expect_output("1 case was not run");
	expect_output("(interrupted)");
	char *xml = read_file("r.xml");
	cr_expect(strstr(xml, "tests=\"2\" failures=\"0\" errors=\"2\""), "got %.300s", xml);
	free(xml);
}

Test(command, the_summary_says_how_to_run_a_case_again)
{
	cr_expect_eq(pcieval("run --name fail " PLAN), 1);
	char *again = strstr(output, "again: pcieval ");
	cr_assert_not_null(again);
	char arguments[1024];
	snprintf(arguments, sizeof(arguments), "%.*s", (int)strcspn(again + 15, "\n"), again + 15);
	cr_expect_eq(pcieval(arguments), 1, "%s", output);
	expect_output("1 case: 0 passed, 1 failed");
}

Test(command, what_was_asked_for_is_asked_for_again)
{
	cr_expect_eq(pcieval("run --golden-dir 'my goldens' --seed 5 --name fail " PLAN), 1);
	expect_output("again: pcieval run --golden-dir 'my goldens' ");
	program_script("echo '[]' >known.json");
	cr_expect_eq(pcieval("run --timeout-scale 2 --max-memory 1G --known-failures known.json --name fail " PLAN), 1,
		     "%s", output);
	expect_output(" --timeout-scale 2 --max-memory 1G --known-failures known.json --");
	cr_expect_eq(pcieval("run --name fail " PLAN), 1);
	cr_expect_null(strstr(output, "--max-memory"), "nothing that was not asked for");
	cr_expect_null(strstr(output, "--golden-dir"), "nothing that was not asked for");
}

/* ---- the terminal ---- */

Test(command, a_pipe_gets_no_escape_sequences)
{
	pcieval("run -v " PLAN);
	cr_expect_null(strchr(output, 0x1b));
	cr_expect_null(strchr(output, '\r'));
}

/* Returns the output of a run of all cases on a terminal of 60 columns. */
static char *at_a_terminal(void)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 60};
	int fd;
	char buf[4096], *text = NULL;
	size_t n;
	ssize_t got;
	FILE *f = open_memstream(&text, &n);

	setenv("TERM", "xterm", 1);
	pid_t pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid) {
		execl(PCIEVAL, "pcieval", "run", PLAN, NULL);
		_exit(127);
	}
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)got, f);
	close(fd);
	waitpid(pid, NULL, 0);
	fclose(f);
	return text;
}

Test(command, a_terminal_gets_a_live_line_and_colours)
{
	free(output);
	output = at_a_terminal();
	expect_output("\r[");
	expect_output("/5] 0:00");
	expect_output("\r\033[K");
	expect_output("\033[31mFAIL\033[0m behaviours/fail");
	cr_expect_null(strstr(output, "PASS"), "passes do not scroll by");
}

Test(command, no_color_is_respected)
{
	setenv("NO_COLOR", "1", 1);
	free(output);
	output = at_a_terminal();
	expect_output("FAIL behaviours/fail");
	cr_expect_null(strstr(output, "\033[3"));
}
