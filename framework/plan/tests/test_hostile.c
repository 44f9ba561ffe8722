/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Malicious plans: they must be refused quickly, with little memory, and with a message. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdarg.h>

#include "framework/plan/tests/loaded.h"
#include "framework/util/cleanup.h"

struct text {
	char *s;
	size_t len;
	FILE *f;
};

static void begin(struct text *t)
{
	t->f = open_memstream(&t->s, &t->len);
	cr_assert_not_null(t->f);
}

static void repeat(struct text *t, unsigned n, const char *s)
{
	while (n--)
		fputs(s, t->f);
}

static void expect_refused(struct text *t, const char *why)
{
	fclose(t->f);
	struct loaded *l = load_text(t->s, t->len);
	bool found = false;
	for (size_t i = 0; i < l->n; i++)
		found |= strstr(l->problems[i], why) != NULL;
	cr_expect_eq(l->err, -EINVAL);
	cr_expect(found, "expected '%s', got '%s'", why, l->n ? l->problems[0] : "nothing");
	loaded_free(l);
	free(t->s);
}

#define HEAD "<plan name='x'><topology/><case name='a' verifies='FW-01'>"
#define TAIL "<pmu-list equals=''/></case></plan>"

/* Repeats a text between the beginning and the end of a plan. */
Test(hostile, much_of_one_thing_is_refused, .timeout = 20)
{
	static const struct {
		const char *begin, *again;
		unsigned times;
		const char *end, *why;
	} rows[] = {
		{HEAD, "<drain/>\n", 100000, TAIL, "<case> 'a' has more than 10000 steps"},
		{"", "<plan>", 200000, "", "nested too deep: at most 32"},
		{"", "\n", 70000, "<plan name='x'/>", ":70001: <plan> has no <case>"},
		{"<plan name='x'><!--", "................", 17 << 16, "--></plan>", "expected at most 16777216"},
		{"<plan name='x'><description>", "word ", 100000, "</description></plan>",
		 "<description>: text is longer than 65536 bytes"},
		{HEAD "<mps-get device='", "a", 100000, "'/>" TAIL, "aaa...' in the topology"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text t;

		begin(&t);
		fputs(rows[i].begin, t.f);
		repeat(&t, rows[i].times, rows[i].again);
		fputs(rows[i].end, t.f);
		expect_refused(&t, rows[i].why);
	}
}

Test(hostile, a_hundred_thousand_problems_are_cut, .timeout = 20)
{
	struct text t;

	begin(&t);
	fputs(HEAD, t.f);
	for (unsigned i = 0; i < 100000; i++)
		fprintf(t.f, "<x%u/>\n", i);
	fputs(TAIL, t.f);
	expect_refused(&t, "too many problems: 199 are shown");
}

/* libxml2 takes a minute for them. Comments, text and quotes contain things that only look like attributes. */
Test(hostile, two_hundred_thousand_attributes, .timeout = 20)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("<plan name='a>b'>\n<!-- <x a=a a=a> -->\n<wait\n", f);
	for (int i = 0; i < 200000; i++)
		fprintf(f, " a%d=\"/>\"", i);
	fputs("/></plan>", f);
	fclose(f);
	struct loaded *l = load_text(text, len);
	cr_expect_eq(l->err, -EINVAL);
	cr_expect(l->n == 1 && strstr(l->problems[0], ":3: <wait>: too many attributes: at most 64"), "%zu: %s", l->n,
		  l->problems[0]);
	loaded_free(l);
	free(text);
}

/* The quotes begin and end where attributes do not count. */
Test(hostile, many_attributes_between_quotes_of_others)
{
	static const char *const before[] = {"<?pi it's?>", "<!-- it's -->"};

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		struct text t;

		begin(&t);
		fprintf(t.f, "%s<plan", before[i]);
		for (unsigned k = 0; k < 65; k++)
			fprintf(t.f, " a%u='1'", k);
		fputs("/><!-- it's -->", t.f);
		expect_refused(&t, ":1: <plan>: too many attributes: at most 64");
	}
}

/* UTF-16: a byte of each name is that of '>'. */
Test(hostile, many_attributes_in_another_encoding)
{
	struct text t;

	begin(&t);
	fwrite("\xff\xfe<\0p", 1, 6, t.f);
	for (unsigned i = 0; i < 65; i++) {
		char attribute[] = " \0>?=\0'\0'\0";

		attribute[3] = (char)(0x4e + i);
		fwrite(attribute, 1, 10, t.f);
	}
	fwrite("/\0>\0", 1, 4, t.f);
	expect_refused(&t, ":1: expected UTF-8, got UTF-16; try iconv(1)");
}

Test(hostile, what_only_looks_like_attributes)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("<plan name='a'><!-- ", f);
	for (int i = 0; i < 100; i++)
		fputs("a=b ", f);
	fputs("--><description>", f);
	for (int i = 0; i < 100; i++)
		fputs("a=b ", f);
	fputs("</description><topology><root-port name='rp0' bdf='00:10.0'/></topology><case name='a'><mps-get "
	      "device='rp0' equals='128'/></case></plan>",
	      f);
	fclose(f);
	struct loaded *l = load_text(text, len);
	cr_expect_eq(l->err, 0, "%s", l->problems[0]);
	loaded_free(l);
	free(text);
}

Test(hostile, many_cases_with_many_steps, .timeout = 20)
{
	struct text t;

	begin(&t);
	fputs("<plan name='x'><topology/><case name='a' verifies='FW-01'><matrix><param name='n' values='", t.f);
	for (unsigned i = 0; i < 5000; i++)
		fprintf(t.f, "%u ", i);
	fputs("'/></matrix>", t.f);
	repeat(&t, 5000, "<wait ns='${n}'/>");
	fputs(TAIL, t.f);
	expect_refused(&t, "steps, expected at most 1000000");
}

Test(hostile, a_zero_byte)
{
	struct text t;

	begin(&t);
	fwrite("<plan name='x'>\0</plan>", 1, 23, t.f);
	expect_refused(&t, "not well-formed XML");
}

Test(hostile, no_byte_at_all)
{
	struct text t;

	begin(&t);
	expect_refused(&t, "the file is empty, expected a <plan>");
}

Test(hostile, nothing_of_a_named_file_is_shown)
{
	struct text t;

	begin(&t);
	fputs("<!DOCTYPE plan [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><plan "
	      "name='x'><description>&x;</description></plan>",
	      t.f);
	fclose(t.f);
	struct loaded *l = load_text(t.s, t.len);
	cr_expect_eq(l->n, 1);
	cr_expect_null(strstr(l->problems[0], "root"), "%s", l->problems[0]);
	loaded_free(l);
	free(t.s);
}

/* Every prefix of a good plan is bad, and none may cause a crash. */
Test(hostile, a_plan_that_is_cut_off_anywhere, .timeout = 60)
{
	char text[8192];
	FILE *f = fopen("framework/plan/tests/good/matrix.xml", "r");

	cr_assert_not_null(f);
	size_t len = fread(text, 1, sizeof(text), f);
	fclose(f);
	for (size_t cut = 0; cut + 2 < len; cut += 7) {
		struct loaded *l = load_text(text, cut);

		cr_expect_eq(l->err, -EINVAL, "cut at %zu", cut);
		loaded_free(l);
	}
}

/* libxml2 itself prints encoding errors to standard error. A problem must be reported once, with file and line. */
Test(hostile, bytes_that_are_not_utf8, .init = cr_redirect_stderr)
{
	static const char *const encodings[] = {"ISO-2022-JP", "EUC-JP", "UCS-4", "UTF-8", "ISO-8859-1"};

	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		struct text t;

		begin(&t);
		fprintf(t.f, "<?xml version='1.0' encoding='%s'?>\n<plan name='a\xff\xfe\x80z'/>\n", encodings[i]);
		expect_refused(&t, ":2: not well-formed XML: expected UTF-8; try iconv(1)");
	}
	fputs("end\n", stderr);
	fflush(stderr);
	cr_assert_stderr_eq_str("end\n");
}
