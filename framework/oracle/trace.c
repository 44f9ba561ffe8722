/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which TLPs of the ledger a PTT trace must hold, and the record of each: filter, type and direction
 * tables of docs/hardware-notes.md section 1.
 */
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/oracle/oracle.h"
#include "framework/trace/tlp.h"
#include "framework/util/cleanup.h"

/* Where a TLP falls: its direction, class and, for inbound completions, A or B. */
enum {
	CELL_IN_P = 1,
	CELL_IN_NP = 2,
	CELL_IN_CPL_A = 4,
	CELL_IN_CPL_B = 8,
	CELL_OUT = 16,
	CELL_IN_CPL = CELL_IN_CPL_A | CELL_IN_CPL_B,
};

/* The direction table, [8DW][direction]; 8DW direction 0 is reserved. */
static const uint8_t direction_cells[2][4] = {
	{
		[PTT_DIR_IN] = CELL_IN_P | CELL_IN_NP | CELL_IN_CPL,
		[PTT_DIR_OUT] = CELL_OUT,
		[PTT_DIR_B] = CELL_OUT | CELL_IN_P | CELL_IN_NP | CELL_IN_CPL_B,
		[PTT_DIR_A] = CELL_OUT | CELL_IN_CPL_A,
	},
	{
		[PTT_DIR_IN] = 0,
		[PTT_DIR_OUT] = CELL_OUT,
		[PTT_DIR_B] = CELL_IN_P | CELL_IN_NP | CELL_IN_CPL_B,
		[PTT_DIR_A] = CELL_IN_CPL_A,
	},
};

static const uint8_t class_type[] = {
	[PV_CLASS_POSTED] = PTT_TYPE_POSTED,
	[PV_CLASS_NONPOSTED] = PTT_TYPE_NONPOSTED,
	[PV_CLASS_COMPLETION] = PTT_TYPE_COMPLETION,
};

static unsigned tlp_cell(const struct pv_wire *w, enum pv_tlp_class cls)
{
	if (w->dir == PV_WIRE_OUT)
		return CELL_OUT;
	if (cls == PV_CLASS_POSTED)
		return CELL_IN_P;
	if (cls == PV_CLASS_NONPOSTED)
		return CELL_IN_NP;
	/* B: completions of remote2local and peer-to-peer requests; all others are A. */
	return w->origin == PV_ORIGIN_REMOTE || w->origin == PV_ORIGIN_P2P ? CELL_IN_CPL_B : CELL_IN_CPL_A;
}

static bool filter_passes(const struct pv_trace_spec *s, const struct pv_wire *w, const struct pv_tlp *tlp)
{
	unsigned value = s->filter & PTT_FILTER_VALUE_MASK;

	if (s->filter & PTT_FILTER_RESERVED_MASK)
		return false;
	if (s->filter & PTT_FILTER_IS_PORT)
		return value >> ((PCI_SLOT(w->port) & 7) * 2) & 1;
	return tlp->requester == value;
}

/* A range over several root buses has the numbers of switch ports between them. */
static bool is_root_port(const struct pv_trace_spec *s, pv_bdf port)
{
	return !(s->below[PCI_BUS(port) / 8] >> PCI_BUS(port) % 8 & 1);
}

bool pv_oracle_traced(const struct pv_trace_spec *s, const struct pv_wire *w)
{
	const uint8_t never = PV_WIRE_F_DISCARDED | PV_WIRE_F_MALFORMED | PV_WIRE_F_ABORTED;
	enum pv_tlp_class cls;
	struct pv_tlp tlp;

	if (w->what != PV_WIRE_TLP || w->flags & never)
		return false;
	/* The PTT sits in the Root Ports of its core: links further down have other ports above them. */
	if (w->port < s->range_lower || w->port > s->range_upper || !is_root_port(s, w->port))
		return false;
	pv_tlp_decode(w->hdr, &tlp);
	cls = pv_tlp_kinds[tlp.kind].cls;
	if (cls == PV_CLASS_NONE || !(s->type & class_type[cls]))
		return false;
	if (s->direction >= ARRAY_SIZE(direction_cells[0]) ||
	    !(direction_cells[s->format_8dw][s->direction] & tlp_cell(w, cls)))
		return false;
	return filter_passes(s, w, &tlp);
}

static void put_le32(uint8_t *p, uint32_t v)
{
	p[0] = v & 0xff;
	p[1] = v >> 8 & 0xff;
	p[2] = v >> 16 & 0xff;
	p[3] = v >> 24;
}

/* Fields of header DW0 in a 4DW record: {first bit in DW0, width, first bit in the record}. SO is never compared. */
static const struct {
	uint8_t from, bits, to;
} kept[] = {
	{29, 2, 30}, /* Fmt[1:0] */
	{24, 5, 25}, /* Type */
	{23, 1, 24}, /* T9 */
	{19, 1, 23}, /* T8 */
	{16, 1, 22}, /* TH */
	{13, 1, 21}, /* RO -> SO */
	{0, 10, 11}, /* Length */
};

static uint32_t dw0_4dw(uint32_t header, uint64_t time)
{
	uint32_t dw0 = time & PTT_RECORD_4DW_TIME_MASK;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		dw0 |= (header >> kept[i].from & ((1u << kept[i].bits) - 1)) << kept[i].to;
	return dw0;
}

size_t pv_oracle_record(const struct pv_trace_spec *s, const struct pv_wire_file *head, const struct pv_wire *w,
			uint8_t out[32])
{
	const uint32_t pasid_prefix = 0x91; /* other prefixes are not recorded */
	uint64_t time = head->ptt_tick_ps ? w->time_ps / head->ptt_tick_ps : 0;

	if (!s->format_8dw) {
		put_le32(out, dw0_4dw(w->hdr[0], time));
		for (int i = 1; i < 4; i++)
			put_le32(out + 4 * i, w->hdr[i]);
		return PTT_RECORD_4DW_BYTES;
	}
	put_le32(out, PTT_RECORD_8DW_DW0);
	put_le32(out + 4, w->prefix >> 24 == pasid_prefix ? w->prefix : 0);
	for (int i = 0; i < 4; i++)
		put_le32(out + 8 + 4 * i, w->hdr[i]);
	put_le32(out + 24, 0);
	put_le32(out + 28, (uint32_t)time);
	return PTT_RECORD_8DW_BYTES;
}
