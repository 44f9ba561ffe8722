/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target "qemu": kernel drivers in a guest whose PCI hardware is the models. */
#ifndef PV_QEMU_TARGET_H
#define PV_QEMU_TARGET_H

#include "framework/target/target.h"

extern const struct pv_target_ops pv_target_qemu;

#endif
