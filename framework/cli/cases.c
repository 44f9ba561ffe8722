/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases by name from a file: one PLAN/CASE a line, as `pcieval list` prints them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/cli.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"

struct line {
	char *name; /* "plan/case" */
	unsigned number;
};

struct pv_cli_cases {
	char *path;
	struct line *lines; /* sorted by name, then number */
	size_t n, room;
};

static int by_name(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* ---- reading ---- */

/*
 * Returns the name in a line, without blanks around it and columns after a tab (of `list`). NULL: empty, or a comment.
 */
static char *name_of(char *line)
{
	line += strspn(line, " \t");
	line[strcspn(line, "\t\r\n")] = '\0';
	for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	return *line && *line != '#' ? line : NULL;
}

static int add(struct pv_cli_cases *l, const char *name, unsigned number)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct line *more = realloc(l->lines, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->lines = more;
		l->room = room;
	}
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	l->lines[l->n++] = (struct line){copy, number};
	return 0;
}

static int read_lines(struct pv_cli_cases *l, FILE *f)
{
	_autofree_ char *line = NULL;
	size_t room = 0;
	int err = 0;

	errno = 0;
	for (unsigned number = 1; !err && getline(&line, &room, f) >= 0; number++) {
		const char *name = name_of(line);

		if (name)
			err = add(l, name, number);
	}
	if (!err && ferror(f))
		err = errno ? -errno : -EIO;
	if (l->n)
		qsort(l->lines, l->n, sizeof(*l->lines), by_name);
	return err;
}

static FILE *open_list(const char *path)
{
	return strcmp(path, "-") ? fopen(path, "re") : stdin;
}

int pv_cli_cases_read(const char *path, struct pv_cli_cases **out, struct pv_error *e)
{
	struct pv_cli_cases *l = calloc(1, sizeof(*l));
	FILE *f = open_list(path);
	int err = f ? 0 : -errno;

	if (!l || !(l->path = strdup(strcmp(path, "-") ? path : "standard input")))
		err = -ENOMEM;
	if (!err)
		err = read_lines(l, f);
	if (f && f != stdin)
		fclose(f);
	if (!err) {
		*out = l;
		return 0;
	}
	pv_cli_cases_free(l);
	return pv_error(e, err, "%s: %s", PV_SHOW(path), strerror(-err));
}

void pv_cli_cases_free(struct pv_cli_cases *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		free(l->lines[i].name);
	free(l->lines);
	free(l->path);
	free(l);
}

/* ---- looking up ---- */

static int case_order(const struct pv_case *c, const char *name)
{
	size_t n = strlen(c->plan_name);
	int order = strncmp(c->plan_name, name, n);

	if (order || name[n] != '/')
		return order ? order : '/' - (unsigned char)name[n];
	return strcmp(c->name, name + n + 1);
}

/* The first line that names the case; n: there is none. */
static size_t find(const struct pv_cli_cases *l, const struct pv_case *c)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (case_order(c, l->lines[middle].name) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n && !case_order(c, l->lines[low].name) ? low : l->n;
}

bool pv_cli_cases_has(const void *list, const struct pv_case *c)
{
	const struct pv_cli_cases *l = list;

	return find(l, c) < l->n;
}

static const char *candidate_case(const void *ctx, size_t i)
{
	const struct pv_plans *plans = ctx;

	return i < plans->n_cases ? plans->cases[i]->name : NULL;
}

static void tell(const struct pv_cli_cases *l, const struct line *line, const struct pv_plans *plans,
		 const char *target, bool warn_only)
{
	const char *slash = strchr(line->name, '/');

	pv_cli_error("%s--cases: %s:%u: '%s' is none of %zu cases%s%s%s", warn_only ? "warning: " : "", l->path,
		     line->number, PV_SHOW(line->name), plans->n_cases, target ? " for target " : "",
		     target ? PV_SHOW(target) : "",
		     slash ? pv_did_you_mean(slash + 1, candidate_case, plans).s : "; expected PLAN/CASE");
}

size_t pv_cli_cases_unmatched(const struct pv_cli_cases *l, const struct pv_plans *plans, const char *target,
			      bool warn_only)
{
	const struct pv_selection s = {.target = target};
	_autofree_ bool *found = calloc(l->n + 1, sizeof(*found));
	size_t bad = 0;

	for (size_t i = 0; found && i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], &s))
			found[find(l, plans->cases[i])] = true;
	/* Of a name that is listed twice only the first line was found. */
	for (size_t i = 0; found && i < l->n; i++) {
		found[i] |= i && found[i - 1] && !strcmp(l->lines[i].name, l->lines[i - 1].name);
		if (!found[i])
			tell(l, &l->lines[i], plans, target, warn_only);
		bad += !found[i];
	}
	return found ? bad : 1;
}
