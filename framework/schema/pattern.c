/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares values with the patterns of types.def in one pass, with no memory: regcomp(3) of a dozen patterns takes
 * longer than the steps of a short case. Patterns are extended regular expressions, but nothing is tried again with
 * another length: a repetition takes as much as it can, a group its longest alternative. `0x[01]?[0-7]` therefore does
 * not match "0x1"; `0x([01][0-7]|[0-7])` does.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "framework/schema/schema_internal.h"

static const char *alternatives(const char **p, const char *s);

/* Moves *p from the inside of a bracket expression to behind it. Returns true if c is one of its characters. */
static bool bracket(const char **p, char c)
{
	bool others = **p == '^', listed = false;

	for (*p += others; **p != ']'; ++*p) {
		char first = **p;

		if ((*p)[1] == '-' && (*p)[2] != ']')
			*p += 2;
		listed |= c >= first && c <= **p;
	}
	++*p;
	return listed != others;
}

/* As the functions below: moves *p behind a part of the pattern, and returns what follows its match at s, or NULL. */
static const char *atom(const char **p, const char *s)
{
	char c = *(*p)++, is = s ? *s : '\0';
	bool good = c == is || c == '.';

	if (c == '(') {
		s = alternatives(p, s);
		++*p;
		return s;
	}
	if (c == '[') {
		good = bracket(p, is);
	} else if (c == '\\') {
		c = *(*p)++;
		good = c == is || (c == 'S' && !isspace((unsigned char)is));
	}
	return good && is ? s + 1 : NULL;
}

/* Reads *, +, ?, {n} or {least,most}, if there is one, and moves *p behind it. */
static void read_repetition(const char **p, unsigned long *least, unsigned long *most)
{
	char *end;

	switch (**p) {
	case '{':
		*least = *most = strtoul(*p + 1, &end, 10);
		if (*end == ',')
			*most = strtoul(end + 1, &end, 10);
		*p = end + 1;
		return;
	case '*':
	case '+':
		*most = ULONG_MAX;
		/* fallthrough */
	case '?':
		*least = *(*p)++ == '+';
	}
}

static const char *repeated(const char **p, const char *s)
{
	const char *operand = *p, *next = atom(p, s);
	unsigned long least = 1, most = 1, n = 0;

	read_repetition(p, &least, &most);
	for (; next && n < most; n++) {
		const char *again = operand;

		s = next;
		next = atom(&again, s);
	}
	return n >= least ? s : NULL;
}

static const char *alternatives(const char **p, const char *s)
{
	const char *longest = NULL;

	do {
		const char *end = s;

		while (**p && **p != '|' && **p != ')')
			end = repeated(p, end);
		if (end && (!longest || end > longest))
			longest = end;
	} while (**p == '|' && ++*p);
	return longest;
}

bool pv_pattern_matches(const char *pattern, const char *text)
{
	const char *end = alternatives(&pattern, text);

	return end && !*end;
}
