/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval submit: runs shards as jobs of Slurm, which provides queue, priorities, draining of nodes and accounting. An
 * array job runs the shards, and a second job merges them when all have ended. Several targets, kernels or drivers make
 * such a submission of each combination, in a subfolder, and a job that compares them when all are merged. The jobs are
 * scripts on disk.
 */
#include "framework/cli/submit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/run/matrix.h"
#include "framework/run/shard.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

struct options {
	unsigned nodes;
	const char *output, *gres, *licences;
	const char **targets, **kernels, **drivers, **sbatch;
	bool dry_run;
};

#define AT(member) offsetof(struct options, member)

static const struct pv_option options[] = {
	{"nodes", 'N', PV_OPTION_NUMBER, AT(nodes), "N", "number of shards, each a job on one node"},
	{"output", 'o', PV_OPTION_TEXT, AT(output), "DIR",
	 "new or empty folder on storage that all nodes share:\nshards, logs, scripts, and the merged run in DIR/all"},
	{"target", 't', PV_OPTION_LIST, AT(targets), "TARGET",
	 "as of run; {node} in it is the name of the node:\nssh:{node}, where each board is a node of Slurm",
	 PV_CLI_TARGET_VALUES},
	{"kernel", 0, PV_OPTION_LIST, AT(kernels), "KERNEL",
	 "as of run; several targets, kernels or drivers:\neach combination runs in shards of its own",
	 PV_CLI_KERNEL_VALUES},
	{"driver", 0, PV_OPTION_LIST, AT(drivers), "DRIVER", "as of run", PV_CLI_DRIVER_VALUES},
	{"gres", 0, PV_OPTION_TEXT, AT(gres), "LIST", "generic resources of each shard, such as board:1"},
	{"licenses", 0, PV_OPTION_TEXT, AT(licences), "LIST", "licences of each shard"},
	{"sbatch", 0, PV_OPTION_LIST, AT(sbatch), "OPTION",
	 "option of sbatch for all jobs: --partition=lab,\n--account=pcie, --time=8:00:00"},
	{"dry-run", 0, PV_OPTION_FLAG, AT(dry_run), NULL, "print the scripts and commands; submit nothing"},
	{0},
};

/* Everything that is submitted: one submission, or one of each combination. */
struct plan {
	struct pv_submission whole; /* its folder is that of --output */
	struct pv_matrix_run runs[PV_MATRIX_RUNS];
	struct pv_submission parts[PV_MATRIX_RUNS];
	char *folders[PV_MATRIX_RUNS]; /* of the parts of a matrix */
	size_t n;
	bool matrix;
};

static void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->folders[i]);
}

/* ---- combinations ---- */

static int make_part(struct plan *p, size_t i, struct pv_error *e)
{
	struct pv_matrix_run *run = &p->runs[i];

	run->shards = p->whole.shards;
	p->parts[i] = p->whole;
	p->parts[i].target = run->target;
	p->parts[i].kernel = run->kernel;
	p->parts[i].driver = run->driver;
	if (!p->matrix)
		return 0;
	if (asprintf(&p->folders[i], "%s/%s", p->whole.folder, run->name) < 0) {
		p->folders[i] = NULL;
		return pv_error(e, -ENOMEM, "no memory");
	}
	p->parts[i].folder = p->folders[i];
	return 0;
}

static int make_parts(struct plan *p, const struct options *o, struct pv_error *e)
{
	const struct pv_matrix_values values = {o->targets, o->kernels, o->drivers};
	const char *option, *twice = pv_matrix_repeated(&values, &option);

	if (twice)
		return pv_error(e, -EINVAL, "--%s: expected each value once, got '%s' again", option, PV_SHOW(twice));
	p->matrix = pv_matrix_is_several(&values);
	int err = pv_matrix_combine(&values, p->runs, &p->n, e);
	for (size_t i = 0; !err && i < p->n; i++)
		err = make_part(p, i, e);
	return err;
}

/* Checks the arguments of run now, before each shard fails on its node. The check reports mistakes itself. */
static bool check_parts(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (pv_submission_check(&p->parts[i])) {
			if (p->matrix)
				pv_cli_error("submit: %s cannot be run; nothing was submitted", p->runs[i].name);
			return false;
		}
	return true;
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
static int make_folder(const char *folder, const char *const *parts, struct pv_error *e)
{
	int err = pv_mkdir_all(folder, 0777);

	if (err)
		return pv_error(e, err, "%s: cannot be made: %s", folder, strerror(-err));
	for (; *parts; parts++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", folder, *parts) >= (int)sizeof(path))
			return pv_error(e, -ENAMETOOLONG, "%s: the path is too long", folder);
		if (mkdir(path, 0777))
			return pv_error(e, -errno, "%s: %s: expected a new or empty folder", path, strerror(errno));
	}
	return 0;
}

static int make_part_folder(const struct pv_submission *s, struct pv_error *e)
{
	static const char *const parts[] = {"shards", "log", NULL};
	int err = make_folder(s->folder, parts, e);

	if (!err)
		err = write_script(s, "shard.sh", pv_submission_put_shard, e);
	return err ? err : write_script(s, "merge.sh", pv_submission_put_merge, e);
}

static int make_matrix_folder(const struct plan *p, struct pv_error *e)
{
	static const char *const parts[] = {"log", NULL};
	int err = make_folder(p->whole.folder, parts, e);

	if (!err)
		err = write_script(&p->whole, "table.sh", pv_submission_put_table, e);
	return err ? err : pv_matrix_write(p->whole.folder, p->runs, p->n, e);
}

static int make_folders(const struct plan *p, struct pv_error *e)
{
	int err = p->matrix ? make_matrix_folder(p, e) : 0;

	for (size_t i = 0; !err && i < p->n; i++)
		err = make_part_folder(&p->parts[i], e);
	return err;
}

/* ---- the command ---- */

/* Shards that are in the queue run, and are merged, although others could not be submitted. */
static int submit_parts(const struct plan *p, struct pv_error *e)
{
	char merges[PV_MATRIX_RUNS][PV_JOB_TEXT];
	const char *list[PV_MATRIX_RUNS];
	int err = 0;

	for (size_t i = 0; !err && i < p->n; i++) {
		err = pv_submission_submit(&p->parts[i], merges[i], e);
		if (err && p->matrix)
			pv_error_context(e, "%s and all after it are missing (sh %s/table.sh compares the others): ",
					 p->runs[i].name, p->whole.folder);
		list[i] = merges[i];
	}
	return err || !p->matrix ? err : pv_submission_submit_table(&p->whole, list, p->n, e);
}

static int print_all(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		pv_submission_print(&p->parts[i]);
	if (p->matrix)
		pv_submission_print_table(&p->whole);
	return PV_EXIT_PASSED;
}

static int submit(const struct options *o, const struct plan *p)
{
	struct pv_error e = {0};

	if (!check_parts(p))
		return PV_EXIT_USAGE;
	if (o->dry_run)
		return print_all(p);
	int err = make_folders(p, &e);
	bool mistake = err && !pv_cli_is_storage_error(err);
	if (!err)
		err = submit_parts(p, &e);
	if (!err)
		return PV_EXIT_PASSED;
	pv_cli_error("submit: %s", e.text);
	return mistake ? PV_EXIT_USAGE : PV_EXIT_UNJUDGED;
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
	_cleanup_(plan_free) struct plan p = {.whole = {.program = program,
							.directory = here,
							.folder = folder,
							.shards = o->nodes,
							.arguments = arguments,
							.n_arguments = n,
							.gres = o->gres,
							.licences = o->licences,
							.sbatch = o->sbatch}};
	struct pv_error e = {0};
	return make_parts(&p, o, &e) ? pv_cli_error("submit: %s", e.text) : submit(o, &p);
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
		"after --. DIR then contains all/ (the merged run), report.html, junit.xml,\n"
		"report.json, log/, and the scripts. Of several targets, kernels or drivers each\n"
		"combination has such a folder in DIR; DIR/report.html and DIR/log/table.txt\n"
		"compare them.",
	.options = options,
	.run = run,
};
