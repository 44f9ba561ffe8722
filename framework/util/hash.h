/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FNV-1a of 64 bits: a short name for a long text, not safe against deliberate collisions
 * (http://www.isthe.com/chongo/tech/comp/fnv/).
 */
#ifndef PV_UTIL_HASH_H
#define PV_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PV_HASH_OF_NOTHING 0xcbf29ce484222325u

/* Extends `hash` by these bytes. */
static inline uint64_t pv_hash_more(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *at = bytes, *end = at + n;

	for (; at < end; at++)
		hash = (hash ^ *at) * 0x100000001b3u;
	return hash;
}

/* Extends `hash` by a word at once, which is faster, and another hash. Its high bits reach the low ones. */
static inline uint64_t pv_hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

static inline uint64_t pv_hash_bytes(const void *bytes, size_t n)
{
	return pv_hash_more(PV_HASH_OF_NOTHING, bytes, n);
}

static inline uint64_t pv_hash_text(const char *text)
{
	return pv_hash_bytes(text, strlen(text));
}

#endif
