/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that people open from a folder of results: one file each, nothing fetched. They are well-formed XML too, so
 * that a parser can check them, and their Content-Security-Policy lets nothing run or style but what is named in it,
 * should a hostile text ever come through.
 */
#ifndef PV_UTIL_HTML_H
#define PV_UTIL_HTML_H

#include <stdio.h>

/* A style sheet or script as embed.sh made it of a file. Free of '<' and '&', which XML would read otherwise. */
struct pv_html_code {
	const char *text, *sha256;
};
#define PV_HTML_CODE(symbol) ((struct pv_html_code){symbol, symbol##_sha256})

/* As text or as the value of an attribute; controls but newline and tab, and what is no UTF-8, become U+FFFD. */
void pv_html_put(const char *s, FILE *f);

/* Up to <body>, with the style sheet that all pages share and one of the page's own. `script`: NULL, there is none. */
void pv_html_begin(const char *title, const struct pv_html_code *style, const struct pv_html_code *script, FILE *f);
/* The script, which finds the whole page there, and the end. */
void pv_html_end(const struct pv_html_code *script, FILE *f);

#endif
