/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binding PMU kinds to functions: probe with its status and reason, names, interrupt vectors, removal.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

enum { INSTANCES_MAX = 256, VECTORS_MAX = 32 };

int pv_sys_probe_status(const struct pv_sys *sys, pv_bdf bdf, unsigned n, const char **why)
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

static struct pv_probe *new_probe(struct pv_sys *sys, pv_bdf bdf, unsigned instance)
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

static void forget_probes(struct pv_sys *sys, pv_bdf bdf)
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
	pv_sys_log(func->sys, 3, "%s " PCI_BDF_FMT ": probe failed with error %d: %s", func->kind->name,
		   PCI_BDF_ARGS(func->bdf), probe->status, probe->why[0] ? probe->why : "no reason given");
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

static uint64_t local_cpus(const struct pv_func *func)
{
	const struct pv_bus *bus = func->sys->bus;
	uint64_t cpus = bus->local_cpus ? bus->local_cpus(bus->ctx, func->bdf) : 0;

	return cpus ? cpus : UINT64_MAX;
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
	pmu->local = local_cpus(func);
	pmu->cpu = pv_cpu_of(pmu);
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

/* The PMUs of a function are useless without their interrupts. */
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

/* Returns the lowest number that no other function of this kind has. */
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

static void bind_kind(struct pv_func *func, const struct pv_pmu_kind *kind)
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

void pv_bind(struct pv_func *func)
{
	const struct pv_pmu_kind *const *kind;

	for (kind = func->sys->kinds; *kind; kind++)
		if ((*kind)->match(func)) {
			bind_kind(func, *kind);
			return;
		}
}

void pv_unbind(struct pv_func *func)
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
