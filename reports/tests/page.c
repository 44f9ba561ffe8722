/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a page, parses it as XML, and checks rules for all pages. */
#include "reports/tests/page.h"

#include <criterion/criterion.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/file.h"
#include "reports/writers.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns all values of an attribute, sorted. The caller frees the values and the array. */
static char **values(const struct page *p, const char *xpath, size_t *n)
{
	xmlXPathContext *ctx = xmlXPathNewContext(p->doc);
	xmlXPathObject *o = xmlXPathEvalExpression((const xmlChar *)xpath, ctx);

	*n = o->nodesetval ? (size_t)o->nodesetval->nodeNr : 0;
	char **out = calloc(*n + 1, sizeof(*out));
	for (size_t i = 0; i < *n; i++)
		out[i] = (char *)xmlNodeGetContent(o->nodesetval->nodeTab[i]);
	qsort(out, *n, sizeof(*out), by_text);
	xmlXPathFreeObject(o);
	xmlXPathFreeContext(ctx);
	return out;
}

static void values_free(char **values)
{
	for (char **v = values; *v; v++)
		xmlFree(*v);
	free(values);
}

/* Each id must be unique, and each link within the page must lead to one. */
static void check_links(const struct page *p)
{
	size_t n_ids, n_links;
	char **ids = values(p, "//@id", &n_ids), **links = values(p, "//a/@href[starts-with(., '#')]", &n_links);

	for (size_t i = 1; i < n_ids; i++)
		cr_expect_str_neq(ids[i], ids[i - 1], "the id %s is there twice", ids[i]);
	for (size_t i = 0; i < n_links; i++) {
		const char *id = links[i] + 1;

		cr_expect(bsearch(&id, ids, n_ids, sizeof(*ids), by_text), "there is no %s", links[i]);
	}
	values_free(ids);
	values_free(links);
}

/* Checks the rules for all pages. */
static void check_page(const struct page *p)
{
	expect(p, "count(//script)", "1");
	expect(p, "count(//@*[starts-with(name(), 'on')] | //@src | //@style | //link | //img | //iframe | //object)",
	       "0");
	expect(p, "count(//a[contains(@href, ':')])", "0");
	expect(p, "count(//tr[@data-v and not(.//span[starts-with(@class, 'v ')] != '')])", "0");
	check_links(p);
}

static struct page read_page(const char *path)
{
	struct page p = {0};
	struct pv_error e = {0};
	size_t n;

	cr_assert_eq(pv_file_read(path, 64 << 20, &p.text, &n, &e), 0, "%s", e.text);
	p.doc = xmlReadMemory(p.text, (int)n, path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	cr_assert_not_null(p.doc, "the page is not well-formed");
	check_page(&p);
	return p;
}

struct page page_at(struct pv_run_result *run, const char *path)
{
	struct pv_error e = {0};

	pv_run_count(run);
	int err = pv_html_write(run, path, &e);
	cr_assert_eq(err, 0, "%s", e.text);
	return read_page(path);
}

struct page page_of(struct pv_run_result *run)
{
	char path[] = "/tmp/pcieval-html-XXXXXX";

	close(mkstemp(path));
	struct page p = page_at(run, path);
	unlink(path);
	pv_run_result_free(run);
	return p;
}

void page_free(struct page *p)
{
	xmlFreeDoc(p->doc);
	free(p->text);
}
