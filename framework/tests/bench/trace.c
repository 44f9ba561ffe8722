/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pcieval bench trace`: the trace tools on a perf.data that is made for it, beside what reading and adding up
 * its bytes takes, and what `perf report -D` takes for the same file. Processor time, one thread; and what a second
 * thread brings, by the clock on the wall.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/analysis/stat.h"
#include "framework/tests/bench/bench.h"
#include "framework/trace/output.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

enum { PIECE_BYTES = 4 << 20, PIECES = 16, REPEATS = 5, PMU_TYPE = 9 };

struct trace_bench {
	const char *path;
	int null;
	enum pv_record_format format;
	double perf_rate; /* payload bytes per second; 0: no perf here */
	unsigned jobs;
};

static double processor_seconds(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double own_processor_seconds(void)
{
	return processor_seconds(RUSAGE_SELF);
}

static double elapsed_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the input ---- */

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Reads, their completions and writes of one device, as a busy link has them. */
static void make_tlp(uint32_t *random, uint32_t header[4])
{
	uint32_t r = next_random(random), length = 1 + (r >> 8 & 63);

	header[0] = (r & 1 ? 0x4a000000 : r & 2 ? 0x60000000 : 0x20000000) | length;
	header[1] = r & 1 ? 0x00800000 | 4 * length : 0x01000000 | (r >> 16 & 0xff) << 8 | (length > 1 ? 0xff : 0x0f);
	header[2] = r & 1 ? 0x01000000 | (r >> 16 & 0xff) << 8 : 1;
	header[3] = r & 1 ? 0 : next_random(random) & ~3u;
}

static void make_payload(enum pv_record_format f, uint32_t *words, size_t bytes, uint32_t *random, uint32_t *now)
{
	for (uint32_t *end = words + bytes / 4; words < end; words += pv_record_bytes(f) / 4) {
		uint32_t h[4];

		make_tlp(random, h);
		*now += 1 + (*random >> 28);
		if (f == PV_RECORD_8DW) {
			memcpy(words, (uint32_t[]){0xffffffff, 0, h[0], h[1], h[2], h[3], 0, *now}, 32);
			continue;
		}
		uint32_t dw0 = (h[0] >> 29 & 3) << 30 | (h[0] >> 24 & 31) << 25 | (h[0] & 0x3ff) << 11 | (*now & 0x7ff);
		memcpy(words, (uint32_t[]){dw0, h[1], h[2], h[3]}, 16);
	}
}

/* perf.data of pipe mode: header, HEADER_ATTR and AUXTRACE_INFO; then AUXTRACE records with their payload. */
static int write_head(int fd, enum pv_record_format f)
{
	uint64_t head[2 + 18 + 3] = {0x32454c4946524550, 16, 64 | 18ull * 8 << 48};

	head[3] = PMU_TYPE | 128ull << 32;
	head[4] = 0x80001 | 2ull << 20 | 7ull << 24 | (f == PV_RECORD_8DW ? 1ull << 32 : 0);
	head[19] = 1; /* the event's id */
	head[20] = 70 | 24ull << 48;
	head[21] = 6;
	head[22] = PMU_TYPE;
	return pv_write_all(fd, head, sizeof(head));
}

static int write_input(int fd, enum pv_record_format f)
{
	_autofree_ uint32_t *words = malloc(PIECE_BYTES);
	uint32_t random = 1, now = 0;
	int r = words ? write_head(fd, f) : -ENOMEM;

	for (uint64_t i = 0; i < PIECES && !r; i++) {
		uint64_t head[6] = {71 | 48ull << 48, PIECE_BYTES, i * PIECE_BYTES, 0, 0xffffffffull << 32, 0};

		make_payload(f, words, PIECE_BYTES, &random, &now);
		r = pv_write_all(fd, head, sizeof(head));
		if (!r)
			r = pv_write_all(fd, words, PIECE_BYTES);
	}
	return r;
}

/* ---- what is measured ---- */

static int sum_bytes(const struct trace_bench *b)
{
	static uint64_t buf[32768];
	_autoclose_ int fd = open(b->path, O_RDONLY | O_CLOEXEC);
	volatile uint64_t keep;
	uint64_t sum = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (size_t i = 0; i < (size_t)n / 8; i++)
			sum += buf[i];
	keep = sum;
	(void)keep;
	return n < 0 ? -errno : 0;
}

static int blocks(const struct trace_bench *b)
{
	struct pv_trace *t = pv_trace_open(b->path, NULL, NULL);
	struct pv_trace_block block;
	int r = t ? 1 : -EIO;

	while (r > 0)
		r = pv_trace_next_block(t, &block);
	pv_trace_close(t);
	return r;
}

static int text(const struct trace_bench *b, pv_output_fn *fn, const void *ctx)
{
	struct pv_trace *t = pv_trace_open(b->path, NULL, NULL);
	int r = t ? pv_trace_output(t, fn, ctx, b->jobs, b->null) : -EIO;

	if (!r && pv_trace_problems(t))
		r = -EBADMSG;
	pv_trace_close(t);
	return r;
}

static int dump(const struct trace_bench *b)
{
	return text(b, pv_output_dump, NULL);
}

static int jsonl(const struct trace_bench *b)
{
	return text(b, pv_output_records, pv_format_by_name("jsonl"));
}

static int lines(const struct trace_bench *b)
{
	return text(b, pv_output_records, pv_format_by_name("text"));
}

static int stat_with(const struct trace_bench *b, const struct pv_stat_options *o)
{
	struct pv_trace *t = pv_trace_open(b->path, NULL, NULL);
	struct pv_stat *s = t ? pv_stat_run(t, o, NULL) : NULL;
	int r = s ? 0 : -EIO;

	pv_stat_free(s);
	pv_trace_close(t);
	return r;
}

static int stat_sums(const struct trace_bench *b)
{
	return stat_with(b, &(struct pv_stat_options){.no_match = true, .no_regions = true});
}

static int stat_match(const struct trace_bench *b)
{
	return stat_with(b, &(struct pv_stat_options){.no_regions = true});
}

static int stat_all(const struct trace_bench *b)
{
	return stat_with(b, &(struct pv_stat_options){.jobs = b->jobs});
}

static const struct row {
	const char *what;
	int (*fn)(const struct trace_bench *b);
	double times_perf; /* goal, against perf; 0: none */
	double goal;	   /* payload bytes per second; 0: none */
} rows[] = {
	{"read and add up: the limit", sum_bytes, 0},
	{"find all records", blocks, 0},
	{"stat --no-match --no-ranges", stat_sums, 0, 3e9},
	{"stat --no-ranges", stat_match, 0, 1e9},
	{"stat", stat_all, 0},
	{"dump", dump, 20},
	{"decode --format jsonl", jsonl, 10},
	{"decode", lines, 0},
};

/* Payload bytes per second of a clock: *best, or this run if it was better. 0 or -errno. */
static int run_once(const struct trace_bench *b, int (*fn)(const struct trace_bench *b), double (*seconds)(void),
		    double *best)
{
	double start = seconds(), rate;
	int r = fn(b);

	rate = (double)PIECES * PIECE_BYTES / (seconds() - start);
	*best = rate > *best ? rate : *best;
	return r;
}

/* `perf report -D`; 0: it is not installed, or does not know this trace. */
static double perf_rate(const struct trace_bench *b)
{
	double start = processor_seconds(RUSAGE_CHILDREN);
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(b->null, STDOUT_FILENO);
		dup2(b->null, STDERR_FILENO);
		execlp("perf", "perf", "report", "-D", "-i", b->path, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return 0;
	return (double)PIECES * PIECE_BYTES / (processor_seconds(RUSAGE_CHILDREN) - start);
}

static int failed(const char *what, int error)
{
	fprintf(stderr, "pcieval bench: trace: %s: %s\n", what, strerror(-error));
	return PV_EXIT_UNJUDGED;
}

static const char *met(bool is_met)
{
	return is_met ? "met" : "MISSED";
}

static int bench_row(struct trace_bench *b, const struct row *row)
{
	double rate = 0, limit = 0;
	int r = 0;

	/* In turn, since the speed of a machine that others use drifts. */
	for (int i = 0; i < REPEATS && !r; i++) {
		r = run_once(b, sum_bytes, own_processor_seconds, &limit);
		if (!r)
			r = run_once(b, row->fn, own_processor_seconds, &rate);
	}
	if (r)
		return failed(row->what, r);
	printf("  %-28s %8.1f MB/s  %.2f x limit", row->what, rate / 1e6, rate / limit);
	if (b->perf_rate > 0)
		printf(" %7.1f x perf", rate / b->perf_rate);
	if (row->times_perf > 0 && b->perf_rate > 0)
		printf("  goal %.0f x: %s", row->times_perf, met(rate >= row->times_perf * b->perf_rate));
	else if (row->times_perf > 0)
		printf("  goal %.0f x perf: no perf", row->times_perf);
	if (row->goal > 0)
		printf("  goal %.0f: %s", row->goal / 1e6, met(rate >= row->goal));
	putchar('\n');
	fflush(stdout);
	return PV_EXIT_PASSED;
}

/* Measures two threads against one, in elapsed time; their processor time shows what sharing the work costs. */
static int bench_two_jobs(struct trace_bench *b, const char *what, int (*fn)(const struct trace_bench *b))
{
	double rates[2] = {0}, seconds[2] = {INFINITY, INFINITY};
	int r = 0;

	for (unsigned i = 0; i < 2 * REPEATS && !r; i++) {
		double start = own_processor_seconds();

		b->jobs = 1 + i % 2;
		r = run_once(b, fn, elapsed_seconds, &rates[i % 2]);
		seconds[i % 2] = fmin(seconds[i % 2], own_processor_seconds() - start);
	}
	b->jobs = 1;
	if (r)
		return failed(what, r);
	printf("  %-28s %8.1f MB/s  %.2f x -j 1 in elapsed time, %.2f x in processor time\n", what, rates[1] / 1e6,
	       rates[1] / rates[0], seconds[1] / seconds[0]);
	fflush(stdout);
	return PV_EXIT_PASSED;
}

static int bench_jobs(struct trace_bench *b)
{
	cpu_set_t set;
	int r;

	if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) < 2) {
		puts("  -j 2: not run (one processor)");
		return PV_EXIT_PASSED;
	}
	r = bench_two_jobs(b, "stat -j 2", stat_all);
	return r ? r : bench_two_jobs(b, "decode -j 2", lines);
}

static int bench_format(struct trace_bench *b, enum pv_record_format f)
{
	char path[] = "/tmp/pcieval-bench-trace-XXXXXX";
	_autoclose_ int fd = mkostemp(path, O_CLOEXEC);
	int r = fd < 0 ? -errno : write_input(fd, f);

	if (r) {
		fprintf(stderr, "pcieval bench: making a perf.data in /tmp: %s\n", strerror(-r));
		r = PV_EXIT_UNJUDGED;
		goto out;
	}
	b->path = path;
	b->format = f;
	b->perf_rate = perf_rate(b);
	printf("%u MB of %s payload in a perf.data, per second of processor time, one thread\n",
	       PIECES * PIECE_BYTES / 1000000, f == PV_RECORD_8DW ? "8DW" : "4DW");
	if (b->perf_rate > 0)
		printf("  %-28s %8.1f MB/s\n", "perf report -D", b->perf_rate / 1e6);
	else
		puts("  perf report -D: not run (perf is not installed, or failed)");
	for (size_t i = 0; i < ARRAY_SIZE(rows) && !r; i++)
		r = bench_row(b, &rows[i]);
	if (!r)
		r = bench_jobs(b);
out:
	if (fd >= 0)
		unlink(path);
	return r;
}

int bench_trace(void)
{
	_autoclose_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct trace_bench b = {.null = null, .jobs = 1};
	int r = null < 0 ? PV_EXIT_UNJUDGED : bench_format(&b, PV_RECORD_8DW);

	return r ? r : bench_format(&b, PV_RECORD_4DW);
}
