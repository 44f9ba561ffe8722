/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo journal of a machine that must be left as it was: run/pcieval/undo below the root. It records what a change
 * replaces, on disk before the change is made (framework/undo/record.h). This appends lines; framework/vfio/restore.h
 * restores them.
 */
#ifndef PV_LINUX_UNDO_H
#define PV_LINUX_UNDO_H

#include "drivers/regs/pcie.h"
#include "framework/undo/record.h"

struct pv_linux;

/* Opens the journal: changes are recorded from now on. 0; -EBUSY: another process has it; -errno. */
int pv_linux_undo_open(struct pv_linux *l, struct pv_error *e);
struct pv_undolog *pv_linux_undolog(struct pv_linux *l);
/* Returns true if an earlier process has left a journal. */
bool pv_linux_has_undo(struct pv_linux *l);

/* Returns true if changes are recorded. */
bool pv_linux_notes(const struct pv_linux *l);
/* Record what a change replaces. 0, also if nothing is recorded; -errno: the change must not be made. */
int pv_linux_note(struct pv_linux *l, const struct pv_undo_record *r);
int pv_linux_note_attr(struct pv_linux *l, const char *pmu, const char *path);
/* bar -1: configuration space. */
int pv_linux_note_reg(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes);

/* Writes without recording. 0 or -errno. */
int pv_linux_write_attr(struct pv_linux *l, const char *pmu, const char *path, const char *text);
int pv_linux_write_config(struct pv_linux *l, pv_bdf bdf, uint32_t off, unsigned bytes, uint64_t value);
int pv_linux_write_bar(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value);
/* Reads the register of the two ids: Vendor ID, Device ID << 16. */
int pv_linux_read_ids(struct pv_linux *l, pv_bdf bdf, uint32_t *ids);

#endif
