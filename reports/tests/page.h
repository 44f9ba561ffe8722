/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run as a parser sees it. */
#ifndef PV_REPORTS_TESTS_PAGE_H
#define PV_REPORTS_TESTS_PAGE_H

#include "reports/result.h"
#include "reports/tests/xpath.h"

struct page {
	xmlDoc *doc;
	char *text;
};

/*
 * Writes and parses the page of a run: it must be well-formed XML with valid internal links. page_of() frees the run;
 * page_at() leaves the run and the file.
 */
struct page page_of(struct pv_run_result *run);
struct page page_at(struct pv_run_result *run, const char *path);
void page_free(struct page *p);

static inline void expect(const struct page *p, const char *xpath, const char *expected)
{
	xpath_expect(p->doc, xpath, expected);
}

static inline void expect_part(const struct page *p, const char *xpath, const char *part)
{
	xpath_expect_part(p->doc, xpath, part);
}

#endif
