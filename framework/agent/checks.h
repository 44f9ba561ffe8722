/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks with their own source files. */
#ifndef PV_AGENT_CHECKS_H
#define PV_AGENT_CHECKS_H

#include "framework/agent/session.h"

/* Tells the runner which rules of use were broken; for the end of a case. */
void pv_rules_tell(struct pv_session *s);

int pv_check_counter(struct pv_session *s, const struct pv_args *a);
int pv_check_running(struct pv_session *s, const struct pv_args *a);
int pv_check_poll(struct pv_session *s, const struct pv_args *a);
int pv_check_share(struct pv_session *s, const struct pv_args *a);
int pv_check_residency(struct pv_session *s, const struct pv_args *a);
int pv_check_trace(struct pv_session *s, const struct pv_args *a);
int pv_check_trace_overrun(struct pv_session *s, const struct pv_args *a);
int pv_check_empty_trace(struct pv_session *s, const struct pv_args *a);
/* Compares the whole trace with its golden, or writes it to the staging folder. */
int pv_check_trace_golden(struct pv_session *s, const struct pv_args *a, struct pv_session_trace *t);

/* Name of the golden of a check: attribute "name", or plan.case[.id] with invalid letters replaced. */
/* Makes a name of goldens of any text. */
void pv_check_golden_clean(char *name);
void pv_check_golden_name(struct pv_session *s, const struct pv_args *a, const char *id, char *buf, size_t size);

/* Configuration images: the image of a function (NULL: absent); its MPS and MRRS in bytes, unchanged if it has none. */
const struct pv_cfg_image *pv_image_at(const struct pv_cfg_image *list, size_t n, pv_bdf bdf);
void pv_image_sizes(const struct pv_cfg_image *i, unsigned *mps, unsigned *mrrs);

#endif
