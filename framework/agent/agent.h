/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: runs one case on the agent side of the protocol (docs/protocol.md). The case message comes as one line,
 * events go out as lines of JSON; all other output goes to standard error.
 */
#ifndef PV_AGENT_AGENT_H
#define PV_AGENT_AGENT_H

#include <stdio.h>

/* Reads one case message from `in`, writes events to `out`. 0 when "done" was written. */
int pv_agent_serve(FILE *in, FILE *out);
/*
 * The same as a process on standard input and output; saves traces and state when it is stopped or crashes.
 * Returns the exit status (enum pv_exit); reports failures on standard error.
 */
int pv_agent_program(void);

#endif
