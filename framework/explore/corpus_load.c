/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the files of a corpus: plans with one case that explore has drawn. Anything else is refused. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/explore/corpus.h"
#include "framework/explore/element.h"
#include "framework/explore/import.h"
#include "framework/plan/plan.h"
#include "framework/util/cleanup.h"

enum { FILE_MAX = 1 << 20, STEPS_MAX = 1000 };

static void note_problem(void *ctx, const struct pv_error *e)
{
	struct pv_error *first = ctx;

	if (!first->code)
		*first = *e;
}

static const char *find_tag(const struct pv_case *c, const char *tag)
{
	for (const char *const *t = c->tags; t && *t; t++)
		if (!strcmp(*t, tag))
			return *t;
	return NULL;
}

/* Steps of a file and those that are drawn have the same members. */
static void forget_lines(json_object *steps)
{
	for (size_t i = 0; i < json_object_array_length(steps); i++)
		json_object_object_del(json_object_array_get_idx(steps, i), "line");
}

static json_object *import(const struct pv_case *c, struct pv_error *e)
{
	json_object *out = pv_explore_import(c, e);
	char tags[256] = "";
	size_t len = 0;

	if (!out)
		return NULL;
	for (const char *const *t = c->tags; *t && len < sizeof(tags); t++)
		len += (size_t)snprintf(tags + len, sizeof(tags) - len, "%s%s", len ? " " : "", *t);
	pv_json_string(out, "tags", tags);
	forget_lines(json_object_object_get(out, "steps"));
	return out;
}

static int add_case(struct pv_corpus *k, const char *path, const struct pv_plans *plans, struct pv_error *e)
{
	const struct pv_case *c = plans->n_cases ? plans->cases[0] : NULL;

	if (plans->n_cases != 1)
		return pv_error(e, -EINVAL, "%s: expected one case that was drawn by explore, got %zu cases", path,
				plans->n_cases);
	if (!find_tag(c, "explore") || !pv_case_topology(c) || c->steps > STEPS_MAX)
		return pv_error(e, -EINVAL,
				"%s:%d: expected a case that was drawn by explore, with the tag 'explore', a topology "
				"and at most %d steps",
				path, c->line, STEPS_MAX);
	json_object *x = import(c, e);
	if (!x)
		return e->code;
	int err = pv_corpus_add(k, x, k->n, NULL);
	if (err == -EINVAL)
		return pv_error(e, err, "%s:%d: expected tags that name a subject of explore, such as 'explore dwc'",
				path, c->line);
	return err ? pv_error(e, err, "no memory") : 0;
}

static int load_file(struct pv_corpus *k, const char *path, struct pv_error *e)
{
	struct pv_plans *plans = NULL;
	struct pv_error first = {0};
	struct stat st;

	if (stat(path, &st))
		return pv_error(e, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return pv_error(e, -EINVAL, "%s: expected a file of at most %d bytes", path, FILE_MAX);
	if (pv_plans_load(&path, 1, &(struct pv_plan_options){0}, note_problem, &first, &plans))
		return pv_error(e, -EINVAL, "%s", first.text);
	int err = add_case(k, path, plans, e);
	pv_plans_free(plans);
	return err;
}

static int is_file(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 4 && d->d_name[0] != '.' && !strcmp(d->d_name + n - 4, ".xml");
}

/* The order of the locale would be another on other machines. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int pv_corpus_load(struct pv_corpus *k, const char *folder, bool foreign, struct pv_error *e)
{
	struct dirent **files = NULL;
	char path[PATH_MAX];
	size_t first = k->n;
	int n = scandir(folder, &files, is_file, by_name), err = 0;

	if (n < 0 && (errno != ENOENT || foreign))
		return pv_error(e, -errno, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]->d_name);
		err = err ? err : load_file(k, path, e);
		free(files[i]);
	}
	free(files);
	for (size_t i = first; i < k->n; i++)
		k->entry[i].foreign = foreign;
	k->given = k->n;
	return err;
}
