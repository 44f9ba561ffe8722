/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a case in a run folder: artefacts, and log.txt, which has what its agent wrote to standard error and
 * sent as log events, as it comes, up to a limit.
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
	int log;	     /* descriptor; -1: closed */
	size_t bytes;	     /* in the log */
	bool cut;	     /* the limit of the log is reached, and said */
	bool partial;	     /* its last line has no newline yet */
	int err;	     /* the first failure, -errno */
};

/*
 * Makes the folder of job number `index` in the folder of a run. `anew`: it may be there, left by a runner whose
 * journal did not come to the disk. 0 or -errno.
 */
int pv_case_folder_make(struct pv_case_folder *f, const char *run, const struct pv_job *job, size_t index, bool anew);
void pv_case_folder_log(struct pv_case_folder *f, const char *text, size_t n);
/* Logs a line of its own: "level: text". */
void pv_case_folder_log_line(struct pv_case_folder *f, const char *level, const char *text);
/* Removes files of more than `most` bytes and logs it: a run folder is kept and sent around. 0: no limit. */
void pv_case_folder_trim(struct pv_case_folder *f, uint64_t most);
/* Closes the log. Removes the folder unless `keep`: all of it if the case has passed, else if it is empty. */
void pv_case_folder_close(struct pv_case_folder *f, bool keep, bool passed);
/* Renames it to what attempt number `attempt` has left: the next one gets an empty folder. */
void pv_case_folder_put_aside(struct pv_case_folder *f, unsigned attempt);

/*
 * Reads a folder again: the paths of its artefacts, ended by NULL, and its log; NULL: there is none, or no memory. The
 * caller frees them. Links are not followed: a folder from elsewhere would bring files of this machine into reports.
 */
void pv_case_folder_load(const char *path, char ***artefacts, char **log);

#endif
