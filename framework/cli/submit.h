/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts of `pcieval submit`, which Slurm runs. */
#ifndef PV_CLI_SUBMIT_H
#define PV_CLI_SUBMIT_H

#include <stdio.h>

/* One submission: a run in shards on nodes of a cluster. */
struct pv_submission {
	const char *program, *directory; /* absolute: pcieval, and where it runs */
	const char *folder; /* absolute, on shared storage: holds shards/1 to shards/N, all, log, the scripts */
	unsigned shards;
	/* Options of `run`; NULL: not given. "{node}" in the target stands for the name of the node. */
	const char *target, *kernel, *driver;
	char *const *arguments; /* of `run`, n_arguments of them */
	int n_arguments;
};

/* Writes "pcieval run" and all arguments, for a shell. */
void pv_submission_put_run(const struct pv_submission *s, FILE *f);
/*
 * The script of one shard, $SLURM_ARRAY_TASK_ID. A requeued one resumes; a case that was interrupted runs again unless
 * the target is a board, which the case may have killed.
 */
void pv_submission_put_shard(const struct pv_submission *s, FILE *f);
/* The script that merges all of them, and writes reports. */
void pv_submission_put_merge(const struct pv_submission *s, FILE *f);

#endif
