/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference driver on a running Linux: it drives the PMUs, which no driver in the kernel may do meanwhile. The PCI
 * core stays the kernel's: functions come and go there first.
 */
#ifndef PV_VFIO_REFERENCE_H
#define PV_VFIO_REFERENCE_H

#include "framework/linux/linux.h"

struct pv_vfio_reference;

/*
 * Boots it with the policy, on these functions alone; n 0: on all, which is refused where what it changes is noted. 0
 * or -errno.
 */
int pv_vfio_reference_boot(struct pv_vfio_reference **out, struct pv_linux *l, enum pv_mps_policy policy,
			   const pv_bdf *functions, size_t n, struct pv_error *e);
/*
 * Boots it on the functions of a driver that was killed, to put them at rest: takes none of them from the kernel. 0 or
 * -errno.
 */
int pv_vfio_reference_settle(struct pv_vfio_reference **out, struct pv_linux *l, const pv_bdf *functions, size_t n,
			     struct pv_error *e);
/*
 * Shuts it down, with no event open, and gives what it has taken back to the kernel, unless that is noted. NULL:
 * nothing to do.
 */
void pv_vfio_reference_end(struct pv_vfio_reference *r);

struct pv_driver *pv_vfio_reference_driver(struct pv_vfio_reference *r);
/* As that of the Linux, but that interrupts arrive while time passes. */
struct pv_machine *pv_vfio_reference_machine(struct pv_vfio_reference *r);

#endif
