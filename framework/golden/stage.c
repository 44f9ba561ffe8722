/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records goldens in the staging folder of a run. Its cases run at the same time, and several may record one name: they
 * must record the same, since only one of them can be compared later. A list, locked while a case records, has the case
 * that was first with each golden.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "framework/golden/golden.h"
#include "framework/util/cleanup.h"
#include "framework/util/error.h"

/* A golden, or a counter of one, that a case records. */
struct recording {
	FILE *list;   /* lines "WHAT<tab>CASE" */
	char *what;   /* "GOLDEN" or "GOLDEN/COUNTER" */
	char *by;     /* "PLAN/CASE" */
	char *before; /* the case that was first; NULL: this one is */
};

static void recording_free(struct recording *r)
{
	if (r->list)
		fclose(r->list);
	free(r->what);
	free(r->by);
	free(r->before);
}

static FILE *open_locked(const char *folder)
{
	_autofree_ char *path = NULL;
	_autofclose_ FILE *f = asprintf(&path, "%s/cases.list", folder) < 0 ? NULL : fopen(path, "a+e");

	while (f && flock(fileno(f), LOCK_EX))
		if (errno != EINTR)
			return NULL;
	return steal(&f);
}

/* Returns the case that was first with a golden; NULL: none was. */
static char *find(FILE *list, const char *what)
{
	_autofree_ char *line = NULL;
	size_t size = 0, n = strlen(what);

	rewind(list);
	while (getline(&line, &size, list) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, what, n) && line[n] == '\t')
			return strdup(line + n + 1);
	}
	return NULL;
}

static int begin(struct recording *r, const char *folder, const char *name, const char *counter,
		 const struct pv_golden_source *src, struct pv_error *e)
{
	if (asprintf(&r->what, "%s%s%s", name, counter ? "/" : "", counter ? counter : "") < 0 ||
	    asprintf(&r->by, "%s/%s", src->plan, src->case_name) < 0)
		return pv_error(e, -ENOMEM, "golden %s: no memory", name);
	r->list = open_locked(folder);
	if (!r->list) {
		int err = errno;
		return pv_error(e, -err, "%s/cases.list: cannot be locked: %s", folder, strerror(err));
	}
	r->before = find(r->list, r->what);
	return 0;
}

/* Adds a golden that was written to the list. */
static int end(struct recording *r, struct pv_error *e)
{
	if (fprintf(r->list, "%s\t%s\n", r->what, r->by) >= 0 && !fflush(r->list))
		return 0;
	return pv_error(e, -EIO, "golden %s: the list of cases cannot be written: %s", r->what, strerror(errno));
}

static int clash(const struct recording *r, struct pv_error *e)
{
	if (!strcmp(r->by, r->before))
		return pv_error(e, -EEXIST,
				"case %s records golden %s twice, with different contents: give each a name of its own",
				r->by, r->what);
	return pv_error(e, -EEXIST,
			"cases %s and %s record different contents as golden %s: give each a name of its own",
			r->before, r->by, r->what);
}

int pv_golden_stage_trace(const char *folder, const char *name, const struct pv_golden_source *src, const void *data,
			  size_t len, struct pv_error *e)
{
	_cleanup_(recording_free) struct recording r = {0};
	_autofree_ void *was = NULL;
	size_t n;
	struct pv_golden_diff d;
	int err = begin(&r, folder, name, NULL, src, e);

	if (!err && !r.before) {
		err = pv_golden_put_trace(folder, name, src, data, len, e);
		return err ? err : end(&r, e);
	}
	if (!err)
		err = pv_golden_get_trace(folder, name, &was, &n, e);
	if (err)
		return err;
	pv_golden_compare(was, n, data, len, 0, &d, NULL, NULL);
	return pv_golden_same(&d) ? 0 : clash(&r, e);
}

/* `tolerance` NULL: a counter, not a baseline. */
static int stage_value(const char *folder, const char *name, const struct pv_golden_source *src, const char *counter,
		       uint64_t value, const double *tolerance, struct pv_error *e)
{
	_cleanup_(recording_free) struct recording r = {0};
	uint64_t was;
	int err = begin(&r, folder, name, counter, src, e);

	if (!err && !r.before) {
		err = tolerance ? pv_golden_put_baseline(folder, name, src, counter, value, *tolerance, e)
				: pv_golden_put_counter(folder, name, src, counter, value, e);
		return err ? err : end(&r, e);
	}
	if (!err)
		err = pv_golden_get_counter(folder, name, counter, &was, e);
	if (err)
		return err;
	return pv_golden_is_near(was, value, tolerance ? *tolerance : 0) ? 0 : clash(&r, e);
}

int pv_golden_stage_counter(const char *folder, const char *name, const struct pv_golden_source *src,
			    const char *counter, uint64_t value, struct pv_error *e)
{
	return stage_value(folder, name, src, counter, value, NULL, e);
}

int pv_golden_stage_baseline(const char *folder, const char *name, const struct pv_golden_source *src,
			     const char *measure, uint64_t value, double tolerance, struct pv_error *e)
{
	return stage_value(folder, name, src, measure, value, &tolerance, e);
}
