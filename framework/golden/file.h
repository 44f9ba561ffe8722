/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replacing several files so that none is half there: all are written aside and synced, then renamed. */
#ifndef PV_GOLDEN_FILE_H
#define PV_GOLDEN_FILE_H

#include <stddef.h>

#include "framework/util/error.h"

/* path + ".new" holds the data, on the disk. */
int pv_golden_write_aside(const char *path, const void *data, size_t len, struct pv_error *e);
int pv_golden_rename_aside(const char *path, struct pv_error *e);

#endif
