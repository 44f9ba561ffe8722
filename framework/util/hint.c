/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggestions for misspelt words, and printable copies of values: see hint.h. */
#include "framework/util/hint.h"

#include <stdio.h>
#include <string.h>

struct pv_shown pv_show(const char *value)
{
	struct pv_shown out = {0};
	const size_t room = sizeof(out.s) - 8; /* for "..." or one escape */
	size_t n = 0;

	for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
		if (n >= room) {
			/* Do not cut a UTF-8 sequence in two. */
			while (n && ((unsigned char)out.s[n - 1] & 0xc0) == 0x80)
				n--;
			if (n && (unsigned char)out.s[n - 1] >= 0xc0)
				n--;
			memcpy(out.s + n, "...", 4);
			return out;
		}
		if (*c < 0x20 || *c == 0x7f)
			n += (size_t)snprintf(out.s + n, sizeof(out.s) - n, "\\x%02x", *c);
		else
			out.s[n++] = (char)*c;
	}
	out.s[n] = '\0';
	return out;
}

/* Damerau-Levenshtein with adjacent transpositions, on words of at most 63 letters. */
static unsigned distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	unsigned row[3][MAX + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na >= MAX || nb >= MAX)
		return MAX;
	unsigned *before = row[0], *last = row[1], *now = row[2];
	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		unsigned *t = before;
		before = last;
		last = now;
		now = t;
	}
	return last[nb];
}

const char *pv_nearest(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx)
{
	const char *best = NULL, *c;
	unsigned least = (unsigned)strlen(word) / 3 + 1; /* further away is another word */

	for (size_t i = 0; (c = next(ctx, i)); i++) {
		unsigned d = distance(word, c);

		if (d <= least && d < strlen(c) && (!best || d < least)) {
			best = c;
			least = d;
		}
	}
	return best;
}

struct pv_hint pv_did_you_mean(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx)
{
	struct pv_hint out = {0};
	const char *best = pv_nearest(word, next, ctx);

	if (best)
		snprintf(out.s, sizeof(out.s), "; did you mean '%s'?", PV_SHOW(best));
	return out;
}

const char *pv_candidate_of_array(const void *array, size_t i)
{
	return ((const char *const *)array)[i];
}
