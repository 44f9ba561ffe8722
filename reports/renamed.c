/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Renames the cases of an earlier run. */
#include "reports/renamed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"

/* One of the names of a case, without "@ROLE=BDF". */
struct known {
	const char *plan, *name;
	size_t length;
	const struct pv_case_names *now;
};

static int by_name(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int order = strcmp(x->plan, y->plan);

	if (!order)
		order = strncmp(x->name, y->name, x->length < y->length ? x->length : y->length);
	return order ? order : (x->length > y->length) - (x->length < y->length);
}

static struct known known_as(const char *name, const struct pv_case_names *now)
{
	return (struct known){now->plan, name, pv_case_base_length(name), now};
}

/* Returns all names, sorted; the caller frees the array. NULL: no memory. */
static struct known *sort_names(const struct pv_case_names *now, size_t n, size_t *n_known)
{
	size_t names = 0, at = 0;

	for (size_t i = 0; i < n; i++, names++)
		for (const char *const *f = now[i].formerly; f && *f; f++)
			names++;
	struct known *known = calloc(names + 1, sizeof(*known));
	for (size_t i = 0; known && i < n; i++) {
		known[at++] = known_as(now[i].name, &now[i]);
		for (const char *const *f = now[i].formerly; f && *f; f++)
			known[at++] = known_as(*f, &now[i]);
	}
	if (known)
		qsort(known, names, sizeof(*known), by_name);
	*n_known = names;
	return known;
}

static int rename_case(struct pv_case_result *c, const char *now)
{
	size_t length = pv_case_base_length(c->name);
	char *name;

	if (asprintf(&name, "%.*s%s", (int)pv_case_base_length(now), now, c->name + length) < 0)
		return -ENOMEM;
	if (c->was)
		free(c->name);
	else
		c->was = c->name;
	c->name = name;
	return 0;
}

static bool same_base(const char *a, const char *b)
{
	size_t length = pv_case_base_length(a);

	return length == pv_case_base_length(b) && !strncmp(a, b, length);
}

static const char *name_in_its_run(const struct pv_case_result *c)
{
	return c->was ? c->was : c->name;
}

static struct known *find(struct known *known, size_t names, const char *plan, const char *name)
{
	const struct known key = {plan, name, pv_case_base_length(name), NULL};

	return bsearch(&key, known, names, sizeof(*known), by_name);
}

/*
 * A run may have both names of a case: its plan had two cases then, or has made a new one of the former name. Only one
 * of them can be the case of that name: otherwise the verdict of one would stand for the other's.
 */
int pv_run_rename(struct pv_run_result *r, const struct pv_case_names *now, size_t n)
{
	size_t names;
	_autofree_ struct known *known = sort_names(now, n, &names);
	/* For each name the case of the run that has it: rounds and functions of one case may all get it. */
	_autofree_ const struct pv_case_result **holder = calloc(names + 1, sizeof(*holder));
	int err = known && holder ? 0 : -ENOMEM, renamed = 0;

	for (size_t i = 0; !err && i < r->n_cases; i++) {
		const struct known *k = find(known, names, r->cases[i].plan, r->cases[i].name);

		if (k && same_base(k->now->name, r->cases[i].name))
			holder[k - known] = &r->cases[i];
	}
	for (size_t i = 0; !err && i < r->n_cases; i++) {
		struct pv_case_result *c = &r->cases[i];
		const struct known *k = find(known, names, c->plan, c->name);

		if (!k || same_base(k->now->name, c->name))
			continue;
		const struct pv_case_result **h = &holder[find(known, names, c->plan, k->now->name) - known];
		if (*h && !same_base(name_in_its_run(*h), name_in_its_run(c)))
			continue;
		*h = c;
		err = rename_case(c, k->now->name);
		renamed++;
	}
	return err ? err : renamed;
}

int pv_run_rename_as(struct pv_run_result *r, const struct pv_run_result *later)
{
	_autofree_ struct pv_case_names *now = calloc(later->n_cases + 1, sizeof(*now));

	for (size_t i = 0; now && i < later->n_cases; i++)
		now[i] = (struct pv_case_names){later->cases[i].plan, later->cases[i].name,
						(const char *const *)later->cases[i].formerly};
	return now ? pv_run_rename(r, now, later->n_cases) : -ENOMEM;
}

int pv_run_rename_all(struct pv_run_result *const *list, size_t n)
{
	int renamed = 1;

	for (size_t pass = 0; renamed > 0 && pass < n; pass++) {
		renamed = 0;
		for (size_t i = 0; i < n * n && renamed >= 0; i++) {
			int more = i / n == i % n ? 0 : pv_run_rename_as(list[i / n], list[i % n]);

			renamed = more < 0 ? more : renamed + more;
		}
	}
	return renamed < 0 ? renamed : 0;
}
