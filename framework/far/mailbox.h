/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mailbox of the pcieval-fabric device (fixtures/qemu/fabric.h), from the guest's side. The first doorbell rings
 * with an empty message: "ready". An empty request means the end.
 */
#ifndef PV_FAR_MAILBOX_H
#define PV_FAR_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

struct pv_mailbox {
	volatile uint64_t *regs;
	void *window;
	size_t window_bytes;
};

/* Maps the page at physical address `page`, and the window that belongs to it, through /dev/mem. */
int pv_mailbox_open(struct pv_mailbox *m, uint64_t page, struct pv_error *e);
void pv_mailbox_close(struct pv_mailbox *m);

/*
 * Sends an answer and returns with the next request in `request`, which has room for window_bytes: its length; 0: the
 * end; -EMSGSIZE when it is longer than the window.
 */
int64_t pv_mailbox_exchange(struct pv_mailbox *m, const void *answer, size_t n, void *request);

#endif
