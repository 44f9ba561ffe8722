/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies dumps and listings of lspci in fuzz targets. */
#ifndef PV_PCI_FUZZ_COPY_H
#define PV_PCI_FUZZ_COPY_H

#include <stdio.h>
#include <stdlib.h>

#include "framework/pci/dump.h"
#include "framework/util/fuzz/fuzz.h"

/* Returns the copy from pv_pci_dump_copy(). NULL: it refused the text, with a reason. The caller frees it. */
static inline char *copy_of(const char *text, size_t size, size_t *n)
{
	struct pv_error e = {0};
	struct pv_pci_notes notes;
	char *copy;
	FILE *f = open_memstream(&copy, n);
	int err;

	fuzz_check(f);
	err = pv_pci_dump_copy("input", text, size, f, &notes, &e);
	fclose(f);
	free(notes.list);
	fuzz_check((err < 0) == (*e.text != '\0') && err == e.code);
	if (!err)
		return copy;
	free(copy);
	return NULL;
}

#endif
