/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval-far as a child process, over a pair of pipes: this machine's software events, programs and files from the far
 * side. The program is named by PCIEVAL_FAR.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/far/client.h"
#include "framework/far/frames.h"

static struct pv_frames frames;
static struct pv_far_client *client;
static pid_t child;

static void start(const char *option)
{
	int to[2], from[2];

	cr_assert(!pipe(to) && !pipe(from));
	child = fork();
	if (!child) {
		signal(SIGCHLD, SIG_IGN); /* inherited: the status of its own children must not be lost */
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		close(to[1]);
		close(from[0]);
		execl(PCIEVAL_FAR, "pcieval-far", option, (char *)NULL);
		_exit(126);
	}
	close(to[0]);
	close(from[1]);
	frames = (struct pv_frames){.in = from[0], .out = to[1], .timeout_ms = 60000};
}

static int stop(void)
{
	int status = -1;

	close(frames.out);
	waitpid(child, &status, 0);
	close(frames.in);
	return status;
}

static void setup(void)
{
	struct pv_error e = {0};

	signal(SIGPIPE, SIG_IGN);
	start(NULL);
	cr_assert_eq(pv_far_connect(&client, pv_frames_exchange, &frames, &e), 0, "%s", e.text);
}

static void teardown(void)
{
	pv_far_close(client);
	cr_expect_eq(stop(), 0, "it ends when its input does");
}

TestSuite(far_program, .init = setup, .fini = teardown, .timeout = 120);

Test(far_program, it_says_which_linux_it_is)
{
	cr_expect_eq(strncmp(pv_far_system(client), "Linux ", 6), 0, "%s", pv_far_system(client));
}

Test(far_program, this_machine_has_a_software_pmu)
{
	struct pv_driver *d = pv_far_driver(client);
	char type[16];

	cr_expect_eq(d->ops->attr_read(d, "software", "type", type, sizeof(type)), 1);
	cr_expect_str_eq(type, "1");
	cr_expect_null(d->ops->ptt_buffer, "Linux cannot");
	cr_expect_not_null(d->ops->event_hold);
}

Test(far_program, an_event_counts)
{
	struct pv_driver *d = pv_far_driver(client);
	struct pv_machine *m = pv_far_machine(client);
	struct pv_perf_event *ev;
	uint64_t value = 0, enabled, running;
	int err = d->ops->event_open(d, "software", &(struct pv_perf_attr){0}, NULL, NULL, NULL, &ev);

	if (err == -EACCES || err == -EPERM || err == -ENOSYS || err == -ENODEV)
		cr_skip_test("no perf_event_open(2) here");
	cr_assert_eq(err, 0);
	cr_expect_eq(d->ops->event_enable(d, ev), 0);
	cr_expect_eq(m->ops->wait(m, 5000000), 0);
	cr_expect_eq(d->ops->event_disable(d, ev), 0);
	cr_expect_eq(d->ops->event_read(d, ev, &value), 0);
	cr_expect_geq(value, 5000000);
	cr_expect_eq(d->ops->event_times(d, ev, &enabled, &running), 0);
	cr_expect_geq(running, 5000000);
	d->ops->event_close(d, ev);
}

Test(far_program, programs_run_there)
{
	struct pv_shell *s = pv_far_shell(client);
	const char *const argv[] = {"sh", "-c", "cat; echo $$; exit 5", NULL};
	char out_text[64], err_text[64];
	struct pv_shell_output out = {.text = out_text, .room = 64}, err = {.text = err_text, .room = 64};
	int status;

	cr_expect_eq(s->ops->run(s, argv, 60000, &status, &out, &err), 0);
	cr_expect_eq(status, 5 << 8, "its input is not the protocol's");
	cr_expect_gt(atoi(out_text), 0);
}

Test(far_program, a_file_larger_than_a_message)
{
	struct pv_shell *s = pv_far_shell(client);
	const size_t size = 40u << 20;
	char path[] = "/dev/shm/pv-large-XXXXXX";
	int fd = mkstemp(path);
	uint8_t *data = malloc(size), *back = malloc(size);

	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 31 + (i >> 11));
	cr_assert_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
	cr_expect_eq(s->ops->file_read(s, path, 0, back, size), (int64_t)size);
	cr_expect_eq(memcmp(data, back, size), 0);
	unlink(path);
	free(data);
	free(back);
}

Test(far_program, its_death_is_told)
{
	struct pv_driver *d = pv_far_driver(client);

	siginfo_t info;

	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	cr_expect_null(d->ops->pmu_name(d, 0));
	cr_expect_eq(pv_far_failure(client)->code, -ECONNRESET);
	cr_expect(strstr(pv_far_failure(client)->text, "no answer"), "%s", pv_far_failure(client)->text);
	cr_expect_eq(d->ops->rescan(d), -ECONNRESET);
	pv_far_close(client);
	cr_expect_eq(stop(), SIGKILL);
	setup();
}

/* ---- without a client ---- */

/* Runs the program with an option and an input of n bytes: its exit status. */
static int run_with(const char *option, const void *input, size_t n)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	start(option);
	cr_assert(!n || write(frames.out, input, n) >= 0 || errno == EPIPE);
	status = stop();
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

Test(far_program_alone, streams_that_end_early)
{
	cr_expect_eq(run_with(NULL, "", 0), 0);
	cr_expect_eq(run_with(NULL, "\xff\xff\xff\x7f", 4), 3, "a message of 2 GiB");
}

Test(far_program_alone, sessions)
{
	static const char empty[8];
	char answer[9];

	start("--read-only");
	for (int i = 0; i < 2; i++) {
		struct pv_error e = {0};

		cr_assert_eq(pv_far_connect(&client, pv_frames_exchange, &frames, &e), 0, "%s", e.text);
		cr_expect_geq(pv_far_machine(client)->ops->wait(pv_far_machine(client), 1), 0);
		pv_far_close(client);
		cr_assert_eq(write(frames.out, empty, 4), 4);
		cr_assert_eq(poll(&(struct pollfd){.fd = frames.in, .events = POLLIN}, 1, 30000), 1);
		cr_assert_eq(read(frames.in, answer, sizeof(answer)), 4, "the end of session %d", i);
		cr_expect_eq(memcmp(answer, empty, 4), 0);
	}
	cr_assert_eq(write(frames.out, empty, 8), 8);
	cr_expect_eq(stop(), 0, "two sessions in which nothing was asked");
}

/* Starts the program, traced by this one. Its input is the pipe `in`. */
static pid_t start_traced(const int in[2])
{
	pid_t pid = fork();

	if (!pid) {
		dup2(in[0], STDIN_FILENO);
		close(in[1]);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(PCIEVAL_FAR, "pcieval-far", "--read-only", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Lets it run to its fork, at which it stops. Returns the process that it has forked; 0: it cannot be traced. */
static pid_t run_to_fork(pid_t pid)
{
	unsigned long forked = 0;
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACEFORK))
		return 0;
	do {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return 0;
	} while (status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8));
	ptrace(PTRACE_GETEVENTMSG, pid, NULL, &forked);
	return (pid_t)forked;
}

/* The signal comes before fork(2) has returned: the server ends, and its parent after it has restored everything. */
Test(far_program_alone, a_signal_between_fork_and_wait_ends_the_server_first, .timeout = 30)
{
	int in[2], status;

	cr_assert_eq(pipe(in), 0);
	pid_t pid = start_traced(in), forked = run_to_fork(pid);
	if (!forked) {
		kill(pid, SIGKILL);
		cr_skip_test("processes cannot be traced here");
	}
	kill(pid, SIGTERM);
	cr_assert_eq(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	cr_assert_eq(waitpid(forked, &status, __WALL), forked);
	cr_assert_eq(ptrace(PTRACE_DETACH, forked, NULL, NULL), 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFEXITED(status), "it is killed itself: 0x%x", status);
	cr_expect_eq(kill(forked, 0), -1);
	close(in[0]);
	close(in[1]);
}

Test(far_program_alone, options)
{
	cr_expect_eq(run_with("--mailbox=nowhere", "", 0), 2);
	cr_expect_eq(run_with("--mailbox=0x1001", "", 0), 2, "not a page");
	cr_expect_eq(run_with("--nonsense", "", 0), 2);
	cr_expect_eq(run_with("stray", "", 0), 2);
	cr_expect_eq(run_with("--version", "", 0), 0);
	cr_expect_eq(run_with("--root=/nonexistent", "", 0), 3);
}
