/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of CXL PMUs in steps. sysfs shows which events a CPMU has by name; its counters and filters are only in its
 * registers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/core/cpmu_events.h"
#include "drivers/regs/cpmu.h"
#include "framework/board/needs_internal.h"
#include "framework/board/translate.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

/* Smaller widths occur only in plans; hardware has 48 bits or more. */
#define CPMU_WIDTH 48

static const char *get(json_object *attrs, const char *name)
{
	return json_object_get_string(json_object_object_get(attrs, name));
}

static void hide(struct pv_needs *n, size_t i, const char *what)
{
	if (!n->role[i].hidden)
		n->role[i].hidden = what;
}

/* ---- events ---- */

/* An event by vendor, group and bits of its mask. */
struct event {
	uint64_t vid, gid, mask;
};

static uint64_t term(const char *event, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = event; at; at = strchr(at, ','), at += at != NULL)
		if (!strncmp(at, name, n) && at[n] == '=')
			return strtoull(at + n + 1, NULL, 0);
	return 0;
}

/* An event by name, "m2s_req_memrd,threshold=2"; by its terms, "vid=0x1e98,gid=0x20,mask=0x2"; or a config. */
static struct event read_event(json_object *attrs)
{
	const char *event = get(attrs, "event"), *config = get(attrs, "config");
	uint64_t value = config ? strtoull(config, NULL, 0) : 0;
	size_t len = event ? strcspn(event, ",=") : 0;

	if (!event)
		return (struct event){value >> 48, value >> 32 & 0xffff, value & UINT32_MAX};
	if (event[len] == '=')
		return (struct event){term(event, "vid"), term(event, "gid"), term(event, "mask")};
	for (size_t k = 0; k < pv_cpmu_events_count; k++)
		if (!strncmp(pv_cpmu_events[k].name, event, len) && !pv_cpmu_events[k].name[len])
			return (struct event){PV_CPMU_VID_CXL, pv_cpmu_events[k].gid, 1ull << pv_cpmu_events[k].bit};
	return (struct event){0};
}

/* Returns the bits of the event that the plan's CPMU lacks. */
static uint64_t lacking(const struct pv_node_conf *mem, unsigned cpmu, const struct event *ev)
{
	const struct pv_cpmu_conf *c = cpmu < mem->cpmus ? &mem->cpmu[cpmu] : NULL;
	uint64_t left = ev->mask;

	for (unsigned k = 0; c && k < c->event_caps; k++)
		if (c->event_cap[k].vid == ev->vid && c->event_cap[k].gid == ev->gid)
			left &= ~(uint64_t)c->event_cap[k].events;
	return left;
}

static void add_need(struct pv_needs *n, const struct pv_event_need *need, const char *name)
{
	if (n->n_events == PV_NEEDS_EVENTS_MAX)
		return;
	n->event[n->n_events] = *need;
	snprintf(n->event[n->n_events++].name, sizeof(n->event[0].name), "%s", name);
}

/*
 * Needs the named events with bits of the mask. If the step is refused because the plan's CPMU lacks some of them, the
 * machine's must lack the first one, too.
 */
static void need_events(struct pv_needs *n, struct pv_event_need *need, json_object *attrs)
{
	const char *expect = get(attrs, "expect");
	const struct event ev = read_event(attrs);
	uint64_t left = lacking(&n->plan->nodes[need->node].conf, need->cpmu, &ev);

	need->absent = left && expect && strcmp(expect, "0") != 0;
	for (size_t k = 0; ev.vid == PV_CPMU_VID_CXL && k < pv_cpmu_events_count; k++) {
		const struct pv_cpmu_named_event *named = &pv_cpmu_events[k];

		if (named->gid != ev.gid || !((need->absent ? left : ev.mask) >> named->bit & 1))
			continue;
		add_need(n, need, named->name);
		if (need->absent)
			return;
	}
}

/* ---- steps ---- */

static void read_open(struct pv_needs *n, size_t i, unsigned cpmu, json_object *attrs)
{
	const struct pv_node_conf *mem = &n->plan->nodes[i].conf;
	const char *event = get(attrs, "event"), *id = get(attrs, "id");
	struct pv_event_need need = {.node = i, .cpmu = cpmu};
	bool again = false;

	for (size_t k = 0; k < n->n_events; k++)
		again |= n->event[k].node == i && n->event[k].cpmu == cpmu && *n->event[k].id;
	if (again)
		hide(n, i, "room for several events");
	if (!event || strpbrk(event, ",=") || get(attrs, "group"))
		hide(n, i, "filters, thresholds, groups and raw events");
	if (cpmu >= mem->cpmus || mem->cpmu[cpmu].width < CPMU_WIDTH)
		hide(n, i, "counters of the plan's width");
	else if (!mem->cpmu[cpmu].interrupt)
		hide(n, i, "a CPMU without interrupts");
	else if (!mem->cpmu[cpmu].msi)
		hide(n, i, "a CPMU with message number 0");
	snprintf(need.id, sizeof(need.id), "%s", id ? id : "?");
	need_events(n, &need, attrs);
}

/* A closed counter leaves room for another. */
void pv_needs_read_close(struct pv_needs *n, json_object *attrs)
{
	_autofree_ char *ids = strdup(get(attrs, "id") ? get(attrs, "id") : "");

	for (char *save = NULL, *id = ids ? strtok_r(ids, " ", &save) : NULL; id; id = strtok_r(NULL, " ", &save))
		for (size_t k = 0; k < n->n_events; k++)
			if (!strcmp(n->event[k].id, id))
				*n->event[k].id = 0;
}

/*
 * Reads the events in the text of a step of perf, "cxl_pmu_mem0.0/m2s_req_memrd/"; a pattern has "cxl_pmu_mem0\\.0/".
 * `opens`: perf opens them.
 */
static void read_perf(struct pv_needs *n, json_object *attrs, const char *name, bool opens)
{
	const char *text = get(attrs, name), *id = get(attrs, "id");
	size_t len, i;
	unsigned mem, cpmu;

	for (const char *at = text; at && *at; at++) {
		const char *terms = at + strcspn(at, "/ ,");

		len = *terms == '/' ? pv_needs_cxl(at, &mem, &cpmu) : 0;
		if (!len || !pv_board_is_word(text, at, len) || (i = pv_needs_mem(n->plan, mem)) == n->plan->n)
			continue;
		_autojson_ json_object *event = json_object_new_object();
		json_object_object_add(event, "id", json_object_new_string(id ? id : "?"));
		terms++;
		json_object_object_add(event, "event", json_object_new_string_len(terms, (int)strcspn(terms, "/")));
		if (opens)
			read_open(n, i, cpmu, event);
		else
			need_events(n, &(struct pv_event_need){.node = i, .cpmu = cpmu}, event);
	}
}

void pv_needs_read_cxl(struct pv_needs *n, const char *step, json_object *attrs)
{
	const char *pmu = get(attrs, "pmu"), *expect = get(attrs, "expect");
	const char *path = get(attrs, "path") ? get(attrs, "path") : "";
	unsigned mem, cpmu;

	read_perf(n, attrs, "events", true);
	read_perf(n, attrs, "match", false);
	if (!pmu || !pv_needs_cxl(pmu, &mem, &cpmu) || pv_needs_mem(n->plan, mem) == n->plan->n)
		return;
	size_t i = pv_needs_mem(n->plan, mem);
	if (!strcmp(step, "counter-open") && !get(attrs, "type"))
		read_open(n, i, cpmu, attrs);
	if (!strcmp(step, "attr-read") && !strncmp(path, "events/", strlen("events/"))) {
		struct pv_event_need need = {.node = i, .cpmu = cpmu};

		add_need(n, &need, path + strlen("events/"));
	}
	if (!strcmp(step, "attr-list"))
		hide(n, i, "events and formats of its CPMUs");
	if (expect && strcmp(expect, "0") != 0 && !get(attrs, "type"))
		hide(n, i, "the limits of its CPMUs");
}
