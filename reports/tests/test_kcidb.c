/* SPDX-License-Identifier: GPL-2.0-or-later */
/* KCIDB: the rules of schema 5.0 of kcidb-io, and the members of a case. */
#include <criterion/criterion.h>
#include <json-c/json.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "reports/tests/result_fixture.h"
#include "reports/writers.h"

/* ---- the schema ---- */

/* A member of an object; `pattern`: for strings, may be NULL. */
struct member {
	const char *name;
	json_type type;
	const char *pattern;
	bool required;
};

#define ID   "^[a-z0-9_]+:.*$"
#define TIME "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+]00:00$"

static const struct member checkout[] = {{"id", json_type_string, ID, true},
					 {"origin", json_type_string, "^[a-z0-9_]+$", true},
					 {"git_commit_name", json_type_string},
					 {"comment", json_type_string},
					 {"start_time", json_type_string, TIME},
					 {"valid", json_type_boolean},
					 {0}};
static const struct member build[] = {{"id", json_type_string, ID, true},
				      {"checkout_id", json_type_string, ID, true},
				      {"origin", json_type_string, "^[a-z0-9_]+$", true},
				      {"comment", json_type_string},
				      {"start_time", json_type_string, TIME},
				      {"status", json_type_string, "^(FAIL|ERROR|MISS|PASS|DONE|SKIP)$"},
				      {"misc", json_type_object},
				      {0}};
static const struct member test[] = {{"id", json_type_string, ID, true},
				     {"build_id", json_type_string, ID, true},
				     {"origin", json_type_string, "^[a-z0-9_]+$", true},
				     {"path", json_type_string, "^([a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*)?$"},
				     {"status", json_type_string, "^(FAIL|ERROR|MISS|PASS|DONE|SKIP)$"},
				     {"waived", json_type_boolean},
				     {"comment", json_type_string},
				     {"log_excerpt", json_type_string},
				     {"start_time", json_type_string, TIME},
				     {"duration", json_type_double},
				     {"environment", json_type_object},
				     {"misc", json_type_object},
				     {0}};

static void check_member(const char *name, json_object *value, const struct member *m)
{
	regex_t regex;

	while (m->name && strcmp(m->name, name))
		m++;
	cr_assert(m->name, "there is no %s in the schema", name);
	cr_expect(json_object_is_type(value, m->type), "%s: %s", name, json_object_to_json_string(value));
	if (!m->pattern)
		return;
	cr_assert_eq(regcomp(&regex, m->pattern, REG_EXTENDED | REG_NOSUB), 0);
	cr_expect_eq(regexec(&regex, json_object_get_string(value), 0, NULL, 0), 0, "%s: '%s' does not match %s", name,
		     json_object_get_string(value), m->pattern);
	regfree(&regex);
}

static void check_list(json_object *list, const struct member *members)
{
	cr_assert(json_object_is_type(list, json_type_array));
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *o = json_object_array_get_idx(list, i);

		json_object_object_foreach(o, name, value) check_member(name, value, members);
		for (const struct member *m = members; m->name; m++)
			cr_expect(!m->required || json_object_object_get(o, m->name), "%s is missing", m->name);
	}
}

static json_object *get(json_object *o, const char *key)
{
	return json_object_object_get(o, key);
}

static const char *string(json_object *o, const char *key)
{
	const char *text = json_object_get_string(get(o, key));

	return text ? text : "(none)";
}

/* Returns the submission of a run, after checks. The caller puts it. */
static json_object *submit(struct pv_run_result *run)
{
	char path[] = "/tmp/pcieval-kcidb-XXXXXX";
	_autofree_ char *text = NULL;
	struct pv_error e = {0};
	size_t n;

	pv_run_count(run);
	close(mkstemp(path));
	cr_assert_eq(pv_kcidb_write(run, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 1 << 22, &text, &n, &e), 0);
	unlink(path);
	json_object *o = json_tokener_parse(text);
	cr_assert_not_null(o);
	cr_expect_eq(json_object_object_length(o), 4);
	cr_expect_eq(json_object_get_int(get(get(o, "version"), "major")), 5);
	cr_expect_eq(json_object_get_int(get(get(o, "version"), "minor")), 0);
	check_list(get(o, "checkouts"), checkout);
	check_list(get(o, "builds"), build);
	check_list(get(o, "tests"), test);
	return o;
}

static json_object *nth(json_object *o, const char *list, size_t i)
{
	return json_object_array_get_idx(get(o, list), i);
}

/* ---- contents of a submission ---- */

static void add(struct pv_run_result *run, enum pv_verdict v, const char *type)
{
	result_say(result_add(run, "plan", "case", v), type, "expected 2, got 1", "expected 2, got 1\nall of it\n");
}

static void expect_status(json_object *o, size_t i, const char *status, bool waived)
{
	json_object *t = nth(o, "tests", i);

	cr_expect_str_eq(string(t, "status"), status, "case %zu", i);
	cr_expect_eq(json_object_get_boolean(get(t, "waived")), waived, "case %zu", i);
}

Test(kcidb, a_verdict_is_a_status)
{
	struct pv_run_result *run = result_new();

	result_add(run, "plan", "passes", PV_PASS);
	add(run, PV_FAIL, "check");
	add(run, PV_ERROR, "crash");
	add(run, PV_ERROR, "not-run");
	add(run, PV_ERROR, "infrastructure");
	add(run, PV_SKIP, "target");
	add(run, PV_SKIP, "known-failure");
	add(run, PV_SKIP, "fail-fast");
	add(run, PV_ERROR, "incomplete");
	json_object *o = submit(run);
	cr_expect_eq(json_object_array_length(get(o, "tests")), 9);
	expect_status(o, 0, "PASS", false);
	expect_status(o, 1, "FAIL", false);
	expect_status(o, 2, "ERROR", false);
	expect_status(o, 3, "MISS", false);
	expect_status(o, 4, "MISS", false);
	expect_status(o, 5, "SKIP", false);
	expect_status(o, 6, "FAIL", true);
	expect_status(o, 7, "MISS", false);
	expect_status(o, 8, "MISS", false);
	json_object_put(o);
	pv_run_result_free(run);
}

Test(kcidb, names_become_paths)
{
	static const struct {
		const char *plan, *name, *path;
	} names[] = {{"ptt-tune", "set[level=2,event=a b]", "pcieval.ptt-tune.set.level_2_event_a_b"},
		     {"p", "plain", "pcieval.p.plain"},
		     {"p.q", "a.b[]", "pcieval.p_q.a_b_"},
		     {"p", "", "pcieval.p._"},
		     {"", "x", "pcieval._.x"},
		     {"p", "[x]", "pcieval.p._x"},
		     {"[q]", "]", "pcieval._q._"},
		     {"p", "a[[b]", "pcieval.p.a._b"},
		     {"p", "a[", "pcieval.p.a_"},
		     {"p", "\xc3\xa4", "pcieval.p.__"}};
	struct pv_run_result *run = result_new();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		result_add(run, names[i].plan, names[i].name, PV_PASS);
	json_object *o = submit(run);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect_str_eq(string(nth(o, "tests", i), "path"), names[i].path);
	json_object_put(o);
	pv_run_result_free(run);
}

Test(kcidb, ids_are_unique_and_refer_to_each_other)
{
	struct pv_run_result *run = result_new(), *other = result_new();

	add(run, PV_FAIL, "check");
	add(run, PV_FAIL, "check");
	other->started++;
	json_object *o = submit(run), *later = submit(other);
	cr_expect_str_eq(string(nth(o, "builds", 0), "checkout_id"), string(nth(o, "checkouts", 0), "id"));
	cr_expect_str_eq(string(nth(o, "tests", 1), "build_id"), string(nth(o, "builds", 0), "id"));
	cr_expect_str_neq(string(nth(o, "tests", 0), "id"), string(nth(o, "tests", 1), "id"));
	cr_expect_str_neq(string(nth(o, "builds", 0), "id"), string(nth(later, "builds", 0), "id"));
	json_object_put(o);
	json_object_put(later);
	pv_run_result_free(run);
	pv_run_result_free(other);
}

static void set(char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
}

static void expect_same_ids(struct pv_run_result *a, struct pv_run_result *b, bool same)
{
	json_object *x = submit(a), *y = submit(b);
	const char *id = string(nth(x, "builds", 0), "id"), *other = string(nth(y, "builds", 0), "id");

	cr_expect_eq(!strcmp(id, other), same, "%s, %s", id, other);
	json_object_put(x);
	json_object_put(y);
}

/* One folder has several spellings, and in two containers two folders have one. */
Test(kcidb, ids_are_those_of_the_run_whatever_its_folder_is_called)
{
	struct pv_run_result *run = result_new(), *other = result_new();

	set(&other->folder, "/elsewhere");
	run->id = strdup("");
	expect_same_ids(run, other, false);
	set(&run->folder, "/tmp");
	set(&other->folder, "/tmp/../tmp/.");
	expect_same_ids(run, other, true);
	set(&run->id, "0123456789abcdef0123456789abcdef");
	set(&other->id, "0123456789abcdef0123456789abcdef");
	set(&other->folder, "/elsewhere");
	expect_same_ids(run, other, true);
	json_object *o = submit(run);
	cr_expect_str_eq(string(nth(o, "checkouts", 0), "id"), "pcieval:0123456789abcdef0123456789abcdef");
	json_object_put(o);
	set(&other->folder, run->folder);
	set(&other->id, "0123456789abcdef0123456789abcdee");
	expect_same_ids(run, other, false);
	pv_run_result_free(run);
	pv_run_result_free(other);
}

Test(kcidb, the_kernel_is_what_was_tested_where_there_is_one)
{
	struct pv_run_result *run = result_new();

	json_object *o = submit(run);
	cr_expect_str_eq(string(nth(o, "checkouts", 0), "git_commit_name"), "pcieval 0.1.0");
	json_object_put(o);
	run->environment = result_strings("kernel", "6.12.1");
	result_add(run, "p", "a", PV_PASS);
	o = submit(run);
	cr_expect_str_eq(string(nth(o, "checkouts", 0), "git_commit_name"), "6.12.1");
	cr_expect_str_eq(string(get(get(nth(o, "tests", 0), "environment"), "misc"), "kernel"), "6.12.1");
	json_object_put(o);
	pv_run_result_free(run);
}

Test(kcidb, an_excerpt_has_16384_characters_at_most)
{
	struct pv_run_result *run = result_new();
	char *text = calloc(20001, 1);

	memset(text, 'x', 16383);
	for (int i = 16383; i < 20000 - 1; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	result_say(result_add(run, "p", "a", PV_FAIL), "check", "wrong", text);
	json_object *o = submit(run);
	cr_expect_eq(strlen(string(nth(o, "tests", 0), "log_excerpt")), 16383);
	json_object_put(o);
	pv_run_result_free(run);
	free(text);
}

Test(kcidb, a_time_that_is_none_is_left_out)
{
	struct pv_run_result *run = result_new();

	run->started = INT64_MAX;
	json_object *o = submit(run);
	cr_expect_null(get(nth(o, "checkouts", 0), "start_time"));
	run->started = 253402300800; /* the year 10000 */
	json_object_put(o);
	o = submit(run);
	cr_expect_null(get(nth(o, "checkouts", 0), "start_time"));
	json_object_put(o);
	pv_run_result_free(run);
}

Test(kcidb, the_origin_can_be_chosen)
{
	struct pv_run_result *run = result_new();
	struct pv_error e = {0};

	setenv("PCIEVAL_KCIDB_ORIGIN", "mylab_7", 1);
	json_object *o = submit(run);
	cr_expect_str_eq(string(nth(o, "builds", 0), "origin"), "mylab_7");
	cr_expect_eq(strncmp(string(nth(o, "builds", 0), "id"), "mylab_7:", 8), 0);
	json_object_put(o);
	setenv("PCIEVAL_KCIDB_ORIGIN", "My lab", 1);
	cr_expect_neq(pv_kcidb_write(run, "/dev/null", &e), 0);
	cr_expect_str_eq(e.text, "PCIEVAL_KCIDB_ORIGIN: expected lower-case letters, digits and _, got 'My lab'");
	pv_run_result_free(run);
}
