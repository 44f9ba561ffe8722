/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan on functions that stand elsewhere. The description of a board says which function of the plan is which of the
 * board (<device>); the case message is rewritten before anything else is done with it, so that the match with the machine,
 * the steps and their messages all speak of the board's own places.
 */
#ifndef PV_BOARD_TRANSLATE_H
#define PV_BOARD_TRANSLATE_H

#include <json-c/json.h>

#include "framework/util/error.h"

/*
 * Rewrites "topology" and the attributes of "steps" of a case message, in place. `devices`: objects with "plan" and "is", and
 * "secondary" and "subordinate" of a bridge; NULL: nothing is elsewhere. 0; -EOPNOTSUPP: what depends on places that cannot be
 * rewritten, the filters of a PTT, say; -EINVAL: a list that is none.
 */
int pv_board_translate(json_object *msg, json_object *devices, struct pv_error *e);
/* The same of a text: malloc'd. NULL: no memory, or no such list. */
char *pv_board_translate_text(const char *text, json_object *devices);

#endif
