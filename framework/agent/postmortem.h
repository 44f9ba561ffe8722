/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent that must end before its verdict (SIGTERM: a timeout or ctrl-C; or a crash) first saves what there is:
 * where the case stood, its traces so far, and what the target keeps.
 */
#ifndef PV_AGENT_POSTMORTEM_H
#define PV_AGENT_POSTMORTEM_H

struct pv_session;

/* From now on a thread of its own waits for SIGTERM. To be called once, by the thread that will run the case. 0 or -errno. */
int pv_postmortem_start(void);

/* The case that is going on, with its target open; NULL: none (any more). */
void pv_postmortem_watch(struct pv_session *s);

#endif
