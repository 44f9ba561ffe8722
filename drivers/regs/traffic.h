/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vocabulary of traffic and faults: plans name them, targets pass them on, models carry them out. Each list holds
 * a constant and its word in plans. Data formats only, like the wire ledger (wire.h).
 */
#ifndef PV_REGS_TRAFFIC_H
#define PV_REGS_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/wire.h"

/* Kinds of request (PCIe 5.0 table 2-3). */
#define PV_TRAFFIC_KINDS(X)         \
	X(MRD32, "mrd32")           \
	X(MRD64, "mrd64")           \
	X(MRDLK32, "mrdlk32")       \
	X(MRDLK64, "mrdlk64")       \
	X(MWR32, "mwr32")           \
	X(MWR64, "mwr64")           \
	X(IORD, "iord")             \
	X(IOWR, "iowr")             \
	X(CFGRD0, "cfgrd0")         \
	X(CFGRD1, "cfgrd1")         \
	X(CFGWR0, "cfgwr0")         \
	X(CFGWR1, "cfgwr1")         \
	X(MSG, "msg")               \
	X(MSGD, "msgd")             \
	X(FETCHADD32, "fetchadd32") \
	X(FETCHADD64, "fetchadd64") \
	X(SWAP32, "swap32")         \
	X(SWAP64, "swap64")         \
	X(CAS32, "cas32")           \
	X(CAS64, "cas64")           \
	X(CCIX, "ccix") /* vendor-defined message with data, vendor id 0x1e2c */
enum pv_traffic_kind {
#define X(id, word) PV_T_##id,
	PV_TRAFFIC_KINDS(X)
#undef X
		PV_T_KINDS
};

#define PV_TO_MEMORY	     0xffffffffu /* struct pv_traffic_conf: `to` */
#define PV_REQUESTER_NATURAL 0xffffu

/*
 * A stream of requests. The sender is the function `from` for the origins PV_ORIGIN_DEVICE and P2P, the Root Complex
 * for CPU, DMA and REMOTE. The target is the function `to`, or host memory for PV_ORIGIN_DEVICE. Completions follow
 * automatically, split at the RCB and MPS. Requests larger than MPS (writes) or MRRS (reads) are split, and none
 * crosses 4 KiB.
 */
struct pv_traffic_conf {
	enum pv_wire_origin origin;
	pv_bdf from, to;	     /* to: PV_TO_MEMORY */
	uint16_t requester;	     /* PV_REQUESTER_NATURAL: the function; for the Root Complex the Root Port */
	uint16_t weight[PV_T_KINDS]; /* weight of each kind; at least one is not 0 */
	uint32_t size_min, size_max; /* payload bytes, drawn at random in whole DWs; 0 is legal for reads (flush) */
	uint64_t count;		     /* requests before splitting; 0: until stopped */
	uint64_t rate_bytes_per_s;   /* of payload; 0: as fast as the link takes it */
	uint32_t burst;		     /* back-to-back requests, followed by a gap of burst_gap_ps; 0: no bursts */
	uint64_t burst_gap_ps;
	uint64_t start_after_ps; /* delay of the first request */
	uint32_t outstanding;	 /* maximum of non-posted requests in flight; 0: 32 */
	uint64_t addr, span;	 /* target addresses [addr, addr + span); span 0: a default window */
	bool random_addr;	 /* else ascending, wrapping at span */
	bool has_pasid, pasid_exe, pasid_pmr;
	uint32_t pasid;		       /* 20 bits */
	uint8_t tc, attr, at;	       /* attr: 4 IDO, 2 RO, 1 NS */
	bool th, td, ep;	       /* td: a 4-byte ECRC goes with the TLP */
	bool tag10;		       /* draw tags of 10 bits, else 8 */
	int first_be, last_be;	       /* -1: natural */
	uint8_t status;		       /* of the completions: 0 SC, 1 UR, 2 CRS, 4 CA */
	uint8_t msg_code, msg_routing; /* routing 0..5 */
	/* Every nth TLP is nullified and resent; sent twice; arrives with a bad LCRC and is replayed. 0: none. */
	uint32_t nullify_every, duplicate_every, corrupt_every;
	bool oversize; /* writes are not split (a faulty sender) */
	uint64_t seed;
};

/* A stream of CXL messages, DRAM commands or vendor events at the CXL device `bdf`. */
struct pv_cxl_traffic_conf {
	pv_bdf bdf;
	enum pv_wire_what what; /* PV_WIRE_CXL, PV_WIRE_DDR, PV_WIRE_VENDOR */
	/* CXL: enum pv_wire_cxl_channel; VENDOR: vid << 16 | gid, also CXL's groups of neither kind */
	uint32_t channel;
	uint32_t opcodes;    /* mask of opcodes to draw from (DDR: enum pv_wire_ddr) */
	uint64_t count;	     /* 0: until stopped */
	uint64_t gap_cycles; /* CPMU cycles between bursts; 0 is 1 */
	uint32_t per_cycle;  /* messages in one cycle; 0 is 1; at most one of an opcode, except vendors' events */
	uint16_t decoders;   /* CXL: mask of HDM decoders to draw from; 0 is decoder 0 */
	uint8_t ddr_channels, ddr_ranks, ddr_groups, ddr_banks; /* draw below these; 0 is 1 */
	uint64_t seed;
};

struct pv_traffic_stats {
	uint64_t requests, tlps, data_bytes, timeouts, errors;
};

/* Faults that correct hardware may have and that a driver must handle. */
#define PV_FAULTS(X)                                                                                                  \
	X(TUNE_BUSY, "tune-busy")         /* PTT; arg 1: tuning never ends, 0: it ends */                             \
	X(TRACE_BUSY, "trace-busy")       /* PTT; arg 1: never idle */                                                \
	X(RESET_STUCK, "reset-stuck")     /* PTT; arg 1: TRACE_WR_STS does not clear on reset */                      \
	X(LOST_MSI, "lost-msi")           /* any function; its next arg MSIs are lost */                              \
	X(MRRS_MAX, "mrrs-max")           /* any function; arg: largest MRRS field that it accepts */                 \
	X(MPS_STUCK, "mps-stuck")         /* any function; arg 1: the MPS field ignores writes */                     \
	X(LANE_COUNT, "lane-count")       /* Root Port; sets its selected DWC lane counter to arg */                  \
	X(TRACE_ENDLESS, "trace-endless") /* PTT; arg 1: a running trace continues after EN is cleared, never idle */ \
	X(MAILBOX_BUSY, "mailbox-busy")   /* CXL memory device; arg 1: mailbox commands never end, 0: they end */     \
	X(CXL_EVENT, "cxl-event")         /* CXL memory device; adds a record to event log arg */                     \
	X(ATTENTION_BUTTON, "attention-button") /* port of a slot with an attention button: presses it */             \
	X(POWER, "power-fault")           /* port of a slot with a power controller */                                \
	X(OTHER_SELECT, "other-select")   /* Root Port; another master selects arg before EVENT_CNT_DATA is read */   \
	X(TIME_CARRY, "time-carry")       /* Root Port; the low half of time-based data wraps after arg reads */
enum pv_fault {
#define X(id, word) PV_FAULT_##id,
	PV_FAULTS(X)
#undef X
};

/* An event at the receiver of a port, `count` times on a lane. */
struct pv_phy_event {
	unsigned what; /* enum pv_wire_phy */
	unsigned lane, count;
};
#define PV_PHY_COUNT_MAX 4096u

#endif
