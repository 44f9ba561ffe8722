/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Agents that are forked from one that has been loaded: programs start slowly where page faults and CPUID are slow. */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/agent/agent.h"
#include "framework/agent/postmortem.h"
#include "framework/util/fdpass.h"

enum { STREAMS = 3 };

/* Sets up the child as a new program: its own process group and streams, and SIGTERM when the runner dies. */
static bool become_agent(int socket, const int streams[STREAMS], pid_t runner)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != runner)
		return false;
	for (int i = 0; i < STREAMS; i++)
		if (dup2(streams[i], i) < 0)
			return false;
	pv_fdpass_close(streams, STREAMS);
	if (socket >= STREAMS)
		close(socket);
	return true;
}

bool pv_agent_forkserver(int socket)
{
	pid_t runner = getppid();
	int fds[PV_FDPASS_MAX];
	size_t n;
	char request;

	prctl(PR_SET_NAME, "pcieval-agent");
	pv_postmortem_load();
	while (pv_fdpass_receive(socket, &request, sizeof(request), fds, &n, 0) > 0) {
		/* The agent is a child of the runner, which waits for its end. */
		int32_t pid = n == STREAMS ? (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) : -1;

		if (!pid)
			return become_agent(socket, fds, runner);
		pv_fdpass_close(fds, n);
		if (send(socket, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
			break;
	}
	return false;
}
