/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restores what a machine's undo journal has (framework/linux/undo.h). */
#ifndef PV_VFIO_RESTORE_H
#define PV_VFIO_RESTORE_H

#include "framework/linux/linux.h"

/*
 * From now on attributes and registers in configuration space can be put back: what they were is in run/pcieval/undo,
 * below the root, before they are written; what cannot be put back is not written (-EPERM). Puts back what an earlier
 * process has left there. 0; -EBUSY: another process is at it; -errno.
 */
int pv_restore_begin(struct pv_linux *l, struct pv_error *e);
/*
 * Puts back all that was written since. First has a reference driver restore what it tuned and leave its functions
 * idle, if the one that was there was killed, and takes them from vfio-pci. On an error the file has it still.
 */
int pv_restore_all(struct pv_linux *l, struct pv_error *e);
/* The same, and removes the file. */
int pv_restore_end(struct pv_linux *l, struct pv_error *e);

#endif
