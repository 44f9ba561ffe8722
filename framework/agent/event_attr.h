/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes common to opening traces and counters. */
#ifndef PV_AGENT_EVENT_ATTR_H
#define PV_AGENT_EVENT_ATTR_H

#include "framework/agent/session.h"

/* Fills in these attributes. 0; otherwise the plan is wrong, which has been reported. */
int pv_event_attr_fill(struct pv_session *s, const struct pv_args *a, struct pv_perf_attr *attr);

/*
 * Opens an event (pv_driver_ops.event_open). After an EINVAL that the plan does not expect, *e names the refused terms,
 * if the driver opens the event with other values of them (event_refused.h).
 */
int pv_event_attr_open(struct pv_session *s, const char *pmu, const struct pv_perf_attr *attr,
		       struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out,
		       struct pv_error *e);

#endif
