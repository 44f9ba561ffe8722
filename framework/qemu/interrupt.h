/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the kernel of a guest handles an interrupt, from its files in /proc. */
#ifndef PV_QEMU_INTERRUPT_H
#define PV_QEMU_INTERRUPT_H

#include "framework/target/machine.h"
#include "framework/target/shell.h"

/*
 * Finds an interrupt by the name of a handler, as in /proc/interrupts. Returns 0; -ENOENT: there is none; -E2BIG: too
 * many tasks to look at; -errno.
 */
int pv_interrupt_find(struct pv_shell *s, const char *name, struct pv_interrupt *out);

#endif
