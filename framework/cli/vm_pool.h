/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that keeps the QEMUs of a run for its cases (framework/qemu/vm_pool.h). */
#ifndef PV_CLI_KEEPER_H
#define PV_CLI_KEEPER_H

#include <sys/types.h>

struct pv_cli_keeper {
	pid_t pid;     /* 0: none */
	char name[32]; /* for the case messages; "": none */
};

/* Starts it. Without one, each guest gets a QEMU of its own, which takes longer: nothing fails for that. */
void pv_cli_keeper_start(struct pv_cli_keeper *k);
/* Ends it and its QEMUs, and waits for that. */
void pv_cli_keeper_end(struct pv_cli_keeper *k);

#endif
