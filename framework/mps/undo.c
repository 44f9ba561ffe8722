/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the journal of apply. */
#include "framework/mps/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_lines(struct pv_undo *undo, char *text, unsigned number, struct pv_error *e)
{
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
		struct pv_undo_record *r = &undo->list[undo->n];

		*end = '\0';
		if (!pv_undo_parse(line, r) ||
		    (r->kind != PV_UNDO_COMMAND && r->kind != PV_UNDO_DEVCTL && r->kind != PV_UNDO_DONE))
			return pv_error(e, -EBADMSG,
					"%s:%u: not a journal of pcieval mps; nothing was changed, check and remove it",
					undo->path, number);
		if (r->kind == PV_UNDO_DONE)
			undo->n_done = undo->n;
		else
			undo->n++;
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

void pv_undo_close(struct pv_undo *undo)
{
	pv_undolog_close(&undo->journal);
	free(undo->list);
	undo->list = NULL;
	undo->n = 0;
}
