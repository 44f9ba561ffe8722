/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs that cannot be opened or read to their end, and outputs that cannot be written: every tool reports the errno
 * and does not treat partial data as complete. Also pipes: payload of unknown size, and truncated payload.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "framework/analysis/convert.h"
#include "framework/analysis/diff.h"
#include "framework/analysis/stat.h"
#include "framework/trace/format.h"
#include "framework/trace/output.h"
#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"

static struct hand h;

static void records(unsigned n)
{
	h.n = 0;
	for (unsigned i = 0; i < n; i++)
		hand_8dw(&h, i);
}

/* ---- opening ---- */

static void expect_no_open(const char *path, int code, const char *says)
{
	struct pv_error e = {0};

	cr_assert_null(pv_trace_open(path, NULL, &e));
	cr_assert_eq(e.code, code);
	cr_assert_neq(strstr(e.text, path), NULL, "%s", e.text);
	cr_assert_neq(strstr(e.text, says), NULL, "%s", e.text);
}

Test(errors, what_is_not_there_or_a_folder_cannot_be_opened)
{
	expect_no_open("/nonexistent/trace", -ENOENT, "No such file");
	expect_no_open("/tmp", -EISDIR, "expected a file");
}

/* ---- reading ---- */

/* Returns a trace on a connection that is reset after n records: these are read, then the read fails. */
static struct pv_trace *reset_behind(unsigned n)
{
	struct pv_error e = {0};
	struct pv_trace *t;
	int ends[2];

	records(n);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	cr_assert_eq(write(ends[0], h.bytes, h.n), (ssize_t)h.n);
	cr_assert_eq(write(ends[1], "?", 1), 1); /* closing with unread data resets the connection */
	close(ends[0]);
	t = pv_trace_open_fd(ends[1], "socket", NULL, &e);
	cr_assert_neq(t, NULL, "%s", e.text);
	return t;
}

Test(errors, records_end_with_the_error)
{
	struct pv_trace *t = reset_behind(1000);
	struct pv_trace_record r;
	unsigned n = 0;
	int ret;

	while ((ret = pv_trace_next(t, &r)) > 0)
		n++;
	cr_assert_eq(ret, -ECONNRESET);
	cr_assert_eq(n, 1000);
	pv_trace_close(t);
}

Test(errors, statistics_are_not_made_of_a_part)
{
	struct pv_trace *t = reset_behind(1000);
	struct pv_error e = {0};

	cr_assert_null(pv_stat_run(t, &(struct pv_stat_options){.jobs = 2}, &e));
	cr_assert_eq(e.code, -ECONNRESET);
	pv_trace_close(t);
}

Test(errors, a_comparison_says_which_input_could_not_be_read)
{
	static const char *const names[] = {"first", "second"};

	for (unsigned bad = 0; bad < 2; bad++) {
		struct pv_trace *good, *t = reset_behind(1000);
		struct pv_diff_sums sums;
		struct pv_error e = {0};

		good = pv_trace_open_memory(h.bytes, h.n, NULL);
		cr_assert_eq(pv_trace_diff(bad ? good : t, bad ? t : good, &(struct pv_diff_options){0}, &sums, &e),
			     -ECONNRESET);
		cr_assert_neq(strstr(e.text, names[bad]), NULL, "%s", e.text);
		pv_trace_close(good);
		pv_trace_close(t);
	}
}

Test(errors, a_conversion_and_its_text_end_with_the_error)
{
	int null = open("/dev/null", O_WRONLY);

	for (const struct pv_converter *const *c = pv_converters; *c; c++) {
		struct pv_trace *t = reset_behind(1000);
		struct pv_error e = {0};
		uint64_t n;

		cr_assert_eq(pv_trace_convert(t, *c, null, &(struct pv_convert_options){0}, &n, &e), -ECONNRESET, "%s",
			     (*c)->name);
		pv_trace_close(t);
	}
	for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
		struct pv_trace *t = reset_behind(1000);

		cr_assert_eq(pv_trace_output(t, pv_output_records, pv_formats, jobs, null), -ECONNRESET);
		pv_trace_close(t);
	}
	close(null);
}

/* ---- writing ---- */

Test(errors, a_full_disk_ends_what_is_written)
{
	int full = open("/dev/full", O_WRONLY);

	if (full < 0)
		cr_skip_test("there is no /dev/full");
	records(1000);
	for (const struct pv_converter *const *c = pv_converters; *c; c++) {
		struct pv_trace *t = pv_trace_open_memory(h.bytes, h.n, NULL);
		struct pv_error e = {0};
		uint64_t n;

		cr_assert_eq(pv_trace_convert(t, *c, full, &(struct pv_convert_options){0}, &n, &e), -ENOSPC);
		cr_assert_neq(strstr(e.text, (*c)->name), NULL, "%s", e.text);
		pv_trace_close(t);
	}
	/* 1000 is far above the maximum number of threads. */
	for (unsigned jobs = 1; jobs <= 1000; jobs += 999) {
		struct pv_trace *t = pv_trace_open_memory(h.bytes, h.n, NULL);

		cr_assert_eq(pv_trace_output(t, pv_output_records, pv_formats, jobs, full), -ENOSPC);
		pv_trace_close(t);
	}
	close(full);
}

/* ---- pipes ---- */

/* Writes the bytes `times` times from a child process. Returns the read end of the pipe. */
static int piped(const void *bytes, size_t n, unsigned times)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	if (!fork()) {
		for (; times && write(ends[1], bytes, n) == (ssize_t)n; times--)
			;
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

/* Option `sized` determines the size of a raw payload from a pipe before the first record. */
Test(errors, a_payload_from_a_pipe_is_sized_when_asked)
{
	struct pv_trace_options o = {.sized = true};
	struct pv_trace_block b;
	struct pv_trace *t;
	uint64_t n = 0;

	records(2000);
	t = pv_trace_open_fd(piped(h.bytes, h.n, 50), "pipe", &o, NULL);
	cr_assert_neq(t, NULL);
	while (pv_trace_next_block(t, &b) > 0) {
		cr_assert_eq(b.piece_bytes, 50 * h.n);
		n += b.records;
	}
	cr_assert_eq(n, 100000);
	cr_assert_eq(pv_trace_problems(t), 0);
	pv_trace_close(t);
}

Test(errors, a_payload_from_a_pipe_that_cannot_be_copied_is_refused)
{
	struct pv_trace_options o = {.sized = true};
	struct pv_error e = {0};

	records(10);
	setenv("TMPDIR", "/nonexistent", 1);
	cr_assert_null(pv_trace_open_fd(piped(h.bytes, h.n, 1), "pipe", &o, &e));
	cr_assert_eq(e.code, -ENOENT);
}

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	snprintf(ctx, 128, "%s, %llu bytes", p->what, (unsigned long long)p->bytes);
}

/* perf was killed while it wrote: the pipe has only the begin of an AUXTRACE payload. */
Test(errors, a_pipe_that_ends_within_a_payload_is_told)
{
	static struct perf_file f = {.pipe = true};
	char what[128] = "";
	struct pv_trace_options o = {.problem = note_problem, .ctx = what};
	struct pv_trace_record r;
	struct pv_trace *t;
	unsigned n = 0;

	records(10);
	pf_begin_one(&f, 0x80001ull | 1ull << 32);
	pf_info(&f, 6, PF_PMU, -1);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	t = pv_trace_open_fd(piped(f.bytes, f.n - 64, 1), "pipe", &o, NULL);
	cr_assert_neq(t, NULL);
	while (pv_trace_next(t, &r) > 0)
		n++;
	cr_assert_eq(n, 8);
	cr_assert_eq(pv_trace_problems(t), 1);
	cr_assert_str_eq(what, "the input ends before its payload, 64 bytes");
	pv_trace_close(t);
}
