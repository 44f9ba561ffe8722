/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of CPMUs and DWC PMUs: opened, grouped, started, read, stopped, closed, and refused. */
#include <inttypes.h>
#include <string.h>

#include "fixtures/models/model.h"
#include "framework/agent/checks.h"
#include "framework/explore/explore_internal.h"

#define COUNTERS (1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_DWC)

/* ---- events ---- */

static void draw_filters(struct pv_drawing *g, uint8_t filters, char *event, size_t size)
{
	size_t len = strlen(event);

	if (filters & 1 && pv_draw_chance(&g->d, 40)) {
		snprintf(event + len, size - len, ",hdm_filter_en=1,hdm=0x%x",
			 1u << pv_draw_below(&g->d, pv_draw_chance(&g->d, 80) ? 6 : 16));
		len = strlen(event);
	}
	if (filters & 2 && pv_draw_chance(&g->d, 40))
		snprintf(event + len, size - len, ",crb_filter_en=1,crb=0x%02xff%02x%02x",
			 pv_draw_chance(&g->d, 50) ? 0xff : pv_draw_below(&g->d, 3),
			 pv_draw_chance(&g->d, 50) ? 0xff : pv_draw_below(&g->d, 3),
			 pv_draw_chance(&g->d, 50) ? 0xff : pv_draw_below(&g->d, 3));
}

static void draw_threshold(struct pv_drawing *g, char *event, size_t size)
{
	size_t len = strlen(event);
	/* Only for a vendor's events does the reference driver leave a threshold of 0. */
	bool zero = strstr(event, "vid=0x19e5") && pv_draw_chance(&g->d, 40);

	if (pv_draw_chance(&g->d, 50))
		return;
	if (!zero && pv_draw_chance(&g->d, 80))
		len += (size_t)snprintf(event + len, size - len, ",threshold=%u",
					pv_draw_chance(&g->d, 85) ? pv_draw_range(&g->d, 1, 5)
								  : pv_draw_range(&g->d, 6, 255));
	if (pv_draw_chance(&g->d, zero ? 60 : 30))
		len += (size_t)snprintf(event + len, size - len, ",invert=1");
	if (pv_draw_chance(&g->d, 30))
		snprintf(event + len, size - len, ",edge=1");
}

/* Several events of one group, as config words have them. */
static bool draw_mask(struct pv_drawing *g, const struct pv_cpmu_conf *conf, char *event, size_t size)
{
	if (!conf->event_caps)
		return false;
	const struct pv_cpmu_cap_conf *cap = &conf->event_cap[pv_draw_below(&g->d, conf->event_caps)];
	uint32_t mask = cap->events & (uint32_t)pv_random_next(g->d.s);

	snprintf(event, size, "vid=0x%x,gid=0x%x,mask=0x%x", cap->vid, cap->gid, mask ? mask : cap->events);
	return true;
}

static const struct pv_cpmu_conf *conf_of(struct pv_drawing *g, const char *pmu)
{
	unsigned mem, instance;
	char name[16];

	if (sscanf(pmu, "cxl_pmu_mem%u.%u", &mem, &instance) != 2)
		return NULL;
	snprintf(name, sizeof(name), "mem%u", mem);
	const struct pv_topo_node *node = pv_topology_node(g->s->t->topology, name);
	return node && instance < node->conf.cpmus ? &node->conf.cpmu[instance] : NULL;
}

static bool draw_cpmu_event(struct pv_drawing *g, const char *pmu, char *event, size_t size)
{
	const struct pv_cpmu_conf *conf = conf_of(g, pmu);

	if (conf && conf->filters & 2 && pv_draw_chance(&g->d, 40))
		snprintf(event, size, "vid=0x1e98,gid=0x8000,mask=0x%x", 1u << pv_draw_below(&g->d, 4));
	else if (!conf || pv_draw_chance(&g->d, 50) ? !pv_draw_entry(g, pmu, "events", event, size)
						    : !draw_mask(g, conf, event, size))
		return false;
	if (conf)
		draw_filters(g, conf->filters, event, size);
	draw_threshold(g, event, size);
	return true;
}

/* Lane events that have numbers, but no names. */
static const unsigned raw_events[] = {0x000, 0x004, 0x005, 0x006, 0x007, 0x008, 0x009, 0x00a, 0x100, 0x105,
				      0x107, 0x200, 0x201, 0x207, 0x300, 0x303, 0x400, 0x401, 0x501, 0x505};

/* Events of a theme, by number on a lane, or by name. */
static const char *const themes[PV_THEMES][5] = {
	[PV_THEME_NONE] = {"eventid=0x400,type=1", "eventid=0x505,type=1", "eventid=0x007,type=1", "rx_message_tlp",
			   "tx_message_tlp"},
	[PV_THEME_PREFIXES] = {"rx_tlp_with_prefix", "tx_tlp_with_prefix", "rx_memory_write", "rx_atomic", "tx_atomic"},
	[PV_THEME_DAMAGE] = {"rx_nulified_tlp", "rx_duplicate_tlp", "eventid=0x207,type=1", "eventid=0x201,type=1",
			     "eventid=0x200,type=1"},
	[PV_THEME_STATES] = {"L1", "L0", "eventid=0x501,type=1", "eventid=0x500,type=1", "L1_AUX"},
	[PV_THEME_LANES] = {"eventid=0x005,type=1", "eventid=0x400,type=1", "eventid=0x401,type=1",
			    "eventid=0x400,type=1", "eventid=0x000,type=1"},
};

static void draw_themed(struct pv_drawing *g, char *event, size_t size)
{
	const char *name = pv_draw_word(&g->d, themes[g->theme]);
	unsigned lane = g->theme == PV_THEME_LANES ? pv_draw_below(&g->d, 3) : 0;

	if (*name == 'L')
		snprintf(event, size, "%s", name);
	else
		snprintf(event, size, "%s,lane=%u", name, lane);
}

static bool draw_dwc_event(struct pv_drawing *g, const char *pmu, char *event, size_t size)
{
	char name[80], path[96], text[160];
	struct pv_driver *d = g->s->t->driver;

	if (pv_draw_chance(&g->d, 40)) {
		draw_themed(g, event, size);
		return true;
	}
	if (pv_draw_chance(&g->d, 25)) {
		snprintf(event, size, "eventid=0x%x,type=1,lane=%u", pv_draw_word(&g->d, raw_events),
			 pv_draw_below(&g->d, pv_draw_chance(&g->d, 70) ? 4 : 16));
		return true;
	}
	if (!pv_draw_entry(g, pmu, "events", name, sizeof(name)))
		return false;
	snprintf(path, sizeof(path), "events/%s", name);
	bool lane = d->ops->attr_read(d, pmu, path, text, sizeof(text)) > 0 && strstr(text, "lane=?");
	if (lane)
		snprintf(event, size, "%s,lane=%u", name,
			 pv_draw_chance(&g->d, 60) ? 0 : pv_draw_below(&g->d, pv_draw_chance(&g->d, 70) ? 5 : 16));
	else
		snprintf(event, size, "%s", name);
	return true;
}

/* ---- open ---- */

static const struct pv_counter *draw_counter(struct pv_drawing *g, bool (*fits)(const struct pv_counter *c))
{
	const struct pv_counter *found = NULL;
	unsigned n = 0;

	for (const struct pv_counter *c = g->s->counters; c; c = c->next)
		if (fits(c) && !pv_draw_below(&g->d, ++n))
			found = c;
	return found;
}

static bool is_open(const struct pv_counter *c)
{
	return c->event;
}

static bool is_leader(const struct pv_counter *c)
{
	return c->event && !c->leader;
}

/* perf starts a member at once that is opened while its group runs. */
static bool is_leader_at_rest(const struct pv_counter *c)
{
	return is_leader(c) && !c->running;
}

static bool is_runnable(const struct pv_counter *c)
{
	return c->event && !c->running;
}

bool pv_draw_waits_for_leader(const struct pv_counter *c)
{
	return c->leader && c->leader->event && !c->leader->running;
}

static bool is_runnable_in_perf(const struct pv_counter *c)
{
	return is_runnable(c) && !pv_draw_waits_for_leader(c);
}

static bool is_running(const struct pv_counter *c)
{
	return c->event && c->running;
}

const struct pv_counter *pv_draw_running(struct pv_drawing *g)
{
	return draw_counter(g, is_running);
}

/* Opens that drivers must refuse, and rare ones. */
static void twist(struct pv_drawing *g, json_object *x)
{
	switch (pv_draw_below(&g->d, 6)) {
	case 0:
		pv_element_set(x, "per-task", "yes");
		break;
	case 1:
		pv_element_set(x, "sampling", "yes");
		break;
	case 2:
		pv_element_set(x, "cpu", "%u", pv_draw_below(&g->d, 5));
		break;
	case 3:
		json_object_object_del(json_object_object_get(x, "attrs"), "event");
		pv_element_set(x, "config", "0x%" PRIx64, pv_random_next(g->d.s) >> pv_draw_below(&g->d, 64));
		break;
	case 4:
		json_object_object_del(json_object_object_get(x, "attrs"), "event");
		pv_element_set(x, "config", "0x%x", pv_draw_below(&g->d, 0x600));
		pv_element_set(x, "config1", "0x%x", 1u << pv_draw_below(&g->d, 31));
		break;
	default:
		pv_element_set(x, "exclude", "user kernel");
	}
}

static const char *prefix(struct pv_drawing *g)
{
	bool cpmu = pv_drawing_of(g, PV_EXPLORE_CPMU), dwc = pv_drawing_of(g, PV_EXPLORE_DWC);

	return cpmu && (!dwc || pv_draw_chance(&g->d, 50)) ? "cxl_pmu" : dwc ? "dwc_rootport" : "";
}

/* The event of a counter that is open, on the same PMU; NULL: there is none with a name. */
static const char *draw_same(struct pv_drawing *g, const char *pmu, char *event, size_t size)
{
	const struct pv_counter *c = draw_counter(g, is_open);
	const char *slash = c ? strchr(c->what, '/') : NULL;

	if (!slash || (pmu && strcmp(pmu, c->pmu)))
		return NULL;
	snprintf(event, size, "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
	char *lane = strstr(event, "lane=");
	if (lane && pv_draw_chance(&g->d, 30))
		snprintf(lane, size - (size_t)(lane - event), "lane=%u", pv_draw_below(&g->d, 4));
	return c->pmu;
}

static const char *draw_other(struct pv_drawing *g, const char *pmu, char *event, size_t size)
{
	if (!pmu)
		pmu = pv_draw_pmu(g, prefix(g));
	if (!pmu || !strncmp(pmu, "hisi", 4))
		return NULL;
	bool drawn = *pmu == 'c' ? draw_cpmu_event(g, pmu, event, size) : draw_dwc_event(g, pmu, event, size);
	return drawn ? pmu : NULL;
}

static bool draw_open(struct pv_drawing *g)
{
	char event[160];
	const struct pv_counter *leader =
		pv_draw_chance(&g->d, 35) ? draw_counter(g, g->model ? is_leader : is_leader_at_rest) : NULL;
	const char *of = leader && pv_draw_chance(&g->d, 90) ? leader->pmu : NULL;
	const char *pmu = pv_draw_chance(&g->d, 15) ? draw_same(g, of, event, sizeof(event)) : NULL;

	if (!pmu)
		pmu = draw_other(g, of, event, sizeof(event));
	if (!pmu)
		return false;
	json_object *x = pv_draw_step(g, "counter-open");
	pv_element_set(x, "id", "c%u", g->names++);
	pv_element_set(x, "pmu", "%s", pmu);
	pv_element_set(x, "event", "%s", event);
	if (leader)
		pv_element_set(x, "group", "%s", leader->id);
	if (pv_draw_chance(&g->d, pv_drawing_of(g, PV_EXPLORE_ABI) ? 20 : 6))
		twist(g, x);
	return true;
}

/* Whether the group of this step is the only user of its PMU. */
static bool is_alone(const struct pv_drawing *g, const char *leader)
{
	const char *pmu = NULL;

	for (const struct pv_counter *c = g->s->counters; c; c = c->next)
		if (!strcmp(c->id, leader))
			pmu = c->pmu;
	for (const struct pv_counter *c = g->s->counters; pmu && c; c = c->next)
		if (c->event && !strcmp(c->pmu, pmu) && strcmp(c->id, leader) &&
		    !(c->leader && !strcmp(c->leader->id, leader)))
			return false;
	return pmu && *pmu == 'c';
}

static bool is_refused(const struct pv_drawing *g, json_object *x)
{
	const char *expect = pv_element_get(x, "expect"), *leader = pv_element_get(x, "group");

	return !strncmp(pv_element_kind(x), "counter-", 8) && expect && !strcmp(expect, "ENOSPC") &&
	       !(leader && is_alone(g, leader));
}

void pv_draw_forget_refused(struct pv_drawing *g)
{
	for (size_t i = g->before; !g->model && i < json_object_array_length(g->steps); i++)
		if (is_refused(g, json_object_array_get_idx(g->steps, i))) {
			json_object_array_del_idx(g->steps, i--, 1);
			g->s->n--;
		}
}

/* ---- start, read, stop ---- */

static bool do_step(struct pv_drawing *g, const char *kind, const struct pv_counter *c)
{
	if (!c)
		return false;
	json_object *x = pv_draw_step(g, kind);
	pv_element_set(x, "id", "%s", c->id);
	return true;
}

bool pv_draw_counter_is_judged(const struct pv_drawing *g, const struct pv_counter *c)
{
	struct pv_dwc_query q;
	bool one_cycle = !pv_check_dwc_event(c, &q) && !q.lane_event && !q.eventid;

	return pv_draw_is_judged(g, c->id, c->pmu) && !(one_cycle && c->windows > 1);
}

static bool check(struct pv_drawing *g, const struct pv_counter *c)
{
	if (!pv_draw_counter_is_judged(g, c))
		return true;
	json_object *x = pv_draw_step(g, "check-counter");

	pv_element_set(x, "id", "%s", c->id);
	pv_element_set(x, "min-value", "0");
	return true;
}

static bool draw_start(struct pv_drawing *g)
{
	return do_step(g, "counter-start", draw_counter(g, g->model ? is_runnable : is_runnable_in_perf));
}

static bool draw_stop(struct pv_drawing *g)
{
	const struct pv_counter *c = draw_counter(g, is_running);

	if (pv_draw_need(g) == PV_NEED_TRAFFIC && pv_draw_chance(&g->d, 60))
		return false;
	return do_step(g, "counter-stop", c) && check(g, c);
}

static bool draw_read(struct pv_drawing *g)
{
	const struct pv_counter *c = draw_counter(g, is_open);

	return do_step(g, "counter-read", c) && (pv_draw_chance(&g->d, 50) || check(g, c));
}

static bool leads(const struct pv_session *s, const struct pv_counter *leader)
{
	for (const struct pv_counter *c = s->counters; c; c = c->next)
		if (c->event && c->leader == leader)
			return true;
	return false;
}

/*
 * A leader that is closed at rest leaves its members enabled, but perf lets none of them count until another event of
 * the CPU is started (docs/linux-drivers.md, perf-member-of-a-closed-leader).
 */
static bool draw_close(struct pv_drawing *g)
{
	const struct pv_counter *c = draw_counter(g, is_open);

	if (c && !g->model && !c->running && leads(g->s, c))
		return false;
	return do_step(g, "counter-close", c);
}

/* L0 is counted while nothing happens. */
static bool counts_l0(const struct pv_counter *c)
{
	struct pv_dwc_query q, l0;

	return is_running(c) && !pv_check_dwc_event(c, &q) && !q.lane_event && !pv_oracle_dwc_event("L0", &l0) &&
	       q.eventid == l0.eventid;
}

/*
 * The low half of a time-based count carries into the high one shortly before, at or shortly after a read. Once in a
 * case: guests with several CPUs really wait for so long.
 */
static bool draw_carry(struct pv_drawing *g)
{
	const struct pv_counter *c = g->had_long ? NULL : draw_counter(g, counts_l0);
	const struct pv_topo_node *port = c ? pv_topology_by_bdf(g->s->t->topology, (pv_bdf)c->parent) : NULL;
	uint64_t ps = port && port->conf.ras.core_clk_ps ? port->conf.ras.core_clk_ps : PV_MODEL_DWC_CYCLE_PS;

	if (!port)
		return false;
	g->had_long = true;
	pv_element_set(pv_draw_step(g, "wait"), "ns", "%" PRIu64, (ps << 32) / 1000 + pv_draw_below(&g->d, 600) - 300);
	return do_step(g, "counter-read", c) && check(g, c);
}

/* Starts all counters that do not run, as one session of perf does. */
static bool draw_start_all(struct pv_drawing *g)
{
	unsigned n = 0;

	for (const struct pv_counter *c = g->s->counters; c; c = c->next)
		if (is_runnable(c) && !c->leader)
			n += do_step(g, "counter-start", c);
	return n;
}

const struct pv_action pv_actions_counter[] = {
	{COUNTERS | 1u << PV_EXPLORE_ABI, 14, draw_open, PV_NEED_OPEN},
	{COUNTERS | 1u << PV_EXPLORE_ABI, 8, draw_start, PV_NEED_START},
	{COUNTERS, 7, draw_start_all, PV_NEED_START},
	{1u << PV_EXPLORE_DWC, 4, draw_carry},
	{COUNTERS | 1u << PV_EXPLORE_ABI, 5, draw_stop},
	{COUNTERS | 1u << PV_EXPLORE_ABI, 5, draw_read},
	{COUNTERS | 1u << PV_EXPLORE_ABI, 2, draw_close},
	{0},
};
