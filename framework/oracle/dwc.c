/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAS D.E.S. of a Root Port (docs/hardware-notes.md section 3): one table of lane events and one of time-based events,
 * the ledger records that each counts, and the expected values. Tx is outbound, Rx inbound. Where cores differ, the
 * ledger describes the port (PV_WIRE_RAS_DES); without a description, the oracle judges nothing that depends on the
 * difference.
 */
#include "framework/oracle/dwc_internal.h"

#include <errno.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/oracle/count.h"
#include "framework/trace/tlp.h"
#include "framework/util/cleanup.h"

#define PAYLOAD_UNIT	  16	 /* bytes */
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

enum kind {
	COUNTS_TLP,	  /* what: mask of enum pv_tlp_kind */
	COUNTS_PREFIX,	  /* TLPs with a prefix */
	COUNTS_NULLIFIED, /* TLPs, as are the next ones */
	COUNTS_DUPLICATE,
	COUNTS_DAMAGED,
	COUNTS_RETRY,
	COUNTS_CCIX,
	COUNTS_POISONED,
	COUNTS_ANSWER,	/* what: status of a completion by the port itself */
	COUNTS_DLLP,	/* what: enum pv_wire_dllp */
	COUNTS_PHY,	/* what: enum pv_wire_phy */
	COUNTS_TIMEOUT, /* of a request of the port */
	COUNTS_ENTRY,	/* what: mask of the link states entered; from: of those left */
};

struct lane_event {
	uint16_t id;
	const char *name; /* in the ABI; NULL: reached by number only */
	enum kind kind;
	enum pv_wire_dir dir; /* of TLPs and DLLPs */
	uint32_t what, from;
};

struct time_event {
	uint16_t id;
	const char *name;
	bool payload, ccix; /* group 1 */
	enum pv_wire_dir dir;
};

/* clang-format off */
static const struct lane_event lane_events[] = {
	{0x000, NULL, COUNTS_PHY, IN, PV_PHY_EBUF_OVERFLOW},
	{0x001, NULL, COUNTS_PHY, IN, PV_PHY_EBUF_UNDERRUN},
	{0x002, NULL, COUNTS_PHY, IN, PV_PHY_DECODE},
	{0x003, NULL, COUNTS_PHY, IN, PV_PHY_DISPARITY},
	{0x004, NULL, COUNTS_PHY, IN, PV_PHY_SKP_PARITY},
	{0x005, NULL, COUNTS_PHY, IN, PV_PHY_SYNC_HEADER},
	{0x006, NULL, COUNTS_PHY, IN, PV_PHY_RX_VALID},
	{0x007, NULL, COUNTS_PHY, IN, PV_PHY_CTL_SKP_PARITY},
	{0x008, NULL, COUNTS_PHY, IN, PV_PHY_RETIMER1_PARITY},
	{0x009, NULL, COUNTS_PHY, IN, PV_PHY_RETIMER2_PARITY},
	{0x00a, NULL, COUNTS_PHY, IN, PV_PHY_MARGIN_CRC},
	{0x105, NULL, COUNTS_PHY, IN, PV_PHY_EIDLE_INFERRED},
	{0x106, NULL, COUNTS_PHY, IN, PV_PHY_RECEIVER},
	{0x107, NULL, COUNTS_PHY, IN, PV_PHY_RECOVERY_REQUEST},
	{0x108, NULL, COUNTS_PHY, IN, PV_PHY_N_FTS_TIMEOUT},
	{0x109, NULL, COUNTS_PHY, IN, PV_PHY_FRAMING},
	{0x10a, NULL, COUNTS_PHY, IN, PV_PHY_DESKEW},
	{0x10c, NULL, COUNTS_PHY, IN, PV_PHY_FRAMING_L0},
	{0x10d, NULL, COUNTS_PHY, IN, PV_PHY_DESKEW_INCOMPLETE},
	{0x200, NULL, COUNTS_DAMAGED, IN},	/* bad TLP */
	{0x201, NULL, COUNTS_DAMAGED, IN},	/* LCRC error: the only thing that makes a TLP bad here */
	{0x205, NULL, COUNTS_DLLP, IN, PV_DLLP_NAK},
	{0x206, NULL, COUNTS_DLLP, OUT, PV_DLLP_NAK},
	{0x207, NULL, COUNTS_RETRY, OUT},
	{0x301, NULL, COUNTS_POISONED, IN},
	{0x303, NULL, COUNTS_ANSWER, OUT, STATUS_UR},
	{0x304, NULL, COUNTS_ANSWER, OUT, STATUS_CA},
	{0x305, NULL, COUNTS_TIMEOUT, OUT},
	{0x400, NULL, COUNTS_PHY, IN, PV_PHY_SKP_ADD},
	{0x401, NULL, COUNTS_PHY, IN, PV_PHY_SKP_DEL},
	{0x500, NULL, COUNTS_ENTRY, IN, S(CFG_RCVRY), S(L0)},
	{0x501, NULL, COUNTS_ENTRY, IN, ~L1_ANY, L1_ANY},	/* L1 is left through Recovery */
	{0x502, NULL, COUNTS_ENTRY, IN, TX_L0S, ~TX_L0S},
	{0x503, NULL, COUNTS_ENTRY, IN, RX_L0S, ~RX_L0S},
	{0x505, NULL, COUNTS_ENTRY, IN, L1_ANY, ~L1_ANY},
	{0x507, NULL, COUNTS_ENTRY, IN, S(L1_1), ~S(L1_1)},
	{0x508, NULL, COUNTS_ENTRY, IN, S(L1_2), ~S(L1_2)},
	{0x600, "tx_ack_dllp", COUNTS_DLLP, OUT, PV_DLLP_ACK},
	{0x601, "tx_update_fc_dllp", COUNTS_DLLP, OUT, PV_DLLP_UPDATE_FC},
	{0x602, "rx_ack_dllp", COUNTS_DLLP, IN, PV_DLLP_ACK},
	{0x603, "rx_update_fc_dllp", COUNTS_DLLP, IN, PV_DLLP_UPDATE_FC},
	{0x604, "rx_nulified_tlp", COUNTS_NULLIFIED, IN},
	{0x605, "tx_nulified_tlp", COUNTS_NULLIFIED, OUT},
	{0x606, "rx_duplicate_tl", COUNTS_DUPLICATE, IN},
	{0x700, "tx_memory_write", COUNTS_TLP, OUT, MWR},
	{0x701, "tx_memory_read", COUNTS_TLP, OUT, MRD},
	{0x702, "tx_configuration_write", COUNTS_TLP, OUT, CFGWR},
	{0x703, "tx_configuration_read", COUNTS_TLP, OUT, CFGRD},
	{0x704, "tx_io_write", COUNTS_TLP, OUT, K(IOWR)},
	{0x705, "tx_io_read", COUNTS_TLP, OUT, K(IORD)},
	{0x706, "tx_completion_without_data", COUNTS_TLP, OUT, CPL},
	{0x707, "tx_completion_with_data", COUNTS_TLP, OUT, CPLD},
	{0x708, "tx_message_tlp", COUNTS_TLP, OUT, MESSAGE},
	{0x709, "tx_atomic", COUNTS_TLP, OUT, ATOMIC},
	{0x70a, "tx_tlp_with_prefix", COUNTS_PREFIX, OUT},
	{0x70b, "rx_memory_write", COUNTS_TLP, IN, MWR},
	{0x70c, "rx_memory_read", COUNTS_TLP, IN, MRD},
	{0x70f, "rx_io_write", COUNTS_TLP, IN, K(IOWR)},
	{0x710, "rx_io_read", COUNTS_TLP, IN, K(IORD)},
	{0x711, "rx_completion_without_data", COUNTS_TLP, IN, CPL},
	{0x712, "rx_completion_with_data", COUNTS_TLP, IN, CPLD},
	{0x713, "rx_message_tlp", COUNTS_TLP, IN, MESSAGE},
	{0x714, "rx_atomic", COUNTS_TLP, IN, ATOMIC},
	{0x715, "rx_tlp_with_prefix", COUNTS_PREFIX, IN},
	{0x716, "tx_ccix_tlp", COUNTS_CCIX, OUT},
	{0x717, "rx_ccix_tlp", COUNTS_CCIX, IN},
};

static const struct time_event time_events[] = {
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

/* The event with this number. NULL: none, or one that the emulated hardware never generates. */
static const struct lane_event *find_lane_event(unsigned eventid)
{
	for (size_t i = 0; i < ARRAY_SIZE(lane_events); i++)
		if (lane_events[i].id == eventid)
			return &lane_events[i];
	return NULL;
}

static const struct time_event *find_time_event(unsigned eventid)
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

/* Returns true if the event has a counter for each lane. */
static bool has_lanes(const struct lane_event *e)
{
	unsigned group = e->id >> 8;

	return group == 0 || group == 4;
}

uint32_t pv_oracle_dwc_most(uint16_t eventid)
{
	static const uint8_t bits[] = {4, 8, 8, 8, 4, 32, 32, 32};
	unsigned group = eventid >> 8;

	return group < sizeof(bits) ? UINT32_MAX >> (32 - bits[group]) : UINT32_MAX;
}

static uint32_t most_of(const struct lane_event *e)
{
	return pv_oracle_dwc_most(e->id);
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

static bool counts_good(const struct lane_event *e, const struct pv_wire *w)
{
	struct pv_tlp tlp;

	if (e->kind == COUNTS_PREFIX)
		return w->prefix;
	pv_tlp_decode(w->hdr, &tlp);
	if (e->kind == COUNTS_POISONED)
		return tlp.ep;
	if (e->kind == COUNTS_ANSWER)
		return pv_tlp_kinds[tlp.kind].is_completion && tlp.status == e->what &&
		       tlp.completer == PCI_RID(w->port);
	if (is_ccix(w, &tlp))
		return e->kind == COUNTS_CCIX;
	return e->kind == COUNTS_TLP && e->what >> tlp.kind & 1;
}

static bool counts_tlp(const struct lane_event *e, const struct pv_wire *w)
{
	switch (e->kind) {
	case COUNTS_NULLIFIED:
		return w->flags & PV_WIRE_F_NULLIFIED;
	case COUNTS_DAMAGED:
		return (w->flags & (PV_WIRE_F_BAD_LCRC | PV_WIRE_F_NULLIFIED)) == PV_WIRE_F_BAD_LCRC;
	case COUNTS_DUPLICATE:
		return (w->flags & PV_WIRE_F_DISCARDED) == PV_WIRE_F_DUPLICATE;
	case COUNTS_RETRY:
		return is_retry(w);
	default:
		return is_good(w) && counts_good(e, w);
	}
}

/* Returns true if the event counts this record of its port. Not for link-state entries. */
static bool counts(const struct lane_event *e, const struct pv_wire *w, unsigned lane)
{
	switch (e->kind) {
	case COUNTS_ENTRY:
		return false;
	case COUNTS_PHY:
		return w->what == PV_WIRE_PHY && w->hdr[0] == e->what && (w->lane == lane || !has_lanes(e));
	case COUNTS_TIMEOUT:
		return w->what == PV_WIRE_TIMEOUT && w->requester == PCI_RID(w->port);
	case COUNTS_DLLP:
		return w->what == PV_WIRE_DLLP && w->dir == e->dir && w->hdr[0] == e->what;
	default:
		return w->what == PV_WIRE_TLP && w->dir == e->dir && counts_tlp(e, w);
	}
}

/* Returns the bytes that a record adds to a payload event. */
static uint64_t payload_of(const struct time_event *e, const struct pv_wire *w)
{
	struct pv_tlp tlp;

	if (w->what != PV_WIRE_TLP || w->dir != e->dir || !is_good(w))
		return 0;
	pv_tlp_decode(w->hdr, &tlp);
	if (is_ccix(w, &tlp) != e->ccix)
		return 0;
	return w->data_bytes + (e->ccix ? CCIX_HEADER_BYTES : 0);
}

/* ---- the port ---- */

static void read_description(const struct pv_wire *w, const struct pv_dwc_query *e, struct pv_dwc_port *out)
{
	if (w->what == PV_WIRE_RAS_DES && w->hdr[0] && w->hdr[1])
		*out = (struct pv_dwc_port){true, w->hdr[0], w->hdr[1], w->hdr[2], false};
	else if (w->what == PV_WIRE_RAS_DES_LACKS)
		out->lacks |= e->lane_event && w->hdr[0] == e->eventid;
}

/* The last description of the port before the window. */
static int read_port(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e,
		     struct pv_dwc_port *out)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, 0, win->outer_first);
	uint32_t core_ps = pv_ledger_head(l)->dwc_cycle_ps;
	const struct pv_wire *w;
	int error;

	*out = (struct pv_dwc_port){.core_ps = core_ps, .aux_ps = core_ps};
	if (!r)
		return -ENOMEM;
	while ((w = pv_ledger_next(r)))
		if (w->port == e->root_port)
			read_description(w, e, out);
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

/* ---- sums over a window ---- */

struct sum {
	const struct lane_event *lane;
	const struct time_event *time;
	unsigned lane_number;
	uint32_t state; /* of the link; L0 before the first record */
	uint64_t ever;	/* counted from the first record on that was read */
};

static bool enters(struct sum *s, const struct pv_wire *w)
{
	uint32_t from = s->state;

	if (w->what != PV_WIRE_LTSSM || w->hdr[0] == from || w->hdr[0] > PV_LTSSM_L1_AUX)
		return false;
	s->state = w->hdr[0];
	return s->lane->what >> s->state & 1 && s->lane->from >> from & 1;
}

static uint64_t adds(struct sum *s, const struct pv_wire *w)
{
	if (s->time)
		return payload_of(s->time, w);
	return s->lane->kind == COUNTS_ENTRY ? enters(s, w) : counts(s->lane, w, s->lane_number);
}

/*
 * EP is for TLPs with a payload. A receiver may count it in others, too: what it does with them is not specified (PCIe
 * 5.0 2.7.2).
 */
static bool may_count(const struct sum *s, const struct pv_wire *w)
{
	return s->lane && s->lane->kind == COUNTS_POISONED && !w->data_bytes;
}

/*
 * An entry depends on the state before it, and so on everything since the beginning. So does a narrow counter: nobody
 * knows when a driver last cleared it.
 */
static bool needs_all(const struct sum *s)
{
	return s->lane && (s->lane->kind == COUNTS_ENTRY || most_of(s->lane) < UINT32_MAX);
}

static int take_sum(struct pv_ledger *l, const struct pv_window *win, pv_bdf root_port, struct sum *s,
		    struct pv_bounds *out)
{
	uint64_t index = needs_all(s) ? 0 : win->outer_first;
	struct pv_ledger_reader *r = pv_ledger_read(l, index, win->outer_last);
	const struct pv_wire *w;
	int error;

	*out = (struct pv_bounds){0, 0};
	if (!r)
		return -ENOMEM;
	for (; (w = pv_ledger_next(r)); index++) {
		uint64_t n = w->port == root_port ? adds(s, w) : 0;

		s->ever += n;
		out->max += index >= win->outer_first ? n : 0;
		out->min += pv_count_owes(win, index) && !may_count(s, w) ? n : 0;
	}
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

/* ---- events ---- */

/* A counter of the whole port shows its count on lane 0; what it shows on the others differs between cores. */
static void allow_other_lane(const struct pv_dwc_port *port, struct pv_bounds *out)
{
	if (!port->known || port->settings & PV_RAS_DES_LANE_0_ONLY)
		out->min = 0;
	if (port->settings & PV_RAS_DES_LANE_0_ONLY)
		out->max = 0;
}

static int expect_lane_event(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e,
			     struct pv_bounds *out)
{
	struct sum s = {.lane = find_lane_event(e->eventid), .lane_number = e->lane, .state = PV_LTSSM_L0};
	struct pv_dwc_port port;
	int r;

	if (!s.lane)
		return -EINVAL;
	r = take_sum(l, win, e->root_port, &s, out);
	if (!r)
		r = read_port(l, win, e, &port);
	if (r)
		return r;
	/* Whether it wraps or stays at its maximum is stated nowhere: the count may be any that is not too much. */
	if (s.ever > most_of(s.lane))
		out->min = 0;
	if (e->lane && !has_lanes(s.lane))
		allow_other_lane(&port, out);
	if (port.lacks)
		*out = (struct pv_bounds){0, 0};
	return 0;
}

static int expect_time_event(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e,
			     struct pv_bounds *out)
{
	struct sum s = {.time = find_time_event(e->eventid)};
	struct pv_dwc_port port;
	uint64_t lost;
	int r;

	if (!s.time)
		return -EINVAL;
	if (!s.time->payload) {
		r = read_port(l, win, e, &port);
		return r ? r : pv_dwc_cycles(l, win, e->root_port, &port, e->eventid, out);
	}
	r = take_sum(l, win, e->root_port, &s, out);
	lost = win->pauses * (PAYLOAD_UNIT - 1); /* the rest of a unit before each pause */
	out->min -= lost < out->min ? lost : out->min;
	out->min -= out->min % PAYLOAD_UNIT; /* counted in whole units */
	out->max -= out->max % PAYLOAD_UNIT;
	return r;
}

int pv_oracle_dwc(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e, struct pv_bounds *out)
{
	int r = pv_count_check(l, win);

	if (r)
		return r;
	return e->lane_event ? expect_lane_event(l, win, e, out) : expect_time_event(l, win, e, out);
}
