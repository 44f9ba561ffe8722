/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the machine of a run, and what it has of each plan. */
#include "framework/cli/boards.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/board/match.h"
#include "framework/cli/jobs.h"
#include "framework/util/cleanup.h"

bool pv_cli_is_board(const char *target)
{
	return !strcmp(target, "local");
}

/* ---- the machine ---- */

static int read_machine(struct pv_cli_board *b, struct pv_error *e)
{
	_autofree_ char *tree = NULL;

	if (b->root && asprintf(&tree, "%s/sys/bus/pci", b->root) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	b->machine = pv_pci_machine_open(PV_PCI_SYSFS, tree, e);
	return b->machine ? 0 : pv_error_context(e, "--target local: ");
}

/* ---- cases whose topology it has not ---- */

/* Cases of a plan mostly have the same topology, one after the other. */
struct matched {
	json_object *topology; /* the last one */
	char *reason;	       /* NULL: the machine has it; else it belongs to the board */
};

static int match(struct pv_cli_board *b, const char *target, json_object *topology, char **reason, struct pv_error *e)
{
	struct pv_topology *plan;
	struct pv_error differs = {0};
	int err = pv_topology_parse(topology, &plan, e);

	if (err)
		return err;
	err = pv_board_match(plan, b->machine, &differs);
	pv_topology_free(plan);
	*reason = NULL;
	if (!err)
		return 0;
	if (asprintf(reason, "target %s: %s", target, differs.text) < 0)
		return pv_error(e, -ENOMEM, "no memory");
	b->reasons[b->n_reasons++] = *reason;
	return 0;
}

static int match_job(struct pv_cli_board *b, const char *target, struct pv_job *job, struct matched *last,
		     struct pv_error *e)
{
	json_object *msg = pv_cli_case_json(job), *topology = json_object_object_get(msg, "topology");
	int err = topology == last->topology ? 0 : match(b, target, topology, &last->reason, e);

	/* Kept, so that no other gets its address. */
	json_object_get(topology);
	json_object_put(last->topology);
	last->topology = topology;
	json_object_put(msg);
	if (!err && last->reason) {
		job->skip = last->reason;
		job->skip_type = "target";
	}
	return err;
}

/* Returns how many jobs are left to be run, or -errno. */
static ssize_t skip_jobs(struct pv_cli_board *b, const char *target, struct pv_job *jobs, size_t n, struct pv_error *e)
{
	struct matched last = {0};
	ssize_t left = 0;

	b->reasons = calloc(n + 1, sizeof(*b->reasons));
	if (!b->reasons)
		return pv_error(e, -ENOMEM, "no memory");
	for (size_t i = 0; left >= 0 && i < n; i++) {
		int err = jobs[i].skip || jobs[i].before ? 0 : match_job(b, target, &jobs[i], &last, e);

		left = err ? err : left + (!jobs[i].skip && !jobs[i].before);
	}
	json_object_put(last.topology);
	return left;
}

/* ---- the far side ---- */

/* Beside this program, where it is installed; or where the build has it. */
static char *find_program(struct pv_error *e)
{
	static const char *const places[] = {"pcieval-far", "framework/far/pcieval-far"};
	const char *given = getenv("PCIEVAL_FAR");
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (given && *given)
		return strdup(given);
	self[n > 0 ? n : 0] = 0;
	char *slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
		_autofree_ char *path = NULL;

		if (asprintf(&path, "%.*s/%s", (int)(slash - self), self, places[i]) >= 0 && !access(path, X_OK))
			return steal(&path);
	}
	pv_error(e, -ENOENT,
		 "expected pcieval-far beside pcieval, got none: run ci/libperf, then `meson setup --reconfigure` and "
		 "build, or say with PCIEVAL_FAR where it is");
	return NULL;
}

static void add_word(json_object *command, const char *word)
{
	json_object_array_add(command, json_object_new_string(word));
}

static int start_command(struct pv_cli_board *b, struct pv_error *e)
{
	_autofree_ char *program = find_program(e);
	json_object *command = json_object_new_array();

	b->far = json_object_new_object();
	json_object_object_add(b->far, "command", command);
	if (!program)
		return e->code;
	if (access(program, X_OK))
		return pv_error(e, -errno, "PCIEVAL_FAR=%s: expected a program, got %s", program, strerror(errno));
	add_word(command, program);
	add_word(command, "--read-only");
	if (b->root) {
		add_word(command, "--root");
		add_word(command, b->root);
	}
	return 0;
}

int pv_cli_board_open(struct pv_cli_board *b, const char *target, struct pv_job *jobs, size_t n, struct pv_error *e)
{
	int err = read_machine(b, e);
	ssize_t left = err ? err : skip_jobs(b, target, jobs, n, e);

	return left > 0 ? start_command(b, e) : (int)left;
}

void pv_cli_board_close(struct pv_cli_board *b)
{
	pv_pci_machine_free(b->machine);
	json_object_put(b->far);
	for (size_t i = 0; i < b->n_reasons; i++)
		free(b->reasons[i]);
	free(b->reasons);
	*b = (struct pv_cli_board){0};
}
