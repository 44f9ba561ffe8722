/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the target "model": the reference driver on the emulated hardware, in one process and in simulated time. The
 * machine is in model.c, the driver's table in reference.c, the hardware in hw.h.
 */
#ifndef PV_TARGET_MODEL_H
#define PV_TARGET_MODEL_H

#include "framework/target/hw.h"
#include "framework/target/model_bus.h"
#include "framework/target/reference.h"

struct pv_model_target {
	struct pv_target base;
	struct pv_machine machine;
	struct pv_reference reference;
	struct pv_hw hw;
	struct pv_model_bus bus;
	bool dirty; /* the machine was booted: the next boot is a reboot */
};

extern const struct pv_target_ops pv_target_model;

#endif
