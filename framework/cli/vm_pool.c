/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting and ending the keeper: pcieval-agent with another argument, which listens on its standard input. */
#include "framework/cli/vm_pool.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/run/agents.h"
#include "framework/util/cleanup.h"
#include "framework/util/spawn.h"

#define BACKLOG 64

/* A socket with an abstract name, which the kernel chooses; it leaves nothing behind. */
static int listen_somewhere(struct pv_cli_keeper *k)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t n = sizeof(at);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&at, sizeof(sa_family_t)) || listen(fd, BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		close(fd);
		return -1;
	}
	snprintf(k->name, sizeof(k->name), "@%.*s", (int)(n - offsetof(struct sockaddr_un, sun_path) - 1),
		 at.sun_path + 1);
	return fd;
}

/*
 * In the child: never returns. It ends with the runner; what is typed at the terminal is the runner's to heed, which may
 * still need it.
 */
static _Noreturn void become(const char *program, int socket, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(PV_SPAWN_FAILED);
	setpgid(0, 0);
	dup2(socket, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execl(program, program, "keeper", (char *)NULL);
	_exit(PV_SPAWN_FAILED);
}

void pv_cli_keeper_start(struct pv_cli_keeper *k)
{
	const char *program = pv_agent_program_path();
	pid_t parent = getpid();

	*k = (struct pv_cli_keeper){0};
	_autoclose_ int socket = listen_somewhere(k);
	pid_t pid = socket < 0 ? -1 : fork();
	if (!pid)
		become(program, socket, parent);
	if (pid < 0)
		k->name[0] = 0;
	else
		k->pid = pid;
}

void pv_cli_keeper_end(struct pv_cli_keeper *k)
{
	if (k->pid) {
		kill(k->pid, SIGTERM);
		while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*k = (struct pv_cli_keeper){0};
}
