/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: starts programs (QEMU) for the cases of a run, and keeps those that a case has done with for the next case
 * that can use them. It knows nothing of what they do: whoever gives one back names it with a key, and leaves the
 * descriptors that go with it; whoever asks for that key gets both.
 *
 * It listens on a Unix socket of type SOCK_SEQPACKET, to processes of the same user only. A connection has one program
 * at most, which is killed when the connection closes; so are all when the keeper ends. A program runs on the processors that
 * the process at the other end of its connection may use.
 */
#ifndef PV_QEMU_KEEPER_H
#define PV_QEMU_KEEPER_H

#include <stdint.h>

#define PV_KEEPER_TEXT (64u << 10) /* bytes of text in a message */
#define PV_KEEPER_MOST 6	   /* programs that nobody uses are kept; the one that waits longest is killed */

enum pv_keeper_op {
	PV_KEEPER_START = 1, /* text: arguments, each ended by a 0; descriptors: those of the program, from 0 on; value:
				bit i is set where the next one is its descriptor i; answered with 0 or -errno */
	PV_KEEPER_TAKE,	     /* text: a key; answered with 1 and the descriptors left with it, or with 0 */
	PV_KEEPER_KEEP,	     /* text: a key; descriptors: to be left with it; not answered */
	PV_KEEPER_ENDED,     /* of the keeper's own accord: the program has ended; value: its wait status */
};

struct pv_keeper_head {
	uint32_t op;
	int32_t value;
};

/* Serves on a listening socket until SIGTERM, SIGINT or SIGHUP. 0 or -errno. */
int pv_keeper_serve(int listening);

#endif
