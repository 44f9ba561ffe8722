/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workload commands of a board description ("workloads" of the case message, docs/protocol.md). The far side runs
 * them as given, never through a shell, and only if "exec" says that the user allowed it.
 */
#ifndef PV_BOARD_COMMANDS_H
#define PV_BOARD_COMMANDS_H

#include <json-c/json.h>

#include "framework/target/commands.h"
#include "framework/target/shell.h"

struct pv_board_commands {
	struct pv_commands base;
	json_object *far;	/* member "far" of the case message */
	struct pv_shell *shell; /* runs commands on the far side; NULL: not connected */
	unsigned most_ms;	/* maximum time for an answer of the far side */
};

/* `far` must outlive it. */
void pv_board_commands_init(struct pv_board_commands *c, json_object *far, unsigned most_ms);

/*
 * Extracts the byte count that a workload command printed: any text, as the program may be any that is installed on the
 * board. `counts` names the program and the number, by a word of the type "counts"; `out` and `err` are its standard
 * output and standard error. 0; -ENOENT: unknown word; -EBADMSG: the output lacks the number.
 */
int pv_counts_read(const char *counts, const char *out, const char *err, uint64_t *bytes);

#endif
