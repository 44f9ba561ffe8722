/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging lists of names. */
#include "framework/agent/name_list.h"

#include <string.h>

void pv_list_add(struct pv_list *l, const char *name)
{
	int n = snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s ", name);

	if (n < 0 || (size_t)n >= sizeof(l->text) - l->len) {
		l->text[l->len] = 0;
		l->full = true;
		return;
	}
	l->len += (size_t)n;
	l->n++;
}

void pv_list_add_cb(void *ctx, const char *name)
{
	pv_list_add(ctx, name);
}

/* Returns true if every word of `words` is in `list`; with in = false, if none is. */
static bool all_words(const char *words, const char *list, bool in)
{
	char one[256];

	while (pv_word_next(&words, one, sizeof(one)))
		if (pv_word_in(list, one) != in)
			return false;
	return true;
}

static size_t count_words(const char *words)
{
	char one[256];
	size_t n = 0;

	while (pv_word_next(&words, one, sizeof(one)))
		n++;
	return n;
}

int pv_list_judge(struct pv_session *s, const struct pv_args *a, const struct pv_list *l, const char *what)
{
	const char *equals = pv_arg_text(a, "equals"), *has = pv_arg_text(a, "has"), *lacks = pv_arg_text(a, "lacks");

	if (l->full) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "%s: the list is too long", what);
		return -1;
	}
	if (equals)
		pv_session_judge(s,
				 count_words(equals) == l->n && all_words(equals, l->text, true) &&
					 all_words(l->text, equals, true),
				 NULL, "%s: expected exactly \"%s\", got \"%s\"", what, equals, l->text);
	if (has)
		pv_session_judge(s, all_words(has, l->text, true), NULL, "%s: expected \"%s\" among them, got \"%s\"",
				 what, has, l->text);
	if (lacks)
		pv_session_judge(s, all_words(lacks, l->text, false), NULL,
				 "%s: expected none of \"%s\" among them, got \"%s\"", what, lacks, l->text);
	return 0;
}
