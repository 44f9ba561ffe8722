/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes common to opening traces and counters. */
#ifndef PV_AGENT_OPENING_H
#define PV_AGENT_OPENING_H

#include "framework/agent/session.h"

#define PV_OPENING_ARGS                                                                                     \
	{"per-task", PV_ARG_YESNO, "for one task", .def = "no"},                                            \
		{"sampling", PV_ARG_YESNO, "with a sample period, as perf record sets it", .def = "no"},    \
		{"exclude", PV_ARG_TEXT, "what to leave out: user, kernel, hv, idle, host, guest"},         \
	{                                                                                                   \
		"cpu", PV_ARG_NUMBER, "where it is opened; default: on the first CPU of the PMU's cpumask", \
			.max = UINT32_MAX                                                                   \
	}

/* Fills in what those attributes say. 0; else the plan is wrong, which has been reported. */
int pv_opening_attr(struct pv_session *s, const struct pv_args *a, struct pv_perf_attr *attr);

#endif
