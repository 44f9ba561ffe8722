/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU kinds of the reference driver, in the order in which they are asked. One line each.
 */
#include "drivers/user/pmu.h"

const struct pv_pmu_kind *const pv_pmu_kinds[] = {
	&pv_pmu_ptt,
	&pv_pmu_cpmu,
	&pv_pmu_dwc,
	NULL,
};
