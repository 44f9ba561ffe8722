/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves how often each line of the drivers under test ran in a guest (Documentation/dev-tools/gcov.rst). Of a run in
 * PATH, PATH/gcov has OBJECT.gcno, which the compiler wrote, OBJECT.c if ci/guest has kept the source, and
 * CASE+BOOT/OBJECT.gcda of each boot, for gcov(1).
 */
#ifndef PV_QEMU_GCOV_H
#define PV_QEMU_GCOV_H

#include <json-c/json.h>

#include "framework/target/shell.h"
#include "framework/util/error.h"

/*
 * Reads the list of `folder`, a kernel's or a driver's from ci/guest, and appends its objects to `out`, an array of
 * {"object", "counts", "notes"}: the file of the guest's debugfs, and of the host. An object that is there already is
 * replaced. 0; -ENOENT: the folder was not compiled for gcov; -EBADMSG.
 */
int pv_gcov_add_objects(const char *folder, json_object *out);
/*
 * Saves the counts of boot number `boot`, from 1, of a case whose folder is PATH/cases/CASE. The kernel keeps them when
 * a driver is unloaded. A driver that was never loaded has none. 0, or -errno with *e.
 */
int pv_gcov_save(json_object *objects, struct pv_shell *shell, const char *folder, unsigned boot, struct pv_error *e);

#endif
