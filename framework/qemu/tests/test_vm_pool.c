/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pool of VMs: a program goes from one client to the next, and to no other; it ends with its client or the server.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/qemu/vm_pool.h"
#include "framework/util/fdpass.h"

static pid_t server;
static char name[32];

static void set_up(void)
{
	int fd = pv_vm_pool_listen(name);

	server = fork();
	cr_assert_geq(server, 0);
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		_exit(pv_vm_pool_serve(fd) ? 1 : 0);
	}
	close(fd);
}

static void tear_down(void)
{
	int status;

	if (!server)
		return;
	kill(server, SIGTERM);
	cr_assert_eq(waitpid(server, &status, 0), server);
	cr_expect(WIFEXITED(status) && !WEXITSTATUS(status), "the server ended with 0x%x", status);
}

TestSuite(vm_pool, .init = set_up, .fini = tear_down, .timeout = 60);

static int connected(void)
{
	int fd = pv_vm_pool_connect(name);

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
	cr_assert_eq(pv_vm_pool_start(connection, argv, fds, 4), 0);
	close(pipes[1]);
	s->from = pipes[0];
	ssize_t n = read(s->from, s->pid, sizeof(s->pid) - 1);
	cr_assert_gt(n, 1);
	s->pid[n - 1] = 0;
}

/* Returns true if it ends within `ms`. */
static bool ends(const struct sleeper *s, int ms)
{
	struct pollfd p = {s->from, POLLIN, 0};

	return poll(&p, 1, ms) == 1;
}

Test(vm_pool, goes_to_who_knows_the_key)
{
	struct sleeper s;
	int first = connected(), second = connected(), fds[2] = {-1, -1};
	int left = memfd_create("left", MFD_CLOEXEC);

	start_sleeper(first, &s);
	cr_expect(!pv_vm_pool_take(second, "key", fds, 1), "it is in use");
	cr_assert_eq(pv_vm_pool_put(first, "key", &left, 1), 0);
	close(first);
	cr_expect(!pv_vm_pool_take(second, "another", fds, 1));
	cr_assert(pv_vm_pool_take(second, "key", fds, 1));
	cr_expect_eq(write(fds[0], "x", 1), 1);
	cr_expect_eq(lseek(left, 0, SEEK_CUR), 1, "it is the same file");
	cr_expect(!ends(&s, 100));
	int third = connected();
	cr_expect(!pv_vm_pool_take(third, "key", fds, 1), "it is taken");
	close(second);
	cr_expect(ends(&s, 20000), "who has it goes");
}

Test(vm_pool, ends_with_who_has_it)
{
	struct sleeper s;
	int connection = connected();

	start_sleeper(connection, &s);
	cr_expect(!ends(&s, 100));
	close(connection);
	cr_expect(ends(&s, 20000));
}

Test(vm_pool, ends_all_when_it_ends)
{
	struct sleeper idle, used;
	int first = connected(), second = connected(), status;

	start_sleeper(first, &idle);
	cr_assert_eq(pv_vm_pool_put(first, "key", NULL, 0), 0);
	start_sleeper(second, &used);
	kill(server, SIGTERM);
	cr_assert_eq(waitpid(server, NULL, 0), server);
	server = 0;
	cr_expect(ends(&idle, 1000));
	cr_expect(ends(&used, 1000));
	cr_expect(pv_vm_pool_ended(second, &status));
	cr_expect_eq(status, -1);
}

/* The server is dead, so the kernel must kill the programs. */
Test(vm_pool, ends_all_when_it_is_killed)
{
	struct sleeper idle, used;
	int first = connected(), second = connected();

	start_sleeper(first, &idle);
	cr_assert_eq(pv_vm_pool_put(first, "key", NULL, 0), 0);
	start_sleeper(second, &used);
	kill(server, SIGKILL);
	cr_assert_eq(waitpid(server, NULL, 0), server);
	server = 0;
	cr_expect(ends(&idle, 20000));
	cr_expect(ends(&used, 20000));
}

Test(vm_pool, tells_how_it_ended)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exit 7", NULL};
	int connection = connected(), status = 0;
	struct pollfd p = {connection, POLLIN, 0};

	cr_assert_eq(pv_vm_pool_start(connection, argv, NULL, 0), 0);
	cr_assert_eq(poll(&p, 1, 20000), 1);
	cr_assert(pv_vm_pool_ended(connection, &status));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	cr_expect(!pv_vm_pool_ended(connection, &status), "told once");
	cr_expect_eq(pv_vm_pool_start(connection, argv, NULL, 0), 0, "and another one can be started");
}

Test(vm_pool, says_what_cannot_be_started)
{
	char *argv[] = {(char *)"/nonexistent/program", NULL};
	int connection = connected(), status = 0, said = memfd_create("said", MFD_CLOEXEC);
	const int fds[] = {-1, -1, said};
	struct pollfd p = {connection, POLLIN, 0};
	char text[256] = "";

	cr_assert_eq(pv_vm_pool_start(connection, argv, fds, 3), 0);
	cr_assert_eq(poll(&p, 1, 20000), 1);
	cr_assert(pv_vm_pool_ended(connection, &status));
	cr_expect_eq(WEXITSTATUS(status), 127);
	cr_assert_gt(pread(said, text, sizeof(text) - 1, 0), 0);
	cr_expect_str_eq(text, "/nonexistent/program: cannot be started: No such file or directory\n");
}

/* The programs that are idle longest are killed first. */
Test(vm_pool, keeps_not_too_many)
{
	struct sleeper s[PV_VM_POOL_MAX + 2];
	char key[] = "a";

	for (size_t i = 0; i < PV_VM_POOL_MAX + 2; i++, key[0]++) {
		int connection = connected();

		start_sleeper(connection, &s[i]);
		cr_assert_eq(pv_vm_pool_put(connection, key, NULL, 0), 0);
		close(connection);
	}
	cr_expect(ends(&s[0], 20000));
	cr_expect(ends(&s[1], 20000));
	for (size_t i = 2; i < PV_VM_POOL_MAX + 2; i++)
		cr_expect(!ends(&s[i], 10), "%zu", i);
	int connection = connected();
	cr_expect(!pv_vm_pool_take(connection, "a", NULL, 0));
	cr_expect(pv_vm_pool_take(connection, "c", NULL, 0));
}

/* A client that makes no sense loses its connection; others do not notice. */
Test(vm_pool, hangs_up_on_nonsense)
{
	const struct pv_vm_pool_head odd[] = {
		{0, 0}, {PV_VM_POOL_ENDED, 0}, {99, -1}, {PV_VM_POOL_START, 3}, {PV_VM_POOL_START, 0}};
	struct sleeper s;
	int other = connected();
	char text[8];

	start_sleeper(other, &s);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		int connection = connected(), status;
		struct pollfd p = {connection, POLLIN, 0};

		cr_assert_eq(send(connection, &odd[i], i % 2 ? sizeof(odd[i]) : 3, MSG_NOSIGNAL), i % 2 ? 8 : 3);
		cr_assert_eq(poll(&p, 1, 20000), 1, "%zu", i);
		if (odd[i].op != PV_VM_POOL_START || i % 2 == 0)
			cr_expect(pv_vm_pool_ended(connection, &status) && status == -1, "%zu", i);
		else
			cr_expect_eq(recv(connection, text, sizeof(text), 0), 8, "%zu: refused", i);
		close(connection);
	}
	cr_expect(!ends(&s, 100));
	cr_expect_eq(pv_vm_pool_connect("@no-such-name"), -ECONNREFUSED);
	cr_expect_eq(pv_vm_pool_connect("no name"), -EINVAL);
}
