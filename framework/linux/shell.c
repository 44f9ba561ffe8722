/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs, files and modules of the running Linux. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/linux/linux.h"
#include "framework/util/cleanup.h"
#include "framework/util/clock.h"
#include "framework/util/file.h"
#include "framework/util/spawn.h"

static struct pv_linux *of(struct pv_shell *s)
{
	return (struct pv_linux *)((char *)s - offsetof(struct pv_linux, shell));
}

/* ---- remains of programs ---- */

/*
 * When SIGKILL ends the process that started a program, PR_SET_PDEATHSIG ends the program too, but not the processes
 * that the program started. All of them carry a mark in their environment, which children inherit even in other
 * process groups and sessions. Their temporary files have a folder of their own, TMPDIR, which only this user can
 * enter.
 */

#define MARK		 "PCIEVAL_FAR_STARTED"
#define FOLDER		 "run/pcieval/programs"
#define ENVIRONMENT_MAX	 (1 << 20)
#define TRIES		 500
#define BETWEEN_TRIES_NS 10000000

/* A machine below another root has another mark. The caller frees it. */
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

/*
 * Returns the environment of a program, by which pv_linux_end_programs() finds it, what it starts, and its files in
 * TMPDIR. The caller frees it, and *mine, which holds some of its strings. NULL: no memory.
 */
static char **program_env(const struct pv_linux *l, char **mine)
{
	_autofree_ char *root = mark_of(l), *folder = NULL;
	char *tmpdir = NULL;

	if (!root || asprintf(&folder, "%s/" FOLDER, root) < 0)
		return NULL;
	/* Never uses another user's folder. */
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

/* Repeats, as one may have started another meanwhile. */
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

/* ---- programs ---- */

/* In a process group of its own, so that its children can be killed with it. Returns its pid or -errno. */
static pid_t start(const struct pv_linux *l, const char *const *argv, int out, int err)
{
	_autoclose_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_autofree_ char *strings = NULL;
	_autofree_ char **env = program_env(l, &strings);

	return env ? pv_spawn(&(struct pv_spawn){.argv = argv,
						 .env = env,
						 .streams = {null, out, err},
						 .end_signal = SIGKILL,
						 .own_group = true})
		   : -ENOMEM;
}

/* Reads available output; discards what does not fit. Returns false at the end. */
static bool collect(int fd, struct pv_shell_output *o)
{
	char lost[4096];
	size_t left = o->room - o->len - 1;
	ssize_t n = left ? read(fd, o->text + o->len, left) : read(fd, lost, sizeof(lost));

	if (n < 0)
		return errno == EINTR;
	if (left)
		o->len += (size_t)n;
	else
		o->cut |= n > 0;
	o->text[o->len] = '\0';
	return n > 0;
}

/* Reads until both ends are closed, time is up (-ETIMEDOUT), or the client no longer waits (-EPIPE). */
static int collect_both(int asker, int out_fd, int err_fd, struct pv_shell_output *out, struct pv_shell_output *err,
			int64_t end_ms)
{
	struct pollfd fds[3] = {
		{.fd = out_fd, .events = POLLIN}, {.fd = err_fd, .events = POLLIN}, {.fd = asker, .events = POLLIN}};

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		int64_t left = end_ms - pv_now_ms();

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(fds, 3, left < INT32_MAX ? (int)left : INT32_MAX) < 0 && errno != EINTR)
			return -errno;
		if (fds[2].revents)
			return -EPIPE;
		if (fds[0].revents && !collect(out_fd, out))
			fds[0].fd = -1;
		if (fds[1].revents && !collect(err_fd, err))
			fds[1].fd = -1;
	}
	return 0;
}

/* ---- programs that outlive their caller ---- */

static volatile sig_atomic_t running; /* process group of the program; 0: none */

static void end_with_it(int signal_number)
{
	if (running > 0)
		kill(-(pid_t)running, SIGKILL);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static const int ends[] = {SIGTERM, SIGHUP, SIGINT};

/* A signal that ends this process also ends the program and its children. */
static void guard(pid_t child, struct sigaction *before)
{
	const struct sigaction action = {.sa_handler = end_with_it};

	running = child;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &action, &before[i]);
}

static void unguard(const struct sigaction *before)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &before[i], NULL);
	running = 0;
}

static int watch(int asker, pid_t child, int out_fd, int err_fd, uint32_t timeout_ms, int *status,
		 struct pv_shell_output *out, struct pv_shell_output *err)
{
	struct sigaction before[ARRAY_SIZE(ends)];
	int64_t end_ms = pv_now_ms() + timeout_ms;

	guard(child, before);
	int failed = collect_both(asker, out_fd, err_fd, out, err, end_ms);
	/* A program may still be running after it has closed its output. */
	int64_t left = end_ms - pv_now_ms();
	if (!failed && !pv_spawn_ended(child, left > 0 ? (unsigned)left : 0, status))
		failed = -ETIMEDOUT;
	unguard(before);
	if (!failed)
		return 0;
	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return failed;
}

static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	int a[2] = {-1, -1}, b[2] = {-1, -1}, failed;
	pid_t child;

	if (!argv[0] || !out->room || !err->room)
		return -EINVAL;
	out->len = err->len = 0;
	out->text[0] = err->text[0] = '\0';
	out->cut = err->cut = false;
	if (pipe2(a, O_CLOEXEC))
		return -errno;
	if (pipe2(b, O_CLOEXEC)) {
		failed = -errno;
		goto out;
	}
	child = start(of(s), argv, a[1], b[1]);
	failed = child < 0 ? child : 0;
	pv_closep(&a[1]);
	pv_closep(&b[1]);
	a[1] = b[1] = -1;
	if (!failed)
		failed = watch(of(s)->asker, child, a[0], b[0], timeout_ms, status, out, err);
out:
	for (int i = 0; i < 2; i++) {
		pv_closep(&a[i]);
		pv_closep(&b[i]);
	}
	return failed;
}

/* ---- files ---- */

/* /dev/kmsg has no end: records since it was opened are read like a growing file. */
static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	if (!strcmp(path, "/dev/kmsg"))
		return pv_kmsg_news_read(&of(s)->news, offset, buf, room);
	/* Avoids hanging on a pipe without a writer. */
	_autoclose_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t at = 0;

	if (fd < 0)
		return -errno;
	while (at < room) {
		ssize_t n = pread(fd, (char *)buf + at, room - at, (off_t)(offset + at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		at += (size_t)n;
	}
	return (int64_t)at;
}

static int file_write(struct pv_shell *s, const char *path, const void *data, size_t len, bool create)
{
	_autoclose_ int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | (create ? O_CREAT | O_TRUNC : 0), 0644);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, data, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* ---- modules ---- */

static int module_load(struct pv_shell *s, const char *path, const char *parameters)
{
	_autoclose_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
}

static int module_unload(struct pv_shell *s, const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

const struct pv_shell_ops pv_linux_shell_ops = {
	.run = run,
	.file_read = file_read,
	.file_write = file_write,
	.module_load = module_load,
	.module_unload = module_unload,
};
