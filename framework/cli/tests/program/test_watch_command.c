/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval watch`, with output of perf 6.12 from a guest, and with a perf that it starts. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cli/tests/program/fake_perf.h"
#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

#define R(name) RECORDED "/" name ".txt"
#define RX	",,dwc_rootport_8/Rx_PCIe_TLP_Data_Payload/,1000,100.00,,"

static void set_up(void)
{
	program_set_up();
	cr_assert_eq(program_script("echo '1.0,7200000000" RX "' >link; echo fio-3.33 >fio; cat fio link >mixed; "
				    "echo '1.0,<not supported>" RX
				    "' >uncounted; echo '1.0,<not counted>,,a/b/,0,0.00,,' "
				    ">>uncounted; echo '1.0,<not counted>,,a/b/,0,0.00,,' >half; cat link >>half"),
		     0);
}

TestSuite(watch_command, .init = set_up, .fini = program_tear_down);

static const struct program_row rows[] = {
	{"watch " R("payload"), 0, "     1.5 s  dwc_rootport_80  rx 1.02 MB/s  rx_memory_write 0/s\n", ""},
	{"watch --quiet " R("payload"), 0, "dwc_rootport_80: 14 intervals, 7.0 s\n  receives 219 kB/s on average", ""},
	{"watch - <" R("payload"), 0, "  d2h_req_rdcurr                    42.8/s         0/s       599/s   75 %", ""},
	{"watch <" R("one_cycle"), 0, "  one_cycle                        1000 ps", ""},
	{"watch " R("turns"), 0, "link states are in cycles: --cycle PS", ""},
	{"watch --cycle 1000 " R("turns"), 0, "     2.0 s  dwc_rootport_80  L0 64.7 %  L1 31.1 %\n", ""},
	/* The link in the dump is 8 GT/s x16, with MPS 256. */
	{"watch --machine " DESKTOP " link", 0,
	 "receives 7.20 GB/s on average, 7.20 GB/s at most: 50 and 50 % of the 14.4 GB/s that its link can carry", ""},
	{"watch --machine " DESKTOP " " R("payload"), 0, "2.05 MB/s at most\n", ""},
	{"watch mixed", 0, "left out: 1 line that is not of perf stat -I -x\n", ""},
	{"watch uncounted", 4, "     not supported\n",
	 "uncounted: nothing was counted: perf wrote <not supported> or <not counted> for every event\n"},
	{"watch --quiet --html - uncounted", 4, "<!DOCTYPE html>", "nothing was counted"},
	{"watch half", 0, "receives 7.20 GB/s on average", ""},
	{"watch fio", 2, "", "fio: expected lines of 'perf stat -I 1000 -x,', got none among"},
	{"watch </dev/null", 2, "", "standard input: expected lines of 'perf stat -I 1000 -x,', got none\n"},
	{"watch --html - " R("payload"), 0, "<!DOCTYPE html>", ""},
	{"watch --html /nowhere/page " R("payload"), 2, "", "--html: /nowhere/page: cannot be written"},
	{"watch nowhere", 2, "", "nowhere: No such file or directory"},
	{"watch .", 3, NULL, "reading it: Is a directory"},
	{"watch a b", 2, "", "watch: expected one FILE, got 2"},
	{"watch --target qemu", 2, "", "--target: expected local or ssh:HOST, got 'qemu'"},
	{"watch --target local a", 2, "", "watch: expected no FILE, got 1"},
	{"watch --pmu a b", 2, "", "--root: expected --target, got none"},
	{"watch -t local --interval 99", 2, "", "--interval: expected 100 ms or more, got 99"},
	{"watch -t local --pmu a --event b", 2, "", "expected --event or --pmu, got both"},
	{"watch -t local --event 'a\nb'", 2, "", "--event: expected an event of perf, got 'a\\x0ab'"},
	{"watch --machine nowhere " R("payload"), 2, "", "--machine: nowhere: "},
	{"watch " R("payload") " >/dev/full", 3, NULL, "standard output: No space left on device"},
};

Test(watch_command, says_what_it_finds_and_by_its_exit_status)
{
	program_expect_all(rows, ARRAY_SIZE(rows));
}

Test(watch_command, lines_come_as_intervals_end)
{
	static const char script[] = "mkfifo in\n"
				     "$pcieval watch in >out &\n"
				     "exec 3>in\n"
				     "echo '1.0,5" RX "' >&3\n"
				     "echo '2.0,5" RX "' >&3\n"
				     "until [ -s out ]; do sleep 0.01; done\n"
				     "cat out\n"
				     "exec 3>&-\n"
				     "wait\n";

	cr_assert_eq(program_script(script), 0, "%s", output);
	cr_expect_str_eq(output, "     1.0 s  dwc_rootport_8  rx 5 B/s\n");
}

/* Ctrl-C also ends perf, which still prints its last interval. */
Test(watch_command, an_interrupt_waits_for_the_end_of_perf)
{
	static const char script[] = "mkfifo in\n"
				     "env --default-signal=INT $pcieval watch <in >out & pid=$!\n"
				     "exec 3>in\n"
				     "echo '1.0,5" RX "' >&3\n"
				     "echo '2.0,5" RX "' >&3\n"
				     "until [ -s out ]; do sleep 0.01; done\n"
				     "kill -INT $pid\n"
				     "sleep 0.1\n"
				     "echo '3.0,5" RX "' >&3\n"
				     "exec 3>&-\n"
				     "wait $pid && cat out\n";

	cr_assert_eq(program_script(script), 0, "%s", output);
	expect_output("dwc_rootport_8: 3 intervals, 3.0 s\n");
}

Test(watch_command, a_line_without_end_is_left_out)
{
	cr_assert_eq(
		program_script("{ head -c 100000 /dev/zero | tr '\\0' 9; echo; echo '1.0,5" RX "'; } | $pcieval watch"),
		0);
	expect_output("left out: 1 line ");
	expect_output("1 intervals");
}

/* ---- a perf that it starts ---- */

static void set_up_perf(void)
{
	char path[8192], here[4096];

	program_set_up();
	make_machine();
	make_perf();
	cr_assert_not_null(getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/tools:%s", here, getenv("PATH"));
	setenv("PATH", path, 1);
}

TestSuite(watch_perf, .init = set_up_perf, .fini = program_tear_down, .timeout = 60);

#define LOCAL "--target local --root machine "

/* The link is 8 GT/s x8, with MPS 128. */
Test(watch_perf, payload_and_opcodes_against_the_link)
{
	cr_expect_eq(pcieval("watch " LOCAL "--interval 400 --duration 1"), 0, "%s", output);
	expect_output(
		"     1.0 s  cxl_pmu_mem0.0  m2s_req_memrd 4.10 k/s (100 %)\n     1.0 s  dwc_rootport_80  rx 4.10 "
		"kB/s (0 %)\n");
	expect_output(
		"dwc_rootport_80: 3 intervals, 3.0 s\n  receives 4.10 kB/s on average, 4.10 kB/s at most: 0 and 0 % "
		"of the 6.63 GB/s that its link can carry\n");
	cr_expect_eq(program_script("cat asked; " EXPECT_NO_PERF), 0);
	cr_expect_str_eq(
		output,
		"stat -a -I 400 -x, --log-fd 1 --interval-count 3 -e cxl_pmu_mem0.0/m2s_req_memrd/," FAKE_EVENTS "\n");
}

Test(watch_perf, only_what_is_named)
{
	cr_expect_eq(pcieval("watch " LOCAL "--duration 1 --pmu 'dwc*' && grep -x '.* -e " FAKE_EVENTS "' asked"), 0);
	cr_expect_eq(pcieval("watch " LOCAL "--duration 1 -e a/b,c=1/ -e 'd e' && grep -x '.* -e a/b,c=1/,d e' asked"),
		     0);
	cr_expect_eq(pcieval("watch " LOCAL "--duration 1 --pmu 'power'"), 3);
	expect_output("--target local: expected events of the PMUs of --pmu, got none; --event EVENT counts any");
	cr_expect_eq(pcieval("watch --target local --root nowhere"), 3);
	expect_output("expected events of PMUs dwc_rootport_* or cxl_pmu_*, got none");
}

Test(watch_perf, a_signal_ends_it_with_the_summary)
{
	static const char *const signals[] = {"INT", "TERM", "HUP"};
	char script[1024];

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		snprintf(script, sizeof(script),
			 START_WATCH(LOCAL) "kill -%s $watch; wait $watch; s=$?; cat out\n" EXPECT_NO_PERF "exit $s",
			 signals[i]);
		cr_expect_eq(program_script(script), 0, "%s: %s", signals[i], output);
		expect_output("at most");
	}
}

/* Perf must end even if the watch cannot stop it. */
Test(watch_perf, it_does_not_outlive_the_watch)
{
	cr_expect_eq(program_script(START_WATCH(LOCAL) "kill -KILL $watch; wait $watch\n" EXPECT_NO_PERF), 0, "%s",
		     output);
	cr_expect_eq(program_script("$pcieval watch " LOCAL "| head -n 1\n" EXPECT_NO_PERF), 0, "%s", output);
}

Test(watch_perf, one_that_does_not_stop_is_killed)
{
	cr_assert_eq(program_script("echo \"trap '' INT\" >behave"), 0);
	cr_expect_eq(program_script(START_WATCH(LOCAL) "kill -INT $watch; wait $watch; s=$?; cat out\n" EXPECT_NO_PERF
						       "exit $s"),
		     0, "%s", output);
	expect_output("at most");
}

Test(watch_perf, failures_are_told)
{
	cr_assert_eq(program_script("echo 'printf \"\\033[2Jbad event\\n\" >&2; exit 129' >behave"), 0);
	cr_expect_eq(pcieval("watch " LOCAL), 3);
	expect_output("\\x1b[2Jbad event\npcieval: --target local: perf ended with exit status 129; it said why above");
	cr_assert_eq(program_script("echo 'echo 1.0,5,,a,1000,100.00,,; kill -SEGV $$' >behave"), 0);
	cr_expect_eq(pcieval("watch " LOCAL), 3, "what it has counted is there, too");
	expect_output("events without a PMU: 1 intervals, 1.0 s");
	expect_output("perf ended with exit status 139");
}

Test(watch_perf, output_that_is_none_of_perf_is_left_out)
{
	cr_assert_eq(program_script("echo 'head -c 3000000 /dev/zero | tr \"\\0\" 9; echo; printf "
				    "\"1.0,5,,a\\033[2J,1000,100.00,,\\n\"' >behave"),
		     0);
	cr_expect_eq(pcieval("watch " LOCAL "--duration 1"), 0, "%s", output);
	expect_output("left out: 2 lines that are not of perf stat -I -x\n");
	cr_expect_not(strchr(output, 033));
}

Test(watch_perf, its_complaints_have_a_limit)
{
	cr_assert_eq(program_script("echo 'yes no such event | head -c 3000000 >&2; exit 129' >behave"), 0);
	cr_expect_eq(pcieval("watch " LOCAL), 3);
	expect_output("(more is left out)\npcieval: --target local: perf ended with exit status 129");
	cr_expect_lt(strlen(output), 1100000);
}

Test(watch_perf, a_machine_without_perf)
{
	cr_assert_eq(
		program_script("rm tools/perf; ln -s $(command -v sh) tools/sh; PATH=$PWD/tools $pcieval watch " LOCAL
			       ">out 2>&1; s=$?; cat out; exit $s"),
		3);
	expect_output("--target local: expected perf there, got none; its package is linux-perf (Debian)");
}

/* A list without end, and a shell that exits at once. */
Test(watch_perf, a_shell_that_is_none)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\nexec yes event\n' >tools/sh; chmod +x tools/sh"), 0);
	cr_expect_eq(pcieval("watch " LOCAL), 3);
	expect_output("--target local: the list of events did not end within 30 s and 16 MiB");
	cr_assert_eq(program_script("printf '#!/bin/sh\nexit 3\n' >tools/sh"), 0);
	cr_expect_eq(pcieval("watch " LOCAL), 3);
	expect_output("--target local: sh ended with exit status 3");
}

Test(watch_command, help)
{
	program_expect_help("watch");
}
