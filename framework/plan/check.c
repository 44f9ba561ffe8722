/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a case beyond the schema: values after substitution, devices that the topology must contain, ids that an
 * earlier step must have declared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/law/law.h"
#include "framework/plan/plan_internal.h"
#include "framework/util/cleanup.h"

enum id_space { TRACE = 1, COUNTER = 2, TRAFFIC = 4, MARK = 8, MEASURE = 16, PERF = 32 };

struct id {
	const char *name;
	unsigned space;
	bool runs; /* a trace that no step has ended so far */
};

struct use {
	const struct pv_xml *x;
	const struct pv_xml_attr *a;
	const char *value; /* after substitution */
	unsigned space;
};

struct check {
	struct pv_loading *l;
	struct pv_case_impl *c;
	struct id *ids;
	size_t n_ids, room;
	struct use min, max; /* of the step; no value: it has none */
};

#define complain(ck, u, ...) pv_problem((ck)->l->problems, (u)->x->file, (u)->x->line, (ck)->c->pub.name, __VA_ARGS__)

/* ---- words ---- */

static bool one_of(const char *value, const char *const *words)
{
	while (*words && strcmp(*words, value))
		words++;
	return *words;
}

static void each_word(struct check *ck, const struct use *u,
		      void (*fn)(struct check *ck, const struct use *u, const char *word))
{
	_autofree_ char *copy = strdup(u->value);
	char *rest = NULL;

	for (char *w = copy ? strtok_r(copy, " ", &rest) : NULL; w; w = strtok_r(NULL, " ", &rest))
		fn(ck, u, w);
}

/* ---- ids ---- */

static void declare(struct check *ck, const struct use *u)
{
	if (ck->n_ids == ck->room) {
		size_t room = ck->room ? ck->room * 2 : 16;
		struct id *more = realloc(ck->ids, room * sizeof(*more));

		if (!more) {
			pv_problem_memory(ck->l->problems);
			return;
		}
		ck->ids = more;
		ck->room = room;
	}
	ck->ids[ck->n_ids++] = (struct id){u->value, u->space, !strcmp(u->x->name, "trace-start")};
}

struct candidates {
	const struct check *ck;
	unsigned space;
};

static const char *candidate_id(const void *ctx, size_t i)
{
	const struct candidates *c = ctx;

	for (size_t k = 0; k < c->ck->n_ids; k++)
		if ((c->ck->ids[k].space & c->space) && !i--)
			return c->ck->ids[k].name;
	return NULL;
}

/* Finds the last id with this name. NULL: none. */
static struct id *find_id(struct check *ck, unsigned space, const char *name)
{
	for (size_t i = ck->n_ids; i-- > 0;)
		if ((ck->ids[i].space & space) && !strcmp(ck->ids[i].name, name))
			return &ck->ids[i];
	return NULL;
}

/* Reports a check of a trace that still runs: the trace is incomplete. Its event can be read at any time. */
static void follow_trace(struct check *ck, const struct use *u, struct id *id)
{
	static const char *const ends[] = {"trace-stop", "trace-disable", "trace-close", NULL};
	bool of_trace = !strncmp(u->x->name, "check-", 6) && strcmp(u->x->name, "check-trace-count");

	if (!strcmp(u->x->name, "trace-enable"))
		id->runs = true;
	else if (one_of(u->x->name, ends))
		id->runs = false;
	else if (id->runs && of_trace)
		complain(ck, u,
			 "<%s> %s: the trace '%s' still runs: expected a trace-stop or trace-close before this step",
			 u->x->name, u->a->name, PV_SHOW(id->name));
}

static void refer_to(struct check *ck, const struct use *u, const char *word)
{
	const struct candidates candidates = {ck, u->space};
	struct id *id = find_id(ck, u->space, word);

	if (!id)
		complain(ck, u, "<%s> %s: no step before this one gives the id '%s'%s", u->x->name, u->a->name,
			 PV_SHOW(word), pv_did_you_mean(word, candidate_id, &candidates).s);
	else if (u->space == TRACE)
		follow_trace(ck, u, id);
}

static void refer(struct check *ck, const struct use *u)
{
	each_word(ck, u, refer_to);
}

/* ---- devices ---- */

/* A step that expects an error may name a missing BDF on purpose. */
static bool may_be_absent(const struct use *u)
{
	const char *expect = pv_xml_get(u->x, "expect");
	uint32_t bdf;

	return expect && strcmp(expect, "0") && !pv_bdf_parse(u->value, &bdf);
}

static void check_device(struct check *ck, const struct use *u)
{
	const struct pv_plan_topology *t = ck->c->topology;

	if (!t || pv_topology_node(&t->machine, u->value) || may_be_absent(u))
		return;
	complain(ck, u, "<%s> %s: there is no device '%s' in the topology%s", u->x->name, u->a->name, PV_SHOW(u->value),
		 pv_did_you_mean(u->value, pv_topology_candidate, t).s);
}

static void check_port(struct check *ck, const struct use *u)
{
	const struct pv_plan_topology *t = ck->c->topology;
	const struct pv_topo_node *n = t ? pv_topology_node(&t->machine, u->value) : NULL;

	if (!t || (n && pv_topo_node_heads_link(n)) || (!n && may_be_absent(u)))
		return;
	complain(ck, u, "<%s> %s: expected a Root Port or Downstream Port of the topology, got '%s'%s%s", u->x->name,
		 u->a->name, PV_SHOW(u->value), n ? ", which is of kind " : "",
		 n ? pv_topo_node_kind(n) : pv_did_you_mean(u->value, pv_topology_port_candidate, t).s);
}

static void check_pmu(struct check *ck, const struct use *u, const char *word)
{
	const char *const *pmus = ck->c->topology->pmus;

	if (!one_of(word, pmus))
		complain(ck, u, "<%s> %s: expected a PMU that this topology may have, got '%s'%s", u->x->name,
			 u->a->name, PV_SHOW(word), pv_did_you_mean(word, pv_candidate_of_array, pmus).s);
}

/* A step that expects an error may name a missing PMU on purpose. */
static void check_pmus(struct check *ck, const struct use *u)
{
	const char *expect = pv_xml_get(u->x, "expect");

	if (ck->c->topology && !(expect && strcmp(expect, "0")))
		each_word(ck, u, check_pmu);
}

static bool is_root_port(const struct pv_topo_node *n)
{
	return n->conf.kind == PV_NODE_ROOT_PORT;
}

/* Returns the PTT whose PMU the step names. NULL: it names none of the topology. */
static const struct pv_topo_node *ptt_of(const struct check *ck, const struct use *u)
{
	const char *pmu = pv_xml_get(u->x, "pmu");

	return pmu ? pv_topology_ptt(&ck->c->topology->machine, pmu) : NULL;
}

/* A PTT traces its Root Ports, and all functions below them. Without a PTT, every function will do. */
static bool is_traced(const struct pv_topology *m, const struct pv_topo_node *ptt, const struct pv_topo_node *n)
{
	while (n->parent >= 0)
		n = &m->nodes[n->parent];
	return !ptt || (n->bdf >= ptt->range_lower && n->bdf <= ptt->range_upper);
}

static void check_filter_name(struct check *ck, const struct use *u, const char *word)
{
	const struct pv_plan_topology *t = ck->c->topology;
	const struct pv_topo_node *n = pv_topology_node(&t->machine, word);

	if (!n)
		complain(ck, u, "<%s> %s: there is no device '%s' in the topology%s", u->x->name, u->a->name,
			 PV_SHOW(word), pv_did_you_mean(word, pv_topology_candidate, t).s);
	else if (!is_root_port(n) && strchr(u->value, ' '))
		complain(ck, u,
			 "<%s> %s: expected Root Ports or one other function, got '%s', which is of kind %s, beside "
			 "others",
			 u->x->name, u->a->name, PV_SHOW(word), pv_topo_node_kind(n));
	else if (!is_traced(&t->machine, ptt_of(ck, u), n))
		complain(ck, u, "<%s> %s: expected a function that %s traces, got '%s'", u->x->name, u->a->name,
			 PV_SHOW(pv_xml_get(u->x, "pmu")), PV_SHOW(word));
}

/* Reports a filter value that matches no function: the driver refuses it, or the trace is empty. */
static void check_filter_value(struct check *ck, const struct use *u, uint64_t value)
{
	const struct pv_topology *m = &ck->c->topology->machine;
	const struct pv_topo_node *ptt = ptt_of(ck, u);
	const char *of = ptt ? pv_xml_get(u->x, "pmu") : "the topology";
	bool port = value & PTT_FILTER_IS_PORT;
	uint64_t unknown = port ? value & PTT_FILTER_VALUE_MASK : 1;

	for (unsigned i = 0; i < m->n; i++) {
		const struct pv_topo_node *n = &m->nodes[i];

		if (!is_traced(m, ptt, n))
			continue;
		if (port && is_root_port(n))
			unknown &= ~(uint64_t)PTT_FILTER_PORT_BIT(n->bdf);
		else if (!port && PCI_RID(n->bdf) == value)
			unknown = 0;
	}
	if (unknown && port)
		complain(ck, u, "<%s> %s: no Root Port of %s has the bits 0x%" PRIx64 " of '%s'", u->x->name,
			 u->a->name, of, unknown, PV_SHOW(u->value));
	else if (unknown)
		complain(ck, u, "<%s> %s: no function of %s is at %02x:%02x.%x, which '%s' stands for", u->x->name,
			 u->a->name, of, PCI_BUS(value), PCI_SLOT(value), PCI_FUNC(value), PV_SHOW(u->value));
}

/* A step that expects an error may use a filter that matches no function. */
static void check_filter(struct check *ck, const struct use *u)
{
	const char *expect = pv_xml_get(u->x, "expect");

	if (!ck->c->topology || (expect && strcmp(expect, "0")))
		return;
	if (u->value[0] >= '0' && u->value[0] <= '9')
		check_filter_value(ck, u, strtoull(u->value, NULL, 0));
	else
		each_word(ck, u, check_filter_name);
}

static void check_from(struct check *ck, const struct use *u)
{
	static const char *const others[] = {"cpu", "dma", "remote", "device", NULL};

	if (!one_of(u->value, others))
		check_device(ck, u);
	else if (!strcmp(u->value, "device"))
		complain(ck, u, "<%s> %s: expected the name of the device that sends, got 'device'", u->x->name,
			 u->a->name);
}

static void check_to(struct check *ck, const struct use *u)
{
	if (strcmp(u->value, "memory"))
		check_device(ck, u);
}

static void check_requester(struct check *ck, const struct use *u)
{
	char *end;
	uint32_t bdf;

	errno = 0;
	unsigned long v = strtoul(u->value, &end, 0);
	if (!pv_bdf_parse(u->value, &bdf) || (!*end && !errno && v <= 0xffff))
		return; /* any Requester ID may be forged */
	check_device(ck, u);
}

/* ---- rules of use ---- */

static const char *candidate_rule(const void *ctx, size_t i)
{
	(void)ctx;
	for (const struct pv_statement *s = pv_statements; s->id; s++)
		if (pv_statement_is_rule(s) && !i--)
			return s->id;
	return NULL;
}

static void check_rule(struct check *ck, const struct use *u, const char *word)
{
	const struct pv_statement *s = pv_statement_find(word);

	if (!s || !pv_statement_is_rule(s))
		complain(ck, u, "<%s> %s: there is no rule of use '%s'%s", u->x->name, u->a->name, PV_SHOW(word),
			 pv_did_you_mean(word, candidate_rule, NULL).s);
}

static void check_rules(struct check *ck, const struct use *u)
{
	each_word(ck, u, check_rule);
}

/* Checks of attribute types, beyond the values that the types accept. */
static const struct meaning {
	void (*check)(struct check *ck, const struct use *u);
	unsigned space;
} meanings[PV_TYPES] = {
	[PV_TYPE_DEVICE_REF] = {check_device},
	[PV_TYPE_PORT_REF] = {check_port},
	[PV_TYPE_PMU_REF] = {check_pmus},
	[PV_TYPE_PMU_REFS] = {check_pmus},
	[PV_TYPE_PTT_FILTER] = {check_filter},
	[PV_TYPE_FROM_REF] = {check_from},
	[PV_TYPE_TO_REF] = {check_to},
	[PV_TYPE_REQUESTER_REF] = {check_requester},
	[PV_TYPE_RULE_REFS] = {check_rules},
	[PV_TYPE_TRACE_ID] = {declare, TRACE},
	[PV_TYPE_COUNTER_ID] = {declare, COUNTER},
	[PV_TYPE_TRAFFIC_ID] = {declare, TRAFFIC},
	[PV_TYPE_MARK_ID] = {declare, MARK},
	[PV_TYPE_MEASURE_ID] = {declare, MEASURE},
	[PV_TYPE_PERF_ID] = {declare, PERF},
	[PV_TYPE_TRACE_REF] = {refer, TRACE},
	[PV_TYPE_COUNTER_REF] = {refer, COUNTER},
	[PV_TYPE_COUNTER_REFS] = {refer, COUNTER},
	[PV_TYPE_TRAFFIC_REF] = {refer, TRAFFIC},
	[PV_TYPE_MARK_REF] = {refer, MARK},
	[PV_TYPE_MEASURE_REF] = {refer, MEASURE},
	[PV_TYPE_PERF_REF] = {refer, PERF},
	[PV_TYPE_VALUE_REFS] = {refer, COUNTER | MEASURE},
};

/* ---- bounds ---- */

static bool is_bound(const struct use *u, const char *which)
{
	return !strcmp(u->a->name, which) || (!strncmp(u->a->name, which, 3) && !strcmp(u->a->name + 3, "-share"));
}

static void note_bound(struct check *ck, const struct use *u)
{
	if (is_bound(u, "min"))
		ck->min = *u;
	else if (is_bound(u, "max"))
		ck->max = *u;
}

/* Counts and shares are at least 0, and no share is more than 1. */
static bool admit_all(const struct pv_xml *x, const struct use *min, const struct use *max)
{
	if (!min->value || !pv_schema_attr(x->decl, "max") || strtold(min->value, NULL) != 0)
		return false;
	return min->a->decl->type == &pv_types[PV_TYPE_NUMBER] ? !max->value
							       : min->a->decl->type == &pv_types[PV_TYPE_FRACTION] &&
									 max->value && strtold(max->value, NULL) == 1;
}

/* Reports a minimum above the maximum, which nothing meets, and bounds that everything meets. */
static void check_bounds(struct check *ck, const struct pv_xml *x)
{
	const struct use *min = &ck->min, *max = &ck->max;

	if (admit_all(x, min, max))
		complain(ck, min, "<%s> %s: expected more than 0 without a smaller max: each value is in these bounds",
			 x->name, min->a->name);
	if (min->value && max->value && strtold(min->value, NULL) > strtold(max->value, NULL))
		complain(ck, min, "<%s> %s: expected at most %s (%s), got '%s'", x->name, min->a->name, max->a->name,
			 PV_SHOW(max->value), PV_SHOW(min->value));
}

static void check_attribute(struct check *ck, const struct pv_xml *x, const struct pv_xml_attr *a)
{
	struct use u = {.x = x, .a = a};

	if (!a->decl ||
	    !pv_substitute(&ck->c->scope, a->value, x, a->name, &ck->c->owner->arena, ck->l->problems, &u.value))
		return;
	if (u.value != a->value && !pv_xml_check_value(x, a->decl, u.value, ck->c->pub.name, ck->l->problems))
		return;
	note_bound(ck, &u);
	const struct meaning *m = &meanings[a->decl->type - pv_types];
	if (!m->check)
		return;
	u.space = m->space;
	m->check(ck, &u);
}

/* A boot ends all traces that run. */
static void end_traces(struct check *ck)
{
	for (size_t i = 0; i < ck->n_ids; i++)
		ck->ids[i].runs = false;
}

void pv_case_check(struct pv_loading *l, struct pv_case_impl *c)
{
	struct check ck = {.l = l, .c = c};

	for (unsigned s = 0; s < c->template->n_steps; s++) {
		const struct pv_xml *x = c->template->steps[s];

		if (!strcmp(x->name, "boot"))
			end_traces(&ck);
		ck.min = ck.max = (struct use){0};
		for (unsigned i = 0; i < x->n_attrs; i++)
			check_attribute(&ck, x, &x->attrs[i]);
		check_bounds(&ck, x);
	}
	free(ck.ids);
}

bool pv_step_proves(const char *kind, const char *(*get)(const void *step, const char *attr), const void *step)
{
	static const char *const expectations[] = {"expect", "equals", "matches", "has", "lacks", "says"};
	bool proves = !strncmp(kind, "check-", 6);

	for (size_t i = 0; i < ARRAY_SIZE(expectations) && !proves; i++)
		proves = get(step, expectations[i]);
	return proves;
}

static const char *get(const void *step, const char *attr)
{
	return pv_xml_get(step, attr);
}

/* Steps for a single driver prove nothing about the other drivers, so they do not count. */
bool pv_steps_prove(const struct pv_template *t)
{
	for (unsigned s = 0; s < t->n_steps; s++)
		if (!pv_step_driver(t->steps[s]) && pv_step_proves(t->steps[s]->name, get, t->steps[s]))
			return true;
	return false;
}
