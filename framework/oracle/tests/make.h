/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small ledgers, written by hand in the tests: TLPs with their header words, windows over all of them.
 */
#ifndef PV_ORACLE_TESTS_MAKE_H
#define PV_ORACLE_TESTS_MAKE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/oracle/oracle.h"

#define RP0 0x0080 /* 00:10.0 */
#define RP1 0x0088 /* 00:11.0 */
#define NIC 0x0100 /* 01:00.0 */

/* Header DW0 of the kinds that the tests use, length 0. */
#define MRD32 0x00000000u
#define MRD64 0x20000000u
#define MWR32 0x40000000u
#define MWR64 0x60000000u
#define CPLD  0x4a000000u
#define MSGD  0x70000000u

static const struct pv_wire_file test_head = {.ptt_tick_ps = 1000, .dwc_cycle_ps = 2000, .cpmu_cycle_ps = 1000};

static inline struct pv_ledger *make_ledger(void)
{
	return pv_ledger_new(NULL, 1 << 20, &test_head);
}

/* A 64-bit memory write of NIC below RP0, inbound: `n` makes tag, address and time its own. */
static inline struct pv_wire make_write(uint64_t n)
{
	return (struct pv_wire){
		.time_ps = 1000000 + 10000 * n,
		.what = PV_WIRE_TLP,
		.dir = PV_WIRE_IN,
		.origin = PV_ORIGIN_DEVICE,
		.port = RP0,
		.hdr = {MWR64 | 16, (uint32_t)(NIC << 16 | (n & 0xff) << 8 | 0xff), 1, (uint32_t)(0x1000 + 64 * n)},
		.data_bytes = 64,
		.wire_bytes = 88,
		.requester = NIC,
	};
}

/* Any TLP with this DW0: inbound at RP0, of NIC, completions of origin DMA. */
static inline struct pv_wire make_tlp(uint32_t dw0)
{
	struct pv_wire w = make_write(0);

	w.hdr[0] = dw0;
	w.origin = (dw0 >> 24 & 0x1e) == 0x0a ? PV_ORIGIN_DMA : PV_ORIGIN_DEVICE;
	if ((dw0 >> 24 & 0x1e) == 0x0a)
		w.hdr[2] = NIC << 16;
	return w;
}

static inline void add_writes(struct pv_ledger *l, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct pv_wire w = make_write(i);

		pv_ledger_add(l, &w);
	}
}

/* A sharp window over the records [first, last) and the times [begin, end). */
static inline struct pv_window sharp(uint64_t first, uint64_t last, uint64_t begin_ps, uint64_t end_ps)
{
	return (struct pv_window){first, first, last, last, begin_ps, begin_ps, end_ps, end_ps};
}

static inline struct pv_window whole(const struct pv_ledger *l)
{
	return sharp(0, pv_ledger_records(l), 0, 1000000000000ull);
}

#endif
