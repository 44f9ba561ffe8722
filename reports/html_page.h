/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run while it is being written, and the pieces that its sections are made of. */
#ifndef PV_REPORTS_HTML_PAGE_H
#define PV_REPORTS_HTML_PAGE_H

#include <stdio.h>

#include "reports/groups.h"
#include "reports/result.h"

struct pv_page {
	FILE *f;
	const struct pv_run_result *run;
	const char *folder;	  /* URL from the page to the run folder: ends with '/' or is empty; NULL: not known */
	size_t room;		  /* bytes that texts and logs may still take */
	bool failed;		  /* memory ran out on the way */
	struct pv_groups plans;	  /* by name */
	struct pv_groups alike;	  /* what has failed and what could not be judged */
	struct pv_groups unrun;	  /* errors of type "not-run", by message */
	struct pv_groups skips;	  /* but known failures, by message */
	struct pv_groups proofs;  /* by requirement */
	struct pv_groups rules;	  /* by rule of use that was broken */
	struct pv_groups repeats; /* by case, of a run that was repeated */
};

/* Writes untrusted text on one line. NULL is "". */
void pv_page_line(struct pv_page *p, const char *s);
/* A line of `limit` bytes at most, ending with "..." when there was more. */
void pv_page_short(struct pv_page *p, const char *s, size_t limit);
/* A <pre> of `limit` bytes at most, and of what the page has room for; says how much was left out. */
void pv_page_pre(struct pv_page *p, const char *s, size_t limit);

/* "FAIL" in its colours. */
void pv_page_verdict(struct pv_page *p, enum pv_verdict v);
/* Returns true if a case has its own article, with id b<index>. Every case has a row with id c<index>. */
bool pv_page_is_told(const struct pv_case_result *c);
/* The name of a case, with " #2" from its second round on. */
void pv_page_name(struct pv_page *p, const struct pv_case_result *c);
/* "plan/name", as a link to the article, or else to the row. */
void pv_page_case(struct pv_page *p, size_t index);
/* "FILE:LINE" in the plan. */
void pv_page_place(struct pv_page *p, const struct pv_case_result *c);
/* Links to the files of a case, after the word "files"; nothing when there are none. */
void pv_page_artefacts(struct pv_page *p, const struct pv_case_result *c);
/* Four cells with the number of each verdict, and their head. */
void pv_page_counts(struct pv_page *p, const size_t count[PV_VERDICTS]);
void pv_page_counts_head(struct pv_page *p);
/* The same drawn, for those who have the numbers beside it. */
void pv_page_bar(struct pv_page *p, const size_t count[PV_VERDICTS]);
/* A table of runs: its beginning and head, then a row for each, which `which` names. The caller ends both. */
void pv_page_runs_head(struct pv_page *p);
void pv_page_runs_row(struct pv_page *p, const char *which, const struct pv_run_result *r);
/* When a run was started: "2026-01-02 03:04:05 UTC"; returns buf. */
const char *pv_page_started(const struct pv_run_result *r, char buf[64]);
/* "12.034 s", from a minute on "2 h 13 min 5 s". */
void pv_page_duration(struct pv_page *p, double seconds);

/*
 * The sections below the head (html_failures.c, html_tables.c), without their headings; each with how
 * much there is to say: 0, there is no section.
 */
size_t pv_page_bad_count(const struct pv_page *p);
void pv_page_bad(struct pv_page *p);
size_t pv_page_deviations_count(const struct pv_page *p);
void pv_page_deviations(struct pv_page *p);
/* Earlier attempts at a case, one a line; nothing when there were none. */
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
