/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MPS and MRRS of single functions, and the log lines of the policies.
 */
#include "drivers/core/mps.h"

#include "drivers/regs/pcie.h"
#include "drivers/user/sys_internal.h"

/* "<before> a <between> b <after>"; the words follow Linux's where it has some. */
struct note {
	int level;
	const char *before, *between, *after;
};

static const struct note notes[] = {
	[PV_MPS_NOTE_MISMATCH] = {4, "Max Payload Size", ", but upstream bridge set to",
				  "; if necessary, use the safe policy"},
	[PV_MPS_NOTE_REFUSED] = {4, "can't set Max Payload Size to", ", the device's most is",
				 "; if necessary, use the safe policy"},
	[PV_MPS_NOTE_NOT_HELD] = {4, "Max Payload Size set to", ", but the device holds", ""},
	[PV_MPS_NOTE_SET] = {6, "Max Payload Size set to", ", it was", ""},
	[PV_MPS_NOTE_MRRS] = {4, "can't set the Max Read Request Size to", ", next is", ""},
};

void pv_sys_mps_note(void *ctx, const struct pv_mps_func *func, enum pv_mps_note note, int a, int b)
{
	const struct note *text = &notes[note];
	pv_bdf bdf = func->cfg.bdf;

	pv_sys_log(ctx, text->level, PCI_BDF_FMT ": %s %d%s %d%s", PCI_BDF_ARGS(bdf), text->before, a, text->between, b,
		   text->after);
}

int pv_sys_get_mps(struct pv_sys *sys, pv_bdf bdf)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mps_get(&func->mps) : -PV_ENODEV;
}

int pv_sys_set_mps(struct pv_sys *sys, pv_bdf bdf, int bytes)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mps_set(&func->mps, bytes) : -PV_ENODEV;
}

int pv_sys_get_mrrs(struct pv_sys *sys, pv_bdf bdf)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mrrs_get(&func->mps) : -PV_ENODEV;
}

int pv_sys_set_mrrs(struct pv_sys *sys, pv_bdf bdf, int bytes)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mrrs_set(&sys->mps, &func->mps, bytes) : -PV_ENODEV;
}
