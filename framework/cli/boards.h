/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real machines as targets of a run: which cases have their topology there, and how the far side is started. */
#ifndef PV_CLI_BOARDS_H
#define PV_CLI_BOARDS_H

#include <json-c/json.h>

#include "framework/board/description.h"
#include "framework/board/line.h"
#include "framework/board/ssh.h"
#include "framework/board/translate.h"
#include "framework/pci/machine.h"
#include "framework/run/run.h"

struct pv_cli_board {
	const char *root; /* where /sys and /dev of the machine are; NULL: in the root */
	bool exec;	  /* workload commands may be run */
	bool unbind;	  /* the reference driver may take functions from the kernel's */
	const char *file; /* the board's description; NULL: none */
	struct pv_board_description description;
	struct pv_child holder; /* target local: keeps others away; pid 0: none */
	const char *host;	/* of target ssh; NULL: another target */
	struct pv_ssh ssh;	/* host NULL: not connected */
	bool doubtful;		/* the last session did not end as it should: the connection may be no good any more */
	bool lost;		/* it was, and the board could not be reached again */
	char options[256];	/* of the program there */
	char release[64];	/* of its kernel; "": not known */
	struct pv_pci_machine *machine;
	json_object *environment;      /* what it says of itself; NULL: pcieval-far was not found */
	struct pv_board_places places; /* functions that are elsewhere than in the plans */
	struct pv_line line;	       /* to the far side that cases use */
	struct pv_run_line run_line;   /* the same for the runner; begin NULL: nothing is to be run */
	char *program;		       /* target local: the command's first word ... */
	const char *words[7];	       /* ... and all of them */
	json_object *far;	       /* "far" of the case messages (docs/protocol.md) */
	char **reasons;		       /* of the jobs that are skipped */
	size_t n_reasons;
};

/* The name of a machine that nobody named. */
const char *pv_cli_board_name(const char *target);
/* Is the target a real machine? */
bool pv_cli_is_board(const char *target);
/*
 * Reads the machine, once for the run, and skips the jobs whose topology it has not. If any is left, finds the far-side
 * program, and sets b->far. 0, or -errno with *e; close it either way.
 */
int pv_cli_board_open(struct pv_cli_board *b, const char *target, struct pv_job *jobs, size_t n, struct pv_error *e);
void pv_cli_board_close(struct pv_cli_board *b);

#endif
