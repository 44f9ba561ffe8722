/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expected results, computed only from the wire ledger and recorded configuration space. Written from
 * docs/hardware-notes.md; shares no code with the models or the driver, except the register maps.
 *
 * Windows: four ledger positions surround a measurement. Records in [inner_first, inner_last) must be in the
 * result; records outside [outer_first, outer_last) must not. If there is no traffic while a measurement starts and
 * stops, both windows are equal and the expectation is exact. A counter may have been stopped in a pause: what lies in
 * it may be in the result.
 */
#ifndef PV_ORACLE_ORACLE_H
#define PV_ORACLE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/mps.h"
#include "framework/oracle/ledger.h"

struct pv_pause {
	uint64_t first, last;
	uint64_t begin_ps, end_ps;
};

struct pv_window {
	uint64_t outer_first, inner_first, inner_last, outer_last;	     /* record numbers of the ledger */
	uint64_t outer_begin_ps, inner_begin_ps, inner_end_ps, outer_end_ps; /* and their times */
	struct pv_pause *pause; /* of counters, in order; owned by the caller */
	size_t pauses;
};

/* ---- PTT traces ---- */
struct pv_trace_spec {
	uint32_t filter; /* the 20-bit ABI value */
	uint8_t type, direction;
	bool format_8dw;
	bool time_is_distance;		 /* Time counts the ticks since the record before, not those of a clock */
	pv_bdf range_lower, range_upper; /* Root Ports of the PTT's core ... */
	uint8_t below[256 / 8];		 /* ... except on these buses: a bit for each bus below a bridge */
};
/* Returns true if this ledger record appears in such a trace. */
bool pv_oracle_traced(const struct pv_trace_spec *s, const struct pv_wire *w);
/* Makes the trace record expected for it, with Time as a clock: 16 or 32 bytes at `out`. Returns the size. */
size_t pv_oracle_record(const struct pv_trace_spec *s, const struct pv_wire_file *head, const struct pv_wire *w,
			uint8_t out[32]);

/* A trace as the driver delivered it. */
struct pv_trace_data {
	const void *bytes;
	size_t len;
	bool ignore_time; /* do not compare Time */
	/* Where the driver reports possible losses: ascending offsets into the bytes; `len`: after the last record. */
	const uint64_t *gap;
	size_t gaps;
	bool pairs; /* gaps 2i and 2i + 1 are the ends of a marked piece: something is missing at one of them */
};
struct pv_trace_diff {
	uint64_t expected, got; /* records */
	uint64_t missing, extra, differing;
	uint64_t told; /* missing records at a gap that the driver reported */
	uint64_t idle; /* marked pieces without missing records at either end */
	/*
	 * Of the differing, those for which nothing was searched because too little of the trace agrees (they may be
	 * missing or extra), and the first of them, as a record of the trace.
	 */
	uint64_t unsearched, unsearched_from;
	/*
	 * The first unreported difference as text: offset, expected, got, field by field; and the part that was not
	 * searched.
	 */
	char first[512];
};
/*
 * Compares a trace with the ledger in time linear in the number of records. Walks both once; the ledger twice more if
 * the window's start is not exact, and once more where records are missing at a gap. If regular traffic has several
 * places where a piece between gaps agrees, the places that explain most count. 0: compared, see *diff; or -errno.
 */
int pv_oracle_check_trace(struct pv_ledger *l, const struct pv_window *win, const struct pv_trace_spec *s,
			  const struct pv_trace_data *trace, struct pv_trace_diff *diff);

/* ---- counters ---- */
struct pv_bounds {
	uint64_t min, max; /* inclusive; min == max: exact */
};

struct pv_cpmu_query {
	pv_bdf device;
	uint16_t vid, gid;
	uint32_t mask;
	unsigned threshold;
	bool invert, edge, hdm_enable, crb_enable;
	uint16_t hdm; /* filter value: mask of decoders */
	uint32_t crb; /* filter value: channel, rank, bank group and bank, 8 bits each from the top, 0xff any */
};
/* Fills vid, gid and mask of *out from the ABI's name ("d2h_req_rdcurr"). -ENOENT: no such event. */
int pv_oracle_cpmu_event(const char *name, struct pv_cpmu_query *out);
/* The same for the n-th event that has a name in the ABI, with the name. -ENOENT: there are fewer. */
int pv_oracle_cpmu_named(size_t n, char name[64], struct pv_cpmu_query *out);
/*
 * Invert is ignored if the threshold is 0. -EINVAL: no such group, or an invalid window. -EDOM: the specification
 * leaves undefined or open what is counted.
 */
int pv_oracle_cpmu(struct pv_ledger *l, const struct pv_window *win, const struct pv_cpmu_query *e,
		   struct pv_bounds *out);

struct pv_dwc_query {
	pv_bdf root_port;
	bool lane_event;
	uint16_t eventid; /* as in config:0-15 */
	unsigned lane;
};
/* Fills lane_event and eventid of *out from the ABI's name ("rx_memory_read"). -ENOENT: no such event. */
int pv_oracle_dwc_event(const char *name, struct pv_dwc_query *out);
/* Returns what the counter of a lane event holds at most (F-D1). */
uint32_t pv_oracle_dwc_most(uint16_t eventid);
/* In the ABI's units: group 1 in bytes. -EINVAL: no such event. */
int pv_oracle_dwc(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e,
		  struct pv_bounds *out);

/* ---- measures of a stretch of the ledger ---- */
enum pv_measure {
	PV_MEASURE_TLPS,
	PV_MEASURE_DATA_BYTES,
	PV_MEASURE_WIRE_BYTES,
	PV_MEASURE_BANDWIDTH, /* payload bytes per second, first to last TLP of the class */
	PV_MEASURE_SHARE,     /* share of the wire bytes of all classes, 0..1 */
	PV_MEASURE_BURST,     /* mean TLPs in a burst: back to back on the wire */
	PV_MEASURE_BURSTS,    /* number of bursts */
	PV_MEASURE_MEAN_PAYLOAD,
	PV_MEASURE_MAX_PAYLOAD,
	PV_MEASURE_MAX_READ,	 /* bytes */
	PV_MEASURE_OFF_BOUNDARY, /* completions that do not end at a read completion boundary */
	PV_MEASURE_OUT_OF_ORDER, /* non-posted requests and completions that have overtaken a posted request */
	PV_MEASURE_SHORT_WRITES, /* share of memory writes with a header of 3 DW, among the TLPs of a bandwidth */
};
struct pv_measure_spec {
	enum pv_measure what;
	pv_bdf port;
	pv_bdf via; /* out of order: the port of the link that the TLPs have crossed before */
	enum pv_wire_dir dir;
	unsigned classes;  /* mask of enum pv_tlp_class; 0: all */
	bool of_requester; /* of this one only; false: of any */
	uint16_t requester;
	unsigned boundary;	 /* the completers' RCB in bytes: 64 or 128; 0: 64 */
	double link_bytes_per_s; /* bursts: the link's rate; 0: the fastest pair of TLPs in the window is back to back
				  */
};
/*
 * Over the inner window. Nullified, duplicated and damaged TLPs count for wire bytes and share only, aborted ones
 * never. A bandwidth is measured from first symbol to first symbol, so it excludes the last TLP's payload. It allows
 * for both times being truncated to whole picoseconds, so it cannot exceed the ceiling. Out of order are TLPs of one
 * sender (for completions the completer), of TC 0, without attributes that permit it. -ENODATA: no TLP has what is
 * measured, a share, a mean, a largest or one that is off. -EXDEV: the two links have not carried the same TLPs.
 */
int pv_oracle_measure(struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s, double *out);

/* ---- MPS and MRRS ---- */
struct pv_cfg_image {
	pv_bdf bdf;
	uint8_t data[4096];
	bool vf;	    /* a virtual function; false: detected by its IDs or its PF's SR-IOV capability */
	uint16_t devctl_ro; /* read-only bits of Device Control */
	uint16_t mrrs_max;  /* bytes: a write of a larger MRRS is ignored; 0: no limit */
};
struct pv_mps_expect {
	pv_bdf bdf;
	uint16_t mps, mrrs; /* bytes; 0: the function has none */
};
/* An event on which the policy of a machine acts. */
enum pv_mps_arrival {
	PV_MPS_AT_BOOT,	   /* the machine starts with these functions and nothing else */
	PV_MPS_AT_HOTPLUG, /* they appear below `slot`, and pciehp adds them */
	PV_MPS_AT_RESCAN,  /* they appear anywhere, and a rescan finds them */
	PV_MPS_UNPLUG	   /* all functions below `slot` disappear; no images */
};
struct pv_mps_event {
	enum pv_mps_arrival how;
	const struct pv_cfg_image *images; /* n of them in any order, bus numbers set, as they are when they arrive */
	size_t n;
	pv_bdf slot; /* hot-plug and unplug: the port */
};
/*
 * Computes MPS and MRRS of each function present after the events, in the order of arrival. `want` has room for the
 * images of all events; *n_want is set to the number of functions present. -EINVAL: two functions with one BDF, or a
 * slot that is not a bridge of the machine.
 */
int pv_oracle_mps_events(enum pv_mps_policy p, const struct pv_mps_event *events, size_t n_events,
			 struct pv_mps_expect *want, size_t *n_want);

/* ---- throughput (hardware.md section 5) ---- */
struct pv_link_rate {
	unsigned speed_mt; /* 2500, 5000, 8000, 16000, 32000, 64000 MT/s */
	unsigned width;
	bool flits; /* Flit Mode: the arithmetic here is not that of flits */
};
/*
 * Returns the rate of a speed as Link Status numbers it, 1 to 6 (PCIe 6.0 7.5.3.8); unknown: all members are 0. 64 GT/s
 * is always Flit Mode; at lower speeds Link Status 2 tells.
 */
struct pv_link_rate pv_link_rate_of(unsigned speed, unsigned width);
double pv_link_bytes_per_s(const struct pv_link_rate *l); /* after encoding */
/* Ceilings in payload bytes per second for requests of `size` bytes. */
double pv_ceiling_write(const struct pv_link_rate *l, unsigned size, unsigned mps, bool addr64, unsigned prefixes);
double pv_ceiling_read(const struct pv_link_rate *l, unsigned size, unsigned mps, unsigned mrrs, unsigned rcb,
		       bool addr64);

#endif
