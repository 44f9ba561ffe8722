/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that are appended and later read as one piece, however many: a bounded part stays in memory, and when
 * there are more, all lie in an unlinked temporary file that is mapped for reading.
 */
#ifndef PV_UTIL_SPILL_H
#define PV_UTIL_SPILL_H

#include <stddef.h>

/* Begin with PV_SPILL_INIT(bytes that may stay in memory); `len` is for reading, the rest is spill.c's. */
struct pv_spill {
	size_t len;
	size_t limit, room;
	unsigned char *mem;
	void *map;
	size_t map_len;
	int fd;
};
#define PV_SPILL_INIT(limit_bytes) ((struct pv_spill){.limit = (limit_bytes), .fd = -1})

/* 0, or -errno (-ENOSPC: a full disk, -ENOMEM); what was there before stays. */
int pv_spill_append(struct pv_spill *s, const void *data, size_t len);
/* All of it, valid until the next append or free. NULL: empty, or the file could not be mapped. */
const unsigned char *pv_spill_data(struct pv_spill *s);
void pv_spill_free(struct pv_spill *s);

/* A new file in $TMPDIR (or /tmp) that has no name any more: it goes with its descriptor. -errno. */
int pv_unlinked_file(void);

#endif
