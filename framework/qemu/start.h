/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting a case's guest: booted, restored from a saved machine, or in a QEMU that an earlier case has left. */
#ifndef PV_QEMU_START_H
#define PV_QEMU_START_H

#include "framework/qemu/inside.h"
#include "framework/qemu/ready.h"
#include "framework/qemu/snapshot.h"

#define PV_QEMU_WINDOW_BYTES (4u << 20)

/* What a guest begins as. */
struct pv_origin {
	struct pv_snapshot from;
	char *key;		       /* of the saved machine */
	struct pv_snapshot_file saved; /* which every topology shares */

	char *ready_key; /* of this topology's; NULL: guests of this case share nothing with those of others */
	enum pv_ready found;
	struct pv_snapshot_file ready; /* if found; it lies on `saved` */
	struct pv_mmio_log log;	       /* of a guest that is to be saved */

	bool ahead;		      /* the models are not where they were built: */
	struct pv_fabric_peer models; /* clock and MSIs of the fabric that has brought them there */
};

/* Sets up the case's fabric, which has its models: host bridges, delays, and where the models of `o`, if any, are. */
void pv_qemu_set_up_fabric(struct pv_qemu_target *q, struct pv_origin *o);
/* Boots the kernel, or restores conf->saved, and greets the far side. `o` may be NULL: the guest shares nothing. 0 or -errno. */
int pv_qemu_start(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e);
/* Restores `saved`, in a QEMU that is there, if one is and it need not save. 0 or -errno. */
int pv_qemu_restore(struct pv_qemu_target *q, struct pv_vm_conf *conf, const struct pv_snapshot_file *saved,
		    struct pv_origin *o, struct pv_error *e);
/* Receives the far side's first message, and greets it; one that was restored, or is to ring again, repeats its last one. 0 or -errno. */
int pv_qemu_greet(struct pv_qemu_target *q, bool restored, struct pv_error *e);
/* Fills *e with what was done, why it failed, and the end of the console. Returns err. */
int pv_qemu_boot_failed(struct pv_qemu_target *q, int err, const char *what, struct pv_error *e);

#endif
