/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boots the copy of the machine three times: from the given values, from the smallest and from the largest ones. Sizes
 * that differ depend on the firmware's values, which are no longer visible on a machine that has booted.
 */
#include "framework/mps/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "framework/mps/facts.h"

struct sizes {
	int mps, mrrs;
};

struct planning {
	struct pv_engine engine;
	enum pv_mps_policy policy;
	bool raises_root_ports;
	struct sizes *start; /* initial values of the next boot, for each function of the plan */
	struct pv_policy_plan *plan;
};

static unsigned size_field(int bytes)
{
	unsigned n = 0;

	while (n < 7 && bytes > 128 << n)
		n++;
	return n;
}

uint16_t pv_devctl_with(uint16_t devctl, int mps, int mrrs)
{
	unsigned value = devctl & ~(unsigned)(PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS);

	return (uint16_t)(value | size_field(mps) << PCI_EXP_DEVCTL_MPS_SHIFT |
			  size_field(mrrs) << PCI_EXP_DEVCTL_MRRS_SHIFT);
}

/* Writes sizes to the copy of a function. */
static void put_sizes(const struct pv_engine *engine, const struct pv_pci_func *f, struct sizes s)
{
	uint16_t devctl = (uint16_t)pv_pci_exp(f, PCI_EXP_DEVCTL, 2);

	engine->bus.cfg_write(engine->bus.ctx, f->bdf, f->pcie + PCI_EXP_DEVCTL, 2,
			      pv_devctl_with(devctl, s.mps, s.mrrs));
}

struct pv_planned *pv_policy_plan_of(const struct pv_policy_plan *plan, const struct pv_pci_func *f)
{
	for (size_t low = 0, high = plan->n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (plan->list[middle].func == f)
			return &plan->list[middle];
		if (plan->list[middle].func < f)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void note(void *ctx, const struct pv_mps_func *func, enum pv_mps_note what, int a, int b)
{
	struct planning *p = ctx;
	struct pv_planned *planned = pv_policy_plan_of(p->plan, pv_engine_pci(&p->engine, func));

	if (planned && what == PV_MPS_NOTE_REFUSED)
		planned->refused = a;
}

static void note_nothing(void *ctx, const struct pv_mps_func *func, enum pv_mps_note what, int a, int b)
{
}

static void boot(struct planning *p, bool noting)
{
	struct pv_mps mps = {p->policy, p, noting ? note : note_nothing};

	for (size_t i = 0; i < p->plan->n; i++) {
		const struct pv_planned *planned = &p->plan->list[i];
		struct sizes s = p->start[i];

		if (p->raises_root_ports && p->policy != PV_MPS_TUNE_OFF && !planned->func->parent &&
		    pv_port_type(planned->func) == PCI_EXP_TYPE_ROOT_PORT)
			s.mps = planned->mpss < 4096 ? planned->mpss : 4096;
		put_sizes(&p->engine, planned->func, s);
	}
	pv_engine_boot(&p->engine, &mps);
}

/* Boots from other initial values, and marks the sizes that change. */
static void try_other(struct planning *p)
{
	boot(p, false);
	for (size_t i = 0; i < p->plan->n; i++) {
		struct pv_planned *planned = &p->plan->list[i];

		planned->mps_by_firmware |= pv_mps_of(planned->func) != planned->new_mps;
		planned->mrrs_by_firmware |= pv_mrrs_of(planned->func) != planned->new_mrrs;
	}
}

static void boot_three_times(struct planning *p)
{
	struct pv_policy_plan *plan = p->plan;

	boot(p, true);
	for (size_t i = 0; i < plan->n; i++) {
		plan->list[i].new_mps = pv_mps_of(plan->list[i].func);
		plan->list[i].new_mrrs = pv_mrrs_of(plan->list[i].func);
		p->start[i] = (struct sizes){128, 128};
	}
	try_other(p);
	for (size_t i = 0; i < plan->n; i++)
		p->start[i] = (struct sizes){plan->list[i].mpss < 4096 ? plan->list[i].mpss : 4096, 4096};
	try_other(p);
}

static void list_functions(struct planning *p, const struct pv_pci_machine *m)
{
	struct pv_policy_plan *plan = p->plan;

	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];

		if (!pv_has_sizes(f))
			continue;
		plan->list[plan->n] = (struct pv_planned){
			.func = f,
			.decider = pv_mps_decider(m, f),
			.mpss = PCI_EXP_SIZE_BYTES(pv_engine_func(&p->engine, f)->mpss),
			.hotplug = pv_engine_func(&p->engine, f)->hotplug,
			.fixed_mrrs = pv_engine_func(&p->engine, f)->host->no_inc_mrrs,
			.mps = pv_mps_of(f),
			.mrrs = pv_mrrs_of(f),
		};
		p->start[plan->n] = (struct sizes){plan->list[plan->n].mps, plan->list[plan->n].mrrs};
		plan->n++;
	}
}

/* Uses the firmware's values. Returns the number of functions that have some. */
static size_t use_initial(struct planning *p, const struct pv_initial *initial, size_t n)
{
	size_t given = 0;

	for (size_t i = 0; i < n; i++) {
		struct pv_planned *planned = pv_policy_plan_of(p->plan, initial[i].func);
		struct sizes *start = planned ? &p->start[planned - p->plan->list] : NULL;

		if (start && initial[i].mps)
			start->mps = initial[i].mps;
		if (start && initial[i].mrrs)
			start->mrrs = initial[i].mrrs;
		given += start && initial[i].mps && initial[i].mrrs;
	}
	return given;
}

/* If all of the firmware's values are known, nothing depends on them. */
static void judge(struct pv_policy_plan *plan, bool certain)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct pv_planned *planned = &plan->list[i];
		const struct pv_pci_func *top = pv_predict_top(planned->func);
		const struct pv_planned *above = top ? pv_policy_plan_of(plan, top) : NULL;
		const struct pv_planned *decider = pv_policy_plan_of(plan, planned->decider);

		planned->mps_by_firmware &= !certain;
		planned->mrrs_by_firmware &= !certain;
		plan->by_firmware += planned->mps_by_firmware;
		plan->changes += planned->mps != planned->new_mps || planned->mrrs != planned->new_mrrs;
		if (!above || !decider)
			continue;
		planned->now = pv_predict(planned->func, decider->mps, planned->mrrs, above->mps);
		planned->then = pv_predict(planned->func, decider->new_mps, planned->new_mrrs, above->new_mps);
	}
}

/* Restores the sizes of the copy. */
static void undo(const struct planning *p)
{
	for (size_t i = 0; i < p->plan->n; i++)
		put_sizes(&p->engine, p->plan->list[i].func,
			  (struct sizes){p->plan->list[i].mps, p->plan->list[i].mrrs});
}

/*
 * ---- reasons ----
 * Derived from the rules by which each policy sets MPS (docs/hardware-notes.md section 4). A function with the size of
 * the bridge above it shares the bridge's reason. Bridges come first in a plan.
 */

struct limits {
	const struct pv_policy_plan *plan;
	enum pv_mps_policy policy;
};

static const struct pv_planned *above(const struct limits *l, const struct pv_planned *p)
{
	return p->func->parent ? pv_policy_plan_of(l->plan, p->func->parent) : NULL;
}

static void set_limit(struct pv_planned *p, enum pv_limit_kind limit, const struct pv_pci_func *by)
{
	p->limit = limit;
	p->limited_by = by == p->func ? NULL : by;
}

static void take_limit_of(struct pv_planned *p, const struct pv_planned *other)
{
	if (other->limit == PV_LIMIT_NONE)
		set_limit(p, PV_LIMIT_MPSS, other->func);
	else
		set_limit(p, other->limit, other->limited_by ? other->limited_by : other->func);
}

/* Returns the largest MPS that this function permits below its Root Port, under safe. */
static int allows(const struct pv_planned *p)
{
	return p->hotplug && pv_port_type(p->func) != PCI_EXP_TYPE_ROOT_PORT ? 128 : p->mpss;
}

static bool is_below(const struct pv_pci_func *f, const struct pv_pci_func *top)
{
	while (f && f != top)
		f = f->parent;
	return f;
}

/* Under safe: the smallest MPSS below a Root Port. */
static void find_least(const struct limits *l, struct pv_planned *top)
{
	for (size_t i = 0; i < l->plan->n; i++) {
		const struct pv_planned *p = &l->plan->list[i];

		if (p == top || !is_below(p->func, top->func) || allows(p) != top->new_mps)
			continue;
		set_limit(top, p->hotplug ? PV_LIMIT_HOTPLUG : PV_LIMIT_MPSS, p->func);
		return;
	}
	set_limit(top, PV_LIMIT_FIRMWARE, NULL);
}

/* Under default: a Root Port keeps the firmware's MPS, unless a device below has a smaller MPSS. */
static void find_lowering(const struct limits *l, struct pv_planned *top)
{
	for (const struct pv_pci_func *f = top->func->child; f; f = f->sibling) {
		const struct pv_planned *p = pv_policy_plan_of(l->plan, f);

		if (!p || p->mpss != top->new_mps || pv_port_type(top->func) != PCI_EXP_TYPE_ROOT_PORT)
			continue;
		set_limit(top, PV_LIMIT_MPSS, f);
		return;
	}
	set_limit(top, PV_LIMIT_FIRMWARE, NULL);
}

/* Under safe, all functions below a Root Port have its MPS, for the same reason. */
static const struct pv_planned *whose_limit(const struct limits *l, const struct pv_planned *up)
{
	while (l->policy == PV_MPS_SAFE && above(l, up))
		up = above(l, up);
	return up;
}

static void find_limit(const struct limits *l, struct pv_planned *p)
{
	const struct pv_planned *up = above(l, p);

	if (p->new_mps >= (p->mpss < 4096 ? p->mpss : 4096))
		set_limit(p, PV_LIMIT_NONE, NULL);
	else if (l->policy == PV_MPS_TUNE_OFF)
		set_limit(p, PV_LIMIT_FIRMWARE, NULL);
	else if (l->policy == PV_MPS_PEER2PEER)
		set_limit(p, p->new_mps == 128 ? PV_LIMIT_POLICY : PV_LIMIT_FIRMWARE, NULL);
	else if (up && up->new_mps == p->new_mps)
		take_limit_of(p, whose_limit(l, up));
	else if (!up && l->policy == PV_MPS_SAFE)
		find_least(l, p);
	else if (!up && l->policy == PV_MPS_DEFAULT)
		find_lowering(l, p);
	else
		set_limit(p, PV_LIMIT_FIRMWARE, NULL);
}

static void find_limits(struct pv_policy_plan *plan, enum pv_mps_policy policy)
{
	struct limits l = {plan, policy};

	for (size_t i = 0; i < plan->n; i++)
		find_limit(&l, &plan->list[i]);
}

/* ---- plans ---- */

int pv_policy_plan(struct pv_pci_machine *m, enum pv_mps_policy policy, const struct pv_initial *initial,
		   size_t n_initial, struct pv_policy_plan *plan)
{
	return pv_policy_plan_next(m, policy, false, initial, n_initial, plan);
}

int pv_policy_plan_next(struct pv_pci_machine *m, enum pv_mps_policy policy, bool raises_root_ports,
			const struct pv_initial *initial, size_t n_initial, struct pv_policy_plan *plan)
{
	struct pv_bus bus = pv_pci_machine_bus(m);
	struct planning p = {.policy = policy, .raises_root_ports = raises_root_ports, .plan = plan};
	size_t given;
	int err = pv_engine_init(&p.engine, m, &bus);

	*plan = (struct pv_policy_plan){.list = calloc(m->n + 1, sizeof(*plan->list))};
	p.start = calloc(m->n + 1, sizeof(*p.start));
	if (!err && plan->list && p.start) {
		list_functions(&p, m);
		given = use_initial(&p, initial, n_initial);
		boot_three_times(&p);
		undo(&p);
		judge(plan, given >= plan->n);
		find_limits(plan, policy);
	} else {
		err = -ENOMEM;
	}
	free(p.start);
	pv_engine_free(&p.engine);
	return err;
}

int pv_policy_plan_present(struct pv_pci_machine *m, struct pv_policy_plan *plan)
{
	struct pv_bus bus = pv_pci_machine_bus(m);
	struct planning p = {.plan = plan, .start = calloc(m->n + 1, sizeof(*p.start))};
	int err = pv_engine_init(&p.engine, m, &bus);

	*plan = (struct pv_policy_plan){.list = calloc(m->n + 1, sizeof(*plan->list))};
	if (!err && (!plan->list || !p.start))
		err = -ENOMEM;
	if (!err)
		list_functions(&p, m);
	for (size_t i = 0; i < plan->n; i++) {
		plan->list[i].new_mps = plan->list[i].mps;
		plan->list[i].new_mrrs = plan->list[i].mrrs;
	}
	free(p.start);
	pv_engine_free(&p.engine);
	return err;
}

void pv_policy_plan_judge(struct pv_policy_plan *plan)
{
	judge(plan, true);
}

void pv_policy_plan_free(struct pv_policy_plan *plan)
{
	free(plan->list);
	*plan = (struct pv_policy_plan){0};
}

void pv_policy_plan_put(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool planned)
{
	struct pv_engine engine = {.machine = m, .bus = pv_pci_machine_bus(m)};

	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_planned *p = &plan->list[i];

		put_sizes(&engine, p->func,
			  planned ? (struct sizes){p->new_mps, p->new_mrrs} : (struct sizes){p->mps, p->mrrs});
	}
}

static double limit_read(double ceiling, unsigned in_flight, double round_trip_ns)
{
	double most = in_flight / round_trip_ns * 1e9;

	return ceiling < most ? ceiling : most;
}

void pv_policy_plan_round_trip(const struct pv_policy_plan *plan, double round_trip_ns)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct pv_planned *p = &plan->list[i];
		unsigned tags = pv_tags_of(p->func);

		p->now.read = limit_read(p->now.read, tags * (unsigned)p->mrrs, round_trip_ns);
		p->then.read = limit_read(p->then.read, tags * (unsigned)p->new_mrrs, round_trip_ns);
	}
}
