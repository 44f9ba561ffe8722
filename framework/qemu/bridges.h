/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host bridges of a topology, as the guest's device tree shall have them. */
#ifndef PV_QEMU_BRIDGES_H
#define PV_QEMU_BRIDGES_H

#include "fixtures/qemu/fabric.h"
#include "framework/target/topology.h"

/* One for each PCI domain. 0; -ENOSPC: more domains than the fabric has room for, or one above its last. */
int pv_bridges_of(const struct pv_topology *t, struct pv_fabric_hello *out);

#endif
