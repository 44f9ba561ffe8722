/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CPU goes to one process. */
#include <criterion/criterion.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/qemu/vm.h"

TestSuite(vm, .timeout = 60);

static int allowed(void)
{
	cpu_set_t set;

	cr_assert_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

/* Other tests may have claimed some CPUs, but no process gets the CPU of this one. */
Test(vm, a_cpu_is_claimed_once)
{
	cpu_set_t before, mine, theirs;
	int status;

	sched_getaffinity(0, sizeof(before), &before);
	int claim = pv_vm_pin_cpu();
	if (claim < 0)
		cr_skip_test("all CPUs are claimed");
	cr_expect_eq(allowed(), 1);
	sched_getaffinity(0, sizeof(mine), &mine);
	cr_expect_eq(pv_vm_pin_cpu(), -1, "it may run nowhere else, and that one is taken");
	pid_t child = fork();
	if (!child) {
		sched_setaffinity(0, sizeof(before), &before);
		int other = pv_vm_pin_cpu();
		sched_getaffinity(0, sizeof(theirs), &theirs);
		_exit(other < 0 ? (CPU_EQUAL(&theirs, &before) ? 0 : 1) : CPU_EQUAL(&theirs, &mine) ? 2 : 0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
}
