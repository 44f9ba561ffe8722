/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dumps of a machine as printed by lspci: configuration space (-xxxx), or the text of -vv. libpci trusts such a file:
 * an offset above 0x7fffffff makes it write before its buffer, and it cannot read text. So a dump is checked here
 * first, text is converted back to the bytes that it was printed from, and libpci reads the result.
 */
#ifndef PV_PCI_DUMP_H
#define PV_PCI_DUMP_H

#include <stddef.h>
#include <stdio.h>

#include "framework/pci/note.h"
#include "framework/util/error.h"

enum { PV_PCI_DUMP_BYTES_MAX = 256 << 20, PV_PCI_DUMP_FUNCTIONS_MAX = 1 << 17 };

/* Notes of the functions with text, sorted by domain, bus, device, function. */
struct pv_pci_notes {
	struct pv_pci_note *list;
	size_t n;
};

/*
 * Copies the functions of a dump (n bytes of text) to `out`: for each a line with its name and the lines of its
 * configuration space, nothing else. Functions with text only come last. The caller frees notes->list, also after an
 * error. Returns 0, -EBADMSG (no dump, or a broken one; *e has the line), -ENOMEM.
 */
int pv_pci_dump_copy(const char *name, const char *text, size_t n, FILE *out, struct pv_pci_notes *notes,
		     struct pv_error *e);

#endif
