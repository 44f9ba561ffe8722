/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters of PTTs in steps: names, numbers, and numbers in events and raw configs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/board/needs_internal.h"
#include "framework/util/cleanup.h"

static const char *get(json_object *attrs, const char *name)
{
	return json_object_get_string(json_object_object_get(attrs, name));
}

/* ---- filters by number ---- */

/* Returns true if the filter selects the function: a port that the PTT serves, or a requester. */
static bool selects(const struct pv_topo_node *ptt, uint64_t filter, const struct pv_topo_node *node)
{
	filter &= ~(uint64_t)PTT_FILTER_RESERVED_MASK;
	if (!(filter & PTT_FILTER_IS_PORT))
		return PCI_RID(node->bdf) == filter && PCI_DOMAIN(node->bdf) == PCI_DOMAIN(ptt->bdf);
	return node->conf.kind == PV_NODE_ROOT_PORT && pv_needs_serves(ptt, node) &&
	       filter & PTT_FILTER_PORT_BIT(node->bdf);
}

bool pv_needs_is_foreign(const struct pv_topology *plan, const struct pv_topo_node *ptt, uint64_t filter)
{
	uint64_t left = filter & PTT_FILTER_IS_PORT ? filter & PTT_FILTER_VALUE_MASK : 1;
	bool any = false;

	for (size_t i = 0; i < plan->n; i++)
		if (selects(ptt, filter, &plan->nodes[i])) {
			left &= filter & PTT_FILTER_IS_PORT ? ~(uint64_t)PTT_FILTER_PORT_BIT(plan->nodes[i].bdf) : 0;
			any = true;
		}
	return !any || left || filter & ~(uint64_t)PV_NEEDS_FILTER_MASK;
}

/*
 * The functions that a filter selects are needed, also if a reserved bit makes it one that must be refused. A filter
 * that selects something else stays as it is, and must be refused: the machine's PTT has to lack it, too.
 */
static void read_number(struct pv_needs *n, const struct pv_topo_node *ptt, uint64_t filter, json_object *attrs,
			const char *step)
{
	const char *expect = get(attrs, "expect");
	bool refused = expect && strcmp(expect, "0") != 0;

	if (!pv_needs_is_foreign(n->plan, ptt, filter) && (refused || !(filter & PTT_FILTER_RESERVED_MASK))) {
		for (size_t i = 0; i < n->plan->n; i++)
			if (selects(ptt, filter, &n->plan->nodes[i]))
				pv_needs_node(n, &n->plan->nodes[i], step);
	} else if (refused && n->n_foreign < PV_NEEDS_FOREIGN_MAX) {
		n->foreign[n->n_foreign++] = (struct pv_filter_need){(size_t)(ptt - n->plan->nodes), filter};
	} else {
		pv_needs_set_exact(n, step, "its filter names a function that the plan's machine lacks");
	}
}

/* ---- steps ---- */

static const struct pv_topo_node *ptt_of(const struct pv_needs *n, const char *pmu)
{
	size_t i = pmu ? pv_needs_find_ptt(n->plan, pmu) : n->plan->n;

	return i < n->plan->n ? &n->plan->nodes[i] : NULL;
}

void pv_needs_filter(struct pv_needs *n, json_object *attrs, const char *value, const char *step)
{
	const struct pv_topo_node *ptt = ptt_of(n, get(attrs, "pmu"));
	_autofree_ char *words = strdup(value);

	if (!ptt || !words) {
		pv_needs_set_exact(n, step, "it has a filter of a PTT that the plan's machine lacks");
		return;
	}
	if (isdigit((unsigned char)*value)) {
		read_number(n, ptt, strtoull(value, NULL, 0), attrs, step);
		return;
	}
	for (char *save = NULL, *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		pv_needs_ref(n, &(struct pv_attr_decl){.type = &pv_types[PV_TYPE_DEVICE_REF]}, w, step);
}

bool pv_needs_next_filter(const char *text, const char *pmu, const char **at, struct pv_needs_filter *out)
{
	char *end;

	for (; **at; ++*at) {
		unsigned sicl, core;

		if (*at > text && !strchr(",/ ", (*at)[-1]))
			continue;
		if (pv_needs_ptt(*at, &sicl, &core))
			pmu = *at;
		if (strncmp(*at, "filter=", strlen("filter=")) != 0 || !pmu || !pv_needs_ptt(pmu, &sicl, &core))
			continue;
		out->number = *at + strlen("filter=");
		out->value = strtoull(out->number, &end, 0);
		out->len = (size_t)(end - out->number);
		out->pmu = pmu;
		*at = end;
		return true;
	}
	return false;
}

static void read_events(struct pv_needs *n, json_object *attrs, const char *name, const char *pmu, const char *step)
{
	const char *text = get(attrs, name);
	struct pv_needs_filter f = {.pmu = pmu};

	for (const char *at = text; at && pv_needs_next_filter(text, f.pmu, &at, &f);) {
		const struct pv_topo_node *ptt = ptt_of(n, f.pmu);

		if (ptt)
			read_number(n, ptt, f.value, attrs, step);
	}
}

void pv_needs_filters(struct pv_needs *n, json_object *attrs, const char *step)
{
	const char *pmu = get(attrs, "pmu"), *config = get(attrs, "config");
	const struct pv_topo_node *ptt = ptt_of(n, pmu);

	/* With the type of another PMU, a config is not this one's. */
	if (ptt && config && !get(attrs, "type"))
		read_number(n, ptt, strtoull(config, NULL, 0) & PV_NEEDS_FILTER_MASK, attrs, step);
	read_events(n, attrs, "event", pmu, step);
	read_events(n, attrs, "events", NULL, step);
}
