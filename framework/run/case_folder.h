/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a case in a run folder: artefacts, and log.txt with the agent's standard error and log events in their
 * order, up to a limit.
 */
#ifndef PV_RUN_CASE_FOLDER_H
#define PV_RUN_CASE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "framework/run/run.h"

enum { PV_CASELOG_MAX = 256 << 10 }; /* bytes */

struct pv_case_folder {
	char path[PATH_MAX]; /* "": not made */
	int log;	     /* descriptor; -1: nothing was logged yet */
	size_t bytes;	     /* in the log */
	bool cut;	     /* the log was cut at its limit, which its last line says */
	bool partial;	     /* its last line has no newline yet */
	int err;	     /* the first failure, -errno */
};

/*
 * Makes the folder of job number `index` in the folder of a run. `anew`: it may exist, left by a runner whose journal
 * did not reach the disk. `spare`: an empty folder of an earlier case, which is renamed, since that takes a tenth of
 * the time of making one and removing another; "": there is none. 0 or -errno.
 */
int pv_case_folder_make(struct pv_case_folder *f, const char *run, const struct pv_job *job, size_t index, bool anew,
			char spare[PATH_MAX]);
void pv_case_folder_log(struct pv_case_folder *f, const char *text, size_t n);
/* Logs a separate line: "level: text". */
void pv_case_folder_log_line(struct pv_case_folder *f, const char *level, const char *text);
/* Removes files of more than `most` bytes except the log, and logs that: run folders are copied. 0: no limit. */
void pv_case_folder_trim(struct pv_case_folder *f, uint64_t most);
/*
 * Closes the log. Removes the folder unless `keep`: all of it if the case has passed, else if it is empty. An empty
 * folder becomes the spare one, unless there is one already or `spare` is NULL.
 */
void pv_case_folder_close(struct pv_case_folder *f, bool keep, bool passed, char spare[PATH_MAX]);
/* Renames it to the folder of attempt number `attempt`: the next attempt gets an empty folder. */
void pv_case_folder_put_aside(struct pv_case_folder *f, unsigned attempt);

/*
 * Reads a folder: the paths of its artefacts, ended by NULL, and its log; NULL: there is none, or no memory. The caller
 * frees them. Links are not followed: a foreign folder could put files of this machine into reports.
 */
void pv_case_folder_load(const char *path, char ***artefacts, char **log);

#endif
