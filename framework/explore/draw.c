/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws a case while it runs: the models and the reference driver rehearse it, and each step is chosen from the
 * functions, counters and traces that exist by then.
 */
#include <errno.h>
#include <string.h>

#include "framework/explore/explore_internal.h"
#include "framework/explore/machine.h"

enum { DRAWS_MAX = 64 };

const char *const pv_explore_subjects[] = {"ptt", "cpmu", "dwc", "mps", "abi", "registers", "all", NULL};

unsigned pv_explore_subject_by_name(const char *name)
{
	for (unsigned i = 0; i < PV_EXPLORE_SUBJECTS; i++)
		if (!strcmp(pv_explore_subjects[i], name))
			return 1u << i;
	return strcmp(name, "all") ? 0 : (1u << PV_EXPLORE_SUBJECTS) - 1;
}

/* ---- the next step ---- */

static const struct pv_action *const groups[] = {pv_actions_counter, pv_actions_trace, pv_actions_traffic,
						 pv_actions_machine, pv_actions_sizes, pv_actions_registers,
						 pv_actions_abi};

static unsigned weight_of(const struct pv_drawing *g, const struct pv_action *a)
{
	return a->subjects & g->subjects ? a->weight : 0;
}

static const struct pv_action *draw_action(struct pv_drawing *g)
{
	unsigned sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (const struct pv_action *a = groups[i]; a->draw; a++)
			sum += weight_of(g, a);
	unsigned at = pv_draw_below(&g->d, sum);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (const struct pv_action *a = groups[i]; a->draw; a++) {
			if (at < weight_of(g, a))
				return a;
			at -= weight_of(g, a);
		}
	return NULL;
}

static void draw_step(struct pv_drawing *g)
{
	size_t n = json_object_array_length(g->steps);

	for (unsigned i = 0; i < DRAWS_MAX && json_object_array_length(g->steps) == n; i++) {
		const struct pv_action *a = draw_action(g);

		if (a)
			a->draw(g);
	}
}

static void next(void *ctx, struct pv_session *s, json_object *steps)
{
	struct pv_drawing *g = ctx;

	g->s = s;
	g->steps = steps;
	if (steal(&g->moved))
		pv_draw_note_gone(g);
	if (!json_object_array_length(steps) && !(pv_drawing_of(g, PV_EXPLORE_REGISTERS) && pv_draw_chance(&g->d, 30)))
		pv_draw_step(g, "boot"); /* otherwise registers have their reset values */
	else if (json_object_array_length(steps) < g->wanted && g->draws++ < 4 * g->wanted)
		draw_step(g);
	else
		pv_draw_end(g);
	if (g->noted)
		g->noted(g->c);
}

/* ---- the case ---- */

/* A case about few subjects goes deeper than one about all. */
static unsigned draw_subjects(struct pv_draw *d, unsigned of, bool model)
{
	unsigned chosen = 0, others = of & ~(1u << PV_EXPLORE_REGISTERS);

	if (!model)
		of = others ? others : of;
	if (!(of & (of - 1)))
		return of;
	if (of & 1u << PV_EXPLORE_REGISTERS && pv_draw_chance(d, 20))
		return 1u << PV_EXPLORE_REGISTERS;
	for (unsigned n = pv_draw_range(d, 1, 2); !chosen || n; n -= n > 0)
		chosen |= others & 1u << pv_draw_below(d, PV_EXPLORE_SUBJECTS);
	return chosen;
}

static json_object *new_case(struct pv_drawing *g, uint64_t index)
{
	json_object *c = json_object_new_object();
	char name[32];

	snprintf(name, sizeof(name), "case-%llu", (unsigned long long)index);
	pv_json_string(c, "name", name);
	pv_json_uint(c, "seed", 1 + pv_draw_below(&g->d, 1000000));
	pv_json_add(c, "topology", pv_draw_topology(&g->d, g->subjects, g->model));
	pv_json_add(c, "steps", json_object_new_array());
	return c;
}

json_object *pv_explore_draw(const struct pv_explore_wish *w, uint64_t index, struct pv_explore_verdict *v,
			     struct pv_error *e)
{
	struct pv_drawing g = {.wanted = w->steps, .model = w->model, .noted = w->noted};

	pv_draw_seed(&g.d, w->seed, index);
	g.subjects = draw_subjects(&g.d, w->subjects, w->model);
	g.theme = (enum pv_theme)pv_draw_below(&g.d, PV_THEMES);
	json_object *c = g.c = new_case(&g, index);
	const struct pv_rehearsal r = {.next = next, .learn = true, .ctx = &g};
	int err = pv_explore_rehearse(c, NULL, &r, v, e);
	return err ? pv_json_put(c) : c;
}

int pv_explore_try(json_object *c, const char *const *defects, bool learn, struct pv_explore_verdict *v,
		   struct pv_error *e)
{
	const struct pv_rehearsal r = {.learn = learn};

	return pv_explore_rehearse(c, defects, &r, v, e);
}
