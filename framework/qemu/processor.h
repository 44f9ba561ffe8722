/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case and its QEMU take turns: one waits while the other works. On one processor a turn costs a third of what it costs on
 * two, which have to wake each other up. So each pair looks for a processor that no other pair has.
 */
#ifndef PV_QEMU_PROCESSOR_H
#define PV_QEMU_PROCESSOR_H

/*
 * Confines this process, and what it starts from now on, to a processor that no other process of this user has claimed this
 * way. A descriptor that holds the claim until it is closed or the process ends; -1: all are taken, and nothing has changed.
 */
int pv_processor_claim(void);

#endif
