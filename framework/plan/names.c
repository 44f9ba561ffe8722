/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of cases: what a row of a matrix shows in the brackets, and the names that a case had before. A name with all
 * parameters is always a former name, so that a row may get a name or a key later.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/plan_internal.h"

static unsigned alternatives(const struct pv_row_name *n)
{
	unsigned count = 1 + (strcmp(n->shown, n->all) != 0);

	for (const char *const *f = n->former; *f; f++)
		count++;
	return count;
}

/* Alternative 0 is the present one. */
static const char *alternative(const struct pv_row_name *n, unsigned i)
{
	bool differ = strcmp(n->shown, n->all);

	return !i ? n->shown : i == 1 && differ ? n->all : n->former[i - 1 - differ];
}

/* Returns the name with the alternatives that `choice` stands for, a number with one digit for each axis. */
static const char *name_of(const struct pv_matrix *m, uint64_t k, const char *base, unsigned choice, struct pv_arena *a)
{
	uint64_t rest = pv_matrix_count(m);
	const char *text = "";

	for (const struct pv_plan_axis *axis = m->axes; axis && text; axis = axis->next) {
		const struct pv_row_name *n = &axis->names[k / (rest /= axis->n_rows) % axis->n_rows];
		const char *word = alternative(n, choice % alternatives(n));

		choice /= alternatives(n);
		if (*word)
			text = pv_arena_printf(a, "%s%s%s", text, *text ? "," : "", word);
	}
	return text && *text ? pv_arena_printf(a, "%s[%s]", base, text) : text ? base : NULL;
}

/* Returns the number of choices; more than PV_FORMER_MAX: too many. */
static unsigned count_choices(const struct pv_matrix *m, uint64_t k)
{
	uint64_t rest = pv_matrix_count(m);
	unsigned n = 1;

	for (const struct pv_plan_axis *axis = m->axes; axis && n <= PV_FORMER_MAX; axis = axis->next)
		n *= alternatives(&axis->names[k / (rest /= axis->n_rows) % axis->n_rows]);
	return n;
}

int pv_case_set_names(const struct pv_template *t, uint64_t k, struct pv_arena *a, struct pv_case *out)
{
	const char *const *bases = t->formerly, *base = out->base;
	unsigned choices = count_choices(&t->matrix, k), n_bases = 1, n = 0;

	while (bases[n_bases - 1])
		n_bases++;
	if (choices > PV_FORMER_MAX || n_bases > PV_FORMER_MAX / choices)
		return -E2BIG;
	const char **former = pv_arena_array(a, (size_t)n_bases * choices, sizeof(*former));
	if (!former)
		return -ENOMEM;
	out->name = name_of(&t->matrix, k, base, 0, a);
	for (unsigned i = 1; i < n_bases * choices; i++, n++) {
		base = i < choices ? out->base : bases[i / choices - 1];
		former[n] = name_of(&t->matrix, k, base, i % choices, a);
		if (!former[n])
			return -ENOMEM;
	}
	out->formerly = former;
	return out->name ? 0 : -ENOMEM;
}

/* ---- a plan ---- */

/* A name that a case has or had. */
struct known {
	const char *name;
	const struct pv_case *c;
};

static int by_name(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->c->line - y->c->line;
}

static bool is_former(const struct known *k)
{
	return k->name != k->c->name;
}

static void check_twins(const struct known *k, struct pv_problems *p)
{
	const struct known *former = is_former(&k[0]) ? &k[0] : &k[1], *other = former == k ? &k[1] : &k[0];

	if (is_former(former))
		pv_problem(p, former->c->file, former->c->line, former->c->name,
			   "formerly: '%s' %s the case '%s' on line %d", PV_SHOW(former->name),
			   is_former(other) ? "was also the name of" : "is the name of", PV_SHOW(other->c->name),
			   other->c->line);
	else
		pv_problem(p, k[1].c->file, k[1].c->line, NULL,
			   "<case>: the name '%s' is already used by a case on line %d", PV_SHOW(k[1].name),
			   k[0].c->line);
}

void pv_cases_check_names(struct pv_case *const *cases, size_t n, struct pv_problems *p)
{
	size_t names = n, at = 0;

	for (size_t i = 0; i < n; i++)
		for (const char *const *f = cases[i]->formerly; *f; f++)
			names++;
	struct known *known = names ? calloc(names, sizeof(*known)) : NULL;
	if (!known) {
		if (names)
			pv_problem_memory(p);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		known[at++] = (struct known){cases[i]->name, cases[i]};
		for (const char *const *f = cases[i]->formerly; *f; f++)
			known[at++] = (struct known){*f, cases[i]};
	}
	qsort(known, names, sizeof(*known), by_name);
	for (size_t i = 1; i < names; i++)
		if (known[i].c != known[i - 1].c && !strcmp(known[i].name, known[i - 1].name))
			check_twins(&known[i - 1], p);
	free(known);
}
