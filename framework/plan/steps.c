/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces <use> in the steps of a case by the steps of the sequence. */
#include <string.h>

#include "framework/plan/plan_internal.h"

struct flatten {
	struct pv_loading *l;
	struct pv_plan *plan;
	const struct pv_xml *root; /* <plan>, which contains the sequences */
	struct pv_template *t;
	size_t room;
	unsigned uses;
	bool full; /* too many steps or uses: the rest is ignored */
	const struct pv_xml *stack[PV_USE_MAX_DEPTH];
};

static const char *candidate_sequence(const void *root, size_t i)
{
	pv_xml_foreach_named (s, (const struct pv_xml *)root, "steps")
		if (!i--)
			return pv_xml_get(s, "name");
	return NULL;
}

static const struct pv_xml *sequence(const struct flatten *f, const char *name)
{
	pv_xml_foreach_named (s, f->root, "steps") {
		const char *have = pv_xml_get(s, "name");

		if (have && !strcmp(have, name))
			return s;
	}
	return NULL;
}

static bool too_many(struct flatten *f, const char *what)
{
	pv_problem(f->l->problems, f->t->x->file, f->t->x->line, NULL, "<case> '%s' has more than %u %s",
		   pv_xml_get(f->t->x, "name"), PV_CASE_MAX_STEPS, what);
	f->full = true;
	return false;
}

static bool add_step(struct flatten *f, const struct pv_xml *x)
{
	if (f->t->n_steps == PV_CASE_MAX_STEPS)
		return too_many(f, "steps");
	if (f->t->n_steps == f->room) {
		size_t room = f->room ? f->room * 2 : 32;
		const struct pv_xml **more = pv_arena_array(&f->plan->arena, room, sizeof(*more));

		if (!more) {
			pv_problem_memory(f->l->problems);
			return false;
		}
		if (f->t->n_steps)
			memcpy(more, f->t->steps, f->t->n_steps * sizeof(*more));
		f->t->steps = more;
		f->room = room;
	}
	f->t->steps[f->t->n_steps++] = x;
	return true;
}

/*
 * PV_USE_MAX_DEPTH limits the depth, PV_CASE_MAX_STEPS the number of steps and of uses. Without the latter, sequences
 * of nothing but uses could take forever.
 */
static bool add_steps_of(struct flatten *f, const struct pv_xml *x, unsigned depth);

static bool add_use(struct flatten *f, const struct pv_xml *use, unsigned depth)
{
	const char *name = pv_xml_get(use, "steps");
	const struct pv_xml *s = sequence(f, name);

	if (++f->uses > PV_CASE_MAX_STEPS)
		return too_many(f, "<use> in each other");
	if (!s) {
		pv_problem(f->l->problems, use->file, use->line, NULL, "<use>: there are no steps '%s'%s",
			   PV_SHOW(name), pv_did_you_mean(name, candidate_sequence, f->root).s);
		return false;
	}
	for (unsigned i = 0; i < depth; i++) {
		if (f->stack[i] == s) {
			pv_problem(f->l->problems, use->file, use->line, NULL,
				   "<use>: steps '%s' use themselves: a loop", PV_SHOW(name));
			return false;
		}
	}
	if (depth == PV_USE_MAX_DEPTH) {
		pv_problem(f->l->problems, use->file, use->line, NULL, "<use>: steps use steps more than %u deep",
			   PV_USE_MAX_DEPTH);
		return false;
	}
	if (s->bad)
		return false; /* already reported */
	f->stack[depth] = s;
	return add_steps_of(f, s, depth + 1);
}

static bool add_steps_of(struct flatten *f, const struct pv_xml *x, unsigned depth)
{
	bool good = true;

	pv_xml_foreach (c, x) {
		if (!strcmp(c->name, "use"))
			good &= add_use(f, c, depth);
		else if (!strcmp(c->name, "only"))
			good &= add_steps_of(f, c, depth);
		else if (c->decl && pv_element_is_step(c->decl))
			good &= add_step(f, c);
		if (f->full)
			return false;
	}
	return good;
}

const char *pv_step_driver(const struct pv_xml *step)
{
	return !strcmp(step->parent->name, "only") ? pv_xml_get(step->parent, "driver") : NULL;
}

bool pv_steps_flatten(struct pv_loading *l, struct pv_plan *plan, const struct pv_xml *root, struct pv_template *t)
{
	struct flatten f = {.l = l, .plan = plan, .root = root, .t = t};

	return add_steps_of(&f, t->x, 0);
}
