/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Agents: pipes to them, the fork server, and which program they are. */
#include "framework/run/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/fdpass.h"
#include "framework/util/share.h"
#include "framework/util/spawn.h"

static char own_agent[32]; /* path of the descriptor that holds it; "": not opened yet, or absent */

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

static int open_pipes(int pipes[3][2])
{
	for (int i = 0; i < 3; i++)
		pipes[i][0] = pipes[i][1] = -1;
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			return -errno;
	return 0;
}

/* A program to start: "path role", with these streams. */
struct program {
	const char *path, *role;
	int streams[3];
	int keep[2];	/* descriptors that it inherits; -1: none */
	int end_signal; /* when the runner has ended */
};

/* Returns its pid, or -errno. */
static pid_t start(const struct program *p, const sigset_t *mask)
{
	const char *const argv[] = {p->path, p->role, NULL};

	return pv_spawn(&(struct pv_spawn){.path = p->path,
					   .argv = argv,
					   .streams = {p->streams[0], p->streams[1], p->streams[2]},
					   .keep = {p->keep[0], p->keep[1]},
					   .mask = mask,
					   .end_signal = p->end_signal,
					   .own_group = true});
}

/* ---- the fork server ---- */

enum { ANSWER_MS = 5000 };

/* One for the runner: pid 0: none runs. */
static struct fork_server {
	pid_t pid;
	int socket;
	bool useless; /* it does not start, or does not answer */
} server;

/* It is killed: agents that it forked end otherwise, it prints nothing, and SIGKILL also ends a stopped process. */
static bool start_server(const char *path, const sigset_t *mask)
{
	int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		if (null >= 0)
			close(null);
		return false;
	}
	const struct program p = {path, "forkserver", {ends[1], null, null}, {-1, -1}, SIGKILL};
	/* Functions of libraries are looked up once, and not at their first use in each agent. */
	setenv("LD_BIND_NOW", "1", 1);
	pid_t pid = start(&p, mask);
	unsetenv("LD_BIND_NOW");
	close(ends[1]);
	close(null);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	server.pid = pid;
	server.socket = ends[0];
	return true;
}

void pv_agents_end(void)
{
	if (!server.pid)
		return;
	close(server.socket);
	kill(server.pid, SIGKILL);
	waitpid(server.pid, NULL, 0);
	server.pid = 0;
}

/* Returns the pid of a forked agent; less than 0: none. */
static pid_t ask_server(const int streams[3])
{
	struct pollfd answers = {.fd = server.socket, .events = POLLIN};
	int32_t pid = -1;

	if (pv_fdpass_send(server.socket, "f", 1, streams, 3, 0) || poll(&answers, 1, ANSWER_MS) != 1 ||
	    recv(server.socket, &pid, sizeof(pid), 0) != sizeof(pid))
		return -1;
	return pid;
}

/* Descriptors that are kept have the numbers that they have here, and only a program that is started has these. */
static pid_t fork_agent(const struct program *p, const sigset_t *mask)
{
	if (server.useless || p->path != own_agent || p->keep[0] >= 0 || p->keep[1] >= 0)
		return -1;
	pid_t pid = server.pid || start_server(p->path, mask) ? ask_server(p->streams) : -1;
	if (pid > 0)
		return pid;
	server.useless = true;
	pv_agents_end();
	return -1;
}

/* ---- agents ---- */

/* SIGTERM lets it restore its target. */
static pid_t start_agent(const char *path, int pipes[3][2], const int keep[2], const sigset_t *mask)
{
	const struct program p = {path, "agent", {pipes[0][0], pipes[1][1], pipes[2][1]}, {keep[0], keep[1]}, SIGTERM};
	pid_t pid = fork_agent(&p, mask);

	return pid < 0 ? start(&p, mask) : pid;
}

int pv_agent_start(const char *program, const sigset_t *mask, const int keep[2], struct pv_agent_process *out)
{
	int pipes[3][2];
	int err = open_pipes(pipes);

	pid_t pid = err ? err : start_agent(program, pipes, keep, mask);

	if (pid < 0) {
		for (int i = 0; i < 3; i++)
			close_pair(pipes[i]);
		return pid;
	}
	setpgid(pid, pid); /* of an agent that was forked from a loaded one */
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	*out = (struct pv_agent_process){.pid = pid, .in = pipes[0][1], .out = pipes[1][0], .err = pipes[2][0]};
	const int ours[] = {out->in, out->out, out->err};
	for (int i = 0; i < 3; i++)
		fcntl(ours[i], F_SETFL, O_NONBLOCK);
	return 0;
}

/* ---- which program ---- */

const char *pv_agent_own_program(struct pv_error *e)
{
	if (!*own_agent) {
		_autofree_ char *path = pv_share_program("pcieval-agent");
		/* Stays open until this process ends. */
		int fd = path ? open(path, O_PATH | O_CLOEXEC) : -1;

		if (fd < 0) {
			pv_share_no_program("pcieval-agent", e);
			return NULL;
		}
		snprintf(own_agent, sizeof(own_agent), "/proc/self/fd/%d", fd);
	}
	return own_agent;
}

const char *pv_agent_program_path(void)
{
	const char *own = pv_agent_own_program(NULL);

	return own ? own : "/proc/self/exe";
}
