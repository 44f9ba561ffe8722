/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of steps: types, defaults, and errors that say where and what. */
#include <criterion/criterion.h>
#include <errno.h>

#include "framework/agent/args.h"

#define TYPE(id) &pv_types[PV_TYPE_##id]

static const struct pv_attr_decl attrs[] = {
	{"name", TYPE(TEXT), "", .required = true},
	{"level", TYPE(NUMBER), "", .value = "2", .max = 7},
	{"rate", TYPE(RATE), "", .value = "0"},
	{"on", TYPE(YES_NO), "", .value = "no"},
	{"expect", TYPE(ERRNO), "", .value = "0"},
	{"way", TYPE(DIRECTION), ""},
	{"says", TYPE(REGEX), ""},
	{"ns", TYPE(NANOSECONDS), ""},
	{"us", TYPE(MICROSECONDS), ""},
	{"ms", TYPE(MILLISECONDS), ""},
	{"whole", TYPE(INTEGER), ""},
	{"size", TYPE(SIZE), ""},
	{"filter", TYPE(PTT_FILTER), ""},
	{NULL},
};
static const struct pv_element_decl step = {"step", "", .attrs = {attrs}};

static struct pv_args given(const char *json)
{
	return (struct pv_args){"x.xml", "step", 14, &step, json_tokener_parse(json)};
}

static const char *error_of(const char *json)
{
	static struct pv_error e;
	struct pv_args a = given(json);

	e = (struct pv_error){0};
	cr_assert_eq(pv_args_check(&a, &e), -EINVAL);
	json_object_put(a.obj);
	return e.text;
}

Test(args, good_attributes_are_accepted)
{
	struct pv_args a =
		given("{\"name\":\"n\",\"level\":\"0x7\",\"way\":\"out\",\"says\":\"^a.*b$\",\"expect\":\"EINVAL\"}");
	struct pv_error e = {0};

	cr_expect_eq(pv_args_check(&a, &e), 0, "%s", e.text);
	cr_expect_eq(pv_arg_number(&a, "level"), 7);
	cr_expect_eq(pv_arg_choice(&a, "way"), 1);
	cr_expect_eq(pv_arg_errno(&a, "expect"), EINVAL);
	cr_expect(pv_arg_matches(&a, "says", "axb"));
	cr_expect_not(pv_arg_matches(&a, "says", "axbc"));
	json_object_put(a.obj);
}

Test(args, absent_attributes_have_their_defaults)
{
	struct pv_args a = given("{\"name\":\"n\"}");

	cr_expect_eq(pv_arg_number(&a, "level"), 2);
	cr_expect_not(pv_arg_has(&a, "level"));
	cr_expect_not(pv_arg_yes(&a, "on"));
	cr_expect_eq(pv_arg_choice(&a, "way"), -1);
	json_object_put(a.obj);
}

Test(args, times_of_all_units_add_up)
{
	struct pv_args a = given("{\"name\":\"n\",\"us\":\"3\",\"ns\":\"5\"}");

	cr_expect_eq(pv_arg_time_ns(&a), 3005);
	json_object_put(a.obj);
}

Test(args, times_too_long_for_picoseconds_are_refused)
{
	struct pv_args most = given("{\"name\":\"n\",\"ms\":\"999999999\"}");
	struct pv_error e = {0};

	cr_expect_eq(pv_args_check(&most, &e), 0, "%s", e.text);
	cr_expect_eq(pv_arg_time_ns(&most), 999999999000000);
	json_object_put(most.obj);
	cr_expect_str_eq(error_of("{\"name\":\"n\",\"ms\":\"1000000000\"}"),
			 "x.xml:14: step: attribute ms: expected milliseconds, a decimal number of up to 9 digits (11 "
			 "days), got \"1000000000\"");
	cr_expect(strstr(error_of("{\"name\":\"n\",\"us\":\"18446744073709552\"}"), "attribute us"));
	cr_expect(strstr(error_of("{\"name\":\"n\",\"ns\":\"18446744073709552\"}"), "attribute ns"));
}

Test(args, rates_may_have_a_fraction_and_a_suffix)
{
	struct pv_args a = given("{\"name\":\"n\",\"rate\":\"1.5G\"}");

	cr_expect_eq(pv_arg_real(&a, "rate"), 1.5e9);
	json_object_put(a.obj);
}

Test(args, errors_name_file_line_attribute_expected_and_got)
{
	cr_expect_str_eq(error_of("{\"name\":\"n\",\"level\":\"8\"}"),
			 "x.xml:14: step: attribute level: expected 0 to 7, got \"8\"");
	cr_expect_str_eq(error_of("{\"name\":\"n\",\"on\":\"maybe\"}"),
			 "x.xml:14: step: attribute on: expected a choice: yes or no, got \"maybe\"");
	cr_expect_str_eq(error_of("{}"), "x.xml:14: step: attribute name: expected a value, got nothing");
	cr_expect_str_eq(error_of("{\"name\":\"n\",\"other\":\"1\"}"),
			 "x.xml:14: step: attribute other: expected one that this step has, got \"1\"");
}

Test(args, values_of_a_wrong_type_are_refused)
{
	static const char *const bad[] = {
		"{\"name\":\"n\",\"level\":\"-1\"}",
		"{\"name\":\"n\",\"level\":\"\"}",
		"{\"name\":\"n\",\"level\":\"1x\"}",
		"{\"name\":\"n\",\"rate\":\"nan\"}",
		"{\"name\":\"n\",\"expect\":\"EWHAT\"}",
		"{\"name\":\"n\",\"way\":\"i\"}",
		"{\"name\":\"n\",\"way\":\"in|out\"}",
		"{\"name\":\"n\",\"says\":\"(\"}",
		"{\"name\":5}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect(error_of(bad[i])[0] != 0, "%s was accepted", bad[i]);
}

Test(args, numbers_take_suffixes_and_do_not_overflow)
{
	uint64_t v = 0;

	cr_expect_eq(pv_number_parse("64KiB", &v), 0);
	cr_expect_eq(v, 65536);
	cr_expect_eq(pv_number_parse("3G", &v), 0);
	cr_expect_eq(v, 3000000000ull);
	cr_expect_eq(pv_number_parse("18446744073709551615", &v), 0);
	cr_expect_eq(pv_number_parse("18446744073709551616", &v), -EINVAL);
	cr_expect_eq(pv_number_parse("18446744073709551615KiB", &v), -EINVAL);
	cr_expect_eq(pv_number_parse(" 1", &v), -EINVAL);
}

/* They became 0. */
Test(args, numbers_that_a_getter_cannot_return_are_refused)
{
	static const char *const bad[] = {
		"{\"name\":\"n\",\"whole\":\"9223372036854775808\"}",
		"{\"name\":\"n\",\"whole\":\"-9223372036854775808\"}",
		"{\"name\":\"n\",\"whole\":\"0xffffffffffffff80\"}",
		"{\"name\":\"n\",\"size\":\"17179869184GiB\"}",
		"{\"name\":\"n\",\"filter\":\"18446744073709551616\"}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect(error_of(bad[i])[0] != 0, "%s was accepted", bad[i]);
	cr_expect_str_eq(error_of(bad[0]), "x.xml:14: step: attribute whole: expected a whole number up to "
					   "9223372036854775807, which may be negative, got \"9223372036854775808\"");
}

Test(args, numbers_at_the_ends_of_their_types_are_returned)
{
	struct pv_args a = given("{\"name\":\"n\",\"whole\":\"-9223372036854775807\",\"size\":\"17179869183GiB\","
				 "\"filter\":\"18446744073709551615\"}");
	struct pv_args b = given("{\"name\":\"n\",\"whole\":\"0x7fffffffffffffff\",\"filter\":\"nic0\"}");
	struct pv_error e = {0};

	cr_expect_eq(pv_args_check(&a, &e), 0, "%s", e.text);
	cr_expect_eq(pv_arg_signed(&a, "whole"), -INT64_MAX);
	cr_expect_eq(pv_arg_number(&a, "size"), 17179869183ull << 30);
	cr_expect_eq(pv_arg_number(&a, "filter"), UINT64_MAX);
	cr_expect_eq(pv_args_check(&b, &e), 0, "%s", e.text);
	cr_expect_eq(pv_arg_signed(&b, "whole"), INT64_MAX);
	json_object_put(a.obj);
	json_object_put(b.obj);
}

Test(args, words_are_found_whole)
{
	cr_expect(pv_word_in("a bb ccc", "bb"));
	cr_expect_not(pv_word_in("a bb ccc", "b"));
	cr_expect_not(pv_word_in("", "b"));
}
