/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel messages that are trouble, and the extent of each report. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "framework/target/console.h"

static enum pv_kernel_trouble look(const char *text, char *line, size_t size, size_t *report)
{
	const char *at;
	size_t n;

	*line = 0;
	enum pv_kernel_trouble t = pv_console_trouble(text, strlen(text), &at, &n, report);
	if (t)
		snprintf(line, size, "%.*s", (int)n, at);
	return t;
}

struct example {
	const char *text, *line;
	enum pv_kernel_trouble trouble;
};

static void check_examples(const struct example *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char line[256];
		size_t report = 0;

		cr_expect_eq(look(x[i].text, line, sizeof(line), &report), x[i].trouble, "example %zu", i);
		cr_expect_str_eq(line, x[i].line, "example %zu: %s", i, line);
	}
}
#define CHECK_EXAMPLES(x) check_examples(x, sizeof(x) / sizeof((x)[0]))

Test(console, nothing_to_report)
{
	static const struct example none[] = {
		{"", "", PV_TROUBLE_NONE},
		{"[    0.1] Booting Linux\n[    0.2] hisi_ptt 0000:00:00.0: probed\n", "", PV_TROUBLE_NONE},
		{"hisi_ptt: loading out-of-tree module taints kernel.\n", "", PV_TROUBLE_NONE},
		{"kmemleak: Kernel memory leak detector initialized (mem pool available: 14000)\n", "",
		 PV_TROUBLE_NONE},
		{"kasan: KernelAddressSanitizer initialized (generic)\n", "", PV_TROUBLE_NONE},
		{"pcieport 0000:80:00.0: AER: Correctable error message received from 0000:81:00.0\n", "",
		 PV_TROUBLE_NONE},
		{"INFO: lockdep is turned off.\n", "", PV_TROUBLE_NONE},
	};

	CHECK_EXAMPLES(none);
}

/* The texts of Linux 6.12, as its sources and guests have them. */
Test(console, what_kernels_say)
{
	static const struct example said[] = {
		{"[    1.5] WARNING: CPU: 0 PID: 1 at kernel/events/core.c:123 x\n",
		 "WARNING: CPU: 0 PID: 1 at kernel/events/core.c:123 x", PV_TROUBLE_REPORT},
		{"a\r\n[    1.500000] BUG: KASAN: slab-out-of-bounds in f\r\nb\r\n",
		 "BUG: KASAN: slab-out-of-bounds in f", PV_TROUBLE_REPORT},
		{"BUG: sleeping function called from invalid context at x.c:1",
		 "BUG: sleeping function called from invalid context at x.c:1", PV_TROUBLE_REPORT},
		{"[ 1.0] BUG: scheduling while atomic: swapper/0/1/0x00000002",
		 "BUG: scheduling while atomic: swapper/0/1/0x00000002", PV_TROUBLE_REPORT},
		{"[ 1.0] BUG: using smp_processor_id() in preemptible [00000000] code: pcieval-far/40\n",
		 "BUG: using smp_processor_id() in preemptible [00000000] code: pcieval-far/40", PV_TROUBLE_REPORT},
		{"[ 1.0] [ BUG: Invalid wait context ]\n", "[ BUG: Invalid wait context ]", PV_TROUBLE_REPORT},
		/* Only times are left out. */
		{"[drm] BUG: unable to handle page fault\n", "[drm] BUG: unable to handle page fault", PV_TROUBLE_OOPS},
		{"[kernel BUG at a.c:1]", "[kernel BUG at a.c:1]", PV_TROUBLE_OOPS},
		{"watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [pcieval-far:40]\n",
		 "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [pcieval-far:40]", PV_TROUBLE_REPORT},
		{"BUG kmalloc-64 (Not tainted): Right Redzone overwritten\n",
		 "BUG kmalloc-64 (Not tainted): Right Redzone overwritten", PV_TROUBLE_REPORT},
		{"BUG kmalloc-rnd-03-64 (Tainted: G    B      O      ): Poison overwritten\n",
		 "BUG kmalloc-rnd-03-64 (Tainted: G    B      O      ): Poison overwritten", PV_TROUBLE_REPORT},
		{"BUG cxl_memdev (Tainted: G O): Objects remaining on __kmem_cache_shutdown()\n",
		 "BUG cxl_memdev (Tainted: G O): Objects remaining on __kmem_cache_shutdown()", PV_TROUBLE_REPORT},
		{"WARNING: possible circular locking dependency detected\n",
		 "WARNING: possible circular locking dependency detected", PV_TROUBLE_REPORT},
		{"WARNING: suspicious RCU usage\n", "WARNING: suspicious RCU usage", PV_TROUBLE_REPORT},
		{"INFO: trying to register non-static key.\n", "INFO: trying to register non-static key.",
		 PV_TROUBLE_REPORT},
		{"INFO: task kworker/0:1:9 blocked for more than 122 seconds.\n",
		 "INFO: task kworker/0:1:9 blocked for more than 122 seconds.", PV_TROUBLE_REPORT},
		{"rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n",
		 "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", PV_TROUBLE_REPORT},
		{"irq 35: nobody cared (try booting with the \"irqpoll\" option)\n",
		 "irq 35: nobody cared (try booting with the \"irqpoll\" option)", PV_TROUBLE_REPORT},
		{"irq event 35: bogus return value 7\n", "irq event 35: bogus return value 7", PV_TROUBLE_REPORT},
		{"genirq: Flags mismatch irq 35. 00000080 (a) vs. 00000000 (b)\n",
		 "genirq: Flags mismatch irq 35. 00000080 (a) vs. 00000000 (b)", PV_TROUBLE_REPORT},
		{"sysfs: cannot create duplicate filename '/bus/event_source/devices/cxl_pmu_mem0.0'\n",
		 "sysfs: cannot create duplicate filename '/bus/event_source/devices/cxl_pmu_mem0.0'",
		 PV_TROUBLE_REPORT},
		{"kernel BUG at mm/slub.c:1!\n", "kernel BUG at mm/slub.c:1!", PV_TROUBLE_OOPS},
		{"[ 2.0] Unable to handle kernel NULL pointer dereference at virtual address 8\n",
		 "Unable to handle kernel NULL pointer dereference at virtual address 8", PV_TROUBLE_OOPS},
		{"Internal error: synchronous external abort: 0000000096000010 [#1] SMP\n",
		 "Internal error: synchronous external abort: 0000000096000010 [#1] SMP", PV_TROUBLE_OOPS},
		{"[ 2.0] BUG: kernel NULL pointer dereference, address: 0000000000000008\n",
		 "BUG: kernel NULL pointer dereference, address: 0000000000000008", PV_TROUBLE_OOPS},
		{"[ 2.0] BUG: unable to handle page fault for address: ffffc90000200000\n",
		 "BUG: unable to handle page fault for address: ffffc90000200000", PV_TROUBLE_OOPS},
		{"[ 2.0] Oops: divide error: 0000 [#1] PREEMPT SMP NOPTI\n",
		 "Oops: divide error: 0000 [#1] PREEMPT SMP NOPTI", PV_TROUBLE_OOPS},
		{"general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP\n",
		 "general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP",
		 PV_TROUBLE_OOPS},
		{"general protection fault: 0000 [#1] SMP\n", "general protection fault: 0000 [#1] SMP",
		 PV_TROUBLE_OOPS},
		{"divide error: 0000 [#1] SMP PTI\n", "divide error: 0000 [#1] SMP PTI", PV_TROUBLE_OOPS},
		{"invalid opcode: 0000 [#1] SMP PTI\n", "invalid opcode: 0000 [#1] SMP PTI", PV_TROUBLE_OOPS},
		{"[ 2.0] Kernel panic - not syncing: Attempted to kill init!\n",
		 "Kernel panic - not syncing: Attempted to kill init!", PV_TROUBLE_PANIC},
		{"Out of memory: Killed process 41 (pcieval-far) total-vm:70000kB, anon-rss:60000kB\n",
		 "Out of memory: Killed process 41 (pcieval-far) total-vm:70000kB, anon-rss:60000kB", PV_TROUBLE_GUEST},
		{"pcieval-init: module hisi_ptt is not loaded: can't insert '/modules/hisi_ptt.ko': invalid module "
		 "format\n",
		 "pcieval-init: module hisi_ptt is not loaded: can't insert '/modules/hisi_ptt.ko': invalid module "
		 "format",
		 PV_TROUBLE_GUEST},
		{"** 7 printk messages dropped **\n", "** 7 printk messages dropped **", PV_TROUBLE_GUEST},
		{"insmod: page allocation failure: order:10, mode:0xcc4(GFP_KERNEL|GFP_DMA32), nodemask=(null)\n",
		 "insmod: page allocation failure: order:10, mode:0xcc4(GFP_KERNEL|GFP_DMA32), nodemask=(null)",
		 PV_TROUBLE_GUEST},
	};

	CHECK_EXAMPLES(said);
}

#define CUT "[    2.1] ------------[ cut here ]------------\n"
#define END "[    2.1] ---[ end trace 0000000000000000 ]---\n"

/* WARN(), UBSAN and DEBUG_OBJECTS say why first, or only where: what stands behind "cut here" is the message. */
Test(console, what_was_cut_out)
{
	static const struct example cut[] = {
		{CUT "[    2.1] refcount_t: underflow; use-after-free.\n"
		     "[    2.1] WARNING: CPU: 0 PID: 1 at lib/refcount.c:28 refcount_warn_saturate+0xf4/0x144\n" END,
		 "refcount_t: underflow; use-after-free.", PV_TROUBLE_REPORT},
		{CUT
		 "[    2.1] DMA-API: hisi_ptt 0000:75:00.0: device driver has pending DMA allocations while released "
		 "from device [count=4]\n"
		 "[    2.1] WARNING: CPU: 0 PID: 40 at kernel/dma/debug.c:862 "
		 "dma_debug_device_change+0x1a0/0x1b0\n" END,
		 "DMA-API: hisi_ptt 0000:75:00.0: device driver has pending DMA allocations while released from device "
		 "[count=4]",
		 PV_TROUBLE_REPORT},
		{CUT "[    2.1] ODEBUG: free active (active state 0) object: ffff0000 object type: timer_list hint: f\n"
		     "[    2.1] WARNING: CPU: 0 PID: 40 at lib/debugobjects.c:514 debug_print_object+0x15c/0x1b0\n" END,
		 "ODEBUG: free active (active state 0) object: ffff0000 object type: timer_list hint: f",
		 PV_TROUBLE_REPORT},
		{CUT "[    2.1] UBSAN: shift-out-of-bounds in drivers/hwtracing/ptt/hisi_ptt.c:92:16\n"
		     "[    2.1] shift exponent 64 is too large for 32-bit type 'int'\n" END,
		 "UBSAN: shift-out-of-bounds in drivers/hwtracing/ptt/hisi_ptt.c:92:16", PV_TROUBLE_REPORT},
		{CUT "[    2.1] a driver's own words\n", "a driver's own words", PV_TROUBLE_REPORT},
		{CUT "[    2.1] WARNING: CPU: 0 PID: 1 at a.c:1 f+0x8/0x10\n" END,
		 "WARNING: CPU: 0 PID: 1 at a.c:1 f+0x8/0x10", PV_TROUBLE_REPORT},
		{CUT "[    2.1] kernel BUG at a.c:1!\n[    2.1] Internal error: Oops - BUG: 00000000f2000800 [#1] "
		     "SMP\n" END,
		 "kernel BUG at a.c:1!", PV_TROUBLE_OOPS},
	};

	CHECK_EXAMPLES(cut);
}

/* Checks where the first report of a text begins. */
static void check_report(const char *text, const char *rest)
{
	char line[256];
	const char *at;
	size_t n, report = 0;

	cr_assert_neq(pv_console_trouble(text, strlen(text), &at, &n, &report), PV_TROUBLE_NONE);
	snprintf(line, sizeof(line), "%s", at + report);
	cr_expect_str_eq(line, rest);
}

Test(console, where_reports_end)
{
	check_report(CUT "[    2.1] x\n[    2.1] WARNING: CPU: 0 PID: 1 at a.c:1 f\n[    2.1] Call trace:\n"
			 "[    2.1]  f+0x8/0x10\n" END "next\n",
		     "next\n");
	check_report("[ 1.0] ==================================================================\n"
		     "[ 1.0] BUG: KASAN: slab-use-after-free in f+0x10/0x20 [hisi_ptt]\n[ 1.0] Call trace:\n[ 1.0]  f\n"
		     "[ 1.0] \n[ 1.0] Allocated by task 40:\n[ 1.0]  g\n"
		     "[ 1.0] ==================================================================\nnext\n",
		     "next\n");
	check_report(
		"[ 1.0] ======================================================\n"
		"[ 1.0] WARNING: possible circular locking dependency detected\n"
		"[ 1.0] 6.12.1 #1 Not tainted\n[ 1.0] -> #1 (a){+.+.}-{3:3}:\n[ 1.0]        lock_acquire+0x10/0x20\n"
		"[ 1.0] stack backtrace:\n[ 1.0] CPU: 0 PID: 40\n[ 1.0] Call trace:\n[ 1.0]  f\n[ 1.0]  g\nnext\n",
		"next\n");
	check_report("irq 35: nobody cared (try booting with the \"irqpoll\" option)\nCall trace:\n f\nhandlers:\n"
		     "[<00000000a1>] hisi_ptt_isr\nDisabling IRQ #35\nnext\n",
		     "next\n");
	check_report("Out of memory: Killed process 41 (x)\nnext\n", "next\n");
	check_report("BUG: scheduling while atomic: x\n" CUT "[    2.1] y\n" END, CUT "[    2.1] y\n" END);
}

Test(console, the_worst)
{
	const char *text = "WARNING: x\n[ 1.0] Internal error: Oops: 1\n---[ end trace 0 ]---\nBUG: KASAN: y\n";

	cr_expect_eq(pv_console_worst(text, strlen(text)), PV_TROUBLE_OOPS);
	cr_expect_eq(pv_console_worst("BUG: KASAN: y", 13), PV_TROUBLE_REPORT);
	cr_expect_eq(pv_console_worst("", 0), PV_TROUBLE_NONE);
}

Test(console, a_report_ends_at_its_mark)
{
	const char *text = "fine\n[ 1.0] WARNING: CPU: 0 PID: 1\n[ 1.0] Call trace:\n[ 1.0]  f\n[ 1.0] ---[ end trace "
			   "0 ]---\nmore\n";
	char line[256];
	size_t report = 0;

	cr_assert_eq(look(text, line, sizeof(line), &report), PV_TROUBLE_REPORT);
	cr_assert_str_eq(line, "WARNING: CPU: 0 PID: 1");
	const char *from = strstr(text, "WARNING");
	cr_assert_str_eq(from + report, "more\n");
}

Test(console, a_report_without_end_is_bounded)
{
	char text[8192] = "BUG: x\n", line[64];
	size_t report = 0;

	for (size_t n = strlen(text); n < sizeof(text) - 8; n += 2)
		memcpy(text + n, "y\n", 3);
	cr_assert_eq(look(text, line, sizeof(line), &report), PV_TROUBLE_REPORT);
	cr_assert_eq(report, strlen("BUG: x\n") + 199 * 2);
}
