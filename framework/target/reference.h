/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference driver as a driver under test: on the models (model.c), and on the functions of a running Linux
 * (framework/vfio/reference.c).
 */
#ifndef PV_TARGET_REFERENCE_H
#define PV_TARGET_REFERENCE_H

#include "drivers/user/sys.h"
#include "framework/target/driver.h"
#include "framework/target/machine.h"

struct pv_reference {
	struct pv_driver driver; /* its ops are pv_reference_ops, or others that call them */
	struct pv_sys *sys;	 /* NULL: not booted, and the driver must not be called */
};

extern const struct pv_driver_ops pv_reference_ops;

/* Boots it on a bus with the policy: 0 or -ENOMEM. */
int pv_reference_boot(struct pv_reference *r, const struct pv_bus *bus, enum pv_mps_policy policy);
/* Shuts it down, if it was booted. */
void pv_reference_shutdown(struct pv_reference *r);

#endif
