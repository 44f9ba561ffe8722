/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval mps as a user runs it: output, exit statuses, refusals. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

TestSuite(mps, .init = program_set_up, .fini = program_tear_down, .timeout = 300);

#define D(name) DUMPS "/" name ".txt"
#define C(name) CASES "/" name ".txt"
#define L(name) LISTINGS "/" name ".txt"

static const struct program_row every_command[] = {
	{"@ " D("desktop"), 0, NULL, ""},
	{"@ - <" D("desktop"), 0, NULL, ""},
	{"@ --json " D("desktop"), 0, "[", ""},
	{"@ /nowhere", 2, "", "/nowhere: cannot be read: No such file or directory"},
	{"@ /etc/passwd", 2, "", "no dump of PCI functions: expected what 'lspci -vv' or 'lspci -xxxx' prints"},
	{"@ --sysfs /nowhere", 2, "",
	 "/nowhere/devices: No such file or directory; expected a folder like /sys/bus/pci"},
	{"@ --sysfs . " D("desktop"), 2, "", "a DUMP and --sysfs: expected one of them"},
	{"@ " D("desktop") " " D("ari"), 2, "", "expected at most one DUMP, got 2"},
	{"@ --jsonn", 2, "", "did you mean '--json'?"},
};

static const char *const commands[] = {"mps show", "mps check", "mps plan --policy safe"};

Test(mps, every_command_reads_dumps_and_refuses_what_is_none)
{
	for (size_t c = 0; c < ARRAY_SIZE(commands); c++)
		for (size_t i = 0; i < ARRAY_SIZE(every_command); i++)
			program_expect(&every_command[i], commands[c]);
}

static const struct program_row rows[] = {
	{"mps show " D("desktop"), 0,
	 " | +-00.0                   Legacy EP     256   256   512 8GT/s x16   16GT/s x16", ""},
	{"mps show " D("desktop"), 0, " +-1c.0-[02]                Root Port     128   128   512 2.5GT/s x1  5GT/s x1",
	 ""},
	{"mps show " D("mismatch"), 0, "Upstream      512   256!  512", ""},
	{"mps show " D("mismatch"), 0, "! 1 mismatch; see 'pcieval mps check'", ""},
	{"mps show " D("two-domains"), 0, "-[10000:e0]\n \\-06.0-[e1]", ""},
	{"mps show " D("not-as-root"), 3, NULL, "2 of 3 functions: less than 256 bytes"},
	{"mps show " D("not-as-root"), 3, NULL, "take the dump as root: lspci -xxxx"},
	{"mps show " D("mismatch"), 0,
	 "\n0000:03:00.0 1b36:000c Ethernet controller: Red Hat, Inc. QEMU PCIe Root port\n", ""},
	/* A function that was not judged is not fine. */
	{"mps show " C("01-endpoint-without-its-port"), 0, "\n1 function cannot be judged; see 'pcieval mps check'\n",
	 ""},
	{"mps show --json " C("01-endpoint-without-its-port"), 0, "\"mismatch\":null", ""},
	{"mps show --json " D("mismatch"), 0, "\"ids\":\"1b36:000c\"", ""},
	{"mps check " D("mismatch"), 1, "\n  0000:01:00.0 1b36:000c PCI bridge: Red Hat, Inc. QEMU PCIe Root port\n",
	 ""},
	/* One device, the bridges above it, and the functions below it. */
	{"mps show 07:00.0 " D("server-switches"), 0,
	 "-[0000:00]\n"
	 " \\-01.0-[01-08]             Root Port     512   128   512 16GT/s x16  16GT/s x16\n"
	 "   \\-00.0-[02-08]           Upstream ",
	 ""},
	{"mps show 0000:00:01.0 " D("mismatch"), 0, "       \\-00.0               Endpoint ", ""},
	{"mps show " C("24-mrrs-128") " 01:00.0", 0, "\n0000:01:00.0: MRRS 128 costs reads", ""},
	{"mps show 0b:00.0 " D("mismatch"), 2, "", "0b:00.0: no such function; 'pcieval mps show' lists them"},
	{"mps check " D("desktop"), 0, "11 functions: no mismatch", ""},
	{"mps check " D("perf-booted"), 0, "no mismatch", ""},
	{"mps check --peer2peer " D("perf-booted"), 0, "no mismatch", ""},
	{"mps check " D("mismatch"), 1,
	 "0000:03:00.0 writes up to 512 bytes, 0000:01:00.0 takes 256: Malformed TLP\n"
	 "  way: 0000:03:00.0 -> 0000:02:00.0 -> 0000:01:00.0\n"
	 "  cure: lower 0000:03:00.0 to 256, as default, safe and perf do; or lower\n",
	 ""},
	{"mps check --json " D("mismatch"), 1, "\"payload\":512", ""},
	{"mps check " D("not-as-root"), 2, "", "2 cannot"},
	{"mps check " D("no-answer"), 2, "", "1 cannot"},
	{"mps plan " D("desktop"), 2, "", "expected --policy tune_off, default, safe, perf or peer2peer"},
	{"mps plan --policy saef " D("desktop"), 2, "", "got 'saef'; did you mean 'safe'?"},
	{"mps plan --policy perf " D("not-as-root"), 3, "", "take the dump as root"},
	{"mps plan --policy perf " D("server-switches"), 0,
	 "* 0000:04:00.0 Endpoint    128 -> 256  512 -> 256  3.32 -> 3.60   3.41 -> 3.65", ""},
	{"mps plan --policy perf " D("server-switches"), 0, "11 of 11 functions change under perf\n", ""},
	{"mps plan --policy performance " D("server-switches"), 0, "11 of 11 functions change under perf\n", ""},
	{"mps plan --policy default " D("desktop"), 0, "give the firmware's by --initial", ""},
	{"mps plan --policy default --initial " D("desktop") " " D("desktop"), 0,
	 "0 of 8 functions change under default\n", ""},
	{"mps plan --policy default --initial /nowhere " D("desktop"), 2, "", "--initial: "},
	{"mps plan --policy perf " D("reserved"), 3, "    MPS 16384 is refused: a reserved size\n",
	 "cannot judge 0000:02:00.0: its type is impossible below a PCIe port"},
	{"mps plan --policy default " D("two-domains"), 0, " ~0000:01:00.0  Endpoint    256         512 ", ""},
	{"mps plan --all " C("12-default-cannot-mend"), 0,
	 "function     type         now tune_off default safe perf peer2peer MRRS perf\n"
	 "0000:00:00.0 Root Port    256      256     256  128  256       128  512  256\n",
	 ""},
	{"mps plan --all " C("12-default-cannot-mend"), 0,
	 "functions that change                 0       0    3    4         3\n"
	 "mismatches that remain                1       1    0    0         0\n"
	 "with writes to peers                  1       1    0    0         0\n"
	 "senders across Root Ports             0       0    0    0         0\n"
	 "0000:00:00.0: 128 because of 0000:03:00.0, MPSS 128 (and ",
	 ""},
	{"mps plan --all " D("server-switches"), 0,
	 "0000:00:01.0: 256 because of 0000:04:00.0, MPSS 256 (and 6 more)\n"
	 "perf: 0000:07:00.0: 256 because of 0000:06:00.0, MPSS 256\n"
	 "default: 0000:00:01.0: 128, as firmware left it (and 10 more)\n",
	 ""},
	{"mps plan --policy perf " D("server-switches"), 0, "\n0000:07:00.0: 256 because of 0000:06:00.0, MPSS 256\n",
	 ""},
	{"mps plan --json --policy perf " D("server-switches"), 0,
	 "\"limit\":\"mpss\",\n    \"limited_by\":\"0000:06:00.0\"", ""},
	{"mps plan --json --policy peer2peer " D("server-switches"), 0, "\"limit\":\"policy\"", ""},
	{"mps plan --all " D("desktop"), 0, "senders across Root Ports             3       3    3    3         0\n",
	 ""},
	{"mps plan --policy perf --peer2peer " D("server-switches"), 0,
	 "0000:03:00.0 writes to peers up to 512 bytes, 0000:04:00.0 takes 256: Malformed\n"
	 "    TLP; peers: 0000:04:00.0\n",
	 ""},
	{"mps plan --policy safe --peer2peer " D("desktop"), 0,
	 "    another Root Port: Malformed TLP, unless the Root Complex splits or refuses\n"
	 "    them; peers: 0000:02:00.0\n"
	 "devices that send too much to a peer: 0 below their Root Port, 3 below another\n",
	 ""},
	{"mps plan --policy perf --peer2peer --json " D("server-switches"), 0,
	 "\"at\":\"0000:05:00.0\",\n        \"payload\":512,\n        \"limit\":256,\n"
	 "        \"root_complex\":false,\n        \"fine_if_split\":false\n",
	 ""},
	{"mps plan --all --peer2peer " D("desktop"), 2, "", "--peer2peer: expected --policy with it"},
	{"mps plan --all " D("desktop"), 0,
	 "tune_off and default start from the present values, or those of --initial.\n", ""},
	{"mps plan --all --json " C("12-default-cannot-mend"), 0, "\"peer2peer\":{", ""},
	{"mps plan --all --policy safe " D("desktop"), 2, "", "--all and --policy: expected one of them"},
	{"mps plan --policy safe " D("hotplug-slots"), 0,
	 "0000:00:01.0: 128 because of 0000:02:00.0, a hot-plug port (and 4 more)\n", ""},
	{"mps plan --policy default " D("hotplug-slots"), 0, "\n0000:00:02.0: 256 because of 0000:05:00.0, MPSS 256\n",
	 ""},
	/* With the pending change of Linux, Root Ports at 128 get their MPSS under default, and devices follow. */
	{"mps plan --policy default " C("19-safe-26-functions"), 0, "0 of 26 functions change under default\n", ""},
	{"mps plan --policy default --root-ports-at-mpss " C("19-safe-26-functions"), 0,
	 "* 0000:00:01.3 Root Port   128 -> 512 ", ""},
	{"mps plan --policy tune_off --root-ports-at-mpss " C("19-safe-26-functions"), 0, "0 of 26 functions change",
	 ""},
	{"mps plan --policy safe " D("desktop"), 0, "MRRS: safe leaves it alone", ""},
	{"mps plan --json --policy perf " D("server-switches"), 0, "\"new_mps\":256", ""},
	{"mps diff " D("mismatch") " " D("mismatch"), 0, "5 functions: no difference\n", ""},
	{"mps diff " C("16-dma-reads-never-complete") " " C("21-lspci-vvv-text"), 0, "4 functions: no difference\n",
	 ""},
	{"mps diff " D("desktop") " " D("mismatch"), 1, "0000:00:14.0 function: there -> gone\n", ""},
	{"mps diff " D("desktop") " " D("mismatch"), 1, "0000:01:00.0 MPSS: 256 -> 512\n", ""},
	{"mps diff " D("mismatch") " " D("desktop"), 1, "0000:00:14.0 function: not there -> new\n", ""},
	{"mps diff --json " D("mismatch") " " D("desktop"), 1, "\"after\":\"new\"", ""},
	{"mps diff", 2, "", "expected two dumps, or one file with two, got 0"},
	{"mps diff " D("mismatch"), 2, "", "one listing: expected two in one file, or two files"},
	{"mps diff -", 2, "", "two listings on standard input: expected a file"},
	{"mps diff " D("not-as-root") " " D("not-as-root"), 2, "", "2 of 3 functions: less than 256 bytes"},
	/* The first is a function that only one of them has: an unknown type is no difference. */
	{"mps diff --json " D("not-as-root") " " D("mismatch"), 1, "[\n  {\n    \"bdf\":\"0000:02:00.0\"",
	 D("not-as-root") ": 2 of 3 functions: less than "},
	{"mps diff " D("mismatch") " " D("not-as-root"), 1, NULL, D("not-as-root") ": 2 of 3 functions: less than "},
	{"mps check " L("nvme-half-speed"), 0,
	 "0000:01:00.0: the links below it carry 5.91 GB/s together, its own 3.94: devices\n"
	 "    share it; all at once they write at most 3.60 GB/s and read 3.65\n"
	 "0000:04:00.0: its link runs at 8GT/s x2, and both ends can 8GT/s x4\n",
	 ""},
	{"mps show --json " L("nvme-half-speed"), 0, "\"write_together_bytes_per_s\":3600879120,", ""},
	{"mps show --json " D("server-switches"), 0,
	 "\"uplink\":{\n      \"devices\":3,\n      \"link_bytes_per_s\":31507692307,\n"
	 "      \"links_below_bytes_per_s\":23630769230,",
	 ""},
	{"mps check --html - " L("nvme-half-speed"), 0,
	 "uplink       devices    link   below     writes   alone      reads   alone\n"
	 "0000:01:00.0       2    3.94    5.91!      3.60    5.40       3.65    5.48\n",
	 ""},
	{"mps check --html - " D("mismatch"), 1, "<h1>", ""},
	{"mps check --html page " D("desktop"), 0, "no mismatch\n", ""},
	{"mps check --html /nowhere/page " D("desktop"), 2, "", "--html: /nowhere/page: cannot be written"},
	{"mps check --json --html - " D("desktop"), 2, "", "both on standard output"},
	{"bench mps", 0, "a machine of 2000 functions", ""},
	{"bench mps", 0, "the text of 4000 functions\n", ""},
	{"bench mps twice", 2, "", "expected nothing behind mps, got 'twice'"},
	{"mps", 2, "", "mps: expected a command"},
	{"mps shwo", 2, "", "there is no command 'shwo'; did you mean 'show'?"},
};

/* Dumps from users, and the right answers (framework/mps/tests/cases). */
static const struct program_row cases[] = {
	{"mps check " C("01-endpoint-without-its-port"), 2, "",
	 "cannot judge 0000:01:00.0: the port above it is not in the dump"},
	{"mps check " C("03-listing-then-hex"), 0, "2 functions: no mismatch\n", ""},
	{"mps check " C("06-mail-with-cc"), 0, "2 functions: no mismatch\n", ""},
	{"mps check " C("08-quoted"), 0, "2 functions: no mismatch\n", ""},
	{"mps check " C("10-byte-order-mark"), 0, "2 functions: no mismatch\n", ""},
	{"mps check " C("11-ari-256-bytes"), 2, "", "whether function 0 decides (ARI) cannot be seen in 256 bytes"},
	{"mps check " C("11-ari-4096-bytes"), 0, "3 functions: no mismatch\n", ""},
	{"mps plan --policy default " C("12-default-cannot-mend"), 0, "MPS 256 is refused: above the MPSS, 128", ""},
	{"mps plan --policy default " C("12-default-cannot-mend"), 0, "\n1 mismatch remains under default:\n", ""},
	{"mps plan --json --policy default " C("12-default-cannot-mend"), 0, "\"new_mismatch\":true", ""},
	{"mps check " C("12-default-cannot-mend"), 1, "  cure: lower 0000:00:00.0 to 128, as safe and peer2peer do;",
	 ""},
	{"mps plan --policy perf " C("14-mrrs-with-32-tags"), 0,
	 "    in flight at most 8192 bytes (32 tags): covers 280 ns at 29.22 GB/s\n", ""},
	{"mps plan --policy perf --round-trip 500ns " C("14-mrrs-with-32-tags"), 0,
	 "4096 -> 256 28.81          29.22 -> 16.38\n"
	 "    in flight at most 8192 bytes (32 tags): 16.38 GB/s at a round trip of 500 ns\n",
	 ""},
	{"mps plan --policy perf --round-trip 0.5us " C("14-mrrs-with-32-tags"), 0, "29.22 -> 16.38\n", ""},
	{"mps plan --policy perf --round-trip 500 " C("14-mrrs-with-32-tags"), 2, "",
	 "--round-trip: expected a time from 1ns to 1000000us, got '500'"},
	{"mps check " C("15-malformed-tlp-logged"), 1,
	 "  evidence: AER of 0000:a8:10.0 has logged a Malformed TLP, a memory write of\n"
	 "    512 bytes by ab:00.0 (header log)\n"
	 "  cure: raise 0000:a8:10.0 to 512, as default, safe and perf do;",
	 ""},
	/* The header log contains the write, which is no evidence of the completion. */
	{"mps check " C("15-malformed-tlp-logged"), 1,
	 "  way: 0000:a6:00.0 -> 0000:a7:00.0 -> 0000:a8:10.0\n  cure: raise", ""},
	{"mps check " C("16-dma-reads-never-complete"), 1,
	 "  cure: lower 0000:00:00.0 to 128, as default, safe and peer2peer do; or set\n"
	 "    MRRS of 0000:01:00.0 to 128, as perf does; until then reads of 0000:01:00.0\n"
	 "    of more than 128 bytes never complete\n",
	 ""},
	{"mps check --json " C("16-dma-reads-never-complete"), 1,
	 "\"symptom\":\"reads of 0001:01:00.0 of more than 128 bytes never complete\"", ""},
	{"mps check " C("17-firmware-mps-above-mpss"), 1, "1 mismatch\n", ""},
	{"mps plan --policy default " C("17-firmware-mps-above-mpss"), 0, "* 0000:00:13.2 Root Port   256 -> 128", ""},
	{"mps plan --policy safe " C("17-firmware-mps-above-mpss"), 0, "* 0000:00:13.2 Root Port   256 -> 128", ""},
	{"mps check " C("20-passthrough-in-a-vm"), 2, "", "sizes of a device that is passed through are virtual"},
	{"mps plan --policy perf " C("20-passthrough-in-a-vm"), 3, NULL, "cannot judge 0000:01:00.0: this is a guest"},
	{"mps plan --all " C("20-passthrough-in-a-vm"), 3, NULL, "cannot judge 0000:01:00.0: this is a guest"},
	{"mps plan --all " C("11-ari-256-bytes"), 3,
	 "functions not judged                  2       0    0    0         0\n", NULL},
	{"mps plan --json --policy tune_off " C("11-ari-256-bytes"), 3, "\"new_mismatch\":null", NULL},
	{"mps plan --policy safe " C("01-endpoint-without-its-port"), 3, NULL,
	 "cannot judge 0000:01:00.0: the port above it is not in the dump"},
	{"mps set 01:00.0 mrrs=256 " C("11-ari-256-bytes"), 2, "", "cannot judge 0000:01:00.1: whether function 0"},
	{"mps check " C("21-lspci-vvv-text"), 1, "2 mismatches\n", ""},
	{"mps plan --policy safe " C("23-intel-5000-erratum"), 0,
	 "0000:00:02.0: Linux also clears bit 10 of 0x48 here: read completion\n", ""},
	{"mps check " C("24-mrrs-128"), 0,
	 "0000:01:00.0: MRRS 128 costs reads: at most 27.25 GB/s, 29.22 with 512; 4096\n"
	 "    bytes in flight with 32 tags\n",
	 ""},
	{"mps show --json " C("24-mrrs-128"), 0, "MRRS 128 costs reads", ""},
};

Test(mps, answers_what_people_ask_with_the_dumps_that_they_have)
{
	program_expect_all(cases, ARRAY_SIZE(cases));
}

/* 512 for 00:01.3 and all functions below it, 256 for all others, as in the kernel's log. */
Test(mps, plans_safe_as_a_kernel_did)
{
	cr_assert_eq(program_script("$pcieval mps plan --json --policy safe " C(
			     "19-safe-26-functions") " | tr -d ' ' | grep -c '\"new_mps\":512'"),
		     0, "%s", output);
	expect_output("11\n");
}

/* Without the name, which is that of the installed pci.ids. */
Test(mps, json_of_a_planned_function)
{
	cr_assert_eq(program_script("$pcieval mps plan --json --policy perf --peer2peer " D(
			     "server-switches") " | jq -c '.[5] | del(.name)'"),
		     0, "%s", output);
	expect_output(
		"{\"bdf\":\"0000:03:00.0\",\"parent\":\"0000:02:00.0\",\"type\":\"endpoint\",\"ids\":\"1b36:000c\","
		"\"class\":\"0200\",\"driver\":null,\"mpss\":512,\"mps\":128,\"mrrs\":512,\"new_mps\":512,"
		"\"new_mrrs\":512,\"refused_mps\":null,\"limit\":null,\"limited_by\":null,"
		"\"mps_depends_on_firmware\":false,\"mrrs_depends_on_firmware\":false,\"new_mismatch\":false,"
		"\"tags\":32,\"write_bytes_per_s\":13266396761,\"read_bytes_per_s\":13624948024,"
		"\"new_write_bytes_per_s\":15048450057,\"new_read_bytes_per_s\":15161596298,\"peers\":["
		"{\"to\":[\"0000:04:00.0\"],\"at\":\"0000:04:00.0\",\"payload\":512,\"limit\":256,"
		"\"root_complex\":false,\"fine_if_split\":false},"
		"{\"to\":[\"0000:07:00.0\"],\"at\":\"0000:05:00.0\",\"payload\":512,\"limit\":256,"
		"\"root_complex\":false,\"fine_if_split\":false}]}\n");
}

static const struct program_row listings[] = {
	{"mps check " L("lspci-2.2"), 1,
	 "  cure: lower 0000:00:01.0 to 128, as default, safe and peer2peer do; or set\n", ""},
	{"mps check " L("lspci-2.2"), 1,
	 "0000:01:00.0: its link runs at 2.5GT/s x8, and both ends can 2.5GT/s x16\n1 mismatch\n", ""},
	{"mps plan --policy safe " L("lspci-2.2"), 0, "* 0000:00:01.0 Root Port   256 -> 128", ""},
	{"mps check " L("lspci-3.1-mail"), 1,
	 "0000:00:1c.0 completes with up to 256 bytes, 0000:01:00.0 takes 128: Malformed\n", ""},
	{"mps show " L("lspci-3.1-mail"), 0, "   \\-00.0-[02]              PCIe-to-PCI   256   128!  512", ""},
	{"mps check " L("nic-reads-fail"), 1,
	 "  evidence: AER of 0000:65:00.0 has logged a Malformed TLP, a completion of", ""},
};

Test(mps, reads_listings_of_any_age)
{
	program_expect_all(listings, ARRAY_SIZE(listings));
}

/* One file with two listings: diff compares them, every other command refuses it. */
Test(mps, two_listings_in_one_file_are_compared)
{
	cr_expect_eq(program_script("sed 's/MaxPayload 256/MaxPayload 512/' " L(
			     "nic-reads-fail") " >after\n"
					       "cat " L("nic-reads-fail") " after >both\n$pcieval mps diff both; test "
									  "$? = 1"),
		     0, "%s", output);
	expect_output("0000:65:00.0 MPS: 256 -> 512\n");
	cr_expect_eq(program_script("$pcieval mps check both; test $? = 2"), 0, "%s", output);
	expect_output("'pcieval mps diff FILE' compares two");
	cr_expect_eq(program_script("cat " D("desktop") " " D("desktop") " >both\n$pcieval mps diff both"), 0, "%s",
		     output);
	expect_output("11 functions: no difference\n");
}

/* The text contains everything that the bytes of the same machine contain, except ids and class. */
Test(mps, text_of_lspci_is_as_good_as_its_bytes)
{
	cr_expect_eq(
		program_script(
			"for c in 'show --json' check 'plan --policy default'; do\n"
			"$pcieval mps $c " C(
				"16-dma-reads-never-complete") " | grep -v -e ids -e class -e QEMU -e PCI-PCI >bytes\n"
							       "$pcieval mps $c " C(
								       "21-lspci-vvv-text") " | grep -v -e ids -e "
											    "class -e QEMU >text; "
											    "cmp bytes text || "
											    "exit 1; done"),
		0, "%s", output);
}

Test(mps, says_what_it_finds_and_by_its_exit_status)
{
	program_expect_all(rows, ARRAY_SIZE(rows));
}

Test(mps, lines_fit_a_terminal_of_80_columns)
{
	program_expect_help("mps");
	program_expect_help("mps show");
	program_expect_help("mps plan");
	program_expect_help("mps check");
	cr_expect_eq(
		program_script(
			"for d in " DUMPS "/*.txt; do for c in show check 'plan --all' 'plan --policy perf'; do\n"
			"$pcieval mps $c $d; done; done 2>/dev/null | awk 'length > 80' | grep . && exit 1 || exit 0"),
		0, "%s", output);
}

/* The output of show --json is accepted as the firmware's values. */
Test(mps, plans_from_an_earlier_show)
{
	cr_assert_eq(program_script("$pcieval mps show --json " D(
			     "perf-booted") " >was.json\n"
					    "$pcieval mps plan --policy tune_off --initial was.json " D("perf-booted")),
		     0, "%s", output);
	expect_output("0 of 6 functions change under tune_off");
}

/* The tree of files is also readable by lspci. */
Test(mps, reads_a_tree_laid_out_as_sysfs)
{
	cr_assert_eq(
		program_script("mkdir -p t/devices/0000:00:00.0; head -c 256 /dev/zero >t/devices/0000:00:00.0/config\n"
			       "$pcieval mps show --sysfs t && $pcieval mps check --sysfs t"),
		0, "%s", output);
	expect_output("1 function: no mismatch");
}

Test(mps, tells_a_heading_without_registers_from_bytes_that_are_missing)
{
	cr_expect_eq(program_script("{ cat " D("desktop") "; echo; echo '00:1f.0 ISA bridge: Example'; } | "
							  "$pcieval mps check -"),
		     2, "%s", output);
	expect_output("standard input: 1 of 12 functions: only a heading, without registers; take it whole");
}

/* ---- apply and restore ---- */

/* A tree with a Root Port and a device of MPSS 256, set to 128; a copy of all bytes is in `before`. */
static const char make_tree[] =
	"rm -rf t before; conf() { mkdir -p t/devices/$1; head -c 256 /dev/zero >t/devices/$1/config; }\n"
	"put() { printf \"$3\" | dd of=t/devices/$1/config bs=1 seek=$(($2)) conv=notrunc status=none; }\n"
	"for f in 0000:00:01.0 0000:01:00.0; do conf $f\n"
	"put $f 0 '\\066\\033\\014\\000\\006\\000\\020\\000'; put $f 0x34 '\\100'\n"
	"put $f 0x40 '\\020\\000\\002\\000\\001\\000\\000\\000\\000\\040'; done\n"
	"put 0000:00:01.0 0x42 '\\102'; put 0000:00:01.0 0xe '\\001'; put 0000:00:01.0 0x18 '\\000\\001\\001'\n"
	"cp -r t/devices before\n";

static void script(const char *lines, int status)
{
	_autofree_ char *whole = NULL;

	cr_assert(asprintf(&whole, "%s%s", make_tree, lines) > 0);
	cr_expect_eq(program_script(whole), status, "%s", output);
}

Test(mps, apply_writes_nothing_without_yes)
{
	script("$pcieval mps apply --sysfs t --policy safe && diff -r t/devices before && test ! -e t/mps.journal", 0);
	expect_output("0000:01:00.0  MPS 128 -> 256  MRRS 512\n");
	expect_output("stopped meanwhile: 0000:01:00.0\n");
	expect_output("2 functions would be written; nothing was, --yes writes\n");
	script("$pcieval mps apply --sysfs t --policy safe --yes --dry-run && diff -r t/devices before", 0);
}

Test(mps, apply_writes_and_restore_puts_back)
{
	script("$pcieval mps apply --sysfs t --policy safe --yes && $pcieval mps show --sysfs t", 0);
	expect_output("2 functions written; 'pcieval mps restore' puts back what was before\n");
	expect_output("Endpoint      256   256   512");
	cr_expect_eq(program_script("$pcieval mps restore --sysfs t"), 0);
	expect_output("0000:01:00.0  MPS 128  MRRS 512\n");
	expect_output("to be restored; nothing was written, use --yes\n");
	cr_expect_eq(program_script("$pcieval mps apply --sysfs t --policy safe --yes"), 0);
	expect_output("2 functions: nothing to change for safe\n");
	cr_expect_eq(program_script("$pcieval mps restore --sysfs t --yes && diff -r t/devices before && $pcieval mps "
				    "restore --sysfs t"),
		     0, "%s", output);
	expect_output("all old values are restored\n");
	expect_output("t/mps.journal: no journal, nothing to restore\n");
}

/* A function that reads all ones in the tree of make_tree. */
#define GONE(name) "mkdir t/devices/" name "; head -c 256 /dev/zero | tr '\\0' '\\377' >t/devices/" name "/config\n"

/* Bytes that are not read may hold any size: a raised port could then send more than this device takes. */
Test(mps, apply_refuses_where_a_function_cannot_be_judged_unless_it_is_forced)
{
	script(GONE("0000:01:00.1") "rm -r before; cp -r t/devices before\n"
				    "$pcieval mps apply --sysfs t --policy safe --yes; test $? = 3 && diff -r "
				    "t/devices "
				    "before && test ! -e t/mps.journal",
	       0);
	expect_output("0000:01:00.0  MPS 128 -> 256  MRRS 512\n");
	expect_output("cannot judge 0000:01:00.1: it does not answer\n");
	expect_output("nothing was written; --force writes\n");
	script(GONE("0000:01:00.1") "$pcieval mps apply --sysfs t --policy safe; test $? = 3", 0);
	script(GONE("0000:01:00.1") "$pcieval mps apply --sysfs t --policy safe --yes --force", 0);
	expect_output("warning: 0000:01:00.1 does not answer and is skipped");
	expect_output("2 functions written;");
}

Test(mps, apply_writes_where_a_function_that_cannot_be_judged_is_below_another_port)
{
	script(GONE("0000:05:00.0") "$pcieval mps apply --sysfs t --policy safe --yes", 0);
	expect_output("warning: 0000:05:00.0 does not answer and is skipped");
	expect_output("2 functions written;");
	script(GONE("0000:01:00.1") "put 0000:00:01.0 0x48 '\\040'; put 0000:01:00.0 0x48 '\\040'\n"
				    "$pcieval mps apply --sysfs t --policy safe --yes",
	       0);
	expect_output("nothing to change for safe\n");
}

Test(mps, apply_live_warns)
{
	script("$pcieval mps apply --sysfs t --policy safe --yes --live", 0);
	expect_output("warning: --live: TLPs that are on their way while sizes change may be malformed");
}

Test(mps, apply_refuses_dumps_and_journals_that_are_none)
{
	static const struct program_row refused[] = {
		{"mps apply --policy safe " D("desktop"), 2, "", "a dump cannot be written to"},
		{"mps apply", 2, "", "mps apply: expected --policy"},
		{"mps restore " D("desktop"), 2, "", "expected no argument"},
		{"mps apply --sysfs /nowhere --policy safe", 2, "", "/nowhere/devices"},
	};

	program_expect_all(refused, ARRAY_SIZE(refused));
	program_expect_help("mps apply");
	program_expect_help("mps restore");
	script("echo hello >t/mps.journal; $pcieval mps apply --sysfs t --policy safe --yes; test $? = 1 && diff -r "
	       "t/devices before",
	       0);
	expect_output("t/mps.journal:1: expected the boot ID that a journal begins with");
}

Test(mps, restore_puts_back_what_the_undamaged_lines_say)
{
	static const char damaged[] =
		"t/mps.journal:6: expected a line of pcieval mps, got another one (1 in all); look "
		"at it and remove the journal";

	script("$pcieval mps apply --sysfs t --policy safe --yes && echo hello >>t/mps.journal; $pcieval mps restore "
	       "--sysfs t",
	       1);
	expect_output("0000:01:00.0  MPS 128  MRRS 512\nto be restored; nothing was written, use --yes\n");
	expect_output(damaged);
	cr_expect_eq(program_script("$pcieval mps restore --sysfs t --yes"), 1);
	expect_output(damaged);
	cr_expect_eq(program_script("diff -r t/devices before && sed -i '2,$s/.*/hello/' t/mps.journal"), 0);
	cr_expect_eq(program_script("$pcieval mps restore --sysfs t"), 1);
	expect_output("t/mps.journal:2: expected a line of pcieval mps");
}

/* The program is killed at any moment: the machine is unchanged, or restore leads back to the start. */
Test(mps, restore_leads_back_after_50_kills_of_the_program)
{
	script("kills=0\n"
	       "for i in $(seq 50); do\n"
	       "  $pcieval mps apply --sysfs t --policy safe --yes >out 2>&1 & pid=$!\n"
	       "  sleep 0.0$((i % 10))$((i * 7 % 10)); kill -9 $pid 2>/dev/null && kills=$((kills + 1)); wait $pid "
	       "2>/dev/null\n"
	       "  $pcieval mps restore --sysfs t --yes >out 2>&1 || { cat out; exit 1; }\n"
	       "  diff -r t/devices before || exit 1\n"
	       "done; echo $kills kills",
	       0);
}

/* ---- set ---- */

static const struct program_row sets[] = {
	/* The exit status is that of check: 0: no mismatch, 1: mismatches, 2: not judged. */
	{"mps set 03:00.0 mps=256 " D("mismatch"), 0,
	 "* 0000:03:00.0 Endpoint    512 -> 256  512         15.05 -> 14.40 14.61\n"
	 "mended: writes of 0000:03:00.0 of more than 256 bytes are lost\n"
	 "no mismatch\n",
	 ""},
	{"mps set 03:00.0 mrrs=4096 " D("mismatch"), 1, "1 mismatch remains; see 'pcieval mps check'\n", ""},
	{"mps set 03:00.0 mrrs=4096 --round-trip 2us " D("mismatch"), 1, "8.19 -> 14.61\n", ""},
	{"mps set " D("server-switches") " 07:00.0 mps=512", 1,
	 "1 mismatch would be new:\n0000:07:00.0 writes up to 512 bytes, 0000:06:00.0 takes 128: Malformed TLP\n", ""},
	{"mps set " D("server-switches") " 07:00.0 mps=512", 1,
	 "  cure: lower 0000:07:00.0 to 128, as default and peer2peer do; or lower\n", ""},
	/* Sizes that are set together are checked together. */
	{"mps set 0000:00:01.0 mps=256 01:00.0 mps=256 mrrs=1024 " D("mismatch"), 1, "1 mismatch remains", ""},
	{"mps set 03:00.0 mps=256 02:00.0 mps=256 " D("mismatch"), 0, "no mismatch\n", ""},
	/* A log of the mended mismatch is no new remark. */
	{"mps set 65:00.0 mps=512 " L("nic-reads-fail"), 0,
	 "15.16\nmended: reads of 0000:65:00.0 of more than 256 bytes never complete\nno mismatch\n", ""},
	{"mps set 65:00.0 mrrs=256 --round-trip 800ns " L("nic-reads-fail"), 0,
	 "    in flight at most 65536 bytes (256 tags): 14.61 GB/s at a round trip of 800\n    ns\n", ""},
	{"mps set --json 03:00.0 mps=256 " D("mismatch"), 0, "\"mended\":[\n    {", ""},
	{"mps set 03:00.0 mrrs=512 " D("not-as-root"), 2, "", NULL},
	{"mps set 01:00.0 mrrs=512 " C("01-endpoint-without-its-port"), 2, "",
	 "cannot judge 0000:01:00.0: the port above it is not in the dump"},
	{"mps set 24:00.0 mrrs=256 " C("24-mrrs-128"), 2, "", "24:00.0: no such function"},
	{"mps set 01:00.0 mrrs=128 " C("16-dma-reads-never-complete"), 1,
	 "0000:01:00.0: MRRS 128 costs reads: at most ", ""},
	{"mps set 01:00.1 mps=256 " D("ari"), 2, "",
	 "function 0 decides the MPS of an ARI device: set that of 0000:01:00.0"},
	{"mps set 01:02.0 mps=256 " D("sriov"), 2, "", "a VF has the sizes of its PF, 0000:01:00.0"},
	{"mps set 01:00.0 mrrs=4096 " D("two-roots"), 2, "",
	 "its host bridge takes no MRRS larger than firmware's, 128"},
	{"mps set 01:00.0 mrrs=512 " D("no-answer"), 2, "", "0000:01:00.0: it does not answer"},
	{"mps set 00:14.0 mrrs=512 " D("desktop"), 2, "", "its MPS and MRRS are not known, or it has none"},
	{"mps set 01:00.0 mps=512 " D("desktop"), 2, "", "0000:01:00.0: MPS 512 is above its MPSS, 256"},
	{"mps set 01:00.0 mps=300 " D("desktop"), 2, "", "mps=300: expected 128, 256, 512, 1024, 2048 or 4096 bytes"},
	{"mps set 01:00.0 mrrs=8192 " D("desktop"), 2, "", "mrrs=8192: expected 128"},
	{"mps set 01:00.0 mrrs=64 " D("desktop"), 2, "", "mrrs=64: expected 128"},
	{"mps set 01:00.0 mrrs= " D("desktop"), 2, "", "mrrs=: expected 128"},
	{"mps set mrrs=512 01:00.0 " D("desktop"), 2, "", "expected a FUNCTION before 'mrrs=512'"},
	{"mps set 01:00.0 " D("desktop"), 2, "", "01:00.0: expected mps=BYTES or mrrs=BYTES after it"},
	{"mps set " D("desktop"), 2, "", "expected a FUNCTION and mps=BYTES or mrrs=BYTES"},
	{"mps set 01:00.0 mrrs=512 " D("desktop") " " D("ari"), 2, "", "or one DUMP, got '"},
	{"mps set 01:00.0 mrrs=512 --yes " D("desktop"), 2, "", "a DUMP is only tried"},
	{"mps set 01:00.0 mrrs=512 --force " D("desktop"), 2, "", "a DUMP is only tried"},
	{"mps set 01:00.0 mrrs=512 --json --yes --sysfs t", 2, "", "--json and --yes: expected one of them"},
	{"mps set 01:00.0 mrrs=512 /nowhere", 2, "", "/nowhere: cannot be read"},
};

Test(mps, set_tries_sizes_on_a_dump_and_refuses_impossible_ones)
{
	program_expect_all(sets, ARRAY_SIZE(sets));
	program_expect_help("mps set");
}

Test(mps, set_writes_and_restore_puts_back)
{
	script("$pcieval mps set 01:00.0 mrrs=4096 --sysfs t && diff -r t/devices before && test ! -e t/mps.journal",
	       0);
	expect_output("* 0000:01:00.0 Endpoint    128         512 -> 4096 -              -\n"
		      "no mismatch\n"
		      "stopped meanwhile: 0000:01:00.0\n"
		      "1 function would be written; nothing was, --yes writes\n");
	script("$pcieval mps set 01:00.0 mrrs=4096 --sysfs t --yes && $pcieval mps show --sysfs t", 0);
	expect_output("1 function written; 'pcieval mps restore' puts back what was before\n");
	expect_output("Endpoint      256   128  4096");
	cr_expect_eq(program_script("$pcieval mps restore --sysfs t --yes && diff -r t/devices before"), 0, "%s",
		     output);
	script("$pcieval mps set 01:00.0 mrrs=512 --sysfs t --yes && diff -r t/devices before", 0);
	expect_output("2 functions: nothing to change\n");
}

Test(mps, set_refuses_to_cause_a_mismatch_unless_it_is_forced)
{
	script("$pcieval mps set 01:00.0 mps=256 --sysfs t --yes; test $? = 1 && diff -r t/devices before && "
	       "test ! -e t/mps.journal",
	       0);
	expect_output("1 mismatch would be new: nothing was written; set what a cure names as well, or give --force");
	script("$pcieval mps set 01:00.0 mps=256 00:01.0 mps=256 --sysfs t --yes && $pcieval mps check --sysfs t", 0);
	expect_output("2 functions: no mismatch\n");
	script("$pcieval mps set 01:00.0 mps=256 --sysfs t --yes --force; $pcieval mps check --sysfs t; test $? = 1",
	       0);
	expect_output("0000:01:00.0 writes up to 256 bytes, 0000:00:01.0 takes 128: Malformed TLP\n");
	/* An MPS affects all functions below: the machine's copy has its old size again. */
	script("$pcieval mps set 00:01.0 mps=256 --sysfs t --force", 0);
	expect_output("stopped meanwhile: 0000:01:00.0\n");
}

Test(mps, set_refuses_where_a_function_below_cannot_be_judged_unless_it_is_forced)
{
	script(GONE("0000:01:00.1") "$pcieval mps set 00:01.0 mps=256 01:00.0 mps=256 --sysfs t --yes; test $? = 3", 0);
	expect_output("cannot judge 0000:01:00.1: it does not answer\n");
	script(GONE("0000:01:00.1") "$pcieval mps set 00:01.0 mps=256 01:00.0 mps=256 --sysfs t --yes --force", 0);
	expect_output("2 functions written;");
	/* An MRRS affects its own function only. */
	script(GONE("0000:01:00.1") "$pcieval mps set 01:00.0 mrrs=256 --sysfs t --yes", 0);
	expect_output("1 function written;");
}
