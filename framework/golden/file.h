/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces several files together: all are written aside and synced, then renamed. */
#ifndef PV_GOLDEN_FILE_H
#define PV_GOLDEN_FILE_H

#include <stddef.h>

#include "framework/util/error.h"

/* Writes and syncs the data to path + ".new". */
int pv_golden_write_aside(const char *path, const void *data, size_t len, struct pv_error *e);
int pv_golden_rename_aside(const char *path, struct pv_error *e);

#endif
