/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper: programs go from one owner to the next, and to nobody else; none outlives what it should not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/qemu/kept.h"
#include "framework/qemu/vm_pool.h"
#include "framework/util/fdpass.h"

static pid_t keeper;
static char name[32];

static int listen_somewhere(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t n = sizeof(at);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof(sa_family_t)), 0);
	cr_assert_eq(listen(fd, 16), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	snprintf(name, sizeof(name), "@%.*s", (int)(n - offsetof(struct sockaddr_un, sun_path) - 1), at.sun_path + 1);
	return fd;
}

static void set_up(void)
{
	int fd = listen_somewhere();

	keeper = fork();
	cr_assert_geq(keeper, 0);
	if (!keeper) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		_exit(pv_keeper_serve(fd) ? 1 : 0);
	}
	close(fd);
}

static void tear_down(void)
{
	int status;

	if (!keeper)
		return;
	kill(keeper, SIGTERM);
	cr_assert_eq(waitpid(keeper, &status, 0), keeper);
	cr_expect(WIFEXITED(status) && !WEXITSTATUS(status), "the keeper ended with 0x%x", status);
}

TestSuite(keeper, .init = set_up, .fini = tear_down, .timeout = 60);

static int connected(void)
{
	int fd = pv_kept_connect(name);

	cr_assert_geq(fd, 0);
	return fd;
}

/* A program that writes its process id into a pipe and sleeps. The pipe's end tells of its end. */
struct sleeper {
	int from;
	char pid[16];
};

static void start_sleeper(int connection, struct sleeper *s)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"echo $$ >&3; exec sleep 1000 3>&3", NULL};
	int pipes[2];

	cr_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
	const int fds[] = {-1, -1, STDERR_FILENO, pipes[1]};
	cr_assert_eq(pv_kept_start(connection, argv, fds, 4), 0);
	close(pipes[1]);
	s->from = pipes[0];
	ssize_t n = read(s->from, s->pid, sizeof(s->pid) - 1);
	cr_assert_gt(n, 1);
	s->pid[n - 1] = 0;
}

/* Does it end within `ms`? */
static bool ends(const struct sleeper *s, int ms)
{
	struct pollfd p = {s->from, POLLIN, 0};

	return poll(&p, 1, ms) == 1;
}

Test(keeper, goes_to_who_knows_the_key)
{
	struct sleeper s;
	int first = connected(), second = connected(), fds[2] = {-1, -1};
	int left = memfd_create("left", MFD_CLOEXEC);

	start_sleeper(first, &s);
	cr_expect(!pv_kept_take(second, "key", fds, 1), "it is in use");
	cr_assert_eq(pv_kept_keep(first, "key", &left, 1), 0);
	close(first);
	cr_expect(!pv_kept_take(second, "another", fds, 1));
	cr_assert(pv_kept_take(second, "key", fds, 1));
	cr_expect_eq(write(fds[0], "x", 1), 1);
	cr_expect_eq(lseek(left, 0, SEEK_CUR), 1, "it is the same file");
	cr_expect(!ends(&s, 100));
	int third = connected();
	cr_expect(!pv_kept_take(third, "key", fds, 1), "it is taken");
	close(second);
	cr_expect(ends(&s, 20000), "who has it goes");
}

Test(keeper, ends_with_who_has_it)
{
	struct sleeper s;
	int connection = connected();

	start_sleeper(connection, &s);
	cr_expect(!ends(&s, 100));
	close(connection);
	cr_expect(ends(&s, 20000));
}

Test(keeper, ends_all_when_it_ends)
{
	struct sleeper kept, used;
	int first = connected(), second = connected(), status;

	start_sleeper(first, &kept);
	cr_assert_eq(pv_kept_keep(first, "key", NULL, 0), 0);
	start_sleeper(second, &used);
	kill(keeper, SIGTERM);
	cr_assert_eq(waitpid(keeper, NULL, 0), keeper);
	keeper = 0;
	cr_expect(ends(&kept, 1000));
	cr_expect(ends(&used, 1000));
	cr_expect(pv_kept_ended(second, &status));
	cr_expect_eq(status, -1);
}

/* Nobody is left to end them but the kernel. */
Test(keeper, ends_all_when_it_is_killed)
{
	struct sleeper kept, used;
	int first = connected(), second = connected();

	start_sleeper(first, &kept);
	cr_assert_eq(pv_kept_keep(first, "key", NULL, 0), 0);
	start_sleeper(second, &used);
	kill(keeper, SIGKILL);
	cr_assert_eq(waitpid(keeper, NULL, 0), keeper);
	keeper = 0;
	cr_expect(ends(&kept, 20000));
	cr_expect(ends(&used, 20000));
}

Test(keeper, tells_how_it_ended)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exit 7", NULL};
	int connection = connected(), status = 0;
	struct pollfd p = {connection, POLLIN, 0};

	cr_assert_eq(pv_kept_start(connection, argv, NULL, 0), 0);
	cr_assert_eq(poll(&p, 1, 20000), 1);
	cr_assert(pv_kept_ended(connection, &status));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	cr_expect(!pv_kept_ended(connection, &status), "told once");
	cr_expect_eq(pv_kept_start(connection, argv, NULL, 0), 0, "and another one can be started");
}

Test(keeper, says_what_cannot_be_started)
{
	char *argv[] = {(char *)"/nonexistent/program", NULL};
	int connection = connected(), status = 0, said = memfd_create("said", MFD_CLOEXEC);
	const int fds[] = {-1, -1, said};
	struct pollfd p = {connection, POLLIN, 0};
	char text[256] = "";

	cr_assert_eq(pv_kept_start(connection, argv, fds, 3), 0);
	cr_assert_eq(poll(&p, 1, 20000), 1);
	cr_assert(pv_kept_ended(connection, &status));
	cr_expect_eq(WEXITSTATUS(status), 127);
	cr_assert_gt(pread(said, text, sizeof(text) - 1, 0), 0);
	cr_expect_str_eq(text, "/nonexistent/program: No such file or directory\n");
}

/* Those that wait longest go first. */
Test(keeper, keeps_not_too_many)
{
	struct sleeper s[PV_KEEPER_MOST + 2];
	char key[] = "a";

	for (size_t i = 0; i < PV_KEEPER_MOST + 2; i++, key[0]++) {
		int connection = connected();

		start_sleeper(connection, &s[i]);
		cr_assert_eq(pv_kept_keep(connection, key, NULL, 0), 0);
		close(connection);
	}
	cr_expect(ends(&s[0], 20000));
	cr_expect(ends(&s[1], 20000));
	for (size_t i = 2; i < PV_KEEPER_MOST + 2; i++)
		cr_expect(!ends(&s[i], 10), "%zu", i);
	int connection = connected();
	cr_expect(!pv_kept_take(connection, "a", NULL, 0));
	cr_expect(pv_kept_take(connection, "c", NULL, 0));
}

/* A client that makes no sense loses its connection; others do not notice. */
Test(keeper, hangs_up_on_nonsense)
{
	const struct pv_keeper_head odd[] = {
		{0, 0}, {PV_KEEPER_ENDED, 0}, {99, -1}, {PV_KEEPER_START, 3}, {PV_KEEPER_START, 0}};
	struct sleeper s;
	int other = connected();
	char text[8];

	start_sleeper(other, &s);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		int connection = connected(), status;
		struct pollfd p = {connection, POLLIN, 0};

		cr_assert_eq(send(connection, &odd[i], i % 2 ? sizeof(odd[i]) : 3, MSG_NOSIGNAL), i % 2 ? 8 : 3);
		cr_assert_eq(poll(&p, 1, 20000), 1, "%zu", i);
		if (odd[i].op != PV_KEEPER_START || i % 2 == 0)
			cr_expect(pv_kept_ended(connection, &status) && status == -1, "%zu", i);
		else
			cr_expect_eq(recv(connection, text, sizeof(text), 0), 8, "%zu: refused", i);
		close(connection);
	}
	cr_expect(!ends(&s, 100));
	cr_expect_eq(pv_kept_connect("@no-such-name"), -ECONNREFUSED);
	cr_expect_eq(pv_kept_connect("no name"), -EINVAL);
}
