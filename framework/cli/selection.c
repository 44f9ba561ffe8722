/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selections that select less than they say: a value of --name, --tag or --requirement that no case has is a slip of
 * the pen, and a run without the cases that were meant must not be green.
 */
#include <string.h>

#include "framework/cli/cli.h"
#include "framework/util/hint.h"

/* The words that a value could have been, one after the other. */
struct words {
	const struct pv_plans *plans;
	const char *(*of_case)(const struct pv_case *c, size_t i);
};

static const char *case_base(const struct pv_case *c, size_t i)
{
	return i ? NULL : c->base;
}

static const char *case_tag(const struct pv_case *c, size_t i)
{
	return c->tags[i];
}

static const char *case_requirement(const struct pv_case *c, size_t i)
{
	return c->verifies[i];
}

static const char *candidate_word(const void *ctx, size_t n)
{
	const struct words *w = ctx;
	for (size_t k = 0; k < w->plans->n_cases; k++)
		for (size_t i = 0; w->of_case(w->plans->cases[k], i); i++)
			if (!n--)
				return w->of_case(w->plans->cases[k], i);
	return NULL;
}

static bool selects(const struct pv_plans *plans, const struct pv_selection *s)
{
	for (size_t i = 0; i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], s))
			return true;
	return false;
}

static void tell(const struct pv_plans *plans, const struct pv_cli_selection *s, const char *option, const char *value,
		 const char *(*of_case)(const struct pv_case *c, size_t i))
{
	const struct words words = {plans, of_case};
	pv_cli_error("%s--%s: '%s' matches none of %zu cases%s%s%s", s->allow_empty ? "warning: " : "", option,
		     PV_SHOW(value), plans->n_cases, s->target ? " for target " : "",
		     s->target ? PV_SHOW(s->target) : "", pv_did_you_mean(value, candidate_word, &words).s);
}

/* A '!TAG' that no case has leaves nothing out, which is what was asked for. */
static size_t check_tags(const struct pv_plans *plans, const struct pv_cli_selection *s)
{
	size_t bad = 0;
	for (const char **v = s->tags; v && *v; v++) {
		const char *one[] = {*v, NULL};
		const struct pv_selection alone = {.tags = one, .target = s->target};
		if (**v == '!' || selects(plans, &alone))
			continue;
		tell(plans, s, "tag", *v, case_tag);
		bad++;
	}
	return bad;
}

static size_t check_names(const struct pv_plans *plans, const struct pv_cli_selection *s)
{
	size_t bad = 0;
	for (const char **v = s->names; v && *v; v++) {
		const char *one[] = {*v, NULL};
		const struct pv_selection alone = {.names = one, .target = s->target};
		if (selects(plans, &alone))
			continue;
		tell(plans, s, "name", *v, case_base);
		bad++;
	}
	return bad;
}

static size_t check_requirements(const struct pv_plans *plans, const struct pv_cli_selection *s)
{
	size_t bad = 0;
	for (const char **v = s->requirements; v && *v; v++) {
		const char *one[] = {*v, NULL};
		const struct pv_selection alone = {.requirements = one, .target = s->target};
		if (selects(plans, &alone))
			continue;
		tell(plans, s, "requirement", *v, case_requirement);
		bad++;
	}
	return bad;
}

bool pv_cli_selection_matches(const struct pv_plans *plans, const struct pv_cli_selection *s)
{
	size_t bad = check_names(plans, s) + check_tags(plans, s) + check_requirements(plans, s);
	return !bad || s->allow_empty;
}
