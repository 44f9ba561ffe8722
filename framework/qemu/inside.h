/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the target share. */
#ifndef PV_QEMU_INSIDE_H
#define PV_QEMU_INSIDE_H

#include "framework/qemu/target.h"

/* ---- boot.c ---- */

/* Starts a guest, from a saved machine if possible, and greets its far-side program. 0 or -errno. */
int pv_qemu_boot(struct pv_qemu_target *q, enum pv_boot_policy policy, struct pv_error *e);

/* ---- qemu.c ---- */

/*
 * A pv_far_exchange_fn with the target as ctx: the guest runs until it has answered or exited, or its kernel has died.
 */
int64_t pv_qemu_exchange(void *ctx, const void *request, size_t n, void *answer, size_t room);
/* While nothing comes from the guest, ctx is the target: is there any use in waiting on? */
bool pv_qemu_guest_runs(void *ctx);
/* Returns the kernel's console output since the last call, or "". The caller frees; NULL: no memory. */
char *pv_qemu_console_news(struct pv_qemu_target *q, size_t *n);
/* The guest's QEMU is left to later cases if it can be, or ended. */
void pv_qemu_end_guest(struct pv_qemu_target *q);

#endif
