/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Problems, made readable, and shown once. */
#include "framework/plan/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "framework/util/hash.h"

static bool seen_before(struct pv_problems *p, const char *text)
{
	uint64_t h = pv_hash_text(text);
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
