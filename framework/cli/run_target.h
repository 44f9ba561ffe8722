/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepares the target before the first case of a run: finds the guest or the machine, and known failures. */
#ifndef PV_CLI_RUN_TARGET_H
#define PV_CLI_RUN_TARGET_H

#include "framework/cli/run_options.h"

/* On target qemu: finds or builds the parts of the guest. 0 or -errno. */
int pv_cli_find_guest(struct pv_cli_run *a, const char *const *paths, size_t n, struct pv_error *e);
/*
 * For a run with the settings of an earlier one: finds its guest as it is now on disk, with the same options. The
 * caller puts a->run.guest, which stays NULL without a guest.
 */
int pv_cli_find_guest_again(struct pv_cli_run *a, const char *plan, struct pv_error *e);
/* Calls pv_run() with a pool of VMs for the guests of the cases. Without pcieval-agent there is none, with a warning.
 */
int pv_cli_run_with_pool(struct pv_run_options *run, struct pv_run_folder *folder, const struct pv_job *jobs, size_t n,
			 struct pv_error *e);
/*
 * On the target of a real machine: reads it, skips the jobs whose topology it lacks, and finds the functions for the
 * others. A user's agent (--agent) finds its machine itself. 0 or -errno.
 */
int pv_cli_find_board(struct pv_cli_run *a, struct pv_job **jobs, size_t *n, struct pv_error *e);
/*
 * Finds the known deviations of the drivers of the kernel under test, and the failures of --known-failures that apply
 * to target and driver. On real machines, skips the jobs that are known to kill this kernel. 0 or -errno.
 */
int pv_cli_find_known(struct pv_cli_run *a, struct pv_job *jobs, size_t n, const char *const *paths, size_t n_paths,
		      struct pv_error *e);

/* Adds the deviations of this kernel's drivers that drawn cases show, whatever they are called. 0, or -errno with *e.
 */
int pv_cli_find_known_of_drawn(struct pv_cli_run *a, const char *const *paths, size_t n, struct pv_error *e);

#endif
