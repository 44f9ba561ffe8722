/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval submit: runs shards as jobs of Slurm, which provides queue, priorities, draining of nodes and accounting. An
 * array job runs the shards, and a second job merges them when all have ended. Both are scripts on disk.
 */
#include "framework/cli/submit.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/run/shard.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "framework/util/spawn.h"

struct options {
	unsigned nodes;
	const char *output, *target, *kernel, *driver, *gres, *licences;
	const char **sbatch;
	bool dry_run;
};

#define AT(member) offsetof(struct options, member)

static const struct pv_option options[] = {
	{"nodes", 'N', PV_OPTION_NUMBER, AT(nodes), "N", "number of shards, each a job on one node"},
	{"output", 'o', PV_OPTION_TEXT, AT(output), "DIR",
	 "new or empty folder on storage that all nodes share:\nshards, logs, scripts, and the merged run in DIR/all"},
	{"target", 't', PV_OPTION_TEXT, AT(target), "TARGET",
	 "as of run; {node} in it is the name of the node:\nssh:{node}, where each board is a node of Slurm"},
	{"kernel", 0, PV_OPTION_TEXT, AT(kernel), "KERNEL", "as of run"},
	{"driver", 0, PV_OPTION_TEXT, AT(driver), "DRIVER", "as of run"},
	{"gres", 0, PV_OPTION_TEXT, AT(gres), "LIST", "generic resources of each shard, such as board:1"},
	{"licenses", 0, PV_OPTION_TEXT, AT(licences), "LIST", "licences of each shard"},
	{"sbatch", 0, PV_OPTION_LIST, AT(sbatch), "OPTION",
	 "option of sbatch for all jobs: --partition=lab,\n--account=pcie, --time=8:00:00"},
	{"dry-run", 0, PV_OPTION_FLAG, AT(dry_run), NULL, "print the scripts and commands; submit nothing"},
	{0},
};

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

static void add_common(struct words *w, const struct options *o, const struct pv_submission *s)
{
	add(w, "sbatch");
	add(w, "--parsable");
	add(w, "--requeue");
	add(w, "--open-mode=append");
	add_option(w, "chdir", s->directory);
	for (const char **x = o->sbatch; x && *x; x++)
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

static void shard_command(struct words *w, const struct options *o, const struct pv_submission *s)
{
	char range[32];

	add_common(w, o, s);
	snprintf(range, sizeof(range), "1-%u", s->shards);
	add_option(w, "array", range);
	add_option(w, "job-name", "pcieval");
	add_option(w, "gres", o->gres);
	add_option(w, "licenses", o->licences);
	add_script(w, s, "%a.txt", "shard.sh");
}

static void merge_command(struct words *w, const struct options *o, const struct pv_submission *s, const char *job)
{
	char after[64];

	add_common(w, o, s);
	snprintf(after, sizeof(after), "afterany:%s", job);
	add_option(w, "dependency", after);
	add_option(w, "job-name", "pcieval-merge");
	add_script(w, s, "merge.txt", "merge.sh");
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
static int sbatch(const struct words *w, char job[32], struct pv_error *e)
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
	snprintf(job, 32, "%.*s", (int)n, out);
	return 0;
}

static int submit_jobs(const struct options *o, const struct pv_submission *s, struct pv_error *e)
{
	_cleanup_(words_free) struct words shards = {0}, merge = {0};
	char job[32], last[32];

	shard_command(&shards, o, s);
	int err = sbatch(&shards, job, e);
	if (err)
		return err;
	printf("job %s: %u shards of %s\n", job, s->shards, s->folder);
	merge_command(&merge, o, s, job);
	err = sbatch(&merge, last, e);
	if (err)
		return pv_error_context(e, "job %s will not be merged (sh %s/merge.sh does it): ", job, s->folder);
	printf("job %s: merges them into %s/all\n", last, s->folder);
	return 0;
}

/* ---- files ---- */

static int write_script(const struct pv_submission *s, const char *name,
			void (*put)(const struct pv_submission *s, FILE *f), struct pv_error *e)
{
	char path[PATH_MAX];
	_autofree_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return pv_error(e, -ENOMEM, "no memory");
	put(s, f);
	if (fclose(f) || snprintf(path, sizeof(path), "%s/%s", s->folder, name) >= (int)sizeof(path))
		return pv_error(e, -ENAMETOOLONG, "%s: cannot be written", name);
	return pv_file_write(path, text, n, e);
}

/* Creates the folder and its subfolders. Only one of two submissions into the same folder can succeed. */
static int make_folder(const char *folder, struct pv_error *e)
{
	static const char *const parts[] = {"shards", "log"};
	int err = pv_mkdir_all(folder, 0777);

	if (err)
		return pv_error(e, err, "%s: cannot be made: %s", folder, strerror(-err));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", folder, parts[i]) >= (int)sizeof(path))
			return pv_error(e, -ENAMETOOLONG, "%s: the path is too long", folder);
		if (mkdir(path, 0777))
			return pv_error(e, -errno, "%s: %s: expected a new or empty folder", path, strerror(errno));
	}
	return 0;
}

/* ---- the command ---- */

/* Checks the arguments of run now, before each shard fails on its node. */
static int check_run(const struct pv_submission *s)
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

static int print_all(const struct options *o, const struct pv_submission *s)
{
	_cleanup_(words_free) struct words shards = {0}, merge = {0};

	printf("# %s/shard.sh\n", s->folder);
	pv_submission_put_shard(s, stdout);
	printf("# %s/merge.sh\n", s->folder);
	pv_submission_put_merge(s, stdout);
	shard_command(&shards, o, s);
	merge_command(&merge, o, s, "JOB");
	print_command(&shards);
	print_command(&merge);
	return PV_EXIT_PASSED;
}

static int submit(const struct options *o, const struct pv_submission *s)
{
	struct pv_error e = {0};

	if (check_run(s))
		return PV_EXIT_USAGE;
	if (o->dry_run)
		return print_all(o, s);
	int err = make_folder(s->folder, &e);
	if (err)
		return pv_cli_error("submit: %s", e.text);
	err = write_script(s, "shard.sh", pv_submission_put_shard, &e);
	if (!err)
		err = write_script(s, "merge.sh", pv_submission_put_merge, &e);
	if (!err)
		err = submit_jobs(o, s, &e);
	if (!err)
		return PV_EXIT_PASSED;
	pv_cli_error("submit: %s", e.text);
	return PV_EXIT_UNJUDGED;
}

/* Returns an absolute path, which need not exist. NULL: no memory. */
static char *absolute(const char *here, const char *path)
{
	char *text;

	if (*path == '/')
		return strdup(path);
	return asprintf(&text, "%s/%s", here, path) < 0 ? NULL : text;
}

static int run_checked(const struct options *o, char *const *arguments, int n)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	_autofree_ char *here = getcwd(NULL, 0), *folder = here && o->output ? absolute(here, o->output) : NULL;

	if (!o->nodes || o->nodes > PV_SHARDS_MAX)
		return pv_cli_error("submit: expected --nodes from 1 to %d, got %u", PV_SHARDS_MAX, o->nodes);
	if (!o->output)
		return pv_cli_error("submit: expected --output DIR, on storage that all nodes share");
	if (!n)
		return pv_cli_error(
			"submit: expected plans, and options of run after --: submit ... -- --tag smoke FILE");
	if (length < 0 || !folder)
		return pv_cli_error("submit: no memory");
	program[length] = '\0';
	const struct pv_submission s = {.program = program,
					.directory = here,
					.folder = folder,
					.shards = o->nodes,
					.target = o->target,
					.kernel = o->kernel,
					.driver = o->driver,
					.arguments = arguments,
					.n_arguments = n};
	return submit(o, &s);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (pv_cli_parse(self, argc, argv, &o, &first, &status))
		status = run_checked(&o, argv + first, argc - first);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_submit = {
	.name = "submit",
	.args = "-N N -o DIR [--] [RUN-OPTION]... FILE...",
	.help = "run shards as jobs of Slurm, and merge them",
	.text = "An array job runs the shards, a second job merges them when all have ended. A\n"
		"shard whose node dies is requeued, and resumes. Options of `pcieval run` follow\n"
		"after --. DIR then has all (the merged run), report.html, junit.xml and\n"
		"report.json, log, and the scripts.",
	.options = options,
	.run = run,
};
