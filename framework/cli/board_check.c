/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval board check: lists the cases of plans that a real machine can run, and what it lacks for the others. It only
 * runs pcieval-far there, which reads facts about the machine.
 */
#include <stdlib.h>
#include <string.h>

#include "framework/board/lacks.h"
#include "framework/board/place.h"
#include "framework/cli/board.h"
#include "framework/run/jobs.h"
#include "framework/util/cleanup.h"
#include "framework/util/wrap.h"

struct options {
	struct pv_board board;
	const char *description, *bind;
	bool all;
};

static const struct pv_option options[] = {
	{"board", 0, PV_OPTION_TEXT, offsetof(struct options, description), "FILE", "its description"},
	{"root", 0, PV_OPTION_TEXT, offsetof(struct options, board.root), "DIR",
	 "folder that contains /sys and /dev of the machine"},
	{"bind", 0, PV_OPTION_TEXT, offsetof(struct options, bind), "ROLE=BDF,...",
	 "roles of cases that these functions of the machine\nmust play"},
	{"allow-exec", 0, PV_OPTION_FLAG, offsetof(struct options, board.exec), NULL,
	 "as if workload commands may be run"},
	{"all", 'a', PV_OPTION_FLAG, offsetof(struct options, all), NULL,
	 "also list the cases, with the functions of each role"},
	{0},
};

/* A reason, and the number of cases with it. */
struct group {
	const char *reason;
	size_t n;
};

static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->reason, y->reason);
}

static size_t make_groups(const struct pv_job *jobs, size_t n, struct group *g)
{
	size_t groups = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < groups && jobs[i].skip && strcmp(g[k].reason, jobs[i].skip) != 0)
			k++;
		if (!jobs[i].skip)
			continue;
		if (k == groups)
			g[groups++] = (struct group){.reason = jobs[i].skip};
		g[k].n++;
	}
	qsort(g, groups, sizeof(*g), by_size);
	return groups;
}

static void print_roles(const struct pv_job *job)
{
	json_object *roles = job->bound ? json_object_object_get(job->bound, "roles") : NULL;

	printf("%s/%s", job->plan, job->name);
	if (job->skip)
		printf("\tskip: %s", job->skip);
	if (roles) {
		json_object_object_foreach(roles, role, is) printf("\t%s=%s", role, json_object_get_string(is));
	}
	putchar('\n');
}

static int print(const struct options *o, const struct pv_job *jobs, size_t n)
{
	_autofree_ struct group *g = calloc(n + 1, sizeof(*g));
	size_t groups = g ? make_groups(jobs, n, g) : 0, skipped = 0;

	if (!g)
		return pv_cli_error("board check: no memory");
	for (size_t i = 0; i < n; i++) {
		skipped += jobs[i].skip != NULL;
		if (o->all)
			print_roles(&jobs[i]);
	}
	printf("%zu of %zu case%s would run; %zu lack%s something%s\n", n - skipped, n, n == 1 ? "" : "s", skipped,
	       skipped == 1 ? "s" : "", skipped ? ":" : "");
	for (size_t i = 0; i < groups; i++) {
		char head[24];

		snprintf(head, sizeof(head), "%6zu ", g[i].n);
		pv_put_wrapped(stdout, head, g[i].reason, 8);
	}
	return n > skipped ? PV_EXIT_PASSED : PV_EXIT_SKIPPED;
}

/* Skips jobs with a step for which the machine lacks something. */
static void find_lacks(struct pv_board *b, struct pv_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!jobs[i].skip)
			jobs[i].skip = pv_board_lacks(b, jobs[i].bound ? jobs[i].bound : pv_case_json(jobs[i].source));
}

static int check(struct options *o, const char *target, const char *const *files, size_t n_files)
{
	struct pv_error e = {0};
	struct pv_plans *plans = pv_cli_load(files, n_files, NULL);
	const struct pv_selection selection = {.target = target};
	size_t n = 0, left;
	_autofree_ struct pv_job *jobs = plans ? pv_jobs_of_cases(plans, &selection, NULL, &n) : NULL;
	int err = jobs && o->description ? pv_board_read(o->description, &o->board.description, &e) : 0;
	int status = PV_EXIT_USAGE;

	if (!err)
		err = pv_board_set_wishes(&o->board, o->bind, &e);
	if (!err && jobs)
		err = pv_jobs_place(&jobs, &n, target, &o->board, &left, &e);
	if (err)
		status = pv_cli_error("board check: %s", e.text);
	else if (jobs) {
		find_lacks(&o->board, jobs, n);
		status = print(o, jobs, n);
	}
	pv_plans_free(plans);
	return status;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (argc - first < 2)
		status = pv_cli_error("board check: expected local or ssh:HOST, then plans");
	else if (!pv_board_is_target(argv[first]))
		status = pv_cli_error("board check: expected local or ssh:HOST, got '%s'", argv[first]);
	else
		status = check(&o, argv[first], (const char *const *)argv + first + 1, (size_t)(argc - first - 1));
	pv_board_close(&o.board);
	return status;
}

const struct pv_command pv_board_check_command = {
	.name = "board check",
	.args = "TARGET FILE...",
	.help = "which cases a machine can run, and what the others lack",
	.text = "Reads the machine, and runs no case. Prints how many cases would run, then for\n"
		"each reason how many cases lack that. A step may still find out more when it\n"
		"runs. Exit status: 0 a case would run, 4 none would, 2 usage or plan error, or\n"
		"no connection.",
	.options = options,
	.run = run,
};
