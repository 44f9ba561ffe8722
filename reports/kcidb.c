/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A KCIDB submission, schema 5.0 (https://github.com/kernelci/kcidb-io, schema/v05_00.py): one checkout and one build
 * for the tested kernel, and a test for each case. KCIDB accepts files only as URLs, so artefacts are named in "misc".
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "framework/util/cleanup.h"
#include "framework/util/hash.h"
#include "framework/util/hint.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

enum { EXCERPT_MAX = 16384, ID_TEXT = 128 };

/* Finds the name of the CI system. */
static int find_origin(const char **origin, struct pv_error *e)
{
	const char *given = getenv("PCIEVAL_KCIDB_ORIGIN");

	*origin = given && *given ? given : "pcieval";
	if (strlen(*origin) < 64 && !(*origin)[strspn(*origin, LOWER DIGITS "_")])
		return 0;
	return pv_error(e, -EINVAL, "PCIEVAL_KCIDB_ORIGIN: expected lower-case letters, digits and _, got '%s'",
			PV_SHOW(*origin));
}

/*
 * Returns an id that all reports of a run share, and that no other run has: its own. The folder of an earlier version
 * has none; its place, however it is spelt, stands in for it.
 */
static const char *run_id(const struct pv_run_result *r, const char *origin, char out[ID_TEXT])
{
	if (r->id && *r->id) {
		snprintf(out, ID_TEXT, "%s:%.32s", origin, r->id);
		return out;
	}
	_autofree_ char *place = realpath(r->folder, NULL);
	uint64_t hash = pv_hash_text(place ? place : r->folder);

	hash = pv_hash_more(hash, r->hostname, strlen(r->hostname));
	hash = pv_hash_more(hash, &r->started, sizeof(r->started));
	snprintf(out, ID_TEXT, "%s:%016llx", origin, (unsigned long long)hash);
	return out;
}

/* Adds a time in the format of RFC 3339, in UTC, with years of four digits. */
static void add_time(json_object *o, const char *key, int64_t seconds)
{
	const int64_t year_10000 = 253402300800;
	char text[40];
	time_t t = seconds;
	struct tm tm;

	if (seconds >= 0 && seconds < year_10000 && gmtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S+00:00", &tm))
		pv_json_string(o, key, text);
}

static void add_pairs(json_object *o, const char *key, char *const *pairs)
{
	json_object *all = json_object_new_object();

	for (; pairs && pairs[0] && pairs[1]; pairs += 2)
		pv_text_add(all, pairs[0], pairs[1]);
	pv_json_add(o, key, all);
}

/* ---- checkout and build ---- */

/* Returns the kernel as checkout, or, if it is unknown, pcieval, whose models are tested. */
static json_object *checkout_object(const struct pv_run_result *r, const char *origin, const char *id)
{
	const char *kernel = pv_run_fact(r, "kernel"), *revision = pv_run_property(r, "revision");
	_autofree_ char *ours = NULL;
	char tested[PV_TESTED_MAX];
	json_object *o = json_object_new_object();

	if (asprintf(&ours, "pcieval %s%s%s", r->version, revision ? " " : "", revision ? revision : "") < 0)
		ours = NULL;
	pv_text_add(o, "id", id);
	pv_text_add(o, "origin", origin);
	pv_text_add(o, "git_commit_name", kernel ? kernel : ours);
	pv_text_add(o, "comment", pv_run_tested(r, tested, sizeof(tested)));
	add_time(o, "start_time", r->started);
	pv_json_bool(o, "valid", true);
	return o;
}

static json_object *build_object(const struct pv_run_result *r, const char *origin, const char *id)
{
	json_object *o = json_object_new_object();

	pv_text_add(o, "id", id);
	pv_text_add(o, "checkout_id", id);
	pv_text_add(o, "origin", origin);
	pv_text_add(o, "comment", r->driver);
	add_time(o, "start_time", r->started);
	pv_text_add(o, "status", "PASS");
	add_pairs(o, "misc", r->properties);
	return o;
}

/* ---- cases ---- */

/* ERROR is a fault of the test itself, MISS one of its environment. A known failure is a waived failure. */
static const char *status_of(const struct pv_case_result *c)
{
	static const char *const names[PV_VERDICTS] = {
		[PV_PASS] = "PASS", [PV_FAIL] = "FAIL", [PV_ERROR] = "ERROR", [PV_SKIP] = "SKIP"};
	static const struct {
		enum pv_verdict verdict;
		const char *type;
	} missed[] = {{PV_ERROR, "not-run"},
		      {PV_ERROR, "infrastructure"},
		      {PV_ERROR, "incomplete"},
		      {PV_SKIP, "fail-fast"}}; /* not run after a failure */

	for (size_t i = 0; i < ARRAY_SIZE(missed); i++)
		if (c->verdict == missed[i].verdict && c->type && !strcmp(c->type, missed[i].type))
			return "MISS";
	return pv_case_is_known_failure(c) ? "FAIL" : names[c->verdict];
}

/*
 * Appends a name to a path. Parts have letters, digits, _ and -, and are not empty: "fill[count=128]" becomes
 * "fill.count_128".
 */
static void put_path(FILE *f, const char *name)
{
	bool empty = true; /* the part so far */

	fputc('.', f);
	for (; *name && (empty || strcmp(name, "]")); name++) {
		empty = *name == '[' && !empty && name[1] && strcmp(name + 1, "]");
		fputc(empty ? '.' : strchr(LOWER UPPER DIGITS "_-", *name) ? *name : '_', f);
	}
	if (empty)
		fputc('_', f);
}

static void add_path(json_object *o, const struct pv_case_result *c)
{
	_autofree_ char *path = NULL;
	size_t n;
	FILE *f = open_memstream(&path, &n);

	if (!f)
		return;
	fputs("pcieval", f);
	put_path(f, c->plan);
	put_path(f, c->name);
	if (!fclose(f))
		pv_json_string(o, "path", path);
}

/* Adds the begin of a text, cut between characters. */
static void add_excerpt(json_object *o, const char *text)
{
	_autofree_ char *clean = text && *text ? pv_text_clean(text) : NULL;

	if (!clean)
		return;
	clean[pv_utf8_cut(clean, strlen(clean), EXCERPT_MAX)] = '\0';
	pv_json_string(o, "log_excerpt", clean);
}

static void add_strings(json_object *o, const char *key, char *const *strings)
{
	json_object *list = strings && *strings ? json_object_new_array() : NULL;

	for (; list && *strings; strings++) {
		_autofree_ char *clean = pv_text_clean(*strings);

		if (clean)
			pv_json_append(list, json_object_new_string(clean));
	}
	pv_json_add(o, key, list);
}

static json_object *case_misc(const struct pv_run_result *r, const struct pv_case_result *c)
{
	json_object *o = json_object_new_object();
	_autofree_ char *again = pv_rerun_command(r, c);

	pv_text_add(o, "case", c->name);
	pv_text_add(o, "type", c->type);
	pv_json_uint(o, "seed", c->seed);
	pv_text_add(o, "again", again);
	if (c->where)
		pv_text_add(o, "where", c->where);
	if (c->round)
		pv_json_uint(o, "round", c->round);
	if (c->n_attempts)
		pv_json_uint(o, "attempts", c->n_attempts + 1);
	add_strings(o, "verifies", c->verifies);
	add_strings(o, "artefacts", c->artefacts);
	return o;
}

static json_object *case_environment(const struct pv_run_result *r)
{
	json_object *o = json_object_new_object();
	_autofree_ char *where = NULL;

	if (asprintf(&where, "%s, board %s, from %s", r->target, r->board, r->hostname) >= 0)
		pv_text_add(o, "comment", where);
	if (r->environment)
		add_pairs(o, "misc", r->environment);
	return o;
}

static json_object *case_object(const struct pv_run_result *r, size_t i, const char *origin, const char *id)
{
	const struct pv_case_result *c = &r->cases[i];
	char own[ID_TEXT + 24], seconds[32];
	json_object *o = json_object_new_object();

	snprintf(own, sizeof(own), "%s-%zu", id, i);
	pv_text_add(o, "id", own);
	pv_text_add(o, "build_id", id);
	pv_text_add(o, "origin", origin);
	add_path(o, c);
	pv_text_add(o, "status", status_of(c));
	if (pv_case_is_known_failure(c))
		pv_json_bool(o, "waived", true);
	pv_text_add(o, "comment", c->verdict == PV_PASS ? c->name : c->message);
	add_excerpt(o, c->text);
	add_time(o, "start_time", r->started);
	pv_json_add(o, "duration", json_object_new_double_s(c->seconds, pv_seconds_text(c->seconds, seconds)));
	pv_json_add(o, "environment", case_environment(r));
	pv_json_add(o, "misc", case_misc(r, c));
	return o;
}

static json_object *submission(const struct pv_run_result *r, const char *origin)
{
	char id[ID_TEXT];
	json_object *o = json_object_new_object(), *version = json_object_new_object();
	json_object *checkouts = json_object_new_array(), *builds = json_object_new_array(),
		    *tests = json_object_new_array();

	run_id(r, origin, id);
	pv_json_int(version, "major", 5);
	pv_json_int(version, "minor", 0);
	pv_json_append(checkouts, checkout_object(r, origin, id));
	pv_json_append(builds, build_object(r, origin, id));
	for (size_t i = 0; i < r->n_cases; i++)
		pv_json_append(tests, case_object(r, i, origin, id));
	pv_json_add(o, "version", version);
	pv_json_add(o, "checkouts", checkouts);
	pv_json_add(o, "builds", builds);
	pv_json_add(o, "tests", tests);
	return o;
}

int pv_kcidb_write(const struct pv_run_result *r, const char *path, struct pv_error *e)
{
	const char *origin;
	int err = find_origin(&origin, e);

	if (err)
		return err;
	_autojson_ json_object *o = submission(r, origin);
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	return pv_report_write(path, text, text ? strlen(text) : 0, e);
}
