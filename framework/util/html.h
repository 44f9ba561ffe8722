/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Self-contained HTML pages. They are also well-formed XML, so that a parser can check them. Their
 * Content-Security-Policy allows only the scripts and styles that it names, should hostile text ever get through.
 */
#ifndef PV_UTIL_HTML_H
#define PV_UTIL_HTML_H

#include <stdio.h>

/* A style sheet or script, embedded by embed.sh. Has no '<' and '&', which XML would interpret. */
struct pv_html_code {
	const char *text, *sha256;
};
#define PV_HTML_CODE(symbol) ((struct pv_html_code){symbol, symbol##_sha256})

/* Escapes s for text and attribute values. Invalid UTF-8 and controls other than newline and tab become U+FFFD. */
void pv_html_put(const char *s, FILE *f);

/* Writes what `print` prints, which is text for terminals, as preformatted text; nothing if it prints nothing. */
void pv_html_pre(void (*print)(const void *ctx, FILE *f), const void *ctx, FILE *f);

/*
 * A table whose rows become blocks on a narrow screen, with its heading above each cell but the first. Begins it with
 * the row of headings, which end with NULL; the caller ends it.
 */
void pv_html_table(const char *const *heads, FILE *f);
/* Begins a cell below a heading; `look`: its class, or NULL. */
void pv_html_td(const char *head, const char *look, FILE *f);
/* Writes a cell with text. */
void pv_html_cell(const char *head, const char *text, FILE *f);

/* Writes everything up to <body>, with the common style sheet and the page's. `script`: NULL if there is none. */
void pv_html_begin(const char *title, const struct pv_html_code *style, const struct pv_html_code *script, FILE *f);
/* Writes the script (NULL: none) at the end of the body, and closes the page. */
void pv_html_end(const struct pv_html_code *script, FILE *f);

#endif
