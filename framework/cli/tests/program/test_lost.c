/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boards that a case kills: the lab's commands cycle the power and print the console. The board of these tests is dead
 * while there is a file "dead": ssh does not reach it. The command "./power" boots it: whatever ran there has ended,
 * and its settings are those of a boot.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "framework/cli/tests/program/program.h"
#include "framework/cli/tests/program/ssh_hosts.h"

#define PMU "machine/sys/bus/event_source/devices/hisi_ptt0_0"

static const char make_mortal[] =
	"cat >bin/ssh <<END\n"
	"#!/bin/sh\n"
	"[ ! -e $PWD/dead ] || { echo no route to host >&2; exit 255; }\n"
	"exec /usr/bin/ssh -F $PWD/config \"\\$@\"\n"
	"END\n"
	"cat >power <<END\n"
	"#!/bin/sh\n"
	"cd $PWD\n"
	"echo \"\\$@\" >>powered\n"
	"[ ! -e burnt ] || exit 7\n"
	"pkill -KILL -f $PWD/there/pcieval\n"
	"rm -rf there/* machine/run\n"
	"echo 1 >" PMU "/tune/qos_tx_p\n"
	"[ ! -e record ] || { mkdir -p machine/sys/fs/pstore; cp record machine/sys/fs/pstore/dmesg-ramoops-1; }\n"
	"[ \"\\$1\" = off ] || rm -f dead\n"
	"END\n"
	"chmod +x power; : >serial; cp -r machine was\n";

static const char board[] = "<board name='b'><writes/><power cycle='./power cycle' after-s='1' boot-s='20'/>"
			    "<console command='exec tail -f -n 0 serial'/></board>";

static void set_up(void)
{
	ssh_set_up();
	cr_assert_eq(program_script(make_mortal), 0, "%s", output);
}

TestSuite(lost, .init = set_up, .fini = program_tear_down, .timeout = 200);

static void describe(const char *text)
{
	FILE *f = fopen("board.xml", "w");

	cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

/* The board dies while the first case waits. ssh does not end by itself, nor does it answer. */
#define DIES                                                                                          \
	"touch dead; sleep 0.3; kill -KILL $(pgrep -P $run -f ControlMaster=yes) $(pgrep -P $run -f " \
	"ControlMaster=no); "                                                                         \
	"pkill -STOP -f \"^$PWD/there/pcieval.*--undo\"\n"

/* Runs both cases of the plan; what the kernel says before it dies is in `says`, a command of the shell. */
static void run_and_kill(const char *options, const char *says)
{
	char script[2048];

	snprintf(script, sizeof(script),
		 "$pcieval run --target ssh:board --root $machine --board board.xml --results results %s " LOST
		 " >out 2>&1 & run=$!\n"
		 "until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat out; exit 1; }; sleep "
		 "0.05; done\n"
		 "%s\n" DIES "wait $run; cat out\n"
		 "jq -r 'select(.ev == \"verdict\") | \"\\(.case) \\(.verdict) \\(.type)\"' results/journal.jsonl | tr "
		 "'\\n' ';'\n"
		 "echo; cat powered; cat results/cases/*/log.txt 2>/dev/null || :",
		 options, says);
	cr_expect_eq(program_script(script), 0, "%s", output);
}

#define OOPS                                                                                                           \
	"echo '[   42.0] Unable to handle kernel paging request at virtual address 0000dead'; "                        \
	"echo '[   42.0] Internal error: Oops: 96000004 [#1] SMP'; echo '[   42.0] CPU: 0 PID: 7 Comm: pcieval-far'; " \
	"echo '[   42.0] pc : hisi_ptt_update_aux+0x40/0x200 [hisi_ptt]'; echo '[   42.0] ---[ end trace 0 ]---'"

Test(lost, power_is_cycled_and_the_next_case_runs)
{
	describe(board);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("power was cycled, and the machine answered after ");
	expect_output("no report of its kernel was found");
	expect_output("\ncycle\n");
	ssh_expect_as_it_was();
}

Test(lost, an_oops_of_the_driver_on_the_console_is_its_failure)
{
	describe(board);
	run_and_kill("--allow-exec", "{ " OOPS "; } >>serial; sleep 0.3");
	expect_output("0 fail kernel;1 pass null;");
	expect_output(
		"Unable to handle kernel paging request at virtual address 0000dead; the machine did not answer any "
		"more; power was cycled, and the machine answered after ");
	expect_output("---- console of the board ----\n[   42.0] Unable to handle");
	expect_output("pc : hisi_ptt_update_aux+0x40/0x200 [hisi_ptt]\n");
}

/* What an earlier crash has left there is not of this case. */
Test(lost, a_panic_in_pstore_is_an_error)
{
	describe(board);
	cr_assert_eq(program_script("mkdir -p machine/sys/fs/pstore; { " OOPS
				    "; } >machine/sys/fs/pstore/dmesg-ramoops-0; "
				    "echo '<0>[   43.1] Kernel panic - not syncing: stuck' >record; rm -rf was; cp -r "
				    "machine was"),
		     0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("the machine died: Kernel panic - not syncing: stuck; power was cycled");
	expect_output("dmesg-ramoops-1 ");
	cr_expect_not(strstr(output, "dmesg-ramoops-0"));
}

Test(lost, off_and_on_where_nothing_cycles)
{
	describe("<board name='b'><writes/><power on='./power on' off='./power off' after-s='1' boot-s='20'/></board>");
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("\noff\non\n");
	ssh_expect_as_it_was();
}

Test(lost, a_board_that_comes_back_by_itself_keeps_its_power)
{
	describe("<board name='b'><writes/><power cycle='./power cycle' after-s='30'/></board>");
	run_and_kill("--allow-exec", "(sleep 4; ./power itself) &");
	expect_output("0 error target;1 pass null;");
	expect_output("the machine answered again after ");
	cr_expect_not(strstr(output, "\ncycle\n"));
}

Test(lost, power_that_does_not_come_back)
{
	describe(board);
	cr_assert_eq(program_script("touch burnt"), 0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 error infrastructure;");
	expect_output("power was not cycled: './power cycle' ended with exit status 7");
	cr_expect_eq(program_script("pkill -KILL -f $PWD/there/pcieval; rm -rf there/*"), 0);
}

Test(lost, nothing_of_it_without_the_right)
{
	describe(board);
	run_and_kill("", "(sleep 4; ./power itself) &");
	expect_output("0 error target;1 pass null;");
	cr_expect_not(strstr(output, "\ncycle\n"));
	cr_expect_eq(program_script("! pgrep -f \"tail -f -n 0 seria[l]\""), 0, "%s", output);
}
