/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of report writers, in the order of enum pv_report. */
#include "reports/writers.h"

const struct pv_report_writer pv_report_writers[] = {
#define X(name, help) {#name, "--" #name, help, pv_##name##_write},
	PV_REPORT_WRITERS(X)
#undef X
		{0},
};
