/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/error.h"
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

Test(utf8, a_text_that_was_cut_loses_the_part_of_a_character)
{
	static const struct {
		const char *text;
		size_t n, whole;
	} rows[] = {
		{"", 0, 0},	     {"a" EURO, 4, 4},		 {"a" EURO, 3, 1},
		{"a" EURO, 2, 1},    {"a" EURO, 1, 1},		 {"a\xc3\xa9", 3, 3},
		{"a\xc3\xa9", 2, 1}, {"\xf0\x90\x80\x80", 4, 4}, {"\xf0\x90\x80\x80", 3, 0},
		{"a\x82", 2, 2}, /* was none before */
		{"\x82\x82", 2, 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(pv_utf8_whole(rows[i].text, rows[i].n), rows[i].whole, "row %zu", i);
}

Test(utf8, what_does_not_fit_is_printed_up_to_a_whole_character)
{
	char out[6];

	cr_expect_eq(pv_utf8_print(out, sizeof(out), "%s", "ab" EURO), 5);
	cr_expect_str_eq(out, "ab" EURO);
	cr_expect_eq(pv_utf8_print(out, sizeof(out), "%s", "abc" EURO), 6);
	cr_expect_str_eq(out, "abc");
	cr_expect_eq(pv_utf8_print(out, 1, "%s", EURO), 3);
	cr_expect_str_eq(out, "");
	cr_expect_eq(pv_utf8_print(NULL, 0, "%s", EURO), 3);
}

Test(utf8, an_error_ends_with_a_whole_character)
{
	struct pv_error e = {0};
	char many[1200];
	unsigned code;

	for (size_t i = 0; i < sizeof(many) - 1; i++)
		many[i] = EURO[i % 3];
	many[sizeof(many) - 1] = 0;
	for (int shift = 0; shift < 3; shift++) {
		pv_error(&e, -1, "%.*s%s", shift, "ab", many);
		pv_error_context(&e, "x");
		for (size_t at = 0, n; e.text[at]; at += n) {
			n = pv_utf8_decode(e.text + at, &code);
			cr_assert(n, "byte %zu of %zu", at, strlen(e.text));
		}
	}
}

Test(utf8, characters_are_counted)
{
	cr_expect_eq(pv_utf8_characters(""), 0);
	cr_expect_eq(pv_utf8_characters("a" EURO EURO "b"), 4);
	cr_expect_eq(pv_utf8_bytes("a" EURO "b", 0), 0);
	cr_expect_eq(pv_utf8_bytes("a" EURO "b", 2), 4);
	cr_expect_eq(pv_utf8_bytes("a" EURO "b", 9), 5);
}

/* The limits of each length, RFC 3629 section 3, and what lies beyond them. */
Test(utf8, each_sequence_is_decoded_or_refused)
{
	static const struct {
		const char *text;
		size_t len; /* 0: invalid */
		unsigned code;
	} rows[] = {
		{"", 1, 0},
		{"a", 1, 'a'},
		{"\x7f", 1, 0x7f},
		{"\xc2\x80", 2, 0x80},
		{"\xdf\xbf", 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 0x800},
		{EURO, 3, 0x20ac},
		{"\xed\x9f\xbf", 3, 0xd7ff},
		{"\xee\x80\x80", 3, 0xe000},
		{"\xf0\x90\x80\x80", 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		{"\x80", 0, 0},		    /* the rest of a character */
		{"\xc1\xbf", 0, 0},	    /* overlong */
		{"\xe0\x9f\xbf", 0, 0},	    /* overlong */
		{"\xf0\x8f\xbf\xbf", 0, 0}, /* overlong */
		{"\xed\xa0\x80", 0, 0},	    /* the first surrogate */
		{"\xed\xbf\xbf", 0, 0},	    /* the last one */
		{"\xf4\x90\x80\x80", 0, 0}, /* above U+10FFFF */
		{"\xf8\x88\x80\x80\x80", 0, 0},
		{"\xe2\x82", 0, 0}, /* cut */
		{"\xe2\x82x", 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned code = 0;

		cr_expect_eq(pv_utf8_decode(rows[i].text, &code), rows[i].len, "row %zu", i);
		cr_expect_eq(code, rows[i].code, "row %zu: U+%04X", i, code);
	}
}
