/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running workload commands on the far side. */
#include "framework/board/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "framework/board/counts.h"
#include "framework/topology/topology.h"
#include "framework/util/cleanup.h"

#define OUTPUT_BYTES (1u << 20)
#define SAID_BYTES   200 /* of its last words, in messages */
#define SPARE_MS     500 /* for its answer to come */

/* ---- which ---- */

static const char *text_of(json_object *o, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(o, key));

	return text ? text : "";
}

/* "cpu" and "memory" are the same end. */
static bool is_end(json_object *entry, const char *key, pv_bdf end)
{
	const char *text = text_of(entry, key);
	pv_bdf bdf;

	if (end == PV_COMMAND_CPU)
		return !strcmp(text, "cpu") || !strcmp(text, "memory");
	return !pv_bdf_parse(text, &bdf) && bdf == end;
}

static json_object *find(const struct pv_board_commands *c, pv_bdf from, pv_bdf to)
{
	json_object *list = json_object_object_get(c->far, "workloads");
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *entry = json_object_array_get_idx(list, i);

		if (is_end(entry, "from", from) && is_end(entry, "to", to))
			return entry;
	}
	return NULL;
}

/* Returns an end of a workload as text; `other` is the text for "cpu" and "memory". */
static struct pv_bdf_text end_text(pv_bdf end, struct pv_bdf_text other)
{
	return end == PV_COMMAND_CPU ? other : pv_bdf_text(end);
}

/* ---- running it ---- */

struct said {
	char *out, *err;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fill_argv(json_object *entry, const char **argv, struct pv_error *e)
{
	json_object *words = json_object_object_get(entry, "command");
	size_t n = json_object_is_type(words, json_type_array) ? json_object_array_length(words) : 0;

	if (!n || n >= PV_SHELL_ARGS_MAX)
		return pv_error(e, -EINVAL, "case message: \"workloads\": expected 1 to %u words, got %zu",
				PV_SHELL_ARGS_MAX - 1, n);
	for (size_t i = 0; i < n; i++)
		argv[i] = json_object_get_string(json_object_array_get_idx(words, i));
	for (size_t i = 0; i < n; i++)
		if (!argv[i])
			return pv_error(e, -EINVAL, "case message: \"workloads\": expected strings, got null");
	argv[n] = NULL;
	return 0;
}

static unsigned patience_ms(const struct pv_board_commands *c, json_object *entry)
{
	int64_t s = json_object_get_int64(json_object_object_get(entry, "timeout_s"));
	uint64_t ms = s > 0 && s < 86400 ? (uint64_t)s * 1000 : 60000;
	unsigned most = c->most_ms > 2 * SPARE_MS ? c->most_ms - SPARE_MS : c->most_ms / 2;

	return ms < most ? (unsigned)ms : most;
}

/* Returns the end of standard error, or of standard output if that is empty, in one line. */
static void last_words(const struct said *s, char out[SAID_BYTES + 1])
{
	const char *text = *s->err ? s->err : s->out;
	size_t n = strlen(text);

	while (n && text[n - 1] == '\n')
		n--;
	size_t from = n > SAID_BYTES ? n - SAID_BYTES : 0;
	snprintf(out, SAID_BYTES + 1, "%.*s", (int)(n - from), text + from);
	for (char *c = out; (c = strchr(c, '\n'));)
		*c = ' ';
}

static int judge_end(const char *program, int failed, int status, unsigned ms, const struct said *s, struct pv_error *e)
{
	char words[SAID_BYTES + 1];

	last_words(s, words);
	if (failed == -ETIMEDOUT)
		return pv_error(e, failed, "%s: expected its end within %u ms, and killed it: %s", program, ms, words);
	if (failed)
		return pv_error(e, failed, "%s: expected it to run, got %s", program, pv_errno_name(failed));
	if (WIFSIGNALED(status))
		return pv_error(e, -EIO, "%s: expected exit status 0, got signal %d: %s", program, WTERMSIG(status),
				words);
	return WEXITSTATUS(status) ? pv_error(e, -EIO, "%s: expected exit status 0, got %d: %s", program,
					      WEXITSTATUS(status), words)
				   : 0;
}

static int read_count(const char *program, const char *counts, const struct said *s, uint64_t *bytes,
		      struct pv_error *e)
{
	char words[SAID_BYTES + 1];

	if (!pv_counts_read(counts, s->out, s->err, bytes))
		return 0;
	last_words(s, words);
	return pv_error(e, -EBADMSG, "%s: expected the bytes that %s says it moved, got: %s", program, counts,
			*words ? words : "nothing");
}

static int run_entry(struct pv_board_commands *c, json_object *entry, const struct said *s,
		     struct pv_command_result *out, struct pv_error *e)
{
	const char *argv[PV_SHELL_ARGS_MAX + 1], *counts = text_of(entry, "counts");
	struct pv_shell_output o = {.text = s->out, .room = OUTPUT_BYTES}, err = {.text = s->err, .room = OUTPUT_BYTES};
	unsigned ms = patience_ms(c, entry);
	int status = 0, failed = fill_argv(entry, argv, e);

	if (failed)
		return failed;
	double begin = now_s();
	failed = c->shell->ops->run(c->shell, argv, ms, &status, &o, &err);
	out->seconds = now_s() - begin;
	failed = judge_end(argv[0], failed, status, ms, s, e);
	return failed ? failed : read_count(argv[0], counts, s, &out->bytes, e);
}

static int op_run(struct pv_commands *base, pv_bdf from, pv_bdf to, struct pv_command_result *out, struct pv_error *e)
{
	struct pv_board_commands *c = (struct pv_board_commands *)base; /* base stands first */
	json_object *entry = find(c, from, to);

	*out = (struct pv_command_result){0};
	if (!entry)
		return pv_error(e, -ENOENT, "the board's description has no workload from %s to %s",
				end_text(from, (struct pv_bdf_text){"cpu"}).s,
				end_text(to, (struct pv_bdf_text){"memory"}).s);
	if (!json_object_get_boolean(json_object_object_get(c->far, "exec")))
		return pv_error(e, -EPERM, "a workload command is run with --allow-exec only");
	if (!c->shell || !c->shell->ops->run)
		return pv_error(e, -ENOTSUP, "the far side runs no programs");
	_autofree_ char *text = calloc(2, OUTPUT_BYTES);
	return text ? run_entry(c, entry, &(struct said){text, text + OUTPUT_BYTES}, out, e)
		    : pv_error(e, -ENOMEM, "no memory for what a workload says");
}

void pv_board_commands_init(struct pv_board_commands *c, json_object *far, unsigned most_ms)
{
	static const struct pv_commands_ops ops = {.run = op_run};

	*c = (struct pv_board_commands){.base = {.ops = &ops}, .far = far, .most_ms = most_ms};
	c->base.tolerance = json_object_get_double(json_object_object_get(far, "tolerance"));
}
