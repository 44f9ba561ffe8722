/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes groups by sorting, which is fast even for runs with many cases: see groups.h. */
#include "reports/groups.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/xmltext.h"

void pv_groups_add(struct pv_groups *g, const char *key, size_t index)
{
	if (g->n_members == g->room) {
		size_t room = g->room ? 2 * g->room : 256;
		struct pv_member *more = reallocarray(g->members, room, sizeof(*more));

		if (!more) {
			g->failed = true;
			return;
		}
		g->members = more;
		g->room = room;
	}
	g->members[g->n_members++] = (struct pv_member){key, index};
}

/* Adds a member with an allocated key, which is freed with the groups. NULL: no memory for the key. */
static void add_owned(struct pv_groups *g, char *key, size_t index)
{
	char **more = key ? reallocarray(g->keys, g->n_keys + 1, sizeof(*more)) : NULL;

	if (!more) {
		free(key);
		g->failed = true;
		return;
	}
	g->keys = more;
	g->keys[g->n_keys++] = key;
	pv_groups_add(g, key, index);
}

static int by_number(size_t x, size_t y)
{
	return (x > y) - (x < y);
}

static int by_key_and_index(const void *a, const void *b)
{
	const struct pv_member *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : by_number(x->index, y->index);
}

static int by_first(const void *a, const void *b)
{
	const struct pv_group *x = a, *y = b;
	int order = by_number(x->members->index, y->members->index);

	return order ? order : strcmp(x->key, y->key);
}

static int by_key(const void *a, const void *b)
{
	const struct pv_group *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int by_size(const void *a, const void *b)
{
	const struct pv_group *x = a, *y = b;
	int order = by_number(y->n, x->n);

	return order ? order : by_first(a, b);
}

static void take(struct pv_group *group, const struct pv_case_result *c)
{
	group->n++;
	group->count[c->verdict]++;
	group->seconds += c->seconds;
}

void pv_groups_make(struct pv_groups *g, const struct pv_run_result *r, enum pv_group_order order)
{
	static int (*const orders[])(const void *, const void *) = {
		[PV_GROUPS_BY_FIRST] = by_first, [PV_GROUPS_BY_KEY] = by_key, [PV_GROUPS_BY_SIZE] = by_size};

	g->groups = g->failed ? NULL : calloc(g->n_members + 1, sizeof(*g->groups));
	if (!g->groups) {
		g->failed = true;
		return;
	}
	if (!g->n_members)
		return;
	qsort(g->members, g->n_members, sizeof(*g->members), by_key_and_index);
	for (size_t i = 0; i < g->n_members; i++) {
		const struct pv_member *m = &g->members[i];

		if (!i || strcmp(m->key, m[-1].key))
			g->groups[g->n++] = (struct pv_group){.key = m->key, .members = m};
		take(&g->groups[g->n - 1], &r->cases[m->index]);
	}
	qsort(g->groups, g->n, sizeof(*g->groups), orders[order]);
}

void pv_groups_free(struct pv_groups *g)
{
	for (size_t i = 0; i < g->n_keys; i++)
		free(g->keys[i]);
	free(g->keys);
	free(g->members);
	free(g->groups);
	*g = (struct pv_groups){0};
}

enum pv_verdict pv_group_verdict(const struct pv_group *group)
{
	static const enum pv_verdict worst_first[] = {PV_FAIL, PV_ERROR, PV_PASS, PV_SKIP};

	for (size_t i = 0; i + 1 < sizeof(worst_first) / sizeof(*worst_first); i++)
		if (group->count[worst_first[i]])
			return worst_first[i];
	return PV_SKIP;
}

void pv_groups_of_plans(struct pv_groups *g, const struct pv_run_result *r)
{
	for (size_t i = 0; i < r->n_cases; i++)
		pv_groups_add(g, r->cases[i].plan, i);
	pv_groups_make(g, r, PV_GROUPS_BY_FIRST);
}

/* ---- failures that look alike ---- */

enum { LIKENESS_BYTES = 400 }; /* longer messages continue with other text: an attribute file, a log */

/* Skips "scenarios/x.xml:14: " if it names the case's own file. */
static const char *skip_place(const struct pv_case_result *c, const char *message)
{
	size_t n = c->file ? strlen(c->file) : 0;

	if (!n || strncmp(message, c->file, n) || message[n] != ':')
		return message;
	const char *s = message + n + 1 + strspn(message + n + 1, "0123456789");
	return *s == ':' ? s + 1 + strspn(s + 1, " ") : message;
}

static bool is(const char *word, size_t n, const char *text)
{
	return n == strlen(text) && !memcmp(word, text, n);
}

/* Nouns that precede a name given by the plan's author. */
static bool is_noun(const char *word, size_t n)
{
	static const char *const nouns[] = {"counter", "trace", "measure", "device", "port"};

	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++)
		if (is(word, n, nouns[i]))
			return true;
	return false;
}

static bool varies(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isdigit((unsigned char)word[i]) || strchr("/_", word[i]))
			return true;
	return false;
}

/* Replaces words, but keeps brackets, quotes and punctuation around them. */
static void put_words(const char *s, FILE *f)
{
	bool named = false;

	for (bool first = true; *s; first = false) {
		s += strspn(s, " ");
		size_t all = strcspn(s, " "), before = strspn(s, "(['\""), n = all;
		if (!all)
			break;
		while (n > before && strchr(",:;.)]'\"", s[n - 1]))
			n--;
		if (!first)
			fputc(' ', f);
		if (n > before && (named || varies(s + before, n - before)))
			fprintf(f, "%.*s#%.*s", (int)before, s, (int)(all - n), s + n);
		else
			fprintf(f, "%.*s", (int)all, s);
		named = all == n && is_noun(s, n);
		s += all;
	}
}

char *pv_failure_signature(const struct pv_case_result *c)
{
	_autofree_ char *message = pv_text_line(c->message);
	char *text = NULL;
	size_t n;
	FILE *f = message ? open_memstream(&text, &n) : NULL;

	if (!f)
		return NULL;
	put_words(skip_place(c, message), f);
	if (fclose(f))
		return NULL;
	if (n > LIKENESS_BYTES)
		text[LIKENESS_BYTES] = 0;
	return text;
}

/* The key includes the verdict and its type, so that a failure and an error are never alike. */
static char *key_of(const struct pv_case_result *c)
{
	_autofree_ char *signature = pv_failure_signature(c);
	char *key;

	return signature && asprintf(&key, "%s\n%s\n%s", pv_verdict_name(c->verdict), c->type ? c->type : "",
				     signature) >= 0
		       ? key
		       : NULL;
}

void pv_groups_of_alike(struct pv_groups *g, const struct pv_run_result *r)
{
	for (size_t i = 0; i < r->n_cases && !g->failed; i++)
		if (pv_case_is_bad(&r->cases[i]))
			add_owned(g, key_of(&r->cases[i]), i);
	pv_groups_make(g, r, PV_GROUPS_BY_SIZE);
}

void pv_groups_of_skips(struct pv_groups *g, const struct pv_run_result *r)
{
	for (size_t i = 0; i < r->n_cases; i++)
		if (r->cases[i].verdict == PV_SKIP && !pv_case_is_known_failure(&r->cases[i]))
			pv_groups_add(g, pv_case_reason(&r->cases[i]), i);
	pv_groups_make(g, r, PV_GROUPS_BY_SIZE);
}

/* ---- cases that ran several times ---- */

static bool is_repeated(const struct pv_run_result *run)
{
	for (size_t i = 0; i < run->n_cases; i++)
		if (run->cases[i].round)
			return true;
	return false;
}

/* Returns false for cases that never ran, since the run ended before. */
static bool has_run(const struct pv_case_result *c)
{
	bool unrun = c->type && ((c->verdict == PV_ERROR && !strcmp(c->type, "not-run")) ||
				 (c->verdict == PV_SKIP && !strcmp(c->type, "fail-fast")));

	return c->round && !unrun;
}

void pv_groups_of_repeats(struct pv_groups *g, const struct pv_run_result *r)
{
	char *key;

	if (!is_repeated(r))
		return;
	for (size_t i = 0; i < r->n_cases && !g->failed; i++)
		if (has_run(&r->cases[i]))
			add_owned(g, asprintf(&key, "%s/%s", r->cases[i].plan, r->cases[i].name) < 0 ? NULL : key, i);
	pv_groups_make(g, r, PV_GROUPS_BY_FIRST);
}

bool pv_group_agrees(const struct pv_group *g)
{
	for (int v = 0; v < PV_VERDICTS; v++)
		if (g->count[v] == g->n)
			return true;
	return false;
}
