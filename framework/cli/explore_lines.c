/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcov(1) tells the lines; a line is a state with its file and number as a name. */
#include "framework/cli/explore_lines.h"

#include <errno.h>
#include <string.h>

#include "framework/explore/corpus.h"
#include "framework/run/driver_lines.h"
#include "framework/util/hash.h"
#include "framework/util/json.h"

/* Returns the case whose name ends "PLAN/case"; NULL: it is none of them. */
static json_object *case_of(const char *name, json_object *const *cases, size_t n)
{
	const char *slash = strrchr(name, '/');

	for (size_t i = 0; i < n; i++)
		if (!strcmp(json_object_get_string(json_object_object_get(cases[i], "name")), slash ? slash + 1 : name))
			return cases[i];
	return NULL;
}

static void reach(json_object *c, const char *file, unsigned line)
{
	json_object *reached = json_object_object_get(c, "reached");
	char name[300];

	if (!reached)
		pv_json_add(c, "reached", reached = json_object_new_object());
	snprintf(name, sizeof(name), PV_CORPUS_LINE "%s:%u", file, line);
	pv_json_uint(reached, name, pv_hash_text(name));
}

static void add_lines(const struct pv_driver_lines *l, const struct pv_source_file *f, json_object *const *cases,
		      size_t n)
{
	for (size_t i = 0; i < f->n_lines; i++)
		for (size_t k = 0; k < f->lines[i].n_cases; k++) {
			json_object *c = case_of(l->cases[f->lines[i].cases[k]], cases, n);

			if (c)
				reach(c, f->path, f->lines[i].number);
		}
}

int pv_cli_explore_lines(const struct pv_run_result *r, json_object *const *cases, size_t n, struct pv_error *e)
{
	struct pv_driver_lines l = {0};
	int err = pv_driver_lines_add_run(&l, r, e);

	for (size_t i = 0; !err && i < l.n_files; i++)
		add_lines(&l, &l.files[i], cases, n);
	pv_driver_lines_free(&l);
	return err;
}
