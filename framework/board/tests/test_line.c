/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A far side that is kept from case to case: pcieval-far, and shell scripts that end in error. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/line.h"
#include "framework/far/client.h"
#include "framework/far/frames.h"

static struct pv_line line;
static struct pv_frames frames;
static struct pv_error e;
static char *said;

static void use(const char *const *command)
{
	signal(SIGPIPE, SIG_IGN);
	pv_line_init(&line, command);
}

static void begin(void)
{
	int fds[2];

	cr_assert_eq(pv_line_begin(&line, fds, &e), 0, "%s", e.text);
	frames = (struct pv_frames){.in = fds[0], .out = fds[1], .timeout_ms = 30000};
}

static int end(void)
{
	free(said);
	e = (struct pv_error){0};
	return pv_line_end(&line, &said, &e);
}

static void tear_down(void)
{
	pv_line_close(&line);
	free(said);
}

TestSuite(line, .fini = tear_down, .timeout = 60);

static struct pv_far_client *greet(void)
{
	struct pv_far_client *c;

	cr_assert_eq(pv_far_connect(&c, pv_frames_exchange, &frames, &e), 0, "%s", e.text);
	return c;
}

static const char *const far[] = {PCIEVAL_FAR, "--read-only", NULL};

Test(line, one_far_side_for_many_cases)
{
	use(far);
	begin();
	pid_t first = line.child.pid;
	for (int i = 0; i < 3; i++) {
		struct pv_far_client *c = greet();

		cr_expect_eq(pv_far_machine(c)->ops->wait(pv_far_machine(c), 1000), 0);
		pv_far_close(c);
		cr_expect_eq(end(), 0, "%s", e.text);
		cr_expect_null(said);
		begin();
		cr_expect_eq(line.child.pid, first);
	}
	cr_expect_eq(end(), 0, "a case that asked nothing: %s", e.text);
}

/* The program ends with its server, so the reader of its answers sees the end of the stream. */
Test(line, a_server_that_is_killed)
{
	char command[128];

	use(far);
	begin();
	snprintf(command, sizeof(command),
		 "for i in $(seq 400); do pkill -KILL -P %d && exit; sleep 0.05; done; exit 1", (int)line.child.pid);
	cr_assert_eq(system(command), 0);
	cr_expect_eq(end(), -ECONNRESET);
	cr_expect(strstr(e.text, "exit status 3"), "%s", e.text);
}

/* The pipe contains half a request; the rest never comes. */
Test(line, a_case_that_ends_in_the_middle_of_a_request)
{
	static const char half[] = {100, 0, 0, 0, 1};

	use(far);
	begin();
	pid_t first = line.child.pid;
	cr_assert_eq(write(frames.out, half, sizeof(half)), (ssize_t)sizeof(half));
	cr_expect_eq(end(), -ECONNRESET);
	cr_expect(strstr(e.text, "did not end the case's session"), "%s", e.text);
	begin();
	cr_expect_neq(line.child.pid, first);
	pv_far_close(greet());
	cr_expect_eq(end(), 0, "%s", e.text);
}

/* The answer that the case did not wait for precedes the answer to the end of the session. */
Test(line, a_case_that_ends_before_its_answer)
{
	static const char request[] = {8, 0, 0, 0, 99, 0, 0, 0, 1, 0, 0, 0};

	use(far);
	begin();
	cr_assert_eq(write(frames.out, request, sizeof(request)), (ssize_t)sizeof(request));
	cr_expect_eq(end(), -ECONNRESET);
	begin();
	pv_far_close(greet());
	cr_expect_eq(end(), 0, "%s", e.text);
}

static void expect_bad_end(const char *script, const char *says, const char *error)
{
	const char *const command[] = {"sh", "-c", script, NULL};

	use(command);
	begin();
	cr_expect_eq(end(), -ECONNRESET, "%s", script);
	cr_expect(strstr(e.text, says), "%s: expected \"%s\", got \"%s\"", script, says, e.text);
	cr_expect_str_eq(said ? said : "", error);
	cr_expect_eq(line.child.pid, 0);
	pv_line_close(&line);
}

Test(line, far_sides_that_end_badly)
{
	expect_bad_end(
		"echo out of order >&2; exit 3",
		"sh did not end the case's session: exit status 3; it said: out of order (all of its standard error "
		"is in the case's log)",
		"out of order\n");
	expect_bad_end("exit 3", "exit status 3; its standard error is empty", "");
	expect_bad_end("printf '\\n \\r\\n' >&2; exit 3", "exit status 3; its standard error is empty", "\n \r\n");
	expect_bad_end("printf 'first\\nno \\033[1mroom\\r\\n\\r\\n\\n' >&2; exit 3", "it said: no  [1mroom (all",
		       "first\nno \033[1mroom\r\n\r\n\n");
	expect_bad_end("kill -9 $$", "signal 9 (Killed)", "");
	expect_bad_end("head -c 4 >/dev/null; printf '\\0\\0\\0\\1'; sleep 9", "did not end", "");
	expect_bad_end("head -c 4 >/dev/null; printf '\\0\\0\\0\\0\\0'; sleep 9", "did not end", "");
	expect_bad_end("exec /no/such", "exit status 127", "sh: 1: exec: /no/such: not found\n");
}

/* A message has room for the beginning of a long line. */
Test(line, a_far_side_that_says_much)
{
	const char *const command[] = {"sh", "-c", "printf 'begin%2000s' end >&2; exit 3", NULL};

	use(command);
	begin();
	cr_expect_eq(end(), -ECONNRESET);
	cr_expect(strstr(e.text, "it said: begin  "), "%s", e.text);
	cr_expect(strstr(e.text, "... (all of its"), "%s", e.text);
	cr_expect_lt(strlen(e.text), 500);
}

/* The far side neither answers nor ends at the end of its input, so it gets SIGTERM. */
Test(line, a_far_side_that_does_not_listen)
{
	const char *const command[] = {"sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", NULL};
	struct timespec from, to;

	use(command);
	begin();
	clock_gettime(CLOCK_MONOTONIC, &from);
	cr_expect_eq(end(), -ECONNRESET);
	clock_gettime(CLOCK_MONOTONIC, &to);
	cr_expect_geq(to.tv_sec - from.tv_sec, 10);
	cr_expect(strstr(e.text, "signal 9"), "%s", e.text);
}

/* Like a frozen connection: the request of the case fills the pipe, so the end of the session cannot be sent. */
Test(line, a_far_side_that_reads_nothing)
{
	static const char *const command[] = {"sleep", "1000", NULL};
	static const char part[4096];

	use(command);
	begin();
	cr_assert_eq(fcntl(frames.out, F_SETFL, O_NONBLOCK), 0);
	while (write(frames.out, part, sizeof(part)) > 0)
		;
	cr_assert_eq(fcntl(frames.out, F_SETFL, 0), 0);
	cr_expect_eq(end(), -ECONNRESET);
	cr_expect(strstr(e.text, "signal 15"), "%s", e.text);
}

/* A far side that is asked to end can still print. */
Test(line, a_far_side_that_is_told_to_end)
{
	expect_bad_end("trap 'exit 4' TERM; while :; do sleep 0.1; done", "exit status 4", "");
}

Test(line, what_cannot_be_started)
{
	static const char *const command[] = {"/no/such", NULL};

	use(command);
	begin();
	cr_expect_eq(end(), -ECONNRESET);
	cr_expect(strstr(e.text, "/no/such did not end the case's session: exit status 127"), "%s", e.text);
	cr_expect_str_eq(said, "/no/such: cannot be started: No such file or directory\n");
}
