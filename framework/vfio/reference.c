/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference driver on a running Linux: its tables, hot-plug, time. */
#include "framework/vfio/reference.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/linux/undo.h"
#include "framework/target/reference.h"
#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"
#include "framework/vfio/bus.h"
#include "framework/vfio/bus_internal.h"

struct pv_vfio_reference {
	struct pv_reference base;
	struct pv_machine machine;
	struct pv_linux *l;
	struct pv_vfio_bus *bus;
};

static struct pv_vfio_reference *of(struct pv_driver *d)
{
	return (struct pv_vfio_reference *)((char *)d - offsetof(struct pv_vfio_reference, base.driver));
}

static struct pv_vfio_reference *of_machine(struct pv_machine *m)
{
	return (struct pv_vfio_reference *)((char *)m - offsetof(struct pv_vfio_reference, machine));
}

static struct pv_driver *linux_driver(struct pv_vfio_reference *r)
{
	return pv_linux_driver(r->l);
}

/* ---- hot-plug: what has come, the kernel finds first; what goes, the driver lets go of first ---- */

/* The result of Linux is ignored: a port without a slot has no pciehp, and the driver must detect that itself. */
static int op_slot_event(struct pv_driver *d, pv_bdf port)
{
	struct pv_vfio_reference *r = of(d);

	linux_driver(r)->ops->slot_event(linux_driver(r), port);
	int err = pv_vfio_bus_refresh(r->bus);
	return err ? err : pv_reference_ops.slot_event(d, port);
}

static int op_rescan(struct pv_driver *d)
{
	struct pv_vfio_reference *r = of(d);
	int err = linux_driver(r)->ops->rescan(linux_driver(r));

	if (!err)
		err = pv_vfio_bus_refresh(r->bus);
	return err ? err : pv_reference_ops.rescan(d);
}

static int op_gone(struct pv_driver *d, pv_bdf bdf)
{
	struct pv_vfio_reference *r = of(d);
	int result = pv_reference_ops.gone(d, bdf);

	pv_vfio_bus_let_go(r->bus);
	int err = linux_driver(r)->ops->gone(linux_driver(r), bdf);
	if (!err)
		err = pv_vfio_bus_refresh(r->bus);
	return err ? err : result;
}

/* The kernel may have removed it by now: letting go of a function resets what is in its slot, which pciehp sees. */
static int op_remove(struct pv_driver *d, pv_bdf bdf)
{
	struct pv_vfio_reference *r = of(d);
	int err = pv_reference_ops.remove(d, bdf);

	if (err)
		return err;
	pv_vfio_bus_let_go(r->bus);
	err = linux_driver(r)->ops->remove(linux_driver(r), bdf);
	return err && err != -ENODEV ? err : pv_vfio_bus_refresh(r->bus);
}

/* ---- attributes ---- */

/* Journals a tune value, unless it is unreadable: the driver then refuses to write it, too. */
static int note_tune(struct pv_driver *d, const char *pmu, const char *path)
{
	struct pv_linux *l = of(d)->l;
	char was[512];

	if (!pv_linux_notes(l) || d->ops->attr_read(d, pmu, path, was, sizeof(was)) < 0)
		return 0;
	return pv_linux_note(l,
			     &(struct pv_undo_record){.kind = PV_UNDO_TUNE, .device = pmu, .path = path, .text = was});
}

/* There is one thread: a reader who reads again and again keeps no interrupt from its handler. */
static int op_attr_read(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size)
{
	int err = pv_vfio_bus_wait(of(d)->bus, 0);

	return err ? err : pv_reference_ops.attr_read(d, pmu, path, buf, size);
}

static int op_attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	int err = note_tune(d, pmu, path);

	return err ? err : pv_reference_ops.attr_write(d, pmu, path, text);
}

/* ---- the machine ---- */

static int op_reg_read(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	struct pv_machine *machine = pv_linux_machine(of_machine(m)->l);

	return machine->ops->reg_read(machine, bdf, bar, off, bytes, value);
}

static int op_reg_write(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_machine *machine = pv_linux_machine(of_machine(m)->l);

	return machine->ops->reg_write(machine, bdf, bar, off, bytes, value);
}

/* The driver is woken now and then, as the kernel's timers would, for counters that can only be polled. */
static int op_wait(struct pv_machine *m, uint64_t ns)
{
	struct pv_vfio_reference *r = of_machine(m);

	for (;;) {
		uint64_t step = ns < PV_SYS_POLL_NS ? ns : PV_SYS_POLL_NS;
		int err = pv_linux_is_abandoned(r->l) ? -EPIPE : pv_vfio_bus_wait(r->bus, step);

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

/* All members are those of the reference driver, but for hot-plug, interrupts and what is noted. */
static const struct pv_driver_ops *driver_ops(void)
{
	static struct pv_driver_ops ops;

	ops = pv_reference_ops;
	ops.attr_read = op_attr_read;
	ops.attr_write = op_attr_write;
	ops.slot_event = op_slot_event;
	ops.gone = op_gone;
	ops.rescan = op_rescan;
	ops.remove = op_remove;
	ops.set_vfs = NULL; /* the kernel would not know of them */
	return &ops;
}

static int note_functions(struct pv_linux *l, const pv_bdf *functions, size_t n)
{
	_autofree_ char *text = NULL;
	size_t size;

	if (!pv_linux_notes(l))
		return 0;
	FILE *f = open_memstream(&text, &size);
	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s%s", i ? " " : "", pv_bdf_name(functions[i]).s);
	if (!f || fclose(f))
		return -ENOMEM;
	return pv_linux_note(l, &(struct pv_undo_record){.kind = PV_UNDO_REFERENCE, .text = text});
}

/* From here on it is for the notes to find the way back, whatever becomes of this process. */
static int begin_notes(struct pv_vfio_reference *r, const pv_bdf *functions, size_t n, struct pv_error *e)
{
	if (pv_linux_notes(r->l) && !n)
		return pv_error(e, -EINVAL, "the reference driver: expected the functions that it may take, got none");
	int err = pv_vfio_bus_check_rights(r->bus, e);
	if (err)
		return err;
	err = note_functions(r->l, functions, n);
	if (err)
		return pv_error(e, err, "noting what the reference driver takes: %s", pv_errno_name(err));
	return pv_vfio_bus_take_ports(r->bus, e);
}

static int boot(struct pv_vfio_reference *r, struct pv_linux *l, enum pv_mps_policy policy, const pv_bdf *functions,
		size_t n, bool settles, struct pv_error *e)
{
	r->l = l;
	r->base.driver.ops = driver_ops();
	r->machine.ops = &machine_ops;
	int err = pv_vfio_bus_open(&r->bus, l, functions, n, e);
	if (!err && settles)
		pv_vfio_bus_settle(r->bus);
	if (!err)
		err = begin_notes(r, functions, n, e);
	if (err)
		return err;
	err = pv_reference_boot(&r->base, pv_vfio_bus_of(r->bus), policy);
	return err ? pv_error(e, err, "the reference driver: no memory") : 0;
}

static int start(struct pv_vfio_reference **out, struct pv_linux *l, enum pv_mps_policy policy, const pv_bdf *functions,
		 size_t n, bool settles, struct pv_error *e)
{
	struct pv_vfio_reference *r = calloc(1, sizeof(*r));
	int err = r ? boot(r, l, policy, functions, n, settles, e)
		    : pv_error(e, -ENOMEM, "the reference driver: no memory");

	if (err)
		pv_vfio_reference_end(r);
	else
		*out = r;
	return err;
}

int pv_vfio_reference_boot(struct pv_vfio_reference **out, struct pv_linux *l, enum pv_mps_policy policy,
			   const pv_bdf *functions, size_t n, struct pv_error *e)
{
	return start(out, l, policy, functions, n, false, e);
}

int pv_vfio_reference_settle(struct pv_vfio_reference **out, struct pv_linux *l, const pv_bdf *functions, size_t n,
			     struct pv_error *e)
{
	return start(out, l, PV_MPS_TUNE_OFF, functions, n, true, e);
}

void pv_vfio_reference_end(struct pv_vfio_reference *r)
{
	if (!r)
		return;
	pv_reference_shutdown(&r->base);
	pv_vfio_bus_close(r->bus);
	/* Without this line the functions are put at rest once more, which does no harm. */
	if (r->base.driver.ops)
		pv_linux_note(r->l, &(struct pv_undo_record){.kind = PV_UNDO_IDLE});
	free(r);
}

struct pv_driver *pv_vfio_reference_driver(struct pv_vfio_reference *r)
{
	return &r->base.driver;
}

struct pv_machine *pv_vfio_reference_machine(struct pv_vfio_reference *r)
{
	return &r->machine;
}
