/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child side of a worker: pipes, process group, exec or the fork server. */
#include "framework/run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/pass.h"

#define AGENT "pcieval-agent"

static char own_agent[32]; /* path of the descriptor that it is held by; "": not looked for yet, or not there */

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

/*
 * Turns the child of vfork(), which shares the parent's memory, into the agent. Only what is async-signal-safe; the runner
 * reads its signals from a descriptor and has no handlers that could run here.
 */
static _Noreturn void become(const char *program, int pipes[3][2], const int keep[2], const sigset_t *mask,
			     pid_t parent)
{
	setpgid(0, 0);
	/* A runner that is killed takes its agents along; SIGTERM lets them put their target back. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(PV_SPAWN_FAILED);
	dup2(pipes[0][0], STDIN_FILENO);
	dup2(pipes[1][1], STDOUT_FILENO);
	dup2(pipes[2][1], STDERR_FILENO);
	for (int i = 0; i < 2; i++)
		if (keep[i] >= 0)
			fcntl(keep[i], F_SETFD, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	char *argv[] = {(char *)program, (char *)"agent", NULL};
	execv(program, argv);
	const char *reason = strerrordesc_np(errno);
	const char *parts[] = {program, ": cannot be started: ", reason ? reason : "?", "\n"};
	for (size_t i = 0; i < 4; i++)
		if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
			break;
	_exit(PV_SPAWN_FAILED);
}

/* fork() would copy the page tables of a runner that holds many plans, which takes longer than a short case. */
static pid_t start(const char *program, int pipes[3][2], const int keep[2], const sigset_t *mask)
{
	pid_t parent = getpid(), pid;
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = vfork();
	if (!pid)
		become(program, pipes, keep, mask, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

/* ---- the fork server ---- */

enum { ANSWER_MS = 5000 };

/* One for the runner: pid 0: none runs. */
static struct fork_server {
	pid_t pid;
	int socket;
	bool useless; /* it does not start, or does not answer */
} server;

static _Noreturn void become_server(const char *program, int socket, const sigset_t *mask, pid_t parent)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || null < 0)
		_exit(PV_SPAWN_FAILED);
	dup2(socket, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	char *argv[] = {(char *)program, (char *)"forkserver", NULL};
	execv(program, argv);
	_exit(PV_SPAWN_FAILED);
}

static bool start_server(const char *program, const sigset_t *mask)
{
	pid_t parent = getpid();
	int ends[2];
	sigset_t all, old;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	server.pid = vfork();
	if (!server.pid)
		become_server(program, ends[1], mask, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	server.socket = ends[0];
	if (server.pid > 0)
		return true;
	close(server.socket);
	server.pid = 0;
	return false;
}

void pv_spawn_end(void)
{
	if (!server.pid)
		return;
	close(server.socket);
	kill(server.pid, SIGKILL);
	waitpid(server.pid, NULL, 0);
	server.pid = 0;
}

/* The pid of an agent that is forked; less than 0: none. */
static pid_t ask_server(int pipes[3][2])
{
	const int streams[] = {pipes[0][0], pipes[1][1], pipes[2][1]};
	struct pollfd answers = {.fd = server.socket, .events = POLLIN};
	int32_t pid = -1;

	if (pv_pass_send(server.socket, "f", 1, streams, 3, 0) || poll(&answers, 1, ANSWER_MS) != 1 ||
	    recv(server.socket, &pid, sizeof(pid), 0) != sizeof(pid))
		return -1;
	return pid;
}

/* Descriptors that are kept have the numbers that they have here, and only a program that is started has these. */
static pid_t fork_agent(const char *program, int pipes[3][2], const int keep[2], const sigset_t *mask)
{
	if (server.useless || program != own_agent || keep[0] >= 0 || keep[1] >= 0)
		return -1;
	pid_t pid = server.pid || start_server(program, mask) ? ask_server(pipes) : -1;
	if (pid > 0)
		return pid;
	server.useless = true;
	pv_spawn_end();
	return -1;
}

int pv_spawn(const char *program, const sigset_t *mask, const int keep[2], struct pv_spawned *out)
{
	int pipes[3][2];
	int err = open_pipes(pipes);

	pid_t pid = err ? -1 : fork_agent(program, pipes, keep, mask);

	if (!err && pid < 0)
		pid = start(program, pipes, keep, mask);
	if (!err && pid < 0)
		err = -errno;
	if (err) {
		for (int i = 0; i < 3; i++)
			close_pair(pipes[i]);
		return err;
	}
	/* On both sides, so that whoever comes first has done it. */
	setpgid(pid, pid);
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	*out = (struct pv_spawned){.pid = pid, .in = pipes[0][1], .out = pipes[1][0], .err = pipes[2][0]};
	const int ours[] = {out->in, out->out, out->err};
	for (int i = 0; i < 3; i++)
		fcntl(ours[i], F_SETFL, O_NONBLOCK);
	return 0;
}

/* ---- which program ---- */

/* A descriptor for as long as this process lives; less than 0: there is no such program. */
static int hold(const char *path)
{
	return access(path, X_OK) ? -1 : open(path, O_PATH | O_CLOEXEC);
}

static int hold_own_agent(void)
{
	char path[PATH_MAX + sizeof(AGENT)];

	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	int fd = -1;

	while (n > 0 && path[n - 1] != '/')
		n--;
	if (n > 0) {
		strcpy(path + n, AGENT);
		fd = hold(path);
	}
	return fd < 0 ? hold(PCIEVAL_LIBEXEC "/" AGENT) : fd;
}

const char *pv_spawn_own_agent(void)
{
	if (!*own_agent) {
		int fd = hold_own_agent();

		if (fd < 0)
			return "/proc/self/exe";
		snprintf(own_agent, sizeof(own_agent), "/proc/self/fd/%d", fd);
	}
	return own_agent;
}
