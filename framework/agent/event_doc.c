/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The documented config word of an event by its name. */
#include "framework/agent/event_doc.h"

#include <stdio.h>
#include <string.h>

#include "framework/oracle/oracle.h"
#include "framework/util/cleanup.h"

/* Published sources exchange these two (F-D5): neither number is wrong. */
#define DWC_TIME_L1_AUX	   0x08
#define DWC_TIME_TX_RX_L0S 0x09

/* Fields of config; the rest of a word that holds them is not the event's. */
static const struct field {
	const char *pmu, *name;
	unsigned lo, hi;
} fields[] = {
	{"cxl_pmu_", "mask", 0, 31},	    {"cxl_pmu_", "gid", 32, 47},	 {"cxl_pmu_", "vid", 48, 63},
	{"cxl_pmu_", "config", 0, 63},	    {"dwc_rootport_", "eventid", 0, 15}, {"dwc_rootport_", "type", 16, 19},
	{"dwc_rootport_", "config", 0, 63},
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static uint64_t field_mask(const struct field *f)
{
	return UINT64_MAX >> (63 - f->hi + f->lo) << f->lo;
}

static bool cpmu_config(const char *name, struct pv_event_doc *d)
{
	struct pv_cpmu_query e;

	if (pv_oracle_cpmu_event(name, &e))
		return false;
	d->config = (uint64_t)e.vid << 48 | (uint64_t)e.gid << 32 | e.mask;
	d->mask = UINT64_MAX;
	return true;
}

static bool dwc_config(const char *name, struct pv_event_doc *d)
{
	struct pv_dwc_query e;

	if (pv_oracle_dwc_event(name, &e))
		return false;
	if (!e.lane_event && (e.eventid == DWC_TIME_L1_AUX || e.eventid == DWC_TIME_TX_RX_L0S))
		return false;
	d->config = e.eventid | (uint64_t)e.lane_event << 16;
	d->mask = 0xfffff;
	return true;
}

static void name_event(const char *pmu, const char *name, struct pv_event_doc *d)
{
	bool known = begins(pmu, "cxl_pmu_")	    ? cpmu_config(name, d)
		     : begins(pmu, "dwc_rootport_") ? dwc_config(name, d)
						    : false;

	if (known)
		snprintf(d->name, sizeof(d->name), "%s", name);
}

/* Bits that the term "name=value" gives. */
static uint64_t term_mask(const char *pmu, const char *term, size_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (begins(pmu, fields[i].pmu) && strlen(fields[i].name) == name &&
		    !strncmp(fields[i].name, term, name))
			return field_mask(&fields[i]);
	return 0;
}

struct pv_event_doc pv_event_doc_find(const char *pmu, const char *event)
{
	struct pv_event_doc d = {0};
	uint64_t given = 0;

	for (size_t n; n = strcspn(event, ","), true; event += n + 1) {
		const char *eq = memchr(event, '=', n);
		char name[sizeof(d.name)];

		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : 0), event);
		if (eq)
			given |= term_mask(pmu, event, (size_t)(eq - event));
		else if (!d.name[0])
			name_event(pmu, name, &d);
		if (!event[n])
			break;
	}
	d.mask &= ~given;
	return d;
}
