/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a plan on functions with other BDFs. A board description maps functions of the plan to functions of the board
 * (<device>). The topology and the attributes of steps are moved before anything else, so the match with the machine,
 * the steps and their messages all use the BDFs of the board.
 */
#ifndef PV_BOARD_TRANSLATE_H
#define PV_BOARD_TRANSLATE_H

#include <json-c/json.h>

#include "framework/board/description.h"
#include "framework/schema/schema.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

/* A function of the plan, and where it is on the board. */
struct pv_board_place {
	struct pv_board_device device;
	bool bridge; /* with these buses on the board: */
	uint8_t secondary, subordinate;
};

struct pv_board_places {
	struct pv_board_place place[PV_BOARD_DEVICES_MAX];
	size_t n; /* 0: all functions are where the plan has them */
};

/*
 * Reads "devices" of a case message (docs/protocol.md): a list of objects with "plan" and "is", and for bridges
 * "secondary" and "subordinate"; NULL: no places. 0 or -EINVAL.
 */
int pv_board_places_parse(json_object *devices, struct pv_board_places *out, struct pv_error *e);
/* Writes what pv_board_places_parse() reads. */
json_object *pv_board_places_json(const struct pv_board_places *p);

/*
 * Moves the functions of a topology to their places. 0; -EOPNOTSUPP: something depends on BDFs and cannot be moved,
 * such as a PTT filter.
 */
int pv_board_move(const struct pv_board_places *p, struct pv_topology *t, struct pv_error *e);
/* Rewrites attributes in "steps" of a case message, in place, as far as their types can hold BDFs. 0 or -ENOMEM. */
int pv_board_move_steps(const struct pv_board_places *p, json_object *steps, struct pv_error *e);
/* Rewrites a value of a type. The caller frees. NULL: no memory. */
char *pv_board_move_text(const struct pv_board_places *p, enum pv_type_holds holds, const char *text);

#endif
