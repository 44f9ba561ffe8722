/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tries the places of a plan first, then any functions that fit. */
#include "framework/board/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/board/bound.h"
#include "framework/util/cleanup.h"

/* ---- the plan's places ---- */

static int match(struct pv_board *b, struct pv_topology *plan, struct pv_error *differs)
{
	int err = pv_board_move(&b->places, plan, differs);

	if (!err)
		err = pv_board_match(plan, b->machine, &b->description, differs);
	if (!err)
		err = pv_board_match_environment(plan, b->environment, differs);
	return err;
}

/* Compares with the topology of the plan; b->last keeps the difference. */
static int match_last(struct pv_board *b, const struct pv_topology *plan, struct pv_error *e)
{
	struct pv_topology *moved;
	struct pv_error differs = {0};

	if (b->last.known && b->last.topology == plan)
		return 0;
	int err = pv_topology_copy(plan, &moved, e);
	if (err)
		return err;
	b->last.known = true;
	b->last.topology = plan;
	b->last.reason = NULL;
	if (match(b, moved, &differs)) {
		b->last.reason = pv_arena_printf(&b->reasons, "target %s: %s", b->target, differs.text);
		err = b->last.reason ? 0 : pv_error(e, -ENOMEM, "no memory");
	}
	pv_topology_free(moved);
	return err;
}

/* Makes a new message only if a function has another BDF. */
static int move(struct pv_board *b, const struct pv_topology *plan, json_object *message, json_object **bound,
		struct pv_error *e)
{
	struct pv_topology *moved;
	int err = pv_topology_copy(plan, &moved, e);

	if (err)
		return err;
	err = pv_board_move(&b->places, moved, e);
	if (!err)
		err = pv_bound_moved(&b->places, moved, message, bound, e);
	pv_topology_free(moved);
	return err;
}

/* ---- roles ---- */

static bool has_wish(const struct pv_board *b, const struct pv_topology *plan)
{
	for (size_t i = 0; plan && i < b->n_wishes; i++)
		if (pv_topology_node(plan, b->wish[i].role))
			return true;
	return false;
}

static int say(struct pv_board *b, const char **reason, const char *first, const char *text, struct pv_error *e)
{
	*reason = first ? pv_arena_printf(&b->reasons, "%s; the whole topology is needed (%s)", first, text)
			: pv_arena_printf(&b->reasons, "target %s: %s", b->target, text);
	return *reason ? 0 : pv_error(e, -ENOMEM, "no memory");
}

static int bind_needs(struct pv_board *b, const struct pv_needs *needs, json_object *message, json_object **bound,
		      const char **reason, struct pv_error *e)
{
	const struct pv_bind in = {needs, b->machine, &b->description, b->environment, b->wish, b->n_wishes};
	_autofree_ const struct pv_pci_func **func = calloc(needs->plan->n + 1, sizeof(*func));
	struct pv_error none = {0};

	if (!func)
		return pv_error(e, -ENOMEM, "no memory");
	if (pv_board_bind(&in, func, &none))
		return say(b, reason, NULL, none.text, e);
	return pv_bound_case(&in, func, message, bound, e);
}

static int bind_roles(struct pv_board *b, const struct pv_topology *plan, json_object *message, json_object **bound,
		      const char **reason, struct pv_error *e)
{
	struct pv_needs needs;
	int err = pv_needs_read(plan, json_object_object_get(message, "steps"), &needs, e);
	const char *first = b->last.reason ? b->last.reason : "--bind";

	*reason = NULL;
	if (!err)
		err = *needs.exact ? say(b, reason, first, needs.exact, e)
				   : bind_needs(b, &needs, message, bound, reason, e);
	pv_needs_free(&needs);
	return err;
}

/* ---- a case ---- */

int pv_board_place(struct pv_board *b, const struct pv_topology *plan, json_object *message, json_object **bound,
		   const char **reason, struct pv_error *e)
{
	bool wish = has_wish(b, plan);
	int err = match_last(b, plan, e);

	*bound = NULL;
	*reason = b->last.reason;
	if (err)
		return err;
	if ((*reason || wish) && plan)
		err = bind_roles(b, plan, message, bound, reason, e);
	else if (!*reason && plan && b->places.n)
		err = move(b, plan, message, bound, e);
	if (!b->bound)
		b->bound = json_object_new_array();
	if (*bound)
		json_object_array_add(b->bound, *bound);
	return err;
}

static int find_subjects(struct pv_board *b, const struct pv_needs *needs, const char **role, pv_bdf **is, size_t *n,
			 struct pv_error *e)
{
	_autofree_ const struct pv_pci_func **func = calloc(needs->plan->n + 1, sizeof(*func));
	size_t subject = pv_bind_subject(needs);
	struct pv_error none = {0};

	*is = calloc(b->machine->n + 1, sizeof(**is));
	if (!func || !*is)
		return pv_error(e, -ENOMEM, "no memory");
	if (subject == needs->plan->n || b->n_wishes == PV_BIND_WISHES_MAX)
		return 0;
	*role = needs->plan->nodes[subject].name;
	for (size_t i = 0; i < b->machine->n; i++) {
		pv_bdf at = pv_board_place_of(&b->machine->funcs[i]);
		b->wish[b->n_wishes] = (struct pv_bind_wish){*role, at};
		const struct pv_bind in = {needs,	   b->machine, &b->description,
					   b->environment, b->wish,    b->n_wishes + 1};
		if (!pv_board_bind(&in, func, &none) && func[subject] == &b->machine->funcs[i])
			(*is)[(*n)++] = at;
	}
	return 0;
}

int pv_board_subjects(struct pv_board *b, const struct pv_topology *plan, json_object *message, const char **role,
		      pv_bdf **is, size_t *n, struct pv_error *e)
{
	struct pv_needs needs;

	*role = NULL;
	*is = NULL;
	*n = 0;
	if (!plan)
		return 0;
	int err = pv_needs_read(plan, json_object_object_get(message, "steps"), &needs, e);
	if (!err && !*needs.exact)
		err = find_subjects(b, &needs, role, is, n, e);
	pv_needs_free(&needs);
	return err;
}

int pv_board_place_on(struct pv_board *b, const struct pv_bind_wish *on, const struct pv_topology *plan,
		      json_object *message, json_object **bound, const char **reason, struct pv_error *e)
{
	if (b->n_wishes == PV_BIND_WISHES_MAX)
		return pv_error(e, -EINVAL, "--bind: expected at most %d functions with --every-match",
				PV_BIND_WISHES_MAX - 1);
	b->wish[b->n_wishes++] = *on;
	int err = pv_board_place(b, plan, message, bound, reason, e);
	b->n_wishes--;
	return err;
}

static int add_wish(struct pv_board *b, char *text, struct pv_error *e)
{
	char *is = strchr(text, '=');
	struct pv_bind_wish *w = &b->wish[b->n_wishes];

	if (b->n_wishes == PV_BIND_WISHES_MAX)
		return pv_error(e, -EINVAL, "--bind: expected at most %d functions", PV_BIND_WISHES_MAX);
	if (!is || is == text || pv_bdf_parse(is + 1, &w->is))
		return pv_error(e, -EINVAL, "--bind: expected ROLE=BDF, such as rp0=3a:01.0, got '%.80s'", text);
	*is = 0;
	w->role = text;
	b->n_wishes++;
	return 0;
}

int pv_board_set_wishes(struct pv_board *b, const char *text, struct pv_error *e)
{
	char *copy = text ? pv_arena_printf(&b->reasons, "%s", text) : NULL;
	int err = text && !copy ? pv_error(e, -ENOMEM, "no memory") : 0;

	for (char *save = NULL, *w = copy ? strtok_r(copy, ",", &save) : NULL; w && !err;
	     w = strtok_r(NULL, ",", &save))
		err = add_wish(b, w, e);
	return !err && copy && !b->n_wishes ? pv_error(e, -EINVAL, "--bind: expected ROLE=BDF, got ''") : err;
}
