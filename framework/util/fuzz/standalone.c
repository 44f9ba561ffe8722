/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target without libFuzzer, the same in every run: over a corpus (the named files and folders), then over
 * -runs=N mutations of it. Sanitizers and the target's own checks detect errors; the failing input is left in a file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "framework/util/cleanup.h"
#include "framework/util/fuzz/fuzz.h"

#define MAX_SIZE  (1u << 20) /* maximum size of a file */
#define MAX_GROWN 8192	     /* maximum size of a mutated input */

struct input {
	uint8_t *bytes;
	size_t n;
};

static struct input *corpus;
static size_t n_corpus;

/* ---- the input that fails ---- */

static const uint8_t *current;
static size_t current_size;
static char crash_file[256];

static void on_abort(int signal)
{
	int fd = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool saved = fd >= 0 && write(fd, current, current_size) == (ssize_t)current_size;

	if (saved && write(STDERR_FILENO, crash_file, strlen(crash_file)) > 0)
		saved = write(STDERR_FILENO, ": the input\n", 12) > 0;
	raise(signal);
}

static void keep_failing_input(const char *program)
{
	const char *slash = strrchr(program, '/');

	snprintf(crash_file, sizeof(crash_file), "crash-%s", slash ? slash + 1 : program);
	sigaction(SIGABRT, &(struct sigaction){.sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND}, NULL);
}

static int run(const uint8_t *bytes, size_t n)
{
	current = bytes;
	current_size = n;
	return LLVMFuzzerTestOneInput(bytes, n);
}

/* ---- the corpus ---- */

static void add_file(const char *path)
{
	static uint8_t buf[MAX_SIZE];
	_autofclose_ FILE *f = fopen(path, "rbe");
	struct input *more = realloc(corpus, (n_corpus + 1) * sizeof(*more));
	size_t n;

	if (!f || !more) {
		perror(path);
		exit(2);
	}
	corpus = more;
	n = fread(buf, 1, sizeof(buf), f);
	/* Of the exact size: what is read past it is seen. */
	corpus[n_corpus] = (struct input){malloc(n ? n : 1), n};
	if (!corpus[n_corpus].bytes)
		exit(2);
	memcpy(corpus[n_corpus++].bytes, buf, n);
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add_folder(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_input, alphasort);

	for (int i = 0; i < n; i++) {
		_autofree_ char *file = NULL;
		struct stat st;

		if (asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			exit(2);
		if (!stat(file, &st) && S_ISREG(st.st_mode))
			add_file(file);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void add(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		perror(path);
		exit(2);
	}
	if (S_ISDIR(st.st_mode))
		add_folder(path);
	else
		add_file(path);
}

/* ---- mutations ---- */

static uint64_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t n)
{
	return n ? next_random() % n : 0;
}

/* Zeros, ones and random bytes in stretches: plain noise never looks like a record. */
static void stretch(struct input *in)
{
	size_t at = below(in->n + 1), n = 1 + below(32);
	unsigned how = next_random() % 4;

	for (; n && at < MAX_GROWN; n--, at++)
		in->bytes[at] = how == 0 ? 0 : how == 1 ? 0xff : (uint8_t)next_random();
	in->n = at > in->n ? at : in->n;
}

static void flip_bit(struct input *in)
{
	if (in->n)
		in->bytes[below(in->n)] ^= (uint8_t)(1u << below(8));
}

/* A byte near another, or a number of 1 to 8 bytes that is at some edge. */
static void put_number(struct input *in)
{
	static const uint64_t edges[] = {0,
					 1,
					 7,
					 8,
					 16,
					 255,
					 256,
					 0x7fff,
					 0xffff,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 1ull << 40,
					 INT64_MAX,
					 1ull << 63,
					 UINT64_MAX,
					 UINT64_MAX - 7};
	size_t bytes = (size_t)1 << below(4), at = below(in->n);
	uint64_t v = edges[below(ARRAY_SIZE(edges))] + below(3) - 1;

	for (size_t i = 0; i < bytes && at + i < in->n; i++)
		in->bytes[at + i] = (uint8_t)(v >> 8 * i);
}

static void cut(struct input *in)
{
	size_t at = below(in->n), n = 1 + below(below(2) ? 16 : in->n);

	n = n < in->n - at ? n : in->n - at;
	memmove(in->bytes + at, in->bytes + at + n, in->n - at - n);
	in->n -= n;
}

/* Puts bytes in at a place; what grows too long falls off. */
static void insert(struct input *in, size_t at, const uint8_t *bytes, size_t n)
{
	n = n < MAX_GROWN - at ? n : MAX_GROWN - at;
	size_t rest = in->n - at < MAX_GROWN - at - n ? in->n - at : MAX_GROWN - at - n;

	memmove(in->bytes + at + n, in->bytes + at, rest);
	memcpy(in->bytes + at, bytes, n);
	in->n = at + n + rest;
}

static void repeat(struct input *in)
{
	uint8_t copy[256];
	size_t from = below(in->n), n = 1 + below(sizeof(copy) - 1);

	n = n < in->n - from ? n : in->n - from;
	memcpy(copy, in->bytes + from, n);
	insert(in, below(in->n + 1), copy, n);
}

static void cross(struct input *in)
{
	const struct input *other = n_corpus ? &corpus[below(n_corpus)] : in;
	size_t from = below(other->n), n = 1 + below(other->n);

	if (other == in || !other->n)
		return stretch(in);
	insert(in, below(in->n + 1), other->bytes + from, n < other->n - from ? n : other->n - from);
}

static void mutate(struct input *in)
{
	static void (*const mutations[])(struct input *) = {stretch,	flip_bit, flip_bit, put_number,
							    put_number, cut,	  repeat,   cross};

	for (size_t n = 1 + below(4); n; n--)
		mutations[below(ARRAY_SIZE(mutations))](in);
}

/* One of the corpus, or stretches alone. */
static void make(struct input *in)
{
	in->n = 0;
	if (n_corpus && below(16)) {
		const struct input *of = &corpus[below(n_corpus)];

		in->n = of->n < MAX_GROWN ? of->n : MAX_GROWN;
		memcpy(in->bytes, of->bytes, in->n);
		return mutate(in);
	}
	for (size_t n = below(32); n; n--)
		stretch(in);
}

static int run_mutations(unsigned long runs)
{
	struct input in = {malloc(MAX_GROWN), 0};
	int r = in.bytes ? 0 : 2;

	while (runs-- && !r) {
		make(&in);
		/* Of the exact size, again. */
		_autofree_ uint8_t *exact = malloc(in.n ? in.n : 1);

		if (!exact)
			return 2;
		memcpy(exact, in.bytes, in.n);
		r = run(exact, in.n);
	}
	free(in.bytes);
	return r;
}

int main(int argc, char **argv)
{
	unsigned long runs = 0;
	int r = 0;

	keep_failing_input(argv[0]);
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "-runs=", 6))
			runs = strtoul(argv[i] + 6, NULL, 10);
		else
			add(argv[i]);
	}
	for (size_t i = 0; i < n_corpus && !r; i++)
		r = run(corpus[i].bytes, corpus[i].n);
	if (!r)
		r = run_mutations(runs);
	fprintf(stderr, "%zu inputs of the corpus, %lu mutations\n", n_corpus, runs);
	for (size_t i = 0; i < n_corpus; i++)
		free(corpus[i].bytes);
	free(corpus);
	return r;
}
