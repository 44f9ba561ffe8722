/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run --bisect: its exit statuses, and `git bisect run` over small histories. The agent takes the place of a driver,
 * which would need a guest: each commit changes its behaviour in a case.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/tests/program/program.h"

static void set_up(void)
{
	program_set_up();
	setenv("PCIEVAL_AGENT", AGENT, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
}

TestSuite(bisect, .init = set_up, .fini = program_tear_down);

/* ---- exit statuses ---- */

Test(bisect, a_pass_is_good_a_failure_is_bad_and_the_rest_is_not_judged)
{
	cr_expect_eq(pcieval("run --bisect --name pass " PLAN), 0, "%s", output);
	cr_expect_eq(pcieval("run --bisect --name fail " PLAN), 1, "%s", output);
	cr_expect_eq(pcieval("run --bisect --name fail --name crash " PLAN), 1, "a failure is sure: %s", output);
	cr_expect_eq(pcieval("run --bisect --name pass --name crash " PLAN), 125, "%s", output);
	cr_expect_eq(program_script("sed 's/\"pass\"/\"skip\"/' " PLAN
				    " >skip.xml; \"$pcieval\" run --bisect --name skip "
				    "skip.xml"),
		     125, "every case was skipped: %s", output);
	expect_output("nothing was judged");
}

Test(bisect, mistakes_stop_the_bisection)
{
	static const char *const mistakes[] = {
		"run --bisect --no-such-option " PLAN,
		"run --no-such-option --bisect " PLAN,
		"run --bise --target " PLAN,
		"run --bisect --help",
		"run --bisect absent.xml",
		"run --bisect --name absent " PLAN,
		"run --bisect --defect absent " PLAN,
		"run --bisect --dry-run " PLAN,
		"run --bisect --list-tags " PLAN,
		"run --bisect --list-defects",
		"run --bisect --allow-skip " PLAN,
		"run --bisect --resume r",
		"run --bisect --rerun failed r",
		"run --bisect --name pass --results /proc/1/r " PLAN,
		"run --bisect --name pass --junit /proc/j.xml " PLAN,
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		cr_expect_eq(pcieval(mistakes[i]), 255, "%s: %s", mistakes[i], output);
	cr_expect_eq(pcieval("run --bisect --dry-run " PLAN), 255);
	expect_output("--bisect: expected no --dry-run: it runs nothing");
	/* Without --bisect they are unchanged. */
	cr_expect_eq(pcieval("run --no-such-option -- --bisect"), 2);
}

Test(bisect, lost_results_and_an_interrupt_stop_it)
{
	cr_expect_eq(pcieval("run --bisect --name pass " PLAN " >/dev/full"), 255, "%s", output);
	cr_expect_eq(pcieval("run --bisect --name pass --junit /dev/full " PLAN), 255, "%s", output);
	cr_expect_eq(program_script("sed 's/\"crash\"/\"hang\"/' " PLAN
				    " >hang.xml; \"$pcieval\" run --bisect --name hang "
				    "hang.xml & sleep 1; kill -TERM $!; wait $!"),
		     255, "%s", output);
}

/* ---- a source that does not compile ---- */

/* Makes a tree with stand-ins for ci/qemu and ci/guest, which exit with `status` for --source. */
static int run_with_source(const char *arguments, int status)
{
	char script[1024];

	snprintf(
		script, sizeof(script),
		"mkdir -p tree/ci/guest.d; cp " PLAN
		" tree/plan.xml; printf '#!/bin/sh\\necho /opt/qemu\\n' >tree/ci/qemu\n"
		"printf '#!/bin/sh\\ncase $1 in driver|source:*) echo no luck >&2; exit %d;; esac; mkdir -p made; echo "
		"$PWD/made\\n' >tree/ci/guest\nchmod +x tree/ci/*; unset PCIEVAL_QEMU; "
		"\"$pcieval\" run --target qemu %s --name pass tree/plan.xml",
		status, arguments);
	return program_script(script);
}

Test(bisect, a_source_that_does_not_compile_is_not_judged)
{
	cr_expect_eq(run_with_source("--source x.c --bisect", 65), 125, "%s", output);
	expect_output("--source x.c: could not be compiled for kernel fast");
	cr_expect_eq(run_with_source("--kernel source:linux --bisect", 65), 125, "%s", output);
	cr_expect_eq(run_with_source("--source x.c", 65), 2, "%s", output);
	cr_expect_eq(run_with_source("--source x.c --bisect", 1), 255, "a compiler is missing, say: %s", output);
}

/* ---- git ---- */

/*
 * Makes a history of the agent: commit 1 is good, 3 and 6 crash, the bug comes with commit `bug`. Commits that cannot
 * be judged are skipped.
 */
static int bisect(int bug, const char *arguments)
{
	char script[2048];

	snprintf(script, sizeof(script),
		 "command -v git >/dev/null || exit 77\n"
		 "git init -q . && git config user.name t && git config user.email t@t && mkdir runs || exit 9\n"
		 "for i in 1 2 3 4 5 6 7 8; do\n"
		 "	name=pass; [ $i -lt %d ] || name=fail; case $i in 3|6) name=crash;; esac\n"
		 "	printf '#!/bin/sh\\nread -r message\\nprintf \"%%%%s\\\\n\" \"$message\" | sed "
		 "s/\\\"pass\\\"/\\\"%%s\\\"/ | " AGENT " # %%s\\n' $name $i >driver\n"
		 "	chmod +x driver; git add driver; git commit -qm \"commit $i\"; git tag c$i\n"
		 "done\n"
		 "git bisect start c8 c1 && git bisect run \"$pcieval\" run --bisect -q --agent ./driver --name "
		 "pass %s "
		 "2>&1",
		 bug, arguments);
	int status = program_script(script);

	if (status == 77)
		cr_skip_test("git is not installed");
	return status;
}

Test(bisect, git_finds_the_first_bad_commit)
{
	int status = bisect(5, PLAN);

	cr_expect_eq(status, 0, "%s", output);
	expect_output("is the first bad commit");
	cr_expect_eq(program_script("git rev-parse bisect/bad c5 | uniq | wc -l | grep -qx 1"), 0);
}

Test(bisect, git_names_those_that_could_not_be_judged)
{
	int status = bisect(7, PLAN);

	/* Either of the commits 6 and 7 may be the first bad one, as 6 crashed. */
	cr_expect_eq(status, 2, "%s", output);
	expect_output("skip'ped commits left to test");
}

Test(bisect, git_stops_at_a_mistake)
{
	int status = bisect(5, "--no-such-option " PLAN);

	cr_expect_neq(status, 0, "%s", output);
	expect_output("unknown option '--no-such-option'");
	cr_expect_null(strstr(output, "first bad commit"), "%s", output);
}
