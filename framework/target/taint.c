/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/target/taint.h"

#include <stdio.h>
#include <stdlib.h>

#include "framework/util/cleanup.h"
#include "framework/util/error.h"

static const struct {
	unsigned bit;
	const char *letter, *means;
} taints[] = {
	{1, "F", "a module was loaded by force"},
	{3, "R", "a module was unloaded by force"},
	{4, "M", "the processor reported a machine check"},
	{5, "B", "a page or an object in memory was bad"},
	{7, "D", "the kernel had an oops or BUG"},
	{9, "W", "the kernel gave a warning"},
	{14, "L", "a CPU did not schedule for long (soft lockup)"},
};

int pv_taint_read(struct pv_shell *shell, uint64_t *bits)
{
	char text[32];
	int64_t n = pv_shell_read_text(shell, PV_TAINT_FILE, text, sizeof(text));

	if (n < 0)
		return (int)n;
	*bits = strtoull(text, NULL, 10);
	return 0;
}

void pv_taint_report(struct pv_shell *shell, uint64_t before, pv_report_fn told, void *ctx)
{
	uint64_t bits = 0;
	char report[160];
	int err = pv_taint_read(shell, &bits);

	if (err) {
		snprintf(report, sizeof(report),
			 "looking for taint: expected to read " PV_TAINT_FILE ", got %s; CONFIG_SYSCTL has it",
			 pv_errno_name(err));
		told(ctx, "guest", report);
	}
	for (size_t i = 0; i < ARRAY_SIZE(taints); i++) {
		if (!((bits & ~before) >> taints[i].bit & 1))
			continue;
		snprintf(report, sizeof(report), "expected the kernel not to be tainted, got %s: %s", taints[i].letter,
			 taints[i].means);
		told(ctx, "taint", report);
	}
}
