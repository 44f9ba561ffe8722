/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States that cases reach on the models: what a case is worth keeping for. A state is a register's value, by its
 * fields, after another's; a call and what it returns, after the call before; a message of the driver; what a counter
 * or a trace shows; a TLP, a message or a link's state on the wire. Each has a name, and is told apart by the hash of
 * what it is.
 */
#ifndef PV_EXPLORE_STATES_H
#define PV_EXPLORE_STATES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_session;

/* A set of states. Zeroed: empty. */
struct pv_states {
	uint64_t *slot; /* hashes, 0: free */
	size_t n, room;
};

/* Returns true if the state was not there. No memory: it counts as known. */
bool pv_states_add(struct pv_states *s, uint64_t state);
bool pv_states_has(const struct pv_states *s, uint64_t state);
/*
 * Adds the named states (an object of names to hashes) that neither *except, unless NULL, nor *s has. Returns them in
 * an object of their own, which the caller puts. NULL: none.
 */
json_object *pv_states_take(struct pv_states *s, json_object *named, const struct pv_states *except);
void pv_states_free(struct pv_states *s);

/* Watches one case. NULL: no memory, which all others accept. */
struct pv_observer;
/* States that are in *known are not told again, and new ones are added to it; both live longer than the watch. */
struct pv_observer *pv_observer_new(struct pv_states *known);
/* Call after steps have run, and at least once before the case ends. */
void pv_observer_look(struct pv_observer *w, struct pv_session *s, json_object *steps);
/* Returns what is new, as an object of names to hashes; the caller puts it. NULL: nothing. */
json_object *pv_observer_end(struct pv_observer *w);

#endif
