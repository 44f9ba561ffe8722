/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and strings in a message: little-endian on any machine, packed, no structs. Errors are sticky: writing or
 * reading past the end marks the message as bad, which is checked once, at the end.
 */
#ifndef PV_FAR_BYTES_H
#define PV_FAR_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message that is being written. */
struct pv_put {
	uint8_t *at;
	size_t len, room;
	bool bad; /* did not fit */
};

void pv_put_u8(struct pv_put *p, uint8_t v);
void pv_put_u32(struct pv_put *p, uint32_t v);
void pv_put_i32(struct pv_put *p, int32_t v);
void pv_put_u64(struct pv_put *p, uint64_t v);
/* The number of bytes (u32), then the bytes. */
void pv_put_bytes(struct pv_put *p, const void *data, size_t n);
void pv_put_string(struct pv_put *p, const char *s);
/* Overwrites a number that was written before. */
void pv_put_u32_at(struct pv_put *p, size_t at, uint32_t v);

/* A message that is being read. */
struct pv_get {
	const uint8_t *at;
	size_t left;
	bool bad; /* the message is too short, or invalid */
};

uint8_t pv_get_u8(struct pv_get *g);
bool pv_get_bool(struct pv_get *g); /* 0 or 1; others are bad */
uint32_t pv_get_u32(struct pv_get *g);
int32_t pv_get_i32(struct pv_get *g);
uint64_t pv_get_u64(struct pv_get *g);
/* Points into the message; NULL when bad. */
const uint8_t *pv_get_bytes(struct pv_get *g, size_t *n);
/* Copies a string of less than `size` bytes, none of which is 0; "" when bad. */
void pv_get_string(struct pv_get *g, char *s, size_t size);
/* True: nothing was bad and nothing is left. */
bool pv_get_done(const struct pv_get *g);

#endif
