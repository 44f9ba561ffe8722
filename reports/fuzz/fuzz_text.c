/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleans any bytes as text for a report. The result must be UTF-8 of XML 1.0 characters without controls, must not
 * change when it is cleaned again, and libxml2 must read it unchanged from an element.
 */
#include <libxml/parser.h>

#include "framework/util/fuzz/fuzz.h"
#include "framework/util/utf8.h"
#include "reports/xmltext.h"

static void check_characters(const char *s, bool one_line)
{
	unsigned code;

	for (size_t n; *s; s += n) {
		n = pv_utf8_decode(s, &code);
		fuzz_check(n && code != 0x7f && !(code >= 0x80 && code < 0xa0));
		fuzz_check(code >= ' ' || (!one_line && (code == '\t' || code == '\n')));
		fuzz_check(!(code >= 0xd800 && code < 0xe000) && (code & 0xfffe) != 0xfffe && code < 0x110000);
	}
}

static void check_xml(const char *clean)
{
	xmlDoc *doc = xmlNewDoc((const xmlChar *)"1.0"), *again;
	xmlNode *root = xmlNewDocRawNode(doc, NULL, (const xmlChar *)"a", (const xmlChar *)clean);
	xmlChar *text, *content;
	int n;

	fuzz_check(doc && root);
	xmlDocSetRootElement(doc, root);
	xmlDocDumpMemoryEnc(doc, &text, &n, "UTF-8");
	again = xmlReadMemory((const char *)text, n, "text", NULL, XML_PARSE_NONET);
	fuzz_check(again);
	content = xmlNodeGetContent(xmlDocGetRootElement(again));
	fuzz_check(content && !strcmp((const char *)content, clean));
	xmlFree(content);
	xmlFree(text);
	xmlFreeDoc(again);
	xmlFreeDoc(doc);
}

static void check(const char *text, char *(*clean)(const char *s), bool one_line)
{
	char *once = clean(text), *twice = once ? clean(once) : NULL;

	fuzz_check(once && twice && !strcmp(once, twice));
	check_characters(once, one_line);
	check_xml(once);
	free(once);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	check(text, pv_text_clean, false);
	check(text, pv_text_line, true);
	free(text);
	return 0;
}
