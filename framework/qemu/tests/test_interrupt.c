/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts of a guest, with a shell that provides its files. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/qemu/interrupt.h"
#include "framework/qemu/tests/text_file.h"

static struct {
	const char *interrupts, *loadavg, *comm[8];
	int write_err;
	char wrote[64];
} sys;

static const char *text_of(const char *path)
{
	unsigned pid;

	if (sscanf(path, "/proc/%u/comm", &pid) == 1)
		return pid < 8 ? sys.comm[pid] : NULL;
	return strstr(path, "interrupts") ? sys.interrupts : strstr(path, "loadavg") ? sys.loadavg : "3\n";
}

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	return read_text_file(text_of(path), buf, room);
}

static int file_write(struct pv_shell *s, const char *path, const void *data, size_t len, bool create)
{
	snprintf(sys.wrote, sizeof(sys.wrote), "%s %.*s", path, (int)len, (const char *)data);
	return sys.write_err;
}

static const struct pv_shell_ops shell_ops = {.file_read = file_read, .file_write = file_write};
static struct pv_shell shell = {&shell_ops};

static void set_up(void)
{
	sys.interrupts = "           CPU0       CPU1\n"
			 " 11:          5          0     GICv3  27 Level     arch_timer\n"
			 " 24:          2          0  ITS-MSI 16384 Edge      hisi_ptt\n"
			 "125:          0          1  ITS-MSI 524289 Edge      cxl_pmu_mem0.0_overflow, "
			 "cxl_pmu_mem0.1_overflow\n"
			 "IPI0:         7          0       Rescheduling interrupts\n";
	sys.loadavg = "0.00 0.01 0.05 1/57 7\n";
	sys.comm[1] = "init\n";
	sys.comm[5] = "irq/24-hisi_ptt\n";
	sys.comm[7] = "irq/125-cxl_pmu\n";
}

TestSuite(interrupt, .init = set_up);

static struct pv_interrupt found(const char *name)
{
	struct pv_interrupt i = {0};

	cr_assert_eq(pv_interrupt_find(&shell, name, &i), 0, "%s", name);
	return i;
}

Test(interrupt, is_found_by_the_name_of_a_handler)
{
	struct pv_interrupt i;

	cr_expect_eq(found("hisi_ptt").number, 24);
	cr_expect_eq(found("cxl_pmu_mem0.0_overflow").number, 125);
	cr_expect_eq(found("cxl_pmu_mem0.1_overflow").number, 125);
	cr_expect_eq(pv_interrupt_find(&shell, "cxl_pmu_mem0.1", &i), -ENOENT);
	cr_expect_eq(pv_interrupt_find(&shell, "overflow", &i), -ENOENT);
	cr_expect_eq(pv_interrupt_find(&shell, "interrupts", &i), -ENOENT);
}

Test(interrupt, is_movable_unless_the_write_of_its_own_affinity_is_refused)
{
	cr_expect(found("hisi_ptt").movable);
	cr_expect_str_eq(sys.wrote, "/proc/irq/24/smp_affinity 3\n");
	sys.write_err = -EIO;
	cr_expect_not(found("hisi_ptt").movable);
	sys.write_err = -EPERM;
	cr_expect_not(found("hisi_ptt").movable);
	sys.write_err = -EROFS;
	struct pv_interrupt i;
	cr_expect_eq(pv_interrupt_find(&shell, "hisi_ptt", &i), -EROFS);
}

Test(interrupt, has_threads_of_its_own_number)
{
	cr_expect_eq(found("hisi_ptt").threads, 1);
	cr_expect_eq(found("arch_timer").threads, 0);
	sys.comm[2] = "irq/24-s-hisi_p\n";
	cr_expect_eq(found("hisi_ptt").threads, 2);
	sys.loadavg = "0.00 0.01 0.05 1/57 4\n";
	cr_expect_eq(found("hisi_ptt").threads, 1, "the newest pid is 4");
}

Test(interrupt, files_that_are_odd_or_missing_are_errors)
{
	struct pv_interrupt i;

	sys.loadavg = "0.00 0.01 0.05 1/57 5000\n";
	cr_expect_eq(pv_interrupt_find(&shell, "hisi_ptt", &i), -E2BIG);
	sys.loadavg = "odd";
	cr_expect_eq(pv_interrupt_find(&shell, "hisi_ptt", &i), -EPROTO);
	sys.loadavg = NULL;
	cr_expect_eq(pv_interrupt_find(&shell, "hisi_ptt", &i), -ENOENT);
	sys.interrupts = NULL;
	cr_expect_eq(pv_interrupt_find(&shell, "hisi_ptt", &i), -ENOENT);
}
