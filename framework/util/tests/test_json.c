/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that are one JSON value, and the errors of those that are not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/util/json.h"

Test(json, one_value_with_blanks_around_it_is_taken)
{
	static const char *const good[] = {"{}", "[1,2]", " \t[ ]\r\n\n", "{\"a\": {\"b\": [null]}}\n"};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct pv_error e = {0};
		json_object *o = pv_json_parse(good[i], strlen(good[i]), &e);

		cr_expect(o && !e.code, "%s: %s", good[i], e.text);
		json_object_put(o);
	}
}

Test(json, what_is_not_one_value_is_refused_with_its_place)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "a mistake at byte 0: unexpected end of data"},
		{"[1, 2", "unexpected end of data"},
		{"[1, 2}", "a mistake at byte 5: array value separator ',' expected"},
		{"nonsense", "a mistake at byte 1: "},
		{"[1] [2]", "got more behind it, at byte 4"},
		{"{}\n\n{", "got more behind it, at byte 4"},
		{"[1]x", "got more behind it, at byte 3"},
		{"null", "got null"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_error e = {0};

		cr_expect_null(pv_json_parse(rows[i].text, strlen(rows[i].text), &e), "%s", rows[i].text);
		cr_expect_eq(e.code, -EINVAL);
		cr_expect(strstr(e.text, rows[i].says), "%s: %s", rows[i].text, e.text);
	}
}

Test(json, bytes_behind_a_zero_are_not_lost)
{
	cr_expect_null(pv_json_parse("{}\0{}", 5, NULL));
	cr_expect_null(pv_json_parse("{\0}", 3, NULL));
}

Test(json, is_at_most_64_levels_deep)
{
	for (size_t deep = 64; deep <= 65; deep++) {
		char text[131];
		struct pv_error e = {0};

		memset(text, '[', deep);
		memset(text + deep, ']', deep);
		text[2 * deep] = 0;
		json_object *o = pv_json_parse(text, 2 * deep, &e);
		cr_expect_eq(o != NULL, deep == 64, "%zu: %s", deep, e.text);
		json_object_put(o);
	}
}
