/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepares targets: the guest of target qemu, the machine of target local, and known failures. */
#include "framework/cli/run_target.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "framework/board/place.h"
#include "framework/qemu/vm_pool.h"
#include "framework/run/agents.h"
#include "framework/run/deviations.h"
#include "framework/util/cleanup.h"

/* Returns the value of --kernel; NULL: there is no guest. */
static const char *kernel_of(const struct pv_cli_run *a)
{
	if (strcmp(a->run.target, "qemu"))
		return NULL;
	return a->guest.kernel ? a->guest.kernel : "fast";
}

/* Returns the release of the kernel under test; NULL: none, or unknown. */
static const char *release_of(const struct pv_cli_run *a)
{
	if (a->run.guest)
		return json_object_get_string(json_object_object_get(a->run.guest, "release"));
	return *a->board.release ? a->board.release : NULL;
}

static struct pv_tested tested_of(const struct pv_cli_run *a, const char *today)
{
	return (struct pv_tested){.target = a->run.target,
				  .driver = a->run.driver,
				  .release = release_of(a),
				  .kernel = kernel_of(a),
				  .fixed = strcmp(a->run.driver, "reference") &&
					   json_object_get_boolean(json_object_object_get(a->run.guest, "fixed")),
				  .today = today};
}

static bool kills(const struct pv_cli_run *a, const struct pv_job *job)
{
	json_object *known = pv_deviations_of(a->run.deviations, NULL, job->plan, job->name, job->formerly);
	bool kills = pv_deviations_kill(known);

	json_object_put(known);
	return kills;
}

/* On a real machine, skips cases that kill the kernel: the next case needs the machine. A guest is disposable. */
static void skip_killers(const struct pv_cli_run *a, struct pv_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].skip || jobs[i].before || !kills(a, &jobs[i]))
			continue;
		jobs[i].skip =
			"this kernel is known to die of it (fixtures/deviations): not run on a machine that is needed";
		jobs[i].skip_type = "target";
	}
}

/* A kernel without a version has no known deviations. */
static int find_deviations(struct pv_cli_run *a, const char *name, const char *const *paths, size_t n,
			   struct pv_error *e)
{
	const struct pv_tested tested = tested_of(a, NULL);
	_autofree_ char *folder = pv_cli_find_upwards(paths, n, name);

	return tested.release && folder && !a->run.agent ? pv_deviations_read(folder, &tested, &a->run.deviations, e)
							 : 0;
}

/* Adds the failures in the user's file. */
static int find_known_failures(struct pv_cli_run *a, struct pv_error *e)
{
	char today[PV_TODAY_TEXT];

	pv_deviations_today(today);
	const struct pv_tested tested = tested_of(a, today);
	int err = a->known_failures ? pv_known_failures_read(a->known_failures, &tested, &a->run.deviations, e) : 0;
	return err ? pv_error_context(e, "--known-failures: ") : 0;
}

/* Finds the scripts in the tree of the first plan, otherwise the installed ones, and runs them to find the parts. */
static int find_parts(struct pv_cli_run *a, const char *const *plans, size_t n, struct pv_error *e)
{
	_autofree_ char *recipes = pv_cli_find_upwards(plans, n, "ci/guest.d");

	if (!recipes)
		return pv_error(e, -ENOENT,
				"--target qemu: expected ci/guest.d, with the scripts that build a guest, above the "
				"plans, here, or in share/pcieval where pcieval is installed; got none");
	recipes[strlen(recipes) - strlen("/guest.d")] = 0;
	return pv_guest_find_parts(&a->guest, recipes, &a->run.guest, e);
}

/* Finds or builds the parts of a guest before the first case. */
int pv_cli_find_guest(struct pv_cli_run *a, const char *const *paths, size_t n, struct pv_error *e)
{
	if (strcmp(a->run.target, "qemu"))
		return 0;
	const char *given[] = {"kernel",
			       a->guest.kernel,
			       "modules",
			       a->guest.modules,
			       "source",
			       a->guest.source,
			       "append",
			       a->guest.append,
			       "fresh-boot",
			       a->guest.fresh_boot ? "" : NULL,
			       "real-time",
			       a->guest.real_time ? "" : NULL,
			       "leaks",
			       a->guest.leaks ? "" : NULL,
			       "driver-coverage",
			       a->guest.gcov ? "" : NULL,
			       NULL};
	memcpy(a->guest_options, given, sizeof(given));
	a->run.guest_options = a->guest_options;
	return find_parts(a, paths, n, e);
}

/* Returns an option of the earlier run. NULL: it was not given. */
static const char *option_before(const struct pv_cli_run *a, const char *name)
{
	const char *const *o = a->run.guest_options;

	while (o && *o && strcmp(*o, name))
		o += 2;
	return o && *o ? o[1] : NULL;
}

/* Sets the guest options of the earlier run. */
static void take_guest_options(struct pv_cli_run *a)
{
	a->guest.kernel = option_before(a, "kernel");
	a->guest.modules = option_before(a, "modules");
	a->guest.source = option_before(a, "source");
	a->guest.append = option_before(a, "append");
	a->guest.fresh_boot = option_before(a, "fresh-boot");
	a->guest.real_time = option_before(a, "real-time");
	a->guest.leaks = option_before(a, "leaks");
	a->guest.gcov = option_before(a, "driver-coverage");
}

int pv_cli_find_guest_again(struct pv_cli_run *a, const char *plan, struct pv_error *e)
{
	if (!a->run.guest)
		return 0;
	take_guest_options(a);
	a->run.guest = NULL;
	return find_parts(a, &plan, 1, e);
}

/* Restores the machine's options of an earlier run, or notes them for a later run of its cases. */
static int note_board(struct pv_cli_run *a, struct pv_error *e)
{
	const char **to = a->guest_options;

	if (a->run.guest_options) {
		a->board.root = option_before(a, "root");
		a->board_file = option_before(a, "board");
		a->board.exec = option_before(a, "allow-exec");
		a->board.unbind = option_before(a, "allow-unbind");
		a->bind = option_before(a, "bind");
		a->board.every = !a->resume && option_before(a, "every-match");
		return a->board_file ? pv_board_read(a->board_file, &a->board.description, e) : 0;
	}
	if (a->board.root)
		*to++ = "root", *to++ = a->board.root;
	if (a->board_file)
		*to++ = "board", *to++ = a->board_file;
	if (a->board.exec) {
		*to++ = "allow-exec";
		*to++ = "";
	}
	if (a->board.unbind) {
		*to++ = "allow-unbind";
		*to++ = "";
	}
	for (size_t i = 0; a->binds && a->binds[i]; i++) {
		a->bind = pv_arena_printf(&a->board.reasons, "%s%s%s", i ? a->bind : "", i ? "," : "", a->binds[i]);
		if (!a->bind)
			return pv_error(e, -ENOMEM, "no memory");
	}
	if (a->bind)
		*to++ = "bind", *to++ = a->bind;
	if (a->board.every) {
		*to++ = "every-match";
		*to++ = "";
	}
	if (to > a->guest_options)
		a->run.guest_options = a->guest_options;
	return 0;
}

int pv_cli_find_board(struct pv_cli_run *a, struct pv_job **jobs, size_t *n, struct pv_error *e)
{
	if (!pv_board_is_target(a->run.target) || a->run.agent)
		return 0;
	int err = note_board(a, e);
	a->board.timeout_scale = a->run.timeout_scale;
	if (!err)
		err = pv_board_set_wishes(&a->board, a->bind, e);
	if (!err)
		err = pv_jobs_find_board(jobs, n, a->run.target, &a->board, e);
	a->run.far = a->board.far;
	a->run.environment = a->board.environment;
	a->line = (struct pv_run_line){.ctx = &a->board, .begin = pv_board_begin, .end = pv_board_end};
	a->run.line = a->board.far ? &a->line : NULL;
	if (a->board.root)
		*a->board.release = 0; /* files below --root may be of any kernel */
	return err;
}

int pv_cli_find_known_of_drawn(struct pv_cli_run *a, const char *const *paths, size_t n, struct pv_error *e)
{
	return strcmp(a->run.driver, "reference") ? find_deviations(a, "fixtures/deviations/explore", paths, n, e) : 0;
}

int pv_cli_find_known(struct pv_cli_run *a, struct pv_job *jobs, size_t n, const char *const *paths, size_t n_paths,
		      struct pv_error *e)
{
	bool reference = !strcmp(a->run.driver, "reference");
	const char *folder = reference ? "fixtures/deviations/reference" : "fixtures/deviations";
	/* Without plans, the earlier run knows the deviations. */
	int err = n_paths ? find_deviations(a, folder, paths, n_paths, e) : 0;

	if (!err)
		err = find_known_failures(a, e);
	if (!err && pv_board_is_target(a->run.target))
		skip_killers(a, jobs, n);
	return err;
}

/* ---- running ---- */

static void open_pool(struct pv_vm_pool *pool)
{
	struct pv_error e = {0};
	const char *agent = pv_agent_own_program(&e);

	if (agent)
		pv_vm_pool_open(pool, agent);
	else
		pv_cli_error("warning: QEMU starts anew for each case: %s", e.text);
}

int pv_cli_run_with_pool(struct pv_run_options *run, struct pv_run_folder *folder, const struct pv_job *jobs, size_t n,
			 struct pv_error *e)
{
	struct pv_vm_pool pool = {0};

	if (run->guest)
		open_pool(&pool);
	run->vm_pool = *pool.name ? pool.name : NULL;
	int err = pv_run(folder, run, jobs, n, e);
	run->vm_pool = NULL;
	pv_vm_pool_close(&pool);
	return err;
}
