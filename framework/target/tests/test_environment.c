/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment: lines of a machine as an object, and what is no line of it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/target/environment.h"
#include "framework/util/json.h"

static void expect_json(const char *text, const char *expected)
{
	json_object *o = pv_environment_parse(text);
	const char *got = o ? pv_json_line(o) : "none";

	cr_expect_str_eq(got, expected, "%s", text);
	json_object_put(o);
}

Test(environment, lines_are_facts_in_their_order)
{
	expect_json("taint\t0\nkernel\t6.12.0\n", "{\"taint\":\"0\",\"kernel\":\"6.12.0\"}");
	expect_json("a\tb\tc", "{\"a\":\"b\\tc\"}");
	expect_json("a\t\n", "{\"a\":\"\"}");
}

Test(environment, what_is_no_fact_is_skipped)
{
	expect_json("Welcome to board 7\n\nkernel\t6.12.0\n\tno name\n", "{\"kernel\":\"6.12.0\"}");
	expect_json("", "none");
	expect_json("\n\n", "none");
	expect_json("no tab", "none");
}

Test(environment, so_many_facts)
{
	static char text[10 * 5000];
	size_t n = 0;

	for (int i = 0; i < 5000; i++)
		n += (size_t)sprintf(text + n, "n%d\tv\n", i);
	json_object *o = pv_environment_parse(text);
	cr_expect_eq(json_object_object_length(o), 4096);
	json_object_put(o);
}

/* ---- a shell ---- */

static int fails, exits;
static const char *prints;
static bool cut;

static int run(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
	       struct pv_shell_output *out, struct pv_shell_output *err)
{
	cr_expect_str_eq(argv[0], "/proc/self/exe");
	cr_expect_str_eq(argv[1], "--environment");
	snprintf(out->text, out->room, "%s", prints);
	snprintf(err->text, err->room, "said so");
	out->cut = cut;
	*status = exits << 8;
	return fails;
}

static json_object *ask(struct pv_error *e)
{
	static const struct pv_shell_ops ops = {.run = run};
	struct pv_shell shell = {&ops};

	return pv_environment_ask(&shell, e);
}

Test(environment, a_machine_is_asked)
{
	struct pv_error e = {0};

	prints = "kernel\t6.12.0\n";
	json_object *o = ask(&e);
	cr_assert_not_null(o, "%s", e.text);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "kernel")), "6.12.0");
	json_object_put(o);
}

Test(environment, a_machine_that_does_not_say)
{
	struct pv_error e = {0};

	prints = "kernel\t6.12.0\n";
	fails = -ETIMEDOUT;
	cr_expect_null(ask(&e));
	cr_expect(strstr(e.text, "got ETIMEDOUT"), "%s", e.text);
	fails = 0;
	exits = 3;
	cr_expect_null(ask(&e));
	cr_expect(strstr(e.text, "exit status 3: said so"), "%s", e.text);
	exits = 0;
	prints = "";
	cr_expect_null(ask(&e));
	cr_expect_eq(e.code, -EIO);
}

/* The last line may have lost its end. */
Test(environment, a_machine_that_says_too_much)
{
	struct pv_error e = {0};

	prints = "kernel\t6.12.0\n";
	cut = true;
	cr_expect_null(ask(&e));
	cr_expect_str_eq(e.text, "pcieval-far --environment: expected less than 1048576 bytes, got more");
	cr_expect_eq(e.code, -EFBIG);
}
