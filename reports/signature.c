/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages without what differs from case to case: see signature.h. */
#include "reports/signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/xmltext.h"

enum { LIKENESS_BYTES = 400 }; /* beyond it come texts of others: an attribute file, a log */

/* "scenarios/x.xml:14: ..." without its beginning, when it is the case's own file. */
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

/* Nouns that are followed by a name of the plan's author. */
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

/* A word may stand in brackets or quotes, and end with punctuation: that stays. */
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

/* ---- groups ---- */

/* A failure is not like an error, whatever their words: the verdict and its type are a part of the key. */
static bool add_alike(struct pv_alike *a, const struct pv_case_result *c, size_t i)
{
	_autofree_ char *likeness = pv_failure_signature(c);
	char *key;

	if (!likeness ||
	    asprintf(&key, "%s\n%s\n%s", pv_verdict_name(c->verdict), c->type ? c->type : "", likeness) < 0)
		return false;
	a->keys[a->n_keys++] = key;
	pv_groups_add(&a->groups, key, i);
	return true;
}

void pv_alike_make(struct pv_alike *a, const struct pv_run_result *r)
{
	bool good = (a->keys = calloc(r->n_cases + 1, sizeof(*a->keys)));

	for (size_t i = 0; i < r->n_cases && good; i++)
		if (pv_case_is_bad(&r->cases[i]))
			good = add_alike(a, &r->cases[i], i);
	pv_groups_make(&a->groups, r, PV_GROUPS_BY_SIZE);
	a->groups.failed |= !good;
}

void pv_alike_free(struct pv_alike *a)
{
	pv_groups_free(&a->groups);
	for (size_t i = 0; i < a->n_keys; i++)
		free(a->keys[i]);
	free(a->keys);
	*a = (struct pv_alike){0};
}
