/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting guests of the target "qemu": from a saved machine, or by booting a kernel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/qemu/inside.h"
#include "framework/qemu/snapshot.h"
#include "framework/util/cleanup.h"

#define WINDOW_BYTES	    (4u << 20)
#define REFERENCE_ARGUMENTS "pcieval.modules=none vfio.enable_unsafe_noiommu_mode=1 hugepages=64 "

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
 * What the guest's kernel is told beside its policy. The models' ports have no power management: one that Linux suspended
 * since its slot is empty could not wake it by a PME. kmemleak records each allocation with a stack trace, a fifth of what a
 * case costs on a kernel that has it, for nothing if nobody is going to ask.
 */
static const char *kernel_arguments(const struct pv_guest *g)
{
	return g->leaks ? "console=ttyAMA0 quiet loglevel=5 panic=-1 pcie_port_pm=off"
			: "console=ttyAMA0 quiet loglevel=5 panic=-1 pcie_port_pm=off kmemleak=off";
}

/* The reference driver finds a kernel without the drivers that it stands for, and sizes that are firmware's. */
static int make_append(const struct pv_qemu_target *q, enum pv_boot_policy policy, char **append)
{
	const char *of_driver = q->guest.reference ? REFERENCE_ARGUMENTS : "";

	return asprintf(append, "%s %s %s%s", kernel_arguments(&q->guest),
			policy_argument(q->guest.reference ? PV_BOOT_TUNE_OFF : policy), of_driver, q->guest.append) < 0
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
		.real_time = q->guest.real_time,
		.seed = json_object_get_uint64(json_object_object_get(q->msg, "seed")),
	};
	/* Where only one CPU executes, nothing is asked on behalf of the last guest any more while a QEMU is taken back. */
	if (conf->cpus <= 1 && !conf->real_time)
		conf->keeper = q->guest.keeper;
	memcpy(conf->archive, q->guest.archive, sizeof(conf->archive));
	return 0;
}

/* The last lines of the console are the best explanation for a guest that does not come up. */
static int boot_failed(struct pv_qemu_target *q, int err, const char *what, struct pv_error *e)
{
	size_t n = 0;

	pv_vm_runs(&q->vm, q->ended, sizeof(q->ended));
	_autofree_ char *text = q->vm.console_fd >= 0 ? pv_qemu_console_news(q, &n) : NULL;
	const char *tail = text && n > 300 ? text + n - 300 : text ? text : "";
	return pv_error(e, err, "boot: %s: %s%s%s; the console, %s, ends with: %s", what, strerror(-err),
			*q->ended ? "; " : "", q->ended, q->console, *tail ? tail : "nothing");
}

/* A restored far side first repeats the message that it was saved with. */
static int greet(struct pv_qemu_target *q, bool restored, struct pv_error *e)
{
	static char ready[WINDOW_BYTES];

	q->console_read = q->vm.console_begins;
	int64_t n = pv_qemu_exchange(q, NULL, 0, ready, sizeof(ready));

	if (n < 0 || (n && !restored))
		return boot_failed(q, n < 0 ? (int)n : -EPROTO, "waiting for the far-side program", e);
	return pv_far_connect(&q->far, pv_qemu_exchange, q, e);
}

static void set_up_fabric(struct pv_qemu_target *q)
{
	q->ended[0] = 0;
	q->fabric.hello = q->bridges;
	q->fabric.held.latency_ps = q->irq_latency_ps;
}

static int start_vm(struct pv_qemu_target *q, const struct pv_vm_conf *conf, struct pv_error *e)
{
	int device_fd, err = pv_fabric_open(&q->fabric, q->hw.model, q->guest.ram_bytes, WINDOW_BYTES, &device_fd);

	if (err)
		return pv_error(e, err, "boot: memory for the guest: %s", strerror(-err));
	set_up_fabric(q);
	err = conf->saved ? pv_saved_fill(conf->saved, q->fabric.ram.fd) : 0;
	if (err) {
		close(device_fd);
		return pv_error(e, err, "boot: filling the guest's memory: %s", strerror(-err));
	}
	err = pv_vm_start(&q->vm, conf, &q->fabric, device_fd, e);
	return err ? err : greet(q, conf->saved, e);
}

/* A QEMU that an earlier case has left. -ENOENT: there is none; -errno. */
static int take_vm(struct pv_qemu_target *q, const struct pv_vm_conf *conf, const char *key)
{
	struct pv_vm_conf again = *conf;
	struct pv_fabric_fds fds;

	again.note = "pcieval: saved here; from here on it is the guest of this case, in a QEMU of an earlier one\n";
	if (!pv_vm_take(&q->vm, &again, key, &fds))
		return -ENOENT;
	int err = pv_fabric_adopt(&q->fabric, q->hw.model, &fds);
	set_up_fabric(q);
	return err ? err : pv_fabric_rewind(&q->fabric, conf->saved, q->vm.console_fd, pv_qemu_guest_runs, q);
}

static int take_or_start(struct pv_qemu_target *q, const struct pv_vm_conf *conf, const char *key, struct pv_error *e)
{
	int err = take_vm(q, conf, key);

	if (!err)
		err = greet(q, true, e);
	if (err) {
		pv_qemu_end_guest(q);
		err = start_vm(q, conf, e);
	}
	q->key = err ? NULL : strdup(key);
	return err;
}

/* Only a machine without trouble is saved; a guest that cannot be saved is not a failure of anything. */
static int go_on(struct pv_qemu_target *q, struct pv_vm_conf *conf, struct pv_error *e)
{
	struct pv_saved saved;
	const struct pv_snapshot s = {q->guest.saved, conf, &q->bridges, q->guest.ram_bytes, WINDOW_BYTES};
	_autofree_ char *key = pv_snapshot_key(&s);
	int err = key ? pv_snapshot_get(&s, key, &saved, e) : pv_error(e, -ENOMEM, "saved machine: no memory");

	if (err)
		return err;
	conf->saved = &saved;
	conf->note = "pcieval: saved here; from here on it is the guest of this case\n";
	err = take_or_start(q, conf, key, e);
	conf->saved = NULL;
	conf->note = NULL;
	pv_saved_close(&saved);
	if (err)
		pv_snapshot_drop(&s, key);
	return err;
}

static int boot(struct pv_qemu_target *q, struct pv_vm_conf *conf, const char *why, struct pv_error *e)
{
	_autofree_ char *note = NULL;

	if (*why && asprintf(&note, "pcieval: booted, not gone on from a saved machine: %s\n", why) < 0)
		note = NULL;
	conf->note = note;
	return start_vm(q, conf, e);
}

int pv_qemu_boot(struct pv_qemu_target *q, enum pv_boot_policy policy, struct pv_error *e)
{
	struct pv_vm_conf conf;
	struct pv_error why = {0};
	int err = make_conf(q, policy, &conf);

	if (err)
		return pv_error(e, err, "boot: no memory");
	if (q->guest.saved && !go_on(q, &conf, &why)) {
		err = pv_snapshot_resume(q->far, &q->bridges, e);
		if (err == -ECONNRESET)
			err = boot_failed(q, err, "setting up the guest", e);
	} else {
		pv_qemu_end_guest(q);
		err = boot(q, &conf, why.text, e);
	}
	if (!err && q->guest.reference)
		err = pv_far_reference(q->far, policy, NULL, 0, e);
	free((char *)conf.append);
	return err;
}
