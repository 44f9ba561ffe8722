/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval trace as a user or a CI job runs it: exit statuses, streams, rejected arguments, and outputs that are either
 * complete or absent. The contents of outputs are tested in framework/trace and framework/analysis.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

/*
 * Each test has a folder with good 8DW and 4DW payload, payload with a hole, a perf.data, an empty file, and a folder.
 * The 8DW payload has 8 records, each a MWr64 of 01:00.0 of 16 DW; the perf.data is made from it.
 */
static void set_up(void)
{
	program_set_up();
	cr_assert_eq(program_script("cp " CORPUS "/8dw 8dw.raw; cp " CORPUS "/4dw 4dw.raw\n"
				    "cp " CORPUS "/8dw-hole hole.raw; : >empty; mkdir folder\n"
				    "echo '<board name=\"b\" ptt-tick-hz=\"1000000\"/>' >with.xml\n"
				    "echo '<board name=\"b\"/>' >without.xml\n"
				    "$pcieval trace convert -o perf.data 8dw.raw"),
		     0, "%s", output);
}

TestSuite(trace, .init = set_up, .fini = program_tear_down, .timeout = 300);

/* ---- all commands ---- */

/* Each command, up to its input. */
static const char *const commands[] = {
	"trace decode", "trace dump", "trace stat", "trace diff 8dw.raw", "trace convert --to raw -o -",
};

static const struct program_row every_command[] = {
	{"@ 8dw.raw", 0, NULL, ""},
	{"@ - <8dw.raw", 0, NULL, ""},
	{"@ --where 'kind == MWr*' 8dw.raw", 0, NULL, ""},
	{"@ -- 8dw.raw", 0, NULL, ""},
	/* 1: damage */
	{"@ hole.raw", 1, NULL, "pcieval: hole.raw: 1 problem"},
	{"@ - <hole.raw", 1, NULL, "pcieval: standard input: 1 problem"},
	{"@ empty", 1, NULL, "the input is empty"},
	{"@ - </dev/null", 1, NULL, "pcieval: standard input: payload offset 0 (file 0): the input is empty"},
	{"@ /etc/passwd", 1, "",
	 "/etc/passwd: not a PTT trace: expected a perf.data or raw payload of PTT records, got text"},
	{"@ - </etc/passwd", 1, "", "standard input: not a PTT trace"},
	/* 2: a mistake on the command line, or a missing file */
	{"@ --frobnicate 8dw.raw", 2, "", "unknown option '--frobnicate'; see 'pcieval trace"},
	{"@ --wher x 8dw.raw", 2, "", "--where, character 1: there is no field 'x'"}, /* an abbreviation */
	{"@ --wheer x 8dw.raw", 2, "", "unknown option '--wheer'; did you mean '--where'?"},
	{"@ 8dw.raw --where", 2, "", "--where needs a value"},
	{"@ 8dw.raw -w", 2, "", "-w needs a value"},
	{"@ --where 'tag = 1' 8dw.raw", 2, "", "equality is '=='"},
	{"@ --where 'reqester == 1' 8dw.raw", 2, "", "did you mean 'requester'?"},
	{"@ absent", 2, "", "absent: No such file or directory"},
	{"@ 8dw.raw/absent", 2, "", "Not a directory"},
	{"@ ''", 2, "", "No such file or directory"},
	{"@ folder", 2, "", "folder: Is a directory"},
	{"@ - <folder", 2, "", "standard input: Is a directory"},
	{"@ 8dw.raw 8dw.raw 8dw.raw", 2, "", "expected"},
	{"@ 8dw.raw >>8dw.raw", 2, "", "8dw.raw: the input is also standard output"},
	/* 3: reading or writing failed */
	{"@ /proc/self/mem", 3, "", "/proc/self/mem: Input/output error"},
	{"@ - <&-", 3, "", "standard input: Bad file descriptor"},
	{"@ 8dw.raw >/dev/full", 3, "", "No space left on device"},
	{"@ hole.raw >/dev/full", 3, "", "No space left on device"},
	{"@ 8dw.raw >&-", 3, "", "Bad file descriptor"},
};

Test(trace, every_command_tells_by_its_exit_status_how_it_went)
{
	for (size_t c = 0; c < ARRAY_SIZE(commands); c++)
		for (size_t i = 0; i < ARRAY_SIZE(every_command); i++)
			program_expect(&every_command[i], commands[c]);
}

Test(trace, every_command_has_help_of_80_columns)
{
	static const char *const all[] = {"trace",	"trace decode", "trace dump",
					  "trace stat", "trace diff",	"trace convert"};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		program_expect_help(all[i]);
	cr_expect_eq(pcieval("help trace stat"), 0);
	expect_output("usage: pcieval trace stat [OPTION]...");
}

/* root may access everything, so this changes to user nobody. */
static void expect_denied(const char *arguments, const char *what)
{
	const char *nobody = geteuid() ? "" : "setpriv --reuid=65534 --regid=65534 --clear-groups";
	char script[256];

	snprintf(script, sizeof(script), "%s ./program %s", nobody, arguments);
	cr_expect_eq(program_script(script), 2, "%s: %s", script, output);
	expect_output(what);
}

Test(trace, a_file_that_may_not_be_read_is_2)
{
	cr_assert_eq(program_script("chmod 0 8dw.raw; chmod 755 .; cp \"$pcieval\" program; chmod 755 program"), 0);
	for (size_t c = 0; c < ARRAY_SIZE(commands); c++) {
		char arguments[128];
		const char *input = strstr(commands[c], "diff") ? "trace diff 4dw.raw" : commands[c];

		snprintf(arguments, sizeof(arguments), "%s 8dw.raw", input);
		expect_denied(arguments, "8dw.raw: Permission denied");
	}
}

/* The folder of the file would let it be replaced. */
Test(trace, an_output_that_may_not_be_written_is_2)
{
	cr_assert_eq(program_script("printf old >out; chmod 444 out; chmod 777 .\n"
				    "cp \"$pcieval\" program; chmod 755 program"),
		     0);
	expect_denied("trace convert --to raw -o out 8dw.raw", "--output: out: cannot be written: Permission denied");
	expect_denied("trace stat --html out 8dw.raw", "--html: out: cannot be written: Permission denied");
	cr_assert_eq(program_script("chmod 555 ."), 0);
	expect_denied("trace convert -o new.raw 8dw.raw", "--output: new.raw: cannot be written: Permission denied");
	cr_assert_eq(program_script("chmod 755 .; cat out"), 0);
	cr_expect_str_eq(output, "old");
}

/* ---- single commands ---- */

static const struct program_row own[] = {
	{"trace", 2, "", "trace: expected a command"},
	{"trace undo 8dw.raw", 2, "", "there is no command 'undo'; see"},
	{"trace decod 8dw.raw", 2, "", "there is no command 'decod'; did you mean 'decode'? Or see"},
	{"trace decode", 2, "", "trace decode: expected one FILE, or - for standard input, got 0"},
	{"trace decode --format xml 8dw.raw", 2, "", "--format: expected text, jsonl or csv, got 'xml'"},
	{"trace decode --format= 8dw.raw", 2, "", "--format: expected text, jsonl or csv, got ''"},
	{"trace decode -f csv 8dw.raw", 0, "offset,format,", ""},
	{"trace decode -f csv empty", 1, "offset,format,", "empty"},
	{"trace decode perf.data", 0, "MWr64", ""},
	{"trace decode - <perf.data", 0, "MWr64", ""},
	{"trace decode 8dw.raw 2>&-", 0, "MWr64", ""},
	{"trace decode hole.raw 2>&-", 1, "MWr64", ""},
	{"trace decode --format jsonl --where 'tag == 99' 8dw.raw", 0, "", ""},
	{"trace dump", 2, "", "expected one FILE"},
	{"trace dump --perf-compat=6.13 8dw.raw", 2, "", "--perf-compat: expected 6.12, got '6.13'"},
	{"trace dump --perf-compat=6.12 --where 'tag == 1' 8dw.raw", 2, "", "not together with --perf-compat"},
	{"trace dump --perf-compat=6.12 8dw.raw", 0, "HISI PTT data: size 256 bytes", ""},
	{"trace dump - <8dw.raw", 0, "HISI PTT data: size 256 bytes", ""},
	{"trace stat", 2, "", "expected one FILE"},
	{"trace stat --format csv 8dw.raw", 2, "", "--format: expected text or json, got 'csv'"},
	{"trace stat --range 3KiB 8dw.raw", 2, "", "--range: expected a power of two"},
	{"trace stat --mps many 8dw.raw", 2, "", "--mps: expected a number, got 'many'"},
	{"trace stat --html folder 8dw.raw", 2, "", "--html: folder: cannot be written: Is a directory"},
	{"trace stat --html absent/page 8dw.raw", 2, "", "--html: absent/page: cannot be written"},
	{"trace stat --per-requester 2 8dw.raw", 2, "", "--per-requester: expected --html with it"},
	{"trace stat --per-requester 17 --html page 8dw.raw", 2, "", "--per-requester: expected at most 16, got 17"},
	{"trace stat --per-requester 2 --html page - <8dw.raw", 0, "standard input: 8 records", ""},
	{"trace stat --own-scale --html page 8dw.raw", 2, "", "--own-scale: expected --per-requester with it"},
	{"trace stat --html 8dw.raw 8dw.raw", 2, "", "--html: '8dw.raw' is the input"},
	{"trace stat --html /dev/full 8dw.raw", 3, NULL, "--html: /dev/full: cannot be written: No space left"},
	{"trace stat --html - 8dw.raw", 0, "<!DOCTYPE html>", ""},
	{"trace report 8dw.raw", 0, "8dw.raw: 8 records", ""},
	{"trace report --html - 8dw.raw", 0, "<section id=\"findings\">", ""},
	{"trace report --html page 8dw.raw", 0, "", ""},
	{"trace report --html 8dw.raw 8dw.raw", 2, "", "--html: '8dw.raw' is the input"},
	{"trace report --html absent/page 8dw.raw", 2, "", "--html: absent/page: cannot be written"},
	{"trace report --html /dev/full 8dw.raw", 3, NULL, "--html: /dev/full: cannot be written: No space left"},
	{"trace report --machine absent 8dw.raw", 2, "", "--machine: absent: "},
	{"trace report --tick-hz 1e9 --rate 1GB/s 8dw.raw", 2, "", "--rate: expected without --tick-hz"},
	{"trace stat -f json 8dw.raw", 0, "{", ""},
	{"trace stat --time clock --tick-hz 1e9 8dw.raw", 0, " on average; most payload ", ""},
	{"trace stat --time clock --rate 1GB/s 8dw.raw", 0, "ticks a second, from --rate, 1.00 GB/s of payload\n", ""},
	{"trace stat --time clock --rate 1GB/s -f json 8dw.raw", 0, "\"how\":\"from --rate, 1.00 GB/s of payload\"",
	 ""},
	{"trace stat --time unknown --rate 1e9 8dw.raw", 0, "ticks a second: unknown: --rate needs times\n", ""},
	{"trace stat --time clock --rate 2MiB/s 8dw.raw", 0, "from --rate, 2.10 MB/s of payload", ""},
	{"trace stat --time clock --tick-hz with.xml 8dw.raw", 0,
	 "1e+06 ticks a second, as with.xml says (--tick-hz)\n", ""},
	{"trace report --time clock --tick-hz with.xml 8dw.raw", 0, "as with.xml says (--tick-hz)\n", ""},
	{"trace stat --tick-hz without.xml 8dw.raw", 2, "", "--tick-hz: without.xml: <board> has no ptt-tick-hz"},
	{"trace stat --tick-hz absent.xml 8dw.raw", 2, "", "--tick-hz: absent.xml"},
	{"trace stat --rate fast 8dw.raw", 2, "", "--rate: expected bytes per second as 12.3e9, 12.3GB/s or 11.5GiB/s"},
	{"trace stat --rate 1GB/h 8dw.raw", 2, "", "--rate: expected bytes per second"},
	{"trace stat --rate 1e9 --tick-hz 1e9 8dw.raw", 2, "", "--rate: expected without --tick-hz"},
	{"trace stat --machine " DESKTOP " 8dw.raw", 0, "\n0000:01:00.0 VGA compatible controller", ""},
	{"trace stat --machine " DESKTOP " 8dw.raw", 0, "(mps-unused)\n", ""},
	{"trace stat --machine " DESKTOP " -f json 8dw.raw", 0, "\"link\":\"8GT/s x16\"", ""},
	{"trace stat --machine " DESKTOP " -f json 8dw.raw", 0, "\"bdf\":\"0000:01:00.0\"", ""},
	{"trace stat --machine 8dw.raw 8dw.raw", 2, "", "--machine: 8dw.raw: "},
	{"trace stat --machine absent 8dw.raw", 2, "", "--machine: absent: cannot be read: No such file"},
	{"trace stat --tick-hz 0 8dw.raw", 2, "", "--tick-hz: expected ticks per second, 1 to 1e12, got '0'"},
	{"trace stat --tick-hz 1GHz 8dw.raw", 2, "", "--tick-hz: expected ticks per second, 1 to 1e12, got '1GHz'"},
	{"trace stat --tick-hz nan 8dw.raw", 2, "", "--tick-hz: expected ticks per second"},
	{"trace diff 8dw.raw", 2, "", "trace diff: expected two traces, got 1"},
	{"trace diff - - <8dw.raw", 2, "", "standard input is one trace, not two"},
	{"trace diff --ignore time,tog 8dw.raw 8dw.raw", 2, "", "--ignore: expected time, tag, address"},
	{"trace diff --limit x 8dw.raw 8dw.raw", 2, "", "--limit: expected a number, got 'x'"},
	{"trace diff 8dw.raw 8dw.raw", 0, "8 and 8 records: 8 the same", ""},
	{"trace diff - 8dw.raw <8dw.raw", 0, "8 the same", ""},
	{"trace diff perf.data 8dw.raw", 0, "8 the same", ""},
	{"trace diff 4dw.raw 8dw.raw", 1, "0 the same", ""},
	{"trace diff 8dw.raw empty", 1, "8 only in the first", "the input is empty"},
	{"trace diff absent 8dw.raw", 2, "", "absent: No such file"},
	{"trace diff 4dw.raw 8dw.raw >/dev/full", 3, "", "standard output: No space left on device"},
	{"trace convert 8dw.raw", 2, "", "--output: expected a file"},
	{"trace convert -o a.txt 8dw.raw", 2, "", "what to write is not told by the name of the output"},
	{"trace convert -o a.raw", 2, "", "expected one FILE"},
	{"trace convert --to zip -o a.raw 8dw.raw", 2, "",
	 "--to: expected perf.data, raw, pcapng, pcap, perfetto or perf-script, got 'zip'"},
	{"trace convert --to perf.data -o - 8dw.raw", 0, "PERFILE2", ""},
	{"trace convert --truncated 12z -o a.data 8dw.raw", 2, "", "--truncated: expected a number of bytes"},
	{"trace convert --truncated $(seq -s, 4096) -o a.data 8dw.raw", 0, "", ""},
	{"trace convert --truncated $(seq -s, 4097) -o a.data 8dw.raw", 2, "", "or up to 4096 in ascending order"},
	{"trace convert --truncated 64 -o a.data perf.data", 2, "", "--truncated: 'perf.data' is a perf.data"},
	{"trace convert --config 0x8 -o a.data 8dw.raw", 0, "", ""},
	{"trace convert --config 12z -o a.data 8dw.raw", 2, "", "--config: expected a hexadecimal number"},
	{"trace convert --config -1 -o a.data 8dw.raw", 2, "", "--config: expected a hexadecimal number"},
	{"trace convert --config 10000000000000000 -o a.data 8dw.raw", 2, "",
	 "--config: expected a hexadecimal number"},
	{"trace convert -o folder --to raw 8dw.raw", 2, "", "--output: folder: cannot be written: Is a directory"},
	{"trace convert -o absent/a.raw 8dw.raw", 2, "", "--output: absent/a.raw: cannot be written: No such file"},
	{"trace convert -o '' --to raw 8dw.raw", 2, "", "--output: : cannot be written: No such file"},
	{"trace convert -o /dev/full --to raw 8dw.raw", 3, "", "No space left on device"},
	{"trace convert -o b.pcapng --machine absent 8dw.raw", 2, "", "--machine: absent: "},
	{"trace convert -o b.pcap --tick-hz fast 8dw.raw", 2, "",
	 "--tick-hz: expected ticks per second, 1 to 1e12, got"},
	{"trace convert -o /dev/full --to pcap 8dw.raw", 3, "", "No space left on device"},
	{"trace convert -o /dev/full --to perf.data 8dw.raw", 3, "", "No space left on device"},
	{"trace convert -o 8dw.raw 8dw.raw", 2, "", "--output: '8dw.raw' is the input"},
	{"trace convert -o ./folder/../8dw.raw 8dw.raw", 2, "", "is the input"},
	{"trace convert -o 8dw.raw - <8dw.raw", 2, "", "--output: '8dw.raw' is the input"},
};

Test(trace, each_command_tells_what_is_wrong_with_its_own_options)
{
	program_expect_all(own, ARRAY_SIZE(own));
	cr_expect_eq(program_script("cmp " CORPUS "/8dw 8dw.raw"), 0, "the input is as it was: %s", output);
}

/* ---- threads ---- */

static const struct program_row jobs[] = {
	{"@ -j 0 8dw.raw", 0, NULL, ""},
	{"@ -j 1 8dw.raw", 0, NULL, ""},
	{"@ -j 8 8dw.raw", 0, NULL, ""},
	{"@ -j -1 8dw.raw", 2, "", "--jobs: expected a number, got '-1'"},
	{"@ -j many 8dw.raw", 2, "", "--jobs: expected a number, got 'many'"},
	{"@ -j 4x 8dw.raw", 2, "", "--jobs: expected a number, got '4x'"},
	{"@ -j '' 8dw.raw", 2, "", "--jobs: expected a number, got ''"},
	{"@ -j ' 4' 8dw.raw", 2, "", "--jobs: expected a number, got ' 4'"},
	{"@ -j 4294967297 8dw.raw", 2, "", "--jobs: expected a number, got '4294967297'"},
	{"@ -j 99999999999999999999 8dw.raw", 2, "", "--jobs: expected a number"},
	{"@ 8dw.raw -j", 2, "", "-j needs a value"},
};

/* Four writes of 512 bytes by function 1 of an ARI device, whose own MPS is 512: that of function 0, 256, counts. */
Test(trace, in_an_ari_device_function_0_decides)
{
	cr_expect_eq(
		program_script("for i in 1 2 3 4; do printf '\\377\\377\\377\\377\\0\\0\\0\\0\\200\\0\\0\\140\\017\\0"
			       "\\001\\001\\004\\0\\0\\0\\0\\020\\0\\0\\0\\0\\0\\0\\144\\0\\0\\0'; done "
			       ">ari.raw; $pcieval trace stat --machine " ARI " ari.raw"),
		0, "%s", output);
	expect_output("0000:01:00.1 writes TLPs of up to 512 bytes, above its MPS\n  of 256 (above-mps)\n");
}

Test(trace, a_number_of_threads_is_a_number)
{
	static const struct program_row too_many = {"@ -j 33 8dw.raw", 2, "", "--jobs: expected at most 32, got 33"};

	for (size_t c = 0; c < 3; c++)
		for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
			program_expect(&jobs[i], commands[c]);
	program_expect(&too_many, "trace decode");
	program_expect(&too_many, "trace dump");
	program_expect(&too_many, "trace stat");
}

/* Damage in every piece, both formats, raw and perf.data; the output with -j 1 is the reference. */
Test(trace, output_is_the_same_for_every_number_of_threads)
{
	cr_assert_eq(
		program_script(
			"for i in 1 2 3 4 5 6 7 8 9 10; do cat hole.raw 8dw.raw 8dw.raw; done >a\n"
			"for i in 1 2 3 4 5 6 7 8 9 10; do cat a a a a a; done >b; cat b b b b b >8.raw\n"
			"for i in 1 2 3 4 5 6 7 8 9 10; do cat 4dw.raw 4dw.raw 4dw.raw; done >a\n"
			"for i in 1 2 3 4 5 6 7 8 9 10; do cat a a a a a a a a; done >4.raw\n"
			"for f in 8.raw 4.raw perf.data; do\n"
			"for c in 'decode -f text' 'decode -f csv' 'decode -f jsonl --where tag==0' dump 'stat "
			"-f json'; do\n"
			"  $pcieval trace $c $f >one 2>/dev/null; s=$?; test -s one || { echo $c $f: nothing to "
			"compare; exit 8; }\n"
			"  for j in 0 2 3 8 32; do\n"
			"    $pcieval trace $c -j $j $f >other 2>/dev/null; test $? = $s || { echo $c -j $j $f; "
			"exit 9; }\n"
			"    cmp one other || { echo $c -j $j $f; exit 7; }\n"
			"    cat $f | $pcieval trace $c -j $j - 2>/dev/null | sed \"s/standard input/$f/\" >other\n"
			"    cmp one other || { echo $c -j $j $f; exit 7; }\n"
			"  done\n"
			"done; done"),
		0, "%s", output);
}

/* ---- pipes ---- */

/* Makes more data than a pipe buffers. */
#define LONG "for i in 1 2 3 4 5 6; do cat long long long long >more; mv more long; done"

Test(trace, a_reader_that_has_enough_ends_it_quietly)
{
	cr_assert_eq(program_script("cp 8dw.raw long; " LONG), 0);
	for (size_t c = 0; c < 2; c++) {
		char script[512];

		snprintf(script, sizeof(script),
			 "for j in 1 8; do\n"
			 "  { $pcieval %s -j $j long; echo status $? >status; } | head -1 >/dev/null; cat status\n"
			 "done",
			 commands[c]);
		cr_expect_eq(program_script(script), 0);
		cr_expect_str_eq(output, "status 141\nstatus 141\n", "%s: by SIGPIPE, and not a word: %s", commands[c],
				 output);
	}
}

/* The parent ignores SIGPIPE, like Python's subprocess and some CI runners. */
Test(trace, where_no_signal_tells_of_a_closed_pipe_it_is_3)
{
	cr_assert_eq(program_script("cp 8dw.raw long; " LONG), 0);
	cr_expect_eq(program_script(
			     "trap '' PIPE\n"
			     "for c in decode 'decode -j 8' dump 'convert --to raw -o -' 'convert --to pcap -o -'; do\n"
			     "{ $pcieval trace $c long; echo $c $? >>status; } | head -c 1 >/dev/null\n"
			     "done; cat status"),
		     0);
	expect_output("Broken pipe");
	expect_output("decode 3\ndecode -j 8 3\ndump 3\nconvert --to raw -o - 3\nconvert --to pcap -o - 3\n");
}

/* ---- outputs ---- */

static void expect_unchanged(const char *path)
{
	char *text = read_file(path);

	cr_expect_str_eq(text, "old", "%s", path);
	free(text);
}

Test(trace, convert_writes_what_the_name_tells)
{
	static const struct program_row rows[] = {
		{"trace convert -o a.raw perf.data", 0, "", ""},
		{"trace convert -o a.bin 8dw.raw", 0, "", ""},
		{"trace convert -o a.pcapng 8dw.raw", 0, "", ""},
		{"trace convert --to perf-script --tick-hz 1e9 -o a.txt 8dw.raw", 0, "", ""},
		{"trace convert -o a.pcap 8dw.raw", 0, "", ""},
		{"trace convert -o a.data 8dw.raw", 0, "", ""},
		{"trace diff a.data 8dw.raw", 0, "8 the same", ""},
	};

	program_expect_all(rows, ARRAY_SIZE(rows));
	cr_expect_eq(program_script("cmp 8dw.raw a.bin"), 0, "%s", output);
}

Test(trace, what_was_at_the_output_stays_when_it_fails)
{
	cr_assert_eq(program_script("printf old >out; cp 8dw.raw long; " LONG), 0);
	int files = program_files();
	cr_expect_eq(program_script("ulimit -f 1\n$pcieval trace convert --to raw -o out long"), 3);
	expect_output("File too large");
	expect_unchanged("out");
	cr_expect_eq(program_script("ulimit -f 1\n$pcieval trace convert --to pcap -o out long"), 3);
	expect_output("File too large");
	expect_unchanged("out");
	cr_expect_eq(pcieval("trace convert --to raw -o out empty"), 1, "nothing to write is no reason to replace");
	expect_unchanged("out");
	cr_expect_eq(pcieval("trace stat --html out /proc/self/mem"), 3);
	expect_unchanged("out");
	cr_expect_eq(program_files(), files, "something was left behind");
}

/* The input is a pipe that stays open, so the signal comes while the output is being written. */
static void kill_while_writing(const char *name, int number)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "rm -f in; mkfifo in; $pcieval trace convert --to raw -o out in & pid=$!\n"
		 "exec 3>in; cat 8dw.raw >&3\n"
		 "for i in $(seq 1000); do ls -l /proc/$pid/fd | grep -q '(deleted)\\|/\\.pcieval-' && break; sleep "
		 "0.01; done\n"
		 "kill -%s $pid; wait $pid",
		 name);
	cr_expect_eq(program_script(script), 128 + number, "SIG%s: %s", name, output);
	expect_unchanged("out");
}

Test(trace, what_was_at_the_output_stays_when_it_is_killed)
{
	cr_assert_eq(program_script("printf old >out; mkfifo in"), 0);
	int files = program_files();
	kill_while_writing("TERM", SIGTERM);
	kill_while_writing("KILL", SIGKILL);
	cr_expect_eq(program_files(), files, "something was left behind");
}
