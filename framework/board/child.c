/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting and ending a child process on pipes. */
#include "framework/board/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXEC_FAILED 127
#define NAP_MS	    2

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int open_pipes(int to[2], int from[2])
{
	if (pipe2(to, O_CLOEXEC))
		return -errno;
	if (!pipe2(from, O_CLOEXEC))
		return 0;
	int err = -errno;
	close(to[0]);
	close(to[1]);
	return err;
}

/*
 * ssh makes its standard error non-blocking, and with it every descriptor of the same open file: ours, and our standard output where
 * both go into one pipe. So it gets an open file of its own. In a file that is written from one offset there is nothing to block.
 */
static void unshare_stderr(void)
{
	struct stat st;
	int fd = !fstat(STDERR_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
			 ? open("/proc/self/fd/2", O_WRONLY | O_NOCTTY | O_CLOEXEC)
			 : -1;

	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
}

/* In the child, which has one thread whatever the parent has: only what is async-signal-safe. */
static _Noreturn void become(const char *const *argv, const int streams[3], enum pv_child_group group, pid_t parent)
{
	sigset_t none;

	if (group == PV_CHILD_OWN_GROUP)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXEC_FAILED);
	for (int fd = 0; fd < 3; fd++)
		if (streams[fd] >= 0)
			dup2(streams[fd], fd);
	if (streams[STDERR_FILENO] < 0)
		unshare_stderr();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
	dprintf(STDERR_FILENO, "%s: cannot be started: %s\n", argv[0], strerrordesc_np(errno));
	_exit(EXEC_FAILED);
}

int pv_child_start(struct pv_child *c, const char *const *argv, enum pv_child_group group, int stderr_fd,
		   struct pv_error *e)
{
	int to[2], from[2];
	int err = open_pipes(to, from);
	pid_t parent = getpid();

	*c = (struct pv_child){.in = -1, .out = -1};
	if (err)
		return pv_error(e, err, "starting %s: %s", argv[0], strerror(-err));
	c->pid = fork();
	if (!c->pid)
		become(argv, (const int[]){to[0], from[1], stderr_fd}, group, parent);
	err = c->pid < 0 ? -errno : 0;
	close(to[0]);
	close(from[1]);
	c->in = to[1];
	c->out = from[0];
	if (!err)
		return 0;
	c->pid = 0;
	close_one(&c->in);
	close_one(&c->out);
	return pv_error(e, err, "starting %s: %s", argv[0], strerror(-err));
}

/* Waits for at most `ms`. False: it runs on. */
static bool reaped(pid_t pid, unsigned ms, int *status)
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

int pv_child_end(struct pv_child *c, unsigned ms)
{
	int status = 0;

	close_one(&c->in);
	if (c->pid && !reaped(c->pid, ms, &status)) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, &status, 0);
	}
	close_one(&c->out);
	c->pid = 0;
	return status;
}

int pv_child_stop(struct pv_child *c, unsigned ms)
{
	if (c->pid)
		kill(c->pid, SIGTERM);
	return pv_child_end(c, ms);
}

const char *pv_child_status(int status, char *buf, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(buf, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
	return buf;
}
