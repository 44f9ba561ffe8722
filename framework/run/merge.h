/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes one run folder of the shards of a run (shard.h). It is that of a run that had all cases, in the same order, so
 * that all reports, compare and --rerun read it as such. Settings that differ among the shards, such as the host's
 * name, have all values; each case says where it ran. No times of different machines are compared, as their clocks may
 * differ: the run has lasted as long as its longest shard.
 */
#ifndef PV_RUN_MERGE_H
#define PV_RUN_MERGE_H

#include <stddef.h>

#include "framework/util/error.h"

/*
 * Merges n folders into `out`, a new or empty folder, which is empty again after an error. `command`: how the merge was
 * started, for the reports. 0, or an error of pv_merge_parts_read() or of writing.
 */
int pv_merge(const char *const *folders, size_t n, const char *out, const char *command, struct pv_error *e);

#endif
