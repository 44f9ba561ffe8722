/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs as perf sees them: an event runs on one, and a PMU that all CPUs see alike counts on one near its device. When
 * this CPU goes offline, the PMU and its events move.
 */
#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

bool pv_cpu_is_online(const struct pv_sys *sys, unsigned cpu)
{
	return cpu < sys->cpus && (sys->online >> cpu & 1);
}

uint64_t pv_cpus_of(const struct pv_pmu *pmu)
{
	uint64_t near = pmu->sys->online & pmu->local;

	return near ? near : pmu->sys->online;
}

unsigned pv_cpu_of(const struct pv_pmu *pmu)
{
	return (unsigned)__builtin_ctzll(pv_cpus_of(pmu));
}

/* Moves the PMU and its events from a CPU to another one. */
static void migrate(struct pv_pmu *pmu, unsigned from, unsigned to)
{
	struct pv_event *ev;

	if (pmu->cpu == from)
		pmu->cpu = to;
	for (ev = pmu->events; ev; ev = ev->next)
		if (ev->cpu == from)
			ev->cpu = to;
}

/* Disables the events that are still on an offline CPU, as perf does. */
static void drop_events(struct pv_pmu *pmu)
{
	struct pv_event *ev;

	for (ev = pmu->events; ev; ev = ev->next)
		if (!pv_cpu_is_online(pmu->sys, ev->cpu))
			pv_event_cpu_gone(ev);
}

static void go_offline(struct pv_sys *sys, unsigned cpu)
{
	struct pv_pmu *pmu;

	sys->online &= ~(UINT64_C(1) << cpu);
	for (pmu = sys->pmus; pmu; pmu = pmu->next) {
		migrate(pmu, cpu, pv_cpu_of(pmu));
		drop_events(pmu);
	}
}

int pv_sys_cpu_online(struct pv_sys *sys, unsigned cpu, bool online)
{
	if (cpu >= sys->cpus)
		return -PV_EINVAL;
	if (online)
		sys->online |= UINT64_C(1) << cpu;
	else if (sys->online == UINT64_C(1) << cpu)
		return -PV_EBUSY;
	else if (pv_cpu_is_online(sys, cpu))
		go_offline(sys, cpu);
	return 0;
}
