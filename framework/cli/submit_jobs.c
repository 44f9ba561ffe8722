/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the scripts of a submission to sbatch: an array job of the shards, a job that merges them, one for the table.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "framework/cli/commands.h"
#include "framework/cli/submit.h"
#include "framework/run/matrix.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/spawn.h"

enum { JOBS_TEXT = PV_MATRIX_RUNS * PV_JOB_TEXT };

/* ---- words of a command ---- */

enum { WORDS_MAX = 128 };

struct words {
	const char *list[WORDS_MAX + 1];
	size_t n;
	char *made[16]; /* words to free */
	size_t n_made;
	bool failed;
};

static void words_free(struct words *w)
{
	for (size_t i = 0; i < w->n_made; i++)
		free(w->made[i]);
}

static void add(struct words *w, const char *word)
{
	if (w->n < WORDS_MAX)
		w->list[w->n++] = word;
	else
		w->failed = true;
}

/* Adds "--name=value" unless the value is NULL. */
static void add_option(struct words *w, const char *name, const char *value)
{
	char *text;

	if (!value)
		return;
	if (w->n_made == sizeof(w->made) / sizeof(*w->made) || asprintf(&text, "--%s=%s", name, value) < 0) {
		w->failed = true;
		return;
	}
	w->made[w->n_made++] = text;
	add(w, text);
}

/* ---- running a command ---- */

/*
 * Runs a command. Its standard output goes to `out` of `size` bytes, or is discarded (NULL). Returns its wait status;
 * -errno.
 */
static int run_command(const struct words *w, char *out, size_t size)
{
	const struct pv_spawn s = {.argv = w->list, .streams = {-1, -1, -1}};
	int status;
	_autofree_ char *said = pv_spawn_output(&s, size ? size - 1 : 0, &status);

	if (out)
		snprintf(out, size, "%s", said ? said : "");
	return status;
}

/* ---- the jobs ---- */

static void add_common(struct words *w, const struct pv_submission *s)
{
	add(w, "sbatch");
	add(w, "--parsable");
	add(w, "--requeue");
	add(w, "--open-mode=append");
	add_option(w, "chdir", s->directory);
	for (const char **x = s->sbatch; x && *x; x++)
		add(w, *x);
}

static void add_script(struct words *w, const struct pv_submission *s, const char *log, const char *script)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/log/%s", s->folder, log);
	add_option(w, "output", path);
	snprintf(path, sizeof(path), "%s/%s", s->folder, script);
	char *copy = strdup(path);
	if (!copy || w->n_made == sizeof(w->made) / sizeof(*w->made))
		w->failed = true;
	else
		w->made[w->n_made++] = copy;
	add(w, copy);
	w->list[w->n] = NULL;
}

static void shard_command(struct words *w, const struct pv_submission *s)
{
	char range[32];

	add_common(w, s);
	snprintf(range, sizeof(range), "1-%u", s->shards);
	add_option(w, "array", range);
	add_option(w, "job-name", "pcieval");
	add_option(w, "gres", s->gres);
	add_option(w, "licenses", s->licences);
	add_script(w, s, "%a.txt", "shard.sh");
}

/* Begins when all of `jobs`, "7" or "7:9", have ended. */
static void later_command(struct words *w, const struct pv_submission *s, const char *jobs, const char *name,
			  const char *log, const char *script)
{
	char after[JOBS_TEXT];

	add_common(w, s);
	snprintf(after, sizeof(after), "afterany:%s", jobs);
	add_option(w, "dependency", after);
	add_option(w, "job-name", name);
	add_script(w, s, log, script);
}

static void merge_command(struct words *w, const struct pv_submission *s, const char *job)
{
	later_command(w, s, job, "pcieval-merge", "merge.txt", "merge.sh");
}

static void table_command(struct words *w, const struct pv_submission *s, const char *jobs)
{
	later_command(w, s, jobs, "pcieval-table", "table.txt", "table.sh");
}

static void print_command(const struct words *w)
{
	for (size_t i = 0; i < w->n; i++) {
		fputs(i ? " " : "", stdout);
		pv_shell_word(stdout, w->list[i]);
	}
	putchar('\n');
}

/* Runs sbatch, which prints "JOB" or "JOB;CLUSTER". 0 or *e. */
static int sbatch(const struct words *w, char job[PV_JOB_TEXT], struct pv_error *e)
{
	char out[256], status[64];
	int got = w->failed ? -E2BIG : run_command(w, out, sizeof(out));
	size_t n = got ? 0 : strspn(out, "0123456789");

	if (got < 0)
		return pv_error(e, got, "sbatch cannot be started: %s", strerror(-got));
	if (got)
		return pv_error(e, -EIO, "sbatch has failed: %s%s", pv_spawn_status(got, status, sizeof(status)),
				WEXITSTATUS(got) == PV_SPAWN_FAILED ? "; is Slurm installed here?" : "");
	if (!n || n > 20 || (out[n] != '\n' && out[n] != ';'))
		return pv_error(e, -EPROTO, "sbatch: expected the number of a job, got '%s'", PV_SHOW(out));
	snprintf(job, PV_JOB_TEXT, "%.*s", (int)n, out);
	return 0;
}

/* ---- submitting ---- */

int pv_submission_submit(const struct pv_submission *s, char merge_job[PV_JOB_TEXT], struct pv_error *e)
{
	_cleanup_(words_free) struct words shards = {0}, merge = {0};
	char job[PV_JOB_TEXT];

	shard_command(&shards, s);
	int err = sbatch(&shards, job, e);
	if (err)
		return err;
	printf("job %s: %u shards of %s\n", job, s->shards, s->folder);
	merge_command(&merge, s, job);
	err = sbatch(&merge, merge_job, e);
	if (err)
		return pv_error_context(e, "job %s will not be merged (sh %s/merge.sh does it): ", job, s->folder);
	printf("job %s: merges them into %s/all\n", merge_job, s->folder);
	return 0;
}

int pv_submission_submit_table(const struct pv_submission *s, const char *const *merge_jobs, size_t n,
			       struct pv_error *e)
{
	_cleanup_(words_free) struct words table = {0};
	char jobs[JOBS_TEXT] = "", job[PV_JOB_TEXT];
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		length += (size_t)snprintf(jobs + length, sizeof(jobs) - length, "%s%s", i ? ":" : "", merge_jobs[i]);
	table_command(&table, s, jobs);
	int err = sbatch(&table, job, e);
	if (err)
		return pv_error_context(e, "there will be no table (sh %s/table.sh makes it): ", s->folder);
	printf("job %s: compares them in %s/report.html\n", job, s->folder);
	return 0;
}

/* ---- without Slurm ---- */

void pv_submission_print(const struct pv_submission *s)
{
	_cleanup_(words_free) struct words shards = {0}, merge = {0};

	printf("# %s/shard.sh\n", s->folder);
	pv_submission_put_shard(s, stdout);
	printf("# %s/merge.sh\n", s->folder);
	pv_submission_put_merge(s, stdout);
	shard_command(&shards, s);
	merge_command(&merge, s, "JOB");
	print_command(&shards);
	print_command(&merge);
}

void pv_submission_print_table(const struct pv_submission *s)
{
	_cleanup_(words_free) struct words table = {0};

	printf("# %s/table.sh\n", s->folder);
	pv_submission_put_table(s, stdout);
	table_command(&table, s, "JOBS");
	print_command(&table);
}

int pv_submission_check(const struct pv_submission *s)
{
	struct words w = {0};
	char shard[32];

	snprintf(shard, sizeof(shard), "1/%u", s->shards);
	add(&w, s->program);
	add(&w, "run");
	add(&w, "--dry-run");
	add(&w, "--shard");
	add(&w, shard);
	const char *const given[] = {"--target", s->target, "--kernel", s->kernel, "--driver", s->driver};
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i += 2)
		if (given[i + 1]) {
			add(&w, given[i]);
			add(&w, given[i + 1]);
		}
	for (int i = 0; i < s->n_arguments; i++)
		add(&w, s->arguments[i]);
	w.list[w.n] = NULL;
	if (w.failed)
		return pv_cli_error("submit: too many arguments");
	int got = run_command(&w, NULL, 0);
	if (got < 0)
		return pv_cli_error("submit: %s cannot be started: %s", s->program, strerror(-got));
	return got ? PV_EXIT_USAGE : PV_EXIT_PASSED;
}
