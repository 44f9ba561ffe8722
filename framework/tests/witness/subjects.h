/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three that are compared: each fills what every function of a machine holds in the end. */
#ifndef PV_WITNESS_SUBJECTS_H
#define PV_WITNESS_SUBJECTS_H

#include "framework/tests/witness/machine.h"

struct pv_witness_sizes {
	bool there;
	unsigned mps, mrrs; /* bytes; 0: no PCIe */
};

struct pv_witness_answer {
	struct pv_witness_sizes f[PV_WITNESS_FUNCTIONS]; /* by the index of the function */
	char problem[160];				 /* what went wrong; empty: nothing */
};

/* The program of ci/linux-mps, as a child process. */
struct pv_witness_linux;
struct pv_witness_linux *pv_witness_linux_start(const char *program); /* NULL: errno tells */
int pv_witness_linux_stop(struct pv_witness_linux *l);		      /* its exit status */
void pv_witness_ask_linux(struct pv_witness_linux *l, const struct pv_witness_machine *m, struct pv_witness_answer *a);

void pv_witness_ask_oracle(const struct pv_witness_machine *m, struct pv_witness_answer *a);
void pv_witness_ask_driver(const struct pv_witness_machine *m, struct pv_witness_answer *a);

#endif
