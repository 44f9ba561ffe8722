/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log of all accesses of a guest to the models, with the answers, from the first access on. It is replayed to other
 * models: if they give the same answers, they are in the state that the guest has brought its own models to. The guest
 * cannot tell them apart, so it can continue with them (snapshot.h).
 */
#ifndef PV_QEMU_MMIO_LOG_H
#define PV_QEMU_MMIO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fixtures/qemu/fabric.h"

struct pv_mmio_access {
	struct pv_fabric_ask ask;
	uint64_t value;	  /* answer to a read */
	uint64_t wake_ns; /* when the models had to run next */
	uint64_t msis;	  /* hash of the MSIs in the answer; 0: none */
};

struct pv_mmio_log {
	struct pv_mmio_access *at;
	size_t n, room;
	bool broken; /* incomplete, or the models did DMA, which cannot be replayed */
};

struct pv_mmio_access pv_mmio_access_of(const struct pv_fabric_ask *ask, const struct pv_fabric_answer *answer);
bool pv_mmio_access_same(const struct pv_mmio_access *a, const struct pv_mmio_access *b);
void pv_mmio_log_add(struct pv_mmio_log *l, const struct pv_mmio_access *a);
void pv_mmio_log_free(struct pv_mmio_log *l);

#endif
