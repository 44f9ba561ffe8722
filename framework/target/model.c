/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target "model": opens and closes it, (re)boots the driver, lets simulated time pass. */
#include "framework/target/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct pv_model_target *of(struct pv_machine *m)
{
	return (struct pv_model_target *)((char *)m - offsetof(struct pv_model_target, machine));
}

/* ---- the machine ---- */

static int op_boot(struct pv_machine *machine, enum pv_mps_policy policy, struct pv_error *e)
{
	struct pv_model_target *m = of(machine);

	pv_reference_shutdown(&m->reference);
	if (m->dirty) {
		pv_model_bus_reset(&m->bus);
		pv_model_reset(m->hw.model);
	}
	m->dirty = true;
	if (pv_hw_booting(&m->hw))
		return pv_error(e, -ENOMEM, "boot: no memory");
	return pv_reference_boot(&m->reference, &m->bus.bus, policy)
		       ? pv_error(e, -ENOMEM, "boot: the driver has no memory")
		       : 0;
}

static void op_shutdown(struct pv_machine *machine, pv_report_fn told, void *ctx)
{
	struct pv_model_target *m = of(machine);

	pv_reference_shutdown(&m->reference);
	pv_model_bus_account(&m->bus, told, ctx);
}

/* An access past the driver takes time, too: interrupts that fall due meanwhile are not kept from the driver. */
static int served(struct pv_model_target *m, int err)
{
	pv_model_bus_run(&m->bus, pv_model_now_ps(m->hw.model));
	return err;
}

static int op_reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	return served(of(m), pv_hw_reg_read(&of(m)->hw, bdf, bar, off, bytes, value));
}

static int op_reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	return served(of(m), pv_hw_reg_write(&of(m)->hw, bdf, bar, off, bytes, value));
}

/* Lets time pass; wakes the driver regularly, as the kernel's timers do, for counters that can only be polled. */
static void pass(struct pv_model_target *m, uint64_t until_ps)
{
	struct pv_sys *sys = m->reference.sys;
	uint64_t due = until_ps;

	for (uint64_t now; (now = pv_model_now_ps(m->hw.model)) < until_ps;) {
		if (sys)
			due = pv_sys_poll_due_ns(sys) * PV_PS_PER_NS;
		if (due > now)
			pv_model_bus_run(&m->bus, due < until_ps ? due : until_ps);
		else
			pv_sys_poll(sys);
	}
}

static int op_wait(struct pv_machine *machine, uint64_t ns)
{
	struct pv_model_target *m = of(machine);
	uint64_t until;
	int err = pv_hw_later(&m->hw, ns, &until);

	if (!err)
		pass(m, until);
	return err;
}

static int op_cpu_online(struct pv_machine *machine, unsigned cpu, bool online)
{
	return pv_sys_cpu_online(of(machine)->reference.sys, cpu, online);
}

static void lose_power(void *ctx)
{
	pv_model_power_cycle(((struct pv_model_target *)ctx)->hw.model);
}

static int op_suspend(struct pv_machine *machine, bool power_lost)
{
	struct pv_model_target *m = of(machine);

	return pv_sys_suspend(m->reference.sys, power_lost ? lose_power : NULL, m);
}

static uint64_t op_now_ps(struct pv_machine *machine)
{
	return pv_model_now_ps(of(machine)->hw.model);
}

static const struct pv_machine_ops machine_ops = {
	.boot = op_boot,
	.shutdown = op_shutdown,
	.reg_read = op_reg_read,
	.reg_write = op_reg_write,
	.wait = op_wait,
	.cpu_online = op_cpu_online,
	.suspend = op_suspend,
	.now_ps = op_now_ps,
};

/* ---- services for the hardware ---- */

static void *host_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	return pv_model_bus_dma_map(&((struct pv_model_target *)ctx)->bus, addr, bytes);
}

static void host_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_model_bus_msi(&((struct pv_model_target *)ctx)->bus, bdf, vector);
}

static void host_irq_latency(void *ctx, uint64_t latency_ps)
{
	pv_model_bus_latency(&((struct pv_model_target *)ctx)->bus, latency_ps);
}

/* ---- the target ---- */

static const char *const drivers[] = {"reference", NULL};

static int check_driver(json_object *msg, struct pv_error *e)
{
	const char *driver = json_object_get_string(json_object_object_get(msg, "driver"));

	if (!driver || !strcmp(driver, drivers[0]))
		return 0;
	return pv_error(e, -EINVAL, "target model: driver: expected reference (the only one without a kernel), got %s",
			driver);
}

static void op_close(struct pv_target *t)
{
	struct pv_model_target *m = (struct pv_model_target *)t; /* base stands first */

	pv_reference_shutdown(&m->reference);
	pv_model_bus_fini(&m->bus);
	pv_hw_close(&m->hw);
	free(m);
}

static void combine(struct pv_model_target *m)
{
	m->machine.ops = &machine_ops;
	m->reference.driver.ops = &pv_reference_ops;
	m->bus.model = m->hw.model;
	m->bus.topology = m->hw.topo;
	m->bus.bus.buses = m->hw.topo ? m->hw.topo->buses : NULL;
	m->bus.bus.n_buses = m->hw.topo ? m->hw.topo->n_buses : 0;
	m->bus.bus.cpus = m->hw.topo ? m->hw.topo->cpus : 1;
	m->base = (struct pv_target){
		.ops = &pv_target_model,
		.topology = m->hw.topo,
		.machine = &m->machine,
		.driver = &m->reference.driver,
		.workload = &m->hw.workload,
		.truth = &m->hw.truth,
		.ptt_tick_hz = PV_HW_PTT_TICK_HZ,
	};
}

static int op_open(struct pv_target **out, json_object *case_msg, struct pv_error *e)
{
	int err = check_driver(case_msg, e);

	if (err)
		return err;
	struct pv_model_target *m = calloc(1, sizeof(*m));
	if (!m)
		return pv_error(e, -ENOMEM, "target model: no memory");
	const struct pv_hw_host host = {m, host_dma_map, host_msi, host_irq_latency};
	pv_model_bus_init(&m->bus);
	err = pv_hw_open(&m->hw, case_msg, &host, e);
	combine(m);
	if (err)
		op_close(&m->base);
	else
		*out = &m->base;
	return err;
}

const struct pv_target_ops pv_target_model = {
	.name = "model",
	.help = "the bundled models, in this process and in simulated time; nothing to install or boot",
	.drivers = drivers,
	.open = op_open,
	.close = op_close,
};
