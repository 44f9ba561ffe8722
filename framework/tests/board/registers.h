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
 * Writes `path` atomically, with a line for each non-zero DW: function, space, offset, value. Covers configuration
 * space of all functions, and BARs of PTTs and CXL memory devices. BARs are read as by a CPU, with the effects on
 * registers and on the models' time.
 */
int pv_board_vm_write_registers(struct pv_hw *hw, const char *path, struct pv_error *e);

#endif
