/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting and ending a child process on pipes. */
#include "framework/board/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/file.h"
#include "framework/util/spawn.h"

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

/* What may go to a terminal. ssh ends its lines with "\r\n". Returns its length, at most 4 * n. */
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

/* Until all that have the other end are gone. */
static _Noreturn void relay(int from)
{
	unsigned char said[1024];
	char plain[4 * sizeof(said)];
	ssize_t n;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGTERM || sig == SIGHUP ? SIG_IGN : SIG_DFL);
	dup2(from, STDIN_FILENO);
	close(STDOUT_FILENO);
	/* A pipe to another child of ours would have no end. */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	while ((n = read(STDIN_FILENO, said, sizeof(said))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			pv_write_all(STDERR_FILENO, plain, make_plain(said, (size_t)n, plain));
	_exit(0);
}

/*
 * A process that copies what the child says there to our standard error. What a board says may be made for our
 * terminal, and ssh makes its standard error non-blocking, and with it every descriptor of the same open file, as our
 * standard output where both go into one pipe. Returns what the child writes to; -1: errno says why.
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
	 * What the child said is there before what we say of it. What it has started may hold on to its standard error.
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
