/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vocabulary of topologies: what plans describe, targets check against and models build. Each list holds a constant
 * and its word in plans and messages. Data formats only. How an attribute of a plan sets a member is in
 * framework/schema/topology.c.
 */
#ifndef PV_REGS_TOPOLOGY_H
#define PV_REGS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

#define PV_NODE_KINDS(X) \
	X(ROOT_PORT, "root-port") \
	X(UPSTREAM, "upstream") /* port of a switch */ \
	X(DOWNSTREAM, "downstream") /* port of a switch */ \
	X(ENDPOINT, "endpoint") \
	X(LEGACY_ENDPOINT, "legacy-endpoint") \
	X(RCIEP, "rciep") \
	X(EVENT_COLLECTOR, "event-collector") \
	X(PCI_BRIDGE, "pci-bridge") /* PCIe to PCI bridge */ \
	X(CONV_BRIDGE, "conv-bridge") /* conventional bridge: no PCIe capability */ \
	X(CONV_DEVICE, "conv-device") /* conventional function: no PCIe capability */ \
	X(PTT, "ptt") \
	X(CXL_MEM, "cxl-mem") \
	X(PCIE_BRIDGE, "pcie-bridge") /* PCI to PCIe bridge: port type 8 */
enum pv_node_kind {
#define X(id, word) PV_NODE_##id,
	PV_NODE_KINDS(X)
#undef X
	PV_NODE_KIND_COUNT
};

/* Values of SO in the 4DW records of a PTT (undocumented). */
#define PV_PTT_SOS(X) X(RO, "ro") X(ZERO, "zero") X(ONE, "one") X(MIXED, "mixed")
enum pv_ptt_so {
#define X(id, word) PV_PTT_SO_##id,
	PV_PTT_SOS(X)
#undef X
};

/* Meaning of Time in the records of a PTT (undocumented): ticks of a clock, or ticks since the previous record. */
#define PV_PTT_TIMES(X) X(CLOCK, "clock") X(DISTANCE, "distance")
enum pv_ptt_time {
#define X(id, word) PV_PTT_TIME_##id,
	PV_PTT_TIMES(X)
#undef X
};

#define PV_PTT_HELD_MAX 16

#define PV_CPMU_MAX_EVENT_CAPS 32
#define PV_CPMU_MAX_COUNTERS   64

struct pv_cpmu_counter_conf {
	uint8_t type;	 /* CPMU_CFG_TYPE_*: 0 free running, 1 fixed, 2 configurable */
	uint8_t group;	 /* fixed, free running: index of its event capability */
	uint32_t events; /* fixed, free running: event mask */
};

struct pv_cpmu_cap_conf {
	uint16_t vid, gid;
	uint32_t events;
};

struct pv_cpmu_conf {
	unsigned counters, event_caps;
	unsigned width;	 /* bits, 1..64 */
	uint8_t filters; /* bit 0 HDM decoder, bit 1 channel/rank/bank */
	uint8_t msi;	 /* message number */
	bool writable_when_frozen, freeze, interrupt;
	bool sum_adds;	    /* threshold 1 adds all events of a cycle of a sum; else it counts the cycle once */
	bool edge_compares; /* edge looks at threshold and invert, too; else at events alone */
	struct pv_cpmu_cap_conf event_cap[PV_CPMU_MAX_EVENT_CAPS];
	struct pv_cpmu_counter_conf counter[PV_CPMU_MAX_COUNTERS];
};

/* Bytes of configuration space that differ from those of the kind of function, from reset on. */
struct pv_cfg_override {
	uint16_t offset; /* a multiple of bytes */
	uint8_t bytes;	 /* 1, 2 or 4 */
	uint32_t value, writable;
};

#define PV_DWC_GROUPS_MAX 8

/* Differences between RAS D.E.S. cores (docs/hardware-notes.md section 3); all 0: the usual one. */
struct pv_ras_des_conf {
	uint32_t core_clk_ps, aux_clk_ps; /* clock periods; 0: PV_MODEL_DWC_CYCLE_PS, PV_MODEL_DWC_AUX_PS */
	bool l1_aux_is_9;		  /* reports 0x08 and 0x09 are exchanged */
	bool other_lanes_read_0;		  /* counters of the whole port read 0 on lanes other than 0 */
	bool loses_counts;		  /* a disabled event's counters read 0 */
	bool narrow_counters_stay;		  /* counters of 4 and 8 bits stay at their maximum, do not wrap */
	bool selected_anew; /* EVENT_CNT_DATA shows what the counter held at the last write of EVENT_CNT_CTL */
	bool time_is_narrow;   /* time-based data has 32 bits, and reads 0 once the measurement ends */
	uint32_t lacks_events[PV_DWC_GROUPS_MAX]; /* of each group, a bit for each event that is not there */
};

/* Properties of a hot-plug slot (PCIe 5.0 7.5.3.9). */
struct pv_slot_conf {
	uint16_t number;	   /* physical slot number, 13 bits */
	bool surprise;		   /* a device may go without notice */
	bool power;		   /* power controller */
	bool button;		   /* attention button */
	bool indicators;	   /* attention and power indicator */
	bool no_command_completed; /* commands take effect immediately, without notification */
};

#define PV_DOMAINS_MAX 16 /* of a machine */

struct pv_node_conf {
	enum pv_node_kind kind;
	pv_bdf bdf; /* in the domain of the bridge above it */
	int parent; /* node id of the bridge above it; -1: on a root bus (bus 0 or a Root Complex's own) */
	uint8_t secondary, subordinate; /* bridges: bus numbers */
	uint16_t vendor, device;	/* 0: a default for the kind */
	uint8_t mpss;			/* DevCap field, 0..5: 128 << n; 6 and 7 are reserved */
	uint8_t mps, mrrs;		/* DevCtl fields after reset, 0..7; MPS may exceed MPSS */
	uint8_t mps_ro, mrrs_ro;	/* bits of these fields that writes do not change */
	uint8_t mrrs_max;		/* largest MRRS field that can be written (5: any) */
	uint8_t speed;			/* of the link below a port: 1..5 = 2.5, 5, 8, 16, 32 GT/s */
	uint8_t width;			/* lanes of it: 1, 2, 4, 8, 16 */
	uint8_t max_speed, max_width;	/* what the link could be; 0: as it is */
	uint16_t rcb;			/* Root Ports: 64 or 128 */
	bool hotplug;			/* bridges: Hot-Plug Capable ... */
	bool slot;			/* ... and Slot Implemented, which it requires */
	struct pv_slot_conf slot_has;
	/*
	 * A virtual function of the preceding endpoint on its bus; its IDs, MPS and MRRS read as required by SR-IOV,
	 * and it has no BARs.
	 */
	bool vf;
	bool ras_des; /* Root Ports, switches, endpoints: has the DWC RAS D.E.S. capability */
	struct pv_ras_des_conf ras;
	bool dllps;			   /* ports: Ack and UpdateFC DLLPs take up bandwidth of the link */
	uint16_t sicl, core;		   /* PTT: LOCATION */
	uint16_t range_lower, range_upper; /* PTT: DEVICE_RANGE, in its own domain */
	enum pv_ptt_so so;		   /* PTT */
	enum pv_ptt_time time;		   /* PTT */
	bool rubbish;			   /* PTT: leaves rubbish in the unwritten part of a buffer */
	unsigned held;			   /* PTT: records written only when it stops; at most PV_PTT_HELD_MAX */
	bool soft_reset;		   /* No_Soft_Reset is 0: from D3hot to D0 the function is reset */
	bool ari;			   /* endpoints: has the ARI capability, functions up to 255 (PCIe 5.0 6.13) */
	unsigned cpmus;			   /* CXL_MEM: PMU instances */
	const struct pv_cpmu_conf *cpmu;   /* of them; copied */
	unsigned overrides;		   /* of registers; the behaviour of the function is unchanged */
	const struct pv_cfg_override *override; /* of them; copied */
};

#endif
