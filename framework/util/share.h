/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders and files that come with pcieval: in its tree beside the plans, or in share/pcieval where it is installed. */
#ifndef PV_UTIL_SHARE_H
#define PV_UTIL_SHARE_H

#include <stdbool.h>

#include "framework/util/error.h"

/*
 * Finds `name`, such as "fixtures/topologies", in the parent folders of the file `from`, the closest one first, else in
 * the working directory, else where this program is installed. `from` need not exist; NULL: only the other two. The
 * caller frees the absolute path; NULL: not found.
 */
char *pv_share_find(const char *from, const char *name);
/*
 * Finds the program `name` of pcieval beside this program or where the build has it, else in libexec/pcieval where it
 * is installed. The caller frees the path; NULL: not found.
 */
char *pv_share_program(const char *name);
/* The error for a program that was not found: says where it was looked for. -ENOENT. */
int pv_share_no_program(const char *name, struct pv_error *e);
/* Whether `path` is where this program is installed: nothing is to be written there. */
bool pv_share_is_installed(const char *path);

#endif
