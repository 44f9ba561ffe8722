/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of cases: rows with names and keys, values that have none, and the names that cases had before. */
#include <criterion/criterion.h>
#include <string.h>

#include "framework/plan/tests/loaded.h"

/* Loads a plan with one case "a" that has this matrix. */
static struct loaded *load_used(const char *attrs, const char *matrix, const char *used)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "<plan name=\"p\"><topology><root-port name=\"rp0\" bdf=\"00:10.0\"><endpoint "
		 "name=\"nic0\"/></root-port>"
		 "</topology><case name=\"a\" verifies=\"MP-IF-01\" %s>\n<matrix>%s</matrix>\n"
		 "<mps-get device=\"nic0\" equals=\"${n}${m}%s\"/></case></plan>",
		 attrs, matrix, used);
	struct loaded *l = load_text(text, strlen(text));
	cr_assert_eq(l->err, 0, "%s", l->n ? l->problems[0] : "?");
	return l;
}

static struct loaded *load_matrix(const char *attrs, const char *matrix)
{
	return load_used(attrs, matrix, "");
}

/* Joins the names of a case, the present one first. */
static const char *names(const struct loaded *l, size_t i)
{
	static char text[1024];
	const struct pv_case *c = l->plans->cases[i];

	snprintf(text, sizeof(text), "%s", c->name);
	for (const char *const *f = c->formerly; *f; f++) {
		strncat(text, " ", sizeof(text) - strlen(text) - 1);
		strncat(text, *f, sizeof(text) - strlen(text) - 1);
	}
	return text;
}

Test(names, rows_without_name_or_key_show_all_values)
{
	struct loaded *l = load_matrix("", "<rows names=\"n m\"><row>1 2</row><row>1 3</row></rows>");

	cr_expect_str_eq(names(l, 0), "a[n=1,m=2]");
	loaded_free(l);
}

Test(names, a_key_shows_its_columns_and_all_values_are_the_former_name)
{
	struct loaded *l = load_matrix("", "<rows names=\"n m\" key=\"m\"><row>1 2</row><row>1 3</row></rows>");

	cr_expect_str_eq(names(l, 0), "a[m=2] a[n=1,m=2]");
	cr_expect_str_eq(names(l, 1), "a[m=3] a[n=1,m=3]");
	loaded_free(l);
}

Test(names, the_name_of_a_row_stands_for_it_and_another_row_keeps_its_own)
{
	struct loaded *l =
		load_matrix("", "<rows names=\"n m\" key=\"n\"><row name=\"w.64\">1 2</row><row>2 3</row></rows>");

	cr_expect_str_eq(names(l, 0), "a[w.64] a[n=1,m=2]");
	cr_expect_str_eq(names(l, 1), "a[n=2] a[n=2,m=3]");
	loaded_free(l);
}

Test(names, an_unnamed_value_leaves_the_name_as_it_was_without_the_parameter)
{
	struct loaded *l = load_matrix("", "<param name=\"n\" values=\"1 2\"/>"
					   "<param name=\"m\" values=\"0 1\" unnamed=\"0\"/>");

	cr_expect_str_eq(names(l, 0), "a[n=1] a[n=1,m=0]");
	cr_expect_str_eq(names(l, 1), "a[n=1,m=1]");
	loaded_free(l);
	l = load_matrix("",
			"<param name=\"n\" values=\"1\" unnamed=\"1\"/><param name=\"m\" values=\"0\" unnamed=\"0\"/>");
	cr_expect_str_eq(names(l, 0), "a a[n=1] a[m=0] a[n=1,m=0]");
	loaded_free(l);
}

Test(names, former_names_of_case_and_row_are_combined)
{
	struct loaded *l = load_matrix("formerly=\"b c\"", "<rows names=\"n m\"><row name=\"x\" formerly=\"y n=1\">"
							   "1 2</row></rows>");

	cr_expect_str_eq(names(l, 0), "a[x] a[n=1,m=2] a[y] a[n=1] b[x] b[n=1,m=2] b[y] b[n=1] c[x] c[n=1,m=2] c[y] "
				      "c[n=1]");
	loaded_free(l);
}

Test(names, former_names_of_a_row_are_divided_like_its_values)
{
	struct loaded *l = load_matrix("", "<rows names=\"n m\" separator=\"|\"><row formerly=\"n=1 2,m=4|x\">1|3</row>"
					   "<row>2|3</row></rows>");

	cr_expect_str_eq(names(l, 0), "a[n=1,m=3] a[n=1 2,m=4] a[x]");
	cr_expect_str_eq(names(l, 1), "a[n=2,m=3]");
	loaded_free(l);
}

/* A row or a column more. */
Test(names, rows_and_columns_that_are_added_rename_no_other)
{
	struct loaded *l = load_matrix("", "<rows names=\"n m\" key=\"n\"><row>1 2</row></rows>");
	struct loaded *more = load_used("",
					"<rows names=\"n m k\" key=\"n\"><row>1 2 3</row><row>2 2 4</row></rows>"
					"<param name=\"q\" values=\"1 2\" unnamed=\"1\"/>",
					"${k}${q}");

	cr_expect_str_eq(more->plans->cases[0]->name, l->plans->cases[0]->name);
	loaded_free(l);
	loaded_free(more);
}
