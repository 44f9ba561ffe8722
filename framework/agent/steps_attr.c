/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on attribute files of PMUs; tune files have their own short forms. */
#include <string.h>

#include "framework/agent/name_list.h"
#include "framework/agent/session.h"

static int read_attr(struct pv_session *s, const struct pv_args *a, const char *pmu, const char *path)
{
	char buf[4096];
	int n = s->t->driver->ops->attr_read(s->t->driver, pmu, path, buf, sizeof(buf));
	int end = pv_session_expect(s, n < 0 ? n : 0, NULL, "reading %s/%s", pmu, path);

	if (end)
		return end < 0;
	buf[sizeof(buf) - 1] = 0;
	buf[strcspn(buf, "\n")] = 0;
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

	return pv_session_expect(s, err, NULL, "writing \"%.64s\" to %s/%s", value, pmu, path) < 0;
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
	struct pv_list l = {0};
	int err = s->t->driver->ops->attr_list(s->t->driver, pmu, dir, pv_list_add_cb, &l);
	int end = pv_session_expect(s, err, NULL, "listing %s/%s", pmu, dir);

	if (end)
		return end < 0;
	char what[256];
	snprintf(what, sizeof(what), "files of %s/%s", pmu, dir);
	return pv_list_judge(s, a, &l, what);
}

static void tune_path(const struct pv_args *a, char *buf, size_t size)
{
	snprintf(buf, size, "tune/%s", pv_arg_text(a, "event"));
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

const struct pv_step_def pv_steps_attr[] = {
	{"attr-read", do_attr_read, PV_STEP_DRIVER}, {"attr-write", do_attr_write, PV_STEP_DRIVER},
	{"attr-list", do_attr_list, PV_STEP_DRIVER}, {"tune-write", do_tune_write, PV_STEP_DRIVER},
	{"tune-read", do_tune_read, PV_STEP_DRIVER}, {NULL},
};
