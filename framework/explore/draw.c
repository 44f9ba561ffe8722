/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws a case while it runs: the models and the reference driver rehearse it, and each step is chosen from the
 * functions, counters and traces that exist by then.
 */
#include <errno.h>
#include <string.h>

#include "framework/explore/explore_internal.h"
#include "framework/explore/machine.h"
#include "framework/explore/vary.h"

/*
 * VARIATIONS: cases of a hundred that are made of others, once there are some. SHARING: cases in a row that share a
 * machine under a kernel. NEEDS: steps of a hundred that are what the case needs next.
 */
enum { DRAWS_MAX = 64, VARIATIONS = 50, SHARING = 10, NEEDS = 50 };

const char *const pv_explore_subjects[] = {"ptt", "cpmu", "dwc", "mps", "abi", "registers", "all", NULL};

unsigned pv_explore_subject_by_name(const char *name)
{
	for (unsigned i = 0; i < PV_EXPLORE_SUBJECTS; i++)
		if (!strcmp(pv_explore_subjects[i], name))
			return 1u << i;
	return strcmp(name, "all") ? 0 : (1u << PV_EXPLORE_SUBJECTS) - 1;
}

/* ---- the next step ---- */

static const struct pv_action *const groups[] = {pv_actions_counter,   pv_actions_aimed,   pv_actions_trace,
						 pv_actions_traffic,   pv_actions_machine, pv_actions_sizes,
						 pv_actions_registers, pv_actions_abi};

/* `need`: only actions for it; PV_NEED_NOTHING: all. */
static unsigned weight_of(const struct pv_drawing *g, const struct pv_action *a, enum pv_need need)
{
	return a->subjects & g->subjects && (!need || a->serves == need) ? a->weight : 0;
}

static unsigned sum_weights(const struct pv_drawing *g, enum pv_need need)
{
	unsigned sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (const struct pv_action *a = groups[i]; a->draw; a++)
			sum += weight_of(g, a, need);
	return sum;
}

static const struct pv_action *draw_action(struct pv_drawing *g)
{
	enum pv_need need = pv_draw_chance(&g->d, NEEDS) ? pv_draw_need(g) : PV_NEED_NOTHING;
	unsigned sum = sum_weights(g, need);

	if (!sum)
		sum = sum_weights(g, need = PV_NEED_NOTHING);
	unsigned at = pv_draw_below(&g->d, sum);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (const struct pv_action *a = groups[i]; a->draw; a++) {
			if (at < weight_of(g, a, need))
				return a;
			at -= weight_of(g, a, need);
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

/*
 * Without a boot, registers have their reset values; all other subjects ask a driver what there is. A variation may
 * have lost the boot of its script.
 */
static bool wants_boot(struct pv_drawing *g)
{
	if (pv_drawing_of(g, PV_EXPLORE_REGISTERS))
		return !json_object_array_length(g->steps) && !pv_draw_chance(&g->d, 30);
	return !g->s->booted && g->draws++ < 4 * g->wanted;
}

static void next_drawn(struct pv_drawing *g)
{
	size_t n = json_object_array_length(g->steps);

	if (wants_boot(g))
		pv_draw_step(g, "boot");
	else if (n < g->wanted && g->draws++ < 4 * g->wanted)
		draw_step(g);
	else
		pv_draw_end(g);
}

/* Steps that wait until their traffic has ended. */
static size_t streams_of(json_object *steps)
{
	size_t streams = 0;

	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		json_object *x = json_object_array_get_idx(steps, i);

		streams += strstr(pv_element_kind(x), "traffic") && !pv_element_get(x, "background");
	}
	return streams;
}

/* The rehearsal of a variation has seen effects of traffic that is not in the case any more. */
static bool is_spoiled(const struct pv_drawing *g)
{
	struct pv_workload *w = g->s->t->workload;

	return g->base && json_object_array_length(g->steps) < g->given && streams_of(g->steps) < g->streams &&
	       pv_has(w, idle) && !w->ops->idle(w);
}

static void next(void *ctx, struct pv_session *s, json_object *steps)
{
	struct pv_drawing *g = ctx;

	g->s = s;
	g->steps = steps;
	if (steal(&g->moved))
		pv_draw_note_gone(g);
	pv_draw_failed_start(g);
	pv_draw_forget_refused(g);
	pv_observer_look(g->observer, s, steps);
	g->spoiled |= is_spoiled(g);
	g->before = json_object_array_length(steps);
	if (!g->spoiled && !pv_vary_next(g) && !g->raw)
		next_drawn(g);
	g->given = json_object_array_length(steps);
	g->streams = streams_of(steps);
	if (g->noted)
		g->noted(g->c);
}

/* ---- the case ---- */

#define PMUS (1u << PV_EXPLORE_PTT | 1u << PV_EXPLORE_CPMU | 1u << PV_EXPLORE_DWC)

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
	for (unsigned n = pv_draw_range(d, 1, 2); n;) {
		unsigned one = 1u << pv_draw_below(d, PV_EXPLORE_SUBJECTS);

		chosen |= others & one;
		n -= (others & one) > 0;
	}
	/* It is about PMUs. */
	while (chosen == 1u << PV_EXPLORE_ABI && others & PMUS)
		chosen |= others & PMUS & 1u << pv_draw_below(d, PV_EXPLORE_SUBJECTS);
	return chosen;
}

/* The subjects of a case of the corpus, and its target. */
static void put_tags(const struct pv_drawing *g, json_object *c)
{
	char tags[128];
	size_t len = (size_t)snprintf(tags, sizeof(tags), "explore%s", g->model ? " model" : "");

	for (unsigned i = 0; i < PV_EXPLORE_SUBJECTS; i++)
		if (pv_drawing_of(g, i))
			len += (size_t)snprintf(tags + len, sizeof(tags) - len, " %s", pv_explore_subjects[i]);
	pv_json_string(c, "tags", tags);
}

/*
 * Draws the subjects and the machine of a case. Under a kernel, several cases in a row have the same ones: the guests
 * of one machine continue from its snapshot, which takes a third of the time.
 */
static json_object *draw_machine(struct pv_drawing *g, const struct pv_explore_wish *w, uint64_t index)
{
	struct pv_draw shared, *d = w->model ? &g->d : &shared;

	if (!w->model)
		pv_draw_seed(d, w->seed, index / SHARING);
	g->subjects = draw_subjects(d, w->subjects, w->model);
	return pv_draw_topology(d, g->subjects, g->model);
}

static json_object *new_case(struct pv_drawing *g, const struct pv_explore_wish *w, uint64_t index)
{
	json_object *c = json_object_new_object(), *machine = NULL;
	char name[32];

	snprintf(name, sizeof(name), "case-%llu", (unsigned long long)index);
	pv_json_string(c, "name", name);
	if (g->base) {
		pv_json_uint(c, "seed", json_object_get_uint64(json_object_object_get(g->base, "seed")));
		json_object_deep_copy(json_object_object_get(g->base, "topology"), &machine, NULL);
	} else {
		machine = draw_machine(g, w, index);
		pv_json_uint(c, "seed", 1 + pv_draw_below(&g->d, 1000000));
	}
	pv_json_add(c, "topology", machine);
	pv_json_add(c, "steps", json_object_new_array());
	if (w->corpus)
		put_tags(g, c);
	return c;
}

/* Leaves a case that passes. */
static void forget_case(json_object *c)
{
	json_object *steps = json_object_new_array();

	pv_element_append(steps, "check-rules");
	pv_json_add(c, "steps", steps);
}

/* A case of the corpus as it is, or a variation of some, or neither. */
static void use_corpus(struct pv_drawing *g, const struct pv_explore_wish *w, uint64_t index)
{
	if (index < w->corpus->given) {
		const struct pv_corpus_entry *x = &w->corpus->entry[index];

		g->base = x->c;
		g->subjects = x->subjects;
		json_object_deep_copy(json_object_object_get(x->c, "steps"), &g->script, NULL);
	} else if (pv_draw_chance(&g->d, VARIATIONS) && pv_vary(g, w->corpus, index, w->subjects)) {
		g->tail = pv_draw_below(&g->d, w->steps);
	}
}

json_object *pv_explore_draw(const struct pv_explore_wish *w, uint64_t index, struct pv_explore_verdict *v,
			     struct pv_error *e)
{
	struct pv_drawing g = {.wanted = w->steps, .model = w->model, .noted = w->noted};

	pv_draw_seed(&g.d, w->seed, index);
	if (w->corpus)
		use_corpus(&g, w, index);
	g.theme = (enum pv_theme)pv_draw_below(&g.d, PV_THEMES);
	g.observer = w->known ? pv_observer_new(w->known) : NULL;
	json_object *c = g.c = new_case(&g, w, index);
	const struct pv_rehearsal r = {.next = next, .learn = true, .ctx = &g};
	int err = pv_explore_rehearse(c, NULL, &r, v, e);
	json_object *reached = pv_observer_end(g.observer);
	if (g.spoiled) {
		forget_case(c);
		*v = (struct pv_explore_verdict){0};
		if (reached)
			pv_json_bool(c, "spoiled", true);
	}
	if (reached)
		pv_json_add(c, "reached", reached);
	json_object_put(g.script);
	return err ? pv_json_put(c) : c;
}

int pv_explore_follow(json_object *c, struct pv_states *reached, struct pv_explore_verdict *v, struct pv_error *e)
{
	struct pv_drawing g = {.raw = true, .model = true, .c = c, .observer = pv_observer_new(reached)};
	const struct pv_rehearsal r = {.next = next, .learn = true, .ctx = &g};

	json_object_deep_copy(json_object_object_get(c, "steps"), &g.script, NULL);
	pv_json_add(c, "steps", json_object_new_array());
	int err = pv_explore_rehearse(c, NULL, &r, v, e);
	json_object_put(pv_observer_end(g.observer));
	json_object_put(g.script);
	return err;
}

int pv_explore_try(json_object *c, const char *const *defects, bool learn, struct pv_explore_verdict *v,
		   struct pv_error *e)
{
	const struct pv_rehearsal r = {.learn = learn};

	return pv_explore_rehearse(c, defects, &r, v, e);
}
