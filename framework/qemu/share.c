/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sharing guests that are ready with later cases of their topology. */
#include "framework/qemu/share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/console.h"
#include "framework/util/cleanup.h"

static bool can_be_shared(const struct pv_qemu_target *q, const struct pv_vm_conf *conf)
{
	return conf->cpus <= 1 && !conf->real_time && q->boots == 1 && !q->hw.touched;
}

static void look(struct pv_qemu_target *q, struct pv_origin *o)
{
	o->found = pv_ready_find(q->guest.saved, o->ready_key, &o->ready);
	o->ready.base = &o->saved;
}

void pv_qemu_find_ready(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o)
{
	o->found = PV_READY_NEVER;
	o->ready_key = can_be_shared(q, conf) ? pv_ready_key(o->key, o->saved.sum, q->msg, q->irq_latency_ps) : NULL;
	if (o->ready_key)
		look(q, o);
}

int pv_qemu_give_up_ready(struct pv_qemu_target *q, struct pv_origin *o, struct pv_error *e)
{
	pv_qemu_end_guest(q);
	pv_ready_drop(q->guest.saved, o->ready_key);
	o->found = PV_READY_NEVER;
	o->ahead = false;
	free(o->ready_key);
	o->ready_key = NULL;
	pv_model_reset(q->hw.model);
	int err = pv_hw_booting(&q->hw);
	return err ? pv_error(e, err, "boot: memory for the hardware: %s", strerror(-err)) : 0;
}

int pv_qemu_restore_ready(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e)
{
	const struct pv_mmio_access *at;
	size_t n;

	q->fabric = (struct pv_fabric_peer){.model = q->hw.model, .fd = -1, .ram.fd = -1, .window.fd = -1};
	q->fabric.ahead_ps = pv_model_now_ps(q->hw.model);
	pv_qemu_set_up_fabric(q, NULL);
	if (!pv_ready_record(&o->ready, &at, &n) || !pv_fabric_replay(&q->fabric, at, n))
		return -ESTALE;
	o->models = q->fabric;
	o->ahead = true;
	return pv_qemu_restore(q, conf, &o->ready, o, e);
}

static bool kernel_is_quiet(struct pv_qemu_target *q)
{
	size_t n = 0;
	_autofree_ char *text = pv_qemu_console_news(q, &n);

	return text && pv_console_worst(text, n) == PV_TROUBLE_NONE;
}

bool pv_qemu_can_save_ready(struct pv_qemu_target *q, const struct pv_origin *o)
{
	static const char why[] = "its kernel complains, or its hardware has written to memory";

	if (!o->log.broken && kernel_is_quiet(q))
		return true;
	pv_ready_save(q->guest.saved,
		      &(struct pv_snapshot_parts){.key = o->ready_key, .console = why, .console_bytes = strlen(why)},
		      NULL);
	return false;
}

/* Ends QEMU. */
static int write_ready(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e)
{
	_autofree_ void *state = NULL, *console = NULL;
	size_t state_bytes = 0, console_bytes = 0;
	int err = pv_fabric_save(&q->fabric, pv_qemu_guest_runs, q);

	if (!err)
		err = pv_read_memfd(conf->save_fd, &state, &state_bytes);
	if (!err)
		err = pv_read_memfd(q->vm.console_fd, &console, &console_bytes);
	if (err)
		return pv_error(e, err, "saving a machine: %s", strerror(-err));
	o->models = q->fabric;
	return pv_ready_save(q->guest.saved,
			     &(struct pv_snapshot_parts){
				     .key = o->ready_key,
				     .state = state,
				     .state_bytes = state_bytes,
				     .console = console,
				     .console_bytes = console_bytes,
				     .ram_fd = q->fabric.ram.fd,
				     .ram_bytes = q->fabric.ram.bytes,
				     .base = &o->saved,
				     .log = o->log.at,
				     .log_bytes = o->log.n * sizeof(*o->log.at),
			     },
			     e);
}

int pv_qemu_save_ready(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e)
{
	int err = write_ready(q, conf, o, e);

	pv_qemu_end_guest(q);
	conf->save_fd = 0;
	if (err)
		return err;
	look(q, o);
	if (o->found != PV_READY_SAVED)
		return -EIO;
	o->ahead = true;
	return pv_qemu_restore(q, conf, &o->ready, o, e);
}
