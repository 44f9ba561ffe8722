/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts which cases verify a requirement, for each target. */
#include "framework/run/coverage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/law/law.h"

static void count(struct pv_coverage_column *c, const char *const *verifies, bool passed)
{
	for (; verifies && *verifies; verifies++) {
		const struct pv_requirement *r = pv_requirement_find(*verifies);
		size_t i = r ? (size_t)(r - pv_requirements) : PV_COVERAGE_REQUIREMENTS;

		if (i >= PV_COVERAGE_REQUIREMENTS)
			continue;
		c->cases[i]++;
		c->passed[i] += passed;
	}
}

/* Returns the column of a target, without the part after its colon; a new one if necessary. NULL: too many targets. */
static struct pv_coverage_column *column_of(struct pv_coverage *m, const char *target)
{
	char title[sizeof(m->columns->title)];

	snprintf(title, sizeof(title), "%.*s", (int)strcspn(target, ":"), target);
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->columns[i].title, title))
			return &m->columns[i];
	if (m->n == PV_COVERAGE_COLUMNS)
		return NULL;
	struct pv_coverage_column *c = &m->columns[m->n++];
	memcpy(c->title, title, sizeof(title));
	return c;
}

void pv_coverage_add_plans(struct pv_coverage *m, const struct pv_plans *plans, const char *target)
{
	const struct pv_selection s = {.target = target};
	struct pv_coverage_column *c = column_of(m, target);

	for (size_t i = 0; c && i < plans->n_cases; i++) {
		const struct pv_case *k = plans->cases[i];

		if (pv_case_selected(k, &s) && !k->skip)
			count(c, k->verifies, true);
	}
}

int pv_coverage_add_run(struct pv_coverage *m, const struct pv_run_result *r)
{
	struct pv_coverage_column *c = column_of(m, r->target);

	if (!c)
		return -E2BIG;
	m->shown = true;
	for (size_t i = 0; i < r->n_cases; i++)
		count(c, (const char *const *)r->cases[i].verifies, r->cases[i].verdict == PV_PASS);
	return 0;
}

unsigned pv_coverage_verified(const struct pv_coverage *m, size_t i)
{
	unsigned n = 0;

	for (size_t c = 0; c < m->n; c++)
		n += m->columns[c].passed[i];
	return n;
}
