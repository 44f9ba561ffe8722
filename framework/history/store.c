/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a history, and adds runs to it. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/history/history_internal.h"
#include "framework/run/folder.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hash.h"

/* application_id is "pcEv", which file(1) shows */
enum { APPLICATION = 0x70634576, VERSION = 1, WAIT_MS = 10000 };

static const char schema[] =
	"PRAGMA application_id = 1885554038;"
	"PRAGMA user_version = 1;"
	"CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, folder TEXT NOT NULL,"
	" started INTEGER NOT NULL, seconds REAL NOT NULL, target TEXT NOT NULL, board TEXT NOT NULL,"
	" driver TEXT NOT NULL, kernel TEXT NOT NULL, revision TEXT NOT NULL, version TEXT NOT NULL,"
	" hostname TEXT NOT NULL, pass INTEGER NOT NULL, fail INTEGER NOT NULL, error INTEGER NOT NULL,"
	" skip INTEGER NOT NULL, interrupted INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS test(id INTEGER PRIMARY KEY, plan TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(plan, "
	"name));"
	"CREATE TABLE IF NOT EXISTS result(test INTEGER NOT NULL REFERENCES test, run INTEGER NOT NULL REFERENCES run,"
	" round INTEGER NOT NULL, verdict INTEGER NOT NULL, ms INTEGER NOT NULL, retried INTEGER NOT NULL, rate REAL,"
	" message TEXT, PRIMARY KEY(test, run, round)) WITHOUT ROWID;";

/* ---- errors ---- */

int pv_history_error(const struct pv_history *h, const char *doing, struct pv_error *e)
{
	static const struct {
		int sqlite, err;
		const char *why;
	} known[] = {
		{SQLITE_BUSY, -EBUSY, "another process is writing to it"},
		{SQLITE_FULL, -ENOSPC, "the disk is full; nothing was written"},
		{SQLITE_READONLY, -EACCES, "it cannot be written"},
		{SQLITE_NOTADB, -EINVAL, "it is no history of runs"},
		{SQLITE_CORRUPT, -EINVAL,
		 "it is damaged; take a copy of before, or add the runs to a new one: their folders have everything"},
		{SQLITE_NOMEM, -ENOMEM, "no memory"}};
	int code = h->db ? sqlite3_errcode(h->db) & 0xff : SQLITE_NOMEM;

	if (code == SQLITE_CANTOPEN) {
		int err = sqlite3_system_errno(h->db);

		return pv_error(e, -ENOENT, "%s: %s: %s", h->path, doing, err ? strerror(err) : "it cannot be opened");
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].sqlite == code)
			return pv_error(e, known[i].err, "%s: %s: %s", h->path, doing, known[i].why);
	return pv_error(e, -EIO, "%s: %s: %s", h->path, doing, sqlite3_errmsg(h->db));
}

sqlite3_stmt *pv_history_prepare(const struct pv_history *h, const char *sql, struct pv_error *e)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(h->db, sql, -1, &s, NULL) != SQLITE_OK)
		pv_history_error(h, "cannot be read", e);
	return s;
}

/* ---- opening ---- */

static int64_t pragma(const struct pv_history *h, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t value = -1;

	if (sqlite3_prepare_v2(h->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		value = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return value;
}

static int check_whole(const struct pv_history *h, struct pv_error *e)
{
	sqlite3_stmt *s = pv_history_prepare(h, "PRAGMA quick_check(1)", e);

	if (!s)
		return e->code;
	int step = sqlite3_step(s);
	const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
	int err = 0;
	if (step != SQLITE_ROW)
		err = pv_history_error(h, "cannot be read", e);
	else if (!text || strcmp(text, "ok"))
		err = pv_error(e, -EINVAL,
			       "%s: it is damaged: %s; take a copy of before, or add the runs to a new one: their "
			       "folders have everything",
			       h->path, text ? text : "?");
	sqlite3_finalize(s);
	return err;
}

static bool has_conditions(const struct pv_history *h)
{
	return pragma(h, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'conditions'");
}

/*
 * Makes the table of conditions: a run without any has no row, and those that are in the history by now have NULL,
 * since theirs were not recorded.
 */
#define CONDITIONS(table)                                                                                \
	"CREATE " table " conditions(run INTEGER PRIMARY KEY REFERENCES run, defects TEXT, known TEXT);" \
	"INSERT INTO conditions SELECT id, NULL, NULL FROM run;"

#define TABLES(names) "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (" names ")"
#define OLDEST	      "'run', 'test', 'result'"

/* Has the tables without which nothing can be read: others came later. */
static bool is_made(const struct pv_history *h)
{
	return pragma(h, TABLES(OLDEST)) == 3;
}

static bool is_complete(const struct pv_history *h)
{
	return pragma(h, TABLES(OLDEST ", 'conditions', 'former'")) == 5;
}

static int no_history(const struct pv_history *h, struct pv_error *e)
{
	return pv_error(e, -EINVAL, "%s: it is no history of runs; `pcieval history add` makes one", h->path);
}

/*
 * An empty file is all right, and so is one that is marked as a history and lacks tables: earlier versions marked it
 * first, and may have been killed then.
 */
static int check_file(const struct pv_history *h, struct pv_error *e)
{
	int64_t application = pragma(h, "PRAGMA application_id"), version = pragma(h, "PRAGMA user_version");

	if (application < 0)
		return pv_history_error(h, "cannot be read", e);
	if (!application && !version && !pragma(h, "SELECT count(*) FROM sqlite_schema"))
		return 0;
	if (application != APPLICATION)
		return no_history(h, e);
	if (version != VERSION && (version || is_made(h)))
		return pv_error(e, -EINVAL, "%s: expected a history of version %d, got %" PRId64, h->path, VERSION,
				version);
	return check_whole(h, e);
}

static int make_missing(const struct pv_history *h, struct pv_error *e)
{
	int err = check_file(h, e);

	if (err)
		return err;
	if ((!is_made(h) && sqlite3_exec(h->db, schema, NULL, NULL, NULL)) ||
	    (!has_conditions(h) && sqlite3_exec(h->db, CONDITIONS("TABLE"), NULL, NULL, NULL)))
		return pv_history_error(h, "cannot be made", e);
	return pv_history_add_former(h, e);
}

/* All or none are made, by one process: another that has waited for it finds them. */
static int make_tables(const struct pv_history *h, struct pv_error *e)
{
	if (sqlite3_exec(h->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return pv_history_error(h, "cannot be written", e);
	int err = make_missing(h, e);
	if (!err && sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL))
		err = pv_history_error(h, "cannot be made", e);
	if (!sqlite3_get_autocommit(h->db))
		sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

/* Checks in one transaction, as another process may be making the history. */
static int check_tables(const struct pv_history *h, bool *made, bool *complete, struct pv_error *e)
{
	if (sqlite3_exec(h->db, "BEGIN", NULL, NULL, NULL))
		return pv_history_error(h, "cannot be read", e);
	int err = check_file(h, e);
	*made = is_made(h);
	*complete = is_complete(h);
	sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

/* A reader must not write: it makes the table of conditions in memory. */
static int open_tables(const struct pv_history *h, bool create, struct pv_error *e)
{
	bool made = false, complete = false;
	int err = check_tables(h, &made, &complete, e);

	if (err)
		return err;
	if (create)
		return complete ? 0 : make_tables(h, e);
	if (!made)
		return no_history(h, e);
	return !has_conditions(h) && sqlite3_exec(h->db, CONDITIONS("TEMP TABLE"), NULL, NULL, NULL)
		       ? pv_history_error(h, "cannot be written", e)
		       : 0;
}

static int open_file(struct pv_history *h, const char *path, bool create, struct pv_error *e)
{
	bool foreign = pv_path_is_foreign(path);
	/* A reader, too, must be able to roll back what a killed writer has left. */
	int flags = foreign ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);

	if (create && foreign)
		return pv_error(e, -EPERM, "%s: cannot be written: " PV_FOREIGN_LINK, path);
	if (sqlite3_open_v2(path, &h->db, flags, NULL) != SQLITE_OK)
		return pv_history_error(h, create ? "cannot be made" : "cannot be read", e);
	sqlite3_busy_timeout(h->db, WAIT_MS);
	sqlite3_extended_result_codes(h->db, 0);
	return open_tables(h, create, e);
}

/* ---- a folder of runs ---- */

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* "latest" is a link to another run. */
static bool is_run(const char *path)
{
	char settings[PATH_MAX];
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) &&
	       snprintf(settings, sizeof(settings), "%s/" PV_SETTINGS_FILE, path) < (int)sizeof(settings) &&
	       !access(settings, F_OK);
}

static int add_folder(struct pv_history *h, const char *path, struct pv_error *e)
{
	struct pv_run_result *r;
	bool known;
	int err = is_run(path) ? pv_run_load(path, &r, e) : -ENOTDIR;

	if (err == -ENOTDIR)
		return 0;
	if (err)
		return err;
	/* Shards are left out, as the merged run contains them. */
	if (!r->running && !pv_run_property(r, "shard"))
		err = pv_history_add(h, r, &known, e);
	pv_run_result_free(r);
	return err;
}

static int add_folders(struct pv_history *h, const char *path, struct pv_error *e)
{
	struct dirent **found;
	int n = scandir(path, &found, is_visible, alphasort), err = 0;

	if (n < 0)
		return pv_error(e, -errno, "%s: cannot be read: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char run[PATH_MAX];

		if (!err && snprintf(run, sizeof(run), "%s/%s", path, found[i]->d_name) < (int)sizeof(run))
			err = add_folder(h, run, e);
		free(found[i]);
	}
	free(found);
	if (!err && !pragma(h, "SELECT count(*) FROM run"))
		err = pv_error(e, -ENOENT, "%s: expected run folders in it, found none", path);
	return err;
}

int pv_history_open(struct pv_history *h, const char *path, bool create, struct pv_error *e)
{
	struct stat st;

	*h = (struct pv_history){.path = strdup(path)};
	if (!h->path)
		return pv_error(e, -ENOMEM, "no memory");
	bool folder = !stat(path, &st) && S_ISDIR(st.st_mode);
	if (folder && create)
		return pv_error(e, -EISDIR, "%s: expected a file, got a folder", path);
	int err = open_file(h, folder ? ":memory:" : path, create || folder, e);
	return !err && folder ? add_folders(h, path, e) : err;
}

void pv_history_close(struct pv_history *h)
{
	sqlite3_close(h->db);
	free(h->path);
	*h = (struct pv_history){0};
}

/* ---- adding ---- */

double pv_history_rate(const struct pv_case_result *c)
{
	double rate = 0;

	for (char **f = c->figures; f && *f; f++)
		for (const char *at = *f; (at = strstr(at, " MB/s")); at++) {
			const char *begin = at;

			while (begin > *f && strchr("0123456789.", begin[-1]))
				begin--;
			if (begin < at)
				rate = strtod(begin, NULL) * 1e6;
		}
	return rate;
}

static uint64_t hash_more(uint64_t hash, const char *text)
{
	return pv_hash_more(hash, text ? text : "", (text ? strlen(text) : 0) + 1);
}

/* Earlier versions knew all runs by this. Other runs of the same cases may have the same. */
static uint64_t first_hash(const struct pv_run_result *r)
{
	uint64_t hash = pv_hash_text(r->hostname);

	hash = pv_hash_more(hash, &r->started, sizeof(r->started));
	hash = pv_hash_more(hash, r->command, strlen(r->command));
	hash = pv_hash_more(hash, &r->seconds, sizeof(r->seconds));
	for (size_t i = 0; i < r->n_cases; i++)
		hash = pv_hash_more(hash, r->cases[i].name, strlen(r->cases[i].name));
	return hash;
}

/* For folders without an ID. The hash depends on the run only, not on the path of its folder. */
static uint64_t hash_of(const struct pv_run_result *r)
{
	uint64_t hash = first_hash(r);

	hash = hash_more(hash, r->target);
	hash = hash_more(hash, r->driver);
	hash = hash_more(hash, pv_run_kernel(r));
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct pv_case_result *c = &r->cases[i];

		hash = hash_more(hash, c->plan);
		hash = hash_more(hash, c->message);
		hash = pv_hash_more(hash, &c->verdict, sizeof(c->verdict));
		hash = pv_hash_more(hash, &c->seconds, sizeof(c->seconds));
	}
	return hash;
}

/* A history knows a run by its ID, or by a hash. */
struct identity {
	const char *digest;
	int64_t stale; /* a run of this ID that has gone on since it was added; 0: none */
	char text[PV_DIGEST_TEXT], first[PV_DIGEST_TEXT]; /* first: the hash of earlier versions; "": has an ID */
};

static void identify(struct identity *id, const struct pv_run_result *r)
{
	*id = (struct identity){.digest = r->id};
	if (r->id && *r->id)
		return;
	snprintf(id->text, sizeof(id->text), "%016" PRIx64, hash_of(r));
	snprintf(id->first, sizeof(id->first), "%016" PRIx64, first_hash(r));
	id->digest = id->text;
}

void pv_history_bind_text(sqlite3_stmt *s, int i, const char *text)
{
	sqlite3_bind_text(s, i, text ? text : "", -1, SQLITE_STATIC);
}

int pv_history_do(const struct pv_history *h, sqlite3_stmt *s, struct pv_error *e)
{
	int err = sqlite3_step(s) == SQLITE_DONE ? 0 : pv_history_error(h, "cannot be written", e);

	sqlite3_reset(s);
	return err;
}

/* Drivers with the fixes of ci/driver-fixes are others: "kernel (fixed)". The caller frees it. NULL: no memory. */
static char *driver_of(const struct pv_run_result *r)
{
	const char *drivers = pv_run_property(r, "drivers");
	char *text;

	if (!drivers)
		return strdup(r->driver);
	return asprintf(&text, "%s (%s)", r->driver, drivers) < 0 ? NULL : text;
}

/* *known: the history has the run. A run that an earlier version added must have the same totals, too. */
static int find_run(const struct pv_history *h, const struct pv_run_result *r, struct identity *id, bool *known,
		    struct pv_error *e)
{
	static const char find[] = "SELECT CASE WHEN digest = ?1 AND seconds < ?7 THEN id END FROM run "
				   "WHERE digest = ?1 OR (digest = ?2 AND pass = ?3 AND fail = ?4 AND error = ?5 "
				   "AND skip = ?6)";
	sqlite3_stmt *s = pv_history_prepare(h, find, e);

	if (!s)
		return e->code;
	pv_history_bind_text(s, 1, id->digest);
	pv_history_bind_text(s, 2, id->first);
	for (int v = 0; v < PV_VERDICTS; v++)
		sqlite3_bind_int64(s, 3 + v, (int64_t)r->count[v]);
	sqlite3_bind_double(s, 3 + PV_VERDICTS, r->seconds);
	int step = sqlite3_step(s);
	int err = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : pv_history_error(h, "cannot be read", e);
	id->stale = step == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
	*known = step == SQLITE_ROW && !id->stale;
	sqlite3_finalize(s);
	return err;
}

static int remove_run(const struct pv_history *h, int64_t run, struct pv_error *e)
{
	static const char *const steps[] = {"DELETE FROM result WHERE run = ?1",
					    "DELETE FROM conditions WHERE run = ?1", "DELETE FROM run WHERE id = ?1"};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		sqlite3_stmt *s = pv_history_prepare(h, steps[i], e);

		if (!s)
			return e->code;
		sqlite3_bind_int64(s, 1, run);
		err = pv_history_do(h, s, e);
		sqlite3_finalize(s);
	}
	return err;
}

static int add_run(const struct pv_history *h, const struct pv_run_result *r, const struct identity *id,
		   struct pv_error *e)
{
	static const char insert[] =
		"INSERT INTO run(digest, folder, started, seconds, target, board, driver, kernel, revision, "
		"version, hostname, pass, fail, error, skip, interrupted) "
		"VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)";
	_autofree_ char *driver = driver_of(r);
	sqlite3_stmt *s = driver ? pv_history_prepare(h, insert, e) : NULL;

	if (!s)
		return driver ? e->code : pv_error(e, -ENOMEM, "no memory");
	pv_history_bind_text(s, 1, id->digest);
	pv_history_bind_text(s, 2, r->folder);
	sqlite3_bind_int64(s, 3, r->started);
	sqlite3_bind_double(s, 4, r->seconds);
	pv_history_bind_text(s, 5, r->target);
	pv_history_bind_text(s, 6, r->board);
	pv_history_bind_text(s, 7, driver);
	pv_history_bind_text(s, 8, pv_run_kernel(r));
	pv_history_bind_text(s, 9, pv_run_property(r, "revision"));
	pv_history_bind_text(s, 10, r->version);
	pv_history_bind_text(s, 11, r->hostname);
	for (int v = 0; v < PV_VERDICTS; v++)
		sqlite3_bind_int64(s, 12 + v, (int64_t)r->count[v]);
	sqlite3_bind_int(s, 16, r->interrupted);
	int err = pv_history_do(h, s, e);
	sqlite3_finalize(s);
	return err;
}

/* Remembers the planted defects and known failures of the run that was added last. */
static int add_run_conditions(const struct pv_history *h, const struct pv_run_result *r, struct pv_error *e)
{
	const char *defects = pv_run_property(r, "defects");

	if (!defects && !r->known)
		return 0;
	sqlite3_stmt *s = pv_history_prepare(h, "INSERT INTO conditions(run, defects, known) VALUES(?1,?2,?3)", e);
	if (!s)
		return e->code;
	sqlite3_bind_int64(s, 1, sqlite3_last_insert_rowid(h->db));
	pv_history_bind_text(s, 2, defects);
	pv_history_bind_text(s, 3, r->known);
	int err = pv_history_do(h, s, e);
	sqlite3_finalize(s);
	return err;
}

struct adder {
	sqlite3_stmt *test, *result;
	struct pv_history_renamer renamer;
	int64_t run;
};

static int add_result(const struct pv_history *h, const struct adder *a, const struct pv_case_result *c,
		      struct pv_error *e)
{
	sqlite3_stmt *test = a->test, *result = a->result;
	double rate = pv_history_rate(c);

	pv_history_bind_text(test, 1, c->plan);
	pv_history_bind_text(test, 2, c->name);
	int err = pv_history_do(h, test, e);
	if (!err)
		err = pv_history_rename(&a->renamer, h, c, e);
	if (err)
		return err;
	pv_history_bind_text(result, 1, c->plan);
	pv_history_bind_text(result, 2, c->name);
	sqlite3_bind_int64(result, 3, a->run);
	sqlite3_bind_int64(result, 4, c->round);
	sqlite3_bind_int(result, 5, c->verdict);
	sqlite3_bind_int64(result, 6, (int64_t)(c->seconds * 1000 + 0.5));
	sqlite3_bind_int(result, 7, pv_case_is_flaky(c));
	if (rate > 0)
		sqlite3_bind_double(result, 8, rate);
	else
		sqlite3_bind_null(result, 8);
	if (pv_case_is_bad(c) && c->message)
		pv_history_bind_text(result, 9, c->message);
	else
		sqlite3_bind_null(result, 9);
	return pv_history_do(h, result, e);
}

static int prepare(struct adder *a, const struct pv_history *h, struct pv_error *e)
{
	static const char test[] = "INSERT OR IGNORE INTO test(plan, name) SELECT ?1, ?2 "
				   "WHERE NOT EXISTS(SELECT 1 FROM former WHERE plan = ?1 AND name = ?2)";
	static const char result[] =
		"INSERT INTO result(test, run, round, verdict, ms, retried, rate, message) "
		"VALUES(coalesce((SELECT test FROM former WHERE plan = ?1 AND name = ?2), "
		"(SELECT id FROM test WHERE plan = ?1 AND name = ?2)), ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

	*a = (struct adder){.run = sqlite3_last_insert_rowid(h->db)};
	if (!(a->test = pv_history_prepare(h, test, e)) || !(a->result = pv_history_prepare(h, result, e)))
		return e->code;
	return pv_history_renamer_init(&a->renamer, h, e);
}

/* Cases that never ran, or were stopped, have no result: an early end of the run says nothing about them. */
static bool has_result(const struct pv_case_result *c)
{
	return c->verdict != PV_ERROR || (pv_case_is_bad(c) && !c->stopped);
}

static int add_results(const struct pv_history *h, const struct pv_run_result *r, struct pv_error *e)
{
	struct adder a;
	int err = prepare(&a, h, e);

	if (!err)
		err = pv_history_reuse(h, r, e);
	for (size_t i = 0; !err && i < r->n_cases; i++)
		if (has_result(&r->cases[i]))
			err = add_result(h, &a, &r->cases[i], e);
	sqlite3_finalize(a.test);
	sqlite3_finalize(a.result);
	pv_history_renamer_free(&a.renamer);
	return err;
}

static int add_unless_known(const struct pv_history *h, const struct pv_run_result *r, bool *known, struct pv_error *e)
{
	struct identity id;

	identify(&id, r);
	int err = find_run(h, r, &id, known, e);
	if (err || *known)
		return err;
	if (id.stale)
		err = remove_run(h, id.stale, e);
	if (!err)
		err = add_run(h, r, &id, e);
	if (!err)
		err = add_run_conditions(h, r, e);
	return err ? err : add_results(h, r, e);
}

int pv_history_add(struct pv_history *h, const struct pv_run_result *r, bool *known, struct pv_error *e)
{
	if (r->running)
		return pv_error(e, -EBUSY, "%s: the run goes on; add it when it has ended", r->folder);
	if (sqlite3_exec(h->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return pv_history_error(h, "cannot be written", e);
	int err = add_unless_known(h, r, known, e);
	if (!err && sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL))
		err = pv_history_error(h, "cannot be written", e);
	if (err)
		sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	return err ? pv_error_context(e, "%s: not added: ", r->folder) : 0;
}
