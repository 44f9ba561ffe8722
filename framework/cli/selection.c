/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selections that select less than they say. A value of --name, --tag or --requirement that matches no case is most
 * likely a typo, and a run without the cases that were meant must not be green.
 */
#include <stddef.h>
#include <string.h>

#include "framework/cli/cli.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"

/* Enumerates the words that a value may have been meant to be. */
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

/* An option that chooses cases, and where its values go in a selection. */
struct chooser {
	const char *option;
	size_t at;
	const char *(*of_case)(const struct pv_case *c, size_t i);
	bool excludes; /* "!VALUE" leaves cases out; one that no case has leaves nothing out, as was asked for */
};

static const struct chooser choosers[] = {
	{"name", offsetof(struct pv_selection, names), case_base, false},
	{"tag", offsetof(struct pv_selection, tags), case_tag, true},
	{"requirement", offsetof(struct pv_selection, requirements), case_requirement, false},
};

static bool matches(const struct pv_plans *plans, const struct pv_cli_selection *s, const struct chooser *c,
		    const char *value)
{
	const char *const one[] = {value, NULL};
	struct pv_selection alone = {.target = s->target};

	*(const char *const **)((char *)&alone + c->at) = one;
	return (c->excludes && *value == '!') || selects(plans, &alone);
}

static size_t count_unmatched(const struct pv_plans *plans, const struct pv_cli_selection *s, const struct chooser *c)
{
	const struct pv_selection all = pv_cli_selection(s);
	size_t n = 0;

	for (const char *const *v = *(const char *const *const *)((const char *)&all + c->at); v && *v; v++) {
		if (matches(plans, s, c, *v))
			continue;
		tell(plans, s, c->option, *v, c->of_case);
		n++;
	}
	return n;
}

bool pv_cli_selection_matches(const struct pv_plans *plans, const struct pv_cli_selection *s)
{
	size_t bad = 0;

	for (size_t i = 0; i < ARRAY_SIZE(choosers); i++)
		bad += count_unmatched(plans, s, &choosers[i]);
	if (s->listed)
		bad += pv_cli_cases_unmatched(s->listed, plans, s->target, s->allow_empty);
	return !bad || s->allow_empty;
}

bool pv_cli_selection_read(struct pv_cli_selection *s)
{
	struct pv_error e = {0};
	int err = s->cases_file && !s->listed ? pv_cli_cases_read(s->cases_file, &s->listed, &e) : 0;

	if (err)
		pv_cli_error("--cases: %s", e.text);
	return !err;
}

void pv_cli_selection_free(struct pv_cli_selection *s)
{
	pv_cli_cases_free(s->listed);
	s->listed = NULL;
}

struct pv_selection pv_cli_selection(const struct pv_cli_selection *s)
{
	return (struct pv_selection){.names = s->names,
				     .excludes = s->excludes,
				     .tags = s->tags,
				     .requirements = s->requirements,
				     .target = s->target,
				     .listed = s->listed ? pv_cli_cases_has : NULL,
				     .list = s->listed};
}
