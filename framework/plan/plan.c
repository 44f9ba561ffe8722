/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads plan files: the settings of one plan, and lists of plans. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/plan/plan_internal.h"

static void report_unused(struct pv_reading *r)
{
	for (size_t i = 0; i < r->n_params && r->whole; i++)
		if (!r->params[i]->used)
			pv_problem(r->p, r->params[i]->at->file, r->params[i]->at->line, NULL,
				   "<%s>: nothing uses the parameter '%s'; write ${%s} in a step or the topology, or "
				   "remove it",
				   r->params[i]->at->name, r->params[i]->name, r->params[i]->name);
}

/* ---- one plan ---- */

static void read_shared(struct pv_reading *r)
{
	struct pv_template shared = {0};

	shared.fixed = pv_arena_array(&r->plan->arena, pv_xml_count(r->root, "param") + 1, sizeof(*shared.fixed));
	if (!shared.fixed) {
		pv_problem_memory(r->p);
		return;
	}
	pv_params_read(r, r->root, &shared);
	r->fixed = shared.fixed;
	r->n_fixed = shared.n_fixed;
	const struct pv_xml *matrix = pv_only(r, r->root, "matrix");
	if (matrix)
		pv_matrix_read(&r->matrix, matrix, &(struct pv_scope){r->fixed, r->n_fixed, NULL}, &r->plan->arena,
			       r->p);
	for (struct pv_plan_axis *a = r->matrix.axes; a; a = a->next)
		for (unsigned i = 0; i < a->n_columns; i++)
			pv_param_remember(r, &a->columns[i]);
}

static bool shared_part_bad(const struct pv_xml *root)
{
	pv_xml_foreach (c, root)
		if (c->bad && (!strcmp(c->name, "param") || !strcmp(c->name, "matrix")))
			return true;
	return false;
}

static void check_sequences(struct pv_reading *r)
{
	pv_xml_foreach_named (s, r->root, "steps") {
		bool used = false;

		pv_xml_foreach_named (o, r->root, "steps")
			if (o->line < s->line && !s->bad && !o->bad &&
			    !strcmp(pv_xml_get(o, "name"), pv_xml_get(s, "name")))
				pv_problem(r->p, s->file, s->line, NULL, "<steps>: '%s' is already defined on line %d",
					   pv_xml_get(s, "name"), o->line);
		for (struct pv_xml *c = r->root->first; c && !s->bad; c = c->next)
			pv_xml_foreach_named (u, c, "use")
				used |= pv_xml_get(u, "steps") &&
					!strcmp(pv_xml_get(u, "steps"), pv_xml_get(s, "name"));
		if (!used && !s->bad && r->whole)
			pv_problem(r->p, s->file, s->line, NULL, "<steps>: nothing uses '%s'; remove it",
				   pv_xml_get(s, "name"));
	}
}

static void read_cases(struct pv_reading *r)
{
	bool shared_bad = shared_part_bad(r->root);

	if (shared_bad)
		r->whole = false;
	else
		read_shared(r);
	pv_xml_foreach_named (x, r->root, "case") {
		if (x->bad || shared_bad)
			r->whole = false;
		else
			pv_case_read(r, x);
	}
	if (!pv_xml_child(r->root, "case"))
		pv_problem(r->p, r->root->file, r->root->line, NULL, "<plan> has no <case>, expected at least one");
}

static void read_plan(struct pv_loading *l, struct pv_plan *plan)
{
	struct pv_reading r = {.l = l, .plan = plan, .p = l->problems, .whole = true};
	size_t first = l->out->n_cases;

	l->total_cases = l->total_steps = 0;
	r.root = pv_xml_read(plan->file, &plan->arena, l->problems);
	if (!r.root)
		return;
	pv_xml_check(r.root, &pv_plan_schema, "plan", l->problems);
	if (!r.root->decl)
		return;
	const struct pv_xml *text = pv_only(&r, r.root, "description");
	const char *name = pv_xml_get(r.root, "name");
	plan->name = name ? name : "";
	plan->text = text ? text->text : "";
	pv_only(&r, r.root, "topology");
	read_cases(&r);
	check_sequences(&r);
	report_unused(&r);
	if (l->out->n_cases > first)
		pv_cases_check_names(l->out->cases + first, l->out->n_cases - first, l->problems);
	free(r.params);
}

/* ---- several plans ---- */

static bool add_plan(struct pv_loading *l, const char *path)
{
	struct pv_plan *plan = calloc(1, sizeof(*plan));
	struct stat st;

	if (!plan || !(plan->file = pv_arena_strdup(&plan->arena, path))) {
		free(plan);
		return pv_problem_memory(l->problems) == 0;
	}
	plan->name = plan->text = "";
	if (!stat(path, &st)) {
		plan->device = st.st_dev;
		plan->inode = st.st_ino;
	}
	l->out->plans[l->out->n_plans++] = plan;
	read_plan(l, plan);
	return !l->problems->no_memory;
}

static bool same_file(const struct pv_plan *a, const struct pv_plan *b)
{
	return !strcmp(a->file, b->file) || (a->inode && a->device == b->device && a->inode == b->inode);
}

static void check_plans(struct pv_loading *l)
{
	for (size_t i = 0; i < l->out->n_plans; i++) {
		const struct pv_plan *p = l->out->plans[i];

		for (size_t k = 0; k < i; k++) {
			const struct pv_plan *o = l->out->plans[k];

			if (same_file(o, p))
				pv_problem(l->problems, p->file, 0, NULL, "is given twice, as %s too", o->file);
			else if (p->name[0] && !strcmp(o->name, p->name))
				pv_problem(l->problems, p->file, 0, NULL, "the plan's name '%s' is that of %s already",
					   p->name, o->file);
			else
				continue;
			break;
		}
	}
}

static bool check_options(struct pv_loading *l)
{
	const char *seed = l->opt ? l->opt->seed : NULL;

	if (!seed || pv_type_accepts(&pv_types[PV_TYPE_LITERAL_NUMBER], seed))
		return true;
	pv_problem(l->problems, NULL, 0, NULL,
		   "the seed: expected a number of 64 bits, decimal or hexadecimal after 0x, got '%s'", PV_SHOW(seed));
	return false;
}

static void load(struct pv_loading *l, const char *const *paths, size_t n)
{
	l->out->plans = calloc(n + 1, sizeof(*l->out->plans));
	if (!l->out->plans) {
		pv_problem_memory(l->problems);
		return;
	}
	if (!n)
		pv_problem(l->problems, NULL, 0, NULL, "there are no plans, expected files such as scenarios/*.xml");
	if (!check_options(l))
		return;
	for (size_t i = 0; i < n; i++)
		if (!add_plan(l, paths[i]))
			return;
	check_plans(l);
}

int pv_plans_load(const char *const *paths, size_t n, const struct pv_plan_options *opt,
		  void (*report)(void *ctx, const struct pv_error *e), void *ctx, struct pv_plans **out)
{
	struct pv_problems problems = {.report = report, .ctx = ctx};
	struct pv_loading l = {.problems = &problems, .opt = opt};

	*out = NULL;
	l.out = calloc(1, sizeof(*l.out));
	if (!l.out)
		return -ENOMEM;
	load(&l, paths, n);
	if (!problems.count && !problems.no_memory) {
		*out = l.out;
		return 0;
	}
	pv_plans_free(l.out);
	return problems.no_memory ? -ENOMEM : -EINVAL;
}

static void put_topologies(struct pv_plan_topology *t)
{
	for (; t; t = t->next)
		json_object_put(t->json);
}

void pv_plans_free(struct pv_plans *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_cases; i++)
		json_object_put(((struct pv_case_impl *)p->cases[i])->json);
	for (size_t i = 0; i < p->n_plans; i++) {
		struct pv_plan *plan = p->plans[i];

		put_topologies(plan->topologies);
		pv_arena_free(&plan->arena);
		free(plan);
	}
	free(p->plans);
	free(p->cases);
	free(p);
}

const char *pv_plan_text(const struct pv_plan *p)
{
	return p->text;
}
