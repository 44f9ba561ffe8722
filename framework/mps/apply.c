/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one job for each function that is touched: it is stopped, written, or both. All jobs take each step together; if
 * a step fails, all registers are restored.
 */
#include "framework/mps/apply.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/facts.h"

enum { SIZES = PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS, POLL_NS = 1000000 };

/* A function that is touched. */
struct job {
	const struct pv_pci_func *func;
	const struct pv_setting *setting; /* NULL: the function is only stopped */
	bool stops;
	bool was_on;  /* Bus Master Enable before; restored at the end */
	bool stopped; /* this job cleared Bus Master Enable */
	bool written;
	uint16_t was; /* Device Control before the write */
};

struct work {
	const struct pv_apply *apply;
	struct job *jobs;
	size_t n;
	bool stuck; /* something could not be restored */
	struct pv_error *e;
};

/* ---- registers ---- */

static uint16_t get16(const struct work *w, const struct pv_pci_func *f, uint32_t off)
{
	return (uint16_t)w->apply->bus.cfg_read(w->apply->bus.ctx, f->bdf, off, 2);
}

static void put16(const struct work *w, const struct pv_pci_func *f, uint32_t off, uint16_t value)
{
	w->apply->bus.cfg_write(w->apply->bus.ctx, f->bdf, off, 2, value);
}

static uint32_t devctl_at(const struct pv_pci_func *f)
{
	return f->pcie + PCI_EXP_DEVCTL;
}

static bool answers(const struct work *w, const struct pv_pci_func *f)
{
	return get16(w, f, PCI_COMMAND) != 0xffff;
}

/* Compares Vendor and Device ID with those read at the start. */
static bool is_same(const struct work *w, const struct pv_pci_func *f)
{
	return get16(w, f, PCI_VENDOR_ID) == pv_pci_get(f, PCI_VENDOR_ID, 2) &&
	       get16(w, f, PCI_DEVICE_ID) == pv_pci_get(f, PCI_DEVICE_ID, 2);
}

static int fail_no_answer(const struct work *w, const struct pv_pci_func *f)
{
	return pv_error(w->e, -ENODEV, "%s: reads all ones: it is gone or powered down; wake it up and try again",
			f->name);
}

static int note(const struct work *w, const struct pv_pci_func *f, enum pv_undo_kind kind, uint16_t mask, uint16_t was)
{
	return pv_undo_append(&w->apply->undo->journal,
			      &(struct pv_undo_record){.kind = kind,
						       .name = f->name,
						       .ids = pv_pci_get(f, PCI_VENDOR_ID, 4),
						       .mask = mask,
						       .was = was & mask},
			      w->e);
}

static void say(const struct work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(const struct work *w, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (w->apply->say)
		w->apply->say(w->apply->ctx, text);
}

/* ---- step 1: checks, without any write ---- */

static int check_setting(const struct work *w, const struct pv_setting *s)
{
	const struct pv_pci_func *f = s->func;

	if (f->is_vf || !f->pcie)
		return pv_error(w->e, -EINVAL, "%s: has no MPS and MRRS of its own", f->name);
	/* All ones must not be written back: bit 15 of Device Control would start a Function Level Reset. */
	if (!answers(w, f) || get16(w, f, devctl_at(f)) == 0xffff)
		return fail_no_answer(w, f);
	if (!is_same(w, f) || (get16(w, f, f->pcie) & 0xff) != PCI_CAP_ID_EXP)
		return pv_error(w->e, -ENODEV, "%s: another function than a moment ago", f->name);
	return 0;
}

/* ---- step 2: stop ---- */

static int stop(const struct work *w, struct job *job)
{
	uint16_t command = get16(w, job->func, PCI_COMMAND);
	int err;

	/* A neighbour that has left the machine sends nothing. */
	if (command == 0xffff)
		return job->setting ? fail_no_answer(w, job->func) : 0;
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
 * A read of the function also waits for its earlier writes: the completion does not pass posted requests
 * (PCIe 5.0 2.4.1).
 */
static int wait_until_idle(const struct work *w, const struct job *job)
{
	const struct pv_bus *bus = &w->apply->bus;
	uint64_t end = bus->now_ns(bus->ctx) + PV_APPLY_PENDING_MS * 1000000ull;
	uint16_t status;

	if (!job->func->pcie || !answers(w, job->func))
		return 0;
	while ((status = get16(w, job->func, job->func->pcie + PCI_EXP_DEVSTA)) & PCI_EXP_DEVSTA_TRPND) {
		if (status == 0xffff)
			return fail_no_answer(w, job->func);
		if (bus->now_ns(bus->ctx) > end)
			return pv_error(w->e, -ETIMEDOUT,
					"%s: Transactions Pending is still set after %d ms without Bus Master; unbind "
					"its driver",
					job->func->name, PV_APPLY_PENDING_MS);
		bus->delay_ns(bus->ctx, POLL_NS);
	}
	return 0;
}

static int stop_all(const struct work *w)
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

/* Bit 15 starts a reset in endpoints; it is a setting only in bridges to PCI. */
static uint16_t without_reset(const struct pv_pci_func *f, uint16_t devctl)
{
	return pv_port_type(f) == PCI_EXP_TYPE_PCI_BRIDGE ? devctl : devctl & (uint16_t)~PCI_EXP_DEVCTL_BCR_FLR;
}

static int write_sizes(const struct work *w, struct job *job)
{
	const struct pv_setting *s = job->setting;
	uint16_t devctl = get16(w, job->func, devctl_at(job->func)), wanted, holds;
	int err;

	if (devctl == 0xffff)
		return fail_no_answer(w, job->func);
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
		return fail_no_answer(w, job->func);
	if ((holds ^ wanted) & SIZES)
		return pv_error(w->e, -EREMOTEIO, "%s: Device Control: expected 0x%04x, it holds 0x%04x",
				job->func->name, wanted, holds);
	return 0;
}

static int write_all(const struct work *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->n; i++)
		if (w->jobs[i].setting)
			err = write_sizes(w, &w->jobs[i]);
	return err;
}

/* ---- step 4: restart ---- */

/* Restarts a function that was on before. Returns false if it does not become bus master again. */
static bool go_on(const struct work *w, const struct job *job)
{
	uint16_t command = get16(w, job->func, PCI_COMMAND);

	if (!job->was_on || command == 0xffff)
		return true;
	if (!(command & PCI_COMMAND_MASTER))
		put16(w, job->func, PCI_COMMAND, command | PCI_COMMAND_MASTER);
	return get16(w, job->func, PCI_COMMAND) & PCI_COMMAND_MASTER;
}

static int go_on_all(const struct work *w)
{
	int err = 0;

	for (size_t i = 0; i < w->n; i++)
		if (!go_on(w, &w->jobs[i]))
			err = pv_error(w->e, -EREMOTEIO, "%s: Bus Master Enable cannot be set again",
				       w->jobs[i].func->name);
	return err;
}

/* ---- restoring after a failure ---- */

static bool write_back(const struct work *w, const struct job *job)
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

/* Restores everything that was written, and reports what could not be restored. Returns the first error. */
static int roll_back(struct work *w, int err)
{
	struct pv_error later, *first = w->e;

	w->e = &later;
	for (size_t i = w->n; i-- > 0;)
		if (!write_back(w, &w->jobs[i])) {
			say(w, "%s: its sizes could not be put back", w->jobs[i].func->name);
			w->stuck = true;
		}
	if (go_on_all(w)) {
		say(w, "%s", later.text);
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
 * A port that only forwards is not stopped: without Bus Master Enable it would refuse requests from below. A bridge to
 * PCI is stopped, because it sends on behalf of the devices behind it.
 */
static bool can_send(const struct pv_pci_func *f)
{
	if (f->is_vf)
		return true;
	return f->pcie && (!f->is_bridge || pv_port_type(f) == PCI_EXP_TYPE_PCI_BRIDGE);
}

/*
 * A new MRRS alone affects its readers: the function itself and its VFs. A new MPS affects all functions below one top.
 */
static bool is_concerned(const struct pv_setting *setting, const struct pv_pci_func *f)
{
	if (setting->mps == pv_mps_of(setting->func))
		return f == setting->func || f->pf == setting->func;
	return top_of(setting->func) == top_of(f);
}

bool pv_apply_concerns(const struct pv_setting *settings, size_t n, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < n; i++)
		if (is_concerned(&settings[i], f))
			return true;
	return false;
}

bool pv_apply_stops(const struct pv_setting *settings, size_t n, const struct pv_pci_func *f)
{
	return can_send(f) && !f->gone && pv_apply_concerns(settings, n, f);
}

static const struct pv_setting *setting_of(const struct pv_setting *settings, size_t n, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < n; i++)
		if (settings[i].func == f)
			return &settings[i];
	return NULL;
}

static int make_jobs(struct work *w, const struct pv_setting *settings, size_t n)
{
	const struct pv_pci_machine *m = w->apply->machine;

	w->jobs = calloc(m->n + 1, sizeof(*w->jobs));
	if (!w->jobs)
		return pv_error(w->e, -ENOMEM, "no memory");
	for (size_t i = 0; i < m->n; i++) {
		struct job job = {.func = &m->funcs[i], .setting = setting_of(settings, n, &m->funcs[i])};

		job.stops = !w->apply->live && pv_apply_stops(settings, n, job.func);
		if (job.setting || job.stops)
			w->jobs[w->n++] = job;
	}
	return 0;
}

/* Stops devices, writes, restarts them; restores old values after a failure. The caller frees w->jobs. */
static int run(struct work *w, const struct pv_setting *settings, size_t n)
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

/* Records in the journal that nothing is under way any more. */
static int done(struct pv_undo *undo, struct pv_error *e)
{
	return pv_undo_append(&undo->journal, &(struct pv_undo_record){.kind = PV_UNDO_DONE}, e);
}

int pv_apply(const struct pv_apply *apply, const struct pv_setting *settings, size_t n, struct pv_error *e)
{
	struct work w = {.apply = apply, .e = e};
	bool first = !apply->undo->n;
	struct pv_error later;
	int err;

	if (apply->undo->under_way)
		return pv_error(e, -EBUSY,
				"the journal %s: an earlier apply ended in the middle; first 'pcieval mps restore'",
				apply->undo->path);
	if (pv_undo_damage(apply->undo, e))
		return pv_error_context(e, "nothing was written: ");
	err = run(&w, settings, n);
	free(w.jobs);
	if (!err)
		return done(apply->undo, e);
	/* All registers have their old values, so the journal can be emptied. */
	if (!w.stuck)
		first ? pv_undolog_remove(&apply->undo->journal, &later) : done(apply->undo, &later);
	return err;
}

/* ---- restore: writes the oldest journalled sizes like those of a policy, and restarts stopped functions ---- */

static const struct pv_pci_func *still_there(const struct work *w, const struct pv_undo_record *entry)
{
	const struct pv_pci_func *f = pv_pci_find_name(w->apply->machine, entry->name);

	if (!f || (!f->gone && pv_pci_get(f, PCI_VENDOR_ID, 4) != entry->ids)) {
		say(w, "%s %04x:%04x has left the machine: nothing to restore", entry->name,
		    (unsigned)(entry->ids & 0xffff), (unsigned)(entry->ids >> 16));
		return NULL;
	}
	return f;
}

/* Returns true for the oldest entry of a register: its value is the one to restore. */
static bool is_first(const struct pv_undo *undo, size_t from, size_t i)
{
	for (size_t k = from; k < i; k++)
		if (undo->list[k].kind == undo->list[i].kind && !strcmp(undo->list[k].name, undo->list[i].name))
			return false;
	return true;
}

static int collect_settings(const struct work *w, struct pv_setting *settings, size_t *n)
{
	const struct pv_undo *undo = w->apply->undo;

	for (size_t i = 0; i < undo->n; i++) {
		const struct pv_undo_record *entry = &undo->list[i];
		const struct pv_pci_func *f =
			entry->kind == PV_UNDO_DEVCTL && is_first(undo, 0, i) ? still_there(w, entry) : NULL;

		if (!f)
			continue;
		if (f->gone || !f->pcie)
			return fail_no_answer(w, f);
		settings[(*n)++] = (struct pv_setting){
			f, (int)PCI_EXP_SIZE_BYTES((entry->was & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT),
			(int)PCI_EXP_SIZE_BYTES((entry->was & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT)};
	}
	return 0;
}

/* Restarts functions that an interrupted apply left stopped. */
static int put_on_again(const struct work *w)
{
	const struct pv_undo *undo = w->apply->undo;

	for (size_t i = undo->n_done; i < undo->n; i++) {
		const struct pv_undo_record *entry = &undo->list[i];
		struct job job = {.was_on = entry->was & PCI_COMMAND_MASTER};

		if (entry->kind != PV_UNDO_COMMAND || !is_first(undo, undo->n_done, i))
			continue;
		job.func = still_there(w, entry);
		if (job.func && job.func->gone)
			return fail_no_answer(w, job.func);
		if (job.func && !go_on(w, &job))
			return pv_error(w->e, -EREMOTEIO, "%s: Bus Master Enable cannot be set again", entry->name);
	}
	return 0;
}

int pv_apply_restore(const struct pv_apply *apply, struct pv_error *e)
{
	struct work w = {.apply = apply, .e = e};
	struct pv_setting *settings;
	size_t n = 0;
	int err;

	if (!apply->undo->n && !apply->undo->damaged)
		return pv_error(e, -ENOENT, "the journal %s: nothing to restore", apply->undo->path);
	settings = calloc(apply->undo->n + 1, sizeof(*settings));
	if (!settings)
		return pv_error(e, -ENOMEM, "no memory");
	err = collect_settings(&w, settings, &n);
	if (!err)
		err = run(&w, settings, n);
	if (!err)
		err = put_on_again(&w);
	free(w.jobs);
	free(settings);
	if (err)
		return err;
	if (!apply->undo->damaged)
		return pv_undolog_remove(&apply->undo->journal, e);
	err = done(apply->undo, e);
	if (err)
		return err;
	pv_undo_damage(apply->undo, e);
	return pv_error_context(e, "what the other lines say is restored: ");
}
