/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAS D.E.S. events: one table of lane events and one of time-based events, and which ledger records each counts
 * (docs/hardware-notes.md section 3). Tx is outbound, Rx inbound, as the Root Port sees it.
 */
#include <errno.h>
#include <string.h>

#include "framework/oracle/dwc.h"
#include "framework/trace/tlp.h"
#include "framework/util/cleanup.h"

#define CCIX_MESSAGE_CODE 0x7f	 /* Vendor_Defined Type 1 */
#define CCIX_VENDOR	  0x1e2c /* DW2 [15:0] of the message */
#define CCIX_HEADER_BYTES 4	 /* of each CCIX TLP that count as payload */
#define STATUS_UR	  1
#define STATUS_CA	  4

#define K(kind) (1u << PV_TLP_##kind)
#define MWR	(K(MWR32) | K(MWR64))
#define MRD	(K(MRD32) | K(MRD64) | K(MRDLK32) | K(MRDLK64))
#define CFGWR	(K(CFGWR0) | K(CFGWR1))
#define CFGRD	(K(CFGRD0) | K(CFGRD1))
#define CPL	(K(CPL) | K(CPLLK))
#define CPLD	(K(CPLD) | K(CPLDLK))
#define MESSAGE (K(MSG) | K(MSGD))
#define ATOMIC	(K(FETCHADD32) | K(FETCHADD64) | K(SWAP32) | K(SWAP64) | K(CAS32) | K(CAS64))

#define S(state) (1u << PV_LTSSM_##state)
#define TX_L0S	 (S(TX_L0S) | S(TX_RX_L0S))
#define RX_L0S	 (S(RX_L0S) | S(TX_RX_L0S))
#define L1_ANY	 (S(L1) | S(L1_1) | S(L1_2) | S(L1_AUX))

#define OUT PV_WIRE_OUT
#define IN  PV_WIRE_IN

/* clang-format off */
static const struct pv_dwc_lane_event lane_events[] = {
	{0x000, NULL, PV_DWC_PHY, IN, PV_PHY_EBUF_OVERFLOW},
	{0x001, NULL, PV_DWC_PHY, IN, PV_PHY_EBUF_UNDERRUN},
	{0x002, NULL, PV_DWC_PHY, IN, PV_PHY_DECODE},
	{0x003, NULL, PV_DWC_PHY, IN, PV_PHY_DISPARITY},
	{0x004, NULL, PV_DWC_PHY, IN, PV_PHY_SKP_PARITY},
	{0x005, NULL, PV_DWC_PHY, IN, PV_PHY_SYNC_HEADER},
	{0x006, NULL, PV_DWC_PHY, IN, PV_PHY_RX_VALID},
	{0x007, NULL, PV_DWC_PHY, IN, PV_PHY_CTL_SKP_PARITY},
	{0x008, NULL, PV_DWC_PHY, IN, PV_PHY_RETIMER1_PARITY},
	{0x009, NULL, PV_DWC_PHY, IN, PV_PHY_RETIMER2_PARITY},
	{0x00a, NULL, PV_DWC_PHY, IN, PV_PHY_MARGIN_CRC},
	{0x105, NULL, PV_DWC_PHY, IN, PV_PHY_EIDLE_INFERRED},
	{0x106, NULL, PV_DWC_PHY, IN, PV_PHY_RECEIVER},
	{0x107, NULL, PV_DWC_PHY, IN, PV_PHY_RECOVERY_REQUEST},
	{0x108, NULL, PV_DWC_PHY, IN, PV_PHY_N_FTS_TIMEOUT},
	{0x109, NULL, PV_DWC_PHY, IN, PV_PHY_FRAMING},
	{0x10a, NULL, PV_DWC_PHY, IN, PV_PHY_DESKEW},
	{0x10c, NULL, PV_DWC_PHY, IN, PV_PHY_FRAMING_L0},
	{0x10d, NULL, PV_DWC_PHY, IN, PV_PHY_DESKEW_INCOMPLETE},
	{0x200, NULL, PV_DWC_DAMAGED, IN},	/* bad TLP */
	{0x201, NULL, PV_DWC_DAMAGED, IN},	/* LCRC error: the only thing that makes a TLP bad here */
	{0x205, NULL, PV_DWC_DLLP, IN, PV_DLLP_NAK},
	{0x206, NULL, PV_DWC_DLLP, OUT, PV_DLLP_NAK},
	{0x207, NULL, PV_DWC_RETRY, OUT},
	{0x301, NULL, PV_DWC_POISONED, IN},
	{0x303, NULL, PV_DWC_ANSWER, OUT, STATUS_UR},
	{0x304, NULL, PV_DWC_ANSWER, OUT, STATUS_CA},
	{0x305, NULL, PV_DWC_TIMEOUT, OUT},
	{0x400, NULL, PV_DWC_PHY, IN, PV_PHY_SKP_ADD},
	{0x401, NULL, PV_DWC_PHY, IN, PV_PHY_SKP_DEL},
	{0x500, NULL, PV_DWC_ENTRY, IN, S(CFG_RCVRY), S(L0)},
	{0x501, NULL, PV_DWC_ENTRY, IN, ~L1_ANY, L1_ANY},	/* L1 is left through Recovery */
	{0x502, NULL, PV_DWC_ENTRY, IN, TX_L0S, ~TX_L0S},
	{0x503, NULL, PV_DWC_ENTRY, IN, RX_L0S, ~RX_L0S},
	{0x505, NULL, PV_DWC_ENTRY, IN, L1_ANY, ~L1_ANY},
	{0x507, NULL, PV_DWC_ENTRY, IN, S(L1_1), ~S(L1_1)},
	{0x508, NULL, PV_DWC_ENTRY, IN, S(L1_2), ~S(L1_2)},
	{0x600, "tx_ack_dllp", PV_DWC_DLLP, OUT, PV_DLLP_ACK},
	{0x601, "tx_update_fc_dllp", PV_DWC_DLLP, OUT, PV_DLLP_UPDATE_FC},
	{0x602, "rx_ack_dllp", PV_DWC_DLLP, IN, PV_DLLP_ACK},
	{0x603, "rx_update_fc_dllp", PV_DWC_DLLP, IN, PV_DLLP_UPDATE_FC},
	{0x604, "rx_nulified_tlp", PV_DWC_NULLIFIED, IN},
	{0x605, "tx_nulified_tlp", PV_DWC_NULLIFIED, OUT},
	{0x606, "rx_duplicate_tl", PV_DWC_DUPLICATE, IN},
	{0x700, "tx_memory_write", PV_DWC_TLP, OUT, MWR},
	{0x701, "tx_memory_read", PV_DWC_TLP, OUT, MRD},
	{0x702, "tx_configuration_write", PV_DWC_TLP, OUT, CFGWR},
	{0x703, "tx_configuration_read", PV_DWC_TLP, OUT, CFGRD},
	{0x704, "tx_io_write", PV_DWC_TLP, OUT, K(IOWR)},
	{0x705, "tx_io_read", PV_DWC_TLP, OUT, K(IORD)},
	{0x706, "tx_completion_without_data", PV_DWC_TLP, OUT, CPL},
	{0x707, "tx_completion_with_data", PV_DWC_TLP, OUT, CPLD},
	{0x708, "tx_message_tlp", PV_DWC_TLP, OUT, MESSAGE},
	{0x709, "tx_atomic", PV_DWC_TLP, OUT, ATOMIC},
	{0x70a, "tx_tlp_with_prefix", PV_DWC_PREFIX, OUT},
	{0x70b, "rx_memory_write", PV_DWC_TLP, IN, MWR},
	{0x70c, "rx_memory_read", PV_DWC_TLP, IN, MRD},
	{0x70f, "rx_io_write", PV_DWC_TLP, IN, K(IOWR)},
	{0x710, "rx_io_read", PV_DWC_TLP, IN, K(IORD)},
	{0x711, "rx_completion_without_data", PV_DWC_TLP, IN, CPL},
	{0x712, "rx_completion_with_data", PV_DWC_TLP, IN, CPLD},
	{0x713, "rx_message_tlp", PV_DWC_TLP, IN, MESSAGE},
	{0x714, "rx_atomic", PV_DWC_TLP, IN, ATOMIC},
	{0x715, "rx_tlp_with_prefix", PV_DWC_PREFIX, IN},
	{0x716, "tx_ccix_tlp", PV_DWC_CCIX, OUT},
	{0x717, "rx_ccix_tlp", PV_DWC_CCIX, IN},
};

static const struct pv_dwc_time_event time_events[] = {
	{0x00, "one_cycle"},
	{0x01, "TX_L0S"},
	{0x02, "RX_L0S"},
	{0x03, "L0"},
	{0x04, "L1"},
	{0x05, "L1_1"},
	{0x06, "L1_2"},
	{0x07, "CFG_RCVRY"},
	{0x08, "L1_AUX"},
	{0x09, "TX_RX_L0S"},
	{0x20, "Tx_PCIe_TLP_Data_Payload", .payload = true, .dir = OUT},
	{0x21, "Rx_PCIe_TLP_Data_Payload", .payload = true, .dir = IN},
	{0x22, "Tx_CCIX_TLP_Data_Payload", .payload = true, .ccix = true, .dir = OUT},
	{0x23, "Rx_CCIX_TLP_Data_Payload", .payload = true, .ccix = true, .dir = IN},
};
/* clang-format on */

const struct pv_dwc_lane_event *pv_dwc_lane_event(unsigned eventid)
{
	for (size_t i = 0; i < ARRAY_SIZE(lane_events); i++)
		if (lane_events[i].id == eventid)
			return &lane_events[i];
	return NULL;
}

const struct pv_dwc_time_event *pv_dwc_time_event(unsigned eventid)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_events); i++)
		if (time_events[i].id == eventid)
			return &time_events[i];
	return NULL;
}

int pv_oracle_dwc_event(const char *name, struct pv_dwc_query *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(lane_events); i++) {
		if (!lane_events[i].name || strcmp(lane_events[i].name, name))
			continue;
		out->lane_event = true;
		out->eventid = lane_events[i].id;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(time_events); i++) {
		if (strcmp(time_events[i].name, name))
			continue;
		out->lane_event = false;
		out->eventid = time_events[i].id;
		return 0;
	}
	return -ENOENT;
}

bool pv_dwc_has_lanes(const struct pv_dwc_lane_event *e)
{
	unsigned group = e->id >> 8;

	return group == 0 || group == 4;
}

uint32_t pv_dwc_most(const struct pv_dwc_lane_event *e)
{
	static const uint8_t bits[] = {4, 8, 8, 8, 4, 32, 32, 32};

	return UINT32_MAX >> (32 - bits[e->id >> 8]);
}

/* ---- records ---- */

/* Returns true if its receiver accepts the TLP. Inbound, the Root Port is the receiver. */
static bool is_good(const struct pv_wire *w)
{
	if (w->flags & (PV_WIRE_F_DISCARDED | PV_WIRE_F_ABORTED))
		return false;
	return w->dir == PV_WIRE_OUT || !(w->flags & PV_WIRE_F_MALFORMED);
}

static bool is_ccix(const struct pv_wire *w, const struct pv_tlp *tlp)
{
	return tlp->kind == PV_TLP_MSGD && tlp->message_code == CCIX_MESSAGE_CODE &&
	       (w->hdr[2] & 0xffff) == CCIX_VENDOR;
}

/* A damaged copy is no retry yet unless it was sent before; a duplicate always is one. */
static bool is_retry(const struct pv_wire *w)
{
	return w->flags & (PV_WIRE_F_RETRY | PV_WIRE_F_DUPLICATE) &&
	       !(w->flags & (PV_WIRE_F_NULLIFIED | PV_WIRE_F_ABORTED));
}

static bool counts_good(const struct pv_dwc_lane_event *e, const struct pv_wire *w)
{
	struct pv_tlp tlp;

	if (e->kind == PV_DWC_PREFIX)
		return w->prefix;
	pv_tlp_decode(w->hdr, &tlp);
	if (e->kind == PV_DWC_POISONED)
		return tlp.ep;
	if (e->kind == PV_DWC_ANSWER)
		return pv_tlp_kinds[tlp.kind].is_completion && tlp.status == e->what && tlp.completer == w->port;
	if (is_ccix(w, &tlp))
		return e->kind == PV_DWC_CCIX;
	return e->kind == PV_DWC_TLP && e->what >> tlp.kind & 1;
}

static bool counts_tlp(const struct pv_dwc_lane_event *e, const struct pv_wire *w)
{
	switch (e->kind) {
	case PV_DWC_NULLIFIED:
		return w->flags & PV_WIRE_F_NULLIFIED;
	case PV_DWC_DAMAGED:
		return (w->flags & (PV_WIRE_F_BAD_LCRC | PV_WIRE_F_NULLIFIED)) == PV_WIRE_F_BAD_LCRC;
	case PV_DWC_DUPLICATE:
		return (w->flags & PV_WIRE_F_DISCARDED) == PV_WIRE_F_DUPLICATE;
	case PV_DWC_RETRY:
		return is_retry(w);
	default:
		return is_good(w) && counts_good(e, w);
	}
}

bool pv_dwc_counts(const struct pv_dwc_lane_event *e, const struct pv_wire *w, unsigned lane)
{
	switch (e->kind) {
	case PV_DWC_ENTRY:
		return false;
	case PV_DWC_PHY:
		return w->what == PV_WIRE_PHY && w->hdr[0] == e->what && (w->lane == lane || !pv_dwc_has_lanes(e));
	case PV_DWC_TIMEOUT:
		return w->what == PV_WIRE_TIMEOUT && w->requester == w->port;
	case PV_DWC_DLLP:
		return w->what == PV_WIRE_DLLP && w->dir == e->dir && w->hdr[0] == e->what;
	default:
		return w->what == PV_WIRE_TLP && w->dir == e->dir && counts_tlp(e, w);
	}
}

uint64_t pv_dwc_payload(const struct pv_dwc_time_event *e, const struct pv_wire *w)
{
	struct pv_tlp tlp;

	if (w->what != PV_WIRE_TLP || w->dir != e->dir || !is_good(w))
		return 0;
	pv_tlp_decode(w->hdr, &tlp);
	if (is_ccix(w, &tlp) != e->ccix)
		return 0;
	return w->data_bytes + (e->ccix ? CCIX_HEADER_BYTES : 0);
}
