/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of `explore` and `shrink` as plans that the runner runs. */
#include "framework/cli/explore_target.h"

#include <errno.h>
#include <string.h>

#include "framework/cli/explore_lines.h"
#include "framework/cli/run_target.h"
#include "framework/explore/element.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/utf8.h"

static bool is_model(const struct pv_cli_explore *o)
{
	return !strcmp(o->run.run.target, "model");
}

/* ---- plans ---- */

static int write_plan(const char *path, const struct pv_explore_plan *plan, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return pv_error(e, -errno, "%s: %s", path, strerror(errno));
	pv_explore_plan_print(f, plan);
	return fclose(f) ? pv_error(e, -ENOMEM, "no memory") : pv_file_write(path, text, n, e);
}
int pv_cli_explore_write(const char *path, const char *name, json_object *c, struct pv_error *e)
{
	json_object *text = json_object_object_get(c, "description");
	const struct pv_explore_plan plan = {.name = name,
					     .description = text ? json_object_get_string(text) : "A failing case.",
					     .cases = &c,
					     .n = 1};

	return write_plan(path, &plan, e);
}

/* ---- running them ---- */

static int run_jobs(struct pv_cli_explore *o, struct pv_job *jobs, size_t n, const char *folder,
		    struct pv_run_result **out, struct pv_error *e)
{
	_cleanup_(pv_run_folder_free) struct pv_run_folder run = {.claim = -1};
	int err = pv_folder_create(folder, &o->run.run, jobs, n, &run, e);

	if (!err)
		err = pv_cli_run_with_pool(&o->run.run, &run, jobs, n, e);
	return err ? err : pv_run_load(run.path, out, e);
}

/* The guest is found once for all cases. */
static int find_target(struct pv_cli_explore *o, struct pv_job *jobs, size_t n, const char *const *paths,
		       size_t n_paths, struct pv_error *e)
{
	if (o->target_found)
		return 0;
	o->run.guest.module = !is_model(o);
	int err = pv_cli_find_guest(&o->run, paths, n_paths, e);
	if (!err)
		err = pv_cli_find_known(&o->run, jobs, n, paths, n_paths, e);
	if (!err && !is_model(o))
		err = pv_cli_find_known_of_drawn(&o->run, paths, n_paths, e);
	o->target_found = !err;
	return err;
}

static void note_problem(void *ctx, const struct pv_error *e)
{
	struct pv_error *first = ctx;

	if (!first->code)
		*first = *e;
}

int pv_cli_explore_confirm(struct pv_cli_explore *o, const char *const *paths, size_t n, const char *folder,
			   struct pv_run_result **out, struct pv_error *e)
{
	const struct pv_selection all = {.target = o->run.run.target};
	struct pv_error problem = {0};
	struct pv_plans *plans = NULL;
	size_t n_jobs;

	if (pv_plans_load(paths, n, &(struct pv_plan_options){0}, note_problem, &problem, &plans))
		return pv_error(e, -EBADMSG, "a case that was drawn is no valid plan: %s", problem.text);
	_autofree_ struct pv_job *jobs = pv_jobs_of_cases(plans, &all, NULL, &n_jobs);
	int err = jobs ? find_target(o, jobs, n_jobs, paths, n, e) : pv_error(e, -ENOMEM, "no memory");
	if (!err)
		err = run_jobs(o, jobs, n_jobs, folder, out, e);
	pv_plans_free(plans);
	return err;
}

/* ---- a batch of a session on another target than the models ---- */

static void take_verdicts(const struct pv_run_result *r, struct pv_explore_verdict *v, size_t n)
{
	for (size_t i = 0; i < n && i < r->n_cases; i++) {
		const struct pv_case_result *c = &r->cases[i];

		if (c->interrupted)
			continue;
		v[i] = (struct pv_explore_verdict){.bad = pv_case_is_bad(c), .skipped = c->verdict == PV_SKIP};
		snprintf(v[i].type, sizeof(v[i].type), "%s", c->type ? c->type : "");
		snprintf(v[i].message, sizeof(v[i].message), "%s", c->message ? c->message : "");
	}
}

static int temporary_folder(struct pv_cli_explore *o, struct pv_error *e)
{
	if (*o->folder)
		return 0;
	snprintf(o->folder, sizeof(o->folder), "/tmp/pcieval-explore.XXXXXX");
	if (mkdtemp(o->folder))
		return 0;
	int err = errno;
	*o->folder = 0;
	return pv_error(e, -err, "a temporary folder: %s", strerror(err));
}

static int run_elsewhere(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v,
			 struct pv_error *e);

/*
 * A case that is no valid plan is skipped, and the others run. While a case is made small, it may lose a check, or a
 * function that another one needs.
 */
static int run_one_by_one(struct pv_cli_explore *o, json_object *const *cases, size_t n, struct pv_explore_verdict *v,
			  struct pv_error *e)
{
	int err = 0;

	if (n == 1) {
		*v = (struct pv_explore_verdict){.skipped = true, .type = "plan"};
		pv_utf8_print(v->message, sizeof(v->message), "%s", e->text);
		return 0;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = run_elsewhere(o, &cases[i], 1, &v[i], e);
	return err;
}

static int run_elsewhere(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v,
			 struct pv_error *e)
{
	struct pv_cli_explore *o = ctx;
	char path[96], folder[96];
	const char *paths[] = {path};
	struct pv_run_result *r = NULL;
	int err = temporary_folder(o, e);

	snprintf(path, sizeof(path), "%s/explore.xml", o->folder);
	snprintf(folder, sizeof(folder), "%s/run", o->folder);
	if (!err)
		err = write_plan(path, &(struct pv_explore_plan){"explore", "Cases that were drawn.", cases, n}, e);
	if (!err)
		err = pv_cli_explore_confirm(o, paths, 1, folder, &r, e);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct pv_explore_verdict){.type = "not-run"};
	if (!err)
		take_verdicts(r, v, n);
	if (!err && o->run.guest.gcov)
		err = pv_cli_explore_lines(r, cases, n, e);
	if (!err && r->interrupted)
		err = pv_error(e, -EINTR, "interrupted");
	pv_run_result_free(r);
	pv_remove_all(folder);
	return err == -EBADMSG ? run_one_by_one(o, cases, n, v, e) : err;
}

/* ---- options ---- */

int pv_cli_explore_check(const struct pv_command *self, struct pv_cli_explore *o, struct pv_explore_tried *t,
			 struct pv_error *e)
{
	const char *target = o->run.selection.target;

	if (target && strcmp(target, "model") && strcmp(target, "qemu"))
		return pv_error(e, -EINVAL, "--target: expected model or qemu, whose machines can be drawn, got '%s'",
				target);
	int err = pv_cli_run_check(self, &o->run, e);
	if (err)
		return err;
	pv_cli_run_complete(&o->run);
	o->run.run.out = NULL;
	*t = (struct pv_explore_tried){.defects = o->run.defects, .learn = true};
	if (is_model(o)) {
		t->reference = !o->run.defects || !*o->run.defects;
	} else {
		t->run = run_elsewhere;
		t->ctx = o;
	}
	return 0;
}

void pv_cli_explore_end(struct pv_cli_explore *o)
{
	if (*o->folder)
		pv_remove_all(o->folder);
	json_object_put(o->run.run.guest);
	json_object_put(o->run.run.deviations);
}
