/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports problems in readable form, each of them once. */
#include "framework/plan/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "framework/util/hash.h"

/*
 * Hashes a text without its quoted parts: these come from the plan, and differ from case to case if they have
 * parameters.
 */
static uint64_t hash_without_quoted(const char *text)
{
	char plain[sizeof(((struct pv_error *)0)->text)];
	size_t n = 0;
	bool quoted = false;

	for (const char *c = text; *c && n + 1 < sizeof(plain); c++) {
		quoted ^= *c == '\'';
		if (!quoted)
			plain[n++] = *c;
	}
	plain[n] = 0;
	return pv_hash_text(plain);
}

/* The same text with other quoted values is the same problem in another case, but a new one within a case. */
static bool seen_before(struct pv_problems *p, const char *text, const char *where)
{
	uint64_t whole = pv_hash_text(text), plain = hash_without_quoted(text), in = where ? pv_hash_text(where) : 0;
	unsigned n = p->count < PV_PROBLEMS_MAX ? p->count : PV_PROBLEMS_MAX;

	for (unsigned i = 0; i < n; i++)
		if (p->seen[i].whole == whole || (where && p->seen[i].plain == plain && p->seen[i].in != in))
			return true;
	if (p->count < PV_PROBLEMS_MAX) {
		p->seen[p->count].whole = whole;
		p->seen[p->count].plain = plain;
		p->seen[p->count].in = in;
	}
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

/* Replaces control characters in the path, but does not quote it, so that editors can follow it. */
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
	if (seen_before(p, e.text, where))
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
