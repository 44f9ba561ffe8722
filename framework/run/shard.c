/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Divides jobs among shards by their durations (longest processing time first). */
#include "framework/run/shard.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/hash.h"
#include "framework/util/hint.h"

/* Reads digits up to `end`, a number of at most PV_SHARDS_MAX. Returns what follows `end`; NULL: something else. */
static const char *read_number(const char *text, char end, unsigned *out)
{
	size_t n = strspn(text, "0123456789");

	if (!n || n > 5 || text[n] != end)
		return NULL;
	*out = (unsigned)strtoul(text, NULL, 10);
	return *out && *out <= PV_SHARDS_MAX ? text + n + 1 : NULL;
}

int pv_shard_parse(const char *text, struct pv_shard *s, struct pv_error *e)
{
	const char *second = read_number(text, '/', &s->index);

	if (second && read_number(second, '\0', &s->count) && s->index <= s->count)
		return 0;
	return pv_error(e, -EINVAL, "--shard: expected I/N, from 1/N to N/N with N up to %d, got '%s'", PV_SHARDS_MAX,
			PV_SHOW(text));
}

/* ---- what all shards have in common ---- */

void pv_shard_digests_add(struct pv_shard_digests *d, const char *plan, const char *name, unsigned round,
			  const char *case_digest)
{
	char text[16];

	snprintf(text, sizeof(text), " %u\n", round);
	d->selection = pv_hash_more(d->selection, plan, strlen(plan));
	d->selection = pv_hash_more(d->selection, "/", 1);
	d->selection = pv_hash_more(d->selection, name, strlen(name));
	d->selection = pv_hash_more(d->selection, text, strlen(text));
	d->plans = pv_hash_more(d->plans, case_digest, strlen(case_digest));
}

void pv_shard_digest_text(uint64_t digest, char out[PV_DIGEST_TEXT])
{
	snprintf(out, PV_DIGEST_TEXT, "%016" PRIx64, digest);
}

static void fill_digests(struct pv_shard *s, const struct pv_run_options *opt, const struct pv_job *jobs)
{
	struct pv_shard_digests d = PV_SHARD_DIGESTS_BEGIN;

	for (size_t i = 0; i < s->n_whole; i++) {
		char digest[PV_DIGEST_TEXT];

		pv_shard_digests_add(&d, jobs[i].plan, jobs[i].name, jobs[i].round,
				     pv_case_digest(opt, &jobs[i], digest));
	}
	pv_shard_digest_text(d.selection, s->selection);
	pv_shard_digest_text(d.plans, s->plans);
}

/* ---- durations ---- */

struct weighed {
	uint64_t ms;
	size_t position;
};

/* By name; of a case that ran several times the longest run first. */
static int by_name(const void *a, const void *b)
{
	const struct pv_case_result *x = *(const struct pv_case_result *const *)a;
	const struct pv_case_result *y = *(const struct pv_case_result *const *)b;
	int order = strcmp(x->plan, y->plan);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static int compare_job(const struct pv_job *job, const struct pv_case_result *c)
{
	int order = strcmp(job->plan, c->plan);

	return order ? order : strcmp(job->name, c->name);
}

/* Returns the first of `sorted` that is the case of a job; NULL: none. */
static const struct pv_case_result *find(const struct pv_case_result *const *sorted, size_t n, const struct pv_job *job)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_job(job, sorted[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && !compare_job(job, sorted[low]) ? sorted[low] : NULL;
}

/* Nothing lasts less than 1 ms: starting a case takes time, too. */
static uint64_t duration_ms(const struct pv_case_result *c)
{
	return c->seconds > 0.001 && c->seconds < 1e9 ? (uint64_t)llround(c->seconds * 1000) : 1;
}

/* Sets the durations that are not known to the mean of those that are. */
static void fill_unknown(struct weighed *w, size_t n)
{
	uint64_t sum = 0, known = 0;

	for (size_t i = 0; i < n; i++) {
		sum += w[i].ms;
		known += w[i].ms > 0;
	}
	for (size_t i = 0; i < n; i++)
		if (!w[i].ms)
			w[i].ms = known ? (sum + known / 2) / known : 1;
}

static struct weighed *weigh(const struct pv_job *jobs, size_t n, const struct pv_run_result *earlier)
{
	size_t n_earlier = earlier ? earlier->n_cases : 0;
	_autofree_ const struct pv_case_result **sorted = calloc(n_earlier + 1, sizeof(*sorted));
	struct weighed *w = sorted ? calloc(n + 1, sizeof(*w)) : NULL;

	for (size_t i = 0; w && i < n_earlier; i++)
		sorted[i] = &earlier->cases[i];
	if (w && n_earlier)
		qsort(sorted, n_earlier, sizeof(*sorted), by_name);
	for (size_t i = 0; w && i < n; i++) {
		const struct pv_case_result *c = find(sorted, n_earlier, &jobs[i]);

		w[i] = (struct weighed){c ? duration_ms(c) : 0, i};
	}
	if (w)
		fill_unknown(w, n);
	return w;
}

/* ---- division ---- */

static int longest_first(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->ms != y->ms)
		return x->ms < y->ms ? 1 : -1;
	return x->position < y->position ? -1 : 1;
}

/* Sets owner[position] of each job to its shard, from 0. */
static void divide(const struct weighed *w, size_t n, uint64_t *load, unsigned count, unsigned *owner)
{
	for (size_t i = 0; i < n; i++) {
		unsigned least = 0;

		for (unsigned s = 1; s < count; s++)
			if (load[s] < load[least])
				least = s;
		load[least] += w[i].ms;
		owner[w[i].position] = least;
	}
}

static struct pv_job *take(const struct pv_shard *s, const struct pv_job *jobs, const unsigned *owner, size_t *n)
{
	struct pv_job *mine = calloc(s->n_whole + 1, sizeof(*mine));

	*n = 0;
	for (size_t i = 0; mine && i < s->n_whole; i++) {
		if (owner[i] != s->index - 1)
			continue;
		mine[*n] = jobs[i];
		mine[(*n)++].position = i;
	}
	return mine;
}

struct pv_job *pv_shard_jobs(struct pv_shard *s, const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n,
			     const struct pv_run_result *earlier, struct pv_error *e)
{
	s->n_whole = *n;
	if (s->count > s->n_whole) {
		pv_error(e, -EINVAL, "--shard: expected at most as many shards as cases, %zu, got %u", s->n_whole,
			 s->count);
		return NULL;
	}
	fill_digests(s, opt, jobs);
	_autofree_ struct weighed *w = weigh(jobs, s->n_whole, earlier);
	_autofree_ uint64_t *load = calloc(s->count, sizeof(*load));
	_autofree_ unsigned *owner = calloc(s->n_whole, sizeof(*owner));
	struct pv_job *mine = NULL;
	if (w && load && owner) {
		qsort(w, s->n_whole, sizeof(*w), longest_first);
		divide(w, s->n_whole, load, s->count, owner);
		mine = take(s, jobs, owner, n);
	}
	if (!mine)
		pv_error(e, -ENOMEM, "--shard: no memory");
	return mine;
}
