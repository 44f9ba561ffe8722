/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports in a board's kernel log that fail a case, that make it an error, and that are only noted. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/board/kernel_log.h"
#include "framework/util/cleanup.h"

static char told[512], *noted;

static void tell(void *ctx, const char *kind, const char *text)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%s: %.*s|", kind, (int)strcspn(text, "\n"), text);
}

/* The plan has 00:10.0 and 0001:02:00.1. */
static const char *judge_after(bool sent, const char *text)
{
	static struct pv_topo_node nodes[2];
	const struct pv_topology plan = {.nodes = nodes, .n = 2};
	size_t n;

	nodes[0].bdf = PCI_BDF(0, 0x10, 0);
	nodes[1].bdf = PCI_IN_DOMAIN(1, PCI_BDF(2, 0, 1));
	told[0] = 0;
	free(noted);
	FILE *f = open_memstream(&noted, &n);
	pv_kernel_log_judge(text, strlen(text), &plan, sent, tell, NULL, f);
	fclose(f);
	return told;
}

static const char *judge(const char *text)
{
	return judge_after(false, text);
}

static void finish(void)
{
	free(noted);
	noted = NULL;
}

TestSuite(kernel_log, .fini = finish);

#define WARNING(at)                                             \
	"[    1.000000] ------------[ cut here ]------------\n" \
	"[    1.000001] WARNING: CPU: 0 PID: 7 at " at "\n"

Test(kernel_log, a_warning_of_a_driver_under_test)
{
	cr_expect_str_eq(judge(WARNING("drivers/hwtracing/ptt/hisi_ptt.c:100")),
			 "kernel: WARNING: CPU: 0 PID: 7 at drivers/hwtracing/ptt/hisi_ptt.c:100|");
	cr_expect_str_eq(noted, "");
}

Test(kernel_log, the_name_may_come_later_in_the_report)
{
	cr_expect_str_eq(judge(WARNING("kernel/events/core.c:1") "[    1.000002] Call trace:\n"
								 "[    1.000003]  cxl_pmu_event_start+0x1/0x2\n"),
			 "kernel: WARNING: CPU: 0 PID: 7 at kernel/events/core.c:1|");
	cr_expect_str_eq(judge(WARNING("mm/slub.c:1") "[    1.000002] CPU: 0 PID: 7 Comm: pcieval-far Not tainted\n"),
			 "kernel: WARNING: CPU: 0 PID: 7 at mm/slub.c:1|");
	cr_expect_str_eq(judge(WARNING("mm/slub.c:1") "[    1.000002] pci 0001:02:00.1: that\n"),
			 "kernel: WARNING: CPU: 0 PID: 7 at mm/slub.c:1|");
}

Test(kernel_log, a_warning_of_others_is_noted)
{
	cr_expect_str_eq(judge(WARNING("drivers/gpu/x.c:1") "[    1.000002] pci 0000:02:00.1: that\n"), "");
	cr_expect_str_eq(noted, "the kernel reports, and names no driver under test nor function of the plan: WARNING: "
				"CPU: 0 PID: 7 at drivers/gpu/x.c:1\n");
}

Test(kernel_log, the_list_of_modules_names_none)
{
	cr_expect_str_eq(judge(WARNING("drivers/gpu/x.c:1") "[    1.000002] Modules linked in: hisi_ptt cxl_pmu\n"),
			 "");
	cr_expect_neq(*noted, 0);
}

Test(kernel_log, an_oops_of_others_leaves_nothing_to_judge)
{
	cr_expect_str_eq(judge("[    1.0] Internal error: Oops: 96000004 [#1] SMP\n"),
			 "guest: Internal error: Oops: 96000004 [#1] SMP|");
	cr_expect_str_eq(
		judge("[    1.0] Internal error: Oops: 96000004 [#1] SMP\n[    1.1] pc : hisi_ptt_isr+0x1/0x2\n"),
		"kernel: Internal error: Oops: 96000004 [#1] SMP|");
}

Test(kernel_log, an_oops_of_x86)
{
	cr_expect_str_eq(
		judge("[  1.0] Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] "
		      "SMP\n"
		      "[  1.0] RIP: 0010:cxl_pmu_event_start+0x42/0x150 [cxl_pmu]\n"
		      "[  1.0] Call Trace:\n[  1.0]  <TASK>\n[  1.0] ---[ end trace 0000000000000000 ]---\n"),
		"kernel: Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP|");
	cr_expect_str_eq(judge("[  1.0] BUG: kernel NULL pointer dereference, address: 0000000000000008\n"
			       "[  1.0] Oops: Oops: 0000 [#1] SMP\n[  1.0] RIP: 0010:nvme_irq+0x42/0x150 [nvme]\n"
			       "[  1.0] ---[ end trace 0000000000000000 ]---\n"),
			 "guest: BUG: kernel NULL pointer dereference, address: 0000000000000008|");
	cr_expect_str_eq(judge("[  1.0] traps: prog[7] general protection fault ip:401122 sp:7ffd error:0 in prog\n"
			       "[  1.0] traps: prog[7] trap divide error ip:401122 sp:7ffd error:0 in prog\n"),
			 "", "of a program");
}

Test(kernel_log, no_memory_is_not_the_drivers_fault)
{
	cr_expect_str_eq(judge("[    1.0] hisi_ptt: page allocation failure: order:10\n"),
			 "guest: hisi_ptt: page allocation failure: order:10|");
}

Test(kernel_log, several_reports)
{
	cr_expect_str_eq(
		judge(WARNING("hisi_ptt.c:1") "[    1.1] ---[ end trace 0 ]---\n" WARNING("cxl_pmu.c:2")),
		"kernel: WARNING: CPU: 0 PID: 7 at hisi_ptt.c:1|kernel: WARNING: CPU: 0 PID: 7 at cxl_pmu.c:2|");
}

Test(kernel_log, an_error_of_a_function_of_the_plan)
{
	cr_expect_str_eq(
		judge("[    1.0] pcieport 0000:00:10.0: AER: Corrected error message received from 0000:01:00.0\n"
		      "[    1.1] pcieport 0000:00:10.0: PCIe Bus Error: severity=Corrected, type=Physical Layer\n"),
		"kernel: [    1.0] pcieport 0000:00:10.0: AER: Corrected error message received from 0000:01:00.0|");
	cr_expect_str_eq(judge("[    1.1] nvme 0001:02:00.1: PCIe Bus Error: severity=Corrected\n"),
			 "kernel: [    1.1] nvme 0001:02:00.1: PCIe Bus Error: severity=Corrected|");
}

/* APEI: firmware handles AER. DPC: the port has cut the link off. */
Test(kernel_log, errors_that_aer_does_not_report)
{
	static const char *const lines[] = {
		"{1}[Hardware Error]:   device_id: 0000:00:10.0",
		"pcieport 0000:00:10.0: AER: aer_status: 0x00040000, aer_mask: 0x00000000",
		"pcieport 0000:00:10.0: DPC: containment event, status:0x1f05, ERR_FATAL received from 0000:01:00.0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char text[160], expected[160];

		snprintf(text, sizeof(text), "[    1.0] %s\n", lines[i]);
		snprintf(expected, sizeof(expected), "kernel: [    1.0] %s|", lines[i]);
		cr_expect_str_eq(judge(text), expected);
	}
	cr_expect_str_eq(judge("[    1.0] pcieport 0000:00:10.0: DPC: error containment capabilities: Int Msg #0\n"
			       "[    1.0] {1}[Hardware Error]:   vendor_id: 0x8086, device_id: 0x5000\n"),
			 "");
}

/* The domain of a function behind Intel VMD has five digits. */
Test(kernel_log, a_longer_name_is_another_function)
{
	cr_expect_str_eq(judge("pcieport 10000:00:10.0: PCIe Bus Error: severity=Corrected\n"
			       "pcieport 0000:00:10.00: PCIe Bus Error: severity=Corrected\n"),
			 "");
	cr_expect_str_eq(judge("10000:00:10.0 0000:00:10.0: PCIe Bus Error: severity=Corrected\n"),
			 "kernel: 10000:00:10.0 0000:00:10.0: PCIe Bus Error: severity=Corrected|");
	cr_expect_str_eq(judge("PCIe Bus Error: 0000:00:10.0"), "kernel: PCIe Bus Error: 0000:00:10.0|");
}

Test(kernel_log, an_error_of_another_function_is_noted)
{
	cr_expect_str_eq(judge("[    1.1] nvme 0000:02:00.1: PCIe Bus Error: severity=Corrected\n"), "");
	cr_expect(strstr(noted, "an error of a function that is not of the plan: [    1.1] nvme"), "%s", noted);
}

Test(kernel_log, an_error_that_the_case_may_have_sent_is_noted)
{
	const char *error = "[    1.1] pcieport 0000:00:10.0: PCIe Bus Error: severity=Uncorrectable (Non-Fatal)\n";

	cr_expect_str_eq(judge_after(true, error), "");
	cr_expect(strstr(noted, "an error, and the case has sent TLPs: [    1.1] pcieport"), "%s", noted);
	cr_expect_str_eq(judge_after(true, WARNING("drivers/hwtracing/ptt/hisi_ptt.c:100")),
			 "kernel: WARNING: CPU: 0 PID: 7 at drivers/hwtracing/ptt/hisi_ptt.c:100|");
}

Test(kernel_log, no_error_at_all)
{
	cr_expect_str_eq(
		judge("[    1.0] pcieport 0000:00:10.0: AER: enabled with IRQ 12\n[    1.1] hisi_ptt: hello\n"), "");
	cr_expect_str_eq(judge(""), "");
	cr_expect_str_eq(noted, "");
}

Test(kernel_log, a_gap_leaves_nothing_to_judge)
{
	cr_expect_str_eq(judge("[    1.0] usb 1-1: hello\n"
			       "pcieval: the kernel's log was overwritten before it was read\n"
			       "[    9.0] pcieval: a message of the kernel\n"
			       "pcieval: more messages than it keeps\n"),
			 "guest: looking for kernel reports: expected the whole log, got pcieval: the kernel's log was "
			 "overwritten before it was read|guest: looking for kernel reports: expected the whole log, "
			 "got pcieval: more messages than it keeps|");
}

/* ---- reading ---- */

static size_t has;

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	size_t left = offset < has ? has - (size_t)offset : 0;

	cr_expect_str_eq(path, "/dev/kmsg");
	memset(buf, 'x', left < room ? left : room);
	return has == SIZE_MAX ? -EPERM : (int64_t)(left < room ? left : room);
}

Test(kernel_log, is_read_to_its_end)
{
	static const struct pv_shell_ops ops = {.file_read = file_read};
	struct pv_shell shell = {&ops};
	char *text;
	size_t n;

	has = 200000;
	cr_assert_eq(pv_kernel_log_read(&shell, 100, &text, &n), 0);
	cr_expect_eq(n, 199900);
	cr_expect_eq(strlen(text), n);
	free(text);
	cr_expect_eq(pv_kernel_log_read(&shell, 200000, &text, &n), 0);
	cr_expect_eq(n, 0, "nothing new");
	free(text);
}

static int read_error(struct pv_shell *s)
{
	char *text;
	size_t n;
	int err = pv_kernel_log_read(s, 0, &text, &n);

	free(text);
	return err;
}

Test(kernel_log, that_cannot_be_read)
{
	static const struct pv_shell_ops ops = {.file_read = file_read};
	struct pv_shell shell = {&ops};

	has = SIZE_MAX;
	cr_expect_eq(read_error(&shell), -EPERM);
	has = 5u << 20;
	cr_expect_eq(read_error(&shell), -EFBIG);
	cr_expect_eq(read_error(NULL), -EOPNOTSUPP);
}
