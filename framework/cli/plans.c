/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the plans named by a command's arguments (of a folder: its *.xml), and makes a selection of cases from its
 * options.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/cli/cli.h"
#include "framework/util/cleanup.h"

struct paths {
	char **list;
	size_t n;
	bool failed; /* memory ran out, or a mistake was reported */
};

static void paths_free(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i]);
	free(p->list);
}

/* Adds `path`, and takes ownership of it. */
static void add(struct paths *p, char *path)
{
	char **more = path ? realloc(p->list, (p->n + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(path);
		p->failed = true;
		return;
	}
	p->list = more;
	p->list[p->n++] = path;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int is_plan(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] != '.' && dot && !strcmp(dot, ".xml");
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Joins folder and name: "scenarios/" and "scenarios" give the same path. */
static char *inside(const char *folder, const char *name)
{
	char *path;
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	return asprintf(&path, n == 1 && *folder == '/' ? "%.*s%s" : "%.*s/%s", (int)n, folder, name) < 0 ? NULL : path;
}

/* Adds the files of a folder that `wanted` accepts, sorted. Returns their number; -errno: the folder cannot be read. */
static int add_files(struct paths *p, const char *folder, int (*wanted)(const struct dirent *d))
{
	struct dirent **found;
	int n = scandir(folder, &found, wanted, alphasort);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		add(p, inside(folder, found[i]->d_name));
		free(found[i]);
	}
	free(found);
	return n;
}

/* Returns the first folder in `folder` that contains plans. NULL: there is none. */
static char *nearby(const char *folder)
{
	_cleanup_(paths_free) struct paths others = {0};

	add_files(&others, folder, is_visible);
	for (size_t i = 0; i < others.n; i++) {
		_cleanup_(paths_free) struct paths plans = {0};

		if (is_folder(others.list[i]) && add_files(&plans, others.list[i], is_plan) > 0)
			return strdup(others.list[i]);
	}
	return NULL;
}

static void add_folder(struct paths *p, const char *folder)
{
	int n = add_files(p, folder, is_plan);

	if (n > 0)
		return;
	_autofree_ char *other = n ? NULL : nearby(folder);
	p->failed = true;
	if (n)
		pv_cli_error("%s: the folder cannot be read: %s", folder, strerror(-n));
	else
		pv_cli_error("%s: expected plans (*.xml) in this folder, found none%s%s%s", folder,
			     other ? "; did you mean '" : "", other ? other : "", other ? "'?" : "");
}

struct pv_plans *pv_cli_load(const char *const *files, size_t n, const struct pv_plan_options *opt)
{
	_cleanup_(paths_free) struct paths paths = {0};
	struct pv_plans *plans = NULL;

	if (!n)
		pv_cli_error("expected plan files, such as scenarios/*.xml");
	for (size_t i = 0; i < n; i++)
		if (is_folder(files[i]))
			add_folder(&paths, files[i]);
		else
			add(&paths, strdup(files[i]));
	if (n && !paths.failed &&
	    pv_plans_load((const char *const *)paths.list, paths.n, opt, pv_cli_problem, NULL, &plans) == -ENOMEM)
		pv_cli_error("no memory");
	return plans;
}

/* ---- selection of cases ---- */

bool pv_cli_selection_read(struct pv_cli_selection *s)
{
	struct pv_error e = {0};
	int err = s->cases_file && !s->listed ? pv_case_list_read(s->cases_file, &s->listed, &e) : 0;

	if (err)
		pv_cli_error("--cases: %s", e.text);
	return !err;
}

void pv_cli_selection_free(struct pv_cli_selection *s)
{
	pv_case_list_free(s->listed);
	s->listed = NULL;
}

struct pv_selection pv_cli_selection(const struct pv_cli_selection *s)
{
	return (struct pv_selection){.names = s->names,
				     .excludes = s->excludes,
				     .tags = s->tags,
				     .requirements = s->requirements,
				     .target = s->target,
				     .listed = s->listed};
}

static void tell_unmatched(void *warning, const char *text)
{
	pv_cli_error("%s--%s", (const char *)warning, text);
}

/* A run without the intended cases must not be green. */
bool pv_cli_selection_matches(const struct pv_plans *plans, const struct pv_cli_selection *s)
{
	const struct pv_selection all = pv_cli_selection(s);
	const char *warning = s->allow_empty ? "warning: " : "";

	return !pv_selection_unmatched(&all, plans, tell_unmatched, (void *)warning) || s->allow_empty;
}
