/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that the memory of the trace commands does not grow with the trace. Prints a table of the peak memory of each
 * command over 64 MiB and 512 MiB (with sanitizers, which are slow, 16 and 128), from a pipe and from a file; the
 * traces are made on the fly. The memory of `pcieval --version` is subtracted (a sanitizer's part of it is larger than
 * the program's). A slow reader must stop the decoder: unread output must not collect in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/hash.h"

#ifdef SANITIZED
#define SHADOW	  1 /* shadow bytes of AddressSanitizer per 8 bytes */
#define REDZONES  4 /* MiB of its allocator: redzones, and a cache for each thread */
#define SMALL_MIB 16
#define LARGE_MIB 128
#else
#define SHADOW	  0
#define REDZONES  0
#define SMALL_MIB 64
#define LARGE_MIB 512
#endif
#define MIB	      (1u << 20)
/* The limit above the program itself, which is less than 6 MiB. */
#define LIMIT_KIB     (64 * 1024 * 8 / (8 - SHADOW) + REDZONES * 1024)
#define GROWTH_KIB    (16 * 1024) /* limit from small to large: memory of threads varies from run to run */
#define HELD_UP_BYTES (16 * MIB)  /* limit of input that is read while nobody reads the output */

/* ---- traces of any size ---- */

enum content { NOTHING, RECORDS, OTHERS, SECOND_HALF, NOISE };

struct trace {
	enum content content;
	unsigned format; /* in DW */
	uint64_t bytes;
};

/* Makes writes, reads and completions with very many functions and addresses, so that no table stays small. */
static void make_record(uint32_t *dw, unsigned format, uint64_t i, uint32_t salt)
{
	static const struct {
		uint32_t dw0_8, dw0_4;
	} kinds[] = {{0x60000010, 3u << 30 | 16u << 11},
		     {0x20000010, 1u << 30 | 16u << 11},
		     {0x4a000010, 2u << 30 | 10u << 25 | 16u << 11}};
	uint32_t mix = (uint32_t)(i / 2) * 2654435761u ^ salt, id = mix & 0xffff0000u, tag = (i / 2 & 0xff) << 8;
	uint32_t time = (uint32_t)i * 3, k = i % 2 ? (i / 2) % 4 ? 2 : 0 : 1;
	uint32_t header[3] = {id | tag | 0xff, mix >> 24 | 1, (mix & 0x3ffffff) << 6};

	if (k == 2)
		memcpy(header, (uint32_t[]){0x00800040, id | tag, 0}, sizeof(header));
	memcpy(dw + (format == 8 ? 3 : 1), header, sizeof(header));
	if (format == 8) {
		dw[0] = 0xffffffff;
		dw[1] = dw[6] = 0;
		dw[2] = kinds[k].dw0_8;
		dw[7] = time;
	} else {
		dw[0] = kinds[k].dw0_4 | (time & 0x7ff);
	}
}

static void make_block(uint32_t *block, const struct trace *t, uint64_t offset)
{
	uint64_t first = offset / (4 * t->format), n = MIB / (4 * t->format);

	for (uint64_t i = 0; i < n; i++) {
		make_record(block + i * t->format, t->format, first + i, t->content == OTHERS ? 0x5bd1e995 : 0);
		for (unsigned w = 0; w < t->format && t->content == NOISE; w++)
			block[i * t->format + w] *= (uint32_t)(first + i) * 2246822519u | 1;
	}
}

/* Writes the whole trace to fd, and updates *written. */
static bool write_trace(const struct trace *t, int fd, volatile uint64_t *written)
{
	static uint32_t block[MIB / 4];
	uint64_t at = t->content == SECOND_HALF ? t->bytes / 2 : 0;

	for (; t->content != NOTHING && at < t->bytes; at += MIB) {
		make_block(block, t, at);
		for (size_t done = 0; done < MIB; done += 16384) {
			if (write(fd, (char *)block + done, 16384) != 16384)
				return false;
			*written += 16384;
		}
	}
	return true;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* Starts a writer of the trace into a pipe. Returns the read end; closing it ends the writer. */
static int pipe_of(const struct trace *t, volatile uint64_t *written)
{
	int ends[2];
	uint64_t uncounted = 0;

	if (pipe2(ends, O_CLOEXEC))
		die("pipe");
	fflush(stdout);
	switch (fork()) {
	case -1:
		die("fork");
		break;
	case 0:
		close(ends[0]);
		signal(SIGPIPE, SIG_IGN);
		_exit(!write_trace(t, ends[1], written ? written : &uncounted));
	}
	close(ends[1]);
	return ends[0];
}

static int file_of(const struct trace *t)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	uint64_t written = 0;

	if (fd < 0 || !write_trace(t, fd, &written) || lseek(fd, 0, SEEK_SET))
		die("a file for the trace");
	return fd;
}

/* ---- running the program ---- */

static char *program;

/* Starts the program with `in` (and `second`, -1: none) as its descriptors 3 and 4, and its output to `out`. */
static pid_t start(const char *arguments, int in, int second, int out)
{
	char words[256], *argv[24] = {program};

	posix_spawn_file_actions_t fds;
	pid_t pid;

	snprintf(words, sizeof(words), "%s", arguments);
	for (int n = 1; n < 23 && (argv[n] = strtok(n == 1 ? words : NULL, " ")); n++)
		;
	posix_spawn_file_actions_init(&fds);
	posix_spawn_file_actions_addopen(&fds, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&fds, in, 0);
	if (second >= 0)
		posix_spawn_file_actions_adddup2(&fds, second, 3);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&fds, out, 1);
	else
		posix_spawn_file_actions_addopen(&fds, 1, "/dev/null", O_WRONLY, 0);
	errno = posix_spawn(&pid, program, &fds, NULL, argv, environ);
	if (errno)
		die(program);
	posix_spawn_file_actions_destroy(&fds);
	return pid;
}

struct result {
	int status;
	long peak_kib;
};

static struct result finish(pid_t pid)
{
	struct rusage u;
	int status;

	if (wait4(pid, &status, 0, &u) != pid)
		die("wait4");
	return (struct result){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), u.ru_maxrss};
}

static void reap_writers(void)
{
	while (wait(NULL) > 0)
		;
}

/* ---- the table ---- */

struct row {
	const char *arguments; /* standard input is the trace, descriptor 3 the second one */
	enum content first, second;
	int status;
	unsigned mib; /* 0: LARGE_MIB */
};

static const struct row rows[] = {
	{"trace decode -j 1 -", RECORDS, NOTHING, 0},
	{"trace decode -j 8 -", RECORDS, NOTHING, 0},
	{"trace decode -j 8 --format jsonl --where tag==1 -", RECORDS, NOTHING, 0},
	{"trace dump -j 1 -", RECORDS, NOTHING, 0},
	{"trace dump -j 8 -", RECORDS, NOTHING, 0},
	{"trace stat -j 1 -", RECORDS, NOTHING, 0},
	{"trace stat -j 8 -", RECORDS, NOTHING, 0},
	{"trace convert --to raw -o - -", RECORDS, NOTHING, 0},
	{"trace convert --to pcap -o - -", RECORDS, NOTHING, 0},
	{"trace convert --to perf.data -o /dev/null -", RECORDS, NOTHING, 0},
	{"trace diff - /dev/fd/3", RECORDS, RECORDS, 0},
	/* This would take hours if the time were quadratic. */
	{"trace diff - /dev/fd/3", RECORDS, OTHERS, 1, 512},
	{"trace diff - /dev/fd/3", RECORDS, SECOND_HALF, 1},
	{"trace diff - /dev/fd/3", SECOND_HALF, RECORDS, 1},
	{"trace diff - /dev/fd/3", RECORDS, NOTHING, 1},
	{"trace diff - /dev/fd/3", NOTHING, RECORDS, 1},
};
/* Files can be read at any offset, and `diff` reads them again. */
static const struct row filed[] = {
	{"trace decode -j 8 -", RECORDS, NOTHING, 0},
	{"trace dump -j 1 -", RECORDS, NOTHING, 0},
	{"trace stat -j 8 -", RECORDS, NOTHING, 0},
	{"trace convert --to perf.data -o - -", RECORDS, NOTHING, 0},
	{"trace diff /dev/fd/0 /dev/fd/3", RECORDS, SECOND_HALF, 1},
	{"trace diff /dev/fd/0 /dev/fd/3", RECORDS, OTHERS, 1},
};
/* Noise is slow, as each of its problems is reported. */
static const struct row noisy[] = {
	{"trace decode -j 8 -", NOISE, NOTHING, 1},
	{"trace stat -j 8 -", NOISE, NOTHING, 1},
	{"trace diff - /dev/fd/3", RECORDS, NOISE, 1},
};

static bool is_diff(const struct row *r)
{
	return strstr(r->arguments, "diff");
}

static struct result run(const struct row *r, unsigned format, unsigned mib, bool from_file)
{
	const struct trace a = {r->first, format, (uint64_t)mib * MIB}, b = {r->second, format, (uint64_t)mib * MIB};
	int in = from_file ? file_of(&a) : pipe_of(&a, NULL), second = -1;

	if (is_diff(r))
		second = from_file ? file_of(&b) : pipe_of(&b, NULL);
	pid_t pid = start(r->arguments, in, second, -1);
	close(in);
	if (second >= 0)
		close(second);
	struct result result = finish(pid);
	reap_writers();
	return result;
}

static long own_kib;

/* Measures and prints a row. Returns the number of failures. */
static int measure(const struct row *r, unsigned format, unsigned small_mib, unsigned large_mib, bool from_file)
{
	static const char *const names[] = {"nothing", "records", "others", "second half", "noise"};
	struct result small = run(r, format, small_mib, false), large = run(r, format, large_mib, from_file);
	long small_kib = small.peak_kib - own_kib, large_kib = large.peak_kib - own_kib;
	const char *wrong = small.status != r->status || large.status != r->status ? "WRONG STATUS"
			    : large_kib > LIMIT_KIB				   ? "TOO MUCH"
			    : large_kib > small_kib + GROWTH_KIB		   ? "IT GROWS"
										   : NULL;

	printf("%-50s %uDW %-4s %-11s %-11s %6.1f %6.1f MiB%s%s\n", r->arguments, format, from_file ? "file" : "pipe",
	       names[r->first], is_diff(r) ? names[r->second] : "", (double)small_kib / 1024, (double)large_kib / 1024,
	       wrong ? "  " : "", wrong ? wrong : "");
	return wrong != NULL;
}

/* ---- a reader that does not read ---- */

static uint64_t drain(int fd)
{
	static unsigned char buf[1 << 16];
	uint64_t h = PV_HASH_OF_NOTHING;

	for (ssize_t n; (n = read(fd, buf, sizeof(buf))) > 0;)
		h = pv_hash_more(h, buf, (size_t)n);
	return h;
}

/* Waits until the program has read nothing for half a second. */
static uint64_t wait_for_standstill(volatile uint64_t *written)
{
	uint64_t last = 0;

	for (unsigned same = 0; same < 10; same = *written == last && last ? same + 1 : 0) {
		last = *written;
		usleep(50000);
	}
	return last;
}

/* Returns a hash of the output; *held_up: bytes of input that were read while nobody read the output. */
static uint64_t decode(unsigned jobs, unsigned format, uint64_t *held_up, struct result *result)
{
	const struct trace t = {RECORDS, format, 64 * MIB};
	volatile uint64_t *written = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char arguments[64];
	int out[2];

	if (written == MAP_FAILED || pipe2(out, O_CLOEXEC))
		die("pipe");
	snprintf(arguments, sizeof(arguments), "trace decode -j %u -", jobs);
	int in = pipe_of(&t, written);
	pid_t pid = start(arguments, in, -1, out[1]);
	close(in);
	close(out[1]);
	if (held_up)
		*held_up = wait_for_standstill(written);
	uint64_t hash = drain(out[0]);
	close(out[0]);
	*result = finish(pid);
	reap_writers();
	munmap((void *)written, 4096);
	return hash;
}

static int measure_slow_reader(unsigned format)
{
	struct result at_once, late;
	uint64_t held_up, expected = decode(1, format, NULL, &at_once), got = decode(8, format, &held_up, &late);
	const char *wrong = at_once.status || late.status	  ? "WRONG STATUS"
			    : got != expected			  ? "OTHER OUTPUT"
			    : held_up > HELD_UP_BYTES		  ? "READS ON"
			    : late.peak_kib > own_kib + LIMIT_KIB ? "TOO MUCH"
								  : NULL;

	printf("%-50s %uDW pipe read late: %.1f MiB read before, %.1f MiB%s%s\n", "trace decode -j 8 -", format,
	       (double)held_up / MIB, (double)(late.peak_kib - own_kib) / 1024, wrong ? "  " : "", wrong ? wrong : "");
	return wrong != NULL;
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	int bad = 0, null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	unsigned format = argc == 3 ? (unsigned)atoi(argv[2]) : 0;

	if (format != 4 && format != 8)
		return 2;
	program = argv[1];
	/* Disables AddressSanitizer's quarantine and fake stacks, which would be measured. */
	setenv("ASAN_OPTIONS",
	       "quarantine_size_mb=0:thread_local_quarantine_size_kb=0:detect_stack_use_after_return=0:"
	       "malloc_context_size=0:detect_leaks=0",
	       1);
	own_kib = finish(start("--version", null, -1, -1)).peak_kib;
	printf("peak above that of the program itself, %.1f MiB, of %u and %u MiB\n", (double)own_kib / 1024, SMALL_MIB,
	       LARGE_MIB);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		bad += measure(&rows[i], format, SMALL_MIB, rows[i].mib ? rows[i].mib : LARGE_MIB, false);
	for (size_t i = 0; i < ARRAY_SIZE(filed); i++)
		bad += measure(&filed[i], format, SMALL_MIB, LARGE_MIB, true);
	for (size_t i = 0; i < ARRAY_SIZE(noisy); i++)
		bad += measure(&noisy[i], format, SMALL_MIB, LARGE_MIB / 2, false);
	bad += measure_slow_reader(format);
	printf("%d wrong\n", bad);
	return bad > 0;
}
