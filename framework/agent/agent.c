/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent as a process: its streams, the case message, its end, its exit status. */
#include "framework/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/agent/postmortem.h"
#include "framework/agent/session.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

#define MESSAGE_MAX (64u << 20)

static int refuse(struct pv_emit *m, const char *message)
{
	pv_emit_hello(m, "none", "none");
	pv_emit_problem(m, 0, PV_EMIT_ERROR, "protocol", message, NULL);
	pv_emit_done(m, PV_EMIT_ERROR, 0, 0);
	return 0;
}

int pv_agent_serve(FILE *in, FILE *out)
{
	struct pv_emit emit = {out};
	struct pv_session session;
	struct pv_error e = {0};
	_autofree_ char *line = NULL;
	size_t size = 0;
	ssize_t len = getline(&line, &size, in);

	if (len <= 0)
		return refuse(&emit, "case message: expected a line on standard input, got its end");
	if (len > MESSAGE_MAX)
		return refuse(&emit, "case message: expected at most 64 MiB");
	json_object *msg = pv_json_parse(line, (size_t)len, &e);
	const char *op = json_object_get_string(json_object_object_get(msg, "op"));
	if (!msg) {
		pv_error_context(&e, "case message: ");
		return refuse(&emit, e.text);
	}
	if (!op || strcmp(op, "case"))
		refuse(&emit, "case message: \"op\": expected \"case\"");
	else
		pv_session_run(&session, msg, &emit);
	json_object_put(msg);
	return 0;
}

/* ---- the process ---- */

/* The protocol owns standard output: output of libraries is redirected to standard error. */
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
