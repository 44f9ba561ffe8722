/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the kernel's functions, in a child process, and the oracle. */
#include "framework/tests/witness/subjects.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

extern char **environ;

struct pv_witness_linux {
	pid_t pid;
	FILE *to, *from;
};

static pid_t spawn(const char *program, int in, int out)
{
	char *argv[] = {(char *)program, NULL};

	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	int err = posix_spawn(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	errno = err;
	return err ? -1 : pid;
}

struct pv_witness_linux *pv_witness_linux_start(const char *program)
{
	int in[2], out[2];
	struct pv_witness_linux *l = calloc(1, sizeof(*l));

	if (!l || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return NULL;
	l->pid = spawn(program, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	l->to = fdopen(in[1], "w");
	l->from = fdopen(out[0], "r");
	return l->pid < 0 || !l->to || !l->from ? NULL : l;
}

int pv_witness_linux_stop(struct pv_witness_linux *l)
{
	int status = -1;

	fclose(l->to);
	fclose(l->from);
	waitpid(l->pid, &status, 0);
	free(l);
	return status;
}

static int index_of(const struct pv_witness_machine *m, unsigned bdf)
{
	for (int i = 0; i < m->n; i++)
		if (pv_witness_bdf(&m->f[i]) == bdf)
			return i;
	return -1;
}

/* One line of the answer; false: the last. */
static bool take_line(const struct pv_witness_machine *m, const char *line, struct pv_witness_answer *a)
{
	unsigned bdf, mps, mrrs;

	if (!strcmp(line, "end\n"))
		return false;
	int i = sscanf(line, "%x %u %u", &bdf, &mps, &mrrs) == 3 ? index_of(m, bdf) : -1;
	if (i >= 0)
		a->f[i] = (struct pv_witness_sizes){true, mps, mrrs};
	else
		snprintf(a->problem, sizeof(a->problem), "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}

void pv_witness_ask_linux(struct pv_witness_linux *l, const struct pv_witness_machine *m, struct pv_witness_answer *a)
{
	char line[160];

	memset(a, 0, sizeof(*a));
	pv_witness_print(m, l->to);
	fflush(l->to);
	do {
		if (!fgets(line, sizeof(line), l->from)) {
			snprintf(a->problem, sizeof(a->problem), "the kernel's program ended");
			return;
		}
	} while (take_line(m, line, a));
}

/* ---- the oracle ---- */

/* The images that arrive with event e. */
static size_t arriving(const struct pv_witness_machine *m, int e, struct pv_cfg_image *out)
{
	size_t n = 0;

	for (int i = 0; i < m->n; i++)
		if (m->f[i].arrives & 1u << e)
			pv_witness_image(m, i, &out[n++]);
	return n;
}

void pv_witness_ask_oracle(const struct pv_witness_machine *m, struct pv_witness_answer *a)
{
	static struct pv_cfg_image images[PV_WITNESS_EVENTS][PV_WITNESS_FUNCTIONS];
	struct pv_mps_event events[PV_WITNESS_EVENTS];
	struct pv_mps_expect want[PV_WITNESS_EVENTS * PV_WITNESS_FUNCTIONS];
	size_t n = 0;

	memset(a, 0, sizeof(*a));
	for (int e = 0; e < m->events; e++)
		events[e] = (struct pv_mps_event){
			.how = m->event[e].how,
			.images = images[e],
			.n = arriving(m, e, images[e]),
			.slot = m->event[e].slot < 0 ? 0 : pv_witness_bdf(&m->f[m->event[e].slot]),
		};
	int err = pv_oracle_mps_events(m->policy, events, (size_t)m->events, want, &n);
	if (err)
		snprintf(a->problem, sizeof(a->problem), "%s", strerror(-err));
	for (size_t k = 0; k < n; k++) {
		int i = index_of(m, want[k].bdf);

		if (i >= 0)
			a->f[i] = (struct pv_witness_sizes){true, want[k].mps, want[k].mrrs};
	}
}
