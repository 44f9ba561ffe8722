/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out what of an event a driver refuses. */
#ifndef PV_AGENT_EVENT_REFUSED_H
#define PV_AGENT_EVENT_REFUSED_H

#include "framework/target/target.h"

/*
 * The driver has refused this event. Opens it with other values of the terms of the PMU's format, first of one term,
 * then of several, and puts into *e with which ones it opens: "it opens with type=0x1 instead of 0x3". Leaves *e alone
 * if it opens with none.
 */
void pv_event_refused(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
		      struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_error *e);

#endif
