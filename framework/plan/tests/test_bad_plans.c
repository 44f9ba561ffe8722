/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bad plans. The first comment of each file in bad/ has "expect LINE: TEXT" for each problem; no other problem may be
 * reported. Line 0: the problem is in another file.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <glob.h>

#include "framework/plan/tests/loaded.h"

#define FOLDER "framework/plan/tests/bad/"

struct expectation {
	int line;
	char text[512];
};

static size_t read_expectations(const char *file, struct expectation *out, size_t max)
{
	FILE *f = fopen(file, "r");
	char line[1024];
	size_t n = 0;

	cr_assert_not_null(f, "%s", file);
	while (n < max && fgets(line, sizeof(line), f) && strncmp(line, "-->", 3))
		n += sscanf(line, "expect %d: %511[^\n]", &out[n].line, out[n].text) == 2;
	fclose(f);
	return n;
}

static bool reported(const struct loaded *l, const char *file, const struct expectation *e)
{
	char place[512];

	snprintf(place, sizeof(place), "%s:%d: ", file, e->line);
	for (size_t i = 0; i < l->n; i++)
		if (strstr(l->problems[i], e->text) && (!e->line || !strncmp(l->problems[i], place, strlen(place))))
			return true;
	return false;
}

static void judge(const char *file)
{
	static struct expectation e[16];
	size_t n = read_expectations(file, e, 16);
	struct loaded *l = load_file(file);

	cr_expect_neq(n, 0, "%s expects nothing", file);
	cr_expect_eq(l->err, -EINVAL, "%s: loaded with %d", file, l->err);
	cr_expect_eq(l->n, n, "%s: %zu problems reported, expected %zu; the last: %s", file, l->n, n,
		     l->n ? l->problems[l->n - 1] : "none");
	for (size_t i = 0; i < n; i++)
		cr_expect(reported(l, file, &e[i]), "%s: expected line %d: %s; got: %s", file, e[i].line, e[i].text,
			  l->n ? l->problems[0] : "nothing");
	loaded_free(l);
}

Test(bad_plans, each_reports_what_it_says_and_nothing_else)
{
	glob_t g;

	cr_assert_eq(glob(FOLDER "*.xml", 0, NULL, &g), 0);
	cr_assert_gt(g.gl_pathc, 90, "only %zu bad plans", g.gl_pathc);
	for (size_t i = 0; i < g.gl_pathc; i++)
		judge(g.gl_pathv[i]);
	globfree(&g);
}
