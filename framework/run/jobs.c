/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a run: makes them from the cases of plans, orders them, and finds those that a board can run. */
#include "framework/run/jobs.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "framework/board/place.h"
#include "framework/qemu/guest.h"
#include "framework/target/needs.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/json.h"
#include "reports/renamed.h"

enum { ROUNDS_MAX = 1000, JOBS_MAX = 10000, REPEATED_MAX = 1000000 };

/* ---- cases ---- */

static struct pv_job job_of(const struct pv_case *c)
{
	return (struct pv_job){.plan = c->plan_name,
			       .name = c->name,
			       .formerly = c->formerly,
			       .file = c->file,
			       .line = c->line,
			       .timeout_s = c->timeout_s,
			       .seed = c->seed,
			       .verifies = c->verifies,
			       .skip = c->skip,
			       .source = c};
}

struct pv_job *pv_jobs_of_cases(const struct pv_plans *plans, const struct pv_selection *s,
				bool (*wanted)(const struct pv_case *c), size_t *n)
{
	struct pv_job *jobs = calloc(plans->n_cases + 1, sizeof(*jobs));

	*n = 0;
	for (size_t i = 0; jobs && i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], s) && (!wanted || wanted(plans->cases[i])))
			jobs[(*n)++] = job_of(plans->cases[i]);
	return jobs;
}

int pv_jobs_rename(struct pv_run_result *r, const struct pv_job *jobs, size_t n, struct pv_error *e)
{
	_autofree_ struct pv_case_names *now = calloc(n + 1, sizeof(*now));

	for (size_t i = 0; now && i < n; i++)
		now[i] = (struct pv_case_names){jobs[i].plan, jobs[i].name, jobs[i].formerly};
	return now && pv_run_rename(r, now, n) >= 0 ? 0 : pv_error(e, -ENOMEM, "no memory");
}

/*
 * Keeps the text of an object that many cases have: most of a case is its topology, which goes into its digest and its
 * message. It has no slash that could be escaped.
 */
static void keep_text(json_object *o)
{
	const char *text = o && !json_object_get_userdata(o) ? pv_json_line(o) : NULL;
	char *copy = text ? strdup(text) : NULL;

	if (copy)
		json_object_set_serializer(o, json_object_userdata_to_json_string, copy, json_object_free_userdata);
}

json_object *pv_job_case_json(const struct pv_job *job)
{
	json_object *o = pv_case_json(job->source);

	keep_text(json_object_object_get(o, "topology"));
	return json_object_get(o);
}

bool pv_jobs_run_perf(const struct pv_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pv_case_runs_perf(pv_case_json(jobs[i].source)))
			return true;
	return false;
}

bool pv_jobs_need_module(const struct pv_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pv_guest_needs_module(pv_case_json(jobs[i].source), pv_case_topology(jobs[i].source)))
			return true;
	return false;
}

unsigned pv_run_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* ---- a board ---- */

/* Reads the function that a job's name ends in. Returns false if there is none. */
static bool read_subject(struct pv_board *b, const struct pv_job *job, struct pv_bind_wish *on)
{
	const char *at = job->name + pv_case_base_length(job->name), *is = strchr(at, '=');

	if (!*at || !is || pv_bdf_parse(is + 1, &on->is))
		return false;
	on->role = pv_arena_printf(&b->reasons, "%.*s", (int)(is - at - 1), at + 1);
	return on->role;
}

static int place_job(struct pv_board *b, struct pv_job *job, struct pv_error *e)
{
	json_object *message = pv_case_json(job->source);
	const struct pv_topology *plan = pv_case_topology(job->source);
	struct pv_bind_wish on;
	int err;

	if (!message)
		err = pv_error(e, -ENOMEM, "no memory");
	else if (read_subject(b, job, &on))
		err = pv_board_place_on(b, &on, plan, message, &job->bound, &job->skip, e);
	else
		err = pv_board_place(b, plan, message, &job->bound, &job->skip, e);
	if (!err && job->skip)
		job->skip_type = "target";
	return err;
}

struct job_list {
	struct pv_job *jobs;
	size_t n, size;
};

static int add_job(struct job_list *l, const struct pv_job *job, struct pv_error *e)
{
	if (l->n == l->size) {
		size_t size = l->size ? 2 * l->size : 256;
		struct pv_job *more = reallocarray(l->jobs, size, sizeof(*more));

		if (!more)
			return pv_error(e, -ENOMEM, "no memory");
		l->jobs = more;
		l->size = size;
	}
	l->jobs[l->n++] = *job;
	return 0;
}

/* Adds the job of a case, or one for each function that the case can be about. */
static int add_jobs(struct job_list *l, struct pv_board *b, const struct pv_job *job, struct pv_error *e)
{
	bool expands = !job->skip && !job->name[pv_case_base_length(job->name)];
	json_object *message = pv_case_json(job->source);
	_autofree_ pv_bdf *is = NULL;
	const char *role = NULL;
	size_t n = 0;
	int err = message ? 0 : pv_error(e, -ENOMEM, "no memory");

	if (!err && expands)
		err = pv_board_subjects(b, pv_case_topology(job->source), message, &role, &is, &n, e);
	if (!err && !n)
		return add_job(l, job, e);
	for (size_t i = 0; !err && i < n; i++) {
		struct pv_job one = *job;

		one.name = pv_arena_printf(&b->reasons, "%s@%s=%s", job->name, role, pv_bdf_name(is[i]).s);
		err = one.name ? add_job(l, &one, e) : pv_error(e, -ENOMEM, "no memory");
	}
	return err;
}

/* Replaces the list by one with a job for each match. */
static int expand(struct pv_job **jobs, size_t *n, struct pv_board *b, struct pv_error *e)
{
	struct job_list l = {0};
	int err = 0;

	for (size_t i = 0; !err && i < *n; i++)
		err = add_jobs(&l, b, &(*jobs)[i], e);
	if (err) {
		free(l.jobs);
		return err;
	}
	free(*jobs);
	*jobs = l.jobs;
	*n = l.n;
	return 0;
}

int pv_jobs_place(struct pv_job **jobs, size_t *n, const char *target, struct pv_board *b, size_t *left,
		  struct pv_error *e)
{
	int err = pv_board_connect(b, target, e);

	*left = 0;
	if (!err && b->every)
		err = expand(jobs, n, b, e);
	for (size_t i = 0; !err && i < *n; i++) {
		struct pv_job *job = &(*jobs)[i];

		if (job->skip || job->before)
			continue;
		err = place_job(b, job, e);
		*left += !job->skip;
	}
	return err;
}

int pv_jobs_find_board(struct pv_job **jobs, size_t *n, const char *target, struct pv_board *b, struct pv_error *e)
{
	size_t left;

	b->runs = true;
	int err = pv_jobs_place(jobs, n, target, b, &left, e);

	return !err && left ? pv_board_start(b, e) : err;
}

/* ---- a new order ---- */

/* splitmix64: the same on every machine. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Fisher and Yates. */
static void shuffle(struct pv_job *jobs, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = draw(state) % i;
		struct pv_job job = jobs[i - 1];

		jobs[i - 1] = jobs[k];
		jobs[k] = job;
	}
}

/* ---- repetition ---- */

/* --until-failure is bounded even without --repeat: the list of cases is written before the first case. */
static size_t rounds(const struct pv_run_options *opt, size_t n)
{
	size_t most = n ? JOBS_MAX / n : 1;

	if (opt->repeat)
		return opt->repeat;
	if (!opt->until_failure)
		return 1;
	return most > ROUNDS_MAX ? ROUNDS_MAX : most > 2 ? most : 2;
}

struct pv_job *pv_jobs_order(const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n)
{
	size_t once = *n, times = rounds(opt, once);
	struct pv_job *out = calloc(once * times + 1, sizeof(*out));
	uint64_t state = opt->shuffle ? strtoull(opt->shuffle, NULL, 10) : 0;

	for (size_t r = 0; out && r < times; r++) {
		struct pv_job *round = &out[r * once];

		memcpy(round, jobs, once * sizeof(*jobs));
		for (size_t i = 0; i < once; i++)
			round[i].round = times > 1 ? (unsigned)r + 1 : 0;
		if (opt->shuffle)
			shuffle(round, once, &state);
	}
	*n = once * times;
	return out;
}

/* ---- its options ---- */

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Short enough to type. */
static const char *new_seed(char text[PV_SEED_TEXT])
{
	uint32_t seed = 1;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint32_t)getpid();
	snprintf(text, PV_SEED_TEXT, "%" PRIu32, seed);
	return text;
}

int pv_order_check(struct pv_run_options *opt, char text[PV_SEED_TEXT], struct pv_error *e)
{
	if (opt->shuffle && !*opt->shuffle)
		opt->shuffle = new_seed(text);
	if (opt->shuffle && !is_number(opt->shuffle))
		return pv_error(e, -EINVAL, "--shuffle: expected a number as seed, got '%s'", PV_SHOW(opt->shuffle));
	return 0;
}

int pv_order_fits(const struct pv_run_options *opt, size_t n, struct pv_error *e)
{
	if (!n || opt->repeat <= REPEATED_MAX / n)
		return 0;
	return pv_error(e, -EINVAL, "--repeat: expected at most %zu with %zu cases, got %u", REPEATED_MAX / n, n,
			opt->repeat);
}
