/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts and ends a child process on pipes. */
#include "framework/board/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/file.h"
#include "framework/util/spawn.h"

#define SAID_MAX (1u << 20) /* bytes of standard error that are copied at most */

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

/* ---- its standard error ---- */

/* Escapes control characters, and drops "\r": ssh ends lines with "\r\n". Returns the length, at most 4 * n. */
static size_t make_plain(const unsigned char *said, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned char c = said[i];

		if (c == '\r')
			continue;
		if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t') {
			out[len++] = (char)c;
			continue;
		}
		memcpy(out + len, (const char[]){'\\', 'x', digits[c >> 4], digits[c & 15]}, 4);
		len += 4;
	}
	return len;
}

/* Copies until every process has closed the other end. After SAID_MAX bytes it drops the rest. */
static _Noreturn void relay(int from)
{
	unsigned char said[1024];
	static const char more[] = "\n(more is left out)\n";
	char plain[4 * sizeof(said)];
	size_t all = 0;
	ssize_t n;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGTERM || sig == SIGHUP ? SIG_IGN : SIG_DFL);
	dup2(from, STDIN_FILENO);
	close(STDOUT_FILENO);
	/* If this process kept the pipe to another child open, that child would never see the end of its input. */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	while ((n = read(STDIN_FILENO, said, sizeof(said))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && all < SAID_MAX) {
			pv_write_all(STDERR_FILENO, plain, make_plain(said, (size_t)n, plain));
			all += (size_t)n;
			if (all >= SAID_MAX)
				pv_write_all(STDERR_FILENO, more, strlen(more));
		}
	_exit(0);
}

/*
 * Starts a process that copies the child's standard error to ours, for two reasons. A board may send escape sequences
 * to our terminal. ssh sets O_NONBLOCK on its standard error, which affects all descriptors of the same open file: our
 * standard output if both go to one pipe. Returns the descriptor for the child to write to; -1: errno says why.
 */
static int start_relay(struct pv_child *c)
{
	int said[2];

	if (pipe2(said, O_CLOEXEC))
		return -1;
	pid_t pid = fork();
	if (!pid)
		relay(said[0]);
	close(said[0]);
	if (pid < 0)
		close_one(&said[1]);
	c->relay = pid < 0 ? 0 : pid;
	return said[1];
}

/* ---- the child ---- */

int pv_child_start(struct pv_child *c, const char *const *argv, enum pv_child_group group, int stderr_fd,
		   struct pv_error *e)
{
	int to[2], from[2];
	int err = open_pipes(to, from);

	*c = (struct pv_child){.in = -1, .out = -1};
	if (err)
		return pv_error(e, err, "starting %s: %s", argv[0], strerror(-err));
	int said = stderr_fd < 0 ? start_relay(c) : fcntl(stderr_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	err = said < 0 ? -errno : 0;
	const struct pv_spawn s = {.argv = argv,
				   .streams = {to[0], from[1], said},
				   .end_signal = SIGTERM,
				   .own_group = group == PV_CHILD_OWN_GROUP};
	pid_t pid = err ? err : pv_spawn(&s);
	err = pid < 0 ? pid : 0;
	close_one(&said);
	close(to[0]);
	close(from[1]);
	c->pid = pid < 0 ? 0 : pid;
	c->in = to[1];
	c->out = from[0];
	if (!err)
		return 0;
	pv_child_end(c, 0);
	return pv_error(e, err, "starting %s: %s", argv[0], strerror(-err));
}

static int end_one(pid_t *pid, unsigned ms)
{
	int status = *pid ? pv_spawn_reap(*pid, ms) : 0;

	*pid = 0;
	return status;
}

int pv_child_end(struct pv_child *c, unsigned ms)
{
	close_one(&c->in);
	int status = end_one(&c->pid, ms);
	close_one(&c->out);
	/*
	 * Waits for the relay, so that the child's messages come before ours. The time is limited, as descendants of
	 * the child may keep its standard error open.
	 */
	end_one(&c->relay, ms);
	return status;
}

int pv_child_stop(struct pv_child *c, unsigned ms)
{
	if (c->pid)
		kill(c->pid, SIGTERM);
	return pv_child_end(c, ms);
}
