/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Problems, made readable, and shown once. */
#include "framework/plan/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
	return h;
}

static bool seen_before(struct pv_problems *p, const char *text)
{
	uint64_t h = hash(text);
	unsigned n = p->count < PV_PROBLEMS_MAX ? p->count : PV_PROBLEMS_MAX;
	for (unsigned i = 0; i < n; i++)
		if (p->seen[i] == h)
			return true;
	if (p->count < PV_PROBLEMS_MAX)
		p->seen[p->count] = h;
	return false;
}

static void append(struct pv_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void append(struct pv_error *e, const char *fmt, ...)
{
	size_t used = strlen(e->text);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text + used, sizeof(e->text) - used, fmt, ap);
	va_end(ap);
}

/* Paths are shown whole, so that editors can follow them; only what would garble a terminal is replaced. */
static void append_place(struct pv_error *e, const char *file, int line)
{
	if (!file)
		return;
	append(e, "%.512s", file);
	for (char *c = e->text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	if (line > 0)
		append(e, ":%d: ", line);
	else
		append(e, ": ");
}

void pv_problem(struct pv_problems *p, const char *file, int line, const char *where, const char *fmt, ...)
{
	struct pv_error e = {.code = -EINVAL};
	append_place(&e, file, line);
	size_t used = strlen(e.text);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e.text + used, sizeof(e.text) - used, fmt, ap);
	va_end(ap);
	if (seen_before(p, e.text))
		return;
	if (where)
		append(&e, " (in case %s)", PV_SHOW(where));
	p->count++;
	if (p->count == PV_PROBLEMS_MAX)
		snprintf(e.text, sizeof(e.text), "too many problems: %d are shown", PV_PROBLEMS_MAX - 1);
	if (p->count <= PV_PROBLEMS_MAX && p->report)
		p->report(p->ctx, &e);
}

int pv_problem_memory(struct pv_problems *p)
{
	p->no_memory = true;
	return -ENOMEM;
}

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
