/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_MS 2

extern char **environ;

/*
 * Handlers of ours must not run in the child, which shares our memory. Ignored signals stay ignored, as for nohup(1).
 */
static void reset_handlers(void)
{
	struct sigaction action;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &action) || action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL)
			continue;
		action = (struct sigaction){.sa_handler = SIG_DFL};
		sigaction(sig, &action, NULL);
	}
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

/* In order: standard error may be a copy of standard output. */
static void place_streams(const int streams[3])
{
	for (int i = 0; i < 3; i++)
		if (streams[i] == i)
			fcntl(i, F_SETFD, 0);
		else if (streams[i] >= 0)
			dup2(streams[i], i);
}

/* Copies all above the range first: none is overwritten before it was copied. */
static void place_fds(const int *fds, size_t n)
{
	int copy[PV_SPAWN_FDS];

	for (size_t i = 0; i < n; i++)
		copy[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, PV_SPAWN_FDS);
	for (size_t i = 0; i < n; i++)
		if (copy[i] < 0 || dup2(copy[i], (int)i) < 0)
			close((int)i);
}

static void say_failed(const char *name)
{
	const char *reason = strerrordesc_np(errno);
	const char *parts[] = {name, ": cannot be started: ", reason ? reason : "?", "\n"};

	for (size_t i = 0; i < 4; i++)
		if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
			return;
}

/* Turns the child of vfork() into the program. Only what is async-signal-safe. */
static _Noreturn void become(const struct pv_spawn *s, const sigset_t *mask, pid_t parent)
{
	if (s->own_group)
		setpgid(0, 0);
	if (s->end_signal)
		prctl(PR_SET_PDEATHSIG, s->end_signal);
	if (s->end_signal && getppid() != parent)
		_exit(PV_SPAWN_FAILED);
	if (s->fds)
		place_fds(s->fds, s->n_fds);
	else
		place_streams(s->streams);
	for (int i = 0; i < 2; i++)
		if (s->keep[i] > 0)
			fcntl(s->keep[i], F_SETFD, 0);
	if (s->file_bytes)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){s->file_bytes, s->file_bytes});
	reset_handlers();
	sigprocmask(SIG_SETMASK, mask, NULL);
	char *const *env = s->env ? s->env : environ;
	if (s->path)
		execve(s->path, (char *const *)s->argv, env);
	else
		execvpe(s->argv[0], (char *const *)s->argv, env);
	say_failed(s->path ? s->path : s->argv[0]);
	_exit(PV_SPAWN_FAILED);
}

/* A process inherits that SIGCHLD is ignored. The kernel would reap its children, and waitpid(2) find no status. */
static void want_status(void)
{
	struct sigaction now;

	if (!sigaction(SIGCHLD, NULL, &now) && now.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

/* fork() would copy the page tables of a process that holds many plans, which takes longer than a short case. */
pid_t pv_spawn(const struct pv_spawn *s)
{
	pid_t parent = getpid();
	sigset_t all, none, old;

	if (s->n_fds > PV_SPAWN_FDS)
		return -E2BIG;
	want_status();
	sigemptyset(&none);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid_t pid = vfork();
	if (!pid)
		become(s, s->mask ? s->mask : &none, parent);
	int err = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return -err;
	/* On both sides: whoever comes first has done it. */
	if (s->own_group)
		setpgid(pid, pid);
	return pid;
}

bool pv_spawn_ended(pid_t pid, unsigned ms, int *status)
{
	const struct timespec nap = {0, NAP_MS * 1000000};

	for (unsigned waited = 0;; waited += NAP_MS) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid || (got < 0 && errno != EINTR))
			return true;
		if (waited >= ms)
			return false;
		nanosleep(&nap, NULL);
	}
}

int pv_spawn_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int pv_spawn_reap(pid_t pid, unsigned ms)
{
	int status = 0;

	if (pv_spawn_ended(pid, ms, &status))
		return status;
	kill(pid, SIGKILL);
	return pv_spawn_wait(pid);
}

char *pv_spawn_output(const struct pv_spawn *s, size_t max, int *status)
{
	struct pv_spawn with = *s;
	char *out = NULL, buf[16384];
	size_t n = 0, left = max;
	int ends[2];

	*status = pipe2(ends, O_CLOEXEC) ? -errno : 0;
	if (*status)
		return NULL;
	with.streams[1] = ends[1];
	pid_t pid = pv_spawn(&with);
	close(ends[1]);
	FILE *f = open_memstream(&out, &n);
	for (ssize_t got; pid > 0 && (got = read(ends[0], buf, sizeof(buf))) > 0;) {
		size_t kept = (size_t)got < left ? (size_t)got : left;

		if (f)
			fwrite(buf, 1, kept, f);
		left -= kept;
	}
	close(ends[0]);
	*status = pid > 0 ? pv_spawn_wait(pid) : (int)pid;
	if ((!f || !fclose(f)) && pid > 0)
		return out;
	free(out);
	return NULL;
}

const char *pv_spawn_status(int status, char *buf, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(buf, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
	return buf;
}
