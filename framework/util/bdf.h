/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a function is written: [dddd:]bb:dd.f, hexadecimal. */
#ifndef PV_UTIL_BDF_H
#define PV_UTIL_BDF_H

#include <stddef.h>

#include "drivers/regs/pcie.h"

struct pv_bdf_text {
	char s[16];
};

/* Returns "00:10.0", or "0001:00:10.0" in another domain than 0. */
struct pv_bdf_text pv_bdf_text(pv_bdf bdf);
/* Returns it with its domain, as Linux names it: "0000:00:10.0". */
struct pv_bdf_text pv_bdf_name(pv_bdf bdf);

/* Reads a whole text. 0 or -EINVAL. */
int pv_bdf_parse(const char *text, pv_bdf *bdf);
/* Reads the name of a DWC PMU: dwc_rootport_ and domain << 16 | BDF in hexadecimal. 0 or -EINVAL. */
int pv_bdf_of_dwc_pmu(const char *pmu, pv_bdf *bdf);
/* Reads Linux's name of a function, which other text may follow. Returns its length; 0: there is none. */
size_t pv_bdf_scan(const char *text, pv_bdf *bdf);

#endif
