/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user-space driver as a whole: boot and shutdown, hot-plug, the log, and the core's view of the bus.
 */
#include "drivers/user/sys.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"
#include "drivers/user/sys_internal.h"

enum {
	LOG_LINE_MAX = 320,
	PERF_TYPE_FIRST = 16, /* after the types that perf defines itself */
	PTT_BUFFER_BYTES = 4 << 20,
};

static int format(char *buf, size_t size, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

static int format(char *buf, size_t size, const char *fmt, va_list ap)
{
	int len = vsnprintf(buf, size, fmt, ap);

	if (len < 0 && size)
		buf[0] = '\0';
	return len;
}

void pv_sys_log(struct pv_sys *sys, int level, const char *fmt, ...)
{
	char line[LOG_LINE_MAX];
	size_t at;
	va_list ap;

	va_start(ap, fmt);
	format(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (sys->bus->log)
		sys->bus->log(sys->bus->ctx, level, line);
	if (level > 4)
		return;

	at = (sys->log_first + sys->log_count) % PV_LOG_LINES;
	if (sys->log_count < PV_LOG_LINES)
		sys->log_count++;
	else
		sys->log_first = (sys->log_first + 1) % PV_LOG_LINES;
	free(sys->log[at]);
	sys->log[at] = strdup(line);
}

const char *pv_sys_log_line(const struct pv_sys *sys, size_t n)
{
	const char *line;

	if (n >= sys->log_count)
		return NULL;
	line = sys->log[(sys->log_first + n) % PV_LOG_LINES];
	return line ? line : "";
}

int pv_func_why(char why[PV_WHY_MAX], int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(why, PV_WHY_MAX, fmt, ap);
	va_end(ap);
	return err;
}

int pv_pmu_why(struct pv_pmu *pmu, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(pmu->why, PV_WHY_MAX, fmt, ap);
	va_end(ap);
	return err;
}

struct pv_func *pv_sys_funcs(struct pv_sys *sys)
{
	return sys->funcs;
}

static uint32_t bar_read32(void *ctx, uint32_t off)
{
	const struct pv_bar *bar = ctx;

	return (uint32_t)bar->bus->mmio_read(bar->bus->ctx, bar->bdf, bar->bar, bar->base + off, 4);
}

static void bar_write32(void *ctx, uint32_t off, uint32_t value)
{
	const struct pv_bar *bar = ctx;

	bar->bus->mmio_write(bar->bus->ctx, bar->bdf, bar->bar, bar->base + off, 4, value);
}

static uint64_t bar_read64(void *ctx, uint32_t off)
{
	const struct pv_bar *bar = ctx;

	return bar->bus->mmio_read(bar->bus->ctx, bar->bdf, bar->bar, bar->base + off, 8);
}

static void bar_write64(void *ctx, uint32_t off, uint64_t value)
{
	const struct pv_bar *bar = ctx;

	bar->bus->mmio_write(bar->bus->ctx, bar->bdf, bar->bar, bar->base + off, 8, value);
}

int pv_bar_map(const struct pv_bar *bar)
{
	return bar->bus->bar_map(bar->bus->ctx, bar->bdf, bar->bar, bar->base, bar->bytes);
}

void pv_bar_unmap(const struct pv_bar *bar)
{
	bar->bus->bar_unmap(bar->bus->ctx, bar->bdf, bar->bar, bar->base, bar->bytes);
}

struct pv_mmio pv_bar_mmio(const struct pv_bar *bar)
{
	return (struct pv_mmio){
		.ctx = (void *)bar,
		.read32 = bar_read32,
		.write32 = bar_write32,
		.read64 = bar_read64,
		.write64 = bar_write64,
	};
}

static uint64_t now_ns(void *ctx)
{
	const struct pv_sys *sys = ctx;

	return sys->bus->now_ns(sys->bus->ctx);
}

/* While a driver waits for its device, nobody else calls pv_sys_poll(). */
static void delay_ns(void *ctx, uint64_t ns)
{
	struct pv_sys *sys = ctx;

	sys->bus->delay_ns(sys->bus->ctx, ns);
	if (now_ns(sys) - sys->polled_ns >= PV_SYS_POLL_NS)
		pv_sys_poll(sys);
}

struct pv_clock pv_sys_clock(struct pv_sys *sys)
{
	return (struct pv_clock){sys, now_ns, delay_ns};
}

const char *pv_sys_pmu_name(const struct pv_sys *sys, size_t n)
{
	const struct pv_pmu *pmu = sys->pmus;

	while (pmu && n--)
		pmu = pmu->next;
	return pmu ? pmu->name : NULL;
}

struct pv_pmu *pv_sys_pmu(const struct pv_sys *sys, const char *name)
{
	struct pv_pmu *pmu;

	for (pmu = sys->pmus; pmu; pmu = pmu->next)
		if (!strcmp(pmu->name, name))
			return pmu;
	return NULL;
}

int pv_sys_pmu_parent(const struct pv_sys *sys, const char *name, pv_bdf *bdf)
{
	const struct pv_pmu *pmu = pv_sys_pmu(sys, name);

	if (!pmu)
		return -PV_ENODEV;
	*bdf = pmu->func->bdf;
	return 0;
}

/* Step 1 at once; kinds are asked when the tree is complete. */
static void found(struct pv_sys *sys, struct pv_func *func)
{
	pv_mps_found(&sys->mps, &func->mps);
	func->is_new = true;
}

static void announce(struct pv_func *func)
{
	struct pv_pmu *pmu;

	for (pmu = func->sys->pmus; pmu; pmu = pmu->next)
		if (pmu->func != func && pmu->kind->func_added)
			pmu->kind->func_added(pmu, func);
}

static void probe_new(struct pv_sys *sys)
{
	struct pv_func *func;

	for (func = sys->funcs; func; func = func->next) {
		if (!func->is_new)
			continue;
		func->is_new = false;
		if (!sys->booting)
			announce(func);
		pv_bind(func);
	}
}

/* ---- MPS and MRRS ---- */

/* "<before> a <between> b <after>"; the words follow Linux's where it has some. */
struct mps_text {
	int level;
	const char *before, *between, *after;
};

static const struct mps_text mps_texts[] = {
	[PV_MPS_NOTE_MISMATCH] = {4, "Max Payload Size", ", but upstream bridge set to",
				  "; if necessary, use the safe policy"},
	[PV_MPS_NOTE_REFUSED] = {4, "can't set Max Payload Size to", ", the device's most is",
				 "; if necessary, use the safe policy"},
	[PV_MPS_NOTE_NOT_HELD] = {4, "Max Payload Size set to", ", but the device holds", ""},
	[PV_MPS_NOTE_SET] = {6, "Max Payload Size set to", ", it was", ""},
	[PV_MPS_NOTE_MRRS] = {4, "can't set the Max Read Request Size to", ", next is", ""},
};

static void mps_note(void *ctx, const struct pv_mps_func *func, enum pv_mps_note note, int a, int b)
{
	const struct mps_text *text = &mps_texts[note];
	pv_bdf bdf = func->cfg.bdf;

	pv_sys_log(ctx, text->level, PCI_BDF_FMT ": %s %d%s %d%s", PCI_BDF_ARGS(bdf), text->before, a, text->between, b,
		   text->after);
}

struct pv_sys *pv_sys_boot_kinds(const struct pv_bus *bus, enum pv_mps_policy policy,
				 const struct pv_pmu_kind *const *kinds)
{
	struct pv_sys *sys;

	if ((unsigned)policy >= PV_MPS_POLICIES_N)
		return NULL;
	sys = calloc(1, sizeof(*sys));
	if (!sys)
		return NULL;
	sys->bus = bus;
	sys->kinds = kinds;
	sys->mps = (struct pv_mps){.policy = policy, .ctx = sys, .note = mps_note};
	sys->next_type = PERF_TYPE_FIRST;
	sys->cpus = bus->cpus ? bus->cpus : 1;
	sys->online = UINT64_MAX >> (PV_CPUS_MAX - sys->cpus);
	sys->ptt_buffer_bytes = PTT_BUFFER_BYTES;
	sys->booting = true;

	pv_scan(sys, found);
	pv_mps_scanned(&sys->mps, sys->funcs ? &sys->funcs->mps : NULL);
	probe_new(sys);
	sys->booting = false;
	return sys;
}

struct pv_sys *pv_sys_boot(const struct pv_bus *bus, enum pv_mps_policy policy)
{
	return pv_sys_boot_kinds(bus, policy, pv_pmu_kinds);
}

int pv_sys_rescan(struct pv_sys *sys)
{
	pv_scan(sys, found);
	probe_new(sys);
	return 0;
}

/* Adds the device in a slot, as pciehp_configure_device() does. Does not change a device that is already known. */
static int configure_slot(struct pv_sys *sys, struct pv_func *port)
{
	pv_bdf first = pv_scan_bus_below(port);

	if (pv_scan_func(sys, first))
		return 0;
	pv_scan_below(sys, port, found);
	if (!pv_scan_func(sys, first))
		return -PV_ENODEV;
	pv_mps_plugged(&sys->mps, &port->mps);
	probe_new(sys);
	return 0;
}

int pv_sys_device_plugged(struct pv_sys *sys, pv_bdf port)
{
	struct pv_func *func = pv_scan_func(sys, port);

	/* pciehp serves ports of Root Complexes and switches. A PCI to PCIe bridge is neither. */
	if (!func || !func->mps.slot || func->type == PCI_EXP_TYPE_PCIE_BRIDGE || !func->secondary)
		return -PV_ENODEV;
	return configure_slot(sys, func);
}

static void remove_func(struct pv_func *func)
{
	struct pv_sys *sys = func->sys;
	struct pv_pmu *pmu;

	pv_unbind(func);
	for (pmu = sys->pmus; pmu; pmu = pmu->next)
		if (pmu->kind->func_removed)
			pmu->kind->func_removed(pmu, func);
	pv_scan_forget(sys, func);
}

/* Returns the last function below `top`, which is the deepest; `top` itself if there is none. */
static struct pv_func *last_below(struct pv_func *top)
{
	struct pv_func *func, *last = top;

	for (func = top->next; func && pv_func_is_below(func, top); func = func->next)
		last = func;
	return last;
}

/* Removing a PF removes its VFs, which depend on its SR-IOV capability (PCIe 5.0 9.2.1) and are not below it. */
static void remove_vfs(struct pv_sys *sys, const struct pv_func *pf)
{
	struct pv_func *func, *next;

	for (func = sys->funcs; func; func = next) {
		next = func->next;
		if (func->pf != pf)
			continue;
		func->gone = !pv_scan_present(func);
		remove_func(func);
	}
}

int pv_sys_device_removed(struct pv_sys *sys, pv_bdf bdf)
{
	struct pv_func *top = pv_scan_func(sys, bdf);
	struct pv_func *func;
	bool done = false;

	if (!top)
		return -PV_ENODEV;
	remove_vfs(sys, top);
	for (func = top; func && (func == top || pv_func_is_below(func, top)); func = func->next)
		func->gone = !pv_scan_present(func);
	while (!done) {
		func = last_below(top);
		done = func == top;
		remove_func(func);
	}
	return 0;
}

/* A link has one device (PCIe 5.0 7.3.1). */
static bool is_of_device(const struct pv_func *func, pv_bdf bdf)
{
	bool on_link = func->parent && pv_mps_heads_link(&func->parent->mps);

	return on_link ? func->bdf >> 8 == bdf >> 8 : func->bdf >> 3 == bdf >> 3;
}

static struct pv_func *last_of_device(struct pv_sys *sys, pv_bdf bdf)
{
	struct pv_func *func, *last = NULL;

	for (func = sys->funcs; func; func = func->next)
		if (is_of_device(func, bdf))
			last = func;
	return last;
}

/* Removes all functions of the slot's bus, the last one first, as pciehp_unconfigure_device() does. */
int pv_sys_device_gone(struct pv_sys *sys, pv_bdf bdf)
{
	int err = -PV_ENODEV;

	for (struct pv_func *func = last_of_device(sys, bdf); func; func = last_of_device(sys, bdf)) {
		err = pv_sys_device_removed(sys, func->bdf);
		if (err)
			break;
	}
	return err;
}

/* ---- virtual functions ---- */

/* PCIe 5.0 9.3.3.3.1: from VF Enable to the first request, and from its end to the next access of the capability */
#define VFS_SETTLE_NS 100000000
#define VFS_END_NS    1000000000

static void enable_vfs(struct pv_sys *sys, struct pv_func *pf, uint32_t cap, unsigned n)
{
	const uint16_t on = PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE;
	struct pv_func *func;

	pv_cfg_write16(&pf->cfg, cap + PCI_SRIOV_NUM_VF, (uint16_t)n);
	pv_cfg_write16(&pf->cfg, cap + PCI_SRIOV_CTRL, pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_CTRL) | on);
	sys->bus->delay_ns(sys->bus->ctx, VFS_SETTLE_NS);
	pv_scan_vfs(sys, pf, found);
	probe_new(sys);
	for (func = sys->funcs; func; func = func->next)
		if (func->pf == pf)
			pv_cfg_write16(&func->cfg, PCI_COMMAND,
				       pv_cfg_read16(&func->cfg, PCI_COMMAND) | PCI_COMMAND_MASTER);
}

/* NumVFs may be written only while VF Enable is clear (PCIe 5.0 9.3.3.7). */
static void disable_vfs(struct pv_sys *sys, struct pv_func *pf, uint32_t cap)
{
	const uint16_t on = PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE;

	remove_vfs(sys, pf);
	pv_cfg_write16(&pf->cfg, cap + PCI_SRIOV_CTRL, pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_CTRL) & (uint16_t)~on);
	sys->bus->delay_ns(sys->bus->ctx, VFS_END_NS);
	pv_cfg_write16(&pf->cfg, cap + PCI_SRIOV_NUM_VF, 0);
}

static unsigned enabled_vfs(const struct pv_func *pf, uint32_t cap)
{
	bool on = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE;

	return on ? pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_NUM_VF) : 0;
}

/* As in sriov_numvfs_store() of Linux, a change from one number to another needs 0 between them. */
int pv_sys_set_vfs(struct pv_sys *sys, pv_bdf bdf, unsigned n)
{
	struct pv_func *pf = pv_scan_func(sys, bdf);
	uint32_t cap = pf && !pf->is_vf ? pv_pcie_next_ext_cap(&pf->cfg, 0, PCI_EXT_CAP_ID_SRIOV) : 0;

	if (!cap)
		return pf ? -PV_ENOENT : -PV_ENODEV;
	if (n > pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_TOTAL_VF))
		return -PV_ERANGE;
	if (n == enabled_vfs(pf, cap))
		return 0;
	if (n && enabled_vfs(pf, cap))
		return -PV_EBUSY;
	if (n)
		enable_vfs(sys, pf, cap, n);
	else
		disable_vfs(sys, pf, cap);
	return 0;
}

void pv_sys_shutdown(struct pv_sys *sys)
{
	size_t n;

	if (!sys)
		return;
	while (sys->funcs) {
		struct pv_func *func = sys->funcs;

		while (func->next)
			func = func->next;
		pv_unbind(func);
		pv_scan_forget(sys, func);
	}
	pv_event_free_all(sys);
	pv_scan_free_hosts(sys);
	for (n = 0; n < PV_LOG_LINES; n++)
		free(sys->log[n]);
	free(sys);
}

/* ---- sizes of single functions ---- */

int pv_sys_get_mps(struct pv_sys *sys, pv_bdf bdf)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mps_get(&func->mps) : -PV_ENODEV;
}

int pv_sys_set_mps(struct pv_sys *sys, pv_bdf bdf, int bytes)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mps_set(&func->mps, bytes) : -PV_ENODEV;
}

int pv_sys_get_mrrs(struct pv_sys *sys, pv_bdf bdf)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mrrs_get(&func->mps) : -PV_ENODEV;
}

int pv_sys_set_mrrs(struct pv_sys *sys, pv_bdf bdf, int bytes)
{
	const struct pv_func *func = pv_scan_func(sys, bdf);

	return func ? pv_mrrs_set(&sys->mps, &func->mps, bytes) : -PV_ENODEV;
}
