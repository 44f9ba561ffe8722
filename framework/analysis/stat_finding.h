/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: the figures of a device, judged and put into words. A rule compares one figure with a threshold. If trace
 * and dump lack the input for a figure, the rule is not judged; a missing figure is never treated as 0.
 */
#ifndef PV_ANALYSIS_STAT_FINDING_H
#define PV_ANALYSIS_STAT_FINDING_H

#include "framework/analysis/stat_report.h"

/* Inputs that a rule needs, besides the sizes of TLPs. */
enum pv_stat_need {
	PV_NEED_NOTHING,
	PV_NEED_ADDRESSES, /* no --no-ranges */
	PV_NEED_SIZES,	   /* MPS, MRRS: --machine, or --mps and --mrrs */
	PV_NEED_RELAXED,   /* --machine, and 8DW records: the meaning of SO in 4DW is not published */
	PV_NEED_TAGS,	   /* --machine, and requests that are matched */
	PV_NEED_LATENCIES, /* --machine, and requests that are answered in the trace, with known times */
	PV_NEED_SECONDS,   /* --machine, and the length of a tick in seconds */
	PV_NEEDS
};
/* Reason for an unknown figure: "without --machine, or --mps and --mrrs". */
extern const char *const pv_stat_need_texts[PV_NEEDS];

struct pv_stat_rule {
	const char *name; /* "small-writes" */
	double threshold; /* a value at or above it is a finding */
	const char *unit; /* unit of threshold and value: "%" */
	double least;	  /* in percent: the flow's share of all wire bytes must reach it */
	enum pv_stat_need need;
	const char *figure;   /* the compared figure */
	const char *why;      /* its cost, and the reason for the threshold */
	const char *document; /* "PCIe 5.0 2.2.2" */
};
enum { PV_STAT_RULES = 15 };
const struct pv_stat_rule *pv_stat_rule(size_t i); /* i below PV_STAT_RULES */

struct pv_stat_finding {
	const struct pv_stat_rule *rule;
	uint16_t requester;
	double value;	/* in the rule's unit */
	char text[240]; /* one sentence; it begins with the device and has no full stop */
};

/*
 * Fills out[] (PV_STAT_FINDINGS_MAX), devices with the most payload first. Returns the number of findings: at most one
 * per device and rule.
 */
#define PV_STAT_FINDINGS_MAX (PV_STAT_DEVICES * PV_STAT_RULES)
size_t pv_stat_find(const struct pv_stat *s, const struct pv_stat_report *r, struct pv_stat_finding *out);
/* Returns true if the inputs of a rule are known. */
bool pv_stat_is_judged(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_rule *rule);

#endif
