/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine as one HTML page: mismatches and their cures, the tree as a picture, and the sizes of each policy. */
#ifndef PV_MPS_HTML_H
#define PV_MPS_HTML_H

#include <stdio.h>

#include "framework/mps/cure.h"
#include "framework/mps/remark.h"

struct pv_mps_page {
	const char *name; /* name of the dump, or of this machine */
	const struct pv_pci_machine *machine;
	const struct pv_mismatches *found;
	const struct pv_cures *cures, *peers; /* without and with peer-to-peer writes */
	const struct pv_remarks *remarks;
};

/* Writes the page: well-formed XML that needs no network. */
void pv_mps_html(const struct pv_mps_page *page, FILE *f);

#endif
