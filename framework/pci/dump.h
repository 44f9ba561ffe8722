/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dumps of configuration space as `lspci -x` prints them. libpci trusts such a file: an offset above 0x7fffffff makes
 * it write before its buffer. So a dump is checked here first, and libpci reads what this writes.
 */
#ifndef PV_PCI_DUMP_H
#define PV_PCI_DUMP_H

#include <stddef.h>
#include <stdio.h>

#include "framework/util/error.h"

enum { PV_PCI_DUMP_BYTES_MAX = 256 << 20 };

/*
 * Copies the functions of a dump (n bytes of text) to `out`: of each a line with its name and the lines of its
 * configuration space, nothing else. Returns 0, -EBADMSG (no dump, or a broken one; *e has the line), -ENOMEM.
 */
int pv_pci_dump_copy(const char *name, const char *text, size_t n, FILE *out, struct pv_error *e);

#endif
