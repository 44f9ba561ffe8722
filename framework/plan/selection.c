/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects cases by globs, tags and requirements, and by lists of names in files. */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/plan.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/glob.h"
#include "framework/util/hint.h"

enum { FILE_MAX = 64 << 20 };

/* ---- lists of cases ---- */

struct line {
	char *name; /* "plan/case" */
	unsigned number;
};

struct pv_case_list {
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
 * Returns the name in a line, without blanks around it and without the columns after a tab (from `list`). NULL: the
 * line is empty, or a comment.
 */
static char *name_of(char *line)
{
	line += strspn(line, " \t");
	line[strcspn(line, "\t\r\n")] = '\0';
	for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	return *line && *line != '#' ? line : NULL;
}

static int add(struct pv_case_list *l, const char *name, unsigned number)
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

static int read_lines(struct pv_case_list *l, char *text)
{
	int err = 0;

	for (unsigned number = 1; text && !err; number++) {
		const char *name = name_of(strsep(&text, "\n"));

		if (name)
			err = add(l, name, number);
	}
	if (l->n)
		qsort(l->lines, l->n, sizeof(*l->lines), by_name);
	return err;
}

int pv_case_list_read(const char *path, struct pv_case_list **out, struct pv_error *e)
{
	struct pv_case_list *l = calloc(1, sizeof(*l));
	_autofree_ char *text = NULL;
	size_t n;

	if (!l || !(l->path = strdup(pv_file_name(path)))) {
		pv_case_list_free(l);
		return pv_error(e, -ENOMEM, "%s: no memory", path);
	}
	int err = pv_file_read(path, FILE_MAX, &text, &n, e);
	if (!err && strlen(text) != n)
		err = pv_error(e, -EINVAL, "%s: expected lines of text, got a 0 byte", l->path);
	if (!err && read_lines(l, text))
		err = pv_error(e, -ENOMEM, "%s: no memory", l->path);
	if (!err)
		*out = l;
	else
		pv_case_list_free(l);
	return err;
}

void pv_case_list_free(struct pv_case_list *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		free(l->lines[i].name);
	free(l->lines);
	free(l->path);
	free(l);
}

/* Returns the names of a case by turns: first the present one. */
static const char *case_name(const struct pv_case *c, size_t i)
{
	return !i ? c->name : c->formerly ? c->formerly[i - 1] : NULL;
}

static int line_order(const char *plan, const char *name, const char *line)
{
	size_t n = strlen(plan);
	int order = strncmp(plan, line, n);

	if (order || line[n] != '/')
		return order ? order : '/' - (unsigned char)line[n];
	return strcmp(name, line + n + 1);
}

/* Returns the first line with this name; n: there is none. */
static size_t find(const struct pv_case_list *l, const char *plan, const char *name)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (line_order(plan, name, l->lines[middle].name) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n && !line_order(plan, name, l->lines[low].name) ? low : l->n;
}

/* Returns true if a line has a name of the case, present or former. Marks each such line in `found`; NULL: none. */
static bool is_listed(const struct pv_case_list *l, const struct pv_case *c, bool *found)
{
	bool any = false;

	for (size_t i = 0; case_name(c, i); i++) {
		size_t at = find(l, c->plan_name, case_name(c, i));

		any |= at < l->n;
		if (found)
			found[at] = true;
	}
	return any;
}

/* ---- selection ---- */

static bool contains(const char *const *words, const char *word, size_t len)
{
	for (; *words; words++)
		if (!strncmp(*words, word, len) && !(*words)[len])
			return true;
	return false;
}

static bool matches_in_plan(const char *glob, const char *plan, const char *name)
{
	char *full = NULL;

	if (asprintf(&full, "%s/%s", plan, name) < 0)
		return false;
	bool match = pv_glob_matches(glob, full);

	free(full);
	return match;
}

static bool name_matches(const char *glob, const char *plan, const char *name)
{
	_autofree_ char *base = strndup(name, strcspn(name, "["));

	return pv_glob_matches(glob, name) || matches_in_plan(glob, plan, name) ||
	       (base && (pv_glob_matches(glob, base) || matches_in_plan(glob, plan, base)));
}

static bool glob_matches(const struct pv_case *c, const char *glob)
{
	for (size_t i = 0; case_name(c, i); i++)
		if (name_matches(glob, c->plan_name, case_name(c, i)))
			return true;
	return false;
}

static bool any_name(const struct pv_case *c, const char *const *globs)
{
	for (const char *const *g = globs; g && *g; g++)
		if (glob_matches(c, *g))
			return true;
	return !globs || !*globs;
}

/* Returns true if one of the tags is present, and none of those with '!'. */
static bool tags_match(const struct pv_case *c, const char *const *tags)
{
	bool wanted = false, found = false;

	for (; tags && *tags; tags++) {
		bool not = (*tags)[0] == '!';
		bool have = contains(c->tags, *tags + not, strlen(*tags + not ));

		if (not &&have)
			return false;
		wanted |= !not ;
		found |= !not &&have;
	}
	return !wanted || found;
}

static bool any_requirement(const struct pv_case *c, const char *const *globs)
{
	for (const char *const *g = globs; g && *g; g++)
		for (const char *const *v = c->verifies; *v; v++)
			if (!fnmatch(*g, *v, 0))
				return true;
	return !globs || !*globs;
}

bool pv_case_selected(const struct pv_case *c, const struct pv_selection *s)
{
	if (!s)
		return true;
	if (s->target && !contains(c->targets, s->target, strcspn(s->target, ":")))
		return false;
	if (s->excludes && *s->excludes && any_name(c, s->excludes))
		return false;
	if (s->listed && !is_listed(s->listed, c, NULL))
		return false;
	return any_name(c, s->names) && tags_match(c, s->tags) && any_requirement(c, s->requirements);
}

/* ---- values that match no case ---- */

/* Collects values that match no case. */
struct unmatched {
	const struct pv_plans *plans;
	void (*report)(void *ctx, const char *text);
	void *ctx;
};

static void tell(const struct unmatched *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void tell(const struct unmatched *u, const char *fmt, ...)
{
	_autofree_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	u->report(u->ctx, n < 0 ? "no memory" : text);
}

/* Enumerates candidates for "did you mean". */
struct words {
	const struct pv_plans *plans;
	struct pv_selection of_target; /* all cases of the target */
	const char *(*of_case)(const struct pv_case *c, size_t i);
};

static const char *case_name_only(const struct pv_case *c, size_t i)
{
	return i ? NULL : c->name;
}

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

	for (size_t k = 0; k < w->plans->n_cases; k++) {
		if (!pv_case_selected(w->plans->cases[k], &w->of_target))
			continue;
		for (size_t i = 0; w->of_case(w->plans->cases[k], i); i++)
			if (!n--)
				return w->of_case(w->plans->cases[k], i);
	}
	return NULL;
}

/* Returns the first case that is selected; NULL: there is none. */
static const struct pv_case *selected(const struct pv_plans *plans, const struct pv_selection *s)
{
	for (size_t i = 0; i < plans->n_cases; i++)
		if (pv_case_selected(plans->cases[i], s))
			return plans->cases[i];
	return NULL;
}

/* Says for which targets a case is that was meant, or what else may have been meant. */
static struct pv_hint hint_of(const struct pv_case *elsewhere, const char *word, const struct words *words)
{
	struct pv_hint h;
	int n;

	if (!elsewhere)
		return pv_did_you_mean(word, candidate_word, words);
	n = snprintf(h.s, sizeof(h.s), "; %s/%s is for", PV_SHOW(elsewhere->plan_name), PV_SHOW(elsewhere->name));
	for (const char *const *t = elsewhere->targets; *t && n < (int)sizeof(h.s); t++)
		n += snprintf(h.s + n, sizeof(h.s) - (size_t)n, "%s %s", t == elsewhere->targets ? "" : ",", *t);
	return h;
}

static const char *for_target(const struct pv_selection *s, char text[128])
{
	snprintf(text, 128, "%s%s", s->target ? " for target " : "", s->target ? PV_SHOW(s->target) : "");
	return text;
}

/* An option that selects cases, and the member of a selection for its values. */
struct chooser {
	const char *option;
	size_t at;
	const char *(*of_case)(const struct pv_case *c, size_t i);
	bool excludes; /* "!VALUE" excludes cases, so it may match none */
};

static const struct chooser choosers[] = {
	{"name", offsetof(struct pv_selection, names), case_base, false},
	{"tag", offsetof(struct pv_selection, tags), case_tag, true},
	{"requirement", offsetof(struct pv_selection, requirements), case_requirement, false},
};

/* Returns the first case that a value selects; `target` NULL: of any target. */
static const struct pv_case *matching(const struct pv_plans *plans, const char *target, const struct chooser *c,
				      const char *value)
{
	const char *const one[] = {value, NULL};
	struct pv_selection alone = {.target = target};

	*(const char *const **)((char *)&alone + c->at) = one;
	return selected(plans, &alone);
}

static size_t tell_unmatched(const struct unmatched *u, const struct pv_selection *s, const struct chooser *c)
{
	const struct words words = {u->plans, {.target = s->target}, c->of_case};
	char target[128];
	size_t n = 0;

	for (const char *const *v = *(const char *const *const *)((const char *)s + c->at); v && *v; v++) {
		if ((c->excludes && **v == '!') || matching(u->plans, s->target, c, *v))
			continue;
		tell(u, "%s: '%s' matches none of %zu case%s%s%s", c->option, PV_SHOW(*v), u->plans->n_cases,
		     u->plans->n_cases == 1 ? "" : "s", for_target(s, target),
		     hint_of(matching(u->plans, NULL, c, *v), *v, &words).s);
		n++;
	}
	return n;
}

static void tell_line(const struct unmatched *u, const struct pv_selection *s, struct line *line)
{
	const struct pv_case_list alone = {.lines = line, .n = 1};
	const struct words words = {u->plans, {.target = s->target}, case_name_only};
	const struct pv_case *elsewhere = selected(u->plans, &(struct pv_selection){.listed = &alone});
	const char *slash = strchr(line->name, '/');
	char target[128];

	tell(u, "cases: %s:%u: '%s' is none of %zu case%s%s%s", s->listed->path, line->number, PV_SHOW(line->name),
	     u->plans->n_cases, u->plans->n_cases == 1 ? "" : "s", for_target(s, target),
	     slash ? hint_of(elsewhere, slash + 1, &words).s : "; expected PLAN/CASE");
}

static size_t tell_unmatched_lines(const struct unmatched *u, const struct pv_selection *s)
{
	const struct pv_selection of_target = {.target = s->target};
	const struct pv_case_list *l = s->listed;
	_autofree_ bool *found = calloc(l->n + 1, sizeof(*found));
	size_t bad = 0;

	for (size_t i = 0; found && i < u->plans->n_cases; i++)
		if (pv_case_selected(u->plans->cases[i], &of_target))
			is_listed(l, u->plans->cases[i], found);
	/* If a name is listed twice, only its first line was marked as found. */
	for (size_t i = 0; found && i < l->n; i++) {
		found[i] |= i && found[i - 1] && !strcmp(l->lines[i].name, l->lines[i - 1].name);
		if (!found[i])
			tell_line(u, s, &l->lines[i]);
		bad += !found[i];
	}
	return found ? bad : 1;
}

size_t pv_selection_unmatched(const struct pv_selection *s, const struct pv_plans *plans,
			      void (*report)(void *ctx, const char *text), void *ctx)
{
	const struct unmatched u = {plans, report, ctx};
	size_t bad = 0;

	for (size_t i = 0; i < ARRAY_SIZE(choosers); i++)
		bad += tell_unmatched(&u, s, &choosers[i]);
	return bad + (s->listed ? tell_unmatched_lines(&u, s) : 0);
}
