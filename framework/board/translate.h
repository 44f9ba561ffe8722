/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a plan on functions with other BDFs. A board description maps functions of the plan to functions of the board
 * (<device>). The case message is rewritten before anything else, so the match with the machine, the steps and their
 * messages all use the BDFs of the board.
 */
#ifndef PV_BOARD_TRANSLATE_H
#define PV_BOARD_TRANSLATE_H

#include <json-c/json.h>

#include "framework/util/error.h"

/*
 * Rewrites "topology" and the attributes of "steps" of a case message in place. `devices` is a list of objects with
 * "plan" and "is", and for bridges "secondary" and "subordinate"; NULL: nothing moved. 0; -EOPNOTSUPP: something
 * depends on BDFs and cannot be rewritten, such as a PTT filter; -EINVAL: `devices` is malformed.
 */
int pv_board_translate(json_object *msg, json_object *devices, struct pv_error *e);
/* Rewrites a text; the caller frees. NULL: no memory, or `devices` is malformed. */
char *pv_board_translate_text(const char *text, json_object *devices);

#endif
