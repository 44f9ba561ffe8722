/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remarks: logged errors, links below their maximum, sizes that cost throughput. */
#ifndef PV_MPS_REMARK_H
#define PV_MPS_REMARK_H

#include "framework/mps/check.h"

struct pv_remark {
	const struct pv_pci_func *func;
	char text[192];
};

struct pv_remarks {
	struct pv_remark *list;
	size_t n;
};

/* Finds the remarks of a machine, in the order of its functions. 0 or -ENOMEM. The caller frees them. */
int pv_remarks_find(const struct pv_pci_machine *m, const struct pv_mismatches *found, struct pv_remarks *remarks);
void pv_remarks_free(struct pv_remarks *remarks);

/* Error logs that prove a mismatch. "": none. */
struct pv_evidence {
	char text[192];
};
struct pv_evidence pv_evidence_of(const struct pv_mismatch *mismatch);

/*
 * Intel 5000 and 5100 have an erratum with an MPS of 256 if read completion coalescing is on (bit 10 of 0x48). Linux
 * clears the bit at boot under every policy but tune_off and default (quirk_intel_mc_errata()). Returns such a
 * function, also if its bit is unknown. NULL: none.
 */
const struct pv_pci_func *pv_coalescing_erratum(const struct pv_pci_machine *m);

#endif
