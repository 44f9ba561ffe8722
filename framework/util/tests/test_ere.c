/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns whose repetitions regcomp(3) would write out until memory is gone are refused; all others compile. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/util/ere.h"

static int compiled(const char *pattern)
{
	regex_t re;
	int err = pv_ere_compile(&re, pattern);

	if (!err)
		regfree(&re);
	return err;
}

Test(ere, patterns_of_plans_compile)
{
	static const char *const good[] = {"",
					   "^0000:00:10\\.0: probe failed",
					   "(probe|reset) of [0-9a-f]{4}:[[:xdigit:]]+ failed",
					   "a{2,}",
					   "a{999}",
					   "a{,3}",
					   "[]+*{9}]x",
					   "[^]({]",
					   "(a|b+)*c?",
					   "\\++\\{9\\}",
					   "a++"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_expect_eq(compiled(good[i]), 0, "%s", good[i]);
}

Test(ere, mistakes_are_refused)
{
	static const char *const bad[] = {"(", "[a", "a{2", "\\", "a{3,2}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_eq(compiled(bad[i]), -EINVAL, "%s", bad[i]);
}

/* Found by the fuzz target `plan`: 2^39 copies. */
Test(ere, what_would_take_all_memory_is_refused)
{
	static const char *const large[] = {"1+++++++++++++++++++++++++++++++++++++++28",
					    "a{32}{32}",
					    "(a{32}){32}",
					    "((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
					    "(a{20}b{20}){30}",
					    "[a+]{33}{33}",
					    "\\+{33}{33}",
					    "[[:digit:]]{33}{33}",
					    "a{99999999999999999999}",
					    "a{500,}{2}"};

	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		cr_expect_eq(compiled(large[i]), -EINVAL, "%s", large[i]);
}

Test(ere, groups_nest_up_to_a_depth)
{
	char pattern[256] = "";

	memset(pattern, '(', 63);
	strcpy(pattern + 63, "a");
	memset(pattern + 64, ')', 63);
	pattern[127] = '\0';
	cr_expect_eq(compiled(pattern), 0);
	memset(pattern, '(', 64);
	strcpy(pattern + 64, "a");
	memset(pattern + 65, ')', 64);
	pattern[129] = '\0';
	cr_expect_eq(compiled(pattern), -EINVAL);
}

Test(ere, matches)
{
	cr_expect(pv_ere_matches("b+c", "abbc"));
	cr_expect_not(pv_ere_matches("^b+c", "abbc"));
	cr_expect(pv_ere_matches("", "anything"));
	cr_expect_not(pv_ere_matches("(", "("));
}
