/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done to the hardware from outside: traffic, link states, faults, plug and unplug. */
#ifndef PV_TARGET_WORKLOAD_H
#define PV_TARGET_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/wire.h"

#define PV_TO_MEMORY	     0xffffffffu /* struct pv_workload_stream: `to` */
#define PV_REQUESTER_NATURAL 0xffffu

enum pv_stream_kind {
	PV_STREAM_MRD32,
	PV_STREAM_MRD64,
	PV_STREAM_MRDLK32,
	PV_STREAM_MRDLK64,
	PV_STREAM_MWR32,
	PV_STREAM_MWR64,
	PV_STREAM_IORD,
	PV_STREAM_IOWR,
	PV_STREAM_CFGRD0,
	PV_STREAM_CFGRD1,
	PV_STREAM_CFGWR0,
	PV_STREAM_CFGWR1,
	PV_STREAM_MSG,
	PV_STREAM_MSGD,
	PV_STREAM_FETCHADD32,
	PV_STREAM_FETCHADD64,
	PV_STREAM_SWAP32,
	PV_STREAM_SWAP64,
	PV_STREAM_CAS32,
	PV_STREAM_CAS64,
	PV_STREAM_CCIX,
	PV_STREAM_KINDS
};

/*
 * A stream of requests. Who sends: origin PV_ORIGIN_DEVICE or P2P: the function `from`; CPU, DMA, REMOTE: the Root
 * Complex. Where to: `to` (a function), or host memory for PV_ORIGIN_DEVICE. Completions follow by themselves, cut
 * at the RCB and MPS. Requests larger than MPS (writes) or MRRS (reads) are cut, none crosses 4 KiB.
 */
struct pv_workload_stream {
	enum pv_wire_origin origin;
	pv_bdf from, to;		  /* to: PV_TO_MEMORY */
	uint16_t requester;		  /* PV_REQUESTER_NATURAL: the function; for the Root Complex the Root Port */
	uint16_t weight[PV_STREAM_KINDS]; /* how often each kind is drawn; at least one is not 0 */
	uint32_t size_min, size_max; /* payload bytes, drawn between both in whole DWs; 0 is legal for reads (flush) */
	uint64_t count;		     /* requests before cutting; 0: until stopped */
	uint64_t rate_bytes_per_s;   /* of payload; 0: as fast as the link takes it */
	uint32_t burst;		     /* requests back to back, then burst_gap_ns of nothing; 0: no bursts */
	uint64_t burst_gap_ns;
	uint64_t start_after_ns;
	uint32_t outstanding; /* non-posted requests in flight at most; 0: 32 */
	uint64_t addr, span;  /* target addresses [addr, addr + span); span 0: a default window */
	bool random_addr;     /* else ascending, wrapping at span */
	bool has_pasid, pasid_exe, pasid_pmr;
	uint32_t pasid;		       /* 20 bits */
	uint8_t tc, attr, at;	       /* attr: 4 IDO, 2 RO, 1 NS */
	bool th, td, ep;	       /* td: a 4-byte ECRC goes with the TLP */
	bool tag10;		       /* draws tags of 10 bits, else 8 */
	int first_be, last_be;	       /* -1: natural */
	uint8_t status;		       /* of the completions: 0 SC, 1 UR, 2 CRS, 4 CA */
	uint8_t msg_code, msg_routing; /* routing 0..5 */
	/* Every nth TLP is nullified and sent again; sent twice; arrives with a bad LCRC and is sent again. 0: none. */
	uint32_t nullify_every, duplicate_every, corrupt_every;
	bool oversize; /* writes are not cut (a faulty sender) */
	uint64_t seed;
};

/* A stream of CXL messages, DRAM commands or vendor events at the CXL device `bdf`. */
struct pv_cxl_stream {
	pv_bdf bdf;
	enum pv_wire_what what; /* PV_WIRE_CXL, PV_WIRE_DDR, PV_WIRE_VENDOR */
	uint32_t channel;	/* CXL: enum pv_wire_cxl_channel; VENDOR: vid << 16 | gid */
	uint32_t opcodes;	/* mask of opcodes to draw from */
	uint64_t count;		/* 0: until stopped */
	uint64_t gap_cycles;	/* CPMU cycles between bursts; 0 is 1 */
	uint32_t per_cycle;	/* messages in one cycle; 0 is 1; at most one of an opcode, but for a vendor's events */
	uint16_t decoders;	/* CXL: mask of HDM decoders to draw from; 0 is decoder 0 */
	uint8_t ddr_channels, ddr_ranks, ddr_groups, ddr_banks; /* draw below these; 0 is 1 */
	uint64_t seed;
};

struct pv_stream_stats {
	uint64_t requests, tlps, data_bytes, timeouts, errors;
};

/* What right hardware may do, in the order of the step's words. */
enum pv_hw_fault {
	PV_HW_TUNE_BUSY,     /* PTT; arg 1: tuning never ends, 0: ends again */
	PV_HW_TRACE_BUSY,    /* PTT; arg 1: never idle */
	PV_HW_RESET_STUCK,   /* PTT; arg 1: the trace's status does not clear on reset */
	PV_HW_LOST_MSI,	     /* any; the next arg MSIs of it are lost */
	PV_HW_MRRS_MAX,	     /* arg: largest MRRS field that it takes from now on */
	PV_HW_MPS_STUCK,     /* arg 1: the MPS field ignores writes */
	PV_HW_LANE_COUNT,    /* Root Port; its selected DWC lane counter is at arg, as after a long time */
	PV_HW_TRACE_ENDLESS, /* PTT; arg 1: a trace goes on when it is switched off */
	PV_HW_MAILBOX_BUSY,  /* CXL memory device; arg 1: no mailbox command ends, 0: ends again */
	PV_HW_CXL_EVENT,     /* CXL memory device; a record is added to event log arg */
	PV_HW_ATTENTION,     /* port of a hot-plug slot: its button is pressed */
	PV_HW_POWER_FAULT,   /* port of a hot-plug slot: its power controller finds a fault */
	PV_HW_OTHER_SELECT, /* Root Port; another master writes arg to EVENT_CNT_CTL before the next read of the count */
};

/* Something that the receiver of a port notices, `count` times on a lane. */
struct pv_phy_event {
	unsigned what; /* enum pv_wire_phy of drivers/regs/wire.h */
	unsigned lane, count;
};
#define PV_PHY_COUNT_MAX 4096u

struct pv_topo_node;

struct pv_workload {
	const struct pv_workload_ops *ops;
};

/* Each returns 0 or -errno unless it says otherwise. */
struct pv_workload_ops {
	int (*traffic)(struct pv_workload *w, const struct pv_workload_stream *s); /* id of the stream, >= 0 */
	int (*cxl_traffic)(struct pv_workload *w, const struct pv_cxl_stream *s);
	int (*traffic_stop)(struct pv_workload *w, int stream);
	int (*traffic_stats)(struct pv_workload *w, int stream, struct pv_stream_stats *out);
	bool (*idle)(struct pv_workload *w); /* no stream has anything left to send, nothing is in flight */
	/* The link below `port` spends `ns` in a state, then returns to L0. */
	int (*link_state)(struct pv_workload *w, pv_bdf port, enum pv_wire_ltssm state, uint64_t ns);
	int (*fault)(struct pv_workload *w, enum pv_hw_fault f, pv_bdf bdf, uint64_t arg);
	int (*phy_event)(struct pv_workload *w, pv_bdf port, const struct pv_phy_event *e);
	/* How long an interrupt waits for its handler: the slow consumer. NULL: the machine's own. */
	int (*irq_latency)(struct pv_workload *w, uint64_t ns);
	int (*plug)(struct pv_workload *w, const struct pv_topo_node *node); /* without notification */
	/* Surprise removal of the whole device of this function, without notification. */
	int (*unplug)(struct pv_workload *w, pv_bdf bdf);
};

#endif
