/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expected counts of a CPMU counter (CXL 3.1 8.2.7.2 and 13.2): the event table by name, group and bit, and counting by
 * message or by cycle.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "framework/oracle/count.h"
#include "framework/oracle/oracle.h"
#include "framework/util/cleanup.h"

#define GID_CLOCK      0x0000
#define GID_CACHE_DATA 0x0014
#define DECODERS       16    /* the HDM filter of the ABI is 16 bits wide */
#define FIELD_ANY      0xffu /* in a field of the filter for places in the DRAM */

enum filter { FILTER_HDM = 1, FILTER_PLACE };

/*
 * The groups under the CXL vendor id (CXL 4.0 table 13-5). In the message groups the event bit is the opcode of 3.2.4
 * and 3.3; in the DDR group it is the command.
 */
/* clang-format off */
static const struct group {
	uint16_t gid;
	const char *name;
	uint8_t what;		/* enum pv_wire_what; 0: the clock */
	uint8_t channel;	/* enum pv_wire_cxl_channel */
	uint8_t filters;	/* enum filter: the one that serves its events */
	const char *events[32];
} groups[] = {
	{GID_CLOCK, "clock_", 0, 0, 0, {"ticks"}},
	{0x0010, "d2h_req_", PV_WIRE_CXL, PV_CXL_D2H_REQ, 0,
	 {[1] = "rdcurr", "rdown", "rdshared", "rdany", "rdownnodata", "itomwr", "wrcurr", "clflush", "cleanevict",
	  "dirtyevict", "cleanevictnodata", "wowrinv", "wowrinvf", "wrinv", [16] = "cacheflushed"}},
	{0x0011, "d2h_rsp_", PV_WIRE_CXL, PV_CXL_D2H_RSP, 0,
	 {[1] = "rspshitse", [4] = "rspihiti", [5] = "rspihitse", [6] = "rspvhitv", [7] = "rspsfwdm",
	  [15] = "rspifwdm", [22] = "rspvfwdv"}},
	{0x0012, "h2d_req_", PV_WIRE_CXL, PV_CXL_H2D_REQ, 0, {[1] = "snpdata", "snpinv", "snpcur"}},
	{0x0013, "h2d_rsp_", PV_WIRE_CXL, PV_CXL_H2D_RSP, 0,
	 {[1] = "writepull", [4] = "go", [5] = "gowritepull", [6] = "extcmp", [8] = "gowritepulldrop",
	  [13] = "fastgowritepull", [15] = "goerrwritepull"}},
	{GID_CACHE_DATA, "cachedata_", PV_WIRE_CXL, 0, 0, {"d2h_data", "h2d_data"}},
	{0x0020, "m2s_req_", PV_WIRE_CXL, PV_CXL_M2S_REQ, FILTER_HDM,
	 {"meminv", "memrd", "memrddata", "memrdfwd", "memwrfwd", "memrdtee", "memrddatatee", "meminvtee", "memspecrd",
	  "meminvnt", "memcleanevict", "meminvptee", "memspecrdtee", "teupdate", "memclnevcttee", "memclnevctu"}},
	{0x0021, "m2s_rwd_", PV_WIRE_CXL, PV_CXL_M2S_RWD, FILTER_HDM,
	 {[1] = "memwr", [2] = "memwrptl", [4] = "biconflict", [5] = "memrdfill", [9] = "memwrtee",
	  [10] = "memwrptltee", [13] = "memrdfilltee"}},
	{0x0022, "m2s_birsp_", PV_WIRE_CXL, PV_CXL_M2S_BIRSP, FILTER_HDM,
	 {"i", "s", "e", [4] = "iblk", "sblk", "eblk"}},
	{0x0023, "s2m_bisnp_", PV_WIRE_CXL, PV_CXL_S2M_BISNP, FILTER_HDM,
	 {"cur", "data", "inv", [4] = "curblk", "datblk", "invblk",
	  [8] = "curtee", "datatee", "invtee", [12] = "curblktee", "datablktee", "invblktee"}},
	{0x0024, "s2m_ndr_", PV_WIRE_CXL, PV_CXL_S2M_NDR, FILTER_HDM,
	 {"cmp", "cmps", "cmpe", "cmpm", "biconflictack", "cmptee", "cmptee_s", "cmptee_e"}},
	{0x0025, "s2m_drs_", PV_WIRE_CXL, PV_CXL_S2M_DRS, FILTER_HDM, {"memdata", "memdatanxm", "memdatatee"}},
	{0x0030, NULL, PV_WIRE_VENDOR, 0, 0, {"light", "optimal", "moderate", "severe"}},
	{0x0031, NULL, PV_WIRE_VENDOR, 0, 0, {"req", "rwd"}},
	{0x8000, "ddr_", PV_WIRE_DDR, 0, FILTER_PLACE,
	 {"act", "pre", "casrd", "caswr", "refresh", "selfrefreshent", "rfm", "cas_rd_ap", "cas_wr_ap",
	  "refresh_all_banks", "refresh_same_bank", "pwrdn_entry", "pwrdn_exit", "rd_wr_ddr_bus_switching",
	  "incoming_rd_req", "incoming_wr_req"}},
	{0x8001, "", PV_WIRE_VENDOR, 0, FILTER_PLACE,
	 {"rd_queue_occ", "wr_queue_occ", "rd_wr_merged_queue_occ", "pwrdn_event"}},
	{0x8002, "", PV_WIRE_VENDOR, 0, FILTER_PLACE, {"mc_rd_resid_cnt", "mc_wr_resid_cnt"}},
	{0x8003, "retry_event_trig_by_", PV_WIRE_VENDOR, 0, FILTER_PLACE, {"rd_crc", "wr_crc", "ca_parity", "ecc"}},
	{0x8004, "", PV_WIRE_VENDOR, 0, 0, {"thermal_throttle_event", "power_throttle_event"}},
};
/* clang-format on */

static const struct group *find_group(uint16_t gid)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].gid == gid)
			return &groups[i];
	return NULL;
}

int pv_oracle_cpmu_named(size_t n, char name[64], struct pv_cpmu_query *out)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		for (unsigned bit = 0; bit < 32; bit++) {
			if (!groups[g].name || !groups[g].events[bit] || n--)
				continue; /* groups without a name have no names in Linux */
			snprintf(name, 64, "%s%s", groups[g].name, groups[g].events[bit]);
			out->vid = CXL_DVSEC_VENDOR_ID;
			out->gid = groups[g].gid;
			out->mask = 1u << bit;
			return 0;
		}
	return -ENOENT;
}

int pv_oracle_cpmu_event(const char *name, struct pv_cpmu_query *out)
{
	struct pv_cpmu_query e;
	char full[64];

	for (size_t i = 0; !pv_oracle_cpmu_named(i, full, &e); i++) {
		if (strcmp(full, name))
			continue;
		out->vid = e.vid;
		out->gid = e.gid;
		out->mask = e.mask;
		return 0;
	}
	return -ENOENT;
}

/* ---- one ledger record ---- */

/* The bit of its group that a record stands for; -1: of none. */
static int event_bit(const struct group *g, const struct pv_wire *w)
{
	uint32_t bit;

	if (w->what != g->what)
		return -1;
	if (g->gid == GID_CACHE_DATA) {
		if (w->hdr[0] == PV_CXL_D2H_DATA)
			return 0;
		return w->hdr[0] == PV_CXL_H2D_DATA ? 1 : -1;
	}
	if (g->what == PV_WIRE_CXL && w->hdr[0] != g->channel)
		return -1;
	if (g->what == PV_WIRE_VENDOR && w->hdr[0] != ((uint32_t)CXL_DVSEC_VENDOR_ID << 16 | g->gid))
		return -1;
	bit = g->what == PV_WIRE_DDR ? w->hdr[0] : w->hdr[1];
	return bit < 32 && g->events[bit] ? (int)bit : -1;
}

static bool place_passes(uint32_t filter, uint32_t place)
{
	for (unsigned i = 0; i < 4; i++, filter >>= 8, place >>= 8)
		if ((filter & FIELD_ANY) != FIELD_ANY && (filter & FIELD_ANY) != (place & FIELD_ANY))
			return false;
	return true;
}

static bool filter_passes(const struct pv_cpmu_query *e, const struct pv_wire *w)
{
	if (e->hdm_enable && !(w->hdr[2] < DECODERS && e->hdm >> w->hdr[2] & 1))
		return false;
	return !e->crb_enable || place_passes(e->crb, w->hdr[w->what == PV_WIRE_DDR ? 1 : 2]);
}

static bool counts(const struct pv_cpmu_query *e, const struct group *g, const struct pv_wire *w)
{
	int bit;

	if (w->port != e->device)
		return false;
	if (!g)
		return w->what == PV_WIRE_VENDOR && w->hdr[0] == ((uint32_t)e->vid << 16 | e->gid) && w->hdr[1] < 32 &&
		       e->mask >> w->hdr[1] & 1;
	bit = event_bit(g, w);
	return bit >= 0 && e->mask >> bit & 1 && filter_passes(e, w);
}

/*
 * Cases that the specification leaves undefined or open, so that no count is wrong: a filter with several events, or
 * with an event that it does not serve (8.2.7.2.2); a filter with a vendor's event, as the filters of these are not
 * known here; edge with a threshold above 1 or with invert, which its definition does not mention (8.2.7.2.1).
 */
static bool is_undefined(const struct pv_cpmu_query *e, const struct group *g)
{
	if (e->edge && (e->threshold > 1 || (e->threshold && e->invert)))
		return true;
	if (!e->hdm_enable && !e->crb_enable)
		return false;
	return !g || e->mask & (e->mask - 1) || (e->hdm_enable && g->filters != FILTER_HDM) ||
	       (e->crb_enable && g->filters != FILTER_PLACE);
}

/* ---- cycles ---- */

/* Events of one CPMU cycle, of the inner window and of the whole. */
struct cycle {
	uint64_t number;
	uint64_t inner, outer;
};

struct tally {
	struct pv_bounds raw;  /* min: inner; max: outer */
	struct pv_bounds busy; /* cycles that reach the threshold */
	uint64_t runs;	       /* of busy cycles in the inner window */
	uint64_t unsure;       /* cycles that reach it with the outer window only */
	uint64_t last_busy;    /* number of the last busy cycle + 1; 0: none */
};

static void close_cycle(struct tally *t, const struct cycle *c, unsigned threshold)
{
	if (c->outer < threshold)
		return;
	t->busy.max++;
	if (c->inner < threshold) {
		t->unsure++;
		return;
	}
	t->busy.min++;
	t->runs += t->last_busy != c->number; /* the cycle before was not busy */
	t->last_busy = c->number + 1;
}

/* Fills `t`, with the cycles of at least `threshold` events. */
static int take_tally(struct pv_ledger *l, const struct pv_window *win, const struct pv_cpmu_query *e,
		      const struct group *g, unsigned threshold, struct tally *t)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, win->outer_first, win->outer_last);
	uint32_t cycle_ps = pv_ledger_head(l)->cpmu_cycle_ps;
	uint64_t index = win->outer_first;
	uint64_t began_ps = 0; /* cycle c */
	const struct pv_wire *w;
	struct cycle c = {0};
	int error;

	if (!r)
		return -ENOMEM;
	for (; (w = pv_ledger_next(r)); index++) {
		bool inner = pv_count_owes(win, index);

		if (!counts(e, g, w))
			continue;
		if (!c.outer || w->time_ps - began_ps >= cycle_ps) {
			if (c.outer)
				close_cycle(t, &c, threshold);
			c = (struct cycle){.number = w->time_ps / cycle_ps};
			began_ps = c.number * cycle_ps;
		}
		c.outer++;
		c.inner += inner;
		t->raw.max++;
		t->raw.min += inner;
	}
	if (c.outer)
		close_cycle(t, &c, threshold);
	error = pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

/* Idle cycles: all but the busy ones. */
static struct pv_bounds idle_cycles(const struct pv_bounds *ticks, const struct pv_bounds *busy)
{
	return (struct pv_bounds){ticks->min > busy->max ? ticks->min - busy->max : 0,
				  ticks->max > busy->min ? ticks->max - busy->min : 0};
}

/* Rising edges; whether an event precedes the window is not known. */
static struct pv_bounds edges(const struct tally *t)
{
	return (struct pv_bounds){t->runs > t->unsure ? t->runs - t->unsure : 0, t->runs + t->unsure};
}

/* One event in each cycle: every cycle meets the condition or none does, and at the most it rises at the start. */
static struct pv_bounds clock_bounds(const struct pv_cpmu_query *e, const struct pv_bounds *ticks)
{
	const struct pv_bounds none = {0, 0}, perhaps = {0, 1};

	if (!(e->mask & 1))
		return none;
	if (e->edge)
		return perhaps;
	return e->threshold <= 1 || e->invert ? *ticks : none;
}

/*
 * The threshold of the tally: a cycle counts from it on; inverted, up to the one below it. Edge looks at the OR of the
 * events.
 */
static unsigned tally_threshold(const struct pv_cpmu_query *e)
{
	if (e->edge || !e->threshold)
		return 1;
	return e->threshold + e->invert;
}

/*
 * Events of the specification happen once in a cycle. A driver may set threshold 1 for a raw count of them. With
 * several events selected, the documents disagree on a cycle in which more than one happens: it counts 1 (8.2.7.2.1),
 * or each of them (MEC, 13.2).
 */
static struct pv_bounds messages_bounds(const struct pv_cpmu_query *e, const struct group *g, const struct tally *t,
					const struct pv_bounds *ticks)
{
	if (e->edge)
		return edges(t);
	if (e->threshold && e->invert)
		return idle_cycles(ticks, &t->busy);
	if (e->threshold > 1 || (e->threshold && !g))
		return t->busy;
	return (struct pv_bounds){g ? t->busy.min : t->raw.min, t->raw.max};
}

int pv_oracle_cpmu(struct pv_ledger *l, const struct pv_window *win, const struct pv_cpmu_query *e,
		   struct pv_bounds *out)
{
	const struct group *g = e->vid == CXL_DVSEC_VENDOR_ID ? find_group(e->gid) : NULL;
	struct tally t = {0};
	struct pv_bounds ticks;
	int r = pv_count_check(l, win);

	if (r)
		return r;
	if (e->vid == CXL_DVSEC_VENDOR_ID && !g)
		return -EINVAL;
	if (is_undefined(e, g))
		return -EDOM;
	ticks = pv_count_cycles(win, pv_ledger_head(l)->cpmu_cycle_ps);
	if (g && g->gid == GID_CLOCK) {
		*out = clock_bounds(e, &ticks);
		return 0;
	}
	r = take_tally(l, win, e, g, tally_threshold(e), &t);
	if (!r)
		*out = messages_bounds(e, g, &t, &ticks);
	return r;
}
