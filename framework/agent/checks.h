/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the checks and steps of several files share. */
#ifndef PV_AGENT_CHECKS_H
#define PV_AGENT_CHECKS_H

#include "framework/agent/session.h"

/* Reports broken rules of use to the runner, at the end of a case. */
void pv_rules_tell(struct pv_session *s);

/* Returns a counter that was read. NULL: it does not exist or was not read; a problem of the plan was reported. */
struct pv_counter *pv_check_counter_read(struct pv_session *s, const char *id);

/* Replaces characters that names of goldens must not contain. */
void pv_check_golden_clean(char *name);
/* Name of the golden of a check: attribute "name", or plan.case[.id], cleaned. */
void pv_check_golden_name(struct pv_session *s, const struct pv_args *a, const char *id, char *buf, size_t size);

/* Configuration images: the image of a function (NULL: absent); its MPS and MRRS in bytes, unchanged if it has none. */
const struct pv_cfg_image *pv_image_at(const struct pv_cfg_image *list, size_t n, pv_bdf bdf);
void pv_image_sizes(const struct pv_cfg_image *i, unsigned *mps, unsigned *mrrs);

#endif
