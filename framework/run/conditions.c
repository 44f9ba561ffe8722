/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A statement ends at a semicolon outside of parentheses, and at each brace. */
#include "framework/run/conditions.h"

#include <ctype.h>
#include <string.h>

struct scan {
	const char *at;
	size_t line, first; /* numbers of the present line, and of the statement's first; 0: none yet */
	unsigned depth;	    /* of parentheses */
	bool decides;
	bool *lines;
	size_t n;
};

static void advance(struct scan *s, size_t bytes)
{
	for (; bytes && *s->at; bytes--)
		s->line += *s->at++ == '\n';
}

static bool begins(const struct scan *s, const char *word)
{
	return !strncmp(s->at, word, strlen(word));
}

/* Passes over what has this end, with a backslash before a character that does not end it. */
static void skip_to(struct scan *s, const char *end)
{
	while (*s->at && !begins(s, end))
		advance(s, *s->at == '\\' ? 2 : 1);
	advance(s, strlen(end));
}

/* Passes over a comment, a string, a character or a directive. False: there is none. */
static bool skip(struct scan *s, bool line_begins)
{
	if (line_begins && *s->at == '#')
		skip_to(s, "\n");
	else if (begins(s, "/*"))
		skip_to(s, "*/");
	else if (begins(s, "//"))
		skip_to(s, "\n");
	else if (*s->at == '"' || *s->at == '\'') {
		const char quote[] = {*s->at, 0};

		advance(s, 1);
		skip_to(s, quote);
	} else {
		return false;
	}
	return true;
}

static void end_statement(struct scan *s)
{
	for (size_t i = s->first; s->decides && i && i <= s->line && i <= s->n; i++)
		s->lines[i - 1] = true;
	s->first = 0;
	s->decides = false;
}

static void take_word(struct scan *s)
{
	static const char *const deciding[] = {"if", "for", "while", "switch"};
	const char *word = s->at;
	size_t n = 0;

	while (isalnum((unsigned char)word[n]) || word[n] == '_')
		n++;
	for (size_t i = 0; i < sizeof(deciding) / sizeof(*deciding); i++)
		s->decides |= n == strlen(deciding[i]) && !strncmp(word, deciding[i], n);
	for (size_t i = 0; i + strlen("for_each") <= n; i++)
		s->decides |= !strncmp(word + i, "for_each", strlen("for_each"));
	advance(s, n);
}

static void take_sign(struct scan *s)
{
	char c = *s->at;

	s->decides |= c == '?' || begins(s, "&&") || begins(s, "||");
	s->depth += c == '(';
	s->depth -= c == ')' && s->depth;
	if (c == '{' || c == '}' || (c == ';' && !s->depth))
		end_statement(s);
	advance(s, begins(s, "&&") || begins(s, "||") ? 2 : 1);
}

void pv_conditions(const char *text, bool *decides, size_t n)
{
	struct scan s = {.at = text, .line = 1, .lines = decides, .n = n};
	size_t seen = 0; /* the last line with a sign of code */

	memset(decides, 0, n * sizeof(*decides));
	while (*s.at) {
		if (isspace((unsigned char)*s.at)) {
			advance(&s, 1);
			continue;
		}
		if (skip(&s, seen < s.line))
			continue;
		seen = s.line;
		s.first = s.first ? s.first : s.line;
		if (isalnum((unsigned char)*s.at) || *s.at == '_')
			take_word(&s);
		else
			take_sign(&s);
	}
}
