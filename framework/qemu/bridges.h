/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host bridges of a topology, for the guest's device tree. */
#ifndef PV_QEMU_BRIDGES_H
#define PV_QEMU_BRIDGES_H

#include <stdbool.h>

#include "fixtures/qemu/fabric.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

/* 0; -EOPNOTSUPP: Linux or the fabric does not support the topology, with the reason in *e. */
int pv_bridges_of(const struct pv_topology *t, struct pv_fabric_hello *out, struct pv_error *e);

/* Returns true if a PCI domain has several: those behind the first need the kernel module of framework/far/module. */
bool pv_bridges_share_domain(const struct pv_fabric_hello *h);

#endif
