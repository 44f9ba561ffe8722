/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real agent with a case that hangs or crashes: what remains for examination. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"
#include "framework/oracle/ledger.h"

static void set_up(void)
{
	program_set_up();
	unsetenv("PCIEVAL_AGENT");
}

TestSuite(agent_ends, .init = set_up, .fini = program_tear_down);

#define CASE_FOLDER "run/cases/0000-hang-wait/"

/* The traffic ended long before, and three of its four AUX areas are in the trace. */
static void expect_what_there_was(void)
{
	struct pv_ledger *ledger = NULL;
	char *xml = read_file("r.xml"), *stack = read_file(CASE_FOLDER "stack.txt");

	cr_assert_eq(pv_ledger_load(CASE_FOLDER "ledger.pvw", &ledger), 0);
	cr_expect_geq(pv_ledger_records(ledger), 2000);
	pv_ledger_free(ledger);
	cr_expect_eq(pcieval("trace decode " CASE_FOLDER "trace-t.bin | grep -c MWr64"), 0);
	cr_expect_eq(atoi(output), 1536, "%s", output);
	cr_expect_eq(system("grep -q 'TRACE_CTRL' " CASE_FOLDER "registers.txt"), 0);
	cr_expect(strstr(stack, "(wait, "), "got %s", stack);
	cr_expect(strstr(stack, "hang.xml:"), "got %s", stack);
	cr_expect(strstr(stack, "pv_agent_serve+"), "got %s", stack);
	cr_expect(strstr(xml, "[[ATTACHMENT|" CASE_FOLDER "ledger.pvw]]"), "got %s", xml);
	cr_expect(strstr(xml, "[[ATTACHMENT|" CASE_FOLDER "registers.txt]]"), "got %s", xml);
	cr_expect(strstr(xml, "[[ATTACHMENT|" CASE_FOLDER "stack.txt]]"), "got %s", xml);
	cr_expect(strstr(xml, "[[ATTACHMENT|" CASE_FOLDER "trace-t.bin]]"), "got %s", xml);
	cr_expect(strstr(xml, "Max Payload Size set to"), "the driver's words are in the log, got %s", xml);
	free(stack);
	free(xml);
}

Test(agent_ends, a_case_that_hangs_leaves_what_there_is)
{
	cr_expect_eq(pcieval("run --results run --junit r.xml " HANG), 3, "%s", output);
	expect_output("(timeout)");
	expect_output("no verdict within 1.000 s: stopped in step ");
	expect_output("(wait ms=\"900000000\", line ");
	expect_what_there_was();
}

Test(agent_ends, a_case_that_crashes_leaves_what_there_is)
{
	cr_expect_eq(program_script("$pcieval run --timeout-scale 60 --results run --junit r.xml " HANG " & pid=$!; "
				    "for i in $(seq 1000); do grep -q '\"kind\":\"wait\"' run/journal.jsonl "
				    "2>/dev/null && break; sleep 0.01; done; "
				    "kill -SEGV $(cat /proc/$pid/task/$pid/children); wait $pid"),
		     3, "%s", output);
	expect_output("(crash)");
	expect_what_there_was();
}

/* ---- the fork server ---- */

/* Waits until the case hangs; $pid is the run, $children are its processes. */
#define HANGING                                                                                                    \
	" & pid=$!; for i in $(seq 1000); do grep -q '\"kind\":\"wait\"' run/journal.jsonl 2>/dev/null && break; " \
	"sleep 0.01; done; children=$(cat /proc/$pid/task/$pid/children); "

static void write_plan(void)
{
	FILE *f = fopen("p.xml", "w");

	cr_assert_not_null(f);
	fputs("<plan name='p'><topology><root-port name='rp' bdf='00:10.0'/></topology><case name='c' "
	      "verifies='MP-PO-01'>"
	      "<reg-read device='rp' offset='0' mask='0' equals='0'/></case></plan>",
	      f);
	fclose(f);
}

/* In a guest, an endless stream filled the disk while the drivers were removed. */
Test(agent_ends, streams_end_with_the_last_step_that_ran)
{
	static const char script[] =
		"cat >a.xml <<end\n"
		"<plan name='a'><topology><ptt name='ptt0' bdf='00:01.0' sicl='0' core='0' first='rp0' last='rp0'/>\n"
		"<root-port name='rp0' bdf='00:10.0' speed='8' width='8'><endpoint "
		"name='nic0'/></root-port></topology><case name='a'>\n"
		"<measure id='x' what='tlps' port='rp0' dir='in' requester='nic0'/>\n"
		"<measure id='y' what='tlps' port='rp0' dir='in' requester='nic0'/>\n"
		"<trace-start id='t' pmu='hisi_ptt0_0' filter='0x80001' type='1' direction='2' format='1'/>\n"
		"<traffic id='s' from='nic0' to='memory' kind='mwr64' size='64' count='0' background='yes'/>\n"
		"<wait us='10'/>\n"
		"<check-order ids='x y' relation='equal'/></case></plan>\n"
		"end\n"
		"sed 's/<check-order/<traffic-stop id=\"s\"\\/>&/' a.xml >b.xml\n"
		"for i in a b; do $pcieval run -q --results $i $i.xml; done\n"
		"cmp a/cases/*/ledger.pvw b/cases/*/ledger.pvw";

	cr_expect_eq(program_script(script), 0, "%s", output);
	expect_output("check-order: expected a value other than 0, got x=0 y=0: the check proves nothing");
}

Test(agent_ends, agents_are_forked_from_one_that_is_loaded)
{
	cr_expect_eq(
		program_script(
			"$pcieval run --timeout-scale 60 --results run " HANG HANGING
			"for p in $children; do echo \"$(tr '\\0' ' ' </proc/$p/cmdline)$(ps -o ppid= -p $p)\"; done; "
			"echo run $pid; kill -TERM $pid; wait $pid"),
		3, "%s", output);
	int forks = 0, agents = 0, parent, run = 0;
	for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n")) {
		forks += sscanf(line, "%*s forkserver %d", &parent) == 1;
		agents += sscanf(line, "%*s agent %d", &parent) == 1;
		sscanf(line, "run %d", &run);
	}
	cr_expect_eq(forks, 1);
	cr_expect_eq(agents, 1);
	cr_expect_eq(parent, run, "agents are children of the run");
}

Test(agent_ends, without_a_fork_server_agents_are_started)
{
	static const char *const signals[] = {"KILL", "STOP"};
	char script[1024];

	write_plan();
	for (size_t i = 0; i < 2; i++) {
		snprintf(script, sizeof(script),
			 "rm -rf run; $pcieval run -j 1 --results run " HANG " p.xml" HANGING
			 "kill -%s $(pgrep -P $pid -f forkserver); wait $pid",
			 signals[i]);
		cr_expect_eq(program_script(script), 3, "%s", output);
		expect_output("2 cases: 1 passed, 0 failed, 1 error");
	}
}

Test(agent_ends, a_run_that_is_killed_takes_all_along)
{
	cr_expect_eq(
		program_script(
			"$pcieval run --timeout-scale 60 --results run " HANG HANGING
			"kill -KILL $pid; for i in $(seq 500); do ps -p $(echo $children | tr ' ' ,) >left || exit 0; "
			"sleep 0.01; done; cat left; exit 1"),
		0, "%s", output);
}

/* Uses copies, as each program looks for the agent in its own folder. */
Test(agent_ends, the_agent_beside_the_program_is_the_one_that_runs)
{
	write_plan();
	cr_expect_eq(
		program_script("cp $pcieval pcieval; cp /bin/false pcieval-agent; ./pcieval run --results r1 p.xml"), 3,
		"%s", output);
	expect_output("status 1");
	cr_expect_eq(program_script("cp $pcieval-agent .; ./pcieval run --results r2 p.xml"), 0, "%s", output);
	cr_expect_eq(program_script("rm pcieval-agent; ./pcieval run --results r3 p.xml"), 0, "%s", output);
}
