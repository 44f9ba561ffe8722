/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting programs. */
#include "framework/qemu/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Out of the way first, so that no descriptor is overwritten before it has been copied. */
static void number_fds(const int *fds, size_t n)
{
	int copy[PV_PROCESS_FDS];

	for (size_t i = 0; i < n; i++)
		copy[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, PV_PROCESS_FDS);
	for (size_t i = 0; i < n; i++)
		if (copy[i] < 0 || dup2(copy[i], (int)i) < 0)
			close((int)i);
}

static _Noreturn void become(char *const *argv, const int *fds, size_t n, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	number_fds(fds, n);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

pid_t pv_process_start(char *const *argv, const int *fds, size_t n)
{
	pid_t parent = getpid(), pid;

	if (n > PV_PROCESS_FDS)
		return -E2BIG;
	pid = fork();
	if (!pid)
		become(argv, fds, n, parent);
	return pid < 0 ? -errno : pid;
}
