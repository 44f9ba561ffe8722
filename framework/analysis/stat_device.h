/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of single devices, that is, of requesters: what each writes, asks for and gets, in TLPs of which sizes, how
 * much of its share of the wire is payload, and how long its requests take.
 */
#ifndef PV_ANALYSIS_STAT_DEVICE_H
#define PV_ANALYSIS_STAT_DEVICE_H

#include "framework/analysis/match.h"
#include "framework/trace/tlp.h"

/* With more requesters than these there are no figures of devices, only TLPs and payload of each requester. */
#define PV_STAT_DEVICES 64
/* Sizes by power of two: 4 to 7 bytes, 8 to 15, ... 2048 to 4095, 4096. */
#define PV_STAT_OCTAVES 11

enum pv_stat_flow_kind {
	PV_FLOW_WRITES,	     /* MWr by the device */
	PV_FLOW_READS,	     /* MRd and MRdLk by the device */
	PV_FLOW_COMPLETIONS, /* with data, to the device */
	PV_FLOW_OTHER,	     /* configuration, I/O, messages, atomics, DMWr, and completions without data */
	PV_FLOWS
};
extern const char *const pv_stat_flow_names[PV_FLOWS]; /* "writes", "reads", ... */
enum pv_stat_flow_kind pv_stat_flow_of(enum pv_tlp_kind k);

/* TLPs of memory requests by what their header says beside their length. */
enum pv_stat_mark {
	PV_MARK_PARTIAL,   /* some byte of the first or the last DW is not enabled (PCIe 5.0 2.2.5) */
	PV_MARK_OFF_64,	   /* begins within 64 bytes */
	PV_MARK_PART_LINE, /* begins or ends within 64 bytes */
	PV_MARK_OFF_4K,	   /* begins within 4 KiB */
	PV_MARK_CROSS_4K,  /* crosses a border of 4 KiB, which PCIe 5.0 2.2.7 forbids */
	PV_MARK_RELAXED,   /* relaxed ordering */
	PV_MARKS
};
extern const char *const pv_stat_mark_names[PV_MARKS]; /* "partial_enables", "off_64", ... */

struct pv_stat_flow {
	uint64_t tlps;
	uint64_t bytes;			 /* payload; of reads: what they ask for, by Length */
	uint64_t wire_bytes;		 /* header, payload and framing, as pv_stat_wire_bytes() */
	unsigned largest;		 /* bytes */
	uint64_t sizes[PV_STAT_OCTAVES]; /* TLPs, by payload; of reads: by what they ask for */
	uint64_t marks[PV_MARKS];	 /* TLPs; of writes and reads only, 0 for all others */
};

struct pv_stat_device {
	uint16_t requester;
	uint64_t tlps;
	struct pv_stat_flow flow[PV_FLOWS];
	struct pv_latency latency; /* of answered requests; answered 0: unknown */
};

/* Mean size of a TLP in bytes; 0: it has none. */
double pv_stat_flow_mean(const struct pv_stat_flow *f);
/* Payload as a part of wire_bytes, 0 to 1. Of reads it means nothing. */
double pv_stat_flow_efficiency(const struct pv_stat_flow *f);
/* TLPs of less than `bytes`, a power of two from 4 to 4096. */
uint64_t pv_stat_flow_below(const struct pv_stat_flow *f, unsigned bytes);
/* Payload in both directions, in bytes. */
uint64_t pv_stat_device_payload(const struct pv_stat_device *d);
/* Bytes of the wire in both directions. */
uint64_t pv_stat_device_wire_bytes(const struct pv_stat_device *d);
/* Adds n TLPs of a kind and length in DW (1 to 1024). */
void pv_stat_device_add(struct pv_stat_device *d, enum pv_tlp_kind k, unsigned length_dw, uint64_t n);
/* Adds the figures of the same requester from another thread. */
void pv_stat_device_merge(struct pv_stat_device *d, const struct pv_stat_device *from);

/* Figures of devices while they grow. All requesters of a trace have a place, or `too_many` is set. */
struct pv_stat_devices {
	bool too_many;
	unsigned n;
	struct pv_stat_device of[PV_STAT_DEVICES]; /* once complete: most payload, most TLPs, lowest requester first */
};
/* The place of a requester, made if needed. NULL: too many. */
struct pv_stat_device *pv_stat_devices_get(struct pv_stat_devices *d, uint16_t requester);
void pv_stat_devices_merge(struct pv_stat_devices *d, const struct pv_stat_devices *from);
/* Adds latencies. */
void pv_stat_devices_latencies(struct pv_stat_devices *d, const struct pv_latencies *from);
void pv_stat_devices_sort(struct pv_stat_devices *d);

#endif
