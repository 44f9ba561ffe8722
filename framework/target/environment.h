/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of a run: facts about the machine under test (`pcieval-far --environment`), as names and values. It
 * is collected once per run and kept in a file of the run folder, from which reports are made.
 */
#ifndef PV_TARGET_ENVIRONMENT_H
#define PV_TARGET_ENVIRONMENT_H

#include <json-c/json.h>

#include "framework/target/shell.h"
#include "framework/util/error.h"

enum { PV_ENVIRONMENT_MAX = 1 << 20 }; /* bytes of text */

/*
 * Takes lines "name<TAB>value" as an object of strings, in their order. Lines without a tab are skipped: a login script
 * may have printed them. NULL: no line was left.
 */
json_object *pv_environment_parse(const char *text);
/* Queries the system under test through `shell`, which must run pcieval-far. NULL: *e says why. */
json_object *pv_environment_ask(struct pv_shell *shell, struct pv_error *e);
/* Writes the file. 0 or -errno. */
int pv_environment_write(const char *path, json_object *environment, struct pv_error *e);

#endif
