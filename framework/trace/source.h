/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of a file, a pipe or memory, in order, through one buffer, for the trace readers. Files are read, not mapped: a
 * file that shrinks ends early instead of raising a signal, and reading is no slower.
 */
#ifndef PV_TRACE_SOURCE_H
#define PV_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PV_SOURCE_MAX	 (1u << 20) /* maximum for pv_source_need() */
#define PV_SOURCE_UNREAD 64	    /* maximum for pv_source_unread() */

struct pv_source {
	int fd;		       /* -1: memory */
	const uint8_t *memory; /* the caller's */
	uint64_t memory_at;    /* as a file's position */
	uint8_t *buf;
	size_t at, len, size; /* unread bytes are buf[at..len) */
	uint64_t pos;	      /* of buf[at] */
	bool ended, seekable;
	int err; /* -errno of the read that failed; returned again until a seek, since a socket reports it once */
	uint64_t bytes; /* of a regular file or memory; UINT64_MAX: not known */
};

int pv_source_open(struct pv_source *s, int fd);
int pv_source_open_memory(struct pv_source *s, const void *data, size_t n);
void pv_source_close(struct pv_source *s);

/* Reads until `n` bytes (PV_SOURCE_MAX at most) are in the buffer or the input ends. Returns -errno or 0; see avail. */
int pv_source_need(struct pv_source *s, size_t n);
/* Skips n bytes, which may be more than the buffer holds; fewer if the input ends. 0 or -errno. */
int pv_source_skip(struct pv_source *s, uint64_t n);
/* Pushes bytes back in front of the next ones; the position moves back accordingly. Not again before they were read. */
void pv_source_unread(struct pv_source *s, const void *bytes, size_t n);
/* Copies a pipe, from its begin, to an unnamed temporary file, and continues with that. 0 or -errno. */
int pv_source_spool(struct pv_source *s);
/* A temporary file without a name; -errno. */
int pv_source_temporary(void);
/* Continues at the start of this file, which it takes over. -errno: no change, and the file is closed. */
int pv_source_replace(struct pv_source *s, int fd);
/* Reads n bytes at a place, without moving: -ESPIPE on a pipe, -EBADMSG past the end. */
int pv_source_peek_at(struct pv_source *s, uint64_t offset, void *out, size_t n);

static inline size_t pv_source_avail(const struct pv_source *s)
{
	return s->len - s->at;
}

static inline const uint8_t *pv_source_data(const struct pv_source *s)
{
	return s->buf + s->at;
}

static inline void pv_source_take(struct pv_source *s, size_t n)
{
	s->at += n;
	s->pos += n;
}

#endif
