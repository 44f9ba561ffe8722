/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that decide, and lines whose branches are those of macros. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "framework/run/conditions.h"

/* A line of the text that begins with "+" is expected to decide; it is tried with a space instead. */
static void expect_lines(const char *marked)
{
	char text[1024];
	bool decides[32];
	size_t line = 0;

	snprintf(text, sizeof(text), "%s", marked);
	for (char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (*at == '+')
			*at = ' ';
	pv_conditions(text, decides, 32);
	for (const char *at = marked; *at; at = strchr(at, '\n') + 1, line++)
		cr_expect_eq(decides[line], *at == '+', "line %zu of:\n%s", line + 1, marked);
}

Test(conditions, keywords_and_operators)
{
	expect_lines(" int f(int a)\n"
		     " {\n"
		     "+	if (a)\n"
		     "+		return 1;\n"
		     "	set_bit(a, map);\n"
		     "+	a = b ? c : d;\n"
		     "+	ok = a && b;\n"
		     "+	ok = a || b;\n"
		     "	ok = a & b | c;\n"
		     "+	while (a)\n"
		     "+		f(a);\n"
		     "+	switch (a) {\n"
		     "	case 1:\n"
		     "		f(a);\n"
		     " }\n");
	expect_lines("	notify(a);\n	form = wif + format;\n");
}

Test(conditions, a_statement_of_several_lines)
{
	expect_lines("+	if (a & ~b ||\n"
		     "+	    c)\n"
		     "+		return 0;\n"
		     "	WARN_ON(a &\n"
		     "		b);\n"
		     "+	for (i = 0; i < n; i++) {\n"
		     "		set_bit(i, map);\n"
		     "	}\n"
		     "+	for_each_set_bit(i, map,\n"
		     "+			 n)\n"
		     "+		f(i);\n"
		     "+	list_for_each_entry(e, list, node) {\n"
		     "		f(e);\n"
		     "	}\n");
}

Test(conditions, what_is_no_code)
{
	expect_lines("/* if (a) */\n"
		     "// if (a)\n"
		     "	f(\"if (a) ? \\\" &&\");\n"
		     "	f('?', '\\'');\n"
		     "#if A && \\\n"
		     "	B\n"
		     "	f(a);\n"
		     "#endif\n"
		     "	a = b; /* ? */\n"
		     "+	if (a) /* ; */\n"
		     "+		b;\n");
}

Test(conditions, lines_beyond_the_end_are_left_out)
{
	bool decides[2] = {true, true};

	pv_conditions("a;\nif (a)\nb;\n", decides, 2);
	cr_expect_not(decides[0]);
	cr_expect(decides[1]);
}
