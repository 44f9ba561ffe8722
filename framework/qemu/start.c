/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting guests of the target "qemu". */
#include "framework/qemu/start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

/* Lines of the console. */
#define OF_THIS	    "; from here on it is the guest of this case"
#define SAVED	    "pcieval: saved here" OF_THIS
#define SAVED_READY "pcieval: saved here, ready with topology and modules" OF_THIS
#define IN_EARLIER  ", in a QEMU of an earlier one\n"

/* The last lines of the console are the best explanation for a guest that does not come up. */
int pv_qemu_boot_failed(struct pv_qemu_target *q, int err, const char *what, struct pv_error *e)
{
	size_t n = 0;

	pv_vm_runs(&q->vm, q->ended, sizeof(q->ended));
	_autofree_ char *text = q->vm.console_fd >= 0 ? pv_qemu_console_news(q, &n) : NULL;
	const char *tail = text && n > 300 ? text + n - 300 : text ? text : "";
	return pv_error(e, err, "boot: %s: %s%s%s; the console, %s, ends with: %s", what, strerror(-err),
			*q->ended ? "; " : "", q->ended, q->console, *tail ? tail : "nothing");
}

/* A restored far side first repeats the message that it was saved with. */
int pv_qemu_greet(struct pv_qemu_target *q, bool restored, struct pv_error *e)
{
	static char ready[PV_QEMU_WINDOW_BYTES];

	q->console_read = q->vm.console_begins;
	int64_t n = pv_qemu_exchange(q, NULL, 0, ready, sizeof(ready));

	if (n < 0 || (n && !restored))
		return pv_qemu_boot_failed(q, n < 0 ? (int)n : -EPROTO, "waiting for the far-side program", e);
	return pv_far_connect(&q->far, pv_qemu_exchange, q, e);
}

void pv_qemu_set_up_fabric(struct pv_qemu_target *q, struct pv_origin *o)
{
	q->ended[0] = 0;
	q->fabric.hello = q->bridges;
	q->fabric.delay.latency_ps = q->irq_latency_ps;
	if (o && o->ahead)
		pv_fabric_continue(&q->fabric, &o->models);
	if (o && o->found == PV_READY_SEEN)
		q->fabric.log = &o->log;
}

int pv_qemu_start(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e)
{
	int device_fd,
		err = pv_fabric_open(&q->fabric, q->hw.model, q->guest.ram_bytes, PV_QEMU_WINDOW_BYTES, &device_fd);

	if (err)
		return pv_error(e, err, "boot: memory for the guest: %s", strerror(-err));
	pv_qemu_set_up_fabric(q, o);
	err = conf->saved ? pv_snapshot_file_fill(conf->saved, q->fabric.ram.fd) : 0;
	if (err) {
		close(device_fd);
		return pv_error(e, err, "boot: filling the guest's memory: %s", strerror(-err));
	}
	err = pv_vm_start(&q->vm, conf, &q->fabric, device_fd, e);
	return err ? err : pv_qemu_greet(q, conf->saved, e);
}

/* A QEMU that an earlier case has left. -ENOENT: there is none; -errno. */
static int take_vm(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o)
{
	struct pv_vm_conf again = *conf;
	struct pv_fabric_fds fds;

	again.note = conf->saved->base ? SAVED_READY IN_EARLIER : SAVED IN_EARLIER;
	if (!pv_vm_take(&q->vm, &again, o->key, &fds))
		return -ENOENT;
	int err = pv_fabric_adopt(&q->fabric, q->hw.model, &fds);
	pv_qemu_set_up_fabric(q, o);
	return err ? err : pv_fabric_rewind(&q->fabric, conf->saved, q->vm.console_fd, pv_qemu_guest_runs, q);
}

/* Restores `saved`. One that is to be saved itself needs a QEMU that was started for this. */
int pv_qemu_restore(struct pv_qemu_target *q, struct pv_vm_conf *conf, const struct pv_snapshot_file *saved,
		    struct pv_origin *o, struct pv_error *e)
{
	conf->saved = saved;
	conf->note = saved->base ? SAVED_READY "\n" : SAVED "\n";
	int err = conf->save_fd ? -ENOENT : take_vm(q, conf, o);
	if (!err)
		err = pv_qemu_greet(q, true, e);
	if (err) {
		pv_qemu_end_guest(q);
		err = pv_qemu_start(q, conf, o, e);
	}
	conf->saved = NULL;
	conf->note = NULL;
	q->key = err || conf->save_fd ? NULL : strdup(o->key);
	return err;
}
