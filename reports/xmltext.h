/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes text from drivers, kernels and agents fit for a report. The input is untrusted bytes. The output is valid UTF-8
 * of XML 1.0 characters only (XML 1.0, 2.2), and cannot steer a terminal.
 */
#ifndef PV_REPORTS_XMLTEXT_H
#define PV_REPORTS_XMLTEXT_H

#include <json-c/json.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Cleans a text. ANSI sequences are removed, other controls and noncharacters become visible ("#x1B"), invalid UTF-8
 * becomes U+FFFD. Tab and newline stay. NULL: no memory. The caller frees it.
 */
char *pv_text_clean(const char *s);

/* Same in one line: newlines, tabs and carriage returns become a space. */
char *pv_text_line(const char *s);

/* The same of a text that is put together first. */
char *pv_text_vline(const char *fmt, va_list ap);

/*
 * Prints a line or a part of one, cleaned as by pv_text_line(); a newline at the end of the format stays. Prints "?"
 * without memory. Colours are not for this function.
 */
void pv_text_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds a cleaned text to a JSON object; adds nothing for NULL, and without memory. */
void pv_text_add(json_object *o, const char *key, const char *value);

#endif
