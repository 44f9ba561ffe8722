/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text cannot leave its place in a page, and a page allows itself nothing but its own style and script. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/html.h"

static void expect_put(const char *text, const char *expected)
{
	char *got;
	size_t n;
	FILE *f = open_memstream(&got, &n);

	pv_html_put(text, f);
	fclose(f);
	cr_expect_str_eq(got, expected, "of '%s': expected '%s', got '%s'", text, expected, got);
	free(got);
}

Test(html, markup_is_text)
{
	expect_put("</script><b a='1' c=\"2\">&amp;",
		   "&#60;/script&#62;&#60;b a=&#39;1&#39; c=&#34;2&#34;&#62;&#38;amp;");
}

Test(html, what_no_page_may_hold_is_shown)
{
	expect_put("a\x1b[31mb\x7f\r\xc2\x9b", "a\xef\xbf\xbd[31mb\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_put("\xff\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_put("\xef\xbf\xbe", "\xef\xbf\xbd");
}

Test(html, other_text_stays)
{
	expect_put("two\nlines\tand \xe2\x80\x94 \xf0\x9f\x98\x80", "two\nlines\tand \xe2\x80\x94 \xf0\x9f\x98\x80");
}

static char *page(const struct pv_html_code *script)
{
	const struct pv_html_code style = {"p{}", "STYLE"};
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_html_begin("<title>", &style, script, f);
	pv_html_end(script, f);
	fclose(f);
	return text;
}

Test(html, the_policy_names_each_style_and_script)
{
	const struct pv_html_code script = {"go()", "SCRIPT"};
	char *text = page(&script);

	cr_expect(strstr(text, "default-src 'none'"), "%s", text);
	cr_expect(strstr(text, "' 'sha256-STYLE'; script-src 'sha256-SCRIPT'\""), "%s", text);
	cr_expect(strstr(text, "<style>p{}</style>"), "%s", text);
	cr_expect(strstr(text, "<script>go()</script>\n</body>"), "%s", text);
	cr_expect(strstr(text, "<title>&#60;title&#62;</title>"), "%s", text);
	free(text);
}

Test(html, a_page_without_a_script_allows_none)
{
	char *text = page(NULL);

	cr_expect_null(strstr(text, "script"));
	free(text);
}
