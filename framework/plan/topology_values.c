/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of a <topology>, its CPMUs and its configuration registers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "framework/plan/topology_build.h"

/* ---- attributes ---- */

static void note_substituted(struct pv_topology_build *b, const char *text, const char *value)
{
	struct pv_substituted *s = pv_arena_alloc(b->env->arena, sizeof(*s));

	if (!s) {
		b->bad = pv_problem_memory(b->env->problems) != 0;
		return;
	}
	*s = (struct pv_substituted){text, value, b->t->substituted};
	b->t->substituted = s;
}

const char *pv_build_get(struct pv_topology_build *b, const struct pv_xml *x, const char *name)
{
	const struct pv_attr_decl *d = pv_schema_attr(x->decl, name);
	const char *text = pv_xml_get(x, name), *value;

	if (!text)
		return d ? d->value : NULL;
	if (!strstr(text, "${"))
		return text;
	if (!pv_substitute(b->scope, text, x, name, b->env->arena, b->env->problems, &value) ||
	    (d && !pv_xml_check_value(x, d, value, b->scope->where, b->env->problems))) {
		b->bad = true;
		return d ? d->value : NULL;
	}
	note_substituted(b, text, value);
	return value;
}

uint64_t pv_build_number(struct pv_topology_build *b, const struct pv_xml *x, const char *name, uint64_t min,
			 uint64_t max, uint64_t otherwise)
{
	const char *s = pv_build_get(b, x, name);

	if (!s)
		return otherwise;
	errno = 0;
	uint64_t v = strtoull(s, NULL, !strncmp(s, "0x", 2) ? 16 : 10);
	if (errno || v < min || v > max) {
		pv_build_complain(b, x, "<%s> %s: expected %ju to %ju, got '%s'", x->name, name, (uintmax_t)min,
				  (uintmax_t)max, PV_SHOW(s));
		return otherwise;
	}
	return v;
}

bool pv_build_yes(struct pv_topology_build *b, const struct pv_xml *x, const char *name, bool otherwise)
{
	const char *s = pv_build_get(b, x, name);

	return s ? !strcmp(s, "yes") : otherwise;
}

void pv_build_members(struct pv_topology_build *b, const struct pv_xml *x, const struct pv_element_decl *members,
		      void *base)
{
	pv_members_default(members, base);
	for (unsigned i = 0; i < x->n_attrs; i++) {
		const struct pv_attr_decl *a = x->attrs[i].decl;
		const char *value = a && a->member ? pv_build_get(b, x, a->name) : NULL;

		if (value)
			pv_member_set(a, base, value);
	}
}

void *pv_build_more(struct pv_topology_build *b, const void *old, unsigned n, size_t bytes)
{
	void *new = pv_arena_array(b->env->arena, n + 1, bytes);

	if (!new)
		b->bad = pv_problem_memory(b->env->problems) != 0;
	else if (n)
		memcpy(new, old, n * bytes);
	return new;
}

/* ---- CPMUs ---- */

static void read_cap(struct pv_topology_build *b, const struct pv_xml *x, struct pv_cpmu_conf *c)
{
	if (c->event_caps == PV_CPMU_MAX_EVENT_CAPS) {
		pv_build_complain(b, x, "<event-cap>: a CPMU has at most %d", PV_CPMU_MAX_EVENT_CAPS);
		return;
	}
	pv_build_members(b, x, &pv_event_cap_members, &c->event_cap[c->event_caps++]);
}

/* Returns the unused counter of this number or, without a number, the last unused one. NULL: a problem was reported. */
static struct pv_cpmu_counter_conf *free_counter(struct pv_topology_build *b, const struct pv_xml *x,
						 struct pv_cpmu_conf *c)
{
	const char *number = pv_build_get(b, x, "counter");
	uint64_t i = c->counters;

	if (!number) {
		while (i && c->counter[i - 1].type != CPMU_CFG_TYPE_CONFIGURABLE)
			i--;
		if (i)
			return &c->counter[i - 1];
		pv_build_complain(b, x, "<%s>: the CPMU has %u counters in all, and this is one more", x->name,
				  c->counters);
		return NULL;
	}
	pv_number_parse(number, &i);
	if (i >= c->counters)
		pv_build_complain(b, x, "<%s> counter: expected 0 to %u, got '%s'", x->name, c->counters - 1, number);
	else if (c->counter[i].type != CPMU_CFG_TYPE_CONFIGURABLE)
		pv_build_complain(b, x, "<%s> counter: %ju is another's already", x->name, (uintmax_t)i);
	else
		return &c->counter[i];
	return NULL;
}

static void read_fixed(struct pv_topology_build *b, const struct pv_xml *x, struct pv_cpmu_conf *c)
{
	struct pv_cpmu_counter_conf *counter = free_counter(b, x, c);

	if (!counter)
		return;
	counter->type = !strcmp(x->name, "fixed") ? CPMU_CFG_TYPE_FIXED : CPMU_CFG_TYPE_FREE_RUNNING;
	pv_build_members(b, x, &pv_counter_members, counter);
	if (counter->group >= c->event_caps)
		pv_build_complain(b, x, "<%s> group: there are %u event-cap, got index %u", x->name, c->event_caps,
				  counter->group);
}

/* Places counters with a number first. The others follow in order, and get the last free numbers. */
static void read_counters(struct pv_topology_build *b, struct pv_xml *x, struct pv_cpmu_conf *c)
{
	const struct pv_xml *left[PV_CPMU_MAX_COUNTERS];
	unsigned n = 0;

	for (unsigned i = 0; i < c->counters; i++)
		c->counter[i].type = CPMU_CFG_TYPE_CONFIGURABLE;
	pv_xml_foreach (e, x) {
		if (!strcmp(e->name, "event-cap"))
			continue;
		if (pv_xml_get(e, "counter") || n == PV_CPMU_MAX_COUNTERS)
			read_fixed(b, e, c);
		else
			left[n++] = e;
	}
	while (n)
		read_fixed(b, left[--n], c);
}

void pv_build_cpmu(struct pv_topology_build *b, struct pv_xml *x, struct pv_node_conf *n)
{
	struct pv_cpmu_conf *all = pv_build_more(b, n->cpmu, n->cpmus, sizeof(*all));

	if (!all)
		return;
	struct pv_cpmu_conf *c = &all[n->cpmus++];
	n->cpmu = all;
	pv_build_members(b, x, &pv_cpmu_members, c);
	pv_xml_foreach_named (e, x, "event-cap")
		read_cap(b, e, c);
	if (!c->event_caps)
		pv_build_complain(b, x, "<cpmu>: expected at least one event-cap");
	read_counters(b, x, c);
}

/* ---- configuration space ---- */

void pv_build_config(struct pv_topology_build *b, const struct pv_xml *x, struct pv_node_conf *n)
{
	struct pv_cfg_override *all = pv_build_more(b, n->override, n->overrides, sizeof(*all));

	if (!all)
		return;
	struct pv_cfg_override *c = &all[n->overrides++];
	n->override = all;
	pv_build_members(b, x, &pv_config_members, c);
	uint32_t most = UINT32_MAX >> (32 - 8 * c->bytes);
	if (c->value > most || c->writable > most)
		pv_build_complain(b, x, "<config>: expected value and writable of at most 0x%x, got 0x%x and 0x%x",
				  most, c->value, c->writable);
	if (c->offset % c->bytes)
		pv_build_complain(b, x, "<config> offset: expected a multiple of %u bytes, got 0x%x", c->bytes,
				  c->offset);
}
