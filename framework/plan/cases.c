/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes cases from a <case>: parameters, the combinations of its matrix, settings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/law/law.h"
#include "framework/plan/plan_internal.h"

#define TOPOLOGIES_TRIED 16 /* for each case: the newest of its plan */

static int memory(struct pv_reading *r)
{
	return pv_problem_memory(r->p);
}

void pv_param_remember(struct pv_reading *r, struct pv_param *param)
{
	if (r->n_params == r->room) {
		size_t room = r->room ? r->room * 2 : 32;
		struct pv_param **more = realloc(r->params, room * sizeof(*more));

		if (!more) {
			memory(r);
			return;
		}
		r->params = more;
		r->room = room;
	}
	r->params[r->n_params++] = param;
}

/* ---- optional parts ---- */

struct pv_xml *pv_only(struct pv_reading *r, const struct pv_xml *x, const char *name)
{
	struct pv_xml *first = pv_xml_child(x, name), *again = first ? pv_xml_sibling(first, name) : NULL;

	if (again)
		pv_problem(r->p, again->file, again->line, NULL, "<%s>: expected only one, and there is one on line %d",
			   name, first->line);
	return first;
}

void pv_params_read(struct pv_reading *r, const struct pv_xml *x, struct pv_template *t)
{
	pv_xml_foreach_named (c, x, "param") {
		struct pv_param *param = pv_arena_alloc(&r->plan->arena, sizeof(*param));
		struct pv_scope before = {t->fixed, t->n_fixed, NULL};
		const char *value;

		if (!param) {
			memory(r);
			return;
		}
		*param = (struct pv_param){.name = pv_xml_get(c, "name"), .at = c};
		pv_xml_foreach_named (o, x, "param")
			if (o->line < c->line && !strcmp(pv_xml_get(o, "name"), param->name))
				pv_problem(r->p, c->file, c->line, NULL, "<param>: '%s' is already defined on line %d",
					   PV_SHOW(param->name), o->line);
		if (!strcmp(param->name, "seed") || !strcmp(param->name, "case"))
			pv_problem(r->p, c->file, c->line, NULL, "<param>: ${%s} is built in, choose another name",
				   param->name);
		if (!pv_substitute(&before, pv_xml_get(c, "value"), c, "value", &r->plan->arena, r->p, &value))
			continue;
		t->fixed[t->n_fixed++] = (struct pv_binding){param, param->name, value};
		pv_param_remember(r, param);
	}
}

/* ---- matrices ---- */

/* Appends the case's matrix to a copy of the plan's. The columns stay shared, so that their use is noted once. */
static void matrix_of(struct pv_reading *r, const struct pv_xml *x, const struct pv_scope *fixed, struct pv_matrix *m)
{
	struct pv_plan_axis **end = &m->axes;

	for (const struct pv_plan_axis *a = r->matrix.axes; a; a = a->next) {
		struct pv_plan_axis *copy = pv_arena_alloc(&r->plan->arena, sizeof(*copy));

		if (!copy) {
			memory(r);
			return;
		}
		*copy = *a;
		*end = copy;
		end = &copy->next;
	}
	m->n_columns = r->matrix.n_columns;
	m->excludes = r->matrix.excludes;
	const struct pv_xml *own = pv_only(r, x, "matrix");
	if (!own)
		return;
	struct pv_plan_axis *plans = m->axes;
	pv_matrix_read(m, own, fixed, &r->plan->arena, r->p);
	for (struct pv_plan_axis *a = m->axes; a; a = a->next) {
		bool shared = false;

		for (struct pv_plan_axis *b = r->matrix.axes; b && plans; b = b->next)
			shared |= b->columns == a->columns;
		for (unsigned i = 0; i < a->n_columns && !shared; i++)
			pv_param_remember(r, &a->columns[i]);
	}
}

/* ---- cases ---- */

static bool add_case(struct pv_reading *r, struct pv_case_impl *c)
{
	struct pv_plans *out = r->l->out;

	if (out->n_cases == r->l->room) {
		size_t room = r->l->room ? r->l->room * 2 : 64;
		struct pv_case **more = realloc(out->cases, room * sizeof(*more));

		if (!more)
			return memory(r) == 0;
		out->cases = more;
		r->l->room = room;
	}
	out->cases[out->n_cases++] = &c->pub;
	return true;
}

/* Sets the bindings of a case: built-in ones, then fixed ones, then those of the matrix. */
static bool bind(struct pv_reading *r, struct pv_case_impl *c, const struct pv_binding *combination)
{
	const struct pv_template *t = c->template;
	char *seed = pv_arena_printf(&r->plan->arena, "%ju", (uintmax_t)c->pub.seed);
	struct pv_binding *b = pv_arena_array(&r->plan->arena, 2 + t->n_fixed + t->matrix.n_columns, sizeof(*b));

	if (!seed || !b)
		return false;
	b[0] = (struct pv_binding){NULL, "seed", seed};
	b[1] = (struct pv_binding){NULL, "case", c->pub.name};
	if (t->n_fixed)
		memcpy(b + 2, t->fixed, t->n_fixed * sizeof(*b));
	if (t->matrix.n_columns)
		memcpy(b + 2 + t->n_fixed, combination, t->matrix.n_columns * sizeof(*b));
	c->scope = (struct pv_scope){b, 2 + t->n_fixed + t->matrix.n_columns, c->pub.name};
	return true;
}

static const char *setting(const struct pv_xml *x, const char *name)
{
	const char *v = pv_xml_get(x, name);

	return v ? v : pv_schema_attr(x->decl, name)->value;
}

static uint64_t number(const char *s)
{
	return strtoull(s, NULL, !strncmp(s, "0x", 2) ? 16 : 10);
}

/* Builds the topology of a case, unless a case shortly before it has the same. */
static struct pv_plan_topology *topology_of(struct pv_reading *r, const struct pv_case_impl *c)
{
	const struct pv_template *t = c->template;
	const struct pv_topology_env env = {r->p, &r->plan->arena, &r->files};
	struct pv_plan_topology *o = r->plan->topologies;

	if (!t->topology || t->topology->bad)
		return NULL;
	for (unsigned i = 0; i < TOPOLOGIES_TRIED && o; i++, o = o->next)
		if (pv_topology_is_same(o, t->topology, &c->scope))
			return o;
	struct pv_plan_topology *new = pv_topology_build(&env, t->topology, &c->scope);
	if (!new) {
		r->whole = false;
		return NULL;
	}
	new->next = r->plan->topologies;
	r->plan->topologies = new;
	return new;
}

static bool name_case(struct pv_reading *r, struct pv_case_impl *c, const struct pv_template *t, uint64_t k)
{
	int err = pv_case_set_names(t, k, &r->plan->arena, &c->pub);

	if (err == -E2BIG)
		pv_problem(r->p, t->x->file, t->x->line, NULL,
			   "<case> '%s': a case has more than %u names, present and former", c->pub.base,
			   PV_FORMER_MAX);
	else if (err)
		memory(r);
	r->whole &= !err;
	return !err;
}

static bool make_case(struct pv_reading *r, const struct pv_template *t, uint64_t k,
		      const struct pv_binding *combination)
{
	struct pv_case_impl *c = pv_arena_alloc(&r->plan->arena, sizeof(*c));
	const char *seed = r->l->opt ? r->l->opt->seed : NULL;

	if (!c)
		return memory(r) == 0;
	c->pub = (struct pv_case){
		.plan = r->plan,
		.plan_name = r->plan->name,
		.file = r->plan->file,
		.line = t->x->line,
		.base = pv_xml_get(t->x, "name"),
		.verifies = t->verifies,
		.tags = t->tags,
		.targets = t->targets,
		.timeout_s = (unsigned)number(setting(t->x, "timeout")),
		.seed = number(seed ? seed : setting(t->x, "seed")),
		.steps = t->n_steps,
		.skip = pv_xml_get(t->x, "skip"),
	};
	c->owner = r->plan;
	c->template = t;
	if (!name_case(r, c, t, k))
		return false;
	if (!bind(r, c, combination))
		return memory(r) == 0;
	c->topology = topology_of(r, c);
	pv_case_check(r->l, c);
	return add_case(r, c);
}

static bool within_limits(struct pv_reading *r, const struct pv_template *t)
{
	uint64_t n = pv_matrix_count(&t->matrix),
		 limit = r->l->opt && r->l->opt->max_cases ? r->l->opt->max_cases : PV_PLAN_MAX_CASES;

	if (n > limit || r->l->total_cases + n > limit) {
		pv_problem(
			r->p, t->x->file, t->x->line, NULL,
			"<case> '%s' makes %ju combinations, and that is more than the %ju cases that a plan may have",
			pv_xml_get(t->x, "name"), (uintmax_t)n, (uintmax_t)limit);
		return false;
	}
	r->l->total_cases += n;
	r->l->total_steps += n * t->n_steps; /* both factors are small */
	if (r->l->total_steps > PV_PLAN_MAX_STEPS) {
		pv_problem(r->p, t->x->file, t->x->line, NULL,
			   "<case> '%s': the plan now has %zu steps, expected at most %u", pv_xml_get(t->x, "name"),
			   r->l->total_steps, PV_PLAN_MAX_STEPS);
		return false;
	}
	return true;
}

static void expand(struct pv_reading *r, struct pv_template *t)
{
	uint64_t n = pv_matrix_count(&t->matrix), made = 0;
	struct pv_binding *b = calloc(t->matrix.n_columns + 1, sizeof(*b));

	if (!b) {
		memory(r);
		return;
	}
	for (uint64_t k = 0; k < n && !r->p->no_memory; k++) {
		if (!pv_matrix_combination(&t->matrix, k, b))
			continue;
		made++;
		if (!make_case(r, t, k, b))
			break;
	}
	free(b);
	r->whole &= made > 0;
	if (!made && !r->p->no_memory)
		pv_problem(r->p, t->x->file, t->x->line, NULL, "<case> '%s': all combinations are excluded",
			   pv_xml_get(t->x, "name"));
	for (const struct pv_plan_exclude *e = t->matrix.excludes; e && e != r->matrix.excludes; e = e->next)
		if (!e->used)
			pv_problem(r->p, e->at->file, e->at->line, NULL,
				   "<exclude> leaves nothing out: no combination has %s",
				   PV_SHOW(pv_xml_get(e->at, "when")));
}

static const char *candidate_requirement(const void *ctx, size_t i)
{
	return pv_requirements[i].id;
}

static void check_requirements(struct pv_reading *r, const struct pv_template *t)
{
	for (const char *const *v = t->verifies; *v; v++) {
		if (!pv_requirement_find(*v))
			pv_problem(r->p, t->x->file, t->x->line, NULL,
				   "<case> verifies: there is no requirement '%s'%s", PV_SHOW(*v),
				   pv_did_you_mean(*v, candidate_requirement, NULL).s);
	}
}

static void check_timeout(struct pv_reading *r, const struct pv_xml *x)
{
	uint64_t s = number(setting(x, "timeout"));

	if (s < 1 || s > 86400)
		pv_problem(r->p, x->file, x->line, NULL, "<case> timeout: expected 1 to 86400 seconds, got '%s'",
			   setting(x, "timeout"));
}

static bool needs_topology(const struct pv_template *t)
{
	for (const char *const *w = t->targets; *w; w++)
		if (!strcmp(*w, "model") || !strcmp(*w, "qemu"))
			return true;
	return false;
}

/* Reports a case that checks nothing, or that has no machine to run on. */
static void check_case(struct pv_reading *r, const struct pv_template *t)
{
	const struct pv_xml *x = t->x;

	if (!pv_steps_prove(t))
		pv_problem(r->p, x->file, x->line, NULL,
			   "<case> '%s' proves nothing: expected a check-* step, or an expect, equals, has, lacks, "
			   "matches or says",
			   pv_xml_get(x, "name"));
	if (!t->topology && needs_topology(t))
		pv_problem(r->p, x->file, x->line, NULL,
			   "<case> '%s' runs on %s and needs a <topology>, its own or the plan's",
			   pv_xml_get(x, "name"), setting(x, "targets"));
}

void pv_case_read(struct pv_reading *r, struct pv_xml *x)
{
	struct pv_arena *a = &r->plan->arena;
	unsigned problems = r->p->count;
	struct pv_template *t = pv_arena_alloc(a, sizeof(*t));

	if (!t || !(t->fixed = pv_arena_array(a, r->n_fixed + pv_xml_count(x, "param") + 1, sizeof(*t->fixed)))) {
		memory(r);
		return;
	}
	t->x = x;
	t->topology = pv_only(r, x, "topology");
	t->topology = t->topology ? t->topology : pv_xml_child(r->root, "topology");
	t->verifies = pv_words(a, pv_xml_get(x, "verifies"));
	t->tags = pv_words(a, pv_xml_get(x, "tags"));
	t->targets = pv_words(a, setting(x, "targets"));
	t->formerly = pv_words(a, pv_xml_get(x, "formerly"));
	if (!t->verifies || !t->tags || !t->targets || !t->formerly) {
		memory(r);
		return;
	}
	check_requirements(r, t);
	check_timeout(r, x);
	memcpy(t->fixed, r->fixed, r->n_fixed * sizeof(*t->fixed));
	t->n_fixed = r->n_fixed;
	pv_params_read(r, x, t);
	matrix_of(r, x, &(struct pv_scope){t->fixed, t->n_fixed, NULL}, &t->matrix);
	pv_only(r, x, "description");
	if (r->p->count != problems) { /* these problems would only cause further ones */
		r->whole = false;
		return;
	}
	if (!pv_steps_flatten(r->l, r->plan, r->root, t)) {
		r->whole = false;
		return;
	}
	check_case(r, t);
	if (within_limits(r, t))
		expand(r, t);
	else
		r->whole = false;
}
