/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is freed as a whole: a loaded plan has many small strings and nodes with one lifetime.
 */
#ifndef PV_UTIL_ARENA_H
#define PV_UTIL_ARENA_H

#include <stddef.h>

struct pv_arena_chunk;
struct pv_arena {
	struct pv_arena_chunk *chunks;
};

/* Zeroed, aligned for anything. NULL: no memory. */
void *pv_arena_alloc(struct pv_arena *a, size_t bytes);
void *pv_arena_array(struct pv_arena *a, size_t n, size_t bytes); /* NULL also when n * bytes overflows */
char *pv_arena_strndup(struct pv_arena *a, const char *s, size_t n);
char *pv_arena_strdup(struct pv_arena *a, const char *s);
char *pv_arena_printf(struct pv_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pv_arena_free(struct pv_arena *a);

#endif
