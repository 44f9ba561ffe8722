/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs workload commands on the far side, and parses the byte counts printed by fio, dd, iperf3 and ib_write_bw. */
#include "framework/board/commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "framework/schema/schema.h"
#include "framework/topology/topology.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

#define OUTPUT_BYTES (1u << 20)
#define SAID_BYTES   200 /* bytes of a command's output quoted in a message */
#define SPARE_MS     500 /* time reserved for the far side's answer */

/* ---- selection of a command ---- */

/* "cpu" and "memory" are the same end. */
static bool is_end(json_object *entry, const char *key, pv_bdf end)
{
	const char *text = pv_json_text(entry, key);
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

/* ---- counts in JSON ---- */

/* Parses the JSON, which may follow warnings. NULL: none. */
static json_object *parse(const char *text)
{
	const char *begin = strchr(text, '{');

	return begin ? json_tokener_parse(begin) : NULL;
}

/* json-c turns larger numbers into INT64_MAX. */
static int add_count(json_object *number, uint64_t *bytes)
{
	int64_t n = json_object_get_int64(number);

	if (!pv_json_is_count(number) || n == INT64_MAX || *bytes > UINT64_MAX / 2)
		return -EBADMSG;
	*bytes += (uint64_t)n;
	return 0;
}

/* fio --output-format=json: the sum of all jobs. */
static int fio(const char *out, const char *direction, uint64_t *bytes)
{
	json_object *o = parse(out), *jobs = json_object_object_get(o, "jobs");
	size_t n = json_object_is_type(jobs, json_type_array) ? json_object_array_length(jobs) : 0;
	int err = n ? 0 : -EBADMSG;

	for (size_t i = 0; !err && i < n; i++) {
		json_object *job = json_object_array_get_idx(jobs, i);

		err = add_count(json_object_object_get(json_object_object_get(job, direction), "io_bytes"), bytes);
	}
	json_object_put(o);
	return err;
}

static int read_fio_read(const char *out, const char *err, uint64_t *bytes)
{
	return fio(out, "read", bytes);
}

static int read_fio_write(const char *out, const char *err, uint64_t *bytes)
{
	return fio(out, "write", bytes);
}

/* iperf3 -J: the sums of both ends. */
static int iperf3(const char *out, const char *sum, uint64_t *bytes)
{
	json_object *o = parse(out);
	int err = add_count(
		json_object_object_get(json_object_object_get(json_object_object_get(o, "end"), sum), "bytes"), bytes);

	json_object_put(o);
	return err;
}

static int read_iperf3_sent(const char *out, const char *err, uint64_t *bytes)
{
	return iperf3(out, "sum_sent", bytes);
}

static int read_iperf3_received(const char *out, const char *err, uint64_t *bytes)
{
	return iperf3(out, "sum_received", bytes);
}

/* ---- counts in text ---- */

static const char *next_line(const char *line)
{
	const char *nl = strchr(line, '\n');

	return nl && nl[1] ? nl + 1 : NULL;
}

/* Parses a decimal number after blanks, and advances *text past it. */
static bool take_number(const char **text, uint64_t *out)
{
	const char *digits = *text + strspn(*text, " \t");
	char *end;

	errno = 0;
	*out = strtoull(digits, &end, 10);
	*text = end;
	return isdigit((unsigned char)*digits) && !errno;
}

/* Parses the last line of dd: "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.1 s". busybox prints no MiB in some builds. */
static int read_dd(const char *out, const char *err, uint64_t *bytes)
{
	int found = -EBADMSG;

	for (const char *line = err; line; line = next_line(line)) {
		const char *text = line;
		uint64_t n;

		if (!take_number(&text, &n) || strncmp(text, " bytes", strlen(" bytes")))
			continue;
		*bytes = n;
		found = 0;
	}
	return found;
}

/* Parses ib_write_bw: a header line " #bytes #iterations BW peak ...", then a line of numbers for each size. */
static int read_ib_write_bw(const char *out, const char *err, uint64_t *bytes)
{
	bool in_table = false, found = false;

	for (const char *line = out; line; line = next_line(line)) {
		uint64_t size, iterations, product;
		const char *text = line + strspn(line, " ");

		in_table |= !strncmp(text, "#bytes", strlen("#bytes"));
		if (!in_table || !take_number(&text, &size) || !take_number(&text, &iterations))
			continue;
		if (__builtin_mul_overflow(size, iterations, &product) ||
		    __builtin_add_overflow(*bytes, product, bytes))
			return -EBADMSG;
		found = true;
	}
	return found ? 0 : -EBADMSG;
}

static const struct {
	const char *counts;
	int (*read)(const char *out, const char *err, uint64_t *bytes);
} readers[] = {
	{"fio-read", read_fio_read},
	{"fio-write", read_fio_write},
	{"dd", read_dd},
	{"iperf3-sent", read_iperf3_sent},
	{"iperf3-received", read_iperf3_received},
	{"ib_write_bw", read_ib_write_bw},
};

int pv_counts_read(const char *counts, const char *out, const char *err, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (!strcmp(readers[i].counts, counts))
			return readers[i].read(out, err, bytes);
	return -ENOENT;
}

/* ---- execution ---- */

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
	uint64_t ms = s > 0 && s <= PV_SECONDS_MAX ? (uint64_t)s * 1000 : 60000;
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

/* A count may be in the part that was dropped. */
static int expect_whole(const char *program, const struct pv_shell_output *o, struct pv_error *e)
{
	return o->cut ? pv_error(e, -EFBIG, "%s: expected less than %zu bytes of output, got more", program, o->room)
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
	const char *argv[PV_SHELL_ARGS_MAX + 1], *counts = pv_json_text(entry, "counts");
	struct pv_shell_output o = {.text = s->out, .room = OUTPUT_BYTES}, err = {.text = s->err, .room = OUTPUT_BYTES};
	unsigned ms = patience_ms(c, entry);
	int status = 0, failed = fill_argv(entry, argv, e);

	if (failed)
		return failed;
	double begin = now_s();
	failed = c->shell->ops->run(c->shell, argv, ms, &status, &o, &err);
	out->seconds = now_s() - begin;
	failed = judge_end(argv[0], failed, status, ms, s, e);
	if (!failed)
		failed = expect_whole(argv[0], o.cut ? &o : &err, e);
	return failed ? failed : read_count(argv[0], counts, s, &out->bytes, e);
}

static int op_run(struct pv_commands *base, pv_bdf from, pv_bdf to, struct pv_command_result *out, struct pv_error *e)
{
	struct pv_board_commands *c = (struct pv_board_commands *)base; /* base is the first member */
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
