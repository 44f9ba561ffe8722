/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All registers of the models as text, to compare two moments by: read in the models, so that no kernel has a say in
 * it.
 */
#ifndef PV_TESTS_REGISTERS_H
#define PV_TESTS_REGISTERS_H

#include "framework/target/hw.h"
#include "framework/util/error.h"

/*
 * Writes `path`, which is there, and whole, when this returns. A line for each DW that is not 0: function, space,
 * offset, value; BARs of functions whose registers have an effect (PTT, CXL). What a BAR reads, and the models' time,
 * are as if a CPU had read it.
 */
int pv_board_vm_write_registers(struct pv_hw *hw, const char *path, struct pv_error *e);

#endif
