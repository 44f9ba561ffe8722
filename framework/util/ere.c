/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the size of a pattern as regcomp(3) of glibc copies its parts: twice for +, n times for {m,n}. */
#include "framework/util/ere.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 1000, DEPTH = 64 };

/* Returns the character behind a bracket expression, which `s` is in: "[]a-z[:alpha:]]". */
static const char *skip_bracket(const char *s)
{
	s += *s == '^';
	s += *s == ']';
	for (; *s && *s != ']'; s++) {
		const char *end = *s == '[' && strchr(".:=", s[1]) && s[1] ? strchr(s + 2, s[1]) : NULL;

		if (end && end[1] == ']')
			s = end + 1;
	}
	return *s ? s + 1 : s;
}

/* Returns how often a repetition copies its operand, and moves *s behind it; 0: there is none. */
static unsigned long take_repetition(const char **s)
{
	unsigned long n = **s == '+' ? 2 : **s == '*' || **s == '?' ? 1 : 0;

	if (n) {
		++*s;
	} else if (**s == '{') {
		char *end;
		unsigned long least = strtoul(*s + 1, &end, 10),
			      most = *end == ',' ? strtoul(end + 1, &end, 10) : least;

		if (*end != '}')
			return 0;
		n = least > most ? least + 1 : most;
		n = n < SIZE_LIMIT ? n + !n : SIZE_LIMIT;
		*s = end + 1;
	}
	return n;
}

/* Returns the size of the expanded pattern; more than SIZE_LIMIT: too large. Syntax errors are left to regcomp(3). */
static uint64_t written_out(const char *s)
{
	uint64_t sum[DEPTH] = {0}, atom;
	unsigned depth = 0;

	while (*s && sum[depth] <= SIZE_LIMIT) {
		char c = *s++;

		atom = 1;
		if (c == '(') {
			if (++depth == DEPTH)
				return SIZE_LIMIT + 1;
			sum[depth] = 1;
			continue;
		}
		if (c == ')' && depth)
			atom = sum[depth--];
		else if (c == '[')
			s = skip_bracket(s);
		else if (c == '\\' && *s)
			s++;
		for (unsigned long n; atom <= SIZE_LIMIT && (n = take_repetition(&s));)
			atom *= n;
		sum[depth] += atom;
	}
	return sum[depth];
}

int pv_ere_compile(regex_t *re, const char *pattern)
{
	if (written_out(pattern) > SIZE_LIMIT)
		return -EINVAL;
	return regcomp(re, pattern, REG_EXTENDED | REG_NOSUB) ? -EINVAL : 0;
}

bool pv_ere_matches(const char *pattern, const char *text)
{
	regex_t re;

	if (pv_ere_compile(&re, pattern))
		return false;
	bool yes = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return yes;
}
