/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire ledger: the record in which emulated hardware (the models, and the same models inside QEMU)
 * notes everything that crosses a link, in order. This header only defines the data format, on which both sides must agree.
 *
 * A ledger file is one pv_wire_file followed by pv_wire records, little endian.
 */
#ifndef PV_REGS_WIRE_H
#define PV_REGS_WIRE_H

#include <stdint.h>

#include "drivers/regs/pcie.h"

#define PV_PS_PER_NS 1000ull
#define PV_PS_PER_US 1000000ull
#define PV_PS_PER_MS 1000000000ull
#define PV_PS_PER_S  1000000000000ull

enum pv_wire_what {
	PV_WIRE_TLP = 1,	/* a TLP on a link */
	PV_WIRE_DLLP,		/* hdr[0]: enum pv_wire_dllp */
	PV_WIRE_LTSSM,		/* the link below `port` enters hdr[0]: enum pv_wire_ltssm */
	PV_WIRE_CXL,		/* CXL.cache or CXL.mem message: hdr[0] enum pv_wire_cxl_channel,
				 * hdr[1] opcode (CXL 3.0 3.2.4 and 3.3), hdr[2] HDM decoder index */
	PV_WIRE_DDR,		/* DRAM command: hdr[0] enum pv_wire_ddr, hdr[1] place in the DRAM (PV_WIRE_PLACE) */
	PV_WIRE_VENDOR,		/* another CPMU event, a vendor's or one of the specification that is no message and no
				 * command: hdr[0] vid << 16 | gid, hdr[1] event bit number, hdr[2] place in the DRAM */
	PV_WIRE_PLUG,		/* hdr[0] 1: function `port` appeared, 0: vanished */
	PV_WIRE_MARK,		/* written by the test: hdr[0] number, hdr[1] enum pv_wire_mark */
	PV_WIRE_RAS_DES,	/* the RAS D.E.S. counters of the Root Port `port`: hdr[0] and hdr[1] length of a
				 * core_clk and of an aux_clk cycle in ps, hdr[2] PV_RAS_DES_* */
	PV_WIRE_PHY,		/* the receiver of `port` notices hdr[0]: enum pv_wire_phy; per lane: on `lane` */
	PV_WIRE_TIMEOUT,	/* `requester` gives up waiting for a completion over the link of `port` */
	PV_WIRE_RAS_DES_LACKS,	/* the RAS D.E.S. counters of `port` lack the event hdr[0]: group << 8 | number */
};

enum pv_wire_dir { PV_WIRE_IN, PV_WIRE_OUT };	/* towards the Root Complex; away from it */

/* Originator of the request (for a completion: of the request that it answers). */
enum pv_wire_origin {
	PV_ORIGIN_NONE,
	PV_ORIGIN_CPU,		/* a core's load or store (CHI native) */
	PV_ORIGIN_DMA,		/* a DMA engine of this chip, local to this Root Complex */
	PV_ORIGIN_REMOTE,	/* a DMA engine of another chip: remote2local */
	PV_ORIGIN_DEVICE,	/* a function below a Root Port, to host memory */
	PV_ORIGIN_P2P,		/* a function below a port, to a function below another */
};

enum pv_wire_dllp { PV_DLLP_ACK = 1, PV_DLLP_UPDATE_FC, PV_DLLP_NAK };

/*
 * Events at a receiver, below the data link layer, with their words in plans. Up to PV_PHY_LANE_LAST they are per lane.
 */
#define PV_WIRE_PHY_EVENTS(X) \
	X(EBUF_OVERFLOW, "ebuf-overflow") \
	X(EBUF_UNDERRUN, "ebuf-underrun") \
	X(DECODE, "decode") \
	X(DISPARITY, "disparity") \
	X(SKP_PARITY, "skp-parity") \
	X(SYNC_HEADER, "sync-header") \
	X(RX_VALID, "rx-valid") \
	X(CTL_SKP_PARITY, "ctl-skp-parity") \
	X(RETIMER1_PARITY, "retimer1-parity") \
	X(RETIMER2_PARITY, "retimer2-parity") \
	X(MARGIN_CRC, "margin-crc") \
	X(SKP_ADD, "skp-add") \
	X(SKP_DEL, "skp-del") \
	X(EIDLE_INFERRED, "eidle-inferred") \
	X(RECEIVER, "receiver") \
	X(RECOVERY_REQUEST, "recovery-request") \
	X(N_FTS_TIMEOUT, "n-fts-timeout") \
	X(FRAMING, "framing") \
	X(DESKEW, "deskew") \
	X(FRAMING_L0, "framing-l0") \
	X(DESKEW_INCOMPLETE, "deskew-incomplete")
enum pv_wire_phy {
	PV_PHY_NONE,
#define X(id, word) PV_PHY_##id,
	PV_WIRE_PHY_EVENTS(X)
#undef X
	PV_PHY_EVENTS,
	PV_PHY_LANE_LAST = PV_PHY_SKP_DEL,
};

/* Where cores differ (docs/hardware-notes.md section 3). */
#define PV_RAS_DES_L1_AUX_IS_9	0x1	/* reports 0x08 and 0x09 are exchanged: TX_RX_L0S is 0x08, L1_AUX 0x09 */
#define PV_RAS_DES_LANE_0_ONLY	0x2	/* counters of the whole port read 0 on the other lanes */

/* States of a link, with their words in plans. */
#define PV_WIRE_LTSSM_STATES(X) \
	X(L0, "L0") \
	X(TX_L0S, "TX_L0S") \
	X(RX_L0S, "RX_L0S") \
	X(TX_RX_L0S, "TX_RX_L0S") \
	X(L1, "L1") \
	X(L1_1, "L1_1") \
	X(L1_2, "L1_2") \
	X(CFG_RCVRY, "CFG_RCVRY") \
	X(L1_AUX, "L1_AUX")
enum pv_wire_ltssm {
	PV_LTSSM_NONE,
#define X(id, word) PV_LTSSM_##id,
	PV_WIRE_LTSSM_STATES(X)
#undef X
};

/* Channels of CXL.cache and CXL.mem (CXL 3.0 3.2 and 3.3), with their words in plans. */
#define PV_WIRE_CXL_CHANNELS(X) \
	X(D2H_REQ, "D2H Req") \
	X(D2H_RSP, "D2H Rsp") \
	X(H2D_REQ, "H2D Req") \
	X(H2D_RSP, "H2D Rsp") \
	X(D2H_DATA, "D2H Data") \
	X(H2D_DATA, "H2D Data") \
	X(M2S_REQ, "M2S Req") \
	X(M2S_RWD, "M2S RwD") \
	X(M2S_BIRSP, "M2S BIRsp") \
	X(S2M_BISNP, "S2M BISnp") \
	X(S2M_NDR, "S2M NDR") \
	X(S2M_DRS, "S2M DRS")
enum pv_wire_cxl_channel {
	PV_CXL_NONE,
#define X(id, word) PV_CXL_##id,
	PV_WIRE_CXL_CHANNELS(X)
#undef X
};

/* DRAM commands (CXL 4.0 table 13-5, group 0x8000), with their words in plans. */
#define PV_WIRE_DDR_COMMANDS(X) \
	X(ACT, "act") \
	X(PRE, "pre") \
	X(CAS_RD, "casrd") \
	X(CAS_WR, "caswr") \
	X(REFRESH, "refresh") \
	X(SELF_REFRESH_ENTRY, "selfrefreshent") \
	X(RFM, "rfm") \
	X(CAS_RD_AP, "cas_rd_ap") \
	X(CAS_WR_AP, "cas_wr_ap") \
	X(REFRESH_ALL, "refresh_all_banks") \
	X(REFRESH_SAME, "refresh_same_bank") \
	X(POWER_DOWN_ENTRY, "pwrdn_entry") \
	X(POWER_DOWN_EXIT, "pwrdn_exit") \
	X(BUS_SWITCH, "rd_wr_ddr_bus_switching") \
	X(READ_REQUEST, "incoming_rd_req") \
	X(WRITE_REQUEST, "incoming_wr_req")
enum pv_wire_ddr {
#define X(id, word) PV_DDR_##id,
	PV_WIRE_DDR_COMMANDS(X)
#undef X
};

/* A place in the DRAM: channel, rank, bank group and bank, 8 bits each. */
#define PV_WIRE_PLACE(channel, rank, group, bank) \
	((uint32_t)(channel) << 24 | (uint32_t)(rank) << 16 | (uint32_t)(group) << 8 | (uint32_t)(bank))

enum pv_wire_mark { PV_MARK_BEGIN = 1, PV_MARK_END };

/* flags */
#define PV_WIRE_F_NULLIFIED	0x01	/* ended with EDB: the receiver discards it */
#define PV_WIRE_F_DUPLICATE	0x02	/* a replay of a TLP that was already received: discarded */
#define PV_WIRE_F_MALFORMED	0x04	/* the receiver finds it malformed and discards it (AER) */
#define PV_WIRE_F_ABORTED	0x08	/* cut off, as its link went down: nobody receives it. A tap may say so; the models
					 * write a TLP with its first symbol, and never do */
#define PV_WIRE_F_BAD_LCRC	0x10	/* damaged on its way: discarded and asked for again */
#define PV_WIRE_F_RETRY		0x20	/* sent again from the retry buffer; the receiver has not had it yet */
/* Copies that never reach the receiver's transaction layer. */
#define PV_WIRE_F_DISCARDED	(PV_WIRE_F_NULLIFIED | PV_WIRE_F_DUPLICATE | PV_WIRE_F_BAD_LCRC)

struct pv_wire {
	uint64_t time_ps;	/* simulated time of the first symbol on the wire */
	uint8_t  what;		/* enum pv_wire_what */
	uint8_t  dir;		/* enum pv_wire_dir */
	uint8_t  origin;	/* enum pv_wire_origin */
	uint8_t  flags;		/* PV_WIRE_F_* */
	pv_bdf   port;		/* the Root Port or switch Downstream Port above the link;
				 * CXL, DDR, VENDOR, PLUG: the device itself */
	uint32_t prefix;	/* End-End TLP Prefix (PASID), 0: none; byte 0 of the prefix is [31:24] */
	uint32_t hdr[4];	/* TLP header DW0..DW3: its byte 0 is hdr[0][31:24]; a 3DW header leaves hdr[3] 0 */
	uint32_t data_bytes;	/* payload on the wire, 4 bytes for each DW */
	uint32_t wire_bytes;	/* everything on the wire: prefix, header, payload, framing, sequence number, LCRC */
	uint16_t requester;	/* function that caused the request, as the sender knows it: no domain, as in the TLP */
	uint16_t completer;	/* completions: function that answers; else 0 */
	uint8_t  lane;		/* lane that carries the first symbol */
	uint8_t  reserved0[3];
	uint32_t reserved1[3];
};

/* Version 2: `port` has a domain. The times are model constants: nothing here is known of real hardware. */
#define PV_WIRE_MAGIC		"pvwire2"
struct pv_wire_file {
	char     magic[8];
	uint32_t record_bytes;	/* sizeof(struct pv_wire) */
	uint32_t ptt_tick_ps;	/* one unit of a PTT record's Time field: Time = time_ps / ptt_tick_ps, truncated to the field */
	uint32_t dwc_cycle_ps;	/* one core_clk cycle where no PV_WIRE_RAS_DES record says otherwise */
	uint32_t cpmu_cycle_ps;	/* one CPMU clock tick; cycle number = time_ps / cpmu_cycle_ps */
	uint64_t records;	/* number of records that follow */
};

#endif
