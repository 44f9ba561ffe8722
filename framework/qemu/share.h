/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sharing guests that are ready (ready.h) with later cases of their topology: where one CPU executes, so that nothing depends on the
 * host's time, and where no step has done anything to the hardware yet, so that cases are alike.
 */
#ifndef PV_QEMU_SHARE_H
#define PV_QEMU_SHARE_H

#include "framework/qemu/start.h"

/* Fills ready_key, found and ready. */
void pv_qemu_find_ready(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o);
/* Brings the models to where the machine that was found is, and restores it. 0; -ESTALE: they are other models; -errno. */
int pv_qemu_restore_ready(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e);
/* May this guest, which is ready, be saved? If not, no later one of its topology is asked again. */
bool pv_qemu_can_save_ready(struct pv_qemu_target *q, const struct pv_origin *o);
/* Saves the guest, which is ready, and goes on from there like those that come after it. 0 or -errno: there is no guest. */
int pv_qemu_save_ready(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e);
/* Ends the guest. The models begin anew, for one that shares nothing. 0 or -errno. */
int pv_qemu_give_up_ready(struct pv_qemu_target *q, struct pv_origin *o, struct pv_error *e);

#endif
