/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures that have a file of their own. Private to framework/oracle. */
#ifndef PV_ORACLE_MEASURE_INTERNAL_H
#define PV_ORACLE_MEASURE_INTERNAL_H

#include "framework/oracle/oracle.h"

/* PV_MEASURE_OUT_OF_ORDER, over the inner window of a window that is valid. */
int pv_measure_order(struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s, double *out);

#endif
