/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and appending to the journal. */
#include "framework/mps/undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 128 };

static const char *const regs[] = {[PV_UNDO_COMMAND] = "command", [PV_UNDO_DEVCTL] = "devctl"};
/* The fields that are ever written. A journal with others is not one of ours. */
static const uint16_t masks[] = {
	[PV_UNDO_COMMAND] = PCI_COMMAND_MASTER,
	[PV_UNDO_DEVCTL] = PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS,
};

/* ---- reading ---- */

static bool parse(const char *line, struct pv_undo_entry *entry)
{
	char reg[16];
	unsigned vendor, device, mask, was;
	int n = 0;

	if (sscanf(line, "%19s %4x:%4x %15s %x %x%n", entry->name, &vendor, &device, reg, &mask, &was, &n) != 6 ||
	    line[n])
		return false;
	for (int i = PV_UNDO_COMMAND; i <= PV_UNDO_DEVCTL; i++)
		if (!strcmp(reg, regs[i]) && mask == masks[i] && !(was & ~mask)) {
			entry->reg = (enum pv_undo_reg)i;
			entry->vendor = (uint16_t)vendor;
			entry->device = (uint16_t)device;
			entry->mask = (uint16_t)mask;
			entry->was = (uint16_t)was;
			return true;
		}
	return false;
}

static int read_lines(struct pv_undo *undo, char *text, unsigned number, struct pv_error *e)
{
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
		*end = '\0';
		if (!strcmp(line, "done"))
			undo->n_done = undo->n;
		else if (!parse(line, &undo->list[undo->n++]))
			return pv_error(e, -EBADMSG,
					"%s:%u: not a journal of pcieval mps; nothing was changed, check and remove it",
					undo->path, number);
	}
	undo->under_way = undo->n > undo->n_done;
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int pv_undo_open(struct pv_undo *undo, const char *path, struct pv_error *e)
{
	*undo = (struct pv_undo){.path = path};
	int err = pv_undolog_open(&undo->journal, path, e);

	if (err)
		return err;
	undo->stale = undo->journal.stale;
	undo->list = calloc(count_lines(undo->journal.text) + 1, sizeof(*undo->list));
	err = undo->list ? read_lines(undo, undo->journal.text, undo->journal.line, e)
			 : pv_error(e, -ENOMEM, "%s: no memory", path);
	if (err)
		pv_undo_close(undo);
	return err;
}

/* ---- writing ---- */

int pv_undo_add(struct pv_undo *undo, const struct pv_undo_entry *entry, struct pv_error *e)
{
	char line[LINE_MAX_BYTES];

	snprintf(line, sizeof(line), "%s %04x:%04x %s 0x%04x 0x%04x\n", entry->name, entry->vendor, entry->device,
		 regs[entry->reg], entry->mask, entry->was);
	return pv_undolog_append(&undo->journal, line, e);
}

int pv_undo_done(struct pv_undo *undo, struct pv_error *e)
{
	return pv_undolog_append(&undo->journal, "done\n", e);
}

int pv_undo_remove(struct pv_undo *undo, struct pv_error *e)
{
	return pv_undolog_remove(&undo->journal, e);
}

void pv_undo_close(struct pv_undo *undo)
{
	pv_undolog_close(&undo->journal);
	free(undo->list);
	undo->list = NULL;
	undo->n = 0;
}
