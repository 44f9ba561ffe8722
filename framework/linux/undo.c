/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends to the undo journal what a change replaces. */
#include "framework/linux/undo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/linux/internal.h"

#define TEXT_MAX 512

int pv_linux_undo_open(struct pv_linux *l, struct pv_error *e)
{
	snprintf(l->undo_path, sizeof(l->undo_path), "%s", PV_LINUX_PATH(l, "run/pcieval/undo"));
	return pv_undolog_open(&l->undo, l->undo_path, e);
}

struct pv_undolog *pv_linux_undolog(struct pv_linux *l)
{
	return &l->undo;
}

bool pv_linux_has_undo(struct pv_linux *l)
{
	return !access(PV_LINUX_PATH(l, "run/pcieval/undo"), F_OK);
}

bool pv_linux_notes(const struct pv_linux *l)
{
	return l->undo.fd >= 0;
}

int pv_linux_note(struct pv_linux *l, const struct pv_undo_record *r)
{
	return pv_linux_notes(l) ? pv_undo_append(&l->undo, r, NULL) : 0;
}

/*
 * Attributes that cannot be restored (unreadable, or of several lines) are not written: -EPERM. A missing one: -ENOENT.
 */
int pv_linux_note_attr(struct pv_linux *l, const char *pmu, const char *path)
{
	char was[TEXT_MAX];

	if (!pv_linux_notes(l))
		return 0;
	int n = l->driver.ops->attr_read(&l->driver, pmu, path, was, sizeof(was));
	if (n < 0)
		return n == -ENOENT ? n : -EPERM;
	return pv_linux_note(l,
			     &(struct pv_undo_record){.kind = PV_UNDO_ATTR, .device = pmu, .path = path, .text = was});
}

int pv_linux_read_ids(struct pv_linux *l, pv_bdf bdf, uint32_t *ids)
{
	uint64_t value = 0;
	int err = l->machine.ops->reg_read(&l->machine, bdf, -1, PCI_VENDOR_ID, 4, &value);

	*ids = (uint32_t)value;
	return err;
}

int pv_linux_note_reg(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes)
{
	struct pv_undo_record r = {.kind = bar < 0 ? PV_UNDO_REG : PV_UNDO_BAR,
				   .bdf = bdf,
				   .bar = (uint64_t)bar,
				   .off = off,
				   .bytes = bytes};

	if (!pv_linux_notes(l))
		return 0;
	int err = pv_linux_read_ids(l, bdf, &r.ids);
	if (!err)
		err = l->machine.ops->reg_read(&l->machine, bdf, bar, off, bytes, &r.was);
	return err ? err : pv_linux_note(l, &r);
}
