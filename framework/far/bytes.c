/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoding and decoding of messages. */
#include "framework/far/bytes.h"

#include <string.h>

/* ---- writing ---- */

static void put(struct pv_put *p, uint64_t v, size_t bytes)
{
	if (p->bad || p->room - p->len < bytes) {
		p->bad = true;
		return;
	}
	for (size_t i = 0; i < bytes; i++)
		p->at[p->len++] = (uint8_t)(v >> 8 * i);
}

void pv_put_u8(struct pv_put *p, uint8_t v)
{
	put(p, v, 1);
}

void pv_put_u32(struct pv_put *p, uint32_t v)
{
	put(p, v, 4);
}

void pv_put_i32(struct pv_put *p, int32_t v)
{
	put(p, (uint32_t)v, 4);
}

void pv_put_u64(struct pv_put *p, uint64_t v)
{
	put(p, v, 8);
}

void pv_put_bytes(struct pv_put *p, const void *data, size_t n)
{
	if (p->bad || n > UINT32_MAX || p->room - p->len < 4 || p->room - p->len - 4 < n) {
		p->bad = true;
		return;
	}
	put(p, n, 4);
	if (n)
		memcpy(p->at + p->len, data, n);
	p->len += n;
}

void pv_put_string(struct pv_put *p, const char *s)
{
	pv_put_bytes(p, s, strlen(s));
}

void pv_put_u32_at(struct pv_put *p, size_t at, uint32_t v)
{
	struct pv_put there = {.at = p->at + at, .room = 4};

	if (!p->bad)
		put(&there, v, 4);
}

/* ---- reading ---- */

static const uint8_t *take(struct pv_get *g, size_t n)
{
	const uint8_t *at = g->at;

	if (g->bad || g->left < n) {
		g->bad = true;
		return NULL;
	}
	g->at += n;
	g->left -= n;
	return at;
}

static uint64_t number(struct pv_get *g, size_t bytes)
{
	const uint8_t *at = take(g, bytes);
	uint64_t v = 0;

	for (size_t i = 0; at && i < bytes; i++)
		v |= (uint64_t)at[i] << 8 * i;
	return v;
}

uint8_t pv_get_u8(struct pv_get *g)
{
	return (uint8_t)number(g, 1);
}

bool pv_get_bool(struct pv_get *g)
{
	uint8_t v = pv_get_u8(g);

	g->bad |= v > 1;
	return v == 1;
}

uint32_t pv_get_u32(struct pv_get *g)
{
	return (uint32_t)number(g, 4);
}

int32_t pv_get_i32(struct pv_get *g)
{
	return (int32_t)pv_get_u32(g);
}

uint64_t pv_get_u64(struct pv_get *g)
{
	return number(g, 8);
}

const uint8_t *pv_get_bytes(struct pv_get *g, size_t *n)
{
	const uint8_t *at;

	*n = pv_get_u32(g);
	at = take(g, *n);
	if (!at)
		*n = 0;
	return at;
}

void pv_get_string(struct pv_get *g, char *s, size_t size)
{
	size_t n;
	const uint8_t *at = pv_get_bytes(g, &n);

	*s = '\0';
	if (!at)
		return;
	if (n >= size || memchr(at, 0, n)) {
		g->bad = true;
		return;
	}
	memcpy(s, at, n);
	s[n] = '\0';
}

bool pv_get_done(const struct pv_get *g)
{
	return !g->bad && !g->left;
}
