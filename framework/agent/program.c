/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent as a process: its streams, its end, its exit status. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "framework/agent/agent.h"
#include "framework/agent/postmortem.h"
#include "framework/util/error.h"

/* The protocol keeps standard output for itself: what libraries print there goes to standard error. */
static FILE *take_stdout(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return NULL;
	return fdopen(fd, "w");
}

static int failed(const char *what, const char *why)
{
	fprintf(stderr, "pcieval: agent: %s: %s\n", what, why);
	return PV_EXIT_UNJUDGED;
}

int pv_agent_program(void)
{
	FILE *out = take_stdout();

	if (!out)
		return failed("standard output", strerror(errno));
	int err = pv_postmortem_start();
	if (err)
		return failed("preparing for its end", strerror(-err));
	pv_agent_serve(stdin, out);
	bool lost = ferror(out);
	return fclose(out) || lost ? failed("standard output", "events could not be written") : PV_EXIT_PASSED;
}
