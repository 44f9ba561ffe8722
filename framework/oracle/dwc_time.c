/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Group 0 of time-based analysis: the length of a core_clk cycle, and cycles in each LTSSM state
 * (docs/hardware-notes.md, F-D16 and F-D5).
 */
#include <errno.h>

#include "framework/oracle/dwc_internal.h"
#include "framework/util/cleanup.h"

#define ONE_CYCLE 0x00
#define L1_AUX	  0x08
#define TX_RX_L0S 0x09

static const uint8_t states[] = {
	[0x01] = PV_LTSSM_TX_L0S,    [0x02] = PV_LTSSM_RX_L0S,	 [0x03] = PV_LTSSM_L0,
	[0x04] = PV_LTSSM_L1,	     [0x05] = PV_LTSSM_L1_1,	 [0x06] = PV_LTSSM_L1_2,
	[0x07] = PV_LTSSM_CFG_RCVRY, [L1_AUX] = PV_LTSSM_L1_AUX, [TX_RX_L0S] = PV_LTSSM_TX_RX_L0S,
};

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

static uint64_t owed_ps(const struct pv_window *win, uint64_t from, uint64_t to)
{
	uint64_t first = from > win->inner_begin_ps ? from : win->inner_begin_ps;
	uint64_t last = to < win->inner_end_ps ? to : win->inner_end_ps;
	uint64_t ps = last > first ? last - first : 0;

	for (size_t i = 0; i < win->pauses; i++)
		ps -= overlap(first, last, win->pause[i].begin_ps, win->pause[i].end_ps);
	return ps;
}

static void add_stay(struct stay *s, uint64_t from, uint64_t to)
{
	uint64_t outer = overlap(from, to, s->win->outer_begin_ps, s->win->outer_end_ps);

	s->ps.min += owed_ps(s->win, from, to);
	s->ps.max += outer;
	s->stays += outer > 0;
}

/* Walks the link's states from the beginning: L0 until the first record says otherwise. */
static int take_stays(struct pv_ledger *l, pv_bdf port, uint8_t state, struct stay *s)
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

static uint32_t clock_ps(const struct pv_dwc_port *port, uint8_t state)
{
	return state == PV_LTSSM_L1_1 || state == PV_LTSSM_L1_2 || state == PV_LTSSM_L1_AUX ? port->aux_ps
											    : port->core_ps;
}

/* A stay begins and ends within a cycle: one cycle more or less for each; a pause divides it, so one less. */
static int state_cycles(struct pv_ledger *l, const struct pv_window *win, pv_bdf root_port,
			const struct pv_dwc_port *port, uint8_t state, struct pv_bounds *out)
{
	uint32_t cycle_ps = clock_ps(port, state);
	struct stay s = {.win = win};
	int r = take_stays(l, root_port, state, &s);
	uint64_t low = s.ps.min / cycle_ps, edges = s.stays + win->pauses;

	out->min = low > edges ? low - edges : 0;
	out->max = s.ps.max / cycle_ps + s.stays;
	return r;
}

/* Where it is not known which of the two numbers a core has for a state, either is right. */
static int either(struct pv_ledger *l, const struct pv_window *win, pv_bdf root_port, const struct pv_dwc_port *port,
		  struct pv_bounds *out)
{
	struct pv_bounds a, b;
	int r = state_cycles(l, win, root_port, port, states[L1_AUX], &a);

	if (!r)
		r = state_cycles(l, win, root_port, port, states[TX_RX_L0S], &b);
	if (r)
		return r;
	out->min = a.min < b.min ? a.min : b.min;
	out->max = a.max > b.max ? a.max : b.max;
	return 0;
}

int pv_dwc_cycles(struct pv_ledger *l, const struct pv_window *win, pv_bdf root_port, const struct pv_dwc_port *port,
		  unsigned eventid, struct pv_bounds *out)
{
	bool disputed = eventid == L1_AUX || eventid == TX_RX_L0S;

	if (eventid == ONE_CYCLE) {
		*out = (struct pv_bounds){port->core_ps, port->core_ps};
		return 0;
	}
	if (eventid >= ARRAY_SIZE(states))
		return -EINVAL;
	if (disputed && !port->known)
		return either(l, win, root_port, port, out);
	if (disputed && port->settings & PV_RAS_DES_L1_AUX_IS_9)
		eventid = L1_AUX + TX_RX_L0S - eventid;
	return state_cycles(l, win, root_port, port, states[eventid], out);
}
