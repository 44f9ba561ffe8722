/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest asked of the models and was answered, from its first ask on. Models that are asked the same again, and answer
 * the same, are where that guest has brought them; and the guest, which knows of them only what they answered, is where
 * it was (framework/qemu/ready.h).
 */
#ifndef PV_QEMU_RECORD_H
#define PV_QEMU_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fixtures/qemu/fabric.h"

struct pv_asked {
	struct pv_fabric_ask ask;
	uint64_t value;	  /* answered to a read */
	uint64_t wake_ns; /* when the models had to run next */
	uint64_t msis;	  /* sent with the answer: a hash, 0 if none */
};

struct pv_asks {
	struct pv_asked *at;
	size_t n, room;
	bool broken; /* not all is here, or the models did what cannot be asked for again: DMA */
};

struct pv_asked pv_asked_of(const struct pv_fabric_ask *ask, const struct pv_fabric_answer *answer);
bool pv_asked_same(const struct pv_asked *a, const struct pv_asked *b);
void pv_record_add(struct pv_asks *r, const struct pv_asked *a);
void pv_record_free(struct pv_asks *r);

#endif
