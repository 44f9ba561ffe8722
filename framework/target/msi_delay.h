/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSIs that are delayed on their way to the guest: a slow consumer, as on target model (model_bus.c). */
#ifndef PV_QEMU_HELD_H
#define PV_QEMU_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

#define PV_HELD_MAX 64

struct pv_held_msi {
	uint64_t due_ps; /* of the models' time */
	pv_bdf bdf;
	unsigned vector;
};

struct pv_held {
	uint64_t latency_ps;
	struct pv_held_msi msi[PV_HELD_MAX]; /* the first `n`, in no order */
	size_t n;
	uint64_t lost; /* had no room */
};

/* Waiting MSIs are due no later than a new one. */
void pv_held_latency(struct pv_held *h, uint64_t now_ps, uint64_t latency_ps);
/*
 * A message that is already waiting is not added again, as in an interrupt controller. Returns false if there is no
 * delay.
 */
bool pv_held_add(struct pv_held *h, uint64_t now_ps, pv_bdf bdf, unsigned vector);
/* Returns when the next one is due; UINT64_MAX: none is waiting. */
uint64_t pv_held_next_ps(const struct pv_held *h);
/* Takes the earliest of those that are due. False: there is none. */
bool pv_held_take(struct pv_held *h, uint64_t now_ps, struct pv_held_msi *out);

#endif
