/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue that delays MSIs on their way to the driver, as a slow consumer does. Times are the models'. */
#ifndef PV_TARGET_MSI_DELAY_H
#define PV_TARGET_MSI_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

#define PV_MSI_DELAY_MAX 64

struct pv_delayed_msi {
	uint64_t due_ps;
	pv_bdf bdf;
	unsigned vector;
};

struct pv_msi_delay {
	uint64_t latency_ps;
	struct pv_delayed_msi msi[PV_MSI_DELAY_MAX]; /* the first `n`, in no order */
	size_t n;
	uint64_t lost; /* MSIs that found the queue full */
};

/* Changes the latency. Waiting MSIs become due no later than a new one. */
void pv_msi_delay_set(struct pv_msi_delay *d, uint64_t now_ps, uint64_t latency_ps);
/* Adds an MSI, unless the same one is already waiting: an interrupt controller does not count them either. */
void pv_msi_delay_add(struct pv_msi_delay *d, uint64_t now_ps, pv_bdf bdf, unsigned vector);
/* Returns when the next MSI is due; UINT64_MAX: none is waiting. */
uint64_t pv_msi_delay_next_ps(const struct pv_msi_delay *d);
/* Takes the earliest MSI that is due. Returns false if there is none. */
bool pv_msi_delay_take(struct pv_msi_delay *d, uint64_t now_ps, struct pv_delayed_msi *out);
/* Removes the waiting MSIs of a function. */
void pv_msi_delay_drop(struct pv_msi_delay *d, pv_bdf bdf);

#endif
