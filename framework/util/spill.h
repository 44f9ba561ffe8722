/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing buffer that is read as one piece. Up to a limit it stays in memory; beyond that, all of it moves to an
 * unlinked temporary file, which is mapped for reading.
 */
#ifndef PV_UTIL_SPILL_H
#define PV_UTIL_SPILL_H

#include <stddef.h>

/* Initialise with PV_SPILL_INIT(limit in memory). Only `len` is public. */
struct pv_spill {
	size_t len;
	size_t limit, room;
	unsigned char *mem;
	void *map;
	size_t map_len;
	int fd;
};
#define PV_SPILL_INIT(limit_bytes) ((struct pv_spill){.limit = (limit_bytes), .fd = -1})

/* 0, or -errno (-ENOSPC: disk full, -ENOMEM). Earlier content stays intact. */
int pv_spill_append(struct pv_spill *s, const void *data, size_t len);
/* Returns the content, valid until the next append or free. NULL: empty, or the file could not be mapped. */
const unsigned char *pv_spill_data(struct pv_spill *s);
void pv_spill_free(struct pv_spill *s);

/* Creates an unlinked temporary file in $TMPDIR (or /tmp). Returns its descriptor or -errno. */
int pv_unlinked_file(void);

#endif
