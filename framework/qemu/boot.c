/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Booting the target "qemu": with which arguments, and from which saved machine, if any. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/qemu/share.h"
#include "framework/util/cleanup.h"

#define REFERENCE_ARGUMENTS \
	"pcieval.modules=none vfio.enable_unsafe_noiommu_mode=1 vfio_pci.disable_idle_d3=1 hugepages=64 "

static const char *policy_argument(enum pv_boot_policy p)
{
	static const char *const argument[] = {
		[PV_BOOT_TUNE_OFF] = "pci=pcie_bus_tune_off",	[PV_BOOT_DEFAULT] = "",
		[PV_BOOT_SAFE] = "pci=pcie_bus_safe",		[PV_BOOT_PERFORMANCE] = "pci=pcie_bus_perf",
		[PV_BOOT_PEER2PEER] = "pci=pcie_bus_peer2peer",
	};

	return argument[p];
}

/*
 * What the guest's kernel is told beside its policy. The models' ports send no PME: one that Linux suspended since its slot is
 * empty could not wake it. What looks for leaks is off if nobody asks for it: kmemleak records each allocation with a stack trace,
 * and DMA-API takes 16384 locks whenever a function loses its driver, each a third of what a case with the PTT costs on a kernel
 * that has them. A function of VFIO stays in D0, as one with the kernel's drivers does.
 */
#define KERNEL_ARGUMENTS "console=ttyAMA0 quiet loglevel=5 panic=-1 no_console_suspend pcie_port_pm="
#define NO_LEAKS	 " kmemleak=off dma_debug=off"

/* The reference driver finds a kernel without the drivers that it stands for, and sizes that are firmware's. */
static int make_append(const struct pv_qemu_target *q, enum pv_boot_policy policy, char **append)
{
	const char *of_driver = q->guest.reference ? REFERENCE_ARGUMENTS : "";

	return asprintf(append, KERNEL_ARGUMENTS "%s%s %s %s%s", q->hw.topo->port_pm ? "force" : "off",
			q->guest.leaks ? "" : NO_LEAKS, policy_argument(q->guest.reference ? PV_BOOT_TUNE_OFF : policy),
			of_driver, q->guest.append) < 0
		       ? -ENOMEM
		       : 0;
}

/* The caller frees conf->append. */
static int make_conf(const struct pv_qemu_target *q, enum pv_boot_policy policy, struct pv_vm_conf *conf)
{
	char *append;

	if (make_append(q, policy, &append))
		return -ENOMEM;
	*conf = (struct pv_vm_conf){
		.qemu = q->guest.qemu,
		.kernel = q->guest.kernel,
		.append = append,
		.console = q->console,
		.cpus = q->hw.topo->cpus > 1 ? q->hw.topo->cpus : q->guest.cpus,
		.numa_nodes = q->hw.topo->numa_nodes,
		.iommu = q->hw.topo->iommu,
		.real_time = q->guest.real_time,
		.seed = json_object_get_uint64(json_object_object_get(q->msg, "seed")),
	};
	/* With several CPUs, one may still access the hardware of the last guest while QEMU rewinds. */
	if (conf->cpus <= 1 && !conf->real_time)
		conf->pool = q->guest.pool;
	memcpy(conf->archive, q->guest.archive, sizeof(conf->archive));
	return 0;
}

/* ---- going on from a saved machine ---- */

/* Few topologies have an IOMMU; that one works after it was saved has not been tried. */
static bool may_be_saved(const struct pv_qemu_target *q)
{
	return q->guest.saved && q->hw.topo->iommu == PV_IOMMU_NONE;
}

/* Only a machine without trouble is saved; a guest that cannot be saved is not a failure of anything. */
static int open_origin(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_origin *o, struct pv_error *e)
{
	o->from = (struct pv_snapshot){q->guest.saved, conf, &q->bridges, q->guest.ram_bytes, PV_QEMU_WINDOW_BYTES};
	o->key = pv_snapshot_key(&o->from);
	int err = o->key ? pv_snapshot_get(&o->from, o->key, &o->saved, e)
			 : pv_error(e, -ENOMEM, "saved machine: no memory");
	if (!err)
		pv_qemu_find_ready(q, conf, o);
	return err;
}

static void close_origin(struct pv_origin *o)
{
	if (o->ready.at)
		pv_snapshot_file_close(&o->ready);
	if (o->saved.at)
		pv_snapshot_file_close(&o->saved);
	pv_mmio_log_free(&o->log);
	free(o->ready_key);
	free(o->key);
}

/* Gives the guest its hardware and its drivers. */
static int resume(struct pv_qemu_target *q, struct pv_error *e)
{
	int err = pv_snapshot_resume(q->far, &q->bridges, e);

	return err == -ECONNRESET ? pv_qemu_boot_failed(q, err, "setting up the guest", e) : err;
}

/* The first message after this point is rung for twice, as by a guest that was restored here. */
static int ring_again(struct pv_qemu_target *q, struct pv_error *e)
{
	pv_far_close(q->far);
	q->far = NULL;
	int err = pv_fabric_again(&q->fabric);
	return err ? pv_qemu_boot_failed(q, err, "going on", e) : pv_qemu_greet(q, true, e);
}

/* -EAGAIN: it could not be saved, and is to do without. *restored: there is a guest, and an error is its own. */
static int restore_and_resume(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_origin *o, bool *restored,
			      struct pv_error *e)
{
	_autoclose_ int state = o->found == PV_READY_SEEN ? memfd_create("pcieval-state", MFD_CLOEXEC) : -1;

	conf->save_fd = state > 0 ? state : 0;
	int err = pv_qemu_restore(q, conf, &o->saved, o, e);
	if (err) {
		pv_snapshot_drop(&o->from, o->key);
		return err;
	}
	*restored = true;
	err = resume(q, e);
	if (err || !o->ready_key)
		return err;
	if (!conf->save_fd || !pv_qemu_can_save_ready(q, o))
		return ring_again(q, e);
	err = pv_qemu_save_ready(q, conf, o, e);
	return err && !pv_qemu_give_up_ready(q, o, e) ? -EAGAIN : err;
}

static int go_on(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_origin *o, bool *restored,
		 struct pv_error *e)
{
	if (o->found == PV_READY_SAVED) {
		*restored = !pv_qemu_restore_ready(q, conf, o, e);
		if (*restored)
			return 0;
		int err = pv_qemu_give_up_ready(q, o, e);
		if (err)
			return err;
	}
	int err = restore_and_resume(q, conf, o, restored, e);
	return err == -EAGAIN ? restore_and_resume(q, conf, o, restored, e) : err;
}

static int boot(struct pv_qemu_target *q, struct pv_vm_conf *conf, const char *why, struct pv_error *e)
{
	_autofree_ char *note = NULL;

	if (*why && asprintf(&note, "pcieval: booted, not gone on from a saved machine: %s\n", why) < 0)
		note = NULL;
	conf->note = note;
	return pv_qemu_start(q, conf, NULL, e);
}

int pv_qemu_boot(struct pv_qemu_target *q, enum pv_boot_policy policy, struct pv_error *e)
{
	struct pv_origin o = {0};
	struct pv_vm_conf conf;
	struct pv_error why = {0};
	bool restored = false;
	int err = make_conf(q, policy, &conf);

	if (err)
		return pv_error(e, err, "boot: no memory");
	if (may_be_saved(q) && !open_origin(q, &conf, &o, &why))
		err = go_on(q, &conf, &o, &restored, &why);
	if (restored && err) {
		*e = why;
	} else if (!restored) {
		pv_qemu_end_guest(q);
		err = boot(q, &conf, why.text, e);
	}
	q->fabric.log = NULL;
	close_origin(&o);
	if (!err && q->guest.reference)
		err = pv_far_reference(q->far, policy, NULL, 0, e);
	free((char *)conf.append);
	return err;
}
