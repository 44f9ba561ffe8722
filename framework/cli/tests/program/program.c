/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the program in tests: see program.h. */
#include "framework/cli/tests/program/program.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

char *output, *errors;
static char scratch[64];

void program_set_up(void)
{
	strcpy(scratch, "/tmp/pcieval-cli-XXXXXX");
	cr_assert_not_null(mkdtemp(scratch));
	cr_assert_eq(chdir(scratch), 0);
	setenv("pcieval", PCIEVAL, 1);
	/* SIGINT is ignored if the tests run in the background. */
	signal(SIGINT, SIG_DFL);
	int fd = open("/dev/null", O_RDONLY);
	cr_assert_geq(fd, 0);
	dup2(fd, STDIN_FILENO);
	close(fd);
}

/*
 * Kills processes that were started in the test's folder: a failed test may leave some, and a stopped process does not
 * notice the end of its input.
 */
static void kill_left(void)
{
	DIR *d = opendir("/proc");
	char path[280], command[4096];

	for (const struct dirent *e; d && (e = readdir(d));) {
		int pid = atoi(e->d_name);

		snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
		_autofclose_ FILE *f = pid > 0 && pid != getpid() ? fopen(path, "re") : NULL;
		size_t n = f ? fread(command, 1, sizeof(command) - 1, f) : 0;
		command[n] = 0;
		if (!strncmp(command, scratch, strlen(scratch)))
			kill(pid, SIGKILL);
	}
	if (d)
		closedir(d);
}

void program_tear_down(void)
{
	free(steal(&output));
	free(steal(&errors));
	cr_assert_eq(chdir("/"), 0);
	kill_left();
	pv_remove_all(scratch);
}

char *read_file(const char *path)
{
	char *text = NULL;
	size_t n;
	struct pv_error e;

	cr_assert_eq(pv_file_read(path, 1 << 24, &text, &n, &e), 0, "%s", e.text);
	return text;
}

bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

int program_files(void)
{
	DIR *d = opendir(".");
	int n = 0;

	cr_assert_not_null(d);
	for (const struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, ".output") &&
		     strcmp(e->d_name, ".errors");
	closedir(d);
	return n;
}

/* ---- running ---- */

static int shell(const char *command)
{
	int status = system(command);

	free(output);
	output = read_file(".output");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int pcieval(const char *arguments)
{
	char command[4096];

	snprintf(command, sizeof(command), "{ %s %s; } >.output 2>&1", PCIEVAL, arguments);
	return shell(command);
}

int program_script(const char *script)
{
	char command[4096];

	snprintf(command, sizeof(command), "{ %s\n} >.output 2>&1", script);
	return shell(command);
}

void expect_output(const char *part)
{
	cr_expect(strstr(output, part), "expected '%s' in:\n%s", part, output);
}

/* ---- rows ---- */

static void expect_text(const char *arguments, const char *stream, const char *expected, const char *got)
{
	if (expected && !*expected)
		cr_expect(!*got, "%s: expected nothing on %s, got:\n%s", arguments, stream, got);
	else if (expected)
		cr_expect(strstr(got, expected), "%s: expected '%s' on %s, got:\n%s", arguments, expected, stream, got);
}

static void insert(char *out, size_t size, const char *arguments, const char *at)
{
	const char *place = strchr(arguments, '@');

	if (place && at)
		snprintf(out, size, "%.*s%s%s", (int)(place - arguments), arguments, at, place + 1);
	else
		snprintf(out, size, "%s", arguments);
}

void program_expect(const struct program_row *row, const char *at)
{
	char arguments[2048], command[4096];

	insert(arguments, sizeof(arguments), row->arguments, at);
	snprintf(command, sizeof(command), "{ %s %s; } >.output 2>.errors", PCIEVAL, arguments);
	int status = shell(command);
	free(errors);
	errors = read_file(".errors");
	cr_expect_eq(status, row->status, "%s: expected status %d, got %d:\n%s%s", arguments, row->status, status,
		     output, errors);
	expect_text(arguments, "standard output", row->output, output);
	expect_text(arguments, "standard error", row->errors, errors);
	if (status == 2) {
		expect_text(arguments, "standard output", "", output);
		cr_expect(*errors, "%s: a usage error says why on standard error", arguments);
	}
	if (!status)
		expect_text(arguments, "standard error", "", errors);
}

void program_expect_all(const struct program_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		program_expect(&rows[i], NULL);
}

void program_expect_help(const char *arguments)
{
	const struct program_row row = {"@ --help", 0, "usage: pcieval ", ""};
	const struct program_row wrong = {"@ --no-such-option", 2, "", "'--no-such-option'; see "};

	program_expect(&wrong, arguments);
	program_expect(&row, arguments);
	for (const char *line = output; *line;) {
		size_t n = strcspn(line, "\n");

		cr_expect_leq(n, 80, "%s --help: %zu columns: %.*s", arguments, n, (int)n, line);
		line += n + !!line[n];
	}
}
