/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way back from the journal: the oldest sizes are written as a policy's are, and who was left stopped goes on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/apply_internal.h"

static const struct pv_pci_func *still_there(const struct pv_apply_work *w, const struct pv_undo_entry *entry)
{
	const struct pv_pci_func *f = pv_pci_find_name(w->apply->machine, entry->name);

	if (!f || (!f->gone && (pv_pci_get(f, PCI_VENDOR_ID, 2) != entry->vendor ||
				pv_pci_get(f, PCI_DEVICE_ID, 2) != entry->device))) {
		pv_apply_say(w, "%s %04x:%04x has left the machine: nothing to restore", entry->name, entry->vendor,
			     entry->device);
		return NULL;
	}
	return f;
}

/* The oldest entry of a register counts. */
static bool is_first(const struct pv_undo *undo, size_t from, size_t i)
{
	for (size_t k = from; k < i; k++)
		if (undo->list[k].reg == undo->list[i].reg && !strcmp(undo->list[k].name, undo->list[i].name))
			return false;
	return true;
}

static int collect_settings(const struct pv_apply_work *w, struct pv_setting *settings, size_t *n)
{
	const struct pv_undo *undo = w->apply->undo;

	for (size_t i = 0; i < undo->n; i++) {
		const struct pv_undo_entry *entry = &undo->list[i];
		const struct pv_pci_func *f =
			entry->reg == PV_UNDO_DEVCTL && is_first(undo, 0, i) ? still_there(w, entry) : NULL;

		if (!f)
			continue;
		if (f->gone || !f->pcie)
			return pv_apply_fail_no_answer(w, f);
		settings[(*n)++] = (struct pv_setting){
			f, (int)PCI_EXP_SIZE_BYTES((entry->was & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT),
			(int)PCI_EXP_SIZE_BYTES((entry->was & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT)};
	}
	return 0;
}

/* Functions that an apply stopped and did not put on again: it ended in the middle. */
static int put_on_again(const struct pv_apply_work *w)
{
	const struct pv_undo *undo = w->apply->undo;

	for (size_t i = undo->n_done; i < undo->n; i++) {
		const struct pv_undo_entry *entry = &undo->list[i];
		struct pv_apply_job job = {.was_on = entry->was & PCI_COMMAND_MASTER};

		if (entry->reg != PV_UNDO_COMMAND || !is_first(undo, undo->n_done, i))
			continue;
		job.func = still_there(w, entry);
		if (job.func && job.func->gone)
			return pv_apply_fail_no_answer(w, job.func);
		if (job.func && !pv_apply_go_on(w, &job))
			return pv_error(w->e, -EREMOTEIO, "%s: Bus Master Enable cannot be set again", entry->name);
	}
	return 0;
}

int pv_apply_restore(const struct pv_apply *apply, struct pv_error *e)
{
	struct pv_apply_work w = {.apply = apply, .e = e};
	struct pv_setting *settings;
	size_t n = 0;
	int err;

	if (!apply->undo->n)
		return pv_error(e, -ENOENT, "the journal %s: nothing to restore", apply->undo->path);
	settings = calloc(apply->undo->n, sizeof(*settings));
	if (!settings)
		return pv_error(e, -ENOMEM, "no memory");
	err = collect_settings(&w, settings, &n);
	if (!err)
		err = pv_apply_run(&w, settings, n);
	if (!err)
		err = put_on_again(&w);
	free(w.jobs);
	free(settings);
	return err ? err : pv_undo_remove(apply->undo, e);
}
