/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval-agent: `pcieval agent` as a program of its own, without the XML library and what that brings along. It is
 * also the process that `pcieval run` forks the agent of each case from, and the one that keeps QEMUs from one case to
 * the next.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/agent/agent.h"
#include "framework/qemu/vm_pool.h"
#include "framework/util/error.h"

int main(int argc, char **argv)
{
	/* A limit of file sizes is as a full disk: an error where it is written to, and said there. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc == 2 && !strcmp(argv[1], "forkserver")) {
		if (!pv_agent_forkserver(STDIN_FILENO))
			return PV_EXIT_PASSED;
		strncpy(argv[1], "agent", strlen(argv[1])); /* what ps(1) shows */
	}
	if (argc == 2 && !strcmp(argv[1], "agent"))
		return pv_agent_program();
	if (argc == 2 && !strcmp(argv[1], "vm-pool"))
		return pv_vm_pool_serve(STDIN_FILENO) ? PV_EXIT_UNJUDGED : PV_EXIT_PASSED;
	fprintf(stderr,
		"%s: expected \"agent\", \"forkserver\" or \"vm-pool\" as its argument; `pcieval run` starts it\n",
		argv[0]);
	return PV_EXIT_USAGE;
}
