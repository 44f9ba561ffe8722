/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Former names of cases: a renamed case keeps its results, and runs that are added later may have the old name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/history/history_internal.h"
#include "framework/util/cleanup.h"

int pv_history_add_former(const struct pv_history *h, struct pv_error *e)
{
	static const char table[] =
		"CREATE TABLE IF NOT EXISTS former(plan TEXT NOT NULL, name TEXT NOT NULL, test INTEGER NOT NULL "
		"REFERENCES test, PRIMARY KEY(plan, name)) WITHOUT ROWID";

	return sqlite3_exec(h->db, table, NULL, NULL, NULL) ? pv_history_error(h, "cannot be written", e) : 0;
}

/* The test of a name, present or former, and that of a former name which still has results of its own. */
#define NOW                                                                  \
	"coalesce((SELECT test FROM former WHERE plan = ?1 AND name = ?3), " \
	"(SELECT id FROM test WHERE plan = ?1 AND name = ?3))"
#define OLD "(SELECT id FROM test WHERE plan = ?1 AND name = ?2 AND id <> " NOW ")"

/* ?1: the plan, ?2: the former name, ?3: the name. Each step finds nothing to do if the name was noted before. */
static const char *const steps[PV_RENAME_STEPS] = {
	"UPDATE OR IGNORE result SET test = " NOW " WHERE test = " OLD, "DELETE FROM result WHERE test = " OLD,
	"UPDATE former SET test = " NOW " WHERE test = " OLD,
	"INSERT OR IGNORE INTO former(plan, name, test) SELECT ?1, ?2, " NOW
	" WHERE NOT EXISTS(SELECT 1 FROM test WHERE id = " NOW " AND name = ?2)",
	"DELETE FROM test WHERE id = " OLD};

int pv_history_renamer_init(struct pv_history_renamer *r, const struct pv_history *h, struct pv_error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (!(r->steps[i] = pv_history_prepare(h, steps[i], e)))
			return e->code;
	return 0;
}

void pv_history_renamer_free(struct pv_history_renamer *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		sqlite3_finalize(r->steps[i]);
}

static int rename_from(const struct pv_history_renamer *r, const struct pv_history *h, const struct pv_case_result *c,
		       const char *former, struct pv_error *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		pv_history_bind_text(r->steps[i], 1, c->plan);
		pv_history_bind_text(r->steps[i], 2, former);
		pv_history_bind_text(r->steps[i], 3, c->name);
		err = pv_history_do(h, r->steps[i], e);
	}
	return err;
}

int pv_history_rename(const struct pv_history_renamer *r, const struct pv_history *h, const struct pv_case_result *c,
		      struct pv_error *e)
{
	const char *on = c->name + pv_case_base_length(c->name);
	int err = 0;

	for (char **f = c->formerly; !err && f && *f; f++) {
		_autofree_ char *former = NULL;

		if (asprintf(&former, "%s%s", *f, on) < 0)
			return pv_error(e, -ENOMEM, "no memory");
		err = rename_from(r, h, c, former, e);
	}
	return err;
}
