/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries for runs, for cases, and for the results of one case. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/history/history_internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/glob.h"

static const char *text_of(sqlite3_stmt *s, int i)
{
	const char *text = (const char *)sqlite3_column_text(s, i);

	return text ? text : "";
}

/*
 * Calls fn for each row. 0; the first other value of fn; or an error with *e. Finalizes the statement; NULL is allowed:
 * *e is then set.
 */
static int each_row(struct pv_history *h, sqlite3_stmt *s, int (*fn)(void *ctx, sqlite3_stmt *s), void *ctx,
		    struct pv_error *e)
{
	int err = s ? 0 : e->code, step = SQLITE_ROW;

	while (!err && (step = sqlite3_step(s)) == SQLITE_ROW)
		err = fn(ctx, s);
	if (!err && step != SQLITE_DONE)
		err = pv_history_error(h, "cannot be read", e);
	sqlite3_finalize(s);
	return err;
}

/* ---- runs ---- */

#define RUN_COLUMNS                                                                                            \
	"run.id, started, folder, target, board, driver, kernel, revision, version, pass, fail, error, skip, " \
	"seconds, interrupted, (SELECT defects FROM conditions WHERE conditions.run = run.id), "               \
	"EXISTS(SELECT 1 FROM conditions WHERE conditions.run = run.id AND defects IS NULL)"
enum { N_RUN_COLUMNS = 17 };

static struct pv_history_run run_of(sqlite3_stmt *s)
{
	struct pv_history_run run = {.id = sqlite3_column_int64(s, 0),
				     .started = sqlite3_column_int64(s, 1),
				     .folder = text_of(s, 2),
				     .target = text_of(s, 3),
				     .board = text_of(s, 4),
				     .driver = text_of(s, 5),
				     .kernel = text_of(s, 6),
				     .revision = text_of(s, 7),
				     .version = text_of(s, 8),
				     .seconds = sqlite3_column_double(s, 13),
				     .interrupted = sqlite3_column_int(s, 14),
				     .defects = text_of(s, 15),
				     .unrecorded = sqlite3_column_int(s, 16)};

	for (int v = 0; v < PV_VERDICTS; v++)
		run.count[v] = sqlite3_column_int64(s, 9 + v);
	return run;
}

struct run_caller {
	int (*fn)(void *ctx, const struct pv_history_run *run);
	void *ctx;
};

static int call_run(void *ctx, sqlite3_stmt *s)
{
	const struct run_caller *c = ctx;
	const struct pv_history_run run = run_of(s);

	return c->fn(c->ctx, &run);
}

int pv_history_runs(struct pv_history *h, size_t most, int (*fn)(void *ctx, const struct pv_history_run *run),
		    void *ctx, struct pv_error *e)
{
	sqlite3_stmt *s = pv_history_prepare(h,
					     "SELECT * FROM (SELECT " RUN_COLUMNS
					     " FROM run ORDER BY started DESC, run.id DESC LIMIT ?1) "
					     "ORDER BY 2, 1",
					     e);

	if (s)
		sqlite3_bind_int64(s, 1, most ? (int64_t)most : -1);
	return each_row(h, s, call_run, &(struct run_caller){fn, ctx}, e);
}

/* ---- results of a case ---- */

struct result_caller {
	int (*fn)(void *ctx, const struct pv_history_result *r);
	void *ctx;
};

static int call_result(void *ctx, sqlite3_stmt *s)
{
	const struct result_caller *c = ctx;
	const struct pv_history_run run = run_of(s);
	const struct pv_history_result r = {.run = &run,
					    .verdict = (enum pv_verdict)sqlite3_column_int(s, N_RUN_COLUMNS),
					    .seconds = sqlite3_column_double(s, N_RUN_COLUMNS + 1) / 1000,
					    .rate = sqlite3_column_double(s, N_RUN_COLUMNS + 2)};

	return c->fn(c->ctx, &r);
}

int pv_history_results(struct pv_history *h, int64_t case_id, int (*fn)(void *ctx, const struct pv_history_result *r),
		       void *ctx, struct pv_error *e)
{
	sqlite3_stmt *s = pv_history_prepare(h,
					     "SELECT " RUN_COLUMNS
					     ", verdict, ms, rate FROM result JOIN run ON run.id = run WHERE test = ?1 "
					     "ORDER BY started, run.id, round",
					     e);

	if (s)
		sqlite3_bind_int64(s, 1, case_id);
	return each_row(h, s, call_result, &(struct result_caller){fn, ctx}, e);
}

/* ---- cases ---- */

/* A case while its results are read, kept until all cases are sorted. */
struct one {
	struct pv_history_case c;
	char *plan, *name, *message;
	double seconds; /* of all passes, in seconds */
	bool asked;	/* the glob matches a former name */
	char strip[PV_HISTORY_STRIP + 1];
};

/* For each number in TESTED: whether the last result of the case there was a pass. */
struct last {
	int64_t test; /* 0: none so far */
	bool passed;
};

struct reader {
	const struct pv_history_filter *filter;
	struct one *cases;
	size_t n, room;
	struct last *last;
	size_t n_last;
};

static int begin_case(struct reader *r, sqlite3_stmt *s)
{
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		struct one *more = realloc(r->cases, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->cases = more;
		r->room = room;
	}
	struct one *o = &r->cases[r->n++];
	*o = (struct one){
		.c = {.id = sqlite3_column_int64(s, 0)}, .plan = strdup(text_of(s, 1)), .name = strdup(text_of(s, 2))};
	return o->plan && o->name ? 0 : -ENOMEM;
}

/* Keeps the newest letters. */
static void add_letter(struct one *o, enum pv_verdict v)
{
	size_t n = strlen(o->strip);

	if (n == PV_HISTORY_STRIP) {
		memmove(o->strip, o->strip + 1, n);
		n--;
	}
	o->strip[n] = "PFES"[v];
	o->strip[n + 1] = '\0';
}

static int set_message(struct one *o, const char *message)
{
	free(o->message);
	o->message = strdup(message);
	return o->message ? 0 : -ENOMEM;
}

static int add_bad(struct one *o, sqlite3_stmt *s, int64_t started)
{
	if (!o->c.first_bad)
		o->c.first_bad = started;
	if (!o->c.since)
		o->c.since = started;
	o->c.last_bad = started;
	return set_message(o, text_of(s, 7));
}

static void add_pass(struct one *o, sqlite3_stmt *s, int64_t started)
{
	o->c.last_pass = started;
	o->c.since = 0;
	o->seconds += sqlite3_column_double(s, 5) / 1000;
}

/* Compares with the previous result that has the same tested properties. */
static void count_change(struct reader *r, struct one *o, size_t tested, bool passed)
{
	struct last *last = tested < r->n_last ? &r->last[tested] : NULL;

	if (!last)
		return;
	o->c.changes += last->test == o->c.id && last->passed != passed;
	*last = (struct last){o->c.id, passed};
}

static int add_result(struct reader *r, struct one *o, sqlite3_stmt *s)
{
	int v = sqlite3_column_int(s, 4);
	int64_t started = sqlite3_column_int64(s, 3);

	if (v < 0 || v >= PV_VERDICTS)
		return 0;
	o->c.results++;
	o->c.count[v]++;
	o->c.judged += v == PV_PASS || v == PV_FAIL;
	o->c.retried += sqlite3_column_int(s, 6);
	o->c.last = (enum pv_verdict)v;
	add_letter(o, o->c.last);
	if (v == PV_SKIP)
		return 0;
	count_change(r, o, (size_t)sqlite3_column_int64(s, 8), v == PV_PASS);
	if (v != PV_PASS)
		return add_bad(o, s, started);
	add_pass(o, s, started);
	return 0;
}

static int read_row(void *ctx, sqlite3_stmt *s)
{
	struct reader *r = ctx;
	bool is_new = !r->n || r->cases[r->n - 1].c.id != sqlite3_column_int64(s, 0);
	int err = is_new ? begin_case(r, s) : 0;

	return err ? err : add_result(r, &r->cases[r->n - 1], s);
}

double pv_history_flaky_rate(const struct pv_history_case *c)
{
	int64_t n = c->results - c->count[PV_SKIP];

	return n ? (double)(c->retried + c->changes) / (double)n : 0;
}

static bool matches(const char *glob, const char *plan, const char *name)
{
	_autofree_ char *full = NULL;

	if (pv_glob_matches(glob, name))
		return true;
	return asprintf(&full, "%s/%s", plan, name) >= 0 && pv_glob_matches(glob, full);
}

static int by_id(const void *key, const void *one)
{
	int64_t id = *(const int64_t *)key, other = ((const struct one *)one)->c.id;

	return (id > other) - (id < other);
}

static int read_former(void *ctx, sqlite3_stmt *s)
{
	struct reader *r = ctx;
	int64_t id = sqlite3_column_int64(s, 0);
	struct one *o = r->n ? bsearch(&id, r->cases, r->n, sizeof(*r->cases), by_id) : NULL;

	if (o && matches(r->filter->glob, text_of(s, 1), text_of(s, 2)))
		o->asked = true;
	return 0;
}

static int find_table(void *found, sqlite3_stmt *s)
{
	*(bool *)found = true;
	return 0;
}

/* Finds cases by their former names. A history of an earlier version has no table of them. */
static int read_formers(struct pv_history *h, struct reader *r, struct pv_error *e)
{
	static const char table[] = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'former'";
	static const char names[] = "SELECT test, plan, name FROM former";
	bool found = false;
	int err = r->filter->glob ? each_row(h, pv_history_prepare(h, table, e), find_table, &found, e) : 0;

	return found && !err ? each_row(h, pv_history_prepare(h, names, e), read_former, r, e) : err;
}

static bool is_wanted(const struct pv_history_filter *f, const struct one *o)
{
	if (f->flaky && !o->c.retried && !o->c.changes)
		return false;
	if (f->bad && !o->c.count[PV_FAIL] && !o->c.count[PV_ERROR])
		return false;
	return !f->glob || o->asked || matches(f->glob, o->plan, o->name);
}

static int worst_first(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	double rx = pv_history_flaky_rate(&x->c), ry = pv_history_flaky_rate(&y->c);

	if (rx != ry)
		return rx < ry ? 1 : -1;
	if (x->c.last_bad != y->c.last_bad)
		return x->c.last_bad < y->c.last_bad ? 1 : -1;
	int order = strcmp(x->plan, y->plan);
	return order ? order : strcmp(x->name, y->name);
}

static int call_cases(struct reader *r, int (*fn)(void *ctx, const struct pv_history_case *c), void *ctx)
{
	int err = 0;

	if (r->n)
		qsort(r->cases, r->n, sizeof(*r->cases), worst_first);
	for (size_t i = 0; !err && i < r->n; i++) {
		struct one *o = &r->cases[i];

		o->c.plan = o->plan;
		o->c.name = o->name;
		o->c.message = o->message ? o->message : "";
		o->c.strip = o->strip;
		o->c.mean_seconds = o->c.count[PV_PASS] ? o->seconds / (double)o->c.count[PV_PASS] : 0;
		err = is_wanted(r->filter, o) ? fn(ctx, &o->c) : 0;
	}
	return err;
}

static int count_tested(void *ctx, sqlite3_stmt *s)
{
	struct reader *r = ctx;

	r->n_last = (size_t)sqlite3_column_int64(s, 0) + 1;
	r->last = calloc(r->n_last, sizeof(*r->last));
	return r->last ? 0 : -ENOMEM;
}

#define TESTED                                                                                                     \
	"SELECT id, started, dense_rank() OVER (ORDER BY target, board, driver, kernel, version, revision, "       \
	"conditions.run NOTNULL AND defects ISNULL, "                                                              \
	"coalesce(defects, ''), coalesce(known, '')) AS tested FROM run LEFT JOIN conditions ON conditions.run = " \
	"run.id"

int pv_history_cases(struct pv_history *h, const struct pv_history_filter *filter,
		     int (*fn)(void *ctx, const struct pv_history_case *c), void *ctx, struct pv_error *e)
{
	struct reader r = {.filter = filter};
	int err = each_row(h, pv_history_prepare(h, "SELECT count(*) FROM run", e), count_tested, &r, e);

	if (!err)
		err = each_row(h,
			       pv_history_prepare(h,
						  "SELECT test.id, plan, name, started, verdict, ms, retried, message, "
						  "tested FROM result JOIN test ON test.id = test "
						  "JOIN (" TESTED
						  ") AS r ON r.id = run ORDER BY test.id, started, r.id, round",
						  e),
			       read_row, &r, e);
	if (err == -ENOMEM)
		pv_error(e, err, "no memory");
	if (!err)
		err = read_formers(h, &r, e);
	if (!err)
		err = call_cases(&r, fn, ctx);
	for (size_t i = 0; i < r.n; i++) {
		free(r.cases[i].plan);
		free(r.cases[i].name);
		free(r.cases[i].message);
	}
	free(r.cases);
	free(r.last);
	return err;
}
