/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of a kernel's words are trouble, and how much of them belongs to it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "framework/qemu/console.h"

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

Test(console, trouble)
{
	static const struct {
		const char *text, *line;
		enum pv_kernel_trouble trouble;
	} cases[] = {
		{"", "", PV_TROUBLE_NONE},
		{"[    0.1] Booting Linux\n[    0.2] hisi_ptt 0000:00:00.0: probed\n", "", PV_TROUBLE_NONE},
		{"[    1.5] WARNING: CPU: 0 PID: 1 at kernel/events/core.c:123 x\n",
		 "WARNING: CPU: 0 PID: 1 at kernel/events/core.c:123 x", PV_TROUBLE_REPORT},
		{"a\r\n[    1.500000] BUG: KASAN: slab-out-of-bounds in f\r\nb\r\n",
		 "BUG: KASAN: slab-out-of-bounds in f", PV_TROUBLE_REPORT},
		{"BUG: sleeping function called from invalid context at x.c:1",
		 "BUG: sleeping function called from invalid context at x.c:1", PV_TROUBLE_REPORT},
		{"kernel BUG at mm/slub.c:1!\n", "kernel BUG at mm/slub.c:1!", PV_TROUBLE_OOPS},
		{"irq 35: nobody cared (try booting with the \"irqpoll\" option)\n",
		 "irq 35: nobody cared (try booting with the \"irqpoll\" option)", PV_TROUBLE_REPORT},
		{"[ 2.0] Unable to handle kernel NULL pointer dereference at virtual address 8\n",
		 "Unable to handle kernel NULL pointer dereference at virtual address 8", PV_TROUBLE_OOPS},
		{"[ 2.0] Kernel panic - not syncing: Attempted to kill init!\n",
		 "Kernel panic - not syncing: Attempted to kill init!", PV_TROUBLE_PANIC},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[256];
		size_t report = 0;
		cr_expect_eq(look(cases[i].text, line, sizeof(line), &report), cases[i].trouble, "case %zu", i);
		cr_expect_str_eq(line, cases[i].line, "case %zu: %s", i, line);
	}
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
	const char *text =
		"fine\n[ 1.0] WARNING: x\n[ 1.0] Call trace:\n[ 1.0]  f\n[ 1.0] ---[ end trace 0 ]---\nmore\n";
	char line[256];
	size_t report = 0;
	cr_assert_eq(look(text, line, sizeof(line), &report), PV_TROUBLE_REPORT);
	cr_assert_str_eq(line, "WARNING: x");
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
	cr_assert_eq(report, strlen("BUG: x\n") + 99 * 2);
}
