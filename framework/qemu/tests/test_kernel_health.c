/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for leaked memory after the drivers are unloaded, with a shell that provides the kernel's files. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/qemu/kernel_health.h"
#include "framework/qemu/tests/text_file.h"

static struct {
	const char *modules, *kmemleak;
	unsigned scans;
	uint64_t waited_ns;
	int scan_err;
	char told[4096];
} sys;

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	return read_text_file(strstr(path, "modules") ? sys.modules : sys.kmemleak, buf, room);
}

static int file_write(struct pv_shell *s, const char *path, const void *data, size_t len, bool create)
{
	sys.scans += len == 4 && !memcmp(data, "scan", 4);
	return sys.scan_err;
}

static int wait_ns(struct pv_machine *m, uint64_t ns)
{
	sys.waited_ns += ns;
	return 0;
}

static const struct pv_shell_ops shell_ops = {.file_read = file_read, .file_write = file_write};
static const struct pv_machine_ops machine_ops = {.wait = wait_ns};
static struct pv_shell shell = {&shell_ops};
static struct pv_machine machine = {&machine_ops};

static void tell(void *ctx, const char *kind, const char *text)
{
	size_t n = strlen(sys.told);

	snprintf(sys.told + n, sizeof(sys.told) - n, "%s: %s\n", kind, text);
}

static const char one_leak[] = "unreferenced object 0xffff000004b1a300 (size 128):\n"
			       "  comm \"init\", pid 1, jiffies 4294892345\n"
			       "  hex dump (first 32 bytes):\n"
			       "    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................\n"
			       "  backtrace (crc a5b4c3d2):\n"
			       "    kmemleak_alloc+0x34/0x40\n"
			       "    0xffff80007a0d1234\n"
			       "    0xffff80007a0d0010\n"
			       "    pci_device_probe+0xac/0x168\n";

static void look(struct pv_kernel_modules *m)
{
	memset(m, 0, sizeof(*m));
	sys.modules =
		"dwc_pcie_pmu 16384 0 - Live 0xffff80007a0e0000 (O)\nhisi_ptt 28672 0 - Live 0xffff80007a0d0000\n";
	pv_kernel_modules_add(m, &shell, "hisi_ptt");
	pv_kernel_modules_add(m, &shell, "cxl_pmu");
	pv_kernel_report_leaks(m, &shell, &machine, tell, NULL);
}

Test(kernel_health, a_leak_names_the_module_that_is_gone)
{
	struct pv_kernel_modules m;

	sys.kmemleak = one_leak;
	look(&m);
	cr_expect(eq(sz, m.n, 1));
	cr_expect(eq(u32, sys.scans, 2));
	cr_expect(gt(u64, sys.waited_ns, 5000000000u));
	const char *begin =
		"leak: expected no memory to be lost after the drivers are unloaded, got 128 bytes, allocated at "
		"hisi_ptt+0x1234\nunreferenced object 0xffff000004b1a300 (size 128):\n";
	cr_expect_not_null(strstr(sys.told, begin), "%s", sys.told);
	cr_expect_not_null(strstr(sys.told, "    0xffff80007a0d0010 hisi_ptt+0x10\n    pci_device_probe"), "%s",
			   sys.told);
}

Test(kernel_health, each_leak_is_told)
{
	struct pv_kernel_modules m;
	char text[2 * sizeof(one_leak)];

	snprintf(text, sizeof(text), "%s%s", one_leak,
		 "unreferenced object 0xffff000004b1a400 (size 64):\n  backtrace:\n    f\n");
	sys.kmemleak = text;
	look(&m);
	cr_expect_not_null(strstr(sys.told, "got 128 bytes"));
	cr_expect_not_null(strstr(sys.told, "got 64 bytes\nunreferenced object 0xffff000004b1a400"), "%s", sys.told);
}

Test(kernel_health, leaks_that_are_not_told_one_by_one_are_counted)
{
	struct pv_kernel_modules m;
	char text[23 * 64] = "";

	for (unsigned i = 0; i < 23; i++)
		strcat(text, "unreferenced object 0xffff000004b1a400 (size 64):\n");
	sys.kmemleak = text;
	look(&m);
	cr_expect_not_null(strstr(sys.told, "leak: expected no memory to be lost, got 3 more objects\n"), "%s",
			   sys.told);
}

Test(kernel_health, nothing_leaked)
{
	struct pv_kernel_modules m;

	sys.kmemleak = "";
	look(&m);
	cr_expect_str_eq(sys.told, "");
	cr_expect(eq(u32, sys.scans, 2));
}

Test(kernel_health, a_kernel_without_kmemleak)
{
	struct pv_kernel_modules m;

	sys.scan_err = -ENOENT;
	look(&m);
	cr_expect_str_eq(
		sys.told,
		"guest: looking for leaks: expected /sys/kernel/debug/kmemleak to scan, got ENOENT; --kernel debug "
		"has it\n");
}

Test(kernel_health, a_kmemleak_that_was_switched_off)
{
	struct pv_kernel_modules m;

	sys.kmemleak = "";
	sys.scan_err = -EPERM;
	look(&m);
	cr_expect_str_eq(
		sys.told,
		"guest: looking for leaks: expected /sys/kernel/debug/kmemleak to scan, got EPERM; --kernel debug "
		"has it\n");
}

Test(kernel_health, a_kmemleak_that_cannot_be_read)
{
	struct pv_kernel_modules m;

	look(&m);
	cr_expect_str_eq(sys.told, "guest: looking for leaks: expected /sys/kernel/debug/kmemleak to be readable, got "
				   "ENOENT; --kernel debug has it\n");
}

Test(kernel_health, leaks_of_a_report_that_is_too_long_are_told)
{
	static char text[300 << 10];
	struct pv_kernel_modules m;

	memset(text, ' ', sizeof(text) - 1);
	memcpy(text, one_leak, sizeof(one_leak) - 1);
	sys.kmemleak = text;
	look(&m);
	cr_expect_not_null(strstr(sys.told, "leak: expected no memory to be lost"), "%s", sys.told);
}
