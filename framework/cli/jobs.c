/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From plans to the jobs of a run. */
#include "framework/cli/jobs.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pv_job job_of(const struct pv_case *c)
{
	return (struct pv_job){.plan = c->plan_name,
			       .name = c->name,
			       .file = c->file,
			       .line = c->line,
			       .timeout_s = c->timeout_s,
			       .seed = c->seed,
			       .verifies = c->verifies,
			       .skip = c->skip,
			       .source = c};
}

struct pv_job *pv_cli_jobs(const struct pv_plans *plans, const struct pv_cli_selection *s,
			   bool (*wanted)(const struct pv_case *c), size_t *n)
{
	const struct pv_selection selection = pv_cli_selection(s);
	struct pv_job *jobs = calloc(plans->n_cases + 1, sizeof(*jobs));

	*n = 0;
	for (size_t i = 0; jobs && i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], &selection) && (!wanted || wanted(plans->cases[i])))
			jobs[(*n)++] = job_of(plans->cases[i]);
	return jobs;
}

json_object *pv_cli_case_json(const struct pv_job *job)
{
	return json_object_get(pv_case_json(job->source));
}

/* ---- a run that is not run ---- */

static void print_strings(const char *label, const char *const *strings)
{
	if (!strings || !*strings)
		return;
	fputs(label, stdout);
	for (; *strings; strings++)
		printf(" %s", *strings);
	putchar('\n');
}

static size_t print_job(const struct pv_job *job)
{
	printf("%s/%s\t%s:%d\tseed %llu%s%s\n", job->plan, job->name, job->file, job->line,
	       (unsigned long long)job->seed, job->skip ? "\tskip: " : "", job->skip ? job->skip : "");
	return job->skip != NULL;
}

void pv_cli_print_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t n)
{
	size_t skipped = 0;

	printf("# target %s, board %s, driver %s, %u at a time\n", opt->target, opt->board, opt->driver, opt->workers);
	print_strings("# defects:", opt->defects);
	if (opt->shuffle)
		printf("# in another order: --shuffle=%s\n", opt->shuffle);
	for (size_t i = 0; i < n; i++)
		skipped += print_job(&jobs[i]);
	printf("# %zu case%s, %zu to be skipped; nothing was run\n", n, n == 1 ? "" : "s", skipped);
}

unsigned pv_cli_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}
