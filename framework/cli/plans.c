/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the arguments of a command to plans: files as they are, of a folder its *.xml. */
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
	bool failed; /* memory ran out, or there was a mistake, which was said */
};

static void paths_free(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i]);
	free(p->list);
}

/* Takes `path`. */
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

/* "scenarios/" and "scenarios" name the same files. */
static char *inside(const char *folder, const char *name)
{
	char *path;
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	return asprintf(&path, n == 1 && *folder == '/' ? "%.*s%s" : "%.*s/%s", (int)n, folder, name) < 0 ? NULL : path;
}

/* Adds the files of a folder that `wanted` takes, sorted. Returns their number; -errno: the folder cannot be read. */
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

/* The first folder in `folder` that has plans. NULL: none has. */
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

static void print_problem(void *ctx, const struct pv_error *e)
{
	fprintf(stderr, "%s\n", e->text);
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
	    pv_plans_load((const char *const *)paths.list, paths.n, opt, print_problem, NULL, &plans) == -ENOMEM)
		pv_cli_error("no memory");
	return plans;
}
