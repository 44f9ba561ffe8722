/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces to try the reader with: traffic of many kinds as 4DW or 8DW payload, and ways to damage it. Every byte
 * remembers the record that it is from, so that what the reader ought to find is known after any damage.
 * Deterministic: the same seed makes the same trace.
 */
#ifndef PV_TRACE_TESTS_TRAFFIC_H
#define PV_TRACE_TESTS_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct traffic_random {
	uint64_t state;
};

uint32_t traffic_random(struct traffic_random *r);
/* 0 .. n - 1 */
uint32_t traffic_below(struct traffic_random *r, uint32_t n);

struct traffic_origin {
	uint32_t record;    /* from 1; 0: of no record, or changed */
	uint8_t byte, size; /* its place in the record, and the record's size */
};

struct traffic {
	uint8_t *bytes;
	struct traffic_origin *origin;
	size_t n, room;
	uint32_t records; /* made so far */
};

struct traffic traffic_new(size_t room);
void traffic_free(struct traffic *t);
/* Is an intact record here? Its size, or 0. */
size_t traffic_record_at(const struct traffic *t, size_t at);

/* ---- making it ---- */

/* Profiles by number; NULL past the last. */
const char *traffic_profile_name(unsigned profile);
/* Appends records of 16 or 32 bytes. */
void traffic_make(struct traffic *t, unsigned profile, size_t size, unsigned records, uint64_t seed);
/* Appends records that were made elsewhere. */
void traffic_take(struct traffic *t, const void *bytes, size_t n, size_t size);

/* ---- damaging it ---- */

const char *traffic_damage_name(unsigned damage);
/* Damages about `at`; sizes and contents are by chance. */
void traffic_damage(struct traffic *t, unsigned damage, size_t at, struct traffic_random *r);
void traffic_cut(struct traffic *t, size_t at, size_t n);

#endif
