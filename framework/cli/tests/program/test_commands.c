/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that have no other test program, as a user or a CI job runs them: list, validate, coverage, golden,
 * report, bench, agent. Plans and goldens are those of the tree.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"
#include "framework/util/cleanup.h"

#define PLANS "scenarios/*.xml"

/* The folder has links `scenarios` and `fixtures`, and its own good.xml with its golden in `own`. */
static void set_up(void)
{
	program_set_up();
	unsetenv("PCIEVAL_AGENT");
	cr_assert_eq(
		program_script("ln -s " TREE "/scenarios " TREE "/fixtures .; mkdir folder; echo '<plan>' >bad.xml\n"
			       "sed 's/PTT-TU-01/PTT-TU-77/' scenarios/ptt-tune.xml >wrong.xml\n"
			       "printf '<plan name=\"p\\033[31m\"/>' >steers.xml\n"
			       "echo '<board name=\"b\"><writes/></board>' >board.xml\n"
			       "printf '<board nam=\"b\">\\n<write/></board>' >badboard.xml\n"
			       "echo '<board name=\"b\"><tap socket=\"a\"/><tap socket=\"b\"/></board>' >twice.xml"),
		0, "%s", output);
}

TestSuite(commands, .init = set_up, .fini = program_tear_down, .timeout = 300);

/* ---- the program itself ---- */

static const struct program_row program[] = {
	{"", 2, "", "expected a command; see 'pcieval --help'"},
	{"frobnicate", 2, "", "there is no command 'frobnicate'; see 'pcieval --help'"},
	{"validat", 2, "", "there is no command 'validat'; did you mean 'validate'?"},
	{"help rnu", 2, "", "there is no command 'rnu'; did you mean 'run'?"},
	{"--version", 0, "pcieval ", ""},
	{"--version >/dev/full", 3, "", "standard output: No space left on device"},
	{"--help >/dev/full", 3, "", "standard output: No space left on device"},
	{"help", 0, "Commands:", ""},
};

Test(commands, the_program_tells_what_it_can_do)
{
	static const char *const all[] = {"",	    "run",   "report", "list",	"validate", "coverage",
					  "golden", "trace", "bench",  "agent", "help"};

	program_expect_all(program, ARRAY_SIZE(program));
	for (size_t i = 0; i < ARRAY_SIZE(all) - 1; i++)
		program_expect_help(all[i]);
	cr_assert_eq(pcieval("--help"), 0);
	for (size_t i = 1; i < ARRAY_SIZE(all) - 1; i++)
		expect_output(all[i]);
}

/* Each command, with an argument that is no file, option or subcommand. */
Test(commands, no_argument_steers_the_terminal)
{
	cr_assert_eq(
		program_script(
			"bad=$(printf 'a\\033[31mb'); n=0\n"
			"for c in $($pcieval --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p'); do\n"
			"for a in $c $c\\ --$bad $c\\ --target\\ $bad $c\\ show $c\\ stat $c\\ check $c\\ add; do\n"
			"n=$((n + 1)); timeout 20 $pcieval $a \"$bad\" </dev/null || :; done; done\n"
			"for f in validate list run 'board check'; do $pcieval $f steers.xml || :; done; echo $n ran"),
		0);
	cr_expect_not(strchr(output, '\033'), "%s", output);
	expect_output("133 ran\n");
	expect_output("pcieval: compare: ab is not the folder of a run");
}

/* As an ssh of the same CI job leaves a pipe that it shares with us. The reader is slow: the pipe is full most of the
 * time. */
Test(commands, output_is_whole_on_a_pipe_that_does_not_block)
{
	cr_assert_eq(program_script("cat >job.py <<'end'\n"
				    "import fcntl, os, subprocess, sys, time\n"
				    "r, w = os.pipe()\n"
				    "fcntl.fcntl(w, fcntl.F_SETFL, os.O_NONBLOCK)\n"
				    "p = subprocess.Popen(sys.argv[1:], stdout=w, stderr=w)\n"
				    "os.close(w)\n"
				    "time.sleep(.2)\n"
				    "said = open(r, 'rb').read()\n"
				    "sys.stdout.buffer.write(said)\n"
				    "sys.exit(p.wait())\n"
				    "end\n"
				    "python3 job.py $pcieval validate --reference >said &&\n"
				    "$pcieval validate --reference | cmp - said"),
		     0, "%s", output);
}

/* ---- list, validate, coverage ---- */

static const struct program_row plans[] = {
	{"list", 2, "", "expected plan files"},
	{"list scenarios/ptt-tune.xml", 0, "ptt-tune/", ""},
	{"list --json scenarios/ptt-tune.xml", 0, "{\"", ""},
	{"list --name none-such scenarios/ptt-tune.xml", 2, "", "'none-such' matches none of "},
	{"list --tag", 2, "", "--tag needs a value"},
	{"agent --steps", 2, "", "agent: unknown option '--steps'"}, /* agent has no such option */
	{"list --tga smoke scenarios/ptt-tune.xml", 2, "", "unknown option '--tga'; did you mean '--tag'?"},
	{"list absent.xml", 2, "", "absent.xml: cannot be read: No such file or directory"},
	{"list folder", 2, "", "folder: expected plans (*.xml) in this folder, found none"},
	{"list bad.xml", 2, "", "bad.xml:"},
	{"list scenarios/ptt-tune.xml >/dev/full", 3, "", "standard output: No space left on device"},
	{"list scenarios/ptt-tune.xml >&-", 3, "", "standard output: Bad file descriptor"},

	{"validate", 2, "", "expected plan files"},
	{"validate " PLANS, 0, ": no problems\n", ""},
	{"validate --quiet " PLANS, 0, "", ""},
	{"validate bad.xml", 2, "", "bad.xml:"},
	{"validate /dev/null", 2, "", "/dev/null"},
	{"validate folder", 2, "", "folder: expected plans (*.xml) in this folder, found none"},
	{"validate wrong.xml", 2, "", "wrong.xml:"},
	{"validate wrong.xml", 2, "", "PTT-TU-77"},
	{"validate board.xml", 0, "1 board: no problems\n", ""},
	{"validate board.xml scenarios/ptt-tune.xml", 0, "1 plan, 58 cases, 1 board: no problems\n", ""},
	{"validate -q board.xml", 0, "", ""},
	{"validate badboard.xml scenarios/ptt-tune.xml", 2, "", "badboard.xml:1: "},
	{"validate badboard.xml scenarios/ptt-tune.xml", 2, "", "badboard.xml:2: "},
	{"validate twice.xml", 2, "", "twice.xml:1: <board>: expected one <tap>, got 2"},
	{"validate board.xml wrong.xml", 2, "", "PTT-TU-77"},
	{"list board.xml", 2, "", "board.xml:"},
	{"validate --schema", 0, "<xs:schema", ""},
	{"validate --reference", 0, "# Plan reference", ""},
	{"validate --schema >/dev/full", 3, "", "standard output: No space left on device"},
	{"validate --reference >/dev/full", 3, "", "standard output: No space left on device"},
	{"validate " PLANS " >/dev/full", 3, "", "standard output: No space left on device"},

	{"coverage", 2, "", "expected plan files"},
	{"coverage " PLANS, 0, " 0 gaps\n", ""},
	{"coverage scenarios/ptt-tune.xml", 1, "Gaps, no case is planned:", ""},
	{"coverage --target qemu " PLANS, 1, "Gaps, no case is planned", ""},
	{"coverage --target modle " PLANS, 2, "", "did you mean 'model'?"},
	{"coverage --results absent", 2, "", "absent is not the folder of a run"},
	{"coverage --results folder", 2, "", "folder is not the folder of a run"},
	{"coverage --results folder " PLANS, 2, "", "expected plans or --results, got both"},
	{"coverage --facts", 0, "CP-CT-04   F-C2 text", ""},
	{"coverage --facts", 0, "\n  F-C2       (text: CXL", ""},
	{"coverage --facts " PLANS, 2, "", "expected --facts alone"},
	{"coverage --facts --target model", 2, "", "expected --facts alone"},
	{"coverage --facts --results absent", 2, "", "expected --facts alone"},
	{"coverage --facts >/dev/full", 3, "", "standard output: No space left on device"},
	{"coverage bad.xml", 2, "", "bad.xml:"},
	{"coverage --lines " PLANS, 2, "", "--lines: expected only --results of runs with --driver-coverage"},
	{"coverage --lines --facts", 2, "", "--lines: expected only --results"},
	{"coverage --lcov x", 2, "", "--lcov: expected --lines, too"},
	{"coverage " PLANS " >/dev/full", 3, "", "standard output: No space left on device"},
};

Test(commands, list_validate_and_coverage_tell_by_their_exit_status_how_it_went)
{
	program_expect_all(plans, ARRAY_SIZE(plans));
}

/* The columns are for scripts: plan/case, requirements, tags, targets, FILE:LINE. */
Test(commands, list_in_a_pipe_is_a_table)
{
	cr_expect_eq(program_script("$pcieval list scenarios/ptt-tune.xml | awk -F'\\t' '\n"
				    "NF != 5 || $1 !~ /^ptt-tune\\// || $5 !~ /^scenarios\\/ptt-tune.xml:[0-9]+$/ { "
				    "print; bad++ }\n"
				    "END { exit bad || NR < 10 }'"),
		     0, "%s", output);
}

/* ---- report and coverage of a run ---- */

Test(commands, what_a_run_has_shown_is_reported_and_covers)
{
	static const struct program_row rows[] = {
		{"run --tag smoke --results run scenarios/ptt-tune.xml", 0, " 0 failed", ""},
		{"report run", 0, " 0 failed", ""},
		{"report --quiet run", 0, "", ""},
		{"report --junit absent/j.xml run", 2, "", "--junit: absent/j.xml: cannot be written"},
		{"report --junit folder run", 2, "", "--junit: folder: cannot be written: Is a directory"},
		{"report --quiet --junit /dev/full run", 3, "", "--junit: /dev/full: cannot be written: No space left"},
		{"report run >/dev/full", 3, "", "standard output: No space left on device"},
		{"report run run", 2, "", "expected one run folder, got 2 arguments"},
		{"report absent", 2, "", "absent"},
		{"coverage --results run", 1, "Gaps, no case passed:", ""},
		{"coverage --results run >/dev/full", 3, "", "standard output: No space left on device"},
		{"coverage --results run --target model", 1, "model", ""},
		{"coverage --results run --target qemu", 2, "", "none of the runs was on the target 'qemu'"},
	};

	program_expect_all(rows, ARRAY_SIZE(rows));
}

/* "qemu" is a run on the models with another target name. */
Test(commands, coverage_has_a_column_for_each_target_and_counts_its_runs_together)
{
	cr_expect_eq(
		program_script(
			"smoke='--tag smoke scenarios/ptt-tune.xml'\n"
			"$pcieval run -q --results run $smoke && $pcieval run -q --results again $smoke || exit 1\n"
			"cp -r run qemu; sed -i 's/\"target\": \"model\"/\"target\": \"qemu:fast\"/' "
			"qemu/settings.json\n"
			"row() { awk '$1 == \"requirement\" || $1 == \"PTT-TU-01\" { $1 = \"\"; print }' | tr '\\n' "
			"';'; }\n"
			"one=$($pcieval coverage --results run | row | sed -n 's/^ model; \\([0-9]*\\).*/\\1/p')\n"
			"[ \"$one\" -gt 0 ] || exit 1\n"
			"$pcieval coverage --results run --results qemu --results again | row | tee got\n"
			"two=$((2 * one))\n"
			"grep -Fx \" model qemu; $two/$two $one/$one;\" got"),
		0, "%s", output);
}

/* SIGXFSZ killed the agent, and the case counted as crashed. */
Test(commands, artefacts_that_do_not_fit_are_told_in_the_log)
{
	cr_expect_eq(
		program_script("ulimit -f 40; $pcieval run --keep --results run --name 'ptt-buffers/fill[count=513]' "
			       "scenarios/ptt-buffers.xml && grep 'artefacts could not be saved' run/cases/*/log.txt"),
		0, "%s", output);
	expect_output("File too large");
}

/* A run whose second case has the counts of a program built with gcc: main() is reached, twice() is not. */
static const char covered[] =
	"$pcieval run -q --results run --name 'ptt-tune/set*qos_tx_np*' scenarios/ptt-tune.xml && mkdir run/gcov &&\n"
	"printf 'static int twice(int x)\\n{\\n\\treturn 2 * x;\\n}\\nint main(int argc, char **argv)\\n{\\n'"
	"'\\tif (argc > 1) return !twice(argc);\\n\\treturn 0;\\n}\\n' >driver.c &&\n"
	"gcc -O0 --coverage -c driver.c && gcc --coverage driver.o -o driver && ./driver &&\n"
	"mkdir run/gcov/0001-set+1 && mv driver.gcno run/gcov && mv driver.gcda run/gcov/0001-set+1";

static const struct program_row lines[] = {
	{"coverage --lines -R run", 0, "driver.c: 3 of 5 lines (60.0 %), 1 of 2 branches (50.0 %)\n", ""},
	{"coverage --lines -R run", 0, "  of conditions in the source, not of macros: 1 of 2 branches (50.0 %)\n", ""},
	{"coverage --lines -R run", 0, "  main                                               3/3       1/2       1\n",
	 ""},
	{"coverage --lines -R run", 0, "driver.c, lines that no case reaches:\n      1  static int twice(int x)\n", ""},
	{"coverage --lines -R run -R run", 0,
	 "main                                               3/3       1/2       2", ""},
	{"coverage --lines=driver.c:8 -R run", 0, "ptt-tune/set[event=qos_tx_np,level=1]\n", ""},
	{"coverage --lines=driver.c:3 -R run", 1, "", "no case reaches driver.c:3"},
	{"coverage --lines=driver.c:2 -R run", 2, "", "expected a line with code of a driver, got 'driver.c:2'"},
	{"coverage --lines=iver.c:8 -R run", 2, "", "expected a line with code of a driver, got 'iver.c:8'"},
	{"coverage --lines=driver.c -R run", 2, "", "expected FILE:N, got 'driver.c'"},
	{"coverage --lines --lcov - -R run", 0, "FN:5,main\nFNDA:1,main\nDA:1,0\n", ""},
	{"coverage --lines --lcov - -R run", 0, "BRDA:7,0,0,0\nBRDA:7,0,1,1\nDA:8,1\nLF:5\nLH:3\nBRF:2\nBRH:1\n", ""},
	{"coverage --lines --lcov /dev/full -R run >/dev/null", 3, "", "--lcov: "},
	{"coverage --lines -R run >/dev/full", 3, "", "standard output: No space left on device"},
};

Test(commands, coverage_of_lines)
{
	setenv("GCOV", "gcov", 1);
	cr_assert_eq(program_script(covered), 0, "%s", output);
	program_expect_all(lines, ARRAY_SIZE(lines));
	cr_assert_eq(program_script("rm -r run/gcov/0001*"), 0);
	cr_expect_eq(pcieval("coverage --lines -R run"), 2);
	expect_output("run: expected line coverage of a driver, got none");
}

/* ---- golden ---- */

#define ONE "--name 'ptt-buffers/golden*' scenarios/ptt-buffers.xml"

static const struct program_row golden[] = {
	{"golden", 2, "", "golden: expected check, diff or regen, then plans"},
	{"golden chekc scenarios/ptt-buffers.xml", 2, "", "got 'chekc'; did you mean 'check'?"},
	{"golden check", 2, "", "golden: expected plans after check"},
	{"golden check absent.xml", 2, "", "absent.xml: cannot be read"},
	{"golden check bad.xml", 2, "", "bad.xml:"},
	{"golden check --accept " ONE, 2, "", "--accept goes with regen only"},
	{"golden check --target quemu " ONE, 2, "", "did you mean 'qemu'?"},
	{"golden check --target local " ONE, 2, "", "golden: no case is selected that is compared with a golden"},
	/* A check that compared nothing must not pass. */
	{"golden check scenarios/ptt-tune.xml", 2, "", "no case is selected that is compared with a golden"},
	{"golden check --name none-such scenarios/ptt-buffers.xml", 2, "", "no case is selected"},
	{"golden diff scenarios/ptt-tune.xml", 2, "", "no case is selected"},
	{"golden regen --accept scenarios/ptt-tune.xml", 2, "", "no case is selected"},
	{"golden check " ONE, 0, " same, 0 differ, 0 new, 0 unreadable; compared with", ""},
	{"golden diff " ONE, 0, " same, 0 differ, 0 new, 0 unreadable", ""},
	{"golden check --golden-dir folder " ONE, 1, "new ", ""},
	{"golden check --staging /dev/null " ONE, 2, "", "got /dev/null: Not a directory"},
	{"golden check " ONE " >/dev/full", 3, "", "standard output: No space left on device"},
};

Test(commands, golden_tells_by_its_exit_status_how_it_went)
{
	program_expect_all(golden, ARRAY_SIZE(golden));
}

Test(commands, goldens_are_replaced_only_when_it_is_said)
{
	static const struct program_row rows[] = {
		{"golden regen --golden-dir new " ONE, 1,
		 "nothing was replaced: review the differences, then use --accept", ""},
		{"golden regen --golden-dir new --accept " ONE, 0, "accepted into new", ""},
		{"golden check --golden-dir new " ONE, 0, "0 differ, 0 new, 0 unreadable", ""},
	};

	program_expect(&rows[0], NULL);
	cr_expect_not(exists("new"));
	program_expect(&rows[1], NULL);
	program_expect(&rows[2], NULL);
}

Test(commands, a_golden_that_differs_or_is_broken_is_not_the_same)
{
	static const struct program_row rows[] = {
		{"golden regen --golden-dir new --accept " ONE, 0, "accepted into new", ""},
		{"golden check --golden-dir new " ONE, 1, "DIFFERS", ""},
		{"golden diff --golden-dir new " ONE, 1, " changed", ""},
		{"golden check --golden-dir new " ONE, 3, "unreadable", "pcieval: golden: "},
		{"golden regen --golden-dir new --accept " ONE, 3, "unreadable", "pcieval: golden: "},
		{"golden check --golden-dir new " ONE, 0, "0 differ, 0 new, 0 unreadable", ""},
	};

	program_expect(&rows[0], NULL);
	cr_assert_eq(program_script("cd new; t=$(ls *.trace.zst | head -1); zstd -qdc $t >t\n"
				    "printf '\\377' | dd of=t bs=1 seek=44 conv=notrunc 2>&1; zstd -qfo $t t; rm t"),
		     0, "%s", output);
	program_expect(&rows[1], NULL);
	program_expect(&rows[2], NULL);
	cr_assert_eq(program_script("cd new; for t in *.trace.zst; do echo no zstd >$t; done"), 0);
	program_expect(&rows[3], NULL);
	program_expect(&rows[4], NULL);
	program_expect(&rows[5], NULL);
}

/* Cases with other numbers of writes and one golden; in own.xml each case has its own. */
static const char sharing[] =
	"cat >shared.xml <<'END'\n"
	"<plan name='shared'><topology>"
	"<ptt name='ptt0' bdf='00:01.0' sicl='0' core='0' first='rp0' last='rp0'/>"
	"<root-port name='rp0' bdf='00:10.0' ras-des='yes' vendor='0x1ded'><endpoint name='nic0'/></root-port>"
	"</topology><case name='trace'><matrix><param name='n' values='100 200 300'/></matrix>"
	"<trace-start id='t' pmu='hisi_ptt0_0' filter='rp0' type='1' direction='0'/>"
	"<traffic from='nic0' to='memory' kind='mwr64' size='64' count='${n}'/>"
	"<trace-stop id='t'/><check-trace id='t' against='golden' name='gold'/></case>\n"
	"<case name='count'><matrix><param name='n' values='8 16'/></matrix>"
	"<counter-open id='c' pmu='dwc_rootport_80' event='rx_memory_write,lane=0'/><counter-start id='c'/>"
	"<traffic from='nic0' to='memory' kind='mwr64' size='64' count='${n}'/><counter-stop id='c'/>"
	"<check-counter id='c' against='golden' name='gold'/></case></plan>\nEND\n"
	"sed 's/name=.gold./name=\"g-${n}\"/' shared.xml >own.xml";

/* A golden has the contents of one of its cases: those of the others would never be compared. */
Test(commands, a_golden_that_cases_record_differently_is_an_error)
{
	static const struct program_row rows[] = {
		{"golden regen --accept --golden-dir new --name 'trace*' shared.xml 2>&1", 3,
		 ": cases shared/trace[n=", ""},
		{"golden regen --accept --golden-dir new --name 'count*' shared.xml 2>&1", 3,
		 ": cases shared/count[n=", ""},
		{"golden regen --accept --golden-dir new own.xml", 0, "0 same, 0 differ, 5 new", ""},
		{"golden check --golden-dir new --staging stage own.xml", 0, "5 same, 0 differ, 0 new", ""},
		{"golden check --golden-dir new --staging stage own.xml", 2, "",
		 "--staging: expected a new or empty folder, got stage: Directory not empty"},
	};

	cr_assert_eq(program_script(sharing), 0, "%s", output);
	program_expect(&rows[0], NULL);
	expect_output(" record different contents as golden gold: give each a name of its own");
	program_expect(&rows[1], NULL);
	expect_output(" record different contents as golden gold/c: give each a name of its own");
	cr_expect_not(exists("new"));
	for (size_t i = 2; i < ARRAY_SIZE(rows); i++)
		program_expect(&rows[i], NULL);
}

/* By whatever path: what is there would be accepted as recorded. */
Test(commands, a_staging_folder_is_new_or_empty)
{
	static const char *const full[] = {"full", "full/", "full/.", "link", "link/"};
	static const struct program_row refused = {"golden regen --accept --golden-dir new --staging @ " ONE, 2, "",
						   "expected a new or empty folder, got "};
	static const struct program_row taken = {"golden regen --golden-dir new --staging empty " ONE, 1, "new ", ""};

	cr_assert_eq(
		program_script("mkdir full; echo {} >full/old.counters.json; ln -s full link; mkdir -m 0750 empty"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(full); i++)
		program_expect(&refused, full[i]);
	cr_expect_not(exists("new"));
	program_expect(&taken, NULL);
	cr_expect_eq(program_script("test $(stat -c %a empty) = 750"), 0, "the folder was made anew");
}

/* The cases one and two keep a counter each in one golden. */
static const char parted[] =
	"cat >parted.xml <<'END'\n"
	"<plan name='parted'><topology><root-port name='rp0' bdf='00:10.0' ras-des='yes' vendor='0x1ded'>"
	"<endpoint name='nic0'/></root-port></topology>"
	"<case name='one' tags='first'><counter-open id='a' pmu='dwc_rootport_80' event='rx_memory_write,lane=0'/>"
	"<counter-start id='a'/><traffic from='nic0' to='memory' kind='mwr64' size='64' count='3'/>"
	"<counter-stop id='a'/><check-counter id='a' against='golden' name='gold'/></case>"
	"<case name='two'><counter-open id='b' pmu='dwc_rootport_80' event='rx_memory_write,lane=0'/>"
	"<counter-start id='b'/><traffic from='nic0' to='memory' kind='mwr64' size='64' count='20'/>"
	"<counter-stop id='b'/><check-counter id='b' against='golden' name='gold'/></case></plan>\nEND\n"
	"sed 's/count=.3./count=\"4\"/' parted.xml >more.xml\n"
	"sed \"s/<case name='two'/<case name='two' targets='qemu'/\" parted.xml >other.xml\n"
	"sed \"s/<case name='two'.*<.case>//\" more.xml >less.xml\n"
	"sed \"s/name='gold'/& tolerance='0.5'/\" less.xml >wide.xml\n"
	"sed 's/\"4\"/\"5\"/' wide.xml >five.xml";

Test(commands, a_selection_leaves_the_counters_of_other_cases_alone)
{
	static const struct program_row rows[] = {
		{"golden regen --accept --golden-dir new parted.xml", 0, "0 same, 0 differ, 1 new", ""},
		{"golden check --golden-dir new --name parted/one parted.xml", 0, "1 same, 0 differ, 0 new", ""},
		{"golden check --golden-dir new --tag first parted.xml", 0, "1 same, 0 differ, 0 new", ""},
		{"golden check --golden-dir new other.xml", 0, "1 same, 0 differ, 0 new", ""},
		{"golden regen --accept --golden-dir new --name parted/one more.xml", 0, "0 same, 1 differ, 0 new", ""},
		{"golden check --golden-dir new more.xml", 0, "1 same, 0 differ, 0 new", ""},
		{"run --golden-dir new more.xml", 0, "2 passed", ""},
		/* Without a selection nothing else has counters here. */
		{"golden diff --golden-dir new less.xml", 1, "counter b: golden 20, now none", ""},
		{"golden regen --accept --golden-dir new less.xml", 0, "0 same, 1 differ, 0 new", ""},
		{"run --golden-dir new more.xml", 3, "expected a counter \"b\", got none", ""},
	};

	cr_assert_eq(program_script(parted), 0, "%s", output);
	program_expect_all(rows, ARRAY_SIZE(rows));
}

Test(commands, a_golden_counter_keeps_its_tolerance)
{
	static const struct program_row rows[] = {
		{"golden regen --accept --golden-dir new wide.xml", 0, "1 new", ""},
		{"run --golden-dir new five.xml", 0, "1 passed", ""},
		{"golden check --golden-dir new five.xml", 0, "1 same", ""},
		{"golden check --golden-dir new less.xml", 1, "DIFFERS    ", ""},
	};

	cr_assert_eq(program_script(parted), 0, "%s", output);
	program_expect_all(rows, ARRAY_SIZE(rows));
}

/* A baseline of 100 with a tolerance of 50 %; then other numbers of writes and other tolerances. */
static const char baselines[] =
	"cat >base.xml <<'END'\n"
	"<plan name='base'><topology><root-port name='rp0' bdf='00:10.0'><endpoint name='nic0'/></root-port></topology>"
	"<case name='c'><boot/><mark id='m'/><traffic from='nic0' to='memory' kind='mwr64' size='64' count='100'/>"
	"<drain/><measure id='n' what='tlps' port='rp0' dir='in' class='p' since='m'/>"
	"<check-baseline id='n' tolerance='0.5'/></case></plan>\nEND\n"
	"sed \"s/'100'/'130'/; s/'0.5'/'0.1'/\" base.xml >tight.xml\n"
	"sed \"s/'100'/'125'/; s/'0.5'/'0.1'/\" base.xml >near.xml\n"
	"sed \"s/'100'/'125'/\" base.xml >loose.xml";

/* As a run: a check that says "same" of a baseline that the run fails cannot lead to a new one. */
Test(commands, a_baseline_is_judged_with_the_tolerance_of_the_plan)
{
	static const struct program_row rows[] = {
		{"golden regen --accept --golden-dir new base.xml", 0, "1 new", ""},
		{"golden check --golden-dir new base.xml", 0, "1 same", ""},
		{"run --golden-dir new tight.xml", 1, "expected 100 +-10 %", ""},
		{"golden check --golden-dir new tight.xml", 1, "DIFFERS    ", ""},
		{"golden diff --golden-dir new tight.xml", 1,
		 "    counter n: golden 100, now 130\n    counter n: tolerance golden 0.5, now 0.1\n", ""},
		{"golden regen --accept --golden-dir new tight.xml", 0, "1 differ", ""},
		{"run --golden-dir new tight.xml", 0, "1 passed", ""},
		{"golden check --golden-dir new near.xml", 0, "1 same", ""},
		{"golden check --golden-dir new loose.xml", 1, "DIFFERS    ", ""},
		{"golden diff --golden-dir new loose.xml", 1, "    counter n: tolerance golden 0.1, now 0.5\nDIFFERS",
		 ""},
		{"golden regen --accept --golden-dir new loose.xml", 0, "1 differ", ""},
		{"golden check --golden-dir new loose.xml", 0, "1 same", ""},
	};

	cr_assert_eq(program_script(baselines), 0, "%s", output);
	program_expect_all(rows, ARRAY_SIZE(rows));
}

/* ---- bench, agent ---- */

static const struct program_row others[] = {
	{"bench --count 0", 2, "", "--count: expected at least 1 TLP, got 0"},
	{"bench --count many", 2, "", "--count: expected a number, got 'many'"},
	{"bench trcae", 2, "", "trcae: cannot be read"},
	{"bench trace twice", 2, "", "expected nothing behind trace, got 'twice'"},
	{"bench --count 1000", 0, "TLPs/s", ""},
	{"bench --count 1000 >/dev/full", 3, "", "standard output: No space left on device"},
	{"validate --steps", 0, "check-trace", ""},
	{"validate --steps >/dev/full", 3, "", "standard output: No space left on device"},
	{"agent case.json", 2, "", "agent: expected no arguments, got \"case.json\""},
	{"agent </dev/null", 0, "\"verdict\":\"error\"", NULL},
	{"agent </dev/null >/dev/full", 3, "", "agent: standard output: events could not be written"},
};

Test(commands, bench_and_agent_tell_by_their_exit_status_how_it_went)
{
	program_expect_all(others, ARRAY_SIZE(others));
}

/* ---- complete ---- */

/* The words of a command line, of which the last one is completed, and all candidates, without the help. */
static const struct {
	const char *words, *offered;
} completions[] = {
	{"rep", "report"},
	{"no-such-command x", ""},
	{"run --exc", "--exclude"},
	{"run --quiet --exc", "--exclude"},	   /* a flag has no value */
	{"run --color alw", "always"},		   /* value of an option */
	{"run --color always --exc", "--exclude"}, /* the option already has a value */
	{"run --color=alw", "--color=always"},	   /* value in the same word */
	{"run --quiet=alw", ""},		   /* a flag has no value */
	{"run -j --exc", ""},	       /* an option with a letter: its value is a number, without candidates */
	{"run -- --exc", ":plans"},    /* after "--" there are no options */
	{"golden ch", "check :plans"}, /* an action ... */
	{"golden check ch", ":plans"}, /* ... must be the first argument */
	{"mps che", "check"},	       /* a subcommand */
	{"mps check --js", "--json"},  /* an option of a subcommand */
	{"run --name ptt-t", "ptt-trace-directions/ ptt-trace-filters/ ptt-trace-formats/ ptt-tune/"},
	{"run --name ptt-tune/bu", "ptt-tune/busy"},	     /* cases once the plan is chosen */
	{"run --tag smok", "smoke"},			     /* each tag once */
	{"run --tag smok scenarios/ptt-tune.xml", ":plans"}, /* the word being completed is another one */
	{"list scenarios/ptt-tune.xml --tag cx", ""},	     /* only tags of the given plans */
	{"run --defect ptt-drop-r", "ptt-drop-record"},
};

Test(commands, complete_offers_what_may_stand_where_the_cursor_is)
{
	char arguments[256];

	for (size_t i = 0; i < ARRAY_SIZE(completions); i++) {
		snprintf(arguments, sizeof(arguments), "complete -- %s | cut -f 1 | paste -sd ' '",
			 completions[i].words);
		cr_assert_eq(pcieval(arguments), 0);
		output[strcspn(output, "\n")] = 0;
		cr_expect_str_eq(output, completions[i].offered, "%s: expected \"%s\", got \"%s\"",
				 completions[i].words, completions[i].offered, output);
	}
}
