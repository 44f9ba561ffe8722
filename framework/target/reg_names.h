/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers for people, as they stand in drivers/regs/. */
#ifndef PV_TARGET_REG_NAMES_H
#define PV_TARGET_REG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "fixtures/models/model.h"

struct pv_reg_range {
	uint32_t first, stride, count; /* count 1: a single register */
	const char *name;
};

/* The name of the register at `off`, made in `buf` if need be; "": none of them. */
const char *pv_reg_lookup(const struct pv_reg_range *r, size_t n, uint32_t off, char *buf, size_t size);

/*
 * Name of a register of a function of this kind, "" when it has none. `space`: 0..5 a BAR, else configuration space,
 * whose 4096 bytes are `cfg`, so that the registers of capabilities are found; NULL: not known, the header alone is.
 */
const char *pv_reg_name(enum pv_node_kind kind, uint8_t space, uint32_t off, const uint8_t *cfg, char *buf,
			size_t size);

/* Of a capability: "PCI_EXP_DEVCTL". "": `off` is in none that is known. (cfg_names.c) */
const char *pv_cap_reg_name(const uint8_t *cfg, uint32_t off, char *buf, size_t size);

#endif
