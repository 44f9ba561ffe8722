/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real machine of a run, from the runner's side: reads its functions, finds the cases that it can run, and keeps
 * its far side for the cases (docs/lab.md). The agent's side is the target (board.h).
 */
#ifndef PV_BOARD_CONNECT_H
#define PV_BOARD_CONNECT_H

#include <json-c/json.h>

#include "framework/board/bind.h"
#include "framework/board/description.h"
#include "framework/board/lab.h"
#include "framework/board/line.h"
#include "framework/board/ssh.h"
#include "framework/board/translate.h"
#include "framework/pci/machine.h"
#include "framework/topology/topology.h"
#include "framework/util/arena.h"

struct pv_board {
	/* Options, set before pv_board_connect(). */
	const char *root;     /* folder that contains /sys and /dev of the machine; NULL: / */
	bool exec;	      /* the user allows workload commands and commands of the lab */
	double timeout_scale; /* of ssh to the board; 0: 1 */
	bool wait;	      /* wait until other users release the machine; otherwise that is an error */
	bool runs;	      /* cases will run: local is held before it is read, as a board of ssh always is */
	bool unbind;	      /* the reference driver may unbind functions from the kernel's drivers */
	struct pv_board_description description;
	struct pv_bind_wish wish[PV_BIND_WISHES_MAX]; /* --bind */
	size_t n_wishes;
	bool every; /* a case is run on each function that it can be about (--every-match) */

	/* Facts about the machine. */
	char release[64]; /* of its kernel; "": unknown */
	struct pv_pci_machine *machine;
	json_object *environment;      /* facts from the machine itself; NULL: pcieval-far was not found */
	struct pv_board_places places; /* functions with other BDFs than in the plans */

	/* The far side. */
	const char *target, *host; /* host: of target ssh; NULL: other targets */
	struct pv_child holder;	   /* target local: reserves the machine; pid 0: none */
	struct pv_ssh ssh;	   /* host NULL: not connected */
	bool waits;		   /* a message about waiting was printed */
	bool waiting;		   /* the connection has begun to wait */
	bool doubtful;		   /* the last session did not end properly: the connection may be lost */
	bool lost;		   /* the connection was lost, and could not be restored */
	int64_t answered_ms;	   /* the time when it last answered after a loss */
	char other[512];	   /* why a board that came back is not the same as before; "": it is */
	char options[256];	   /* of the far-side program */
	struct pv_lab_console console;
	struct pv_lab_place place;
	char *found;	      /* what the kernel printed before a loss between two cases; NULL: nothing */
	char *crashes;	      /* list of crash records before the case; NULL: unknown, or not needed */
	struct pv_line line;  /* to the far side that cases use */
	char *program;	      /* pcieval-far for the machine; NULL: not looked for, or not found */
	const char *words[7]; /* target local: the command that starts it */
	json_object *far;     /* "far" of the case messages (docs/protocol.md); NULL: not started */

	/* The cases (place.h). */
	struct pv_arena reasons; /* texts */
	json_object *bound;	 /* list of messages */
	struct {
		const struct pv_topology *topology;
		const char *reason;
		bool known;
	} last; /* most cases of a plan have the same topology as the previous one */
};

/* Returns true if the target is a real machine. */
bool pv_board_is_target(const char *target);
/* Connects to the machine of target "local" or "ssh:HOST", and reads it. 0, or -errno with *e; close it either way. */
int pv_board_connect(struct pv_board *b, const char *target, struct pv_error *e);
/* Finds the far-side program, reserves the machine, and sets b->far. 0, or -errno with *e. */
int pv_board_start(struct pv_board *b, struct pv_error *e);
void pv_board_close(struct pv_board *b);

/*
 * The session of a case, after pv_board_start(): like pv_line_begin() and pv_line_end(), but a lost connection is
 * restored. If the lab has commands for it, the end of a case that killed the board cycles its power. *kernel: true if
 * *e begins with a report of the board's kernel that blames a driver under test.
 */
int pv_board_begin(void *board, int fds[2], struct pv_error *e);
int pv_board_end(void *board, char **said, bool *kernel, struct pv_error *e);

#endif
