/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CPU goes to one process; reports of trouble anywhere on a console. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/qemu/vm.h"
#include "framework/qemu/vm_pool.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

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

/* ---- the console ---- */

#define MIB	  (1u << 20)
#define LINE	  "[    1.000000] hisi_ptt 0000:00:00.0: spurious interrupt\n"
#define WARNING	  "[    2.000000] WARNING: possible circular locking dependency detected\n"
#define CUT_HERE  "[    2.000000] ------------[ cut here ]------------\n"
#define UNKNOWN	  "[    2.000000] a report that only this line shows to be one\n"
#define END_TRACE "[    2.000000] ---[ end trace 0000000000000000 ]---\n"

static struct pv_vm vm;
static char said[512];

static void tell(void *ctx, enum pv_kernel_trouble t, const char *report, size_t n)
{
	size_t at = strlen(said);

	(void)ctx;
	snprintf(said + at, sizeof(said) - at, "%d %.*s|", t, (int)n, report);
}

/* Adds lines to the console until it has `bytes`. */
static void fill(size_t bytes)
{
	size_t have = (size_t)lseek(vm.console_fd, 0, SEEK_END);

	for (; have < bytes; have += strlen(LINE))
		cr_assert_eq(pv_write_all(vm.console_fd, LINE, strlen(LINE)), 0);
	cr_assert_eq(ftruncate(vm.console_fd, (off_t)bytes - 1), 0);
	lseek(vm.console_fd, 0, SEEK_END);
	cr_assert_eq(pv_write_all(vm.console_fd, "\n", 1), 0);
}

static void begin(size_t bytes)
{
	vm = PV_VM_NONE;
	vm.console_fd = memfd_create("console", MFD_CLOEXEC);
	cr_assert_geq(vm.console_fd, 0);
	said[0] = 0;
	if (bytes)
		fill(bytes);
}

static void expect_told(const char *want)
{
	size_t end = (size_t)lseek(vm.console_fd, 0, SEEK_END);

	cr_expect_eq(pv_vm_troubles(&vm, 0, tell, NULL), end);
	cr_expect_str_eq(said, want);
	close(vm.console_fd);
}

static void add(const char *text)
{
	cr_assert_eq(pv_write_all(vm.console_fd, text, strlen(text)), 0);
}

Test(vm, the_console_is_searched_to_its_end)
{
	begin(2 * MIB + 100);
	add("Internal error: Oops: 1\n");
	cr_expect_eq(pv_vm_trouble(&vm, 0), PV_TROUBLE_OOPS);
	_autofree_ char *end = pv_vm_console_end(&vm, 0, 8), *none = pv_vm_console_end(&vm, 3 * MIB, 8);
	cr_expect_str_eq(end, "Oops: 1\n");
	cr_expect_str_eq(none, "");
	expect_told("3 Internal error: Oops: 1\n|");
	begin(0);
	expect_told("");
}

Test(vm, a_console_can_be_full)
{
	begin(0);
	cr_assert_eq(ftruncate(vm.console_fd, (off_t)(PV_VM_FILE_MIB << 20) - 1), 0);
	cr_expect_not(pv_vm_console_is_full(&vm));
	cr_assert_eq(ftruncate(vm.console_fd, (off_t)(PV_VM_FILE_MIB << 20)), 0);
	cr_expect(pv_vm_console_is_full(&vm));
	close(vm.console_fd);
	cr_expect_not(pv_vm_console_is_full(&PV_VM_NONE));
}

/* Wherever the end of what is read at once lies, each report is told once, and whole. */
Test(vm, a_report_over_the_end_of_a_part_is_whole)
{
	for (size_t i = 1; i < strlen(WARNING CUT_HERE UNKNOWN END_TRACE) + 2; i++) {
		begin(MIB - i);
		add(WARNING CUT_HERE UNKNOWN END_TRACE LINE);
		expect_told("2 WARNING: possible circular locking dependency detected\n|"
			    "2 a report that only this line shows to be one\n" END_TRACE "|");
	}
}

/* A line without end is a part of its own. */
Test(vm, a_line_that_is_longer_than_a_part)
{
	begin(0);
	cr_assert_eq(ftruncate(vm.console_fd, 3 * MIB), 0);
	lseek(vm.console_fd, 0, SEEK_END);
	add("\n" WARNING);
	expect_told("2 WARNING: possible circular locking dependency detected\n|");
}
