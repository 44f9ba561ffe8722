/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: runs one case on this side of the protocol (docs/protocol.md). The case message comes as one line,
 * events go out as lines of JSON; everything else that anything prints goes to standard error.
 */
#ifndef PV_AGENT_AGENT_H
#define PV_AGENT_AGENT_H

#include <stdio.h>

/* Reads one case message from `in`, writes events to `out`. 0 when "done" was written. */
int pv_agent_serve(FILE *in, FILE *out);
/*
 * The same as a process: standard input and output, and what there is to save when it is stopped or crashes.
 * Returns its exit status (enum pv_exit); a failure is told on standard error.
 */
int pv_agent_program(void);
/* All steps with their attributes, as text for people. */
void pv_agent_print_steps(FILE *out);

#endif
