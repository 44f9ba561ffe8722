/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names inside a run folder. */
#ifndef PV_RUN_FOLDER_H
#define PV_RUN_FOLDER_H

#include <limits.h>

#include "framework/run/journal.h"
#include "framework/run/run.h"

#define PV_SETTINGS_FILE    "settings.json"
#define PV_CASES_FILE	    "cases.json"
#define PV_ENVIRONMENT_FILE "environment.json" /* absent: no machine was asked */
#define PV_CASES_FOLDER	    "cases"
#define PV_SETTING_ID	    "id"
#define PV_LOG_FILE	    "log.txt"
#define PV_MATRIX_FILE	    "matrix.json" /* a folder of several runs (matrix.h) */

enum { PV_CASE_FOLDER_NAME = 128 };

/* "0012-ptt-tune-set_level=2_": unique by its number, and a file name anywhere. */
const char *pv_case_folder_name(const struct pv_job *job, size_t index, char out[PV_CASE_FOLDER_NAME]);

/* Writes the folder of try number k (from 0) at a case, whose last folder is `path`. False: too long. */
bool pv_attempt_folder(const char *path, unsigned k, char out[PATH_MAX]);

/* Makes and claims a folder for results: new, or empty. 0 or *e. Free with pv_run_folder_free(). */
int pv_folder_claim(const char *path, struct pv_run_folder *out, struct pv_error *e);
/* The same for a new folder pcieval-results/TIME, with the link `latest` to it. */
int pv_folder_claim_default(struct pv_run_folder *out, struct pv_error *e);
/* Writes an object, which it takes, as a file of a run folder. */
int pv_run_folder_write(const char *folder, const char *file, json_object *o, struct pv_error *e);

/* Gives a run an ID: random digits. Without random numbers it has none. */
void pv_run_folder_add_id(json_object *settings);

/* Returns true if the folder has several runs (matrix.h). */
bool pv_run_folder_is_matrix(const char *folder);
/* Reads a file of a run folder as a JSON object; the caller puts it. NULL: *e; -ENOENT: there is none. */
json_object *pv_run_folder_read(const char *folder, const char *file, struct pv_error *e);

/* As pv_run_load(), with all rounds of --until-failure, also those that did not begin. */
int pv_run_load_whole(const char *folder, struct pv_run_result **out, struct pv_error *e);

/* Hashes the JSON of a case. */
enum { PV_DIGEST_TEXT = 17 };
const char *pv_case_digest(const struct pv_run_options *opt, const struct pv_job *job, char out[PV_DIGEST_TEXT]);

/* The shard of a run, as its settings have it (shard.h). Begins zeroed: not a shard. */
struct pv_shard {
	unsigned index, count; /* from 1 */
	size_t n_whole;	       /* jobs of all shards */
	/* Hashes of all jobs, those of other shards included: of their names, and of what they do. */
	char selection[PV_DIGEST_TEXT], plans[PV_DIGEST_TEXT];
};

#endif
