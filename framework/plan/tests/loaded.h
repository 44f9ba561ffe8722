/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads plans in tests, and keeps the reported problems. */
#ifndef PV_PLAN_TESTS_LOADED_H
#define PV_PLAN_TESTS_LOADED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/plan/plan.h"

struct loaded {
	struct pv_plans *plans;
	int err;
	size_t n;
	char problems[256][1024];
};

static inline void loaded_note(void *ctx, const struct pv_error *e)
{
	struct loaded *l = ctx;

	if (l->n < 256)
		snprintf(l->problems[l->n++], sizeof(l->problems[0]), "%s", e->text);
}

static inline struct loaded *load_files(const char *const *files, size_t n, const struct pv_plan_options *opt)
{
	struct loaded *l = calloc(1, sizeof(*l));

	l->err = pv_plans_load(files, n, opt, loaded_note, l, &l->plans);
	return l;
}

static inline struct loaded *load_file(const char *file)
{
	return load_files(&file, 1, NULL);
}

/* Loads a plan from memory, through a temporary file. */
static inline struct loaded *load_text(const char *text, size_t len)
{
	char path[] = "/tmp/pcieval-plan-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fwrite(text, 1, len, f);
	fclose(f);
	struct loaded *l = load_file(path);
	remove(path);
	return l;
}

static inline void loaded_free(struct loaded *l)
{
	pv_plans_free(l->plans);
	free(l);
}

static inline const struct pv_case *case_named(const struct loaded *l, const char *name)
{
	for (size_t i = 0; l->plans && i < l->plans->n_cases; i++)
		if (!strcmp(l->plans->cases[i]->name, name))
			return l->plans->cases[i];
	return NULL;
}

#endif
