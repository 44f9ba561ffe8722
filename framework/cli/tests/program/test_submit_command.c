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
	};

	program_expect_all(rows, sizeof(rows) / sizeof(*rows));
	cr_expect_not(exists("out"));
	char *told = read_file("told");
	cr_expect_str_eq(told, "");
	free(told);
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
