/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts of `pcieval submit`, which Slurm runs. */
#ifndef PV_CLI_SUBMIT_H
#define PV_CLI_SUBMIT_H

#include <stdio.h>

/* A submission: a run in shards on the nodes of a cluster. */
struct pv_submission {
	const char *program, *directory; /* absolute paths of pcieval and of its working directory */
	const char *folder; /* absolute path on shared storage: contains shards/1 to shards/N, all, log, the scripts */
	unsigned shards;
	/* Options of `run`; NULL: not given. The target may contain "{node}", which becomes the name of the node. */
	const char *target, *kernel, *driver;
	char *const *arguments; /* arguments of `run` */
	int n_arguments;
};

/* Writes "pcieval run" and all arguments, quoted for a shell. */
void pv_submission_put_run(const struct pv_submission *s, FILE *f);
/*
 * Writes the script of shard $SLURM_ARRAY_TASK_ID. A requeued shard resumes its run. An interrupted case runs again,
 * except on a board, which the case may have killed.
 */
void pv_submission_put_shard(const struct pv_submission *s, FILE *f);
/* Writes the script that merges all shards, and writes the reports. */
void pv_submission_put_merge(const struct pv_submission *s, FILE *f);

#endif
