/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLPs of the ledger that a PTT trace must hold, and the record of each: filter, type and direction tables of
 * docs/hardware-notes.md section 1. The records come in order and with a look-ahead, as they are asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/oracle/trace_internal.h"
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
	/* The sender of a malformed TLP does not know that it is one. */
	const uint8_t never =
		PV_WIRE_F_DISCARDED | PV_WIRE_F_ABORTED | (w->dir == PV_WIRE_IN ? PV_WIRE_F_MALFORMED : 0);
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

/* ---- the stream of expected records ---- */

int pv_walk_open(struct pv_walk_stream *s, uint64_t ledger_first)
{
	s->reader = pv_ledger_read(s->l, ledger_first, s->win->outer_last);
	s->ledger_next = ledger_first;
	s->first = s->n = 0;
	s->tick = UINT64_MAX;
	s->error = 0;
	return s->reader ? 0 : -ENOMEM;
}

int pv_walk_open_at(struct pv_walk_stream *s, const struct pv_walk_expect *e)
{
	int r = pv_walk_open(s, e->ledger_index);

	s->tick = e->before;
	return r;
}

void pv_walk_close(struct pv_walk_stream *s)
{
	pv_ledger_close(s->reader);
	s->reader = NULL;
}

static enum pv_walk_place place_of(const struct pv_window *win, uint64_t index)
{
	return index < win->inner_first ? PV_WALK_BEFORE : index < win->inner_last ? PV_WALK_OWED : PV_WALK_AFTER;
}

static uint32_t word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t most_time(const struct pv_trace_spec *s)
{
	return s->format_8dw ? PTT_RECORD_8DW_TIME_MASK : PTT_RECORD_4DW_TIME_MASK;
}

/* A distance that does not fit is all ones: at least so much. */
static void put_distance(const struct pv_trace_spec *s, uint64_t distance, uint8_t *record)
{
	uint8_t *at = record + (s->format_8dw ? 28 : 0);
	uint32_t most = most_time(s), value = distance < most ? (uint32_t)distance : most;

	put_le32(at, value | (word(at) & ~most));
}

static void expect(struct pv_walk_stream *s, struct pv_walk_expect *e, const struct pv_wire *w, uint64_t index)
{
	const struct pv_wire_file *head = pv_ledger_head(s->l);
	uint64_t tick = w->time_ps / head->ptt_tick_ps;

	pv_oracle_record(s->spec, head, w, e->bytes);
	if (s->spec->time_is_distance)
		put_distance(s->spec, tick - s->tick, e->bytes);
	e->before = s->tick;
	e->place = place_of(s->win, index);
	e->ledger_index = index;
	s->tick = tick;
}

static bool pull(struct pv_walk_stream *s)
{
	struct pv_walk_expect *e = &s->ring[(s->first + s->n) % PV_WALK_RING];
	const struct pv_wire *w;

	while ((w = pv_ledger_next(s->reader))) {
		uint64_t index = s->ledger_next++;

		if (!pv_oracle_traced(s->spec, w))
			continue;
		expect(s, e, w, index);
		s->n++;
		return true;
	}
	s->error = pv_ledger_reader_error(s->reader);
	return false;
}

const struct pv_walk_expect *pv_walk_ahead(struct pv_walk_stream *s, unsigned k)
{
	while (s->n <= k)
		if (!pull(s))
			return NULL;
	return &s->ring[(s->first + k) % PV_WALK_RING];
}

void pv_walk_skip(struct pv_walk_stream *s, uint64_t n)
{
	for (; n && pv_walk_ahead(s, 0); n--) {
		s->first = (s->first + 1) % PV_WALK_RING;
		s->n--;
	}
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * A distance counts from a record that may be nowhere: at the start of a trace, and where the driver reports a loss, it
 * is not judged.
 */
static bool is_time_judged(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got)
{
	uint64_t offset = (uint64_t)(got - w->trace);

	if (w->ignore_time)
		return false;
	if (!w->e.spec->time_is_distance)
		return true;
	return expected->before != UINT64_MAX && offset &&
	       !(w->gaps && bsearch(&offset, w->gap, w->gaps, sizeof(*w->gap), compare_offsets));
}

/*
 * A distance may be cut to whole ticks as a whole, or be that of two ticks: one less is as good. Nothing published
 * says which.
 */
bool pv_walk_same_time(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got)
{
	const size_t at = w->size == PTT_RECORD_8DW_BYTES ? 28 : 0;
	const uint32_t most = most_time(w->e.spec), want = word(expected->bytes + at) & most,
		       is = word(got + at) & most;

	if (want == is || !is_time_judged(w, expected, got))
		return true;
	return w->e.spec->time_is_distance && want && is == want - 1;
}

/* 4DW: DW0 without SO, which is not judged. */
bool pv_walk_same(const struct pv_walk *w, const struct pv_walk_expect *expected, const uint8_t *got)
{
	const uint8_t *want = expected->bytes;
	bool same = w->size == PTT_RECORD_8DW_BYTES
			    ? !memcmp(want, got, 28)
			    : !memcmp(want + 4, got + 4, 12) &&
				      !((word(want) ^ word(got)) & ~(PTT_RECORD_4DW_SO | PTT_RECORD_4DW_TIME_MASK));

	return same && pv_walk_same_time(w, expected, got);
}
