/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference driver on a running Linux: its tables, hot-plug, time. */
#include "framework/linux/reference.h"
#include "framework/linux/undo.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "framework/linux/bus_internal.h"
#include "framework/target/reference.h"

#define POLL_NS 50000000u /* pv_sys_poll() asks for 100 ms at most */

struct pv_linux_reference {
	struct pv_reference base;
	struct pv_machine machine;
	struct pv_linux *l;
	struct pv_linux_bus *bus;
};

static struct pv_linux_reference *of(struct pv_driver *d)
{
	return (struct pv_linux_reference *)((char *)d - offsetof(struct pv_linux_reference, base.driver));
}

static struct pv_linux_reference *of_machine(struct pv_machine *m)
{
	return (struct pv_linux_reference *)((char *)m - offsetof(struct pv_linux_reference, machine));
}

/* ---- hot-plug: what has come, the kernel finds first; what goes, the driver lets go of first ---- */

/* The result of Linux is ignored: a port without a slot has no pciehp, and the driver must detect that itself. */
static int op_slot_event(struct pv_driver *d, pv_bdf port)
{
	struct pv_linux_reference *r = of(d);

	pv_linux_slot_event(&r->l->driver, port);
	int err = pv_linux_bus_refresh(r->bus);
	return err ? err : pv_reference_ops.slot_event(d, port);
}

static int op_rescan(struct pv_driver *d)
{
	struct pv_linux_reference *r = of(d);
	int err = pv_linux_rescan(&r->l->driver);

	if (!err)
		err = pv_linux_bus_refresh(r->bus);
	return err ? err : pv_reference_ops.rescan(d);
}

static int op_gone(struct pv_driver *d, pv_bdf bdf)
{
	struct pv_linux_reference *r = of(d);
	int result = pv_reference_ops.gone(d, bdf);

	pv_linux_bus_let_go(r->bus);
	int err = pv_linux_gone(&r->l->driver, bdf);
	if (!err)
		err = pv_linux_bus_refresh(r->bus);
	return err ? err : result;
}

/* The kernel may have removed it by now: letting go of a function resets what is in its slot, which pciehp sees. */
static int op_remove(struct pv_driver *d, pv_bdf bdf)
{
	struct pv_linux_reference *r = of(d);
	int err = pv_reference_ops.remove(d, bdf);

	if (err)
		return err;
	pv_linux_bus_let_go(r->bus);
	err = pv_linux_remove(&r->l->driver, bdf);
	return err && err != -ENODEV ? err : pv_linux_bus_refresh(r->bus);
}

/* ---- attributes ---- */

static int op_attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	int err = pv_linux_note_tune(of(d)->l, d, pmu, path);

	return err ? err : pv_reference_ops.attr_write(d, pmu, path, text);
}

/* ---- the machine ---- */

static int op_reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	struct pv_machine *machine = &of_machine(m)->l->machine;

	return machine->ops->reg_read(machine, bdf, bar, off, bytes, value);
}

static int op_reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_machine *machine = &of_machine(m)->l->machine;

	return machine->ops->reg_write(machine, bdf, bar, off, bytes, value);
}

/* The driver is woken now and then, as the kernel's timers would, for counters that can only be polled. */
static int op_wait(struct pv_machine *m, uint64_t ns)
{
	struct pv_linux_reference *r = of_machine(m);

	for (;;) {
		uint64_t step = ns < POLL_NS ? ns : POLL_NS;
		int err = pv_linux_is_abandoned(r->l) ? -EPIPE : pv_linux_bus_wait(r->bus, step);

		ns -= step;
		if (err || !ns)
			return err;
		pv_sys_poll(r->base.sys);
	}
}

static const struct pv_machine_ops machine_ops = {
	.reg_read = op_reg_read,
	.reg_write = op_reg_write,
	.wait = op_wait,
};

/* ---- life ---- */

/* All members are those of the reference driver, but for hot-plug and what is noted. */
static const struct pv_driver_ops *driver_ops(void)
{
	static struct pv_driver_ops ops;

	ops = pv_reference_ops;
	ops.attr_write = op_attr_write;
	ops.slot_event = op_slot_event;
	ops.gone = op_gone;
	ops.rescan = op_rescan;
	ops.remove = op_remove;
	ops.set_vfs = NULL; /* the kernel would not know of them */
	return &ops;
}

/* From here on it is for the notes to find the way back, whatever becomes of this process. */
static int begin_notes(struct pv_linux_reference *r, const pv_bdf *functions, size_t n, struct pv_error *e)
{
	if (pv_linux_notes(r->l) && !n)
		return pv_error(e, -EINVAL, "the reference driver: expected the functions that it may take, got none");
	int err = pv_linux_bus_check_rights(r->bus, e);
	if (err)
		return err;
	err = pv_linux_note_reference(r->l, functions, n);
	if (err)
		return pv_error(e, err, "noting what the reference driver takes: %s", pv_errno_name(err));
	return pv_linux_bus_take_ports(r->bus, e);
}

static int boot(struct pv_linux_reference *r, struct pv_linux *l, enum pv_mps_policy policy, const pv_bdf *functions,
		size_t n, struct pv_error *e)
{
	r->l = l;
	r->base.driver.ops = driver_ops();
	r->machine.ops = &machine_ops;
	int err = pv_linux_bus_open(&r->bus, l, functions, n, e);
	if (!err)
		err = begin_notes(r, functions, n, e);
	if (err)
		return err;
	err = pv_reference_boot(&r->base, pv_linux_bus_of(r->bus), policy);
	return err ? pv_error(e, err, "the reference driver: no memory") : 0;
}

int pv_linux_reference_boot(struct pv_linux_reference **out, struct pv_linux *l, enum pv_mps_policy policy,
			    const pv_bdf *functions, size_t n, struct pv_error *e)
{
	struct pv_linux_reference *r = calloc(1, sizeof(*r));
	int err = r ? boot(r, l, policy, functions, n, e) : pv_error(e, -ENOMEM, "the reference driver: no memory");

	if (err)
		pv_linux_reference_end(r);
	else
		*out = r;
	return err;
}

void pv_linux_reference_end(struct pv_linux_reference *r)
{
	if (!r)
		return;
	pv_reference_shutdown(&r->base);
	pv_linux_bus_close(r->bus);
	/* Without this line the functions are put at rest once more, which does no harm. */
	if (r->base.driver.ops)
		pv_linux_note_idle(r->l);
	free(r);
}

struct pv_driver *pv_linux_reference_driver(struct pv_linux_reference *r)
{
	return &r->base.driver;
}

struct pv_machine *pv_linux_reference_machine(struct pv_linux_reference *r)
{
	return &r->machine;
}

/* ---- what a driver that was killed has left ---- */

struct left {
	pv_bdf *functions; /* of the last driver */
	size_t n;
	bool busy;  /* it did not come to its end */
	bool tuned; /* what only the driver can put back */
};

static int read_functions(const char *names, struct left *left)
{
	size_t n;

	free(left->functions);
	left->functions = calloc(strlen(names) / 8 + 1, sizeof(*left->functions));
	left->n = 0;
	if (!left->functions)
		return -ENOMEM;
	for (; *names == ' ' && (n = pv_bdf_scan(names + 1, &left->functions[left->n])); names += n + 1)
		left->n++;
	return *names ? -EBADMSG : 0;
}

static int note_left(struct pv_linux *l, char *line, void *left)
{
	struct left *of = left;

	if (!strncmp(line, "reference", 9)) {
		of->busy = true;
		return read_functions(line + 9, of);
	}
	of->busy &= strcmp(line, "idle") != 0;
	of->tuned |= !strncmp(line, "tune ", 5);
	return 0;
}

static int leave_vfio(struct pv_linux *l, char *line, void *ctx)
{
	char device[PV_LINUX_NAME_MAX], driver[PV_LINUX_NAME_MAX], now[PV_LINUX_NAME_MAX];

	if (sscanf(line, "bind pci %63s %63s", device, driver) != 2 || !strcmp(driver, PV_LINUX_VFIO))
		return 0;
	pv_linux_bound_driver(l, "pci", device, now);
	return strcmp(now, PV_LINUX_VFIO) ? 0 : pv_linux_unbind(l, "pci", device, now);
}

/* A PMU that is gone has taken its levels with it. */
static int put_tune(struct pv_linux *l, char *line, void *driver)
{
	char pmu[PV_LINUX_NAME_MAX], path[PV_UNDO_TEXT], now[PV_UNDO_TEXT];
	struct pv_driver *d = driver;
	int n = 0;

	if (sscanf(line, "tune %63s %511s%n", pmu, path, &n) != 2 || line[n] != ' ')
		return 0;
	int err = d->ops->attr_read(d, pmu, path, now, sizeof(now));
	if (err == -ENODEV || err == -ENOENT || (err >= 0 && !strcmp(now, line + n + 1)))
		return 0;
	return d->ops->attr_write(d, pmu, path, line + n + 1);
}

static int start_again(struct pv_linux *l, const struct left *left, const char *text, struct pv_error *e)
{
	struct pv_linux_reference *r;
	int err = pv_linux_reference_boot(&r, l, PV_MPS_TUNE_OFF, left->functions, left->n, e);

	if (err)
		return err;
	err = pv_linux_undo_each(l, text, true, put_tune, pv_linux_reference_driver(r));
	pv_linux_reference_end(r);
	return err;
}

int pv_linux_settle(struct pv_linux *l, const char *text, struct pv_error *e)
{
	struct left left = {0};
	int err = pv_linux_undo_each(l, text, false, note_left, &left);

	l->settling = true;
	if (!err && left.n && (left.busy || left.tuned))
		err = start_again(l, &left, text, e);
	l->settling = false;
	free(left.functions);
	if (!err)
		err = pv_linux_undo_each(l, text, false, leave_vfio, NULL);
	return err ? pv_error(e, err, "leaving the reference driver's functions idle: %s; they are still in %s",
			      pv_errno_name(err), l->undo.path)
		   : 0;
}
