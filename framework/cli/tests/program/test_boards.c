/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs on real machines: this one, and one made of files (described by boards.xml). */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/tests/program/machine.h"
#include "framework/cli/tests/program/program.h"

static void set_up(void)
{
	program_set_up();
	make_machine();
	unsetenv("PCIEVAL_AGENT");
	unsetenv("PCIEVAL_FAR");
}

TestSuite(boards, .init = set_up, .fini = program_tear_down, .timeout = 100);

#define LOCAL "run --target local --root machine --results results "

static void need_far(void)
{
	if (!*FAR)
		cr_skip_test("no libperf, and so no pcieval-far");
}

Test(boards, what_a_plan_needs_and_the_machine_lacks_is_a_skip)
{
	cr_expect_eq(pcieval(LOCAL PLAN " --name elsewhere"), 4, "%s", output);
	cr_expect_eq(pcieval("run --target local --root machine --allow-skip " PLAN " --name elsewhere"), 0, "%s",
		     output);
	expect_output(
		"target local: ptt1 at 00:09.0: expected PTT, got no function there; the whole topology is needed "
		"(pmu-list: it lists all PMUs)");
	expect_output("0 passed, 0 failed, 0 errors, 1 skipped");
	char *journal = read_file("results/journal.jsonl");
	cr_expect(strstr(journal, "\"type\":\"target\""), "not the plan's own skip: %s", journal);
	free(journal);
}

Test(boards, cpus_that_a_plan_names_are_those_of_the_machine)
{
	need_far();
	cr_assert_eq(
		program_script(
			"mkdir -p machine/sys/devices/system/cpu && echo 0-63 >machine/sys/devices/system/cpu/online"),
		0);
	cr_expect_eq(pcieval(LOCAL PLAN " --name on-two-cpus"), 4, "%s", output);
	expect_output("target local: expected CPUs 0-1, got 0-63");
	cr_assert_eq(program_script("echo 0-1 >machine/sys/devices/system/cpu/online"), 0);
	cr_expect_eq(pcieval("run --target local --root machine " PLAN " --name on-two-cpus"), 0, "%s", output);
	expect_output("1 passed, 0 failed");
}

Test(boards, nothing_is_started_for_cases_that_cannot_run)
{
	setenv("PCIEVAL_FAR", "/none/such", 1);
	cr_expect_eq(pcieval(LOCAL PLAN " --name elsewhere"), 4, "%s", output);
	cr_expect_eq(pcieval("run --target local --root machine " PLAN), 2, "%s", output);
	expect_output("run: PCIEVAL_FAR=/none/such: expected a program, got No such file or directory");
}

Test(boards, the_machine_is_read)
{
	need_far();
	cr_expect_eq(pcieval(LOCAL PLAN " --name read"), 0, "%s", output);
	expect_output("1 passed, 0 failed");
}

Test(boards, what_is_wrong_fails)
{
	need_far();
	cr_expect_eq(pcieval(LOCAL PLAN " --name wrong"), 1, "%s", output);
	expect_output("hisi_ptt0_0/tune/qos_tx_p: expected \"2\", got \"1\"");
	expect_output("again: pcieval run --target local --driver system --root machine --name boards/wrong");
}

Test(boards, the_machine_is_not_changed)
{
	need_far();
	cr_expect_eq(pcieval(LOCAL PLAN " --name write"), 4, "%s", output);
	expect_output("tune-write: target local has no way to write attributes");
	char *now = read_file("machine/sys/bus/event_source/devices/hisi_ptt0_0/tune/qos_tx_p");
	cr_expect_str_eq(now, "1\n");
	free(now);
}

Test(boards, nobody_sends_traffic)
{
	need_far();
	cr_expect_eq(pcieval(LOCAL PLAN " --name traffic"), 4, "%s", output);
	expect_output("traffic: target local has no traffic generator");
}

Test(boards, a_far_side_that_dies_is_an_error)
{
	need_far();
	cr_assert_eq(program_script("printf '#!/bin/sh\\n[ $1 = --read-only ] || exec " FAR
				    " \"$@\"; exit 1\\n' >dies; "
				    "chmod +x dies"),
		     0);
	setenv("PCIEVAL_FAR", "./dies", 1);
	cr_expect_eq(pcieval(LOCAL PLAN " --name read"), 3, "%s", output);
	expect_output("./dies did not end the case's session: exit status 1; its standard error is empty");
}

/* Makes a far side that serves like pcieval-far, and logs each start; `first` is run the first time. */
static void use_counted(const char *first)
{
	char script[512];

	snprintf(script, sizeof(script),
		 "cat >counted <<'END'\n#!/bin/sh\n[ $1 = --read-only ] || exec %s \"$@\"\necho x >>starts\n"
		 "[ $(wc -l <starts) != 1 ] || { %s; exit; }\nexec %s \"$@\"\nEND\nchmod +x counted; rm -rf starts "
		 "results",
		 FAR, first, FAR);
	cr_assert_eq(program_script(script), 0, "%s", output);
	setenv("PCIEVAL_FAR", "./counted", 1);
}

Test(boards, one_far_side_for_all_cases)
{
	need_far();
	use_counted(FAR " \"$@\" | tee said");
	cr_expect_eq(pcieval(LOCAL PLAN " --name read --repeat 3"), 0, "%s", output);
	expect_output("3 passed");
	cr_expect_eq(program_script("wc -l <starts"), 0);
	expect_output("1\n");
}

/* All answers come except the last one, which ends the session: the next case gets another far side. */
Test(boards, a_session_that_does_not_end_is_an_error_of_its_case)
{
	need_far();
	use_counted(FAR " \"$@\" | tee said");
	cr_assert_eq(pcieval(LOCAL PLAN " --name read"), 0, "%s", output);
	use_counted("n=$(($(wc -c <said) - 4)); echo nothing is put back >&2; " FAR " \"$@\" | dd bs=1 count=$n 2>&-");
	cr_expect_eq(pcieval(LOCAL PLAN " --name read --repeat 2"), 3, "%s", output);
	expect_output("1 passed, 0 failed, 1 error");
	expect_output("boards/read: of 2 runs 1 passed, 1 error");
	expect_output("./counted did not end the case's session: exit status ");
	expect_output("it said: nothing is put back (all of its standard error is in the case's log)");
	cr_expect_eq(program_script("wc -l <starts; cat results/cases/*/log.txt"), 0);
	expect_output("2\n");
	expect_output("nothing is put back");
}

/* ---- functions with other BDFs ---- */

static void describe(const char *devices)
{
	char script[512];

	snprintf(script, sizeof(script), "echo '<board name=\"b\">%s</board>' >b.xml", devices);
	cr_assert_eq(program_script(script), 0);
}

Test(boards, a_function_that_stands_elsewhere)
{
	need_far();
	cr_expect_eq(pcieval(LOCAL MOVED), 4, "%s", output);
	expect_output("rp0 at 00:11.0: expected Root Port, got no function there");
	describe("<device plan=\"00:11.0\" is=\"00:10.0\"/>");
	cr_expect_eq(pcieval("run --target local --root machine --results moved --board b.xml " MOVED), 0, "%s",
		     output);
	expect_output("2 passed, 0 failed, 0 errors, 3 skipped");
	describe("<device plan=\"00:11.0\" is=\"0000:00:12.0\"/>");
	cr_expect_eq(pcieval("run --target local --root machine --results nowhere --board b.xml " MOVED), 4, "%s",
		     output);
	expect_output("rp0 at 00:12.0: expected Root Port, got no function there");
}

Test(boards, what_depends_on_places_is_skipped)
{
	describe("<device plan=\"00:10.0\" is=\"00:11.0\"/>");
	cr_expect_eq(pcieval(LOCAL "--board b.xml " PLAN " --name elsewhere"), 4, "%s", output);
	expect_output(
		"target local: a PTT with functions at other places: its filters are numbers made of places, which "
		"cannot be rewritten");
}

/* The plan's PTT is at 00:08.0. No step depends on its BDF, so the machine's PTT is found. */
Test(boards, roles_are_found)
{
	need_far();
	cr_assert_eq(program_script("mkdir m2 && mv machine/proc machine/sys m2 && cd m2/sys && "
				    "mv bus/pci/devices/0000:00:08.0 bus/pci/devices/0000:00:0a.0 && "
				    "mv devices/pci0000:00/0000:00:08.0 devices/pci0000:00/0000:00:0a.0 && "
				    "ln -sfn ../../../devices/pci0000:00/0000:00:0a.0/hisi_ptt0_0 "
				    "bus/event_source/devices/hisi_ptt0_0 && cd bus/event_source/devices && "
				    "mv ../../../devices/pci0000:00/0000:00:0a.0/hisi_ptt0_0 "
				    "../../../devices/pci0000:00/0000:00:0a.0/hisi_ptt3_1 && rm hisi_ptt0_0 && "
				    "ln -s ../../../devices/pci0000:00/0000:00:0a.0/hisi_ptt3_1 hisi_ptt3_1"),
		     0, "%s", output);
	cr_expect_eq(pcieval("run --target local --root m2 --results found --keep --json r.json " PLAN " --name read"),
		     0, "%s", output);
	expect_output("1 passed, 0 failed");
	cr_expect_eq(program_script("cat found/cases/*/log.txt"), 0);
	expect_output("roles: ptt0=0000:00:0a.0");
	cr_expect_eq(program_script("cat r.json"), 0);
	expect_output("\"roles\":");
	cr_expect_eq(pcieval("run --target local --root m2 --bind ptt0=00:10.0 " PLAN " --name read"), 4, "%s", output);
	expect_output("role ptt0: expected PTT, got Root Port (1b36:000c) at 0000:00:10.0");
	cr_expect_eq(pcieval("run --target local --root m2 --bind ptt0 " PLAN), 2, "%s", output);
	expect_output("--bind: expected ROLE=BDF, such as rp0=3a:01.0, got 'ptt0'");
}

/* With two PTTs, the case runs on each of them, and a failed one is repeated on its PTT. */
Test(boards, each_match_is_a_case_of_its_own)
{
	need_far();
	cr_assert_eq(
		program_script(
			"mkdir m3 && mv machine/proc machine/sys m3 && cd m3/sys && "
			"cp -a bus/pci/devices/0000:00:08.0 bus/pci/devices/0000:00:0b.0 && "
			"cd devices/pci0000:00 && cp -a 0000:00:08.0 0000:00:0b.0 && "
			"mv 0000:00:0b.0/hisi_ptt0_0 0000:00:0b.0/hisi_ptt4_0 && "
			"ln -s ../../../devices/pci0000:00/0000:00:0b.0/hisi_ptt4_0 ../../bus/event_source/devices"),
		0, "%s", output);
	cr_expect_eq(pcieval("run --target local --root m3 --every-match --results each -v " PLAN
			     " --name read --name wrong"),
		     1, "%s", output);
	expect_output("read@ptt0=0000:00:08.0");
	expect_output("read@ptt0=0000:00:0b.0");
	expect_output("again: pcieval run --target local --driver system --root m3 --every-match --bind "
		      "ptt0=0000:00:0b.0 --name boards/wrong ");
	expect_output("4 cases: 2 passed, 2 failed");
	cr_expect_eq(pcieval("run --rerun failed each --results once-more"), 1, "%s", output);
	expect_output("2 cases: 0 passed, 2 failed");
	cr_assert_eq(program_script("sed -i '/\"case\":3/,$d' each/journal.jsonl && rm each/cases/0003*/log.txt"), 0);
	cr_expect_eq(pcieval("run --resume each"), 1, "%s", output);
	expect_output("4 cases: 2 passed, 2 failed");
	cr_expect_eq(program_script("cat each/cases/0003*/log.txt"), 0, "%s", output);
	expect_output("roles: ptt0=0000:00:0b.0");
	cr_expect_eq(pcieval("run --target local --root m3 --every-match --bind ptt0=00:0b.0 " PLAN " --name read -v"),
		     0, "%s", output);
	expect_output("read@ptt0=0000:00:0b.0");
	expect_output("1 case: 1 passed");
	cr_expect_eq(pcieval("run --target local --root m3 --every-match --shard 1/2 " PLAN), 2, "%s", output);
	expect_output("--every-match: expected no --shard");
	cr_expect_eq(pcieval("run --target local --root m3 --health-check --shuffle " PLAN), 2, "%s", output);
	expect_output("--health-check: expected no --shuffle: the first plan comes first");
}

Test(boards, what_would_run_is_counted)
{
	need_far();
	cr_expect_eq(pcieval("board check --root machine local " PLAN), 0, "%s", output);
	expect_output("2 of 6 cases would run; 4 lack something:");
	expect_output("1  no <writes/>: a step writes what must be restored");
	expect_output("1  no tap (<tap>): a step sends traffic or compares with what was on a");
	cr_expect_eq(pcieval("board check --all --root machine local " PLAN), 0, "%s", output);
	expect_output("boards/read\n");
	cr_expect_eq(pcieval("board check --root machine model " PLAN), 2, "%s", output);
	cr_expect_eq(pcieval("board check --root machine local"), 2, "%s", output);
	describe("<writes/><tap socket=\"/t\"/>");
	cr_expect_eq(pcieval("board check --board b.xml --root machine local " PLAN), 0, "%s", output);
	expect_output("4 of 6 cases would run");
}

Test(boards, a_draft_is_a_description)
{
	need_far();
	cr_expect_eq(pcieval("board new --name rack/1 --root machine local"), 0, "%s", output);
	expect_output("<!-- Kernel unknown, CPUs unknown -->\n<board name=\"rack-1\">");
	expect_output("0000:00:08.0 PTT, ids 19e5:a12e, 8 GT/s x8 of at most x8\n");
	FILE *f = fopen("draft.xml", "w");
	fputs(output, f);
	fclose(f);
	cr_expect_eq(pcieval("validate draft.xml"), 0, "%s", output);
}

Test(boards, a_description_with_a_mistake)
{
	describe("<device plan=\"00:10.0\" is=\"00:11.0\"/><device plan=\"00:12.0\" is=\"00:11.0\"/>");
	cr_expect_eq(pcieval(LOCAL "--board b.xml " PLAN), 2, "%s", output);
	expect_output("--board: ");
	expect_output("b.xml:1: <device>: expected each function once, got is=\"00:11.0\" again");
}

/* ---- workloads ---- */

#define ALLOWED "run --target local --root machine --board b.xml --allow-exec "
#define WORKLOAD(counts, program)                                                                            \
	"<device plan=\"00:11.0\" is=\"00:10.0\"/><workload from=\"00:10.0\" to=\"memory\" counts=\"" counts \
	"\" timeout-s=\"2\"><word>" program "</word>"
#define DD                                                                                    \
	WORKLOAD("dd", "dd")                                                                  \
	"<word>if=/dev/zero</word><word>of=/dev/null</word><word>bs=1M</word><word>count=4</" \
	"word>"

Test(boards, a_workload_says_what_it_moved)
{
	need_far();
	describe(DD "</workload>");
	cr_expect_eq(pcieval(ALLOWED MOVED " --name '*workload'"), 0, "%s", output);
	expect_output("1 passed, 0 failed, 0 errors, 1 skipped");
	expect_output("the board's description has no workload from cpu to 00:10.0");
}

Test(boards, no_program_is_run_that_is_not_allowed)
{
	need_far();
	describe(WORKLOAD("dd", "touch") "<word>touched</word></workload>");
	cr_expect_eq(pcieval("run --target local --root machine --board b.xml " MOVED " --name workload"), 4, "%s",
		     output);
	expect_output("a workload command is run with --allow-exec only");
	cr_expect(access("touched", F_OK));
	pcieval(ALLOWED MOVED " --name workload");
	cr_expect_eq(access("touched", F_OK), 0, "nothing could be seen to run");
}

Test(boards, a_workload_is_no_shell)
{
	need_far();
	describe(WORKLOAD("dd", "dd; touch touched") "</workload>");
	cr_expect_eq(pcieval(ALLOWED MOVED " --name workload"), 3, "%s", output);
	expect_output("dd; touch touched: expected exit status 0, got 127: dd; touch touched: cannot be started: "
		      "No such file or directory");
	cr_expect(access("touched", F_OK));
}

Test(boards, a_workload_that_fails_is_an_error)
{
	need_far();
	describe(WORKLOAD("dd", "false") "</workload>");
	cr_expect_eq(pcieval(ALLOWED MOVED " --name workload"), 3, "%s", output);
	expect_output("false: expected exit status 0, got 1");
	describe(WORKLOAD("fio-read", "echo") "<word>nothing of use</word></workload>");
	cr_expect_eq(pcieval(ALLOWED MOVED " --name workload"), 3, "%s", output);
	expect_output("echo: expected the bytes that fio-read says it moved, got: nothing of use");
	describe(WORKLOAD("dd", "true") "</workload>");
	cr_expect_eq(pcieval(ALLOWED MOVED " --name workload"), 3, "%s", output);
	expect_output("true: expected the bytes that dd says it moved, got: nothing");
}

/* The process prints its id, and starts another one that prints its id. */
#define SLOW                 \
	WORKLOAD("dd", "sh") \
	"<word>-c</word><word>sleep 1000 &amp; echo $! &gt;&gt;ids; echo $$ &gt;&gt;ids; wait</word></workload>"
static const char gone[] = "for i in $(seq 200); do left=; for id in $(cat ids); do [ ! -e /proc/$id ] || grep -q "
			   "'^State:.Z' /proc/$id/status || "
			   "left=$id; done; [ -n \"$left\" ] || exit 0; sleep 0.1; done; exit 1";

Test(boards, a_workload_that_takes_too_long_is_killed)
{
	need_far();
	describe(SLOW);
	cr_expect_eq(pcieval(ALLOWED MOVED " --name workload"), 3, "%s", output);
	expect_output("sh: expected its end within 2000 ms, and killed it");
	cr_expect_eq(program_script(gone), 0);
}

/* SIGKILL of the runner also ends its agent and far side, and thereby the workload. */
Test(boards, a_workload_ends_with_its_run)
{
	need_far();
	describe("<device plan=\"00:11.0\" is=\"00:10.0\"/><workload from=\"00:10.0\" to=\"memory\" counts=\"dd\" "
		 "timeout-s=\"600\"><word>sh</word><word>-c</word><word>sleep 1000 &amp; echo $! &gt;&gt;ids; echo $$ "
		 "&gt;&gt;ids; wait</word></workload>");
	cr_expect_eq(program_script("$pcieval " ALLOWED MOVED " --name workload --timeout-scale 20 >/dev/null & "
				    "until [ -e ids ] && [ $(wc -l <ids) = 2 ]; do sleep 0.05; done; kill -9 $!"),
		     0, "%s", output);
	cr_expect_eq(program_script(gone), 0, "it is still there");
}

/*
 * All far sides, including the one that reserves the board, are stopped and then killed, so that none can end the
 * processes of the workload, which are in their own session. The next run ends them.
 */
Test(boards, a_workload_ends_with_the_next_run_when_the_far_side_is_killed)
{
	need_far();
	describe("<device plan=\"00:11.0\" is=\"00:10.0\"/><workload from=\"00:10.0\" to=\"memory\" counts=\"dd\" "
		 "timeout-s=\"600\"><word>sh</word><word>-c</word><word>setsid sleep 1000 &amp; echo $! &gt;&gt;ids; "
		 "echo $$ "
		 "&gt;&gt;ids; wait</word></workload>");
	cr_expect_eq(program_script("$pcieval " ALLOWED MOVED
				    " --name workload --timeout-scale 20 >/dev/null & run=$!\n"
				    "until [ -e ids ] && [ $(wc -l <ids) = 2 ]; do sleep 0.05; done\n"
				    "far=$(pgrep -d , -P $run pcieval-far) && far=\"$(pgrep -P $far) $(pgrep -P $run "
				    "pcieval-far)\"\n"
				    "kill -STOP $far && kill -9 $far; wait $run\n"
				    "kill -0 $(head -n 1 ids)"),
		     0, "it has ended by itself: %s", output);
	cr_expect_eq(program_script(FAR " --hold --root machine </dev/null"), 0, "%s", output);
	cr_expect_eq(program_script(gone), 0, "it is still there");
}

/* ---- perf ---- */

/* The Root Port is at 00:11.0 in the plan, and at 00:10.0 on the machine. */
static void make_perf(const char *record)
{
	char script[1024], path[4096], here[128];

	need_far();
	describe("<device plan=\"00:11.0\" is=\"00:10.0\"/>");
	snprintf(script, sizeof(script),
		 "mkdir bin; cat >bin/perf <<'END'\n#!/bin/sh\n"
		 "case $1 in\n"
		 "list) echo dwc_rootport_80/rx_memory_read/ ;;\n"
		 "stat) echo \"42,,$8,1,100.00,,\" ;;\n"
		 "record) %s ;;\n"
		 "report) cat \"$4\" ;;\n"
		 "esac\nEND\nchmod +x bin/perf",
		 record);
	cr_assert_eq(program_script(script), 0, "%s", output);
	cr_assert_not_null(getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/bin:%s", here, getenv("PATH"));
	setenv("PATH", path, 1);
}

Test(boards, perf_of_the_machine_is_run)
{
	make_perf("echo recorded >\"$4\"");
	cr_expect_eq(pcieval(ALLOWED PERF), 0, "%s", output);
	expect_output("3 passed, 0 failed, 0 errors, 0 skipped");
	cr_expect_eq(program_script("find machine/run machine/tmp -type f -o -name programs 2>/dev/null | grep ."), 1,
		     "files are left: %s", output);
}

Test(boards, perf_is_not_run_unless_that_is_allowed)
{
	make_perf("echo recorded >\"$4\"");
	cr_expect_eq(pcieval("run --target local --root machine --board b.xml " PERF), 4, "%s", output);
	expect_output("target local has no right to run perf: --allow-exec gives it");
	expect_output("0 passed, 0 failed, 0 errors, 3 skipped");
}

/* Another user's link has the name of a file, as if it could be guessed. */
Test(boards, files_of_perf_are_nobody_elses)
{
	make_perf("stat -c %a . >../../../mode; echo recorded >\"$4\"");
	cr_expect_eq(pcieval(ALLOWED PERF " --name record"), 0, "%s", output);
	cr_expect_eq(program_script("[ $(cat machine/mode) = 700 ]"), 0, "%s", output);
	cr_assert_eq(program_script("rm -rf machine/run; ln -s /none/such machine/run"), 0);
	cr_expect_eq(pcieval(ALLOWED PERF " --name record"), 3, "%s", output);
	expect_output("perf could not be started");
}

Test(boards, files_of_perf_go_with_a_run_that_is_killed)
{
	make_perf("echo recorded >\"$4\"; echo >../../../recording; sleep 1000");
	cr_expect_eq(program_script("$pcieval " ALLOWED PERF " --name record >/dev/null & "
				    "until [ -e machine/recording ]; do sleep 0.05; done; kill -9 $!\n"
				    "for i in $(seq 100); do [ -e machine/run/pcieval/programs ] || exit 0; sleep 0.1; "
				    "done; exit 1"),
		     0, "%s", output);
}

/* ---- baselines ---- */

static void move_mib(const char *count)
{
	char text[512];

	snprintf(text, sizeof(text),
		 WORKLOAD("dd", "dd") "<word>if=/dev/zero</word><word>of=/dev/null</word><word>bs=1M</word>"
				      "<word>count=%s</word></workload>",
		 count);
	describe(text);
}

#define GOLDEN "golden %s --target local --root machine --board b.xml --allow-exec --golden-dir goldens " MOVED
static int golden(const char *action)
{
	char command[512];

	snprintf(command, sizeof(command), GOLDEN, action);
	return pcieval(command);
}

static int run_baseline(void)
{
	return pcieval(ALLOWED "--golden-dir goldens " MOVED " --name baseline");
}

Test(boards, a_baseline_is_recorded_and_compared)
{
	need_far();
	move_mib("4");
	cr_expect_eq(run_baseline(), 3, "%s", output);
	expect_output("record the baseline of this board with `pcieval golden regen --accept`");
	cr_expect_eq(golden("regen --accept"), 0, "%s", output);
	cr_expect_eq(access("goldens/b.moved.baseline.counters.json", F_OK), 0);
	cr_expect_eq(run_baseline(), 0, "%s", output);
	move_mib("6");
	cr_expect_eq(golden("check"), 0, "%s", output);
	cr_expect_eq(run_baseline(), 0, "%s", output);
	move_mib("7");
	cr_expect_eq(golden("diff"), 1, "%s", output);
	expect_output("counter w: golden 4194304, now 7340032");
	cr_expect_eq(run_baseline(), 1, "%s", output);
	expect_output("measure w: expected 4194304 +-50 % (baseline b.moved.baseline), got 7340032");
	cr_expect_eq(golden("regen --accept"), 0, "%s", output);
	cr_expect_eq(run_baseline(), 0, "%s", output);
}

Test(boards, a_baseline_is_of_one_board)
{
	need_far();
	move_mib("4");
	cr_expect_eq(golden("regen --accept"), 0, "%s", output);
	cr_expect_eq(program_script("sed -i 's/name=\"b\"/name=\"c\"/' b.xml"), 0);
	cr_expect_eq(run_baseline(), 3, "%s", output);
	expect_output("goldens/c.moved.baseline.counters.json");
}

/* ---- the kernel's MPS policy ---- */

Test(boards, the_mps_policy_of_the_configuration)
{
	need_far();
	cr_assert_eq(program_script("printf 'CONFIG_PCI=y\\nCONFIG_PCIE_BUS_PERFORMANCE=y\\n' | gzip "
				    ">machine/proc/config.gz"),
		     0);
	cr_expect_eq(pcieval(LOCAL PLAN " --name read"), 4, "%s", output);
	expect_output("expected a machine booted with MPS policy default, got perf");
	cr_assert_eq(program_script("rm -r machine/proc results"), 0);
	cr_expect_eq(pcieval(LOCAL PLAN " --name read"), 4, "%s", output);
	expect_output("the kernel's MPS policy is unknown");
	cr_expect_eq(pcieval("board check --root machine local " PLAN), 4, "%s", output);
	expect_output("the kernel's MPS policy is unknown");
}

/* ---- reports ---- */

Test(boards, the_machine_is_in_the_report)
{
	need_far();
	cr_expect_eq(
		program_script("mkdir -p machine/proc/sys/kernel; echo 6.12.99 >machine/proc/sys/kernel/osrelease"), 0);
	cr_expect_eq(pcieval(LOCAL PLAN " --name read --junit j.xml"), 0, "%s", output);
	cr_expect_eq(program_script("grep 'name=\"machine.kernel\" value=\"6.12.99\"' j.xml && jq -e "
				    "'.kernel == \"6.12.99\"' results/environment.json"),
		     0, "%s", output);
}

Test(boards, a_far_side_that_says_nothing_of_itself)
{
	cr_assert_eq(
		program_script("printf '#!/bin/sh\\n[ $1 = --hold ] || exit 1; echo held; cat >/dev/null\\n' >dies; "
			       "chmod +x dies"),
		0);
	setenv("PCIEVAL_FAR", "./dies", 1);
	pcieval(LOCAL PLAN " --name read");
	cr_expect_eq(program_script("jq -e '.environment == \"not readable: pcieval-far --environment said nothing of "
				    "use: exit status 1\"' results/environment.json"),
		     0, "%s", output);
}

/* A run puts back what a killed one has left before it reads the machine: that may be why nothing can run. */
Test(boards, a_run_begins_by_putting_back)
{
	need_far();
	cr_assert_eq(
		program_script("port=machine/sys/bus/pci/devices/0000:00:10.0/config; mkdir -p machine/run/pcieval; "
			       "ids=$(od -An -tx2 -N4 $port | sed 's/^ *//; s/ /:/'); "
			       "{ echo boot $(cat /proc/sys/kernel/random/boot_id); "
			       "echo reg 0000:00:10.0 $ids 0x3c 1 0x55; } >machine/run/pcieval/undo"),
		0, "%s", output);
	cr_expect_eq(pcieval(LOCAL PLAN " --name elsewhere"), 4, "%s", output);
	cr_expect_eq(program_script("od -An -tx1 -j60 -N1 machine/sys/bus/pci/devices/0000:00:10.0/config; "
				    "! grep reg machine/run/pcieval/undo"),
		     0, "%s", output);
	expect_output(" 55\n");
}

/* The journal is that of a run that was killed after two cases. */
Test(boards, a_run_goes_on_with_its_machine)
{
	need_far();
	cr_expect_eq(program_script("$pcieval " LOCAL PLAN " -j 1 >/dev/null; cd results &&"
				    "head -n 5 journal.jsonl >j && mv j journal.jsonl"),
		     0, "%s", output);
	cr_expect_eq(pcieval("run --resume results --again interrupted"), 1, "%s", output);
	expect_output("1 passed, 1 failed, 0 errors, 4 skipped");
}

/* ---- a machine that has changed between two runs ---- */

#define FACTS		 "machine/proc/sys/kernel machine/sys/module/hisi_ptt machine/sys/module/nvme"
#define SRCVERSION(name) "machine/sys/module/" name "/srcversion"
#define PORT		 "machine/sys/bus/pci/devices/0000:00:10.0/"

static void run_on_known_machine(void)
{
	need_far();
	cr_assert_eq(
		program_script("mkdir -p " FACTS "; for f in osrelease version; do echo 1 >machine/proc/sys/kernel/$f; "
			       "done; echo 0x19e5 >" PORT "vendor; echo 0xa120 >" PORT
			       "device; echo quiet >machine/proc/cmdline; for m in hisi_ptt nvme; do echo live "
			       ">machine/sys/module/$m/initstate; echo A1 >machine/sys/module/$m/srcversion; done"),
		0, "%s", output);
	cr_expect_eq(program_script("\"$pcieval\" " LOCAL PLAN " --name wrong"), 1, "%s", output);
}

/* NULL: nothing. */
static void expect_difference(const char *change, const char *what)
{
	char text[512];

	cr_assert_eq(program_script(change), 0, "%s", output);
	cr_expect_eq(program_script("rm -rf again; \"$pcieval\" run --rerun failed --results again results"), 1, "%s",
		     output);
	cr_expect_eq(strstr(output, "--rerun: not as") != NULL, what != NULL, "%s", output);
	snprintf(text, sizeof(text), "[ \"$(jq -r .differs again/settings.json)\" = '%s' ]", what ? what : "null");
	cr_expect_eq(program_script(text), 0, "%s: expected %s", change, text);
	cr_expect_eq(program_script("\"$pcieval\" run --resume results"), what ? 2 : 1, "%s", output);
	if (!what)
		return;
	snprintf(text, sizeof(text), "--resume: expected what the run has tested, got %s;", what);
	expect_output(text);
}

Test(boards, what_is_run_again_may_be_another_kernel)
{
	run_on_known_machine();
	expect_difference("echo '#2 SMP' >machine/proc/sys/kernel/version", "another kernel (1 before, #2 SMP now)");
	expect_difference("echo 2 >machine/proc/sys/kernel/osrelease", "another kernel (1 before, 2 now)");
	expect_difference("echo 1 | tee machine/proc/sys/kernel/version >machine/proc/sys/kernel/osrelease; "
			  "rm machine/proc/cmdline",
			  "another command line (quiet before, none now)");
}

Test(boards, what_is_run_again_may_be_another_driver)
{
	run_on_known_machine();
	expect_difference("echo B2 >" SRCVERSION("hisi_ptt"),
			  "another module hisi_ptt (loaded, srcversion A1 before, loaded, srcversion B2 now)");
	expect_difference("rm -r machine/sys/module/hisi_ptt",
			  "another module hisi_ptt (loaded, srcversion A1 before, none now)");
}

Test(boards, what_is_run_again_may_have_another_device)
{
	run_on_known_machine();
	expect_difference("echo 0xa121 >" PORT "device",
			  "another device 0000:00:10.0 (ids 0x19e5 0xa120 before, ids 0x19e5 0xa121 now)");
}

/* Cases set them, a link may have trained otherwise, and functions come and go. */
Test(boards, settings_of_a_machine_are_not_what_is_tested)
{
	run_on_known_machine();
	int fd = open(PORT "config", O_WRONLY);
	cr_assert_eq(pwrite(fd, &(uint16_t){2u << PCI_EXP_DEVCTL_MPS_SHIFT}, 2, BUILD_EXP + PCI_EXP_DEVCTL), 2);
	close(fd);
	expect_difference("true", NULL);
	cr_expect_eq(program_script("jq -r '.[\"pci 0000:00:10.0\"]' results/environment.json again/environment.json"),
		     0);
	expect_output("MPS 512 of 512, MRRS 128\n");
	expect_difference("mkdir -p machine/sys/devices/system/cpu/cpufreq/policy0; "
			  "echo performance >machine/sys/devices/system/cpu/cpufreq/policy0/scaling_governor; "
			  "echo 512 >machine/proc/sys/kernel/tainted",
			  NULL);
}

Test(boards, what_is_run_again_is_run_by_the_same_programs)
{
	setenv("far", FAR, 1);
	setenv("PCIEVAL_FAR", "./far", 1);
	need_far();
	cr_assert_eq(
		program_script("cp $far far; cp \"$pcieval\" \"${pcieval%/*}/pcieval-agent\" .; cp pcieval-agent a"), 0,
		"%s", output);
	setenv("pcieval", "./pcieval", 1);
	run_on_known_machine();
	expect_difference("echo >>pcieval-agent", "another pcieval");
	expect_difference("cp a pcieval-agent", NULL);
	expect_difference("echo >>far", "another pcieval");
}

Test(boards, a_machine_that_is_none)
{
	cr_expect_eq(pcieval("run --target local --root nowhere " PLAN), 2, "%s", output);
	expect_output("nowhere/sys/bus/pci/devices: No such file or directory; expected a folder like");
	cr_expect_eq(pcieval("run --target local --driver kernel " PLAN), 2, "%s", output);
	expect_output("--driver: target local has: system, reference; got 'kernel'");
}

Test(boards, the_reference_driver_wants_consent)
{
	cr_expect_eq(pcieval("run --target local --driver reference " PLAN), 2, "%s", output);
	expect_output("takes the plan's functions from the kernel's drivers; say --allow-unbind");
	cr_expect_eq(pcieval("run --target local --allow-unbind " PLAN), 2, "%s", output);
	expect_output("--allow-unbind: expected --driver reference, got system");
	cr_expect_eq(pcieval("run --allow-unbind " PLAN), 2, "%s", output);
	expect_output("--allow-unbind: expected one of the targets local ssh, got model");
}

/* No machine that runs this test has the published topologies. */
Test(boards, this_machine_is_left_alone)
{
	cr_expect_eq(pcieval("run --target local -q " SCENARIOS "/ptt-tune.xml " SCENARIOS "/cpmu-counting.xml"), 4,
		     "%s", output);
	expect_output(" 0 passed, 0 failed, 0 errors, ");
}
