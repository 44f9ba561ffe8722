/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of a run: one JSON object a line, appended with one write(2) each, so that it survives the
 * end of the runner at any moment. Its records:
 *
 *   {"ev":"start","case":0,"at_ms":12}
 *   {"ev":"step","case":0,"n":0,"kind":"traffic","line":14}         as the agent sent it
 *   {"ev":"problem","case":0,"n":3,"verdict":"fail","type":"check","message":"...","text":"...","kind":"check-trace","line":20}
 *   {"ev":"verdict","case":0,"verdict":"fail","type":"check","message":"...","ms":12}
 *   {"ev":"verdict","case":1,...,"stopped":true,...}               the run was interrupted, and the case with it
 *   {"ev":"attempt","case":2,"verdict":"error",...}                 as a verdict, but the case starts again
 *   {"ev":"end","interrupted":false,"at_ms":3120}
 *   {"ev":"resume","at_ms":3120}                                    what follows was done by another runner
 */
#ifndef PV_RUN_JOURNAL_H
#define PV_RUN_JOURNAL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "framework/util/error.h"

#define PV_JOURNAL_FILE "journal.jsonl"

struct pv_journal {
	int fd;
	int err; /* the first failure, -errno; nothing is written after it */
};

/*
 * Opens the journal of a folder, or makes it, and locks it, so that no other process claims the folder until the
 * descriptor is closed. Returns the descriptor; -EBUSY: another process has it.
 */
int pv_journal_claim(const char *folder);
/* Takes over `claim`, or claims the folder (-1). New entries begin on a new line. -EBUSY: another runner has it. */
int pv_journal_open(struct pv_journal *j, const char *folder, int claim, struct pv_error *e);

/* Appends o with "ev" and, unless below 0, "case" set. Takes o. */
void pv_journal_add(struct pv_journal *j, const char *ev, int case_index, json_object *o);

/* Returns when all records are on disk, or the journal has failed. */
void pv_journal_sync(struct pv_journal *j);

/* Returns whether the folder still has this journal; true if that is not known, as of a folder that was removed. */
bool pv_journal_is_in(const struct pv_journal *j, const char *folder);

/* Syncs and closes; returns the first failure of all. */
int pv_journal_close(struct pv_journal *j);

/*
 * Calls fn for each object of a journal in `folder`, in order. A missing journal is an empty one. *damaged is the
 * number of lines that were skipped: no objects, or refused by fn. An incomplete last line is not counted.
 */
int pv_journal_read(const char *folder, bool (*fn)(void *ctx, json_object *o), void *ctx, size_t *damaged,
		    struct pv_error *e);

/* Returns whether the folder has a journal, and whether a running run has claimed it. */
bool pv_journal_exists(const char *folder);
bool pv_journal_is_claimed(const char *folder);

#endif
