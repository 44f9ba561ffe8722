/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent that ends before its verdict (SIGTERM on timeout or ctrl-C, or a crash) first saves the position in the
 * case, its traces so far, and the target's artefacts.
 */
#ifndef PV_AGENT_POSTMORTEM_H
#define PV_AGENT_POSTMORTEM_H

struct pv_session;

/* Loads what a stack needs now: not in a signal handler, and not in each process that is forked from this one. */
void pv_postmortem_load(void);
/* Starts a thread that waits for SIGTERM. Call once, from the thread that will run the case. 0 or -errno. */
int pv_postmortem_start(void);

/* Sets the running case, with its target open; NULL: none. */
void pv_postmortem_watch(struct pv_session *s);

#endif
