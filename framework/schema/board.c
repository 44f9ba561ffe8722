/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of boards (docs/lab.md): what a lab knows of a board that the board does not say itself. */
#include "framework/schema/schema_internal.h"

static const struct pv_attr_decl board_attrs[] = {
	{"name", TYPE(NAME), "name of the board in reports", .required = true},
	{"ptt-tick-hz", TYPE(HERTZ), "ticks of Time in the records of its PTTs, for traces in seconds"},
	{NULL},
};

static const struct pv_attr_decl device_attrs[] = {
	{"plan", TYPE(BOARD_FUNCTION), "BDF of the function in plans", .required = true},
	{"is", TYPE(BOARD_FUNCTION), "BDF of the function on the board", .required = true},
	{NULL},
};

static const struct pv_attr_decl tap_attrs[] = {
	{"socket", TYPE(PATH), "path of the tap's socket", .required = true},
	{NULL},
};

static const struct pv_attr_decl tolerance_attrs[] = {
	{"counts", TYPE(SHARE), "as a share of the count", .required = true},
	{NULL},
};

static const struct pv_attr_decl workload_attrs[] = {
	{"from", TYPE(FROM_END), "sender of the data", .required = true},
	{"to", TYPE(TO_END), "receiver of the data", .required = true},
	{"counts", TYPE(COUNTS), "format of the program's output", .required = true},
	{"timeout-s", TYPE(SECONDS), "seconds until the program is killed, with its children", .value = "60"},
	{NULL},
};

static const struct pv_attr_decl power_attrs[] = {
	{"cycle", TYPE(COMMAND), "command that cycles the power of the board, or resets it"},
	{"on", TYPE(COMMAND), "command that turns the power on"},
	{"off", TYPE(COMMAND), "command that turns the power off"},
	{"after-s", TYPE(SECONDS), "seconds that a board may take to boot by itself before its power is cycled",
	 .value = "30"},
	{"boot-s", TYPE(SECONDS), "seconds from then on until ssh must reach it", .value = "300"},
	{NULL},
};

static const struct pv_attr_decl labgrid_attrs[] = {
	{"place", TYPE(LAB_NAME), "name of the place", .required = true},
	{"coordinator", TYPE(LAB_NAME), "HOST:PORT of the coordinator, as labgrid-client takes it"},
	{"config", TYPE(PATH), "environment file of labgrid, with the strategy of the place"},
	{"state", TYPE(LAB_NAME), "state of the strategy in which ssh reaches the board, such as shell"},
	{"after-s", TYPE(SECONDS), "as of power", .value = "30"},
	{"boot-s", TYPE(SECONDS), "as of power", .value = "300"},
	{NULL},
};

static const struct pv_attr_decl console_attrs[] = {
	{"command", TYPE(COMMAND), "command that prints the console of the board until it is ended", .required = true},
	{NULL},
};

static const struct pv_attr_decl vouch_attrs[] = {
	{"function", TYPE(BOARD_FUNCTIONS), "the function", .required = true},
	{NULL},
};

const struct pv_element_decl pv_elements_board[] = {
	{"board", "A board of the lab.", .attrs = {board_attrs},
	 .children = "console device labgrid power tap tolerance vouch workload writes"},
	{"device",
	 "Maps a function of plans to a function of the board. Functions that are not named have the same BDF in both. "
	 "Any number.",
	 .attrs = {device_attrs}},
	{"console",
	 "Gives access to the serial console of the board. What it prints while a case kills the board is in the log "
	 "of "
	 "the case, and its kernel reports are judged. Only with --allow-exec. At most one.",
	 .attrs = {console_attrs}},
	{"labgrid",
	 "A place of labgrid with the power and console of the board. A run acquires it, and releases it in the end. "
	 "With config and state, the strategy boots the board: at the start of a run if it does not answer, after "
	 "which its power is off in the end, and instead of a power cycle. Instead of power and console. At most one.",
	 .attrs = {labgrid_attrs}},
	{"power",
	 "Lets a run cycle the power of the board when it does not answer any more. The commands run on this machine, "
	 "in sh(1), only with --allow-exec. At most one.",
	 .attrs = {power_attrs}},
	{"tap", "An instrument that sends traffic on the links of the board and records it. At most one.",
	 .attrs = {tap_attrs}},
	{"tolerance", "Allowed difference between counters and the counts of workloads. At most one.",
	 .attrs = {tolerance_attrs}},
	{"workload",
	 "A program that moves data over a link and prints the amount. It runs only with --allow-exec, never in a "
	 "shell. One for each direction.",
	 .attrs = {workload_attrs}, .children = "word"},
	{"word", "A word of the command line; the first one is the program.", .text = TYPE(WORD)},
	{"vouch",
	 "Vouches for properties of a function that plans require and pcieval cannot read: a limit of MRRS, clocks of "
	 "a RAS D.E.S. core, a PTT's handling of its records. Any number.",
	 .attrs = {vouch_attrs}},
	{"writes", "Cases may write attributes of PMUs and configuration space. Their old values are restored after "
		   "each case, however it ends."},
	{NULL},
};
