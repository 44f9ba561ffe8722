/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "framework/util/utf8.h"

#define EURO "\xe2\x82\xac" /* a character of three bytes */

Test(utf8, a_cut_is_between_characters)
{
	static const char text[] = "a" EURO "b";

	for (size_t limit = 0; limit < 8; limit++)
		cr_expect_eq(pv_utf8_cut(text, strlen(text), limit),
			     limit < 1	 ? 0
			     : limit < 4 ? 1
			     : limit < 5 ? 4
					 : 5,
			     "%zu", limit);
	cr_expect_eq(pv_utf8_cut("\x82\x82\x82", 3, 2), 0, "nothing but the rest of a character");
}

Test(utf8, characters_are_counted)
{
	cr_expect_eq(pv_utf8_characters(""), 0);
	cr_expect_eq(pv_utf8_characters("a" EURO EURO "b"), 4);
	cr_expect_eq(pv_utf8_bytes("a" EURO "b", 0), 0);
	cr_expect_eq(pv_utf8_bytes("a" EURO "b", 2), 4);
	cr_expect_eq(pv_utf8_bytes("a" EURO "b", 9), 5);
}
