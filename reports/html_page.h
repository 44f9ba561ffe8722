/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run while it is written, and building blocks of its sections. */
#ifndef PV_REPORTS_HTML_PAGE_H
#define PV_REPORTS_HTML_PAGE_H

#include <stdio.h>

#include "reports/compare.h"
#include "reports/groups.h"
#include "reports/result.h"

struct pv_page {
	FILE *f;
	const struct pv_run_result *run;
	const char *folder;	  /* URL from the page to the run folder: ends with '/' or is empty; NULL: unknown */
	size_t room;		  /* bytes left for texts and logs */
	bool failed;		  /* memory ran out */
	struct pv_groups plans;	  /* by name */
	struct pv_groups alike;	  /* failures and errors */
	struct pv_groups unrun;	  /* errors of type "not-run", by message */
	struct pv_groups skips;	  /* skipped cases without known failures, by message */
	struct pv_groups proofs;  /* by requirement */
	struct pv_groups rules;	  /* by broken rule of use */
	struct pv_groups repeats; /* by case, for a repeated run */
};

/* Writes untrusted text on one line. NULL is "". */
void pv_page_line(struct pv_page *p, const char *s);
/* Writes a cell below a heading with such a line. */
void pv_page_cell(struct pv_page *p, const char *head, const char *text);
/*
 * Writes the page that `put` makes of `what` to `path` ("-": standard output), with p->f for its text. 0 or -errno with
 * *e, for a page that is not whole, too.
 */
int pv_page_write(struct pv_page *p, void (*put)(struct pv_page *p, const void *what), const void *what,
		  const char *path, struct pv_error *e);

/* Writes a line of at most `limit` bytes; "..." replaces the rest. */
void pv_page_short(struct pv_page *p, const char *s, size_t limit);
/* Writes a <pre> of at most `limit` bytes and p->room, and the number of bytes left out. */
void pv_page_pre(struct pv_page *p, const char *s, size_t limit);

/* Writes a verdict, such as "FAIL", in its colours. */
void pv_page_verdict(struct pv_page *p, enum pv_verdict v);
/* Returns true if a case has its own article, with id b<index>. Every case has a row with id c<index>. */
bool pv_page_is_told(const struct pv_case_result *c);
/* Writes the name of a case, with " #2" from its second round on. */
void pv_page_name(struct pv_page *p, const struct pv_case_result *c);
/* Writes "plan/name" as a link to the article, or to the row if there is none. */
void pv_page_case(struct pv_page *p, size_t index);
/* Writes "FILE:LINE" in the plan. */
void pv_page_place(struct pv_page *p, const struct pv_case_result *c);
/* Writes links to the files of a case, after the word "files"; nothing without files. */
void pv_page_artefacts(struct pv_page *p, const struct pv_case_result *c);
/* Write four cells with the number of each verdict, and their head. */
void pv_page_counts(struct pv_page *p, const size_t count[PV_VERDICTS]);
void pv_page_counts_head(struct pv_page *p);
/* Draws these numbers as a bar, for pages that have them beside it. */
void pv_page_bar(struct pv_page *p, const size_t count[PV_VERDICTS]);
/* Begin a table of runs with its head, and write a row for a run, named by `which`. The caller ends both. */
void pv_page_runs_head(struct pv_page *p);
void pv_page_runs_row(struct pv_page *p, const char *which, const struct pv_run_result *r);
/* Writes the section of renamed cases; nothing if there are none. */
void pv_page_renamed(struct pv_page *p, const struct pv_renamed *list, size_t n);
/* Formats the start of a run: "2026-01-02 03:04:05 UTC". Returns buf. */
const char *pv_page_started(const struct pv_run_result *r, char buf[64]);
/* Writes "12.034 s", from a minute on "2 h 13 min 5 s". */
void pv_page_duration(struct pv_page *p, double seconds);

/*
 * The sections below the head (html_failures.c, html_tables.c), without their headings. Each has a function for its
 * number of entries; 0: there is no section.
 */
size_t pv_page_bad_count(const struct pv_page *p);
void pv_page_bad(struct pv_page *p);
size_t pv_page_deviations_count(const struct pv_page *p);
void pv_page_deviations(struct pv_page *p);
/* Writes earlier attempts at a case, one per line; nothing if there were none. */
void pv_page_attempts(struct pv_page *p, const struct pv_case_result *c);
void pv_page_flaky(struct pv_page *p);
void pv_page_repeats(struct pv_page *p);
void pv_page_rules(struct pv_page *p);
void pv_page_skips(struct pv_page *p);
size_t pv_page_slowest_count(const struct pv_page *p);
void pv_page_slowest(struct pv_page *p);
void pv_page_requirements(struct pv_page *p);
void pv_page_all(struct pv_page *p);

#endif
