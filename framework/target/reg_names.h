/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers for people, as in drivers/regs/. */
#ifndef PV_TARGET_REG_NAMES_H
#define PV_TARGET_REG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "fixtures/models/model.h"

/*
 * Returns the name of a register of a function of this kind; "": none. `space`: 0..5 a BAR, else configuration space,
 * whose 4096 bytes are `cfg`, to find registers of capabilities; NULL: unknown, only the header has names.
 */
const char *pv_reg_name(enum pv_node_kind kind, uint8_t space, uint32_t off, const uint8_t *cfg, char *buf,
			size_t size);

#endif
