/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of single devices (requesters): payload and requests by TLP size, the share of payload in their wire bytes,
 * and latencies.
 */
#ifndef PV_ANALYSIS_STAT_DEVICE_H
#define PV_ANALYSIS_STAT_DEVICE_H

#include "framework/analysis/match.h"
#include "framework/trace/tlp.h"

/*
 * Maximum number of devices. With more requesters there are no figures of devices, only TLPs and payload of each
 * requester.
 */
#define PV_STAT_DEVICES 64
/* Sizes by power of two: 4 to 7 bytes, 8 to 15, ... 2048 to 4095, 4096. */
#define PV_STAT_OCTAVES 11

enum pv_stat_flow_kind {
	PV_FLOW_WRITES,	     /* MWr by the device */
	PV_FLOW_READS,	     /* MRd and MRdLk by the device */
	PV_FLOW_COMPLETIONS, /* with data, to the device as the requester */
	PV_FLOW_OTHER,	     /* configuration, I/O, messages, atomics, DMWr, and completions without data */
	PV_FLOWS
};
extern const char *const pv_stat_flow_names[PV_FLOWS]; /* "writes", "reads", ... */
enum pv_stat_flow_kind pv_stat_flow_of(enum pv_tlp_kind k);

/* Properties of memory requests in their headers, besides the length. */
enum pv_stat_mark {
	PV_MARK_PARTIAL,   /* some byte of the first or last DW is disabled (PCIe 5.0 2.2.5) */
	PV_MARK_OFF_64,	   /* does not begin at a 64-byte boundary */
	PV_MARK_PART_LINE, /* does not begin or does not end at a 64-byte boundary */
	PV_MARK_OFF_4K,	   /* does not begin at a 4 KiB boundary */
	PV_MARK_CROSS_4K,  /* crosses a 4 KiB boundary, which PCIe 5.0 2.2.7 forbids */
	PV_MARK_RELAXED,   /* has Relaxed Ordering set */
	PV_MARKS
};
extern const char *const pv_stat_mark_names[PV_MARKS]; /* "partial_enables", "off_64", ... */

struct pv_stat_flow {
	uint64_t tlps;
	uint64_t bytes;			 /* payload; of reads: requested bytes, by Length */
	uint64_t wire_bytes;		 /* header, payload and framing, as in pv_stat_wire_bytes() */
	unsigned largest;		 /* largest size in bytes */
	uint64_t sizes[PV_STAT_OCTAVES]; /* TLPs by payload; of reads: by requested bytes */
	uint64_t marks[PV_MARKS];	 /* TLPs with the mark; writes and reads only */
};

struct pv_stat_device {
	uint16_t requester;
	uint64_t tlps;
	uint64_t requests; /* non-posted ones */
	struct pv_stat_flow flow[PV_FLOWS];
	struct pv_latency latency; /* of answered requests; answered 0: unknown */
};

/* Returns the mean size of a TLP in bytes; 0: there are none. */
double pv_stat_flow_mean(const struct pv_stat_flow *f);
/* Returns bytes / wire_bytes, 0 to 1. Meaningless for reads. */
double pv_stat_flow_efficiency(const struct pv_stat_flow *f);
/* Returns the number of TLPs of less than `bytes`, a power of two from 4 to 4096. */
uint64_t pv_stat_flow_below(const struct pv_stat_flow *f, unsigned bytes);
/* Returns the payload in both directions, in bytes. */
uint64_t pv_stat_device_payload(const struct pv_stat_device *d);
/* Returns the wire bytes in both directions. */
uint64_t pv_stat_device_wire_bytes(const struct pv_stat_device *d);
/* Adds n TLPs of a kind and length in DW (1 to 1024). */
void pv_stat_device_add(struct pv_stat_device *d, enum pv_tlp_kind k, unsigned length_dw, uint64_t n);
/* Adds the figures of the same requester from another thread. */
void pv_stat_device_merge(struct pv_stat_device *d, const struct pv_stat_device *from);

/* All devices of a trace so far. Every requester has an entry, unless `too_many` is set. */
struct pv_stat_devices {
	bool too_many;
	unsigned n;
	struct pv_stat_device of[PV_STAT_DEVICES]; /* pv_stat_devices_sort() sorts them */
};
/* Returns the entry of a requester, and adds it if needed. NULL: too many requesters. */
struct pv_stat_device *pv_stat_devices_get(struct pv_stat_devices *d, uint16_t requester);
void pv_stat_devices_merge(struct pv_stat_devices *d, const struct pv_stat_devices *from);
/* Adds latencies to the devices of their requesters. */
void pv_stat_devices_latencies(struct pv_stat_devices *d, const struct pv_latencies *from);
/* Sorts devices: most payload first, then most TLPs, then lowest requester. */
void pv_stat_devices_sort(struct pv_stat_devices *d);

#endif
