/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text of `perf report -D` and of `trace dump`, as people mail it, back as raw payload. Losses that perf
 * notes between the lines of a dump are problems and holes; other text is ignored. A line may be quoted ("> ").
 */
#ifndef PV_TRACE_DUMPREAD_H
#define PV_TRACE_DUMPREAD_H

#include "framework/trace/reader.h"

/* Returns true if these bytes are text and a record of a dump begins in them. */
bool pv_dumpread_is_dump(const uint8_t *p, size_t n);
/* Replaces the source, a dump, by its payload, which is stream 0. Reports lines that make no sense. 0 or -errno. */
int pv_dumpread_load(struct pv_trace *t);

#endif
