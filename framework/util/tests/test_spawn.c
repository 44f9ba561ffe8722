/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/spawn.h"

#define SHELL(text)                    \
	(const char *const[])          \
	{                              \
		"sh", "-c", text, NULL \
	}

/* Runs it to its end, with its standard output and error in `said`. Returns its wait status. */
static int run(struct pv_spawn s, char *said, size_t size)
{
	int out[2];
	size_t n = 0;
	ssize_t got;

	cr_assert_eq(pipe2(out, O_CLOEXEC), 0);
	s.streams[0] = -1;
	s.streams[1] = s.streams[2] = out[1];
	pid_t pid = pv_spawn(&s);
	close(out[1]);
	while (pid > 0 && (got = read(out[0], said + n, size - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(out[0]);
	cr_assert_gt(pid, 0);
	return pv_spawn_wait(pid);
}

Test(spawn, streams_and_status)
{
	char said[256], text[64];
	int status = run((struct pv_spawn){.argv = SHELL("echo out; echo err >&2; exit 3")}, said, sizeof(said));

	cr_expect_str_eq(said, "out\nerr\n");
	cr_expect_str_eq(pv_spawn_status(status, text, sizeof(text)), "exit status 3");
	status = run((struct pv_spawn){.argv = SHELL("kill -9 $$")}, said, sizeof(said));
	cr_expect_str_eq(pv_spawn_status(status, text, sizeof(text)), "signal 9 (Killed)");
}

/* Some programs start others with SIGCHLD ignored: waitpid(2) would find no child, and its status look like a success.
 */
Test(spawn, the_status_is_kept_although_sigchld_was_ignored)
{
	char said[16];

	signal(SIGCHLD, SIG_IGN);
	cr_expect_eq(WEXITSTATUS(run((struct pv_spawn){.argv = SHELL("exit 3")}, said, sizeof(said))), 3);
}

static char *output_of(const char *command, size_t max, int *status)
{
	return pv_spawn_output(&(struct pv_spawn){.argv = SHELL(command), .streams = {-1, -1, -1}}, max, status);
}

Test(spawn, output_is_read_to_its_end_and_kept_up_to_a_limit)
{
	int status;
	_autofree_ char *all = output_of("echo one; exit 3", 100, &status);

	cr_expect_str_eq(all, "one\n");
	cr_expect_eq(WEXITSTATUS(status), 3);
	free(steal(&all));
	all = output_of("head -c 200000 /dev/zero | tr '\\0' x", 50000, &status);
	cr_assert(all);
	cr_expect_eq(strlen(all), 50000);
	cr_expect_eq(status, 0, "a program that prints more is not stopped");
	free(steal(&all));
	all = output_of("echo one", 0, &status);
	cr_expect_str_eq(all, "");
}

Test(spawn, a_file_has_its_limit)
{
	char said[256];
	int full = memfd_create("full", MFD_CLOEXEC), status;
	const int fds[] = {-1, full, 2};
	pid_t pid = pv_spawn(&(struct pv_spawn){
		.argv = SHELL("exec head -c 200000 /dev/zero"), .fds = fds, .n_fds = 3, .file_bytes = 100000});

	cr_assert_gt(pid, 0);
	status = pv_spawn_wait(pid);
	cr_expect_str_eq(pv_spawn_status(status, said, sizeof(said)), "signal 25 (File size limit exceeded)");
	cr_expect_eq(lseek(full, 0, SEEK_END), 100000);
	close(full);
}

Test(spawn, a_program_that_is_not_there)
{
	const char *const argv[] = {"no-such-program", NULL};
	char said[256];
	int status = run((struct pv_spawn){.argv = argv}, said, sizeof(said));

	cr_expect_eq(WEXITSTATUS(status), PV_SPAWN_FAILED);
	cr_expect_str_eq(said, "no-such-program: cannot be started: No such file or directory\n");
	status = run((struct pv_spawn){.path = "/no/such", .argv = argv}, said, sizeof(said));
	cr_expect_str_eq(said, "/no/such: cannot be started: No such file or directory\n");
}

Test(spawn, environment_and_group)
{
	static char mark[] = "MARK=7", path[] = "PATH=/usr/bin:/bin", *env[] = {mark, path, NULL};
	char said[256], want[64];

	run((struct pv_spawn){.argv = SHELL("echo $MARK $HOME"), .env = env}, said, sizeof(said));
	cr_expect_str_eq(said, "7\n");
	run((struct pv_spawn){.argv = SHELL("ps -o pgid= -p $$ | tr -d ' '")}, said, sizeof(said));
	snprintf(want, sizeof(want), "%d\n", (int)getpgrp());
	cr_expect_str_eq(said, want);
	run((struct pv_spawn){.argv = SHELL("[ $(ps -o pgid= -p $$) = $$ ] && echo own"), .own_group = true}, said,
	    sizeof(said));
	cr_expect_str_eq(said, "own\n");
}

static int ignore(int sig)
{
	return signal(sig, SIG_IGN) == SIG_ERR;
}

static void handle(int sig)
{
	_exit(sig);
}

Test(spawn, signals_are_as_in_a_new_program)
{
	const char *const argv[] = {"cat", "/proc/self/status", NULL};
	char said[4096];
	sigset_t usr1;

	for (int sig = 1; sig < SIGRTMIN; sig++) /* those that a shell ignores in the background */
		signal(sig, SIG_DFL);
	signal(SIGUSR2, handle);
	cr_assert_not(ignore(SIGHUP) || ignore(SIGPIPE));
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	run((struct pv_spawn){.argv = argv, .mask = &usr1}, said, sizeof(said));
	cr_expect(strstr(said, "SigBlk:\t0000000000000200\nSigIgn:\t0000000000000001\nSigCgt:\t0000000000000000\n"),
		  "%s", said);
}

Test(spawn, only_what_is_kept_is_inherited)
{
	int kept = open("/dev/null", O_RDONLY | O_CLOEXEC), other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char command[128], said[256];

	snprintf(command, sizeof(command),
		 "[ -e /proc/self/fd/%d ] && echo kept; [ -e /proc/self/fd/%d ] || echo closed", kept, other);
	run((struct pv_spawn){.argv = SHELL(command), .keep = {kept, -1}}, said, sizeof(said));
	cr_expect_str_eq(said, "kept\nclosed\n");
}

/* Numbers that overlap: each pipe gets the other's. Its standard input is closed. */
Test(spawn, descriptors_by_number)
{
	int a[2], b[2], fds[PV_SPAWN_FDS];
	char command[128], said[2][16] = {{0}};

	cr_assert_eq(pipe2(a, O_CLOEXEC) | pipe2(b, O_CLOEXEC), 0);
	cr_assert_lt(b[1], PV_SPAWN_FDS);
	for (int i = 0; i < PV_SPAWN_FDS; i++)
		fds[i] = i == a[1] ? b[1] : i == b[1] ? a[1] : i == 1 || i == 2 ? i : -1;
	snprintf(command, sizeof(command),
		 "echo a >/dev/fd/%d; echo b >/dev/fd/%d; [ -e /dev/fd/0 ] || echo closed >/dev/fd/%d", a[1], b[1],
		 b[1]);
	struct pv_spawn s = {.argv = SHELL(command), .fds = fds, .n_fds = PV_SPAWN_FDS};
	cr_expect_eq(pv_spawn_wait(pv_spawn(&s)), 0);
	cr_expect_gt(read(b[0], said[0], sizeof(said[0]) - 1), 0);
	cr_expect_gt(read(a[0], said[1], sizeof(said[1]) - 1), 0);
	cr_expect_str_eq(said[0], "a\n");
	cr_expect_str_eq(said[1], "b\nclosed\n");
	s.n_fds = PV_SPAWN_FDS + 1;
	cr_expect_eq(pv_spawn(&s), -E2BIG);
}

Test(spawn, one_that_runs_on_is_killed, .timeout = 20)
{
	int status;
	pid_t pid =
		pv_spawn(&(struct pv_spawn){.argv = SHELL("trap '' TERM; exec sleep 1000"), .streams = {-1, -1, -1}});

	cr_expect_not(pv_spawn_ended(pid, 20, &status));
	status = pv_spawn_reap(pid, 20);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* The child of a child: it ends with the one that started it. */
Test(spawn, ends_with_whoever_started_it, .timeout = 20)
{
	int alive[2];
	char byte;

	cr_assert_eq(pipe(alive), 0);
	pid_t starter = fork();
	if (!starter) {
		close(alive[0]);
		pv_spawn(&(struct pv_spawn){
			.argv = SHELL("exec sleep 1000"), .streams = {-1, -1, -1}, .end_signal = SIGKILL});
		_exit(0);
	}
	close(alive[1]);
	pv_spawn_wait(starter);
	cr_expect_eq(read(alive[0], &byte, 1), 0, "the other end is closed once both are gone");
}
