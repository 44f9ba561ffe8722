/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came to a machine and left it since the last boot, as the oracle of MPS and MRRS is told it: each time with the
 * configuration space of what came, before the driver saw it.
 */
#ifndef PV_AGENT_HISTORY_H
#define PV_AGENT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/oracle/oracle.h"

struct pv_session;

/* What the driver knows of a place. */
struct pv_place_seen {
	pv_bdf bdf;
	bool known;  /* it was told of the function there */
	bool untold; /* a function is there, but nobody told it */
};

struct pv_history {
	struct pv_mps_event *event; /* after the boot; their images are owned */
	size_t n;
	bool started;		    /* `seen` holds what was there at the boot */
	struct pv_place_seen *seen; /* places where a function is or was */
	size_t n_seen;
	bool torn; /* part of what is below `torn_slot` was taken away */
	pv_bdf torn_slot;
	bool lost; /* something happened that the oracle cannot be told */
};

/* A boot: nothing has happened since. Also frees. */
void pv_history_clear(struct pv_history *h);

/* Notes what is new in the machine, as long as the driver is not told. 0 or -errno. */
int pv_history_plugged(struct pv_session *s);
/*
 * Prepares the event that the driver is about to be told of: what is new, for a hot-plug below the port `slot` only.
 * The images are the caller's until pv_history_add(). 0 or -errno.
 */
int pv_history_prepare(struct pv_session *s, enum pv_mps_arrival how, pv_bdf slot, struct pv_mps_event *out);
/* Adds what was prepared, once the driver was told. 0 or -ENOMEM. */
int pv_history_add(struct pv_session *s, const struct pv_mps_event *e);
/*
 * Notes that the function `bdf` and what is below it went: from the machine, or (`still_there`) from the driver's sight
 * alone. 0 or -errno.
 */
int pv_history_gone(struct pv_session *s, pv_bdf bdf, bool still_there);

/* True where the driver was not told of a function that is there. */
bool pv_history_is_untold(const struct pv_history *h, pv_bdf bdf);

/*
 * What the policy makes of the machine: *want is allocated. -ENODATA: history that the oracle cannot be told; else
 * 0 or -errno.
 */
int pv_history_want(struct pv_session *s, enum pv_oracle_policy policy, struct pv_mps_expect **want, size_t *n);

#endif
