/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user-space driver as a whole: boot and shutdown, binding PMU kinds to functions, hot-plug, the log.
 */
#include "drivers/user/sys.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/user/sys_priv.h"

enum {
	LOG_LINE_MAX = 320,
	PERF_TYPE_FIRST = 16, /* behind the types that perf defines itself */
	INSTANCES_MAX = 256,
	VECTORS_MAX = 32,
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

struct pv_clock pv_sys_clock(const struct pv_sys *sys)
{
	return (struct pv_clock){sys->bus->ctx, sys->bus->now_ns, sys->bus->delay_ns};
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

int pv_sys_probe_status(const struct pv_sys *sys, uint16_t bdf, unsigned n, const char **why)
{
	const struct pv_probe *probe;

	for (probe = sys->probes; probe; probe = probe->next)
		if (probe->bdf == bdf && probe->instance == n) {
			if (why)
				*why = probe->why;
			return probe->status;
		}
	if (why)
		*why = "no driver matches";
	return -PV_ENOENT;
}

static struct pv_probe *new_probe(struct pv_sys *sys, uint16_t bdf, unsigned instance)
{
	struct pv_probe *probe = calloc(1, sizeof(*probe));

	if (!probe)
		return NULL;
	probe->bdf = bdf;
	probe->instance = instance;
	probe->next = sys->probes;
	sys->probes = probe;
	return probe;
}

static void forget_probes(struct pv_sys *sys, uint16_t bdf)
{
	struct pv_probe **at = &sys->probes;

	while (*at) {
		struct pv_probe *probe = *at;

		if (probe->bdf != bdf) {
			at = &probe->next;
			continue;
		}
		*at = probe->next;
		free(probe);
	}
}

static void log_refusal(const struct pv_func *func, const struct pv_probe *probe)
{
	pv_sys_log(func->sys, 3, "%s %02x:%02x.%x: probe failed with error %d: %s", func->kind->name,
		   PCI_BUS(func->bdf), PCI_SLOT(func->bdf), PCI_FUNC(func->bdf), probe->status,
		   probe->why[0] ? probe->why : "no reason given");
}

static void append_pmu(struct pv_sys *sys, struct pv_pmu *pmu)
{
	struct pv_pmu **at = &sys->pmus;

	while (*at)
		at = &(*at)->next;
	*at = pmu;
}

static void unlink_pmu(struct pv_sys *sys, struct pv_pmu *pmu)
{
	struct pv_pmu **at = &sys->pmus;

	while (*at && *at != pmu)
		at = &(*at)->next;
	if (*at)
		*at = pmu->next;
}

static void drop_pmu(struct pv_pmu *pmu)
{
	pv_event_orphan_all(pmu);
	unlink_pmu(pmu->sys, pmu);
	if (pmu->kind->remove)
		pmu->kind->remove(pmu);
	free(pmu);
}

static void probe_instance(struct pv_func *func, unsigned instance)
{
	struct pv_sys *sys = func->sys;
	struct pv_probe *probe = new_probe(sys, func->bdf, instance);
	struct pv_pmu *pmu = calloc(1, sizeof(*pmu));

	if (!pmu || !probe) {
		if (probe)
			probe->status = -PV_ENOMEM;
		free(pmu);
		return;
	}
	pmu->vector = PV_PMU_NO_VECTOR;
	pmu->sys = sys;
	pmu->bus = sys->bus;
	pmu->func = func;
	pmu->kind = func->kind;
	pmu->instance = instance;
	pmu->why = probe->why;

	probe->status = func->kind->probe(pmu);
	pmu->why = NULL;
	if (probe->status) {
		log_refusal(func, probe);
		free(pmu);
		return;
	}
	if (pv_sys_pmu(sys, pmu->name)) {
		probe->status = pv_func_why(probe->why, -PV_EEXIST, "a PMU %s is there already", pmu->name);
		log_refusal(func, probe);
		drop_pmu(pmu);
		return;
	}
	pmu->type = sys->next_type++;
	append_pmu(sys, pmu);
}

static void dispatch(void *arg, unsigned vector)
{
	struct pv_func *func = arg;
	struct pv_pmu *pmu;

	for (pmu = func->sys->pmus; pmu; pmu = pmu->next)
		if (pmu->func == func && pmu->vector == (int)vector && pmu->kind->irq)
			pmu->kind->irq(pmu);
}

/* The PMUs of a function that cannot have their interrupts are of no use. */
static void drop_interrupted(struct pv_func *func, int err)
{
	struct pv_sys *sys = func->sys;
	struct pv_pmu *pmu, *next;
	struct pv_probe *probe;

	for (pmu = sys->pmus; pmu; pmu = next) {
		next = pmu->next;
		if (pmu->func != func || pmu->vector == PV_PMU_NO_VECTOR)
			continue;
		for (probe = sys->probes; probe; probe = probe->next)
			if (probe->bdf == func->bdf && probe->instance == pmu->instance) {
				probe->status = pv_func_why(probe->why, err, "no MSI vector %d", pmu->vector);
				log_refusal(func, probe);
			}
		drop_pmu(pmu);
	}
}

static void set_vectors(struct pv_func *func)
{
	const struct pv_bus *bus = func->sys->bus;
	const struct pv_pmu *pmu;
	int last = PV_PMU_NO_VECTOR;
	int err;

	for (pmu = func->sys->pmus; pmu; pmu = pmu->next)
		if (pmu->func == func && pmu->vector > last)
			last = pmu->vector;
	if (last == PV_PMU_NO_VECTOR)
		return;
	err = last < VECTORS_MAX ? bus->irq_set(bus->ctx, func->bdf, (unsigned)last + 1, dispatch, func) : -PV_EINVAL;
	if (err)
		drop_interrupted(func, err);
	else
		func->irq_on = true;
}

/* The lowest number that no other function of this kind has. */
static unsigned free_ordinal(const struct pv_func *func)
{
	const struct pv_func *other = func->sys->funcs;
	unsigned n = 0;

	while (other) {
		if (other != func && other->kind == func->kind && other->ordinal == n) {
			n++;
			other = func->sys->funcs;
			continue;
		}
		other = other->next;
	}
	return n;
}

static void bind(struct pv_func *func, const struct pv_pmu_kind *kind)
{
	char why[PV_WHY_MAX] = "";
	struct pv_probe *probe;
	int n, count;

	func->kind = kind;
	func->ordinal = free_ordinal(func);
	count = kind->instances ? kind->instances(func, why) : 1;
	if (count < 0) {
		probe = new_probe(func->sys, func->bdf, 0);
		if (!probe)
			return;
		probe->status = pv_func_why(probe->why, count, "%s", why);
		log_refusal(func, probe);
	}
	for (n = 0; n < count && n < INSTANCES_MAX; n++)
		probe_instance(func, (unsigned)n);
	set_vectors(func);
}

static void probe_func(struct pv_func *func)
{
	const struct pv_pmu_kind *const *kind;

	for (kind = func->sys->kinds; *kind; kind++)
		if ((*kind)->match(func)) {
			bind(func, *kind);
			return;
		}
}

static void unbind(struct pv_func *func)
{
	const struct pv_bus *bus = func->sys->bus;
	struct pv_pmu *pmu, *next;

	for (pmu = func->sys->pmus; pmu; pmu = next) {
		next = pmu->next;
		if (pmu->func == func)
			drop_pmu(pmu);
	}
	if (func->irq_on)
		bus->irq_set(bus->ctx, func->bdf, 0, NULL, NULL);
	func->irq_on = false;
	forget_probes(func->sys, func->bdf);
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
		probe_func(func);
	}
}

struct pv_sys *pv_sys_boot_kinds(const struct pv_bus *bus, enum pv_mps_policy policy,
				 const struct pv_pmu_kind *const *kinds)
{
	static const enum pv_mps_mode mode[] = {
		[PV_MPS_TUNE_OFF] = PV_MPS_MODE_TUNE_OFF,   [PV_MPS_DEFAULT] = PV_MPS_MODE_DEFAULT,
		[PV_MPS_SAFE] = PV_MPS_MODE_SAFE,	    [PV_MPS_PERFORMANCE] = PV_MPS_MODE_PERFORMANCE,
		[PV_MPS_PEER2PEER] = PV_MPS_MODE_PEER2PEER,
	};
	struct pv_sys *sys = calloc(1, sizeof(*sys));

	if (!sys)
		return NULL;
	sys->bus = bus;
	sys->kinds = kinds;
	sys->mps = (struct pv_mps){mode[policy], sys, pv_sys_mps_note};
	sys->next_type = PERF_TYPE_FIRST;
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

static void remove_func(struct pv_func *func)
{
	struct pv_sys *sys = func->sys;
	struct pv_pmu *pmu;

	unbind(func);
	for (pmu = sys->pmus; pmu; pmu = pmu->next)
		if (pmu->kind->func_removed)
			pmu->kind->func_removed(pmu, func);
	pv_scan_forget(sys, func);
}

/* The last function below `top`, which is the deepest; `top` itself when there is none. */
static struct pv_func *last_below(struct pv_func *top)
{
	struct pv_func *func, *last = top;

	for (func = top->next; func && pv_func_is_below(func, top); func = func->next)
		last = func;
	return last;
}

int pv_sys_device_removed(struct pv_sys *sys, uint16_t bdf)
{
	struct pv_func *top = pv_scan_func(sys, bdf);
	struct pv_func *func;
	bool done = false;

	if (!top)
		return -PV_ENODEV;
	for (func = top; func && (func == top || pv_func_is_below(func, top)); func = func->next)
		func->gone = !pv_scan_present(func);
	while (!done) {
		func = last_below(top);
		done = func == top;
		remove_func(func);
	}
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
		unbind(func);
		pv_scan_forget(sys, func);
	}
	pv_event_free_all(sys);
	for (n = 0; n < PV_LOG_LINES; n++)
		free(sys->log[n]);
	free(sys);
}
