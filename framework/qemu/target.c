/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target "qemu": machine and hardware of a guest, and the troubles of its kernel. boot.c starts and ends the guest.
 */
#include "framework/qemu/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/qemu/boot.h"
#include "framework/qemu/failing_probe.h"
#include "framework/qemu/gcov.h"
#include "framework/qemu/interrupt.h"
#include "framework/qemu/kernel_health.h"
#include "framework/qemu/vm_pool.h"
#include "framework/target/console.h"
#include "framework/target/taint.h"
#include "framework/util/cleanup.h"

#define REPORT_BYTES 256

static struct pv_qemu_target *of(struct pv_machine *m)
{
	return (struct pv_qemu_target *)((char *)m - offsetof(struct pv_qemu_target, machine));
}

/* ---- troubles of its kernel ---- */

/* Returns true if the driver cannot be judged: the guest has too little memory, or is dead. */
static bool is_guests(enum pv_kernel_trouble t)
{
	return t == PV_TROUBLE_GUEST || t == PV_TROUBLE_PANIC;
}

struct teller {
	pv_report_fn told;
	void *ctx;
};

static void tell_trouble(void *ctx, enum pv_kernel_trouble t, const char *text, size_t n)
{
	const struct teller *to = ctx;
	_autofree_ char *report = strndup(text, n);

	if (report)
		to->told(to->ctx, is_guests(t) ? "guest" : "kernel", report);
}

/* Reports each trouble on the kernel's console since the last call, with its text. */
static void report_troubles(struct pv_qemu_target *q, pv_report_fn told, void *ctx)
{
	char text[REPORT_BYTES];

	q->console_read = pv_vm_troubles(&q->vm, q->console_read, tell_trouble, &(struct teller){told, ctx});
	if (!pv_vm_console_is_full(&q->vm))
		return;
	snprintf(text, sizeof(text), "the guest's console has more than %u MiB: the rest is not known", PV_VM_FILE_MIB);
	told(ctx, "guest", text);
}

/* ---- line coverage ---- */

/* Does nothing unless requested, or if no guest is alive. 0, or -errno with *e. */
static int save_coverage(struct pv_qemu_target *q, struct pv_error *e)
{
	const char *folder = json_object_get_string(json_object_object_get(q->msg, "folder"));

	if (!q->guest.gcov || !folder || !q->far || pv_far_failure(q->far)->code)
		return 0;
	return pv_gcov_save(q->guest.gcov, pv_far_shell(q->far), folder, q->boots, e);
}

/* ---- booting ---- */

static int op_boot(struct pv_machine *m, enum pv_mps_policy policy, struct pv_error *e)
{
	struct pv_qemu_target *q = of(m);
	int err = save_coverage(q, e);

	if (err)
		return err;
	pv_qemu_end_guest(q);
	if (q->boots++)
		pv_model_reset(q->hw.model);
	err = pv_hw_booting(&q->hw);
	if (err)
		return pv_error(e, err, "boot: memory for the hardware: %s", strerror(-err));
	err = pv_qemu_boot(q, policy, e);
	if (err) {
		pv_qemu_end_guest(q);
		return err;
	}
	q->base.driver = pv_far_driver(q->far);
	q->base.shell = pv_far_shell(q->far);
	return 0;
}

/* ---- taking it down ---- */

static void unload_modules(struct pv_shell *shell, struct pv_kernel_modules *gone, pv_report_fn told, void *ctx)
{
	static const char *const modules[] = {"hisi_ptt", "dwc_pcie_pmu", "cxl_pmu"};
	char text[REPORT_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		pv_kernel_modules_add(gone, shell, modules[i]);
		int err = shell->ops->module_unload(shell, modules[i]);
		if (err == -ECONNRESET)
			return; /* the guest has ended: op_shutdown() reports it */
		if (!err || err == -ENOENT)
			continue;
		snprintf(text, sizeof(text), "unloading %s, with nothing open: expected success, got %s", modules[i],
			 pv_errno_name(err));
		told(ctx, "leak", text);
	}
}

/*
 * For deferred work of the kernel, whose reports belong to this case: what a driver has begun, and what it should have
 * cancelled when it was unloaded. Costs nothing while the guest is idle.
 */
#define SETTLE_NS 100000000

static void settle(struct pv_qemu_target *q)
{
	pv_far_machine(q->far)->ops->wait(pv_far_machine(q->far), SETTLE_NS);
}

/* Unloads the drivers, and searches for leaked memory if requested, which takes long. */
static void take_down(struct pv_qemu_target *q, pv_report_fn told, void *ctx)
{
	struct pv_kernel_modules gone = {0};
	struct pv_error e = {0};
	struct pv_shell *shell = pv_far_shell(q->far);

	if (!shell || !shell->ops->module_unload)
		return;
	settle(q);
	/* Waiting for RCU's grace periods is most of the cost of unloading. A kernel without this file waits. */
	pv_shell_write_text(shell, "/sys/kernel/rcu_expedited", "1");
	unload_modules(shell, &gone, told, ctx);
	settle(q);
	if (save_coverage(q, &e))
		told(ctx, "guest", e.text);
	if (q->guest.leaks && !pv_far_failure(q->far)->code)
		pv_kernel_report_leaks(&gone, shell, pv_far_machine(q->far), told, ctx);
}

/* The reason for a taint is usually on the console already. */
static void report_taint(struct pv_qemu_target *q, pv_report_fn told, void *ctx)
{
	struct pv_shell *shell = q->far ? pv_far_shell(q->far) : NULL;

	if (shell && !pv_far_failure(q->far)->code)
		pv_taint_report(shell, 0, told, ctx);
}

static void report_lost_msis(const struct pv_qemu_target *q, pv_report_fn told, void *ctx)
{
	char text[REPORT_BYTES];

	if (!q->fabric.delay.lost)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " MSIs are lost: more than %u waited to be sent to the guest",
		 q->fabric.delay.lost, PV_MSI_DELAY_MAX);
	told(ctx, "guest", text);
}

static void op_shutdown(struct pv_machine *m, pv_report_fn told, void *ctx)
{
	struct pv_qemu_target *q = of(m);

	if (q->far && !pv_far_failure(q->far)->code)
		take_down(q, told, ctx);
	report_troubles(q, told, ctx);
	report_taint(q, told, ctx);
	report_lost_msis(q, told, ctx);
	if (q->far && pv_far_failure(q->far)->code)
		told(ctx, "guest", *q->ended ? q->ended : pv_far_failure(q->far)->text);
	pv_qemu_end_guest(q);
}

/* ---- registers and time ---- */

/* Like a debugger: the guest is stopped meanwhile. */
static int op_reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	return pv_hw_reg_read(&of(m)->hw, bdf, bar, off, bytes, value);
}

static int op_reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	return pv_hw_reg_write(&of(m)->hw, bdf, bar, off, bytes, value);
}

static int op_wait(struct pv_machine *m, uint64_t ns)
{
	struct pv_qemu_target *q = of(m);
	uint64_t until;
	int err = pv_hw_later(&q->hw, ns, &until);

	if (err)
		return err;
	if (q->far) {
		struct pv_machine *far = pv_far_machine(q->far);

		return far->ops->wait(far, ns);
	}
	/* Without a guest, DMA and interrupts of the hardware are dropped. */
	q->hw.touched = true;
	while (pv_model_run(q->hw.model, until))
		;
	return 0;
}

/* ---- the system ---- */

/* NULL: no guest runs. */
static struct pv_shell *shell_of(struct pv_machine *m)
{
	return of(m)->far ? pv_far_shell(of(m)->far) : NULL;
}

static int op_module(struct pv_machine *m, const char *name, bool load)
{
	struct pv_shell *shell = shell_of(m);
	char path[128];

	snprintf(path, sizeof(path), "/modules/%s.ko", name);
	if (!shell)
		return -ENODEV;
	return load ? shell->ops->module_load(shell, path, "") : shell->ops->module_unload(shell, name);
}

static int op_probe_fail_nth(struct pv_machine *m, const char *pmu, bool load, unsigned *failed, unsigned *refused)
{
	struct pv_shell *shell = shell_of(m);
	pv_bdf parent = 0;

	if (!shell)
		return -ENODEV;
	struct pv_driver *driver = pv_far_driver(of(m)->far);
	int err = driver->ops->pmu_parent(driver, pmu, &parent);
	return err ? err : pv_failing_probes(shell, pmu, parent, load ? m : NULL, failed, refused);
}

static int op_file_read(struct pv_machine *m, const char *path, char *buf, size_t size)
{
	struct pv_shell *shell = shell_of(m);

	*buf = 0;
	return shell ? (int)pv_shell_read_text(shell, path, buf, size) : -ENODEV;
}

static int op_cpu_online(struct pv_machine *m, unsigned cpu, bool online)
{
	struct pv_shell *shell = shell_of(m);
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return shell ? pv_shell_write_text(shell, path, online ? "1" : "0") : -ENODEV;
}

/* framework/far/module is the guest's platform: it tells the fabric when all devices are suspended. */
static int op_suspend(struct pv_machine *m, bool power_lost)
{
	struct pv_shell *shell = shell_of(m);
	char at[32];

	if (!shell)
		return -ENODEV;
	snprintf(at, sizeof(at), "%llu", power_lost ? PV_FABRIC_MAILBOX + PV_MAILBOX_POWER : 0ull);
	int err = pv_shell_write_text(shell, "/sys/module/pcieval/parameters/power", at);
	if (!err)
		err = pv_shell_write_text(shell, "/sys/power/state", "mem");
	return err == -ENOENT ? -ENOTSUP : err;
}

static int op_runtime_pm(struct pv_machine *m, pv_bdf bdf, bool allowed)
{
	struct pv_shell *shell = shell_of(m);
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/power/control", pv_bdf_name(bdf).s);
	return shell ? pv_shell_write_text(shell, path, allowed ? "auto" : "on") : -ENODEV;
}

static int op_interrupt(struct pv_machine *m, const char *name, struct pv_interrupt *out)
{
	struct pv_shell *shell = shell_of(m);

	return shell ? pv_interrupt_find(shell, name, out) : -ENODEV;
}

static uint64_t op_now_ps(struct pv_machine *m)
{
	return pv_model_now_ps(of(m)->hw.model);
}

static const struct pv_machine_ops machine_ops = {
	.boot = op_boot,
	.shutdown = op_shutdown,
	.reg_read = op_reg_read,
	.reg_write = op_reg_write,
	.wait = op_wait,
	.cpu_online = op_cpu_online,
	.suspend = op_suspend,
	.runtime_pm = op_runtime_pm,
	.module = op_module,
	.probe_fail_nth = op_probe_fail_nth,
	.file_read = op_file_read,
	.interrupt = op_interrupt,
	.now_ps = op_now_ps,
};

/* ---- what the hardware needs of the host ---- */

static void *host_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return pv_fabric_dma_map(&((struct pv_qemu_target *)ctx)->fabric, bdf, addr, bytes);
}

static void host_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_fabric_msi(&((struct pv_qemu_target *)ctx)->fabric, bdf, vector);
}

static void host_irq_latency(void *ctx, uint64_t latency_ps)
{
	struct pv_qemu_target *q = ctx;

	q->irq_latency_ps = latency_ps;
	pv_msi_delay_set(&q->fabric.delay, pv_model_now_ps(q->hw.model), latency_ps);
}

/* ---- the target ---- */

static void op_close(struct pv_target *t)
{
	struct pv_qemu_target *q = (struct pv_qemu_target *)t; /* base stands first */

	pv_qemu_end_guest(q);

	if (q->cpu_claim >= 0)
		close(q->cpu_claim);
	pv_hw_close(&q->hw);
	json_object_put(q->msg);
	free(q->console);
	free(q);
}

static int set_up(struct pv_qemu_target *q, json_object *msg, struct pv_error *e)
{
	const struct pv_hw_host host = {q, host_dma_map, host_msi, host_irq_latency};
	const char *folder = json_object_get_string(json_object_object_get(msg, "folder"));

	q->base = (struct pv_target){.ops = &pv_target_qemu, .machine = &q->machine, .ptt_tick_hz = PV_HW_PTT_TICK_HZ};
	q->machine.ops = &machine_ops;
	q->fabric = (struct pv_fabric_peer){.fd = -1, .ram.fd = -1, .window.fd = -1};
	q->vm = PV_VM_NONE;
	q->cpu_claim = -1;
	q->msg = json_object_get(msg);
	if (asprintf(&q->console, "%s/console.txt", folder ? folder : ".") < 0)
		return pv_error(e, -ENOMEM, "target qemu: no memory");
	int err = pv_guest_parse(msg, &q->guest, e);
	if (!err)
		err = pv_hw_open(&q->hw, msg, &host, e);
	if (!err)
		err = pv_guest_bridges(q->hw.topo, &q->bridges, e);
	if (!err)
		err = pv_guest_add_module(msg, q->hw.topo, &q->bridges, &q->guest, e);
	/* A guest in real time has CPUs that execute at the same time. */
	if (!err && !q->guest.real_time)
		q->cpu_claim = pv_vm_pin_cpu();
	q->base.topology = q->hw.topo;
	q->base.workload = &q->hw.workload;
	q->base.truth = &q->hw.truth;
	return err;
}

static int op_open(struct pv_target **out, json_object *case_msg, struct pv_error *e)
{
	struct pv_qemu_target *q = calloc(1, sizeof(*q));

	if (!q)
		return pv_error(e, -ENOMEM, "target qemu: no memory");
	int err = set_up(q, case_msg, e);
	if (err)
		op_close(&q->base);
	else
		*out = &q->base;
	return err;
}

static const char *const drivers[] = {"kernel", "reference", NULL};

const struct pv_target_ops pv_target_qemu = {
	.name = "qemu",
	.help = "a Linux kernel in a QEMU guest, whose PCI hardware is the models",
	.drivers = drivers,
	.open = op_open,
	.close = op_close,
};
