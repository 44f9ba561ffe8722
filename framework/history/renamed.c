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

/*
 * ?1: the plan, ?2: the former name, ?3: the name. Each step finds nothing to do if the name was noted before. A run
 * with both names had two cases: results of the former name stay where they are.
 */
static const char *const steps[PV_RENAME_STEPS] = {
	"UPDATE result SET test = " NOW " WHERE test = " OLD " AND run NOT IN (SELECT run FROM result WHERE test = " NOW
	")",
	"UPDATE former SET test = " NOW " WHERE test = " OLD,
	"INSERT OR IGNORE INTO former(plan, name, test) SELECT ?1, ?2, " NOW
	" WHERE NOT EXISTS(SELECT 1 FROM test WHERE id = " NOW " AND name = ?2)",
	"DELETE FROM test WHERE id = " OLD " AND NOT EXISTS(SELECT 1 FROM result WHERE test = test.id)"};

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

/* ---- names that are used again ---- */

static int note_names(const struct pv_history *h, const struct pv_run_result *r, struct pv_error *e)
{
	sqlite3_stmt *s = pv_history_prepare(h, "INSERT OR IGNORE INTO temp.used(plan, name) VALUES(?1, ?2)", e);
	int err = s ? 0 : e->code;

	for (size_t i = 0; !err && i < r->n_cases; i++) {
		pv_history_bind_text(s, 1, r->cases[i].plan);
		pv_history_bind_text(s, 2, r->cases[i].name);
		err = pv_history_do(h, s, e);
	}
	sqlite3_finalize(s);
	return err;
}

int pv_history_reuse(const struct pv_history *h, const struct pv_run_result *r, struct pv_error *e)
{
	static const char begin[] = "CREATE TEMP TABLE IF NOT EXISTS used(plan TEXT NOT NULL, name TEXT NOT NULL, "
				    "PRIMARY KEY(plan, name)) WITHOUT ROWID; DELETE FROM temp.used";
	/* A run may have several former names of one case and not its present one: the last of them remains. */
	static const char withdraw[] =
		"DELETE FROM former WHERE EXISTS(SELECT 1 FROM used WHERE plan = former.plan AND name = former.name) "
		"AND (EXISTS(SELECT 1 FROM test JOIN used USING(plan, name) WHERE test.id = former.test) "
		"OR EXISTS(SELECT 1 FROM used JOIN former AS other USING(plan, name) "
		"WHERE other.test = former.test AND other.name > former.name))";

	if (sqlite3_exec(h->db, begin, NULL, NULL, NULL))
		return pv_history_error(h, "cannot be written", e);
	int err = note_names(h, r, e);
	if (!err && sqlite3_exec(h->db, withdraw, NULL, NULL, NULL))
		err = pv_history_error(h, "cannot be written", e);
	return err;
}
