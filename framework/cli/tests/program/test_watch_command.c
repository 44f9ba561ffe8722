/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval watch`, with what perf 6.12 wrote in a guest. */
#include <criterion/criterion.h>

#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

#define R(name) RECORDED "/" name ".txt"
#define RX	",,dwc_rootport_8/Rx_PCIe_TLP_Data_Payload/,1000,100.00,,"

static void set_up(void)
{
	program_set_up();
	cr_assert_eq(program_script("echo '1.0,7200000000" RX "' >link; echo fio-3.33 >fio; cat fio link >mixed"), 0);
}

TestSuite(watch_command, .init = set_up, .fini = program_tear_down);

static const struct program_row rows[] = {
	{"watch " R("payload"), 0, "     1.5 s  dwc_rootport_80  rx 1.02 MB/s  rx_memory_write 0/s\n", ""},
	{"watch --quiet " R("payload"), 0, "dwc_rootport_80: 14 intervals, 7.0 s\n  receives 219 kB/s on average", ""},
	{"watch - <" R("payload"), 0, "  d2h_req_rdcurr                    42.8/s         0/s       599/s   75 %", ""},
	{"watch <" R("one_cycle"), 0, "  one_cycle                        1000 ps", ""},
	{"watch " R("turns"), 0, "link states are in cycles: --cycle PS", ""},
	{"watch --cycle 1000 " R("turns"), 0, "     2.0 s  dwc_rootport_80  L0 64.7 %  L1 31.1 %\n", ""},
	/* 8 GT/s x16 with MPS 256 in the dump. */
	{"watch --machine " DESKTOP " link", 0,
	 "receives 7.20 GB/s on average, 7.20 GB/s at most: 50 and 50 % of the 14.4 GB/s that its link can carry", ""},
	{"watch --machine " DESKTOP " " R("payload"), 0, "2.05 MB/s at most\n", ""},
	{"watch mixed", 0, "left out: 1 lines that are not of perf stat -I -x\n", ""},
	{"watch fio", 2, "", "fio: expected lines of 'perf stat -I 1000 -x,', got none among"},
	{"watch </dev/null", 2, "", "standard input: expected lines of 'perf stat -I 1000 -x,', got none\n"},
	{"watch --html - " R("payload"), 0, "<!DOCTYPE html>", ""},
	{"watch --html /nowhere/page " R("payload"), 2, "", "--html: /nowhere/page: cannot be written"},
	{"watch nowhere", 2, "", "nowhere: No such file or directory"},
	{"watch .", 3, NULL, "reading it: Is a directory"},
	{"watch a b", 2, "", "watch: expected one FILE, got 2"},
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

/* Ctrl-C ends perf as well, which still writes its last interval. */
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
	expect_output("left out: 1 lines");
	expect_output("1 intervals");
}

Test(watch_command, help)
{
	program_expect_help("watch");
}
