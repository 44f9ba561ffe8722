/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XPath queries on reports that are XML. */
#ifndef PV_REPORTS_TESTS_XPATH_H
#define PV_REPORTS_TESTS_XPATH_H

#include <libxml/tree.h>

/* The string value of an expression; the caller frees. */
char *xpath_value(xmlDoc *doc, const char *xpath);
/* The value is this; this is in it. */
void xpath_expect(xmlDoc *doc, const char *xpath, const char *expected);
void xpath_expect_part(xmlDoc *doc, const char *xpath, const char *part);

#endif
