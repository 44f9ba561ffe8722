/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programming of the DesignWare PCIe PMU. Each register is written as a whole: read-modify-write is meaningless for
 * action fields (clear, enable, start).
 */
#include "drivers/core/dwc.h"

#include "drivers/core/pcie.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"

enum {
	LANES_MAX = 16, /* EVENT_CNT_CTL's lane field */
	READ_TRIES = 8, /* the high half changes once in 2^32 cycles: a second try is rare */
	BLOCK_BYTES = DWC_TIME_BASED_DATA_HI + 4,
};

/* Vendors whose Root Ports have a RAS D.E.S. capability as VSEC 2. */
static const uint16_t vendors[] = {
	DWC_VENDOR_ALIBABA, DWC_VENDOR_QCOM, DWC_VENDOR_AMPERE, DWC_VENDOR_ROCKCHIP,
	DWC_VENDOR_SAMSUNG, DWC_VENDOR_20FA, DWC_VENDOR_0720,
};

static uint32_t rd(const struct pv_dwc *dwc, uint32_t off)
{
	return pv_cfg_read32(&dwc->cfg, dwc->cap + off);
}

static void wr(const struct pv_dwc *dwc, uint32_t off, uint32_t value)
{
	pv_cfg_write32(&dwc->cfg, dwc->cap + off, value);
}

static uint32_t find_ras_des(const struct pv_cfg *cfg)
{
	size_t i;

	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
		unsigned revision, bytes;
		uint32_t pos = pv_pcie_find_vsec(cfg, vendors[i], DWC_VSEC_ID, &revision, &bytes);

		if (pos && revision == DWC_VSEC_REV && bytes >= BLOCK_BYTES && pos + BLOCK_BYTES <= PCI_CFG_BYTES)
			return pos;
	}
	return 0;
}

static unsigned usable_lanes(const struct pv_cfg *cfg, uint32_t exp)
{
	uint32_t cap = pv_cfg_read32(cfg, exp + PCI_EXP_LNKCAP);
	unsigned width = PCI_EXP_LNKCAP_LANES(cap);

	return width < LANES_MAX ? width : LANES_MAX;
}

int pv_dwc_init(struct pv_dwc *dwc, const struct pv_cfg *cfg)
{
	uint32_t exp = pv_pcie_find_cap(cfg, PCI_CAP_ID_EXP);
	uint32_t cap;

	if (!exp || (pv_cfg_read16(cfg, exp + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT !=
			    PCI_EXP_TYPE_ROOT_PORT)
		return -PV_ENOENT;
	cap = find_ras_des(cfg);
	if (!cap)
		return -PV_ENOENT;

	*dwc = (struct pv_dwc){.cfg = *cfg, .cap = cap, .lanes = usable_lanes(cfg, exp)};
	return 0;
}

int pv_dwc_event_init(const struct pv_dwc *dwc, uint64_t config, struct pv_dwc_event *ev)
{
	unsigned type = PV_DWC_CONFIG_TYPE(config);
	unsigned lane = PV_DWC_CONFIG_LANE(config);
	unsigned eventid = PV_DWC_CONFIG_EVENTID(config);

	if (!pv_dwc_event_exists(type, eventid) || config & ~PV_DWC_CONFIG_KNOWN)
		return -PV_EINVAL;
	/* A time-based event belongs to the whole port: naming a lane is an error. */
	if (type == PV_DWC_LANE ? lane >= dwc->lanes : lane != 0)
		return -PV_EINVAL;

	*ev = (struct pv_dwc_event){
		.type = (uint8_t)type,
		.lane = (uint8_t)lane,
		.scale = pv_dwc_event_scale(type, eventid),
		.eventid = (uint16_t)eventid,
	};
	return 0;
}

/* ---- lane events ---- */

/* The highest count of each group's counters (F-D1). */
static const uint32_t most[] = {
	[DWC_GROUP_LANE_ERROR] = 0xf,  [DWC_GROUP_L1_ERROR] = 0xff,  [DWC_GROUP_L2_ERROR] = 0xff,
	[DWC_GROUP_L3_ERROR] = 0xff,   [DWC_GROUP_SKP] = 0xf,	     [DWC_GROUP_LINK_STATE] = 0xffffffff,
	[DWC_GROUP_DLLP] = 0xffffffff, [DWC_GROUP_TLP] = 0xffffffff,
};

static uint32_t selection(const struct pv_dwc_event *ev)
{
	uint32_t group = ev->eventid >> 8, number = ev->eventid & 0xff;

	return group << DWC_EVENT_GROUP_SHIFT | number << DWC_EVENT_NUMBER_SHIFT |
	       (uint32_t)ev->lane << DWC_EVENT_LANE_SHIFT;
}

/* EVENT_CNT_CTL that selects the event, with its two action fields. */
static void lane_control(const struct pv_dwc *dwc, const struct pv_dwc_event *ev, uint32_t enable, uint32_t clear)
{
	wr(dwc, DWC_EVENT_CNT_CTL, selection(ev) | enable << DWC_EVENT_ENABLE_SHIFT | clear);
}

/* A port that is gone reads all ones; reading the count detects that. */
static bool selects(uint32_t ctl, const struct pv_dwc_event *ev)
{
	uint32_t mask = DWC_EVENT_GROUP_MASK | DWC_EVENT_NUMBER_MASK | DWC_EVENT_LANE_MASK;

	return ctl == 0xffffffff || (ctl & mask) == selection(ev);
}

/* Groups 0 and 4 have a counter for each lane, the others one for the whole port, whatever lane is selected. */
static bool has_lanes(const struct pv_dwc_event *ev)
{
	unsigned group = ev->eventid >> 8;

	return group == DWC_GROUP_LANE_ERROR || group == DWC_GROUP_SKP;
}

/*
 * A debugfs driver may select another counter in between, under a lock that is not ours (F-D11). *on: the counter is
 * enabled, as far as its status tells: cores differ in what lanes other than 0 show of a counter of the whole port.
 */
static int lane_read(const struct pv_dwc *dwc, const struct pv_dwc_event *ev, uint64_t *value, bool *on)
{
	unsigned tries;

	for (tries = 0; tries < READ_TRIES; tries++) {
		lane_control(dwc, ev, 0, 0);
		*value = rd(dwc, DWC_EVENT_CNT_DATA);
		uint32_t ctl = rd(dwc, DWC_EVENT_CNT_CTL);

		*on = ctl & DWC_EVENT_STATUS || (ev->lane && !has_lanes(ev));
		if (selects(ctl, ev))
			return 0;
	}
	return -PV_EIO;
}

/* Returns true if two users of one event have one counter. */
static bool share_counter(const struct pv_dwc_event *a, const struct pv_dwc_event *b)
{
	return a->lane == b->lane || !has_lanes(a);
}

/* Returns true if another event that runs has the same counter. */
static bool is_shared(const struct pv_dwc *dwc, const struct pv_dwc_event *ev)
{
	const struct pv_dwc_event *o;

	for (o = dwc->lane_events; o; o = o->next)
		if (o != ev && o->eventid == ev->eventid && share_counter(o, ev))
			return true;
	return false;
}

/* A counter of the whole port is asked on lane 0. */
int pv_dwc_event_probe(const struct pv_dwc *dwc, const struct pv_dwc_event *ev)
{
	struct pv_dwc_event asked = *ev;
	uint32_t ctl;

	if (ev->type != PV_DWC_LANE || is_shared(dwc, ev))
		return 0;
	if (!has_lanes(ev))
		asked.lane = 0;
	lane_control(dwc, &asked, DWC_EVENT_SELECTED_ON, 0);
	ctl = rd(dwc, DWC_EVENT_CNT_CTL);
	lane_control(dwc, &asked, DWC_EVENT_SELECTED_OFF, 0);
	return ctl & DWC_EVENT_STATUS ? 0 : -PV_EOPNOTSUPP;
}

static int lane_start(struct pv_dwc *dwc, struct pv_dwc_event *ev)
{
	int err = 0;
	bool on;

	if (is_shared(dwc, ev))
		err = lane_read(dwc, ev, &ev->raw, &on);
	else
		lane_control(dwc, ev, 0, DWC_EVENT_CLEAR_SELECTED);
	if (err)
		return err;
	lane_control(dwc, ev, DWC_EVENT_SELECTED_ON, 0);
	ev->next = dwc->lane_events;
	dwc->lane_events = ev;
	return 0;
}

static void unlink_lane_event(struct pv_dwc *dwc, const struct pv_dwc_event *ev)
{
	struct pv_dwc_event **at = &dwc->lane_events;

	while (*at != ev)
		at = &(*at)->next;
	*at = ev->next;
}

/* The last event to stop turns everything off, even what others turned on. */
static void lane_stop(struct pv_dwc *dwc, struct pv_dwc_event *ev)
{
	unlink_lane_event(dwc, ev);
	if (!dwc->lane_events)
		lane_control(dwc, ev, DWC_EVENT_ALL_OFF, DWC_EVENT_CLEAR_SELECTED);
	else if (!is_shared(dwc, ev))
		lane_control(dwc, ev, DWC_EVENT_SELECTED_OFF, DWC_EVENT_CLEAR_SELECTED);
}

/* ---- time-based events ---- */

/* TIME_BASED_CTL that measures the event, but for START. */
static uint32_t measurement(const struct pv_dwc_event *ev)
{
	return (uint32_t)ev->eventid << DWC_TIME_REPORT_SHIFT | DWC_TIME_DURATION_MANUAL << DWC_TIME_DURATION_SHIFT;
}

static void time_control(const struct pv_dwc *dwc, const struct pv_dwc_event *ev, uint32_t start)
{
	wr(dwc, DWC_TIME_BASED_CTL, measurement(ev) | start);
}

/* Stopped first: only the edge of START begins a measurement, and with it clears the data. */
static int time_start(struct pv_dwc *dwc, struct pv_dwc_event *ev)
{
	time_control(dwc, ev, 0);
	time_control(dwc, ev, DWC_TIME_START);
	dwc->time = ev;
	return 0;
}

static void time_stop(struct pv_dwc *dwc, const struct pv_dwc_event *ev)
{
	time_control(dwc, ev, 0);
	dwc->time = NULL;
}

/* The halves are not latched: a low half is valid if the high half is equal before and after it. */
static int time_read(const struct pv_dwc *dwc, const struct pv_dwc_event *ev, uint64_t *value, bool *on)
{
	uint32_t hi = rd(dwc, DWC_TIME_BASED_DATA_HI);
	unsigned tries;

	*on = (rd(dwc, DWC_TIME_BASED_CTL) & ~DWC_TIME_START) == measurement(ev);

	for (tries = 0; tries < READ_TRIES; tries++) {
		uint32_t lo = rd(dwc, DWC_TIME_BASED_DATA_LO);
		uint32_t again = rd(dwc, DWC_TIME_BASED_DATA_HI);

		if (again == hi) {
			*value = (uint64_t)hi << 32 | lo;
			return 0;
		}
		hi = again;
	}
	return -PV_EIO;
}

/* ---- both ---- */

int pv_dwc_start(struct pv_dwc *dwc, struct pv_dwc_event *ev)
{
	int err;

	if (ev->running)
		return -PV_EINVAL;
	if (ev->type == PV_DWC_TIME_BASED && dwc->time)
		return -PV_ENOSPC;

	ev->raw = 0;
	err = ev->type == PV_DWC_LANE ? lane_start(dwc, ev) : time_start(dwc, ev);
	ev->running = !err;
	return err;
}

static bool is_gone(const struct pv_dwc *dwc)
{
	return !pv_pcie_present(&dwc->cfg);
}

int pv_dwc_update(struct pv_dwc *dwc, struct pv_dwc_event *ev)
{
	uint64_t now = 0, delta;
	bool on = false;
	int err;

	if (!ev->running)
		return 0;
	err = ev->type == PV_DWC_LANE ? lane_read(dwc, ev, &now, &on) : time_read(dwc, ev, &now, &on);
	if (err)
		return err;
	/* A port that is gone reads all ones, but so may a counter. */
	if ((uint32_t)now == 0xffffffff && is_gone(dwc))
		return -PV_ENODEV;
	/*
	 * The registers were lost, as by a suspend (F-L14): later counts are unknown.
	 */
	if (!on)
		return 0;

	delta = now - ev->raw;
	if (ev->type == PV_DWC_LANE)
		delta &= most[ev->eventid >> 8];
	else if (now < ev->raw && !(ev->raw >> 32)) /* 64 bits never wrap: the data of this core have 32 (F-D7) */
		delta &= 0xffffffff;
	ev->raw = now;
	ev->total += delta * ev->scale;
	return 0;
}

void pv_dwc_stop(struct pv_dwc *dwc, struct pv_dwc_event *ev)
{
	if (!ev->running)
		return;

	pv_dwc_update(dwc, ev);
	if (ev->type == PV_DWC_LANE)
		lane_stop(dwc, ev);
	else
		time_stop(dwc, ev);
	ev->running = false;
}

void pv_dwc_idle(struct pv_dwc *dwc)
{
	for (; dwc->lane_events; dwc->lane_events = dwc->lane_events->next)
		dwc->lane_events->running = false;
	if (dwc->time)
		dwc->time->running = false;
	dwc->time = NULL;
	wr(dwc, DWC_EVENT_CNT_CTL, DWC_EVENT_ALL_OFF << DWC_EVENT_ENABLE_SHIFT | DWC_EVENT_CLEAR_ALL);
	wr(dwc, DWC_TIME_BASED_CTL, 0);
}
