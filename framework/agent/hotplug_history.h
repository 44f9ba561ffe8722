/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hot-plug history of a machine since the last boot, for the MPS and MRRS oracle: the functions that arrived and left,
 * with their configuration space as it was before the driver saw it.
 */
#ifndef PV_AGENT_HOTPLUG_HISTORY_H
#define PV_AGENT_HOTPLUG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/oracle/oracle.h"
#include "framework/target/target.h"

/* The driver's knowledge of a place. */
struct pv_place_seen {
	pv_bdf bdf;
	bool known;  /* the driver was notified of the function there */
	bool untold; /* a function is there, but the driver was not notified */
};

struct pv_hotplug_history {
	struct pv_mps_event *event; /* after the boot; owns their images */
	size_t n;
	bool started;		    /* `seen` holds the functions present at boot */
	struct pv_place_seen *seen; /* all places with a present or past function */
	size_t n_seen;
	bool torn; /* the driver removed some functions below `torn_slot`, others stay */
	pv_bdf torn_slot;
	bool lost; /* an event happened that the oracle cannot express */
};

/* Resets the history at a boot. Also frees it. */
void pv_hotplug_history_clear(struct pv_hotplug_history *h);

/* Records new functions before the driver is notified of them. 0 or -errno. */
int pv_hotplug_history_plugged(struct pv_hotplug_history *h, struct pv_target *t);
/*
 * Prepares the event that the driver is about to be notified of: new functions, for a hot-plug only those below the
 * port `slot`. The caller owns the images until pv_hotplug_history_add(). 0 or -errno.
 */
int pv_hotplug_history_prepare(const struct pv_hotplug_history *h, struct pv_target *t, enum pv_mps_arrival how,
			       pv_bdf slot, struct pv_mps_event *out);
/* Adds the prepared event after the driver was notified. 0 or -ENOMEM. */
int pv_hotplug_history_add(struct pv_hotplug_history *h, const struct pv_mps_event *e);
/*
 * Records that the device of the function `bdf` and everything below it left the machine; with `still_there`, that this
 * function alone left the driver's view. 0 or -errno.
 */
int pv_hotplug_history_gone(struct pv_hotplug_history *h, struct pv_target *t, pv_bdf bdf, bool still_there);

/* Returns true if the driver was not notified of a function that is present. */
bool pv_hotplug_history_is_untold(const struct pv_hotplug_history *h, pv_bdf bdf);

/*
 * Computes the sizes that the policy gives the machine; allocates *want. -ENODATA: the oracle cannot express the
 * history; else 0 or -errno.
 */
int pv_hotplug_history_want(const struct pv_hotplug_history *h, struct pv_target *t, enum pv_mps_policy policy,
			    struct pv_mps_expect **want, size_t *n);

#endif
