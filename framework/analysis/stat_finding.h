/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what the figures of a device say in words. A rule compares one figure with a threshold. A figure that the
 * trace or the dump does not give leaves its rules out; it is never taken for 0.
 */
#ifndef PV_ANALYSIS_STAT_FINDING_H
#define PV_ANALYSIS_STAT_FINDING_H

#include "framework/analysis/stat_report.h"

struct pv_stat_rule {
	const char *name;     /* "small-writes" */
	double threshold;     /* a value at or above it is a finding */
	const char *unit;     /* of threshold and value: "%" */
	const char *figure;   /* what is compared */
	const char *why;      /* why this threshold, and what to do */
	const char *document; /* "PCIe 5.0 2.2.2" */
};
extern const struct pv_stat_rule pv_stat_rules[];
extern const size_t pv_stat_n_rules;

struct pv_stat_finding {
	const struct pv_stat_rule *rule;
	uint16_t requester;
	double value;	/* in the rule's unit */
	char text[240]; /* one sentence, which begins with the device and has no full stop */
};

/* At most one finding for each rule and device. */
#define PV_STAT_FINDINGS_MAX 64
/* Fills out[] (PV_STAT_FINDINGS_MAX), the devices with the most bytes on the wire first; returns how many. */
size_t pv_stat_find(const struct pv_stat *s, const struct pv_stat_report *r, struct pv_stat_finding *out);

#endif
