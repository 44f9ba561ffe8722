/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval submit with a script in place of sbatch, which logs its arguments; ci/slurm tests with the real Slurm. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/tests/program/program.h"

/* Logs its arguments. The first job is number 7, the next one 8; `status` makes it fail. */
#define SBATCH                                                                     \
	"mkdir bin && cat >bin/sbatch <<'END' && chmod +x bin/sbatch && : >told\n" \
	"#!/bin/sh\n"                                                              \
	"echo \"$*\" >>told\n"                                                     \
	"[ ! -e status ] || exit $(cat status)\n"                                  \
	"echo \"$((6 + $(wc -l <told)))${CLUSTER-}\"\n"                            \
	"END\n"

/* Runs the shards one after the other, then the merge, like Slurm would. */
#define AS_SLURM                                                                                                    \
	"for i in 1 2; do SLURM_ARRAY_TASK_ID=$i SLURMD_NODENAME=node$i sh out/shard.sh >/dev/null 2>&1; done; sh " \
	"out/merge.sh"

static void set_up(void)
{
	char path[4096];

	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	cr_assert_eq(system("sed 's/name=\"slow\"/name=\"skip\"/; s/qemu local/qemu local ssh/' " PLAN " >p.xml"), 0);
	cr_assert_eq(system(SBATCH), 0);
	snprintf(path, sizeof(path), "%s/bin:%s", getcwd((char[256]){0}, 256), getenv("PATH"));
	setenv("PATH", path, 1);
}

TestSuite(submit, .init = set_up, .fini = program_tear_down);

Test(submit, mistakes_are_2_and_submit_nothing)
{
	static const struct program_row rows[] = {
		{"submit -o out p.xml", 2, "", "submit: expected --nodes from 1 to 10000, got 0"},
		{"submit -N 2 p.xml", 2, "", "submit: expected --output DIR, on storage that all nodes share"},
		{"submit -N 2 -o out", 2, "", "submit: expected plans, and options of run after --"},
		{"submit -N 2 -o out none.xml", 2, "", "none.xml"},
		{"submit -N 9 -o out p.xml", 2, "", "--shard: expected at most as many shards as cases, 5, got 9"},
		{"submit -N 2 -o out -- --tag nobody p.xml", 2, "", "--tag: 'nobody' matches none"},
		{"submit -N 2 -o out --driver a --driver b --driver a p.xml", 2, "",
		 "submit: --driver: expected each value once, got 'a' again"},
		{"submit -N 2 -o out -t model -t qemu --kernel a --kernel a p.xml", 2, "",
		 "submit: --kernel: expected each value once, got 'a' again"},
		{"submit -N 2 -o out -t model -t model p.xml", 2, "",
		 "submit: --target: expected each value once, got 'model' again"},
		{"submit -N 2 -o out --driver a --driver b -- --driver c p.xml", 2, "",
		 "--shard: expected one kernel, driver and target"},
		{"submit -N 2 -o out --driver 1 --driver 2 --driver 3 --driver 4 --driver 5 --driver 6 -t model -t "
		 "qemu -t "
		 "local -t ssh:a -t ssh:b p.xml",
		 2, "", "submit: expected at most 26 combinations"},
	};

	/* With an agent of a test any target has kernels. */
	static const struct program_row kernels_of_models = {
		"submit -N 2 -o out --kernel fast --kernel debug p.xml", 2, "",
		"run: --kernel: expected --target qemu, got model\n"
		"pcieval: submit: fast cannot be run; nothing was submitted"};

	program_expect_all(rows, sizeof(rows) / sizeof(*rows));
	unsetenv("PCIEVAL_AGENT");
	program_expect_all(&kernels_of_models, 1);
	cr_expect_not(exists("out"));
	char *told = read_file("told");
	cr_expect_str_eq(told, "");
	free(told);
}

Test(submit, links_of_others_are_not_followed)
{
	if (geteuid())
		cr_skip_test("not root, who can make links of others");
	cr_assert_eq(
		program_script(
			"mkdir -m 1777 shared; mkdir ours; ln -s ../ours shared/out; chown -h 1234:1234 shared/out"),
		0);
	cr_expect_eq(pcieval("submit -N 2 -o shared/out p.xml"), 2);
	expect_output("shared/out: cannot be made: Operation not permitted");
	cr_expect_neq(rmdir("ours"), -1, "something was written");
}

Test(submit, help_fits)
{
	program_expect_help("submit");
}

Test(submit, makes_an_array_and_a_job_after_it)
{
	cr_expect_eq(pcieval("submit -N 2 -o out --gres board:1 --licenses l:2 --sbatch=--partition=lab p.xml"), 0,
		     "%s", output);
	expect_output("job 7: 2 shards of ");
	expect_output("job 8: merges them into ");
	char *told = read_file("told");
	cr_expect(strstr(told, "--requeue --open-mode=append --chdir="), "%s", told);
	cr_expect(
		strstr(told, " --partition=lab --array=1-2 --job-name=pcieval --gres=board:1 --licenses=l:2 --output="),
		"%s", told);
	cr_expect(strstr(told, "/out/log/%a.txt "), "%s", told);
	cr_expect(strstr(told, " --partition=lab --dependency=afterany:7 --job-name=pcieval-merge --output="), "%s",
		  told);
	cr_expect_null(strstr(strchr(told, '\n'), "gres"), "the merge needs no board: %s", told);
	free(told);
}

Test(submit, a_job_of_a_cluster_is_its_number)
{
	setenv("CLUSTER", ";lab", 1);
	cr_expect_eq(pcieval("submit -N 2 -o out p.xml"), 0, "%s", output);
	expect_output("job 7: 2 shards of ");
}

Test(submit, its_scripts_run_all_of_it)
{
	cr_expect_eq(program_script("$pcieval submit -N 2 -o out p.xml; " AS_SLURM), 1, "%s", output);
	cr_expect_eq(program_script("jq -r '.cases[].verdict' out/report.json | tr '\\n' ' '"), 0);
	expect_output("pass fail error skip skip ");
	cr_expect(exists("out/junit.xml"));
	cr_expect(exists("out/report.html"));
}

/* Simulates a dead node: Slurm runs the job again on another one. */
Test(submit, a_shard_that_is_requeued_resumes)
{
	setenv("GATE", "open", 1);
	cr_expect_eq(program_script("sed -i 's/name=\"pass\"/name=\"gate\"/' p.xml; $pcieval submit -N 2 -o out p.xml; "
				    "SLURM_ARRAY_TASK_ID=1 sh out/shard.sh >/dev/null 2>&1 & pid=$!; "
				    "for i in $(seq 3000); do grep -q wait out/shards/1/journal.jsonl 2>/dev/null && "
				    "break; sleep 0.01; done; "
				    "kill -9 $pid; wait $pid 2>/dev/null; sh out/merge.sh; [ $? != 0 ] || exit 99; : "
				    ">open; " AS_SLURM),
		     1, "%s", output);
	cr_expect_eq(program_script("jq -r '.cases[].verdict' out/report.json | tr '\\n' ' '"), 0);
	expect_output("pass fail error skip skip ");
}

/* Slurm takes a node for dead whose shard still runs, and starts the shard on another one. */
Test(submit, a_shard_that_runs_already_is_left_alone)
{
	setenv("GATE", "open", 1);
	cr_expect_eq(
		program_script("sed -i 's/name=\"pass\"/name=\"gate\"/' p.xml; $pcieval submit -N 2 -o out p.xml; "
			       "SLURM_ARRAY_TASK_ID=1 sh out/shard.sh >/dev/null 2>&1 & pid=$!; "
			       "for i in $(seq 3000); do grep -q wait out/shards/1/journal.jsonl 2>/dev/null && "
			       "break; sleep 0.01; done; " AS_SLURM "; [ $? = 3 ] || exit 99; "
			       "SLURM_ARRAY_TASK_ID=1 sh out/shard.sh; [ $? = 2 ] || exit 98; : >open; wait $pid; sh "
			       "out/merge.sh"),
		1, "%s", output);
	expect_output("merge: shards/1: shard 1/2 is still running");
	expect_output("out/shards/1: cannot be resumed: another pcieval is running it");
	cr_expect_eq(program_script("jq -r '.cases[].verdict' out/report.json | tr '\\n' ' '"), 0);
	expect_output("pass fail error skip skip ");
}

Test(submit, two_merges_of_a_submission_wait_for_each_other)
{
	cr_expect_eq(
		program_script(
			"$pcieval submit -N 2 -o out p.xml; (flock 9; : >held; sleep 1; : >free) 9>out/merge.lock & "
			"until [ -e held ]; do sleep 0.01; done; " AS_SLURM "; [ -e free ] || exit 99; "
			"sh out/merge.sh"),
		1, "%s", output);
	cr_expect(exists("out/all/journal.jsonl"));
}

/* The shared storage is full. */
Test(submit, scripts_that_cannot_be_written_are_not_submitted)
{
	cr_expect_eq(
		program_script("(trap '' XFSZ; ulimit -f 0; $pcieval submit -N 2 -o out p.xml; echo $?) 2>&1 | cat"),
		0);
	expect_output("\n3\n");
	expect_output("out/shard.sh: ");
	char *told = read_file("told");
	cr_expect_str_eq(told, "");
	free(told);
}

/* The shard was killed before its list of cases was written. */
Test(submit, a_shard_that_had_only_begun_begins_again)
{
	cr_expect_eq(program_script("$pcieval submit -N 2 -o out p.xml; mkdir out/shards/1; : "
				    ">out/shards/1/journal.jsonl; " AS_SLURM),
		     1, "%s", output);
}

Test(submit, the_name_of_the_node_is_put_in_on_the_node)
{
	cr_expect_eq(pcieval("submit --dry-run -N 1 -o out -t 'ssh:{node}.lab' -- --tag good p.xml"), 0, "%s", output);
	expect_output(" run --target ssh:\"$SLURMD_NODENAME\".lab --tag good p.xml --quiet --shard ");
	cr_expect_null(strstr(output, "--again"), "a case that kills its board would kill it again: %s", output);
	cr_expect_not(exists("out"));
}

Test(submit, words_of_scripts_are_quoted)
{
	cr_expect_eq(
		pcieval("submit --dry-run -N 1 -o \"o'ut \\$x\" -- --name pass --name 'pa*;s' --allow-empty p.xml"), 0,
		"%s", output);
	expect_output(" --name 'pa*;s' ");
	expect_output("/o'\\''ut $x'/shards/");
}

Test(submit, a_folder_that_holds_something_is_refused)
{
	cr_expect_eq(program_script("$pcieval submit -N 2 -o out p.xml; $pcieval submit -N 2 -o out p.xml"), 2, "%s",
		     output);
	expect_output("out/shards: File exists: expected a new or empty folder");
	cr_expect_eq(program_script("[ $(wc -l <told) = 2 ]"), 0);
}

Test(submit, a_failure_of_sbatch_is_3)
{
	cr_expect_eq(program_script("echo 5 >status; $pcieval submit -N 2 -o out p.xml"), 3, "%s", output);
	expect_output("submit: sbatch has failed: exit status 5");
	cr_expect_eq(program_script("rm bin/sbatch status; $pcieval submit -N 2 -o other p.xml"), 3, "%s", output);
	expect_output("is Slurm installed here?");
}

Test(submit, shards_that_will_not_be_merged_are_told)
{
	cr_expect_eq(program_script("sed -i 's/^\\[ .*/[ $(wc -l <told) = 1 ] || exit 1/' bin/sbatch; $pcieval submit "
				    "-N 2 -o out p.xml"),
		     3, "%s", output);
	expect_output("job 7 will not be merged (sh ");
}

/* ---- several targets, kernels or drivers ---- */

/* An agent with which "pass" fails on driver bad. */
#define AGENT_OF_DRIVERS                                                                              \
	"cat >agent <<'END'\n"                                                                        \
	"#!/bin/sh\n"                                                                                 \
	"read -r message\n"                                                                           \
	"case $message in *'\"driver\":\"bad\"'*) name=fail ;; *) name=pass ;; esac\n"                \
	"printf '%s\\n' \"$message\" | sed 's/\"case\":\"pass\"/\"case\":\"'$name'\"/' | " AGENT "\n" \
	"END\n"                                                                                       \
	"chmod +x agent; export PCIEVAL_AGENT=$PWD/agent; "
#define SUBMIT_TWO "$pcieval submit -N 2 -o out --driver good --driver bad p.xml; "
/* Runs the shards of a combination. */
#define SHARDS_OF(name)                                                               \
	"for i in 1 2; do SLURM_ARRAY_TASK_ID=$i SLURMD_NODENAME=node$i sh out/" name \
	"/shard.sh >/dev/null 2>&1; done; "
#define MERGE(name) "sh out/" name "/merge.sh; "

Test(submit, each_combination_is_an_array_and_a_merge_and_the_table_waits_for_all)
{
	cr_expect_eq(pcieval("submit -N 2 -o out --driver good --driver bad p.xml"), 0, "%s", output);
	expect_output("/out/good\njob 8: merges them into ");
	expect_output("/out/bad\njob 10: merges them into ");
	expect_output("job 11: compares them in ");
	char *told = read_file("told");
	cr_expect(strstr(told, " --dependency=afterany:7 --job-name=pcieval-merge "), "%s", told);
	cr_expect(strstr(told, "/out/good/log/%a.txt "), "%s", told);
	cr_expect(strstr(told, " --dependency=afterany:9 --job-name=pcieval-merge "), "%s", told);
	cr_expect(strstr(told, " --dependency=afterany:8:10 --job-name=pcieval-table --output="), "%s", told);
	cr_expect(strstr(told, "/out/log/table.txt "), "%s", told);
	free(told);
}

Test(submit, the_table_has_what_differs)
{
	cr_expect_eq(program_script(AGENT_OF_DRIVERS SUBMIT_TWO SHARDS_OF("good") SHARDS_OF("bad") MERGE("good")
					    MERGE("bad") "sh out/table.sh"),
		     1, "%s", output);
	expect_output("a  ./good/all\n   target model, driver good, ");
	expect_output(" PASS  FAIL\n"
		      "    b: expected 4 records, got 3\n\n");
	expect_output("b against a: REGRESSION: 1 New failures and errors");
	cr_expect_eq(program_script("grep -c 'behaviours/' out/report.html; ls out/good out/bad"), 0, "%s", output);
	expect_output("1\n");
	expect_output("junit.xml");
	cr_expect_eq(pcieval("compare --all out"), 1, "%s", output);
	expect_output(" ERROR ERROR\n");
}

/* The shards of the second combination were never begun, or are not all there; the first one is the same twice. */
Test(submit, a_combination_that_is_not_merged_is_an_error_of_the_table)
{
	cr_expect_eq(program_script(AGENT_OF_DRIVERS "sed -i '/fail\\|crash/,/<.case>/d' p.xml;"
						     "$pcieval submit -N 2 -o out --driver good --driver bad --driver "
						     "fine p.xml; " SHARDS_OF("good") SHARDS_OF("fine") MERGE("good")
							     MERGE("fine") MERGE("bad") "sh out/table.sh"),
		     3, "%s", output);
	expect_output("b  ./bad/all\n   ERROR: shard 1/2 has not begun\n");
	expect_output("b: ERROR: it has no result\nc against a: NO REGRESSION");
	expect_output("0 differ");
	cr_expect_eq(program_script("grep -o 'ERROR</span> b: .*' out/report.html"), 0);
	expect_output("ERROR</span> b: shard 1/2 has not begun");
	cr_expect_eq(program_script("$pcieval compare --all out; $pcieval compare --json out | jq -r '.runs[1].error'"),
		     0);
	expect_output("PASS  ERROR PASS\n");
	expect_output("\nshard 1/2 has not begun\n");
	cr_expect_eq(
		program_script("$pcieval compare --json out | jq -r '.runs[1].driver'; grep -c 1970 out/report.html"),
		1);
	expect_output("bad\n0\n");
	cr_expect_eq(program_script("mkdir -p out/bad/shards; cp -r out/good/shards/* out/bad/shards; sed -i "
				    "'/\"ev\":\"end\"/d' out/bad/shards/2/journal.jsonl; $pcieval compare out"),
		     3, "%s", output);
	expect_output("ERROR: out/bad/shards/2: shard 2/2 was interrupted; ");
}

Test(submit, shards_that_nobody_has_merged_are_an_error_of_the_table)
{
	cr_expect_eq(program_script(AGENT_OF_DRIVERS SUBMIT_TWO SHARDS_OF("good") SHARDS_OF("bad")
					    MERGE("bad") "sh out/table.sh"),
		     3, "%s", output);
	expect_output("a  ./good/all\n   ERROR: the shards are not merged; `sh ./good/merge.sh` merges them\n");
	expect_output("a: ERROR: it has no result\n");
	cr_expect_eq(program_script("echo '{}' >out/bad/all/cases.json; " MERGE("good") "sh out/table.sh"), 3, "%s",
		     output);
	expect_output("ERROR: ./bad/all/cases.json: no list of cases");
}

/* A list that was damaged leaves out no combination. */
Test(submit, a_damaged_list_of_combinations_is_told)
{
	static const struct program_row rows[] = {
		{"compare cut", 2, "",
		 "cut/matrix.json: expected JSON, got a mistake at byte 30: unexpected end of data"},
		{"compare names", 2, "", "names/matrix.json: expected the name of a folder, got '../good'"},
		{"compare none", 2, "", "expected 2 to 26 run folders, got 0"},
	};

	cr_assert_eq(program_script(AGENT_OF_DRIVERS SUBMIT_TWO SHARDS_OF("good") SHARDS_OF("bad") MERGE("good") MERGE(
			     "bad") "for i in cut names none shards; do cp -r out $i; done; head -c 30 out/matrix.json "
				    ">cut/matrix.json; sed -i 's|\"good\"|\"../good\"|' names/matrix.json; echo '{}' "
				    ">none/matrix.json; sed -i 's|\"shards\": *2|\"shards\":0|' shards/matrix.json"),
		     0, "%s", output);
	program_expect_all(rows, sizeof(rows) / sizeof(*rows));
	cr_expect_eq(pcieval("compare shards"), 3, "%s", output);
	expect_output("b  shards/bad/all\n   ERROR: expected 1 to 10000 shards, got 0\n");
}

Test(submit, a_dry_run_of_several_shows_each)
{
	cr_expect_eq(pcieval("submit --dry-run -N 2 -o out --driver good --driver bad p.xml"), 0, "%s", output);
	expect_output("/out/good/shard.sh\n#!/bin/sh\n");
	expect_output("/out/bad/merge.sh\n");
	expect_output(" run --driver bad p.xml --quiet --shard ");
	expect_output(" compare --html report.html .\nsbatch --parsable ");
	expect_output(" --dependency=afterany:JOBS --job-name=pcieval-table ");
	cr_expect_not(exists("out"));
}

Test(submit, what_could_not_be_submitted_is_told)
{
	cr_expect_eq(program_script("sed -i 's/^\\[ .*/[ $(wc -l <told) -le 2 ] || exit 1/' bin/sbatch; " SUBMIT_TWO),
		     3, "%s", output);
	expect_output("submit: bad and all after it are missing (sh ");
	expect_output("sbatch has failed: exit status 1");
	cr_expect_eq(program_script("rm -r out; : >told; sed -i 's/-le 2/-le 4/' bin/sbatch; " SUBMIT_TWO), 3, "%s",
		     output);
	expect_output("submit: there will be no table (sh ");
}
