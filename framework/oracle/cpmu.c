/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPMU counter must show (CXL 3.0 8.2.7.2 and 13.2): the event table by name, group and bit, and
 * counting by message or by cycle.
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
#define DECODERS       16 /* the HDM filter of the ABI is 16 bits wide */

/*
 * The groups under the CXL vendor id. In the message groups the event bit is the opcode of CXL 3.0 3.2.4
 * and 3.3; in the DDR group it is the command.
 */
/* clang-format off */
static const struct group {
	uint16_t gid;
	const char *name;
	uint8_t what;		/* enum pv_wire_what; 0: the clock */
	uint8_t channel;	/* enum pv_wire_cxl_channel */
	const char *events[32];
} groups[] = {
	{GID_CLOCK, "clock", 0, 0, {"ticks"}},
	{0x0010, "d2h_req", PV_WIRE_CXL, PV_CXL_D2H_REQ,
	 {[1] = "rdcurr", "rdown", "rdshared", "rdany", "rdownnodata", "itomwr", "wrcurr", "clflush", "cleanevict",
	  "dirtyevict", "cleanevictnodata", "wowrinv", "wowrinvf", "wrinv", [16] = "cacheflushed"}},
	{0x0011, "d2h_rsp", PV_WIRE_CXL, PV_CXL_D2H_RSP,
	 {[1] = "rspshitse", [4] = "rspihiti", [5] = "rspihitse", [6] = "rspvhitv", [7] = "rspsfwdm",
	  [15] = "rspifwdm", [22] = "rspvfwdv"}},
	{0x0012, "h2d_req", PV_WIRE_CXL, PV_CXL_H2D_REQ, {[1] = "snpdata", "snpinv", "snpcur"}},
	{0x0013, "h2d_rsp", PV_WIRE_CXL, PV_CXL_H2D_RSP,
	 {[1] = "writepull", [4] = "go", [5] = "gowritepull", [6] = "extcmp", [8] = "gowritepulldrop",
	  [13] = "fastgowritepull", [15] = "goerrwritepull"}},
	{GID_CACHE_DATA, "cachedata", PV_WIRE_CXL, 0, {"d2h_data", "h2d_data"}},
	{0x0020, "m2s_req", PV_WIRE_CXL, PV_CXL_M2S_REQ,
	 {"meminv", "memrd", "memrddata", "memrdfwd", "memwrfwd", [8] = "memspecrd", "meminvnt", "memcleanevict"}},
	{0x0021, "m2s_rwd", PV_WIRE_CXL, PV_CXL_M2S_RWD, {[1] = "memwr", [2] = "memwrptl", [4] = "biconflict"}},
	{0x0022, "m2s_birsp", PV_WIRE_CXL, PV_CXL_M2S_BIRSP, {"i", "s", "e", [4] = "iblk", "sblk", "eblk"}},
	{0x0023, "s2m_bisnp", PV_WIRE_CXL, PV_CXL_S2M_BISNP, {"cur", "data", "inv", [4] = "curblk", "datblk", "invblk"}},
	{0x0024, "s2m_ndr", PV_WIRE_CXL, PV_CXL_S2M_NDR, {"cmp", "cmps", "cmpe", [4] = "biconflictack"}},
	{0x0025, "s2m_drs", PV_WIRE_CXL, PV_CXL_S2M_DRS, {"memdata", "memdatanxm"}},
	{0x8000, "ddr", PV_WIRE_DDR, 0,
	 {"act", "pre", "casrd", "caswr", "refresh", "selfrefreshent", "rfm"}},
};
/* clang-format on */

static const struct group *find_group(uint16_t gid)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].gid == gid)
			return &groups[i];
	return NULL;
}

int pv_oracle_cpmu_event(const char *name, struct pv_cpmu_query *out)
{
	char full[64];

	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		for (unsigned bit = 0; bit < 32; bit++) {
			if (!groups[g].events[bit])
				continue;
			snprintf(full, sizeof(full), "%s_%s", groups[g].name, groups[g].events[bit]);
			if (strcmp(full, name))
				continue;
			out->vid = CXL_DVSEC_VENDOR_ID;
			out->gid = groups[g].gid;
			out->mask = 1u << bit;
			return 0;
		}
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
	bit = g->what == PV_WIRE_CXL ? w->hdr[1] : w->hdr[0];
	return bit < 32 && g->events[bit] ? (int)bit : -1;
}

static bool filter_passes(const struct pv_cpmu_query *e, const struct pv_wire *w)
{
	if (!e->hdm_enable || w->what != PV_WIRE_CXL)
		return true;
	return w->hdr[2] < DECODERS && e->hdm >> w->hdr[2] & 1;
}

static bool counts(const struct pv_cpmu_query *e, const struct group *g, const struct pv_wire *w)
{
	int bit;

	if (w->port != e->device)
		return false;
	if (e->vid != CXL_DVSEC_VENDOR_ID)
		return w->what == PV_WIRE_VENDOR && w->hdr[0] == ((uint32_t)e->vid << 16 | e->gid) && w->hdr[1] < 32 &&
		       e->mask >> w->hdr[1] & 1;
	bit = event_bit(g, w);
	return bit >= 0 && e->mask >> bit & 1 && filter_passes(e, w);
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

static int take_tally(struct pv_ledger *l, const struct pv_window *win, const struct pv_cpmu_query *e,
		      const struct group *g, struct tally *t)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, win->outer_first, win->outer_last);
	uint32_t cycle_ps = pv_ledger_head(l)->cpmu_cycle_ps;
	uint64_t index = win->outer_first;
	const struct pv_wire *w;
	struct cycle c = {0};
	int error;

	if (!r)
		return -ENOMEM;
	for (; (w = pv_ledger_next(r)); index++) {
		bool inner = index >= win->inner_first && index < win->inner_last;

		if (!counts(e, g, w))
			continue;
		if (c.outer && c.number != w->time_ps / cycle_ps) {
			close_cycle(t, &c, e->threshold);
			c = (struct cycle){0};
		}
		c.number = w->time_ps / cycle_ps;
		c.outer++;
		c.inner += inner;
		t->raw.max++;
		t->raw.min += inner;
	}
	if (c.outer)
		close_cycle(t, &c, e->threshold);
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

/*
 * Rising edges. Inverted, what rises is idleness: after each busy run, unless the window ends in it, and
 * perhaps once at the start, where the state before is not known.
 */
static struct pv_bounds edges(const struct tally *t, bool invert)
{
	uint64_t low = t->unsure + invert, high = t->unsure + invert;

	return (struct pv_bounds){t->runs > low ? t->runs - low : 0, t->runs + high};
}

/* One event in each cycle: every cycle meets the condition or none does, and at the most it rises at the start. */
static struct pv_bounds clock_bounds(const struct pv_cpmu_query *e, const struct pv_bounds *ticks)
{
	const struct pv_bounds none = {0, 0}, perhaps = {0, 1};
	bool tick = e->mask & 1;

	if (!e->threshold)
		return tick ? *ticks : none;
	if ((tick >= e->threshold) == e->invert)
		return none;
	return e->edge ? perhaps : *ticks;
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
	ticks = pv_count_cycles(win, pv_ledger_head(l)->cpmu_cycle_ps);
	if (g && g->gid == GID_CLOCK) {
		*out = clock_bounds(e, &ticks);
		return 0;
	}
	r = take_tally(l, win, e, g, &t);
	if (r)
		return r;
	if (!e->threshold)
		*out = t.raw;
	else if (e->edge)
		*out = edges(&t, e->invert);
	else
		*out = e->invert ? idle_cycles(&ticks, &t.busy) : t.busy;
	return 0;
}
