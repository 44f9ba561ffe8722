/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target "qemu": booting guests, letting their time pass, hearing what their kernels complain of. */
#include "framework/qemu/qemu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/qemu/bridges.h"
#include "framework/qemu/console.h"
#include "framework/util/cleanup.h"

#define WINDOW_BYTES  (4u << 20)
#define CONSOLE_BYTES (1u << 20) /* of it that are looked through at once */
#define MODULES_SAID  256
#define SILENCES_MAX  10 /* of 200 ms each, after an oops */

static struct pv_qemu_target *of(struct pv_machine *m)
{
	return (struct pv_qemu_target *)((char *)m - offsetof(struct pv_qemu_target, machine));
}

/* ---- the console ---- */

/* What the kernel has said since the last look; "" when there is nothing. Freed by the caller, NULL: no memory. */
static char *console_news(struct pv_qemu_target *q, size_t *n)
{
	struct stat st;
	size_t have = !fstat(q->vm.console_fd, &st) && (size_t)st.st_size > q->console_read
			      ? (size_t)st.st_size - q->console_read
			      : 0;
	if (have > CONSOLE_BYTES)
		have = CONSOLE_BYTES;
	char *text = malloc(have + 1);
	ssize_t got = text ? pread(q->vm.console_fd, text, have, (off_t)q->console_read) : -1;
	*n = got > 0 ? (size_t)got : 0;
	if (text)
		text[*n] = 0;
	return text;
}

/* Has something in the guest died of its kernel's fault? */
static bool kernel_oopsed(struct pv_qemu_target *q)
{
	size_t n = 0;
	_autofree_ char *text = console_news(q, &n);
	return text && pv_console_worst(text, n) >= PV_TROUBLE_OOPS;
}

/* ---- the guest's end ---- */

/* Asked while the guest says nothing. After an oops nobody may be left to answer. */
static bool guest_runs(void *ctx)
{
	struct pv_qemu_target *q = ctx;
	char why[128] = "";
	return pv_vm_runs(&q->vm, why, sizeof(why)) && (++q->silences < SILENCES_MAX || !kernel_oopsed(q));
}

static int64_t exchange(void *ctx, const void *request, size_t n, void *answer, size_t room)
{
	struct pv_qemu_target *q = ctx;
	q->silences = 0;
	return pv_fabric_exchange(&q->fabric, request, n, answer, room, guest_runs, q);
}

static void end_guest(struct pv_qemu_target *q)
{
	pv_far_close(q->far);
	q->far = NULL;
	q->base.driver = NULL;
	pv_fabric_close(&q->fabric);
	pv_vm_end(&q->vm);
}

/* Tells each trouble that the kernel has reported since the last look, with its text. */
static void tell_troubles(struct pv_qemu_target *q, pv_told_fn told, void *ctx)
{
	size_t n, line_n, report_n;
	const char *line;
	_autofree_ char *text = q->vm.console_fd >= 0 ? console_news(q, &n) : NULL;
	q->console_read += text ? n : 0;
	for (const char *at = text; at && pv_console_trouble(at, n, &line, &line_n, &report_n);) {
		_autofree_ char *report = strndup(line, report_n);
		if (report)
			told(ctx, "kernel", report);
		n -= (size_t)(line + report_n - at);
		at = line + report_n;
	}
}

/* ---- booting ---- */

static const char *policy_argument(enum pv_boot_policy p)
{
	static const char *const argument[] = {
		[PV_BOOT_TUNE_OFF] = "pci=pcie_bus_tune_off",	[PV_BOOT_DEFAULT] = "",
		[PV_BOOT_SAFE] = "pci=pcie_bus_safe",		[PV_BOOT_PERFORMANCE] = "pci=pcie_bus_perf",
		[PV_BOOT_PEER2PEER] = "pci=pcie_bus_peer2peer",
	};
	return argument[p];
}

static int start_vm(struct pv_qemu_target *q, enum pv_boot_policy policy, int device_fd, struct pv_error *e)
{
	_autofree_ char *append = NULL;
	if (asprintf(&append, "console=ttyAMA0 quiet loglevel=4 panic=-1 %s %s", policy_argument(policy),
		     q->guest.append) < 0) {
		close(device_fd);
		return pv_error(e, -ENOMEM, "boot: no memory");
	}
	struct pv_vm_conf conf = {
		.qemu = q->guest.qemu,
		.kernel = q->guest.kernel,
		.append = append,
		.console = q->console,
		.cpus = q->guest.cpus,
		.real_time = q->guest.real_time,
		.seed = json_object_get_uint64(json_object_object_get(q->msg, "seed")),
	};
	memcpy(conf.archive, q->guest.archive, sizeof(conf.archive));
	q->console_read = 0;
	return pv_vm_start(&q->vm, &conf, &q->fabric, device_fd, e);
}

/* The last lines of the console say more of a guest that does not come up than anything else. */
static int boot_failed(struct pv_qemu_target *q, int err, const char *what, struct pv_error *e)
{
	size_t n = 0;
	char why[128] = "";
	pv_vm_runs(&q->vm, why, sizeof(why));
	_autofree_ char *text = q->vm.console_fd >= 0 ? console_news(q, &n) : NULL;
	const char *tail = text && n > 300 ? text + n - 300 : text ? text : "";
	return pv_error(e, err, "boot: %s: %s%s%s; the console, %s, ends with: %s", what, strerror(-err),
			*why ? "; " : "", why, q->console, *tail ? tail : "nothing");
}

static int greet(struct pv_qemu_target *q, struct pv_error *e)
{
	char ready[8];
	int64_t n = exchange(q, NULL, 0, ready, sizeof(ready));
	if (n)
		return boot_failed(q, n < 0 ? (int)n : -EPROTO, "waiting for the far-side program", e);
	return pv_far_connect(&q->far, exchange, q, e);
}

static int op_boot(struct pv_machine *m, enum pv_boot_policy policy, struct pv_error *e)
{
	struct pv_qemu_target *q = of(m);
	int device_fd;
	end_guest(q);
	if (q->dirty)
		pv_model_reset(q->hw.model);
	q->dirty = true;
	int err = pv_hw_booting(&q->hw);
	if (!err)
		err = pv_fabric_open(&q->fabric, q->hw.model, q->guest.ram_bytes, WINDOW_BYTES, &device_fd);
	if (err)
		return pv_error(e, err, "boot: memory for the guest: %s", strerror(-err));
	q->fabric.hello = q->bridges;
	err = start_vm(q, policy, device_fd, e);
	if (!err)
		err = greet(q, e);
	if (err)
		end_guest(q);
	else
		q->base.driver = pv_far_driver(q->far);
	return err;
}

/* ---- taking it down ---- */

static void unload_modules(struct pv_qemu_target *q, pv_told_fn told, void *ctx)
{
	static const char *const modules[] = {"hisi_ptt", "dwc_pcie_pmu", "cxl_pmu"};
	struct pv_shell *shell = pv_far_shell(q->far);
	char text[MODULES_SAID];
	if (!shell || !shell->ops->module_unload)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		int err = shell->ops->module_unload(shell, modules[i]);
		if (!err || err == -ENOENT)
			continue;
		snprintf(text, sizeof(text), "unloading %s, with nothing open: expected success, got %s", modules[i],
			 pv_errno_name(err));
		told(ctx, "leak", text);
	}
}

static void op_shutdown(struct pv_machine *m, pv_told_fn told, void *ctx)
{
	struct pv_qemu_target *q = of(m);
	if (q->far && !pv_far_failure(q->far)->code)
		unload_modules(q, told, ctx);
	tell_troubles(q, told, ctx);
	if (q->far && pv_far_failure(q->far)->code)
		told(ctx, "guest", pv_far_failure(q->far)->text);
	end_guest(q);
}

/* ---- registers and time ---- */

/* As a debugger would: the guest stands still meanwhile. */
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
	/* No guest yet: the hardware is on its own, and what it says to nobody is lost. */
	while (pv_model_run(q->hw.model, until))
		;
	return 0;
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
	.now_ps = op_now_ps,
};

/* ---- what the hardware needs of the host ---- */

static void *host_dma_map(void *ctx, uint64_t addr, size_t bytes)
{
	return pv_fabric_dma_map(&((struct pv_qemu_target *)ctx)->fabric, addr, bytes);
}

static void host_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_fabric_msi(&((struct pv_qemu_target *)ctx)->fabric, bdf, vector);
}

/* ---- the target ---- */

static void op_close(struct pv_target *t)
{
	struct pv_qemu_target *q = (struct pv_qemu_target *)t; /* base stands first */
	end_guest(q);
	pv_hw_close(&q->hw);
	json_object_put(q->msg);
	free(q->console);
	free(q);
}

static int set_up(struct pv_qemu_target *q, json_object *msg, struct pv_error *e)
{
	const struct pv_hw_host host = {q, host_dma_map, host_msi, NULL};
	const char *folder = json_object_get_string(json_object_object_get(msg, "folder"));
	q->base = (struct pv_target){.ops = &pv_target_qemu, .machine = &q->machine};
	q->machine.ops = &machine_ops;
	q->fabric = (struct pv_fabric){.fd = -1, .ram.fd = -1, .window.fd = -1};
	q->vm.console_fd = -1;
	q->msg = json_object_get(msg);
	if (asprintf(&q->console, "%s/console.txt", folder ? folder : ".") < 0)
		return pv_error(e, -ENOMEM, "target qemu: no memory");
	int err = pv_guest_parse(msg, &q->guest, e);
	if (!err)
		err = pv_hw_open(&q->hw, msg, &host, e);
	if (!err)
		err = pv_bridges_of(q->hw.topo, &q->bridges, e);
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

static const char *const drivers[] = {"kernel", NULL};

const struct pv_target_ops pv_target_qemu = {
	.name = "qemu",
	.help = "a Linux kernel in a QEMU guest, whose PCI hardware is the models",
	.drivers = drivers,
	.open = op_open,
	.close = op_close,
};
