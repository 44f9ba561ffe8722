/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bus of the reference driver on a running Linux: configuration space and BARs of PCI functions through sysfs,
 * interrupts and time. A function whose BARs are mapped is taken from its driver in the kernel, and given back in the
 * end. Root Ports stay with pcieport: of them, only configuration space is used.
 */
#ifndef PV_VFIO_BUS_H
#define PV_VFIO_BUS_H

#include "drivers/user/bus.h"
#include "framework/linux/linux.h"

struct pv_vfio_bus;

/*
 * With these functions alone, and nothing else of the machine; n 0: with all. 0 or -errno. Where what is changed is
 * noted, to be put back (framework/linux/undo.h), so is what the bus changes.
 */
int pv_vfio_bus_open(struct pv_vfio_bus **out, struct pv_linux *l, const pv_bdf *functions, size_t n,
		     struct pv_error *e);
/* From now on takes only functions that an earlier driver took and nobody has taken since. */
void pv_vfio_bus_settle(struct pv_vfio_bus *b);
/* Nothing may be mapped any more. Gives functions back to their drivers, unless that is noted. */
void pv_vfio_bus_close(struct pv_vfio_bus *b);

const struct pv_bus *pv_vfio_bus_of(struct pv_vfio_bus *b);
/* Functions may have come or gone. 0 or -errno. */
int pv_vfio_bus_refresh(struct pv_vfio_bus *b);
/* Lets go of functions that the driver has let go of, so that the kernel can remove them. */
void pv_vfio_bus_let_go(struct pv_vfio_bus *b);
/* Lets time pass, in which interrupts arrive. 0 or -errno. */
int pv_vfio_bus_wait(struct pv_vfio_bus *b, uint64_t ns);

#endif
