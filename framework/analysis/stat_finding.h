/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what the figures of a device say in words. A rule compares one figure with a threshold. A figure that the
 * trace or the dump does not give leaves its rules unjudged; it is never taken for 0.
 */
#ifndef PV_ANALYSIS_STAT_FINDING_H
#define PV_ANALYSIS_STAT_FINDING_H

#include "framework/analysis/stat_report.h"

/* Needs of a rule, besides the sizes of TLPs. */
enum pv_stat_need {
	PV_NEED_NOTHING,
	PV_NEED_ADDRESSES, /* no --no-ranges */
	PV_NEED_SIZES,	   /* MPS, MRRS: --machine, or --mps and --mrrs */
	PV_NEED_RELAXED,   /* --machine, and 8DW records: the meaning of SO in 4DW is not published */
	PV_NEED_TAGS,	   /* --machine, and requests that are matched */
	PV_NEED_LATENCIES, /* --machine, and requests that are answered in the trace, with times */
	PV_NEED_SECONDS,   /* --machine, and a tick in seconds */
	PV_NEEDS
};
extern const char
	*const pv_stat_need_texts[PV_NEEDS]; /* "without --machine, or --mps and --mrrs": when the figure is unknown */

struct pv_stat_rule {
	const char *name; /* "small-writes" */
	double threshold; /* a value at or above it is a finding */
	const char *unit; /* of threshold and value: "%" */
	double least;	  /* part of all bytes on the wire that the flow must have to be worth a sentence, in percent */
	enum pv_stat_need need;
	const char *figure;   /* what is compared */
	const char *why;      /* what it costs, and why this threshold */
	const char *document; /* "PCIe 5.0 2.2.2" */
};
enum { PV_STAT_RULES = 15 };
const struct pv_stat_rule *pv_stat_rule(size_t i); /* i below PV_STAT_RULES */

struct pv_stat_finding {
	const struct pv_stat_rule *rule;
	uint16_t requester;
	double value;	/* in the rule's unit */
	char text[240]; /* one sentence, which begins with the device and has no full stop */
};

/*
 * Fills out[] (PV_STAT_FINDINGS_MAX), the devices with the most payload first; returns how many. A device has at most
 * one finding by each rule.
 */
#define PV_STAT_FINDINGS_MAX (PV_STAT_DEVICES * PV_STAT_RULES)
size_t pv_stat_find(const struct pv_stat *s, const struct pv_stat_report *r, struct pv_stat_finding *out);
/* Returns true if some device has the figure of a rule. */
bool pv_stat_is_judged(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_rule *rule);

#endif
