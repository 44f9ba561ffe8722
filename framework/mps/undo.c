/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the journal of apply. */
#include "framework/mps/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_apply(enum pv_undo_kind kind)
{
	return kind == PV_UNDO_COMMAND || kind == PV_UNDO_DEVCTL || kind == PV_UNDO_DONE;
}

static void read_lines(struct pv_undo *undo)
{
	unsigned number = undo->journal.line;

	for (char *line = undo->journal.text, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
		struct pv_undo_record *r = &undo->list[undo->n];

		*end = '\0';
		if (!pv_undo_parse(line, r) || !is_of_apply(r->kind)) {
			if (!undo->damaged++)
				undo->damaged_at = number;
		} else if (r->kind == PV_UNDO_DONE) {
			undo->n_done = undo->n;
		} else {
			undo->n++;
		}
	}
	undo->under_way = undo->n > undo->n_done;
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
	if (!undo->list)
		err = pv_error(e, -ENOMEM, "%s: no memory", path);
	if (err)
		pv_undo_close(undo);
	else
		read_lines(undo);
	return err;
}

int pv_undo_damage(const struct pv_undo *undo, struct pv_error *e)
{
	return undo->damaged
		       ? pv_error(e, -EBADMSG,
				  "%s:%u: expected a line of pcieval mps, got another one (%u in all); look at it "
				  "and remove the journal",
				  undo->path, undo->damaged_at, undo->damaged)
		       : 0;
}

void pv_undo_close(struct pv_undo *undo)
{
	pv_undolog_close(&undo->journal);
	free(undo->list);
	undo->list = NULL;
	undo->n = 0;
}
