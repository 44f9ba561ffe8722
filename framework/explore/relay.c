/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries as lines in a file without a name, and how far they go in shared memory. */
#include "framework/explore/relay.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "framework/util/json.h"

enum { WAIT_NS = 1000000 };

struct shared {
	_Atomic uint64_t taken; /* cases before this number */
	_Atomic uint64_t bytes; /* of the file */
};

struct pv_relay {
	FILE *f;
	struct shared *shared;
	uint64_t read; /* bytes, in a worker */
};

struct pv_relay *pv_relay_new(void)
{
	struct pv_relay *r = calloc(1, sizeof(*r));
	_autoclose_ int fd = memfd_create("corpus", MFD_CLOEXEC);

	if (!r || fd < 0) {
		free(r);
		return NULL;
	}
	r->f = fdopen(fd, "w+");
	if (r->f)
		fd = -1;
	r->shared = mmap(NULL, sizeof(*r->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->f && r->shared != MAP_FAILED)
		return r;
	pv_relay_free(r);
	return NULL;
}

void pv_relay_free(struct pv_relay *r)
{
	if (!r)
		return;
	if (r->f)
		fclose(r->f);
	if (r->shared && r->shared != MAP_FAILED)
		munmap(r->shared, sizeof(*r->shared));
	free(r);
}

/* ---- the session's side ---- */

void pv_relay_put(struct pv_relay *r, const struct pv_corpus_entry *x)
{
	fprintf(r->f, "%" PRIu64 " %s\n", x->index, pv_json_line(x->c));
}

void pv_relay_advance(struct pv_relay *r, uint64_t index)
{
	long end = fflush(r->f) ? -1 : ftell(r->f);

	if (end >= 0)
		atomic_store(&r->shared->bytes, (uint64_t)end);
	atomic_store(&r->shared->taken, index);
}

/* ---- a worker's side ---- */

static void await(const struct pv_relay *r, uint64_t index)
{
	while (atomic_load(&r->shared->taken) < index)
		nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

/* Adds the entries of the text, which is whole lines. */
static void add_lines(struct pv_corpus *k, char *text)
{
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *c = NULL;
		uint64_t index = strtoull(line, &c, 10);

		*end = 0;
		json_object *o = json_tokener_parse(c);
		if (o)
			pv_corpus_add(k, o, index, NULL);
	}
}

void pv_relay_fetch(struct pv_relay *r, uint64_t index, struct pv_corpus *k)
{
	uint64_t generation = index / PV_CORPUS_GENERATION;

	if (generation)
		await(r, (generation - 1) * PV_CORPUS_GENERATION);
	uint64_t bytes = atomic_load(&r->shared->bytes) - r->read;
	_autofree_ char *text = bytes ? calloc(1, bytes + 1) : NULL;
	if (!text || pread(fileno(r->f), text, bytes, (off_t)r->read) != (ssize_t)bytes)
		return;
	add_lines(k, text);
	r->read += bytes;
}
