/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headings of functions, for all readers of dumps. */
#ifndef PV_PCI_DUMP_INTERNAL_H
#define PV_PCI_DUMP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct pv_dump_place {
	unsigned domain, bus, device, function;
};

/*
 * Parses "0000:01:00.0 " after quote characters. False: the line is no heading. *quote is the number of bytes before
 * the BDF, *rest the offset after it.
 */
bool pv_dump_heading(const char *line, size_t n, struct pv_dump_place *place, size_t *quote, size_t *rest);

#endif
