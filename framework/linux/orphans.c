/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends processes and removes temporary files that programs leave behind. When SIGKILL ends the process that started a
 * program, PR_SET_PDEATHSIG ends the program too, but not the processes that the program started. All of them carry a
 * mark in their environment, which children inherit even in other process groups and sessions. Their temporary files
 * have a folder of their own, TMPDIR, which only this user can enter.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/linux/linux.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define MARK		 "PCIEVAL_FAR_STARTED"
#define FOLDER		 "run/pcieval/programs"
#define ENVIRONMENT_MAX	 (1 << 20)
#define TRIES		 500
#define BETWEEN_TRIES_NS 10000000

/* A machine below another root is another machine. The caller frees it. */
static char *mark_of(const struct pv_linux *l)
{
	return realpath(*l->root ? l->root : "/", NULL);
}

/* Copies our environment, with this mark and TMPDIR instead of ours; no TMPDIR: NULL. */
static char **env_with(char *mark, char *tmpdir)
{
	size_t n = 0, out = 0;

	while (environ[n])
		n++;
	char **env = calloc(n + 3, sizeof(*env));
	if (!env)
		return NULL;
	env[out++] = mark;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], MARK "=", sizeof(MARK)) && strncmp(environ[i], "TMPDIR=", sizeof("TMPDIR")))
			env[out++] = environ[i];
	env[out] = tmpdir;
	return env;
}

char **pv_linux_program_env(const struct pv_linux *l, char **mine)
{
	_autofree_ char *root = mark_of(l), *folder = NULL;
	char *tmpdir = NULL;

	if (!root || asprintf(&folder, "%s/" FOLDER, root) < 0)
		return NULL;
	/* Never a folder of others. */
	bool own = !pv_mkdir_all(folder, 0700);
	if (asprintf(mine, MARK "=%s%cTMPDIR=%s", root, '\0', folder) < 0) {
		*mine = NULL;
		return NULL;
	}
	if (own)
		tmpdir = *mine + strlen(*mine) + 1;
	return env_with(*mine, tmpdir);
}

/* `text`: strings, each with its 0. */
static bool has_mark(const char *text, size_t n, const char *mark)
{
	char wanted[PATH_MAX + sizeof(MARK)];

	snprintf(wanted, sizeof(wanted), MARK "=%s", mark);
	for (const char *at = text; at < text + n; at += strlen(at) + 1)
		if (!strcmp(at, wanted))
			return true;
	return false;
}

static bool is_left(const char *pid, const char *mark)
{
	_autofree_ char *text = NULL;
	char path[64];
	size_t n;

	if (!isdigit((unsigned char)*pid) || atoi(pid) == getpid())
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	return !pv_file_read(path, ENVIRONMENT_MAX, &text, &n, NULL) && has_mark(text, n, mark);
}

/* Kills the marked processes that exist now. Returns their number. */
static unsigned kill_left(const char *mark)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;

	while (all && (entry = readdir(all)))
		if (is_left(entry->d_name, mark)) {
			kill(atoi(entry->d_name), SIGKILL);
			n++;
		}
	if (all)
		closedir(all);
	return n;
}

static int remove_files(const struct pv_linux *l, struct pv_error *e)
{
	const struct pv_linux_path folder = pv_linux_path(l, FOLDER);
	int err = pv_remove_all(folder.s);

	return err ? pv_error(e, err, "%s: removing what programs have left there: %s", folder.s, strerror(-err)) : 0;
}

/* Again, as one may have started another meanwhile. */
int pv_linux_end_programs(struct pv_linux *l, struct pv_error *e)
{
	const struct timespec nap = {0, BETWEEN_TRIES_NS};
	_autofree_ char *mark = mark_of(l);

	for (unsigned i = 0; mark && i < TRIES; i++) {
		if (!kill_left(mark))
			return remove_files(l, e);
		nanosleep(&nap, NULL);
	}
	if (!mark)
		return 0; /* there is no such machine */
	return pv_error(e, -EBUSY,
			"programs that an earlier run has started cannot be killed: look for " MARK " in "
			"/proc/*/environ");
}
