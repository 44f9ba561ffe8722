/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the events to count, from lines about /sys/bus/event_source/devices. */
#include "framework/counters/choose.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct event {
	char pmu[64], name[128], terms[256];
};

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Returns true for names of PMUs and events. perf -e would parse other characters as syntax. */
static bool is_plain(const char *s, const char *also)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(also, *s))
			return false;
	return true;
}

/* Parses a line. Files such as NAME.unit and NAME.scale describe an event, and are none. */
static bool parse(const char *line, struct event *e)
{
	return sscanf(line, "%63[^/]/events/%127[^ ] %255[^\n]", e->pmu, e->name, e->terms) == 3 &&
	       is_plain(e->pmu, "_-.") && is_plain(e->name, "_-") && is_plain(e->terms, "_-.,=:?");
}

static bool is_payload(const struct event *e)
{
	return !strcasecmp(e->name, "Rx_PCIe_TLP_Data_Payload") || !strcasecmp(e->name, "Tx_PCIe_TLP_Data_Payload");
}

static bool is_opcode(const struct event *e)
{
	return begins(e->name, "m2s_") || begins(e->name, "s2m_") || begins(e->name, "d2h_") || begins(e->name, "h2d_");
}

static bool is_wanted(const struct pv_choice *c, const struct event *e)
{
	bool dwc = begins(e->pmu, "dwc_rootport_"), cxl = begins(e->pmu, "cxl_pmu_"), named = false;

	for (size_t i = 0; c->pmus && c->pmus[i]; i++)
		named |= !fnmatch(c->pmus[i], e->pmu, 0);
	if (c->pmus && !named)
		return false;
	if (dwc)
		return is_payload(e);
	if (cxl)
		return is_opcode(e);
	return c->pmus && !strchr(e->terms, '?');
}

int pv_choice_add(struct pv_choice *c, const char *line)
{
	struct event e;
	char *longer = NULL;

	if (!parse(line, &e) || !is_wanted(c, &e))
		return 0;
	if (c->n == PV_CHOICE_MAX)
		return -E2BIG;
	/* perf finds no event with mixed case in its name, as those of a DWC PMU have, so it gets the terms. */
	const char *what = begins(e.pmu, "dwc_rootport_") ? e.terms : e.name;
	if (asprintf(&longer, "%s%s%s/%s/", c->n ? c->events : "", c->n ? "," : "", e.pmu, what) < 0)
		return -ENOMEM;
	free(c->events);
	c->events = longer;
	c->n++;
	return 0;
}

void pv_choice_free(struct pv_choice *c)
{
	free(c->events);
	*c = (struct pv_choice){0};
}
