/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `pcieval run`, and settings derived from them. */
#ifndef PV_CLI_RUN_OPTIONS_H
#define PV_CLI_RUN_OPTIONS_H

#include "framework/cli/cli.h"
#include "framework/cli/reporting.h"
#include "framework/qemu/guest_parts.h"
#include "framework/run/jobs.h"
#include "framework/run/shard.h"

struct pv_cli_run {
	struct pv_run_options run;
	struct pv_cli_selection selection;
	struct pv_reporting reporting;
	struct pv_guest_options guest;
	struct pv_board board;
	struct pv_shard shard;	       /* storage of run.shard */
	struct pv_run_line line;       /* the connection to the board */
	const char *board_file;	       /* description of the board; NULL: none */
	const char **binds;	       /* each "ROLE=BDF,..."; NULL: none */
	const char *bind;	       /* all of them, joined */
	const char *guest_options[17]; /* storage of run.guest_options */
	const char **defects;
	const struct pv_interrupted *earlier;	    /* the run of --rerun or --resume; NULL: none */
	char differs[512];			    /* storage of run.differs */
	const char **targets, **kernels, **drivers; /* as given; several: each combination is a run (run_matrix.h) */
	const char *results, *timeout_scale, *max_artefact, *max_memory, *resume, *again, *rerun, *known_failures,
		*shard_text, *durations;
	const char *colour;
	char shuffle_seed[PV_SEED_TEXT];
	unsigned jobs;
	bool list_defects, list_tags, dry_run, allow_skip, bisect;
	bool unbuilt;	  /* the source under test did not compile, so nothing was run */
	bool ended_early; /* the run was interrupted, or results were lost */
};

extern const struct pv_option pv_cli_run_options[];
extern const char *const pv_cli_agains[]; /* values of --again, terminated by NULL */

/* Checks the options of a new run, and parses values. 0, or -EINVAL and so on with *e. */
int pv_cli_run_check(const struct pv_command *self, struct pv_cli_run *o, struct pv_error *e);
/* Sets defaults that depend on other options: target, driver, workers, colour. */
void pv_cli_run_complete(struct pv_cli_run *o);
/* Prints the planted defects. Returns the exit status. */
int pv_cli_run_list_defects(void);

#endif
