/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The consumer's side of a perf buffer with an AUX area (perf_event_open(2), include/uapi/linux/perf_event.h): records
 * are read between data_tail and data_head, AUX data between aux_tail and aux_head. Data are delivered as described by
 * their PERF_RECORD_AUX, never beyond aux_head, and aux_tail is advanced. Works on memory only, without system calls.
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
	uint32_t pending; /* flags for the next delivery: PV_PERF_AUX_LOST */
	bool begun;	  /* the record at data_tail, whose first piece may have been delivered */
	bool overwrite;
	bool limited; /* limits delivery to `left` bytes, in one piece or several */
	uint64_t left;
	struct pv_perf_records records;
};

/*
 * Delivers committed data. Returns 0; 1 if the consumer refused data, which then stay in the area; -EIO if the buffer
 * violates the ABI. A commit that wraps at the end of the area, or is cut by the limit, is delivered in pieces, its
 * flags with the last.
 */
int pv_ring_take(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx);

/*
 * After the event was disabled: in overwrite mode delivers the newest data, up to the whole area; otherwise reports
 * committed data without a record as PV_PERF_AUX_LOST. Returns the same as pv_ring_take().
 */
int pv_ring_finish(struct pv_ring *r, pv_perf_aux_fn fn, void *ctx);

#endif
