/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, read with a bound and written aside, synced and renamed: nothing is ever half there. */
#ifndef PV_GOLDEN_FILE_H
#define PV_GOLDEN_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

int pv_file_read(const char *path, size_t max, void **data, size_t *len, struct pv_error *e);
int pv_file_write(const char *path, const void *data, size_t len, struct pv_error *e);
/* The first half of pv_file_write(): path + ".new" holds the data on the disk. */
int pv_file_write_aside(const char *path, const void *data, size_t len, struct pv_error *e);
int pv_file_rename_aside(const char *path, struct pv_error *e);

#endif
