/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs on a board behind ssh: OpenSSH's client and server, with the test's own keys and configurations. The client
 * starts the server (ProxyCommand sshd -i), so that no port is opened. The temporary folders of the remote side and of
 * the client's sockets must be empty at the end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/tests/program/fake_perf.h"
#include "framework/cli/tests/program/machine.h"
#include "framework/cli/tests/program/program.h"
#include "framework/cli/tests/program/ssh_hosts.h"
#include "framework/far/protocol.h"

TestSuite(ssh, .init = ssh_set_up, .fini = program_tear_down, .timeout = 200);

#define SSH "run --target ssh:board --root $machine --results results "

/* Makes a program that prints the machine's facts like pcieval-far, and then runs `what` instead of serving. */
static void use_fake(const char *what)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "cat >fake <<'END'\n#!/bin/sh\n[ $1 = --read-only ] || exec %s \"$@\"\n%s\nEND\nchmod +x fake", FAR,
		 what);
	cr_assert_eq(program_script(script), 0, "%s", output);
	setenv("PCIEVAL_FAR", "./fake", 1);
}

Test(ssh, the_same_verdicts_as_on_this_machine)
{
	cr_expect_eq(pcieval("run --target local --root machine --results here -j 1 " PLAN), 1, "%s", output);
	cr_expect_eq(pcieval(SSH PLAN), 1, "%s", output);
	expect_output("1 passed, 1 failed, 0 errors, 4 skipped");
	expect_output("again: pcieval run --target ssh:board --driver system --root ");
	cr_expect_eq(
		program_script("for r in here results; do jq -r 'select(.ev == \"verdict\") | \"\\(.case) \\(.verdict) "
			       "\\(.type) \\(.message)\"' $r/journal.jsonl | sed 's/target ssh:board/target local/; "
			       "s/target ssh /target local /' | "
			       "sort >$r.txt; done; "
			       "diff here.txt results.txt && wc -l <here.txt"),
		0, "%s", output);
	expect_output("6\n");
	ssh_expect_nothing_left();
}

Test(ssh, this_machine_from_afar_is_left_alone)
{
	cr_expect_eq(pcieval("run --target ssh:board -q " SCENARIOS "/ptt-tune.xml"), 4, "%s", output);
	expect_output("0 passed, 0 failed, 0 errors, 58 skipped");
	ssh_expect_nothing_left();
}

Test(ssh, a_host_that_is_none)
{
	cr_expect_eq(pcieval("run --target ssh:no.such.host.invalid " PLAN), 2, "%s", output);
	expect_output("--target ssh:no.such.host.invalid: connecting: ssh ended with exit status 255");
	cr_expect_eq(pcieval("run --target ssh:-oProxyCommand=id " PLAN), 2, "%s", output);
	expect_output("expected a host as ssh takes it, got '-oProxyCommand=id'");
	cr_expect_eq(pcieval("run --target 'ssh:a;id' " PLAN), 2, "%s", output);
	expect_output("expected a host as ssh takes it, got 'a;id'");
	cr_expect_eq(pcieval("run --target ssh: " PLAN), 2, "%s", output);
	cr_expect_eq(pcieval("run --target ssh " PLAN), 2, "%s", output);
	expect_output("--target: expected ssh:HOST, got 'ssh'");
	ssh_expect_nothing_left();
}

Test(ssh, a_key_that_is_refused)
{
	cr_expect_eq(pcieval("run --target ssh:refused " PLAN " </dev/null"), 2, "%s", output);
	expect_output("Permission denied");
	expect_output("--target ssh:refused: connecting: ssh ended with exit status 255");
	ssh_expect_nothing_left();
}

Test(ssh, a_login_script_that_prints)
{
	cr_expect_eq(pcieval("run --target ssh:noisy " PLAN), 2, "%s", output);
	expect_output(
		"expected the name of a temporary folder, got 'Welcome to board 7'; does a login script there print");
	ssh_expect_nothing_left();
}

Test(ssh, a_program_that_arrives_damaged_is_not_started)
{
	cr_expect_eq(pcieval("run --target ssh:damaging " PLAN), 2, "%s", output);
	expect_output("arrived damaged: expected SHA-256 ");
	ssh_expect_nothing_left();
}

/* A program that fails on the board ends the keeper, whose next step would otherwise take the copy for its input. */
static void expect_failed_step(const char *program, const char *does, const char *says)
{
	char script[512];

	snprintf(script, sizeof(script),
		 "rm -f badbin/*; printf '#!/bin/sh\\n%s\\n' >badbin/%s; chmod +x badbin/%s; date +%%s >begun", does,
		 program, program);
	cr_assert_eq(program_script(script), 0, "%s", output);
	cr_expect_eq(pcieval("run --target ssh:damaging " PLAN), 2, "%s: %s", program, output);
	expect_output(says);
	cr_expect_eq(program_script("[ $(($(date +%s) - $(cat begun))) -lt 25 ]"), 0, "%s: an answer at once", program);
	ssh_expect_nothing_left();
}

Test(ssh, a_step_of_the_copy_that_fails)
{
	expect_failed_step("sha256sum", "echo no sha256sum >&2; exit 127",
			   "copying pcieval-far: ssh ended with exit status 127; it said why above");
	expect_failed_step(
		"head", "[ $1 = -c ] || exec /usr/bin/head \"$@\"; /usr/bin/head -c 1000; exit 1",
		"/pcieval-far cannot be written; TMPDIR in the environment of the account names another folder");
	expect_failed_step("mktemp", "exit 1", "/there: no folder can be made in it; TMPDIR in the environment of");
	expect_failed_step("chmod", "exit 0",
			   "Permission denied'; does the folder forbid programs (noexec)? TMPDIR in");
}

/* The folder is removed, and not what a shell makes of its name. */
Test(ssh, a_folder_whose_name_a_shell_splits)
{
	cr_assert_eq(program_script("mkdir -p lab 'lab user/tmp'; echo kept >lab/data; "
				    "sed -i \"s|TMPDIR=[^ ]*|'TMPDIR=$PWD/lab user/tmp'|\" board.conf"),
		     0);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("expected the name of a temporary folder, got 'pcieval-board ");
	cr_expect_eq(
		program_script(
			"cat lab/data; for i in $(seq 100); do [ -z \"$(ls 'lab user/tmp')\" ] && exit; sleep 0.1; "
			"done; ls -l 'lab user/tmp'; exit 1"),
		0, "%s", output);
	expect_output("kept\n");
}

Test(ssh, a_program_of_another_version)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\\necho pcieval-far 0.0.9, protocol 77\\n' >old; chmod +x old"),
		     0);
	setenv("PCIEVAL_FAR", "./old", 1);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("expected it to run there as pcieval-far " PCIEVAL_VERSION ", protocol ");
	expect_output("got 'pcieval-far 0.0.9, protocol 77'");
	ssh_expect_nothing_left();
}

Test(ssh, a_program_of_the_same_version_may_be_another)
{
	setenv("far", FAR, 1);
	setenv("PCIEVAL_FAR", "./far", 1);
	cr_assert_eq(program_script("cp $far far"), 0);
	cr_expect_eq(pcieval(SSH PLAN " --name wrong"), 1, "%s", output);
	cr_expect_eq(pcieval("run --resume results"), 1, "%s", output);
	cr_assert_eq(program_script("echo >>far"), 0);
	cr_expect_eq(pcieval("run --resume results"), 2, "%s", output);
	expect_output("--resume: expected what the run has tested, got another pcieval; `run --rerun incomplete");
	ssh_expect_nothing_left();
}

/* The remote side prints the folder, and then reads nothing more. */
Test(ssh, a_board_that_hangs_while_the_program_is_copied, .timeout = 100)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\\necho pcieval-board $(uname -m) 6.12 /tmp/none; exec sleep "
				    "1000\\n' >bin/ssh"),
		     0);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("--target ssh:board: copying pcieval-far: nothing is taken for 30 s");
	ssh_expect_nothing_left();
}

/* Lines without end and lines that never come must time out, and a dump must not fill the memory. */
Test(ssh, a_board_that_does_not_come_to_an_end, .timeout = 100)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\nwhile :; do printf xxxxxxxx; done\n' >bin/ssh"), 0);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("--target ssh:board: expected a line, got 'xxxxx");
	cr_assert_eq(program_script("printf '#!/bin/sh\nwhile printf \\\\033; do sleep 0.2; done\n' >bin/ssh"), 0);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("--target ssh:board: connecting: no answer for 30 s");
	ssh_expect_nothing_left();
}

Test(ssh, a_dump_without_end)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\\ncase $1 in --dump) exec yes;; esac; exec " FAR
				    " \"$@\"\\n' >fake; chmod +x fake"),
		     0);
	setenv("PCIEVAL_FAR", "./fake", 1);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output(": expected at most 67108864 bytes, got more");
	ssh_expect_nothing_left();
}

/* Escape sequences stay in the message as text. */
Test(ssh, what_a_board_says_has_no_control_characters)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\\nprintf \"\\\\033]0;me\\\\007\\\\n\"; cat\\n' >bin/ssh"), 0);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("got '\\x1b]0;me\\x07'");
	cr_assert_eq(program_script("printf '#!/bin/sh\\nprintf \"\\\\033[2Jno\\\\n\" >&2; exit 255\\n' >bin/ssh"), 0);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output(
		"\\x1b[2Jno\npcieval: run: --target ssh:board: connecting: ssh ended with exit status 255; it said why "
		"above");
	ssh_expect_nothing_left();
}

Test(ssh, a_far_side_that_dies_or_hangs)
{
	use_fake("echo no room >&2; exit 3");
	cr_expect_eq(pcieval(SSH PLAN " --name read"), 3, "%s", output);
	expect_output(
		"no answer: Broken pipe; ssh did not end the case's session: exit status 3; it said: no room (all");
	use_fake("exec cat >/dev/null");
	cr_expect_eq(pcieval("run --target ssh:board --root $machine " PLAN " --name read"), 3, "%s", output);
	expect_output("no answer: Connection timed out");
	ssh_expect_nothing_left();
}

Test(ssh, cases_do_not_share_the_machine)
{
	cr_expect_eq(pcieval(SSH PLAN " -j 2"), 2, "%s", output);
	expect_output("--jobs: expected 1 on target ssh:board, whose cases share one machine, got 2");
}

/*
 * The run is stopped by each signal in the middle of a case; the processes of the case end at the end of their input.
 */
Test(ssh, whoever_is_stopped_leaves_nothing)
{
	static const char *const signals[] = {"INT", "TERM", "KILL"};
	char script[512];

	use_fake("echo $$ >$TMPDIR/../pid; exec cat >/dev/null");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		snprintf(script, sizeof(script),
			 "rm -f pid; $pcieval run --target ssh:board --root $machine " PLAN
			 " --name read >out 2>&1 & run=$!\n"
			 "for i in $(seq 300); do [ -s pid ] && break; sleep 0.1; done; [ -s pid ] || { cat out; exit "
			 "1; }\n"
			 "[ -n \"$(ls there)\" ] || exit 2; kill -%s $run; wait $run\n"
			 "for i in $(seq 100); do kill -0 $(cat pid) 2>/dev/null || exit 0; sleep 0.1; done; exit 3",
			 signals[i]);
		cr_expect_eq(program_script(script), 0, "%s: %s", signals[i], output);
		ssh_expect_nothing_left();
	}
}

/* ---- a board that may be written to ---- */

#define WRITING "run --target ssh:board --root $machine --board board.xml " WRITES

Test(ssh, what_is_written_is_put_back)
{
	ssh_allow_writes();
	cr_expect_eq(pcieval(WRITING " --name change --name later --name unknown"), 0, "%s", output);
	expect_output("3 passed"); /* also before the run ends */
	ssh_expect_as_it_was();
	cr_expect_eq(pcieval(WRITING " --name bar"), 4, "%s", output);
	expect_output("1 skipped");
	expect_output("target ssh has no right to write this register: it could not be put back");
	ssh_expect_as_it_was();
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --name change " WRITES), 4, "%s", output);
	expect_output("target ssh has no way to write attributes");
	ssh_expect_nothing_left();
}

/* ---- a board that is lost in the middle of a case ---- */

/*
 * Runs `does` on a process while the first case waits: that case is an error, and for the next one the board is
 * available and unchanged.
 */
static void expect_next_to_pass(const char *does, const char *says)
{
	char script[1536];

	snprintf(script, sizeof(script),
		 "rm -rf results; $pcieval run --target ssh:board --root $machine --board board.xml --results "
		 "results " LOST " >out 2>&1 & run=$!\n"
		 "until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat out; exit 1; }; sleep "
		 "0.05; done\n"
		 "%s\nwait $run; cat out\n"
		 "jq -r 'select(.ev == \"verdict\") | \"\\(.case) \\(.verdict)\"' results/journal.jsonl | tr '\\n' ';'",
		 does);
	cr_expect_eq(program_script(script), 0, "%s: %s", does, output);
	expect_output("0 error;1 pass;");
	expect_output(says);
	ssh_expect_as_it_was();
	cr_expect_eq(program_script("rm -rf there/*"), 0);
}

#define MASTER "$(pgrep -P $run -f ControlMaster=yes)"
#define LINE   "$(pgrep -P $run -f ControlMaster=no)"

Test(ssh, a_connection_that_ends)
{
	ssh_allow_writes();
	expect_next_to_pass("kill -KILL " MASTER, "waiting: the machine does not answer any more");
	expect_next_to_pass("kill -KILL " LINE, "waiting: the machine does not answer any more");
	expect_next_to_pass("kill " MASTER, "waiting: the machine does not answer any more");
	/* Kills the shell that keeps the folder, and everything in it, like a reboot of the board. */
	expect_next_to_pass("kill -KILL $(pgrep -f $PWD/there/pcieval); rm -rf there/* machine/run; "
			    "echo 1 >machine/sys/bus/event_source/devices/hisi_ptt0_0/tune/qos_tx_p",
			    "waiting: the machine does not answer any more");
}

/* The check fails, then the connection ends, and a second attempt would pass. */
Test(ssh, a_failure_before_the_connection_ends_is_kept)
{
	cr_expect_eq(
		program_script(
			"A=machine/sys/bus/event_source/devices/hisi_ptt0_0/tune/qos_tx_p; echo 2 >$A\n"
			"sed 's/<tune-write.*/<tune-read pmu=\"hisi_ptt0_0\" event=\"qos_tx_p\" equals=\"1\"\\/>/; "
			"s/ms=\"100000\"/ms=\"6000\"/; s/equals=\"2\"/equals=\"1\"/' " LOST " >fails.xml\n"
			"$pcieval " SSH "--retry-errors 1 --name first fails.xml >out 2>&1 & run=$!\n"
			"until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat out; exit 9; }; "
			"sleep 0.05; done; echo 1 >$A; kill -KILL " MASTER "; wait $run; status=$?; cat out; "
			"exit $status"),
		1, "%s", output);
	expect_output("expected \"1\", got \"2\"; ssh did not end the case's session: ");
	expect_output("0 passed, 1 failed, 0 errors");
}

Test(ssh, a_connection_that_is_frozen)
{
	ssh_allow_writes();
	expect_next_to_pass("kill -STOP " LINE, "Connection timed out");
	expect_next_to_pass("kill -STOP " MASTER, "Connection timed out");
}

/* While a process may still change the board, no other can restore it. */
Test(ssh, a_far_side_that_is_frozen)
{
	ssh_allow_writes();
	cr_expect_eq(program_script(
			     "$pcieval run --target ssh:board --root $machine --board board.xml --results results " LOST
			     " --name first >out 2>&1 & run=$!\n"
			     "until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat out; exit 1; "
			     "}; sleep 0.05; "
			     "done\n"
			     "pgrep -f \"^$PWD/there/pcieval.*--undo\" >frozen; kill -STOP $(cat frozen); wait $run; "
			     "status=$?; cat out; exit $status"),
		     3, "%s", output);
	expect_output("waiting: the machine does not answer any more");
	expect_output("no answer: Connection timed out");
	cr_expect_eq(pcieval(WRITING " --name change"), 2, "%s", output);
	expect_output("another pcieval is at work");
	cr_expect_eq(program_script("kill -CONT $(cat frozen)"), 0, "%s", output);
	cr_expect_eq(pcieval(WRITING " --name change"), 0, "%s", output);
	ssh_expect_as_it_was();
	ssh_expect_nothing_left();
}

Test(ssh, one_run_at_a_time)
{
	ssh_allow_writes();
	cr_expect_eq(program_script("mkfifo hold; " FAR " --hold --root machine <hold >held & exec 3>hold; "
				    "until [ -s held ]; do sleep 0.05; done; $pcieval " WRITING
				    " --name change >out 2>&1; status=$?; exec 3>&-; wait; cat out; exit $status"),
		     2, "%s", output);
	expect_output("another pcieval is at work on it (process ");
	expect_output(" there, started ");
	expect_output("--target ssh:board: holding the board: ssh ended");
	cr_expect_eq(pcieval(WRITING " --name change"), 0, "it is let go: %s", output);
	ssh_expect_nothing_left();
}

/* With --wait the second run begins when the first one releases the board, and a run whose user has gone ends. */
Test(ssh, a_run_waits_for_its_turn)
{
	static const char hold[] = "mkfifo hold; " FAR " --hold --root machine <hold >held & exec 3>hold; "
				   "until [ -s held ]; do sleep 0.05; done\n"
				   "$pcieval " WRITING " --wait --name change >out 2>&1 3>&- & run=$!\n"
				   "until grep -qs waiting out; do kill -0 $run || break; sleep 0.05; done\n";
	static const char let_go[] = "exec 3>&-; wait $run; status=$?; cat out; exit $status";
	static const char gone[] =
		"kill -KILL $run; for i in $(seq 100); do pgrep -f \"$PWD/there/pcieval.*--wait\" >/dev/null || "
		"break; sleep 0.1; done; pgrep -f \"$PWD/there/pcieval.*--wait\" && exit 100\n";
	char text[4096];

	ssh_allow_writes();
	snprintf(text, sizeof(text), "%ssleep 1; grep -q '1 cases' out && exit 100\n%s", hold, let_go);
	cr_expect_eq(program_script(text), 0, "%s", output);
	expect_output("--target ssh:board: waiting for others to let it go\n");
	expect_output("1 passed");
	cr_expect_eq(program_script("rm -rf hold held out"), 0);
	snprintf(text, sizeof(text), "%s%s%s", hold, gone, let_go);
	cr_expect_eq(program_script(text), 137, "%s", output);
	ssh_expect_nothing_left();
}

/* The run that has the board reboots it: nobody answers for a while, and everything there is gone. */
Test(ssh, a_run_waits_for_a_board_that_reboots)
{
	ssh_allow_writes();
	cr_assert_eq(program_script("printf '#!/bin/sh\\n[ ! -e %s/dead ] || exit 255\\nexec /usr/bin/ssh -F %s/config "
				    "\"$@\"\\n' $PWD $PWD >bin/ssh"),
		     0);
	cr_expect_eq(program_script(
			     "mkfifo hold; " FAR " --hold --root machine <hold >held & exec 3>hold; "
			     "until [ -s held ]; do sleep 0.05; done\n"
			     "$pcieval " WRITING " --wait --name change >out 2>&1 3>&- & run=$!\n"
			     "until grep -qs waiting out; do kill -0 $run || exit 100; sleep 0.05; done\n"
			     "touch dead; kill -KILL $(pgrep -P $run -f ControlMaster=yes); rm -rf there/*; exec 3>&-\n"
			     "sleep 12; rm dead; wait $run; status=$?; cat out; exit $status"),
		     0, "%s", output);
	expect_output("waiting for the board: ssh ended with signal 9 (Killed); it said why above; connecting again\n");
	expect_output("1 passed");
	ssh_expect_as_it_was();
}

/* The far side of the previous case is still restoring, as its session did not end properly. */
Test(ssh, a_far_side_waits_for_the_one_before)
{
	cr_expect_eq(
		program_script(
			"mkdir -p machine/run/pcieval; : >machine/run/pcieval/undo; flock machine/run/pcieval/undo "
			"sh -c 'echo >locked; sleep 1' & until [ -e locked ]; do sleep 0.05; done\n"
			"printf '\\0\\0\\0\\0' | " FAR " --undo --root machine >answer && [ $(wc -c <answer) = 4 ]"),
		0, "%s", output);
}

Test(ssh, what_a_dead_run_has_left_is_put_back)
{
	ssh_allow_writes();
	cr_assert_eq(program_script("mkdir -p machine/run/pcieval; { echo boot $(cat /proc/sys/kernel/random/boot_id); "
				    "echo attr hisi_ptt0_0 tune/qos_tx_p 1; echo attr hisi_ptt0_0 tune/qos_tx_p 2; "
				    "printf 'attr hisi_ptt0_0 tu'; } >machine/run/pcieval/undo; "
				    "echo 0 >machine/sys/bus/event_source/devices/hisi_ptt0_0/tune/qos_tx_p"),
		     0);
	cr_expect_eq(pcieval(SSH PLAN " --name read"), 0, "a run that only reads: %s", output);
	ssh_expect_as_it_was();
	cr_assert_eq(program_script("mkdir -p machine/run/pcieval; { echo boot $(cat /proc/sys/kernel/random/boot_id); "
				    "echo nonsense; } >machine/run/pcieval/undo"),
		     0);
	cr_expect_eq(pcieval("run --target ssh:board --root $machine " PLAN " --name read"), 2, "%s", output);
	expect_output("expected what was changed, got 'nonsense'; look at it and remove it");
}

/* The first commands of docs/lab.md, with four boards, each of which has a machine of its own. */
Test(ssh, many_boards_by_tomorrow_morning, .timeout = 200)
{
	cr_expect_eq(
		program_script(
			"for i in $(seq 4); do cp -r machine machine$i; done\n"
			"for i in $(seq 4); do\n"
			"  $pcieval run --target ssh:board --root $machine$i --shard $i/4 --results tonight/$i " PLAN
			" >out$i 2>&1 &\n"
			"done; wait\n"
			"$pcieval merge -o tonight/all --html tonight.html tonight/*/"),
		1, "a case of the plan fails: %s", output);
	expect_output("ran in shard 2/4 on ");
	cr_expect_null(strstr(output, "again: "), "no command for another machine: %s", output);
	cr_expect_eq(program_script("jq 'select(.ev == \"verdict\") | .case' tonight/all/journal.jsonl | sort >seen; "
				    "[ $(sort -u seen | wc -l) = $(wc -l <seen) ] && "
				    "[ $(wc -l <seen) = $($pcieval list " PLAN " | wc -l) ] && [ -s tonight.html ]"),
		     0, "every case once: %s", output);
}

/*
 * Messages of ssh that a board on a loaded machine may leave unanswered, 5 s apart, while a case waits:
 * dwc-bandwidth/carry waits up to 8 s of the board's time.
 */
Test(ssh, patience_with_a_board_grows_with_the_scale_of_timeouts)
{
	static const struct {
		const char *options, *unanswered;
	} runs[] = {
		{"", "3"}, {"--timeout-scale 0.1", "3"}, {"--timeout-scale 8", "24"}, {"--timeout-scale 1e6", "720"}};

	cr_assert_eq(program_script("printf '#!/bin/sh\\necho \"$@\" >asked; exit 255\\n' >bin/ssh; chmod +x bin/ssh"),
		     0);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		char command[256];

		snprintf(command, sizeof(command), "run --target ssh:board %s " PLAN, runs[i].options);
		cr_expect_eq(pcieval(command), 2, "%s", output);
		snprintf(command, sizeof(command), "grep -q 'ServerAliveInterval=5 .*ServerAliveCountMax=%s ' asked",
			 runs[i].unanswered);
		cr_expect_eq(program_script(command), 0, "%s", runs[i].options);
	}
}

/* A damaged journal: what it still says is restored, and the run is refused until somebody has looked at the rest. */
Test(ssh, a_damaged_line_keeps_no_other_from_being_put_back)
{
	ssh_allow_writes();
	cr_assert_eq(
		program_script("mkdir -p machine/run/pcieval; { echo boot $(cat /proc/sys/kernel/random/boot_id); "
			       "echo attr hisi_ptt0_0 tune/qos_tx_p 1; echo attR hisi_ptt0_0 tune/qos_tx_p 2; "
			       "echo attr hisi_ptt0_0 tune/qos_tx_np 1; echo reg; "
			       "echo attr hisi_ptt0_0 tune/qos_tx_p 3; } >machine/run/pcieval/undo; "
			       "cd machine/sys/bus/event_source/devices/hisi_ptt0_0/tune; cat qos_tx_np >$OLDPWD/np; "
			       "echo 0 >qos_tx_p"),
		0);
	cr_expect_eq(pcieval("run --target ssh:board --root $machine " PLAN " --name read"), 2, "%s", output);
	expect_output("2 lines are not put back, the first: ");
	expect_output("machine/run/pcieval/undo: expected what was changed, got 'reg'; look at it and remove it");
	cr_expect_eq(
		program_script("cd machine; [ $(cat sys/bus/event_source/devices/hisi_ptt0_0/tune/qos_tx_p) = 1 ] && "
			       "[ $(wc -l <run/pcieval/undo) = 6 ]"),
		0, "the values are back, and the journal is there");
}

/*
 * Any process of the run is killed at any moment: the runner, the agent, an ssh, its server, the far side. The next run
 * finds the board unchanged.
 */
static const char kill_somebody[] =
	"tree() { for p in $(pgrep -P $1); do echo $p; tree $p; done; }\n"
	"n=${PCIEVAL_KILLS:-20}; hit=0\n"
	"for i in $(seq $n); do\n"
	"rm -rf results; $pcieval run --target ssh:board --root $machine --board board.xml --results results " WRITES
	" --name change >out 2>&1 & run=$!\n"
	"sleep $(awk -v s=$i 'BEGIN { srand(s * 7919); print 0.05 + 0.3 * rand() }')\n"
	"victim=$(echo $run $(tree $run) | tr ' ' '\\n' | awk -v s=$i 'BEGIN { srand(s * 104729) } { l[NR] = $1 } END "
	"{ print l[1 + int(rand() * NR)] }')\n"
	"kill -KILL $victim 2>/dev/null && hit=$((hit + 1)); wait $run 2>/dev/null\n"
	"for j in $(seq 40); do [ -z \"$(ls there)\" ] && break; sleep 0.05; done\n"
	"for j in $(seq 100); do " FAR " --hold --root $machine </dev/null >held 2>&1 && break; sleep 0.05; done\n"
	"rmdir machine/run/pcieval machine/run 2>/dev/null\n"
	"diff -r was machine || { echo kill $i; exit 1; }; rm -rf there/* run/*\n"
	"done; echo $hit of $n hit; [ $hit -gt $((n / 4)) ]";

Test(ssh, a_board_is_as_it_was_whoever_is_killed, .timeout = 1000)
{
	ssh_allow_writes();
	cr_expect_eq(program_script(kill_somebody), 0, "%s", output);
}

/* ---- pcieval watch ---- */

#define COUNTING "--target ssh:counting --root $machine "

Test(ssh, watch_starts_perf_there)
{
	make_perf();
	cr_expect_eq(pcieval("watch " COUNTING "--duration 1"), 0, "%s", output);
	expect_output(
		"dwc_rootport_80: 1 intervals, 1.0 s\n  receives 4.10 kB/s on average, 4.10 kB/s at most: 0 and 0 % "
		"of the 6.63 GB/s that its link can carry\n");
	cr_expect_eq(program_script(START_WATCH(
			     COUNTING) "kill -INT $watch; wait $watch; s=$?; cat out\n" EXPECT_NO_PERF "exit $s"),
		     0, "%s", output);
	expect_output("at most");
	ssh_expect_nothing_left();
}

Test(ssh, watch_leaves_no_perf_there)
{
	make_perf();
	cr_assert_eq(program_script("echo \"trap '' INT\" >behave"), 0);
	cr_expect_eq(program_script(START_WATCH(COUNTING) "kill -KILL $watch; wait $watch\n" EXPECT_NO_PERF), 0, "%s",
		     output);
	cr_expect_eq(
		program_script(START_WATCH(
			COUNTING) "pkill -KILL -P $watch ssh; wait $watch; s=$?; cat out\n" EXPECT_NO_PERF "exit $s"),
		3, "%s", output);
	expect_output("at most");
	expect_output("--target ssh:counting: perf ended with signal 9 (Killed); it said why above");
	ssh_expect_nothing_left();
}

Test(ssh, watch_on_hosts_that_are_none)
{
	make_perf();
	cr_expect_eq(pcieval("watch --target ssh:refused"), 3, "%s", output);
	expect_output("Permission denied");
	expect_output("--target ssh:refused: ssh ended with exit status 255; it said why above");
	cr_expect_eq(pcieval("watch --target 'ssh:a;id'"), 2, "%s", output);
	expect_output("expected a host as ssh takes it, got 'a;id'");
	cr_expect_eq(pcieval("watch --target ssh:-oProxyCommand=id"), 2, "%s", output);
	cr_assert_eq(program_script("printf '#!/bin/sh\\nexec sleep 1000\\n' >bin/ssh"), 0);
	cr_expect_eq(pcieval("watch --target ssh:counting"), 3, "%s", output);
	expect_output("--target ssh:counting: the list of events did not end within 30 s and 16 MiB");
	ssh_expect_nothing_left();
}
