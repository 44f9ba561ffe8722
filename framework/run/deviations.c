/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of drivers: reads their files, finds those of a case, and applies them to its verdict. */
#include "framework/run/deviations.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "framework/run/protocol.h"
#include "framework/util/cleanup.h"
#include "framework/util/ere.h"
#include "framework/util/file.h"
#include "framework/util/glob.h"
#include "framework/util/json.h"
#include "reports/result.h"

enum { FILE_MAX = 64 << 20 };

static size_t length(json_object *list)
{
	return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

/* ---- files ---- */

struct version {
	unsigned major, minor;
};

static bool parse_version(const char *text, struct version *v)
{
	return text && sscanf(text, "%u.%u", &v->major, &v->minor) == 2;
}

static bool is_before(struct version a, struct version b)
{
	return a.major < b.major || (a.major == b.major && a.minor < b.minor);
}

struct entry {
	const char *file;
	size_t n; /* from 0 */
	json_object *o;
	struct pv_error *e;
};

static int bad(const struct entry *d, const char *key, const char *expected)
{
	json_object *got = json_object_object_get(d->o, key);

	return pv_error(d->e, -EINVAL, "%s: deviation %zu: \"%s\": expected %s, got %s", d->file, d->n + 1, key,
			expected, got ? json_object_to_json_string(got) : "nothing");
}

static const char *text_of(const struct entry *d, const char *key)
{
	json_object *v = json_object_object_get(d->o, key);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

static int check_texts(const struct entry *d)
{
	static const char *const required[] = {"id", "reason", "reference", "says"};
	regex_t re;

	for (size_t i = 0; i < ARRAY_SIZE(required); i++)
		if (!text_of(d, required[i]) || !*text_of(d, required[i]))
			return bad(d, required[i], "a text");
	if (pv_ere_compile(&re, text_of(d, "says")))
		return bad(d, "says", "an extended regular expression");
	regfree(&re);
	return 0;
}

/* "OWNER: why": those whose choice or fault it is, so that a fixed driver still has it. */
static int check_choice(const struct entry *d)
{
	static const char *const owners[] = {
		"perf: ", "the PCI core: ", "the kernel: ", "the driver's authors: ", "the test machine: "};
	const char *text = text_of(d, "choice");

	for (size_t i = 0; text && i < ARRAY_SIZE(owners); i++)
		if (!strncmp(text, owners[i], strlen(owners[i])) && text[strlen(owners[i])])
			return 0;
	return json_object_object_get(d->o, "choice")
		       ? bad(d, "choice", "\"perf: WHY\", or another owner of docs/linux-drivers.md")
		       : 0;
}

static const char *const flags[] = {"kills_kernel", "sometimes"};

static int check_flags(const struct entry *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		json_object *flag = json_object_object_get(d->o, flags[i]);

		if (flag && !json_object_is_type(flag, json_type_boolean))
			return bad(d, flags[i], "true or false");
	}
	return 0;
}

static int check_cases(const struct entry *d)
{
	json_object *cases = json_object_object_get(d->o, "cases");
	size_t n = json_object_is_type(cases, json_type_array) ? json_object_array_length(cases) : 0;

	for (size_t i = 0; i < n; i++)
		if (!json_object_is_type(json_object_array_get_idx(cases, i), json_type_string))
			return bad(d, "cases", "patterns PLAN/CASE");
	return n ? 0 : bad(d, "cases", "patterns PLAN/CASE");
}

/* Returns true if the name, up to a ':' or '+', is one of the words. */
static bool is_among(const char *words, const char *name)
{
	size_t n = strcspn(name, ":+"), word;

	for (; *words; words += word) {
		words += strspn(words, " ");
		word = strcspn(words, " ");
		if (word == n && n && !strncmp(words, name, n))
			return true;
	}
	return false;
}

/* Clears *is if the entry is for another system under test. Members that are left out match any. */
static int is_of(const struct entry *d, const char *key, const char *tested, bool *is)
{
	const char *text = text_of(d, key);

	if (json_object_object_get(d->o, key) && (!text || !*text))
		return bad(d, key, "a text");
	if (text)
		*is &= tested && is_among(text, tested);
	return 0;
}

/* Reads a bound of the range of kernels. False: it is left out, or invalid, which sets *err. */
static bool get_bound(const struct entry *d, const char *key, struct version *v, int *err)
{
	if (*err || !json_object_object_get(d->o, key))
		return false;
	if (!parse_version(text_of(d, key), v))
		*err = bad(d, key, "a version like \"6.12\"");
	return !*err;
}

/*
 * Clears *is if the kernel is before "from", or not before "until", or not built as "kernel"; all may be left out. A
 * range excludes a kernel whose version is not known.
 */
static int is_of_kernel(const struct entry *d, const struct pv_tested *tested, bool *is)
{
	struct version kernel = {0}, v;
	bool known = parse_version(tested->release, &kernel);
	int err = 0;

	if (get_bound(d, "from", &v, &err))
		*is &= known && !is_before(kernel, v);
	if (get_bound(d, "until", &v, &err))
		*is &= known && is_before(kernel, v);
	return err ? err : is_of(d, "kernel", tested->kernel, is);
}

static bool is_date(const char *text)
{
	unsigned year, month, day;
	char rest;

	return text && strlen(text) == 10 && strspn(text, "0123456789-") == 10 &&
	       sscanf(text, "%4u-%2u-%2u%c", &year, &month, &day, &rest) == 3 && month >= 1 && month <= 12 &&
	       day >= 1 && day <= 31;
}

/* A user's file also has the driver, and when an entry expires. */
static int is_of_own(const struct entry *d, const struct pv_tested *tested, bool *is)
{
	int err = is_of(d, "driver", tested->driver, is);

	if (!err && json_object_object_get(d->o, "expires") && !is_date(text_of(d, "expires")))
		err = bad(d, "expires", "a date like \"2027-03-31\"");
	return err;
}

static int applies(const struct entry *d, const struct pv_tested *tested, bool own, bool *is)
{
	int err = check_texts(d);

	*is = true;
	if (!err)
		err = check_cases(d);
	if (!err)
		err = check_flags(d);
	if (!err)
		err = check_choice(d);
	if (!err)
		err = is_of_kernel(d, tested, is);
	if (!err && own)
		err = is_of_own(d, tested, is);
	if (tested->fixed && !own)
		*is &= text_of(d, "choice") != NULL;
	return err ? err : is_of(d, "target", tested->target, is);
}

static void add(json_object *list, const struct entry *d, const struct pv_tested *tested, bool own)
{
	json_object *o = json_object_new_object();
	const char *last = text_of(d, "expires");

	pv_json_string(o, "driver", tested->driver);
	pv_json_string(o, "id", text_of(d, "id"));
	pv_json_string(o, "reason", text_of(d, "reason"));
	pv_json_string(o, "says", text_of(d, "says"));
	json_object_object_add(o, "cases", json_object_get(json_object_object_get(d->o, "cases")));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		json_object_object_add(o, flags[i], json_object_get(json_object_object_get(d->o, flags[i])));
	if (own) {
		pv_json_bool(o, "own", true);
		pv_json_given(o, "expires", last);
	}
	if (own && last && strcmp(last, tested->today) < 0)
		pv_json_string(o, "expired", last);
	json_object_array_add(list, o);
}

static int load(const char *path, const struct pv_tested *tested, bool own, json_object *list, struct pv_error *e)
{
	_autojson_ json_object *root = NULL;
	int err = pv_json_read(path, FILE_MAX, json_type_array, &root, e);

	for (size_t i = 0; !err && i < length(root); i++) {
		const struct entry d = {pv_file_name(path), i, json_object_array_get_idx(root, i), e};
		bool is;

		err = applies(&d, tested, own, &is);
		if (!err && is)
			add(list, &d, tested, own);
	}
	return err;
}

static int is_json(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

static int load_all(const char *folder, const struct pv_tested *tested, json_object *list, struct pv_error *e)
{
	struct dirent **files;
	int n = scandir(folder, &files, is_json, alphasort), err = 0;

	if (n < 0)
		return pv_error(e, -errno, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		_autofree_ char *path = NULL;

		if (!err)
			err = asprintf(&path, "%s/%s", folder, files[i]->d_name) < 0
				      ? -ENOMEM
				      : load(path, tested, false, list, e);
		free(files[i]);
	}
	free(files);
	return err;
}

int pv_deviations_read(const char *folder, const struct pv_tested *tested, json_object **list, struct pv_error *e)
{
	struct version v;

	if (!parse_version(tested->release, &v))
		return pv_error(e, -EINVAL, "known deviations: expected the version of a kernel, got '%s'",
				tested->release ? tested->release : "none");
	if (!*list)
		*list = json_object_new_array();
	return load_all(folder, tested, *list, e);
}

int pv_known_failures_read(const char *path, const struct pv_tested *tested, json_object **list, struct pv_error *e)
{
	if (!*list)
		*list = json_object_new_array();
	return load(path, tested, true, *list, e);
}

void pv_deviations_today(char today[PV_TODAY_TEXT])
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(today, PV_TODAY_TEXT, "%Y-%m-%d", gmtime_r(&now, &tm));
}

void pv_deviations_hand_on(json_object *list, const char *today)
{
	for (size_t i = length(list); i--;) {
		json_object *d = json_object_array_get_idx(list, i);
		const char *last = pv_json_text(d, "expires");

		if (!json_object_get_boolean(json_object_object_get(d, "own")))
			continue;
		if (!today)
			json_object_array_del_idx(list, i, 1);
		else if (*last && strcmp(last, today) < 0)
			pv_json_string(d, "expired", last);
	}
}

/* ---- those of a case ---- */

/* A name may end in "@ROLE=BDF". */
static bool is_for_name(json_object *deviation, const char *plan, const char *name)
{
	_autofree_ char *full = NULL;
	json_object *cases = json_object_object_get(deviation, "cases");

	if (asprintf(&full, "%s/%.*s", plan, (int)pv_case_base_length(name), name) < 0)
		return false;
	for (size_t i = 0; i < length(cases); i++) {
		const char *pattern = json_object_get_string(json_object_array_get_idx(cases, i));

		if (pattern && pv_glob_matches(pattern, full))
			return true;
	}
	return false;
}

static bool is_for(json_object *deviation, const char *plan, const char *name, const char *const *formerly)
{
	if (is_for_name(deviation, plan, name))
		return true;
	for (; formerly && *formerly; formerly++)
		if (is_for_name(deviation, plan, *formerly))
			return true;
	return false;
}

static void append(json_object *list, json_object *deviation)
{
	if (json_object_array_add(list, json_object_get(deviation)))
		json_object_put(deviation);
}

json_object *pv_deviations_of(json_object *of_run, json_object *of_plan, const char *plan, const char *name,
			      const char *const *formerly)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < length(of_plan); i++)
		append(list, json_object_array_get_idx(of_plan, i));
	for (size_t i = 0; list && i < length(of_run); i++)
		if (is_for(json_object_array_get_idx(of_run, i), plan, name, formerly))
			append(list, json_object_array_get_idx(of_run, i));
	if (list && json_object_array_length(list))
		return list;
	json_object_put(list);
	return NULL;
}

static bool is_set(json_object *deviation, const char *flag)
{
	return json_object_get_boolean(json_object_object_get(deviation, flag));
}

bool pv_deviations_kill(json_object *deviations)
{
	for (size_t i = 0; i < length(deviations); i++)
		if (is_set(json_object_array_get_idx(deviations, i), "kills_kernel"))
			return true;
	return false;
}

/* ---- the verdict ---- */

static bool matches(const char *pattern, const char *text)
{
	return !*pattern || pv_ere_matches(pattern, text);
}

/* Returns the driver's first deviation that matches this failure; `message` NULL: the first one that always shows. */
static json_object *find(json_object *deviations, const char *driver, const char *message)
{
	for (size_t i = 0; i < length(deviations); i++) {
		json_object *d = json_object_array_get_idx(deviations, i);

		if (json_object_is_type(d, json_type_object) && !strcmp(pv_json_text(d, "driver"), driver) &&
		    (message ? matches(pv_json_text(d, "says"), message) : !is_set(d, "sometimes")))
			return d;
	}
	return NULL;
}

bool pv_deviations_know(json_object *deviations, const char *driver, const char *message)
{
	return find(deviations, driver, message);
}

/* It has expired: the case fails again, and the message names the entry. */
static void expire(struct pv_outcome *out, const char *id, const char *date)
{
	char message[PV_MESSAGE_MAX];

	memcpy(message, out->message, sizeof(message));
	pv_outcome_set(out, PV_FAIL, "known-failure-expired", "the known failure %s expired on %s: %s", id, date,
		       message);
}

void pv_outcome_deviate(struct pv_outcome *out, json_object *deviations, const char *driver)
{
	bool bad = out->verdict == PV_FAIL || out->verdict == PV_ERROR;
	json_object *d = find(deviations, driver, bad ? out->message : NULL);

	/* A case that could not be judged is a known failure only if the entry says so, such as for a guest that hangs.
	 */
	if (!d || (out->verdict == PV_ERROR && !*pv_json_text(d, "says")))
		return;
	const char *id = pv_json_text(d, "id"), *reason = pv_json_text(d, "reason");
	const char *expired = pv_json_text(d, "expired");
	if (bad && *expired)
		expire(out, id, expired);
	else if (bad)
		pv_outcome_set(out, PV_SKIP, "known-failure", "known failure: %s%s%s%s", id, *reason ? " (" : "",
			       reason, *reason ? ")" : "");
	else if (out->verdict == PV_PASS)
		pv_outcome_set(out, PV_FAIL, "unexpected-pass",
			       "expected the known failure %s of driver %s, got a pass: the deviation is no more", id,
			       driver);
}
