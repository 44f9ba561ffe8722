/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/util/cleanup.h"
#include "framework/util/wrap.h"

static char *wrapped(const char *head, const char *words, unsigned indent)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	cr_assert(f);
	pv_put_wrapped(f, head, words, indent);
	fclose(f);
	return text;
}

#define TEN "123456789 "

Test(wrap, a_line_has_80_columns)
{
	_autofree_ char *full = wrapped("head:", TEN TEN TEN TEN TEN TEN TEN "1234", 4);
	_autofree_ char *more = wrapped("head:", TEN TEN TEN TEN TEN TEN TEN "12345", 4);
	_autofree_ char *second =
		wrapped("head:", TEN TEN TEN TEN TEN TEN TEN "12345 " TEN TEN TEN TEN TEN TEN TEN "b", 4);

	cr_expect_str_eq(full, "head: " TEN TEN TEN TEN TEN TEN TEN "1234\n");
	cr_expect_str_eq(more, "head: " TEN TEN TEN TEN TEN TEN "123456789\n    12345\n");
	cr_expect_str_eq(second, "head: " TEN TEN TEN TEN TEN TEN "123456789\n    12345 " TEN TEN TEN TEN TEN TEN
				 "123456789\n    b\n");
}

Test(wrap, a_long_word_has_a_line_of_its_own)
{
	_autofree_ char *text = wrapped("", "a " TEN TEN TEN "b", 2);
	char word[101], expected[128];

	cr_expect_str_eq(text, " a " TEN TEN TEN "b\n");
	snprintf(word, sizeof(word), "%0100d", 0);
	free(steal(&text));
	text = wrapped("head", word, 2);
	snprintf(expected, sizeof(expected), "head\n  %s\n", word);
	cr_expect_str_eq(text, expected);
}
