/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of a page and the text in it: see html.h. */
#include "framework/util/html.h"

#include <stdbool.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"

extern const char pv_html_css[], pv_html_css_sha256[];

static bool is_shown(unsigned code)
{
	if (code == '\n' || code == '\t')
		return true;
	return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && (code & 0xfffe) != 0xfffe;
}

void pv_html_put(const char *s, FILE *f)
{
	while (*s) {
		unsigned code = 0;
		size_t n = pv_utf8_decode(s, &code);

		if (!n || !is_shown(code))
			fputs("\xef\xbf\xbd", f);
		else if (strchr("<>&\"'", *s))
			fprintf(f, "&#%u;", code);
		else
			fwrite(s, 1, n, f);
		s += n ? n : 1;
	}
}

void pv_html_pre(void (*print)(const void *ctx, FILE *f), const void *ctx, FILE *f)
{
	_autofree_ char *text = NULL;
	size_t n = 0;
	FILE *t = open_memstream(&text, &n);

	if (!t)
		return;
	print(ctx, t);
	if (fclose(t) || !n)
		return;
	fputs("<pre>", f);
	pv_html_put(text, f);
	fputs("</pre>\n", f);
}

void pv_html_table(const char *const *heads, FILE *f)
{
	fputs("<table class=\"blocks\">\n<tr>", f);
	for (; *heads; heads++)
		fprintf(f, "<th scope=\"col\">%s</th>", *heads);
	fputs("</tr>\n", f);
}

void pv_html_td(const char *head, const char *look, FILE *f)
{
	fputs("<td", f);
	if (look)
		fprintf(f, " class=\"%s\"", look);
	fprintf(f, " data-head=\"%s\">", head);
}

void pv_html_cell(const char *head, const char *text, FILE *f)
{
	pv_html_td(head, NULL, f);
	pv_html_put(text, f);
	fputs("</td>", f);
}

void pv_html_begin(const char *title, const struct pv_html_code *style, const struct pv_html_code *script, FILE *f)
{
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
		"form-action 'none'; style-src 'sha256-%s' 'sha256-%s'",
		pv_html_css_sha256, style->sha256);
	if (script)
		fprintf(f, "; script-src 'sha256-%s'", script->sha256);
	fputs("\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>", f);
	pv_html_put(title, f);
	fprintf(f, "</title>\n<style>%s</style>\n<style>%s</style></head>\n<body>\n", pv_html_css, style->text);
}

void pv_html_end(const struct pv_html_code *script, FILE *f)
{
	if (script)
		fprintf(f, "<script>%s</script>\n", script->text);
	fputs("</body></html>\n", f);
}
