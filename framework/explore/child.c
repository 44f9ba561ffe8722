/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forks a child without a log: drivers write to standard error, and cases that pass need no log. */
#include "framework/explore/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static void be_quiet(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	close(null);
}

pid_t pv_explore_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be_quiet();
	}
	return pid;
}
