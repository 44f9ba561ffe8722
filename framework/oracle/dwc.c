/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the RAS D.E.S. counters of a Root Port must show: one table of lane events and one of time-based
 * events (docs/hardware-notes.md section 3). Tx is outbound, Rx inbound, as the Root Port sees it.
 */
#include <errno.h>
#include <string.h>

#include "framework/oracle/count.h"
#include "framework/oracle/oracle.h"
#include "framework/trace/tlp.h"
#include "framework/util/cleanup.h"

#define CCIX_MESSAGE_CODE 0x7f	 /* Vendor_Defined Type 1 */
#define CCIX_VENDOR	  0x1e2c /* DW2 [15:0] of the message */
#define PAYLOAD_UNIT	  16

enum lane_kind { LANE_TLP, LANE_PREFIX, LANE_NULLIFIED, LANE_DUPLICATE, LANE_CCIX, LANE_DLLP };

#define K(kind) (1u << PV_TLP_##kind)
#define MWR	(K(MWR32) | K(MWR64))
#define MRD	(K(MRD32) | K(MRD64) | K(MRDLK32) | K(MRDLK64))
#define CFGWR	(K(CFGWR0) | K(CFGWR1))
#define CFGRD	(K(CFGRD0) | K(CFGRD1))
#define CPL	(K(CPL) | K(CPLLK))
#define CPLD	(K(CPLD) | K(CPLDLK))
#define MESSAGE (K(MSG) | K(MSGD))
#define ATOMIC	(K(FETCHADD32) | K(FETCHADD64) | K(SWAP32) | K(SWAP64) | K(CAS32) | K(CAS64))

/* clang-format off */
static const struct lane_event {
	uint16_t id;
	const char *name;
	enum lane_kind kind;
	enum pv_wire_dir dir;
	uint32_t what;		/* LANE_TLP: mask of enum pv_tlp_kind; LANE_DLLP: enum pv_wire_dllp */
} lane_events[] = {
	{0x600, "tx_ack_dllp", LANE_DLLP, PV_WIRE_OUT, PV_DLLP_ACK},
	{0x601, "tx_update_fc_dllp", LANE_DLLP, PV_WIRE_OUT, PV_DLLP_UPDATE_FC},
	{0x602, "rx_ack_dllp", LANE_DLLP, PV_WIRE_IN, PV_DLLP_ACK},
	{0x603, "rx_update_fc_dllp", LANE_DLLP, PV_WIRE_IN, PV_DLLP_UPDATE_FC},
	{0x604, "rx_nulified_tlp", LANE_NULLIFIED, PV_WIRE_IN, 0},
	{0x605, "tx_nulified_tlp", LANE_NULLIFIED, PV_WIRE_OUT, 0},
	{0x606, "rx_duplicate_tl", LANE_DUPLICATE, PV_WIRE_IN, 0},
	{0x700, "tx_memory_write", LANE_TLP, PV_WIRE_OUT, MWR},
	{0x701, "tx_memory_read", LANE_TLP, PV_WIRE_OUT, MRD},
	{0x702, "tx_configuration_write", LANE_TLP, PV_WIRE_OUT, CFGWR},
	{0x703, "tx_configuration_read", LANE_TLP, PV_WIRE_OUT, CFGRD},
	{0x704, "tx_io_write", LANE_TLP, PV_WIRE_OUT, K(IOWR)},
	{0x705, "tx_io_read", LANE_TLP, PV_WIRE_OUT, K(IORD)},
	{0x706, "tx_completion_without_data", LANE_TLP, PV_WIRE_OUT, CPL},
	{0x707, "tx_completion_with_data", LANE_TLP, PV_WIRE_OUT, CPLD},
	{0x708, "tx_message_tlp", LANE_TLP, PV_WIRE_OUT, MESSAGE},
	{0x709, "tx_atomic", LANE_TLP, PV_WIRE_OUT, ATOMIC},
	{0x70a, "tx_tlp_with_prefix", LANE_PREFIX, PV_WIRE_OUT, 0},
	{0x70b, "rx_memory_write", LANE_TLP, PV_WIRE_IN, MWR},
	{0x70c, "rx_memory_read", LANE_TLP, PV_WIRE_IN, MRD},
	{0x70f, "rx_io_write", LANE_TLP, PV_WIRE_IN, K(IOWR)},
	{0x710, "rx_io_read", LANE_TLP, PV_WIRE_IN, K(IORD)},
	{0x711, "rx_completion_without_data", LANE_TLP, PV_WIRE_IN, CPL},
	{0x712, "rx_completion_with_data", LANE_TLP, PV_WIRE_IN, CPLD},
	{0x713, "rx_message_tlp", LANE_TLP, PV_WIRE_IN, MESSAGE},
	{0x714, "rx_atomic", LANE_TLP, PV_WIRE_IN, ATOMIC},
	{0x715, "rx_tlp_with_prefix", LANE_PREFIX, PV_WIRE_IN, 0},
	{0x716, "tx_ccix_tlp", LANE_CCIX, PV_WIRE_OUT, 0},
	{0x717, "rx_ccix_tlp", LANE_CCIX, PV_WIRE_IN, 0},
};

static const struct time_event {
	uint16_t id;
	const char *name;
	uint8_t ltssm;		/* group 0: enum pv_wire_ltssm, 0: all cycles */
	bool payload, ccix;	/* group 1 */
	enum pv_wire_dir dir;
} time_events[] = {
	{0x00, "one_cycle"},
	{0x01, "TX_L0S", PV_LTSSM_TX_L0S},
	{0x02, "RX_L0S", PV_LTSSM_RX_L0S},
	{0x03, "L0", PV_LTSSM_L0},
	{0x04, "L1", PV_LTSSM_L1},
	{0x05, "L1_1", PV_LTSSM_L1_1},
	{0x06, "L1_2", PV_LTSSM_L1_2},
	{0x07, "CFG_RCVRY", PV_LTSSM_CFG_RCVRY},
	{0x08, "TX_RX_L0S", PV_LTSSM_TX_RX_L0S},
	{0x09, "L1_AUX", PV_LTSSM_L1_AUX},
	{0x20, "Tx_PCIe_TLP_Data_Payload", .payload = true, .dir = PV_WIRE_OUT},
	{0x21, "Rx_PCIe_TLP_Data_Payload", .payload = true, .dir = PV_WIRE_IN},
	{0x22, "Tx_CCIX_TLP_Data_Payload", .payload = true, .ccix = true, .dir = PV_WIRE_OUT},
	{0x23, "Rx_CCIX_TLP_Data_Payload", .payload = true, .ccix = true, .dir = PV_WIRE_IN},
};
/* clang-format on */

int pv_oracle_dwc_event(const char *name, struct pv_dwc_event *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(lane_events); i++) {
		if (strcmp(lane_events[i].name, name))
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

/* ---- TLPs ---- */

/* Taken for what it is by its receiver; inbound, the Root Port is the receiver. */
static bool is_good(const struct pv_wire *w)
{
	if (w->flags & (PV_WIRE_F_NULLIFIED | PV_WIRE_F_DUPLICATE | PV_WIRE_F_ABORTED))
		return false;
	return w->dir == PV_WIRE_OUT || !(w->flags & PV_WIRE_F_MALFORMED);
}

static bool is_ccix(const struct pv_wire *w, const struct pv_tlp *tlp)
{
	return tlp->kind == PV_TLP_MSGD && tlp->message_code == CCIX_MESSAGE_CODE &&
	       (w->hdr[2] & 0xffff) == CCIX_VENDOR;
}

static bool lane_tlp_counts(const struct lane_event *e, const struct pv_wire *w)
{
	struct pv_tlp tlp;

	if (e->kind == LANE_NULLIFIED)
		return w->flags & PV_WIRE_F_NULLIFIED;
	if (e->kind == LANE_DUPLICATE)
		return (w->flags & (PV_WIRE_F_DUPLICATE | PV_WIRE_F_NULLIFIED)) == PV_WIRE_F_DUPLICATE;
	if (!is_good(w))
		return false;
	if (e->kind == LANE_PREFIX)
		return w->prefix;
	pv_tlp_decode(w->hdr, &tlp);
	if (is_ccix(w, &tlp))
		return e->kind == LANE_CCIX;
	return e->kind == LANE_TLP && e->what >> tlp.kind & 1;
}

static bool lane_counts(const struct lane_event *e, const struct pv_wire *w, unsigned lane)
{
	if (w->dir != e->dir || w->lane != lane)
		return false;
	if (e->kind == LANE_DLLP)
		return w->what == PV_WIRE_DLLP && w->hdr[0] == e->what;
	return w->what == PV_WIRE_TLP && lane_tlp_counts(e, w);
}

static uint64_t payload_bytes(const struct time_event *e, const struct pv_wire *w)
{
	struct pv_tlp tlp;

	if (w->what != PV_WIRE_TLP || w->dir != e->dir || !is_good(w))
		return 0;
	pv_tlp_decode(w->hdr, &tlp);
	return is_ccix(w, &tlp) == e->ccix ? w->data_bytes : 0;
}

/* ---- sums over a window ---- */

struct sum {
	const struct lane_event *lane;
	const struct time_event *time;
	unsigned lane_number;
};

static int take_sum(struct pv_ledger *l, const struct pv_window *win, uint16_t port, const struct sum *s,
		    struct pv_bounds *out)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, win->outer_first, win->outer_last);
	uint64_t index = win->outer_first;
	const struct pv_wire *w;
	int error;

	*out = (struct pv_bounds){0, 0};
	if (!r)
		return -ENOMEM;
	for (; (w = pv_ledger_next(r)); index++) {
		uint64_t n;

		if (w->port != port)
			continue;
		n = s->lane ? lane_counts(s->lane, w, s->lane_number) : payload_bytes(s->time, w);
		out->max += n;
		out->min += index >= win->inner_first && index < win->inner_last ? n : 0;
	}
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

/* ---- time in a state ---- */

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t first, uint64_t last)
{
	a = a > first ? a : first;
	b = b < last ? b : last;
	return b > a ? b - a : 0;
}

struct stay {
	const struct pv_window *win;
	struct pv_bounds ps; /* min: in the inner window; max: in the outer */
	uint64_t stays;
};

static void add_stay(struct stay *s, uint64_t from, uint64_t to)
{
	uint64_t outer = overlap(from, to, s->win->outer_begin_ps, s->win->outer_end_ps);

	s->ps.min += overlap(from, to, s->win->inner_begin_ps, s->win->inner_end_ps);
	s->ps.max += outer;
	s->stays += outer > 0;
}

/* Walks the link's states from the beginning: L0 until the first record says otherwise. */
static int take_stays(struct pv_ledger *l, uint16_t port, uint8_t state, struct stay *s)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, 0, UINT64_MAX);
	uint32_t now = PV_LTSSM_L0;
	const struct pv_wire *w;
	uint64_t since = 0;
	int error;

	if (!r)
		return -ENOMEM;
	while ((w = pv_ledger_next(r)) && since <= s->win->outer_end_ps) {
		if (w->what != PV_WIRE_LTSSM || w->port != port || w->hdr[0] == now)
			continue;
		if (now == state)
			add_stay(s, since, w->time_ps);
		now = w->hdr[0];
		since = w->time_ps;
	}
	if (now == state)
		add_stay(s, since, UINT64_MAX);
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

/* A stay begins and ends within a cycle: one cycle more or less for each. */
static int state_cycles(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_event *e, uint8_t state,
			struct pv_bounds *out)
{
	uint32_t cycle_ps = pv_ledger_head(l)->dwc_cycle_ps;
	struct stay s = {.win = win};
	uint64_t low;
	int r = 0;

	if (state)
		r = take_stays(l, e->root_port, state, &s);
	else
		add_stay(&s, 0, UINT64_MAX);
	low = s.ps.min / cycle_ps;
	out->min = low > s.stays ? low - s.stays : 0;
	out->max = s.ps.max / cycle_ps + s.stays;
	return r;
}

int pv_oracle_dwc(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_event *e, struct pv_bounds *out)
{
	struct sum s = {.lane_number = e->lane};
	int r = pv_count_check(l, win);

	if (r)
		return r;
	for (size_t i = 0; e->lane_event && i < ARRAY_SIZE(lane_events); i++)
		if (lane_events[i].id == e->eventid)
			s.lane = &lane_events[i];
	for (size_t i = 0; !e->lane_event && i < ARRAY_SIZE(time_events); i++)
		if (time_events[i].id == e->eventid)
			s.time = &time_events[i];
	if (!s.lane && !s.time)
		return -EINVAL;
	if (s.time && !s.time->payload)
		return state_cycles(l, win, e, s.time->ltssm, out);
	r = take_sum(l, win, e->root_port, &s, out);
	if (s.time) { /* counted in whole units */
		out->min -= out->min % PAYLOAD_UNIT;
		out->max -= out->max % PAYLOAD_UNIT;
	}
	return r;
}
