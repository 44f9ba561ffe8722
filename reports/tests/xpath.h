/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XPath queries on reports that are XML. */
#ifndef PV_REPORTS_TESTS_XPATH_H
#define PV_REPORTS_TESTS_XPATH_H

#include <libxml/tree.h>

/* Returns the string value of an expression; the caller frees it. */
char *xpath_value(xmlDoc *doc, const char *xpath);
/* Expect that the value equals `expected`, or contains it. */
void xpath_expect(xmlDoc *doc, const char *xpath, const char *expected);
void xpath_expect_part(xmlDoc *doc, const char *xpath, const char *part);

#endif
