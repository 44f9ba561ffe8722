/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One job for each function that is touched: stopped, written, or both. The jobs go through the steps together, and a
 * step that fails is followed by the way back.
 */
#include "framework/mps/apply_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/facts.h"

enum { SIZES = PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS, POLL_NS = 1000000 };

/* ---- registers ---- */

static uint16_t get16(const struct pv_apply_work *w, const struct pv_pci_func *f, uint32_t off)
{
	return (uint16_t)w->apply->bus.cfg_read(w->apply->bus.ctx, f->bdf, off, 2);
}

static void put16(const struct pv_apply_work *w, const struct pv_pci_func *f, uint32_t off, uint16_t value)
{
	w->apply->bus.cfg_write(w->apply->bus.ctx, f->bdf, off, 2, value);
}

static uint32_t devctl_at(const struct pv_pci_func *f)
{
	return f->pcie + PCI_EXP_DEVCTL;
}

static bool answers(const struct pv_apply_work *w, const struct pv_pci_func *f)
{
	return get16(w, f, PCI_COMMAND) != 0xffff;
}

/* The ids that the machine had when it was read. */
static bool is_same(const struct pv_apply_work *w, const struct pv_pci_func *f)
{
	return get16(w, f, PCI_VENDOR_ID) == pv_pci_get(f, PCI_VENDOR_ID, 2) &&
	       get16(w, f, PCI_DEVICE_ID) == pv_pci_get(f, PCI_DEVICE_ID, 2);
}

int pv_apply_fail_no_answer(const struct pv_apply_work *w, const struct pv_pci_func *f)
{
	return pv_error(w->e, -ENODEV, "%s: reads all ones: it is gone or powered down; wake it up and try again",
			f->name);
}

static int note(const struct pv_apply_work *w, const struct pv_pci_func *f, enum pv_undo_reg reg, uint16_t mask,
		uint16_t was)
{
	struct pv_undo_entry entry = {.reg = reg, .mask = mask, .was = was & mask};

	snprintf(entry.name, sizeof(entry.name), "%s", f->name);
	entry.vendor = (uint16_t)pv_pci_get(f, PCI_VENDOR_ID, 2);
	entry.device = (uint16_t)pv_pci_get(f, PCI_DEVICE_ID, 2);
	return pv_undo_add(w->apply->undo, &entry, w->e);
}

void pv_apply_say(const struct pv_apply_work *w, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (w->apply->say)
		w->apply->say(w->apply->ctx, text);
}

/* ---- step 1: nothing is touched yet ---- */

static int check_setting(const struct pv_apply_work *w, const struct pv_setting *s)
{
	const struct pv_pci_func *f = s->func;

	if (f->is_vf || !f->pcie)
		return pv_error(w->e, -EINVAL, "%s: has no MPS and MRRS of its own", f->name);
	/* All ones must not be written back: bit 15 of Device Control would start a Function Level Reset. */
	if (!answers(w, f) || get16(w, f, devctl_at(f)) == 0xffff)
		return pv_apply_fail_no_answer(w, f);
	if (!is_same(w, f) || (get16(w, f, f->pcie) & 0xff) != PCI_CAP_ID_EXP)
		return pv_error(w->e, -ENODEV, "%s: another function than a moment ago", f->name);
	return 0;
}

/* ---- step 2: stop ---- */

static int stop(const struct pv_apply_work *w, struct pv_apply_job *job)
{
	uint16_t command = get16(w, job->func, PCI_COMMAND);
	int err;

	/* A neighbour that is gone sends nothing. */
	if (command == 0xffff)
		return job->setting ? pv_apply_fail_no_answer(w, job->func) : 0;
	if (!(command & PCI_COMMAND_MASTER))
		return 0;
	err = note(w, job->func, PV_UNDO_COMMAND, PCI_COMMAND_MASTER, command);
	if (err)
		return err;
	job->was_on = job->stopped = true;
	put16(w, job->func, PCI_COMMAND, command & (uint16_t)~PCI_COMMAND_MASTER);
	if (get16(w, job->func, PCI_COMMAND) & PCI_COMMAND_MASTER)
		return pv_error(w->e, -EREMOTEIO, "%s: Bus Master Enable stays set: the device cannot be stopped",
				job->func->name);
	return 0;
}

/*
 * Reading the function also waits for what it sent before: the completion does not pass posted requests (PCIe 5.0
 * 2.4.1).
 */
static int wait_until_idle(const struct pv_apply_work *w, const struct pv_apply_job *job)
{
	const struct pv_bus *bus = &w->apply->bus;
	uint64_t end = bus->now_ns(bus->ctx) + PV_APPLY_PENDING_MS * 1000000ull;
	uint16_t status;

	if (!job->func->pcie || !answers(w, job->func))
		return 0;
	while ((status = get16(w, job->func, job->func->pcie + PCI_EXP_DEVSTA)) & PCI_EXP_DEVSTA_TRPND) {
		if (status == 0xffff)
			return pv_apply_fail_no_answer(w, job->func);
		if (bus->now_ns(bus->ctx) > end)
			return pv_error(w->e, -ETIMEDOUT,
					"%s: Transactions Pending is still set after %d ms without Bus Master; unbind "
					"its driver",
					job->func->name, PV_APPLY_PENDING_MS);
		bus->delay_ns(bus->ctx, POLL_NS);
	}
	return 0;
}

static int stop_all(const struct pv_apply_work *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->n; i++)
		if (w->jobs[i].stops)
			err = stop(w, &w->jobs[i]);
	for (size_t i = 0; !err && i < w->n; i++)
		if (w->jobs[i].stops)
			err = wait_until_idle(w, &w->jobs[i]);
	return err;
}

/* ---- step 3: write ---- */

/* Bit 15 is a command in endpoints, and a setting in bridges to PCI only. */
static uint16_t without_reset(const struct pv_pci_func *f, uint16_t devctl)
{
	return pv_port_type(f) == PCI_EXP_TYPE_PCI_BRIDGE ? devctl : devctl & (uint16_t)~PCI_EXP_DEVCTL_BCR_FLR;
}

static int write_sizes(const struct pv_apply_work *w, struct pv_apply_job *job)
{
	const struct pv_setting *s = job->setting;
	uint16_t devctl = get16(w, job->func, devctl_at(job->func)), wanted, holds;
	int err;

	if (devctl == 0xffff)
		return pv_apply_fail_no_answer(w, job->func);
	wanted = pv_devctl_with(devctl, s->mps, s->mrrs);
	if (wanted == devctl)
		return 0;
	err = note(w, job->func, PV_UNDO_DEVCTL, SIZES, devctl);
	if (err)
		return err;
	job->was = devctl;
	job->written = true;
	put16(w, job->func, devctl_at(job->func), without_reset(job->func, wanted));
	holds = get16(w, job->func, devctl_at(job->func));
	if (holds == 0xffff)
		return pv_apply_fail_no_answer(w, job->func);
	if ((holds ^ wanted) & SIZES)
		return pv_error(w->e, -EREMOTEIO, "%s: Device Control: expected 0x%04x, it holds 0x%04x",
				job->func->name, wanted, holds);
	return 0;
}

static int write_all(const struct pv_apply_work *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->n; i++)
		if (w->jobs[i].setting)
			err = write_sizes(w, &w->jobs[i]);
	return err;
}

/* ---- step 4: go on ---- */

bool pv_apply_go_on(const struct pv_apply_work *w, const struct pv_apply_job *job)
{
	uint16_t command = get16(w, job->func, PCI_COMMAND);

	if (!job->was_on || command == 0xffff)
		return true;
	if (!(command & PCI_COMMAND_MASTER))
		put16(w, job->func, PCI_COMMAND, command | PCI_COMMAND_MASTER);
	return get16(w, job->func, PCI_COMMAND) & PCI_COMMAND_MASTER;
}

static int go_on_all(const struct pv_apply_work *w)
{
	int err = 0;

	for (size_t i = 0; i < w->n; i++)
		if (!pv_apply_go_on(w, &w->jobs[i]))
			err = pv_error(w->e, -EREMOTEIO, "%s: Bus Master Enable cannot be set again",
				       w->jobs[i].func->name);
	return err;
}

/* ---- the way back ---- */

static bool write_back(const struct pv_apply_work *w, const struct pv_apply_job *job)
{
	uint16_t devctl = get16(w, job->func, devctl_at(job->func));

	if (!job->written)
		return true;
	if (devctl == 0xffff)
		return false;
	devctl = (uint16_t)((devctl & ~SIZES) | (job->was & SIZES));
	put16(w, job->func, devctl_at(job->func), without_reset(job->func, devctl));
	return !((get16(w, job->func, devctl_at(job->func)) ^ devctl) & SIZES);
}

/* Keeps the first error; says what cannot be put back. */
static int roll_back(struct pv_apply_work *w, int err)
{
	struct pv_error later, *first = w->e;

	w->e = &later;
	for (size_t i = w->n; i-- > 0;)
		if (!write_back(w, &w->jobs[i])) {
			pv_apply_say(w, "%s: its sizes could not be put back", w->jobs[i].func->name);
			w->stuck = true;
		}
	if (go_on_all(w)) {
		pv_apply_say(w, "%s", later.text);
		w->stuck = true;
	}
	w->e = first;
	if (w->stuck)
		pv_error_context(first, "not everything is restored, see 'pcieval mps restore': ");
	return w->stuck ? -EIO : err;
}

/* ---- jobs ---- */

static const struct pv_pci_func *top_of(const struct pv_pci_func *f)
{
	if (f->pf)
		f = f->pf;
	while (f->parent && pv_has_sizes(f->parent))
		f = f->parent;
	return f;
}

/*
 * A port that only forwards is not stopped: without Bus Master it would refuse requests from below. A bridge to PCI is
 * stopped, because it sends for the devices behind it.
 */
static bool can_send(const struct pv_pci_func *f)
{
	if (f->is_vf)
		return true;
	return f->pcie && (!f->is_bridge || pv_port_type(f) == PCI_EXP_TYPE_PCI_BRIDGE);
}

bool pv_apply_stops(const struct pv_pci_machine *m, const struct pv_setting *settings, size_t n,
		    const struct pv_pci_func *f)
{
	for (size_t i = 0; i < n && can_send(f) && !f->gone; i++)
		if (top_of(settings[i].func) == top_of(f))
			return true;
	return false;
}

static const struct pv_setting *setting_of(const struct pv_setting *settings, size_t n, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < n; i++)
		if (settings[i].func == f)
			return &settings[i];
	return NULL;
}

static int make_jobs(struct pv_apply_work *w, const struct pv_setting *settings, size_t n)
{
	const struct pv_pci_machine *m = w->apply->machine;

	w->jobs = calloc(m->n + 1, sizeof(*w->jobs));
	if (!w->jobs)
		return pv_error(w->e, -ENOMEM, "no memory");
	for (size_t i = 0; i < m->n; i++) {
		struct pv_apply_job job = {.func = &m->funcs[i], .setting = setting_of(settings, n, &m->funcs[i])};

		job.stops = !w->apply->live && pv_apply_stops(m, settings, n, job.func);
		if (job.setting || job.stops)
			w->jobs[w->n++] = job;
	}
	return 0;
}

int pv_apply_run(struct pv_apply_work *w, const struct pv_setting *settings, size_t n)
{
	int err = make_jobs(w, settings, n);

	for (size_t i = 0; !err && i < n; i++)
		err = check_setting(w, &settings[i]);
	if (err)
		return err;
	err = stop_all(w);
	if (!err)
		err = write_all(w);
	if (!err)
		err = go_on_all(w);
	return err ? roll_back(w, err) : 0;
}

int pv_apply(const struct pv_apply *apply, const struct pv_setting *settings, size_t n, struct pv_error *e)
{
	struct pv_apply_work w = {.apply = apply, .e = e};
	bool first = !apply->undo->n;
	struct pv_error later;
	int err;

	if (apply->undo->under_way)
		return pv_error(e, -EBUSY,
				"the journal %s: an earlier apply ended in the middle; first 'pcieval mps restore'",
				apply->undo->path);
	err = pv_apply_run(&w, settings, n);
	free(w.jobs);
	if (!err)
		return pv_undo_done(apply->undo, e);
	/* All is as it was before: so is the journal. */
	if (!w.stuck)
		first ? pv_undo_remove(apply->undo, &later) : pv_undo_done(apply->undo, &later);
	return err;
}
