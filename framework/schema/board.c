/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of boards (docs/lab.md): what a lab knows of a board that the board does not say itself. */
#include "framework/schema/tables.h"

static const struct pv_attr_decl board_attrs[] = {
	{"name", TYPE(NAME), "what it is called in reports", .required = true},
	{NULL},
};

static const struct pv_attr_decl device_attrs[] = {
	{"plan", TYPE(BOARD_FUNCTION), "where it is in plans", .required = true},
	{"is", TYPE(BOARD_FUNCTION), "where it is on the board", .required = true},
	{NULL},
};

static const struct pv_attr_decl tap_attrs[] = {
	{"socket", TYPE(PATH), "the socket where it answers", .required = true},
	{NULL},
};

static const struct pv_attr_decl tolerance_attrs[] = {
	{"counts", TYPE(SHARE), "as a share of the count", .required = true},
	{NULL},
};

static const struct pv_attr_decl workload_attrs[] = {
	{"from", TYPE(FROM_END), "who sends the data", .required = true},
	{"to", TYPE(TO_END), "who receives them", .required = true},
	{"counts", TYPE(COUNTS), "how its output says what it moved", .required = true},
	{"timeout-s", TYPE(SECONDS), "it is killed after this time, with all that it started", .value = "60"},
	{NULL},
};

static const struct pv_attr_decl vouch_attrs[] = {
	{"function", TYPE(BOARD_FUNCTIONS), "of which function", .required = true},
	{NULL},
};

const struct pv_element_decl pv_elements_board[] = {
	{"board", "A board of the lab.", .attrs = {board_attrs},
	 .children = "device tap tolerance vouch workload writes"},
	{"device",
	 "Which function of the board stands for a function of plans. Those that are not named stand at the same "
	 "place. Any number.",
	 .attrs = {device_attrs}},
	{"tap", "An instrument that sends traffic on the links of the board and records it. At most one.",
	 .attrs = {tap_attrs}},
	{"tolerance", "How far counters may be off what workloads counted themselves. At most one.",
	 .attrs = {tolerance_attrs}},
	{"workload",
	 "A program that moves data over a link, and says how much; run with --allow-exec only, never by a shell. One "
	 "for each way.",
	 .attrs = {workload_attrs}, .children = "word"},
	{"word", "A word of its command line; the first is the program.", .text = TYPE(WORD)},
	{"vouch",
	 "Vouches for properties of a function that plans require and pcieval cannot read: a limit of MRRS, clocks of "
	 "a RAS D.E.S. core, a PTT's handling of its records. Any number.",
	 .attrs = {vouch_attrs}},
	{"writes", "Cases may write attributes of PMUs and configuration space. Their old values are restored after "
		   "each case, whatever ends it."},
	{NULL},
};
