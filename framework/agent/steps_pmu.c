/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on PMUs: which there are, their parents, their attribute files; tune files have their own short forms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/session.h"
#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"

/* ---- lists of names ---- */

/* Returns true if every word of `words` is in `list`; with in = false, if none is. */
static bool all_words(const char *words, const char *list, bool in)
{
	char one[256];

	while (pv_word_next(&words, one, sizeof(one)))
		if (pv_word_in(list, one) != in)
			return false;
	return true;
}

static size_t count_words(const char *words)
{
	char one[256];
	size_t n = 0;

	while (pv_word_next(&words, one, sizeof(one)))
		n++;
	return n;
}

/* Judges a list, a blank after each name, by the attributes equals (whole, any order), has and lacks. */
static int list_judge(struct pv_session *s, const struct pv_args *a, const char *list, const char *what)
{
	size_t len = strlen(list);

	pv_session_learn(s, "equals", "%.*s", len ? (int)len - 1 : 0, list);
	const char *equals = pv_arg_text(a, "equals"), *has = pv_arg_text(a, "has"), *lacks = pv_arg_text(a, "lacks");
	if (equals)
		pv_session_judge(s,
				 count_words(equals) == count_words(list) && all_words(equals, list, true) &&
					 all_words(list, equals, true),
				 NULL, "%s: expected exactly \"%s\", got \"%s\"", what, equals, list);
	if (has)
		pv_session_judge(s, all_words(has, list, true), NULL, "%s: expected \"%s\" among them, got \"%s\"",
				 what, has, list);
	if (lacks)
		pv_session_judge(s, all_words(lacks, list, false), NULL,
				 "%s: expected none of \"%s\" among them, got \"%s\"", what, lacks, list);
	return 0;
}

/* ---- PMUs ---- */

static int do_pmu_list(struct pv_session *s, const struct pv_args *a)
{
	_autofree_ char *list = NULL;
	size_t size;
	FILE *f = open_memstream(&list, &size);
	const char *name;

	for (size_t i = 0; f && (name = s->t->driver->ops->pmu_name(s->t->driver, i)); i++)
		fprintf(f, "%s ", name);
	if (!f || fclose(f)) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
		return -1;
	}
	return list_judge(s, a, list, "PMUs");
}

static int do_check_parent(struct pv_session *s, const struct pv_args *a)
{
	const char *pmu = pv_arg_text(a, "pmu"), *device = pv_arg_text(a, "device");
	pv_bdf is = 0, want;

	if (!pv_has(s->t->driver, pmu_parent))
		return pv_session_unsupported(s, "parents of PMUs");
	if (pv_session_bdf(s, device, &want))
		return -1;
	int err = s->t->driver->ops->pmu_parent(s->t->driver, pmu, &is);
	return pv_session_judge(s, !err && is == want, NULL, "parent of %s: expected %s (%s), got %s", pmu, device,
				pv_bdf_text(want).s, err ? pv_errno_name(err) : pv_bdf_text(is).s);
}

/* ---- their files ---- */

static int read_attr(struct pv_session *s, const struct pv_args *a, const char *pmu, const char *path)
{
	char buf[4096];
	int n = s->t->driver->ops->attr_read(s->t->driver, pmu, path, buf, sizeof(buf));
	int end = pv_session_expect(s, n < 0 ? n : 0, NULL, "reading %s/%s", pmu, path);

	if (end)
		return end < 0;
	buf[sizeof(buf) - 1] = 0;
	buf[strcspn(buf, "\n")] = 0;
	pv_session_learn(s, "equals", "%s", buf);
	const char *equals = pv_arg_text(a, "equals");
	if (equals)
		pv_session_judge(s, !strcmp(equals, buf), NULL, "%s/%s: expected \"%s\", got \"%s\"", pmu, path, equals,
				 buf);
	return 0;
}

static int write_attr(struct pv_session *s, const struct pv_args *a, const char *pmu, const char *path)
{
	const char *value = pv_arg_text(a, "value");
	if (!pv_has(s->t->driver, attr_write))
		return pv_session_unsupported(s, "way to write attributes");
	int err = s->t->driver->ops->attr_write(s->t->driver, pmu, path, value);

	return pv_session_expect(s, err, NULL, "writing \"%.*s\" to %s/%s", (int)pv_utf8_cut(value, strlen(value), 64),
				 value, pmu, path) < 0;
}

static int do_attr_read(struct pv_session *s, const struct pv_args *a)
{
	const char *pmu = pv_arg_text(a, "pmu"), *path = pv_arg_text(a, "path"), *pattern = pv_arg_text(a, "matches");
	int end = read_attr(s, a, pmu, path);

	if (end || !pattern || pv_arg_errno(a, "expect"))
		return end;
	char buf[4096];
	int n = s->t->driver->ops->attr_read(s->t->driver, pmu, path, buf, sizeof(buf));
	if (n < 0)
		return pv_session_expect(s, n, NULL, "reading %s/%s again", pmu, path) < 0;
	buf[strcspn(buf, "\n")] = 0;
	return pv_session_judge(s, pv_arg_matches(a, "matches", buf), NULL,
				"%s/%s: expected a match of \"%s\", got \"%s\"", pmu, path, pattern, buf);
}

static int do_attr_write(struct pv_session *s, const struct pv_args *a)
{
	return write_attr(s, a, pv_arg_text(a, "pmu"), pv_arg_text(a, "path"));
}

static int do_attr_list(struct pv_session *s, const struct pv_args *a)
{
	const char *pmu = pv_arg_text(a, "pmu"), *dir = pv_arg_text(a, "dir");
	_autofree_ char *list = NULL;
	int err = pv_session_attr_list(s, pmu, dir, &list);
	int end = pv_session_expect(s, err, NULL, "listing %s/%s", pmu, dir);

	if (end)
		return end < 0;
	char what[256];
	pv_utf8_print(what, sizeof(what), "files of %s/%s", pmu, dir);
	return list_judge(s, a, list, what);
}

static void tune_path(const struct pv_args *a, char *buf, size_t size)
{
	pv_utf8_print(buf, size, "tune/%s", pv_arg_text(a, "event"));
}

static int do_tune_write(struct pv_session *s, const struct pv_args *a)
{
	char path[256];

	tune_path(a, path, sizeof(path));
	return write_attr(s, a, pv_arg_text(a, "pmu"), path);
}

static int do_tune_read(struct pv_session *s, const struct pv_args *a)
{
	char path[256];

	tune_path(a, path, sizeof(path));
	return read_attr(s, a, pv_arg_text(a, "pmu"), path);
}

const struct pv_step_def pv_steps_pmu[] = {
	{"pmu-list", do_pmu_list, PV_STEP_DRIVER},   {"check-parent", do_check_parent, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"attr-read", do_attr_read, PV_STEP_DRIVER}, {"attr-write", do_attr_write, PV_STEP_DRIVER},
	{"attr-list", do_attr_list, PV_STEP_DRIVER}, {"tune-write", do_tune_write, PV_STEP_DRIVER},
	{"tune-read", do_tune_read, PV_STEP_DRIVER}, {NULL},
};
