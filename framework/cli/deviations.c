/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of Linux drivers: reading the files, and which of them a kernel has. */
#include "framework/cli/deviations.h"

#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/json.h"

struct version {
	unsigned major, minor;
};

static bool parse_version(const char *text, struct version *v)
{
	return sscanf(text, "%u.%u", &v->major, &v->minor) == 2;
}

struct kernel {
	struct version version;
	const char *name; /* as of --kernel; NULL: not known */
};

static bool is_before(struct version a, struct version b)
{
	return a.major < b.major || (a.major == b.major && a.minor < b.minor);
}

/* ---- one deviation ---- */

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
	if (regcomp(&re, text_of(d, "says"), REG_EXTENDED | REG_NOSUB))
		return bad(d, "says", "an extended regular expression");
	regfree(&re);
	return 0;
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

/* Is the name, up to a ':' in it, one of the words? */
static bool is_among(const char *words, const char *name)
{
	size_t n = strcspn(name, ":"), word;

	for (; *words; words += word) {
		words += strspn(words, " ");
		word = strcspn(words, " ");
		if (word == n && n && !strncmp(words, name, n))
			return true;
	}
	return false;
}

/* Clears *is if the entry is for something else than what is tested: left out, it is for anything. */
static int is_of(const struct entry *d, const char *key, const char *tested, bool *is)
{
	const char *text = text_of(d, key);

	if (json_object_object_get(d->o, key) && (!text || !*text))
		return bad(d, key, "a text");
	if (text)
		*is &= tested && is_among(text, tested);
	return 0;
}

/* From "from" on, and before "until", and built as "kernel"; all may be left out. */
static int has_it(const struct entry *d, struct kernel kernel, bool *has)
{
	struct version v;
	const char *from = text_of(d, "from"), *until = text_of(d, "until");

	*has = true;
	if (json_object_object_get(d->o, "from") && (!from || !parse_version(from, &v)))
		return bad(d, "from", "a version like \"6.12\"");
	if (from)
		*has = !is_before(kernel.version, v);
	if (json_object_object_get(d->o, "until") && (!until || !parse_version(until, &v)))
		return bad(d, "until", "a version like \"6.12\"");
	if (until)
		*has = *has && is_before(kernel.version, v);
	return is_of(d, "kernel", kernel.name, has);
}

static json_object *add(json_object *list, const struct entry *d, const char *driver)
{
	json_object *o = json_object_new_object();

	pv_json_string(o, "driver", driver);
	pv_json_string(o, "id", text_of(d, "id"));
	pv_json_string(o, "reason", text_of(d, "reason"));
	pv_json_string(o, "says", text_of(d, "says"));
	json_object_object_add(o, "cases", json_object_get(json_object_object_get(d->o, "cases")));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		json_object_object_add(o, flags[i], json_object_get(json_object_object_get(d->o, flags[i])));
	json_object_array_add(list, o);
	return o;
}

/* ---- files ---- */

/* A search in the files: what is under test, and the entries found. */
struct wanted {
	struct kernel kernel;
	const char *target, *driver;
	json_object *list; /* of what was found */
};

static int load(const char *path, const struct wanted *w, struct pv_error *e)
{
	json_object *root = json_object_from_file(path);
	size_t n = json_object_is_type(root, json_type_array) ? json_object_array_length(root) : 0;
	int err = 0;

	if (!json_object_is_type(root, json_type_array))
		err = pv_error(e, -EINVAL, "%s: expected a JSON array of deviations, got %s", path,
			       root ? "something else" : json_util_get_last_err());
	for (size_t i = 0; i < n && !err; i++) {
		const struct entry d = {path, i, json_object_array_get_idx(root, i), e};
		bool has = false;

		err = check_texts(&d);
		if (!err)
			err = check_cases(&d);
		if (!err)
			err = check_flags(&d);
		if (!err)
			err = has_it(&d, w->kernel, &has);
		if (!err)
			err = is_of(&d, "target", w->target, &has);
		if (!err && has)
			add(w->list, &d, w->driver);
	}
	json_object_put(root);
	return err;
}

static int is_json(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

static int load_all(const char *folder, const struct wanted *w, struct pv_error *e)
{
	struct dirent **files;
	int n = scandir(folder, &files, is_json, alphasort), err = 0;

	if (n < 0)
		return pv_error(e, -errno, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		_autofree_ char *path = NULL;

		if (!err)
			err = asprintf(&path, "%s/%s", folder, files[i]->d_name) < 0 ? -ENOMEM : load(path, w, e);
		free(files[i]);
	}
	free(files);
	return err;
}

int pv_cli_deviations(const char *folder, const struct pv_cli_tested *tested, json_object **out, struct pv_error *e)
{
	struct wanted w = {.kernel.name = tested->kernel, .target = tested->target, .driver = tested->driver};

	if (!parse_version(tested->release, &w.kernel.version))
		return pv_error(e, -EINVAL, "known deviations: expected the version of a kernel, got '%s'",
				tested->release);
	w.list = json_object_new_array();
	int err = load_all(folder, &w, e);
	if (err)
		json_object_put(w.list);
	else
		*out = w.list;
	return err;
}

/* ---- the user's own ---- */

static bool is_date(const char *text)
{
	unsigned year, month, day;
	char rest;

	return text && strlen(text) == 10 && strspn(text, "0123456789-") == 10 &&
	       sscanf(text, "%4u-%2u-%2u%c", &year, &month, &day, &rest) == 3 && month >= 1 && month <= 12 &&
	       day >= 1 && day <= 31;
}

/* A range of kernels says nothing of a machine whose kernel is not known. */
static int is_of_kernel(const struct entry *d, const struct pv_cli_tested *tested, bool *is)
{
	struct kernel kernel = {.name = tested->kernel};
	bool ranged = json_object_object_get(d->o, "from") || json_object_object_get(d->o, "until");
	bool known = tested->release && parse_version(tested->release, &kernel.version), has = true;
	int err = has_it(d, kernel, &has);

	*is &= has && (known || !ranged);
	return err;
}

static int check_own(const struct entry *d, const struct pv_cli_tested *tested, bool *is)
{
	int err = check_texts(d);

	*is = true;
	if (!err)
		err = check_cases(d);
	if (!err)
		err = is_of_kernel(d, tested, is);
	if (!err)
		err = is_of(d, "driver", tested->driver, is);
	if (!err)
		err = is_of(d, "target", tested->target, is);
	if (!err && json_object_object_get(d->o, "expires") && !is_date(text_of(d, "expires")))
		err = bad(d, "expires", "a date like \"2027-03-31\"");
	return err;
}

static int add_own(const struct entry *d, const struct pv_cli_tested *tested, json_object *list)
{
	bool is;
	int err = check_own(d, tested, &is);
	const char *last = text_of(d, "expires");

	if (err || !is)
		return err;
	json_object *o = add(list, d, tested->driver);
	if (last && strcmp(last, tested->today) < 0)
		pv_json_string(o, "expired", last);
	return 0;
}

int pv_cli_known_failures(const char *path, const struct pv_cli_tested *tested, json_object **list, struct pv_error *e)
{
	json_object *root = json_object_from_file(path);
	int err = 0;

	if (!json_object_is_type(root, json_type_array))
		err = pv_error(e, -EINVAL, "%s: expected a JSON array of known failures, got %s", path,
			       root ? "something else" : json_util_get_last_err());
	if (!err && !*list)
		*list = json_object_new_array();
	for (size_t i = 0; !err && i < json_object_array_length(root); i++) {
		const struct entry d = {path, i, json_object_array_get_idx(root, i), e};

		err = add_own(&d, tested, *list);
	}
	json_object_put(root);
	return err;
}
