/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that were seen to fail: for every attribute that judges a script that passes, and one that differs in nothing
 * but what the attribute is about and must be noticed.
 */
#ifndef PV_AGENT_TESTS_SEEN_H
#define PV_AGENT_TESTS_SEEN_H

#include "framework/agent/emit.h"

struct pv_seen {
	const char *kind, *attr; /* the step and its attribute */
	const char *right;	 /* passes */
	const char *wrong;	 /* gets the verdict */
	enum pv_emit_verdict verdict;
	const char *says; /* a part of what is said then */
};

/* A step with the attribute `expect`: what leads to it, and the step. */
struct pv_expecting {
	const char *kind, *before, *attrs;
	int cannot_fail; /* the step never gets an error from the driver */
};

/* Ended by kind NULL; grouped as the steps are. */
extern const struct pv_seen pv_seen_traces[], pv_seen_counters[], pv_seen_wire[], pv_seen_machine[];
/* Checks at the end of every case, which belong to no step. */
extern const struct pv_seen pv_seen_case[];
extern const struct pv_expecting pv_expecting[];

#define FAIL  PV_EMIT_FAIL
#define ERROR PV_EMIT_ERROR

#endif
