/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts and files that are one JSON value, and the errors of those that are not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

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
		{"[1, 2", "a mistake at byte 5: unexpected end of data"},
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

Test(json, strings_are_made_texts)
{
	static const struct {
		const char *is, *becomes;
		size_t n;
	} rows[] = {
		{"caf\xc3\xa9\n", "caf\xc3\xa9\n", 6},
		{"caf\xe9", "caf\xef\xbf\xbd", 4},
		{"a\xc3", "a\xef\xbf\xbd", 2},
		{"\xc3\xa9\x82z", "\xc3\xa9\xef\xbf\xbdz", 4},
		{"a\0b", "a#x00b", 3},
		{"", "", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_autojson_ json_object *o = json_object_new_object();

		pv_json_int(o, "n", 1);
		json_object_object_add(o, "s", json_object_new_string_len(rows[i].is, (int)rows[i].n));
		pv_json_clean(o);
		cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "s")), rows[i].becomes, "row %zu", i);
		cr_expect_eq(json_object_get_int(json_object_object_get(o, "n")), 1);
	}
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

static void give_input(const char *text)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
}

Test(json, a_file_is_one_value_of_the_type_that_is_expected)
{
	static const struct {
		const char *text;
		enum json_type type;
		int err;
		const char *says;
	} rows[] = {
		{"{\"a\": 1}", json_type_object, 0, ""},
		{"[\"a\", 1]", json_type_array, 0, ""},
		{"[\"a\"]", json_type_object, -EINVAL, "standard input: expected JSON of type object, got type array"},
		{"[\"a\"}", json_type_array, -EINVAL, "standard input: expected JSON, got a mistake at byte 4: "},
		{"[\"a\"]{}", json_type_array, -EINVAL, "standard input: expected one JSON value, got more behind it"},
		{"[1,2,3,4]", json_type_array, -EFBIG, "standard input: "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int told = 0; told < 2; told++) {
			struct pv_error e = {0};
			json_object *o = NULL;

			give_input(rows[i].text);
			cr_expect_eq(pv_json_read("-", 8, rows[i].type, &o, told ? &e : NULL), rows[i].err, "%s",
				     rows[i].text);
			cr_expect_eq(o != NULL, !rows[i].err, "%s", rows[i].text);
			cr_expect_eq(e.code, told ? rows[i].err : 0);
			cr_expect(!told || !strncmp(e.text, rows[i].says, strlen(rows[i].says)), "%s", e.text);
			json_object_put(o);
		}
}

Test(json, a_member_that_is_no_string_is_no_text)
{
	static const char text[] = "{\"a\": \"b\", \"n\": 1, \"z\": null}";
	_autojson_ json_object *o = pv_json_parse(text, strlen(text), NULL);

	cr_expect_str_eq(pv_json_text(o, "a"), "b");
	cr_expect_str_eq(pv_json_text(o, "n"), "");
	cr_expect_str_eq(pv_json_text(o, "z"), "");
	cr_expect_str_eq(pv_json_text(o, "none"), "");
	cr_expect_str_eq(pv_json_text(NULL, "a"), "");
}
