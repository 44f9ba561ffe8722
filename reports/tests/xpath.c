/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XPath queries on reports: see xpath.h. */
#include "reports/tests/xpath.h"

#include <criterion/criterion.h>
#include <libxml/xpath.h>
#include <stdlib.h>
#include <string.h>

char *xpath_value(xmlDoc *doc, const char *xpath)
{
	xmlXPathContext *ctx = xmlXPathNewContext(doc);
	xmlXPathObject *o = xmlXPathEvalExpression((const xmlChar *)xpath, ctx);

	cr_assert_not_null(o, "bad XPath %s", xpath);
	xmlChar *s = xmlXPathCastToString(o);
	char *copy = strdup((const char *)s);
	xmlFree(s);
	xmlXPathFreeObject(o);
	xmlXPathFreeContext(ctx);
	return copy;
}

void xpath_expect(xmlDoc *doc, const char *xpath, const char *expected)
{
	char *got = xpath_value(doc, xpath);

	cr_expect_str_eq(got, expected, "%s: expected '%s', got '%.2000s'", xpath, expected, got);
	free(got);
}

void xpath_expect_part(xmlDoc *doc, const char *xpath, const char *part)
{
	char *got = xpath_value(doc, xpath);

	cr_expect(strstr(got, part), "%s: expected '%s' in '%.2000s'", xpath, part, got);
	free(got);
}
