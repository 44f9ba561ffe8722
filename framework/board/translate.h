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

/* A function of the plan, and its BDF on the board. */
struct pv_board_place {
	struct pv_board_device device;
	bool bridge; /* it is a bridge with these bus numbers on the board: */
	uint8_t secondary, subordinate;
};

/* A PMU of the plan, and its name on the board. For CXL PMUs, the part before the dot. */
struct pv_board_pmu {
	char plan[24], is[24];
};

struct pv_board_places {
	struct pv_board_place place[PV_BOARD_DEVICES_MAX];
	size_t n; /* 0: all functions have the BDFs of the plan */
	struct pv_board_pmu pmu[PV_BOARD_DEVICES_MAX];
	size_t n_pmus; /* renamed PMUs, except those of Root Ports, whose names contain BDFs */
};

/*
 * Moves the functions of a topology to their BDFs on the board. 0; -EOPNOTSUPP: a value that depends on BDFs cannot be
 * moved, such as a PTT filter.
 */
int pv_board_move(const struct pv_board_places *p, struct pv_topology *t, struct pv_error *e);
/* Rewrites the attributes in "steps" of a case message, in place, if their types can contain BDFs. 0 or -ENOMEM. */
int pv_board_move_steps(const struct pv_board_places *p, json_object *steps, struct pv_error *e);
/* Rewrites a value of a type. The caller frees it. NULL: no memory. */
char *pv_board_move_text(const struct pv_board_places *p, enum pv_type_holds holds, const char *text);
/* A function in a text, by BDF or as the PMU of a Root Port. */
struct pv_board_found {
	pv_bdf bdf;
	bool pmu;
};

/* Finds the next function in a value of a type. *at moves behind it. False: there is none. */
bool pv_board_next_function(const char *text, enum pv_type_holds holds, const char **at, struct pv_board_found *out);
/* Returns true if the n characters at `at` are a whole word of the text, as the name of a PMU must be. */
bool pv_board_is_word(const char *text, const char *at, size_t n);

#endif
