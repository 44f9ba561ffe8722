/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the files of this folder. */
#ifndef PV_HISTORY_HISTORY_INTERNAL_H
#define PV_HISTORY_HISTORY_INTERNAL_H

#include "framework/history/history.h"

/* Fills *e with SQLite's last error, and returns its code. */
int pv_history_error(const struct pv_history *h, const char *doing, struct pv_error *e);
/* Prepares a statement. NULL: see *e. The caller finalizes it. */
sqlite3_stmt *pv_history_prepare(const struct pv_history *h, const char *sql, struct pv_error *e);
/* Binds a text, which must outlive the execution; NULL is "". */
void pv_history_bind_text(sqlite3_stmt *s, int i, const char *text);
/* Executes a statement that returns no rows, and resets it. */
int pv_history_do(const struct pv_history *h, sqlite3_stmt *s, struct pv_error *e);

/* Adds the table of former names to a history that lacks it (renamed.c). */
int pv_history_add_former(const struct pv_history *h, struct pv_error *e);
/* Withdraws former names that are other cases in the run, which has the renamed ones too. */
int pv_history_reuse(const struct pv_history *h, const struct pv_run_result *r, struct pv_error *e);
/* The statements of a renaming. Initialise with {0}; pv_history_renamer_free() frees it, also after an error. */
enum { PV_RENAME_STEPS = 4 };
struct pv_history_renamer {
	sqlite3_stmt *steps[PV_RENAME_STEPS];
};
int pv_history_renamer_init(struct pv_history_renamer *r, const struct pv_history *h, struct pv_error *e);
void pv_history_renamer_free(struct pv_history_renamer *r);
/* Gives a case the results under its former names, and remembers these. The case must have been added. */
int pv_history_rename(const struct pv_history_renamer *r, const struct pv_history *h, const struct pv_case_result *c,
		      struct pv_error *e);

#endif
