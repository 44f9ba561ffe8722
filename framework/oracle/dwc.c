/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expected values of a Root Port's RAS D.E.S. counters (docs/hardware-notes.md section 3). Where cores differ, the
 * ledger describes the port (PV_WIRE_RAS_DES); without a description, the oracle judges nothing that depends on the
 * difference.
 */
#include "framework/oracle/dwc.h"

#include <errno.h>

#include "framework/oracle/count.h"

#define PAYLOAD_UNIT 16

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
	const struct pv_dwc_lane_event *lane;
	const struct pv_dwc_time_event *time;
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
		return pv_dwc_payload(s->time, w);
	return s->lane->kind == PV_DWC_ENTRY ? enters(s, w) : pv_dwc_counts(s->lane, w, s->lane_number);
}

/*
 * An entry depends on the state before it, and so on everything since the beginning. So does a narrow counter: nobody
 * knows when a driver last cleared it.
 */
static bool needs_all(const struct sum *s)
{
	return s->lane && (s->lane->kind == PV_DWC_ENTRY || pv_dwc_most(s->lane) < UINT32_MAX);
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
		out->min += index >= win->inner_first && index < win->inner_last ? n : 0;
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

static int lane_event(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e,
		      struct pv_bounds *out)
{
	struct sum s = {.lane = pv_dwc_lane_event(e->eventid), .lane_number = e->lane, .state = PV_LTSSM_L0};
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
	if (s.ever > pv_dwc_most(s.lane))
		out->min = 0;
	if (e->lane && !pv_dwc_has_lanes(s.lane))
		allow_other_lane(&port, out);
	if (port.lacks)
		*out = (struct pv_bounds){0, 0};
	return 0;
}

static int time_event(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e,
		      struct pv_bounds *out)
{
	struct sum s = {.time = pv_dwc_time_event(e->eventid)};
	struct pv_dwc_port port;
	int r;

	if (!s.time)
		return -EINVAL;
	if (!s.time->payload) {
		r = read_port(l, win, e, &port);
		return r ? r : pv_dwc_cycles(l, win, e->root_port, &port, e->eventid, out);
	}
	r = take_sum(l, win, e->root_port, &s, out);
	out->min -= out->min % PAYLOAD_UNIT; /* counted in whole units */
	out->max -= out->max % PAYLOAD_UNIT;
	return r;
}

int pv_oracle_dwc(struct pv_ledger *l, const struct pv_window *win, const struct pv_dwc_query *e, struct pv_bounds *out)
{
	int r = pv_count_check(l, win);

	if (r)
		return r;
	return e->lane_event ? lane_event(l, win, e, out) : time_event(l, win, e, out);
}
