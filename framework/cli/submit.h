/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts of `pcieval submit`, and the jobs of Slurm that run them. */
#ifndef PV_CLI_SUBMIT_H
#define PV_CLI_SUBMIT_H

#include <stdio.h>

#include "framework/util/error.h"

enum { PV_JOB_TEXT = 32 }; /* the number of a job */

/* A submission: a run in shards on the nodes of a cluster. */
struct pv_submission {
	const char *program, *directory; /* absolute paths of pcieval and of its working directory */
	const char *folder; /* absolute path on shared storage: contains shards/1 to shards/N, all, log, the scripts */
	unsigned shards;
	/* Options of `run`; NULL: not given. The target may contain "{node}", which becomes the name of the node. */
	const char *target, *kernel, *driver;
	char *const *arguments; /* arguments of `run` */
	int n_arguments;
	const char *gres, *licences; /* of each shard; NULL: none */
	const char **sbatch;	     /* further options of sbatch, terminated by NULL; NULL: none */
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
/* Writes the script that compares the combinations in a folder. */
void pv_submission_put_table(const struct pv_submission *s, FILE *f);

/* Checks the arguments of `run` with --dry-run, which reports mistakes. Returns the exit status. */
int pv_submission_check(const struct pv_submission *s);
/*
 * Submits the array job of the shards and the job that merges them, prints both, and copies the number of the latter. 0
 * or *e, which names a job that is in the queue.
 */
int pv_submission_submit(const struct pv_submission *s, char merge_job[PV_JOB_TEXT], struct pv_error *e);
/* Submits the job that makes the table of a folder when n jobs, at most PV_MATRIX_RUNS, have ended. 0 or *e. */
int pv_submission_submit_table(const struct pv_submission *s, const char *const *merge_jobs, size_t n,
			       struct pv_error *e);
/* Print the scripts and commands instead. */
void pv_submission_print(const struct pv_submission *s);
void pv_submission_print_table(const struct pv_submission *s);

#endif
