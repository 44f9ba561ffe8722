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

Test(hint, a_third_of_the_letters_and_one_more_may_be_wrong)
{
	cr_expect_str_eq(meant("dixx"), "diff");
	cr_expect_null(meant("dxxx"));
	cr_expect_str_eq(meant("conxxxt"), "convert");
	cr_expect_null(meant("coxxxxt"));
}

Test(hint, of_words_that_are_equally_near_the_first_is_meant)
{
	static const char *const near[] = {"traces", "trace1", "trace2", NULL};

	cr_expect_str_eq(pv_nearest("trace3", pv_candidate_of_array, near), "traces");
}

Test(hint, words_of_64_letters_are_none)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";
	static const char *const one[] = {word, "decode", NULL};

	cr_expect_eq(strlen(word), 64);
	cr_expect_null(pv_nearest(word, pv_candidate_of_array, one));
	cr_expect_null(pv_nearest(word + 1, pv_candidate_of_array, one));
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
