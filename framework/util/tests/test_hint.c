/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggestions for misspelt words, and words that are too different for one. */
#include <criterion/criterion.h>

#include "framework/util/hint.h"

static const char *const words[] = {"decode", "dump", "stat", "diff", "convert", NULL};

static const char *meant(const char *word)
{
	return pv_nearest(word, pv_candidate_of_array, words);
}

Test(hint, one_slip_is_forgiven)
{
	cr_expect_str_eq(meant("decde"), "decode");
	cr_expect_str_eq(meant("sttat"), "stat");
	cr_expect_str_eq(meant("dupm"), "dump", "two letters the wrong way round are one slip");
	cr_expect_str_eq(meant("convret"), "convert");
}

Test(hint, another_word_is_no_slip)
{
	cr_expect_null(meant("x"));
	cr_expect_null(meant("validate"));
	cr_expect_null(meant(""));
}

Test(hint, what_is_shown_cannot_garble_a_terminal)
{
	cr_expect_str_eq(PV_SHOW("a\033[31mb\n"), "a\\x1b[31mb\\x0a");
}
