/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The consumer's side of a perf buffer with an AUX area (perf_event_open(2), include/uapi/linux/perf_event.h): records
 * are read between data_tail and data_head, AUX data between aux_tail and aux_head. Data are handed over as their
 * PERF_RECORD_AUX says, never beyond aux_head, and aux_tail follows. Memory only, no system calls.
 */
#ifndef PV_LINUX_RING_H
#define PV_LINUX_RING_H

#include <linux/perf_event.h>

#include "framework/target/driver.h"

struct pv_ring {
	struct perf_event_mmap_page *page;
	uint8_t *data; /* a power of two */
	uint64_t data_bytes;
	uint8_t *aux;
	uint64_t aux_bytes;
	uint64_t taken;	  /* AUX data up to here were handed over */
	uint32_t pending; /* flags for the next that is handed over: PV_PERF_AUX_LOST */
	bool begun;	  /* the record at data_tail: its first piece may have been taken */
	bool overwrite;
	bool limited; /* no more than `left` bytes are handed over, in one piece or several */
	uint64_t left;
	struct pv_perf_records records;
};

/*
 * Hands over what was committed. 0; 1: the consumer refused, and what it did not take stays in the area; -EIO: what is
 * written there is not as the ABI has it. A commit that wraps at the end of the area, or is cut by the limit, comes in
 * pieces, its flags with the last.
 */
int pv_ring_take(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx);

/*
 * After the event was disabled: in overwrite mode hands over the newest data, up to the whole area; else says with
 * PV_PERF_AUX_LOST when data were committed of which no record came. As pv_ring_take().
 */
int pv_ring_finish(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx);

#endif
