/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pcieval command: dispatches to its subcommands. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/util/hint.h"

static int print_usage(void)
{
	puts("usage: pcieval COMMAND [OPTION]... [FILE]...\n\n"
	     "Proves that PCIe and CXL performance hardware, and the drivers that expose it,\n"
	     "tell the truth.\n\n"
	     "Commands:");
	for (const struct pv_command *const *c = pv_commands; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->help);
	puts("\n'pcieval COMMAND --help' says more. Exit status: 0 passed, 1 failed, 2 usage or\n"
	     "plan error, 3 some case could not be judged, 4 nothing was judged.");
	return PV_EXIT_PASSED;
}

static const struct pv_command *find(const char *name)
{
	const struct pv_command *const *c = pv_commands;

	while (*c && strcmp((*c)->name, name))
		c++;
	return *c;
}

static const char *candidate_command(const void *ctx, size_t i)
{
	return pv_commands[i] ? pv_commands[i]->name : NULL;
}

static bool is(const char *arg, const char *a, const char *b)
{
	return !strcmp(arg, a) || !strcmp(arg, b);
}

/* Flushes standard output: if a write fails, for example on a full disk, the command fails. */
static int finish(int status)
{
	return pv_cli_flush() && !status ? PV_EXIT_UNJUDGED : status;
}

/* Keeps closed standard streams closed: otherwise the next opened file would get their descriptor, and the output. */
static void keep_closed_streams(void)
{
	static const int refuses[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", refuses[fd]) != fd)
			abort();
}

/*
 * Opens pipes among the standard streams again. O_NONBLOCK belongs to an open file: ssh sets it on a pipe that it
 * shares with us, as in CI, and our writes would fail while the pipe is full. Others cannot change an open file of our
 * own.
 */
static void open_own_pipes(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		char path[sizeof("/proc/self/fd/0")];
		struct stat st;

		if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		/* O_NONBLOCK: fails where the other end is closed, and waits otherwise. */
		int own = open(path, (fcntl(fd, F_GETFL) & O_ACCMODE) | O_NONBLOCK | O_CLOEXEC);
		if (own < 0)
			continue;
		if (!fcntl(own, F_SETFL, 0))
			dup2(own, fd);
		close(own);
	}
}

static int print_command_help(const struct pv_command *c, int argc, char **argv)
{
	char option[] = "--help", *words[] = {argv[0], argc > 1 ? argv[1] : option, option, NULL};

	return c->run(c, argc > 1 ? 3 : 2, words);
}

int main(int argc, char **argv)
{
	keep_closed_streams();
	open_own_pipes();
	/* A limit of file sizes acts like a full disk: the write fails with an error. */
	signal(SIGXFSZ, SIG_IGN);
	/* Inherited as ignored, it would take the status of children. */
	signal(SIGCHLD, SIG_DFL);
	if (argc < 2)
		return pv_cli_error("expected a command; see 'pcieval --help'");
	const char *name = argv[1];
	if (is(name, "--version", "-V"))
		return finish(puts("pcieval " PCIEVAL_VERSION) < 0);
	if (is(name, "--help", "-h") || (is(name, "help", "help") && argc == 2))
		return finish(print_usage());
	bool help = !strcmp(name, "help");
	const struct pv_command *c = find(help ? argv[2] : name);
	if (!c) {
		const char *word = help ? argv[2] : name;
		struct pv_hint hint = pv_did_you_mean(word, candidate_command, NULL);

		return pv_cli_error("there is no command '%s'%s", PV_SHOW(word),
				    hint.s[0] ? hint.s : "; see 'pcieval --help'");
	}
	return finish(help ? print_command_help(c, argc - 2, argv + 2) : c->run(c, argc - 1, argv + 1));
}
