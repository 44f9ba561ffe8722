/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arena: a list of chunks, each filled from its start. */
#include "framework/util/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

#define CHUNK_BYTES ((size_t)64 * 1024)

struct pv_arena_chunk {
	struct pv_arena_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

static struct pv_arena_chunk *chunk_new(struct pv_arena *a, size_t bytes)
{
	size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
	struct pv_arena_chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		return NULL;
	c->size = size;
	c->used = 0;
	/* A large allocation gets its own chunk, after the current one, which still has room. */
	if (bytes > CHUNK_BYTES && a->chunks) {
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		c->next = a->chunks;
		a->chunks = c;
	}
	return c;
}

void *pv_arena_alloc(struct pv_arena *a, size_t bytes)
{
	const size_t align = _Alignof(max_align_t);

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align - 1) / align * align;
	struct pv_arena_chunk *c = a->chunks;
	if (!c || c->size - c->used < bytes)
		c = chunk_new(a, bytes);
	if (!c)
		return NULL;
	void *p = c->data + c->used;
	c->used += bytes;
	return memset(p, 0, bytes);
}

void *pv_arena_array(struct pv_arena *a, size_t n, size_t bytes)
{
	size_t total;

	return __builtin_mul_overflow(n, bytes, &total) ? NULL : pv_arena_alloc(a, total);
}

char *pv_arena_strndup(struct pv_arena *a, const char *s, size_t n)
{
	char *p = pv_arena_alloc(a, n + 1);

	return p ? memcpy(p, s, n) : NULL;
}

char *pv_arena_strdup(struct pv_arena *a, const char *s)
{
	return pv_arena_strndup(a, s, strlen(s));
}

char *pv_arena_printf(struct pv_arena *a, const char *fmt, ...)
{
	_autofree_ char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		s = NULL;
		return NULL;
	}
	return pv_arena_strndup(a, s, (size_t)n);
}

void pv_arena_free(struct pv_arena *a)
{
	for (struct pv_arena_chunk *c = a->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	a->chunks = NULL;
}
