/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts an agent in its own process group, with pipes to its three streams. */
#ifndef PV_RUN_AGENTS_H
#define PV_RUN_AGENTS_H

#include <signal.h>
#include <sys/types.h>

#include "framework/util/error.h"

struct pv_agent_process {
	pid_t pid;
	int in, out, err; /* our ends, not blocking, closed on exec */
};

/*
 * Starts "program agent", or forks it from a program that is loaded already, with the signal mask given; `keep`: two
 * more descriptors that it inherits, or -1. 0 or -errno. File descriptors 0 to 2 must be open.
 */
int pv_agent_start(const char *program, const sigset_t *mask, const int keep[2], struct pv_agent_process *out);
/* Ends the process that forks agents, if there is one. */
void pv_agents_end(void);

/*
 * Returns the agent that comes with this program: pcieval-agent, beside it as in a build, or where both are installed.
 * One file for a whole run, even if it is replaced meanwhile. Static; not for several threads. NULL: it is not there,
 * and *e says where it was looked for.
 */
const char *pv_agent_own_program(struct pv_error *e);
/* The same, or this program, which can be an agent, but neither a fork server nor a pool of VMs. */
const char *pv_agent_program_path(void);

#endif
