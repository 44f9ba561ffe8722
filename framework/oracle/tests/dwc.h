/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small ledger of one port with RAS D.E.S., and what the oracle expects its events to count. */
#ifndef PV_ORACLE_TESTS_DWC_H
#define PV_ORACLE_TESTS_DWC_H

#include <inttypes.h>
#include <stdio.h>

#include "framework/oracle/tests/make.h"

static struct pv_ledger *ledger;

static inline void set_up(void)
{
	ledger = make_ledger();
}

static inline void tear_down(void)
{
	pv_ledger_free(ledger);
}

/* The count of an event of RP0: by name, and by number (number_in). */
static inline struct pv_bounds count_in(const struct pv_window *win, const char *name, unsigned lane)
{
	struct pv_dwc_query e = {.root_port = RP0, .lane = lane};
	struct pv_bounds b = {99, 99};

	cr_assert_eq(pv_oracle_dwc_event(name, &e), 0, "%s", name);
	cr_assert_eq(pv_oracle_dwc(ledger, win, &e, &b), 0, "%s", name);
	return b;
}

static inline void expect_bounds(struct pv_bounds b, uint64_t min, uint64_t max, const char *what, unsigned lane)
{
	cr_expect_eq(b.min, min, "%s, lane %u: lower bound: expected %" PRIu64 ", got %" PRIu64, what, lane, min,
		     b.min);
	cr_expect_eq(b.max, max, "%s, lane %u: upper bound: expected %" PRIu64 ", got %" PRIu64, what, lane, max,
		     b.max);
}

static inline void expect_lane(const char *name, unsigned lane, uint64_t n)
{
	struct pv_window win = whole(ledger);

	expect_bounds(count_in(&win, name, lane), n, n, name, lane);
}

/* Adds a TLP this number of times. */
static inline void add(uint32_t dw0, enum pv_wire_dir dir, unsigned times)
{
	struct pv_wire w = make_tlp(dw0);

	w.dir = dir;
	while (times--)
		pv_ledger_add(ledger, &w);
}

/* Describes RP0 in the ledger; valid from here on. */
static inline void describe(uint32_t core_ps, uint32_t aux_ps, uint32_t settings)
{
	pv_ledger_add(ledger,
		      &(struct pv_wire){.what = PV_WIRE_RAS_DES, .port = RP0, .hdr = {core_ps, aux_ps, settings}});
}

/* A window over the records that follow, up to to_here(). */
static inline struct pv_window from_here(void)
{
	uint64_t n = pv_ledger_records(ledger);

	return sharp(n, n, 0, 1000000000000ull);
}

static inline struct pv_window to_here(struct pv_window win)
{
	win.inner_last = win.outer_last = pv_ledger_records(ledger);
	return win;
}

static inline struct pv_bounds number_of(pv_bdf port, const struct pv_window *win, unsigned eventid, unsigned lane)
{
	struct pv_dwc_query e = {.root_port = port, .lane_event = true, .eventid = (uint16_t)eventid, .lane = lane};
	struct pv_bounds b = {99, 99};

	cr_assert_eq(pv_oracle_dwc(ledger, win, &e, &b), 0, "event %03x", eventid);
	return b;
}

static inline struct pv_bounds number_in(const struct pv_window *win, unsigned eventid, unsigned lane)
{
	return number_of(RP0, win, eventid, lane);
}

static inline void expect_number(unsigned eventid, unsigned lane, uint64_t n)
{
	struct pv_window win = whole(ledger);
	char event[16];

	snprintf(event, sizeof(event), "event %03x", eventid);
	expect_bounds(number_in(&win, eventid, lane), n, n, event, lane);
}

#endif
