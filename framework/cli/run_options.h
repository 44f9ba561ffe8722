/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `pcieval run`, and settings that follow from them. */
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
	struct pv_shard shard;	       /* for run.shard */
	struct pv_run_line line;       /* to the board */
	const char *board_file;	       /* its description; NULL: none */
	const char **binds;	       /* each "ROLE=BDF,..."; NULL: none */
	const char *bind;	       /* all of them */
	const char *guest_options[17]; /* for run.guest_options */
	const char **defects;
	const char *results, *timeout_scale, *max_artefact, *max_memory, *resume, *again, *rerun, *known_failures,
		*shard_text, *durations;
	const char *colour;
	char shuffle_seed[PV_SEED_TEXT];
	unsigned jobs;
	bool list_defects, list_tags, dry_run, allow_skip, bisect;
	bool unbuilt;	  /* nothing was run, as the source under test did not compile */
	bool ended_early; /* interrupted, or results were lost */
};

extern const struct pv_option pv_cli_run_options[];
extern const char *const pv_cli_agains[]; /* values of --again, ended by NULL */

/* Checks the options of a new run and fills the settings that need parsing. 0 or -EINVAL and so on; *e says which. */
int pv_cli_run_check(const struct pv_command *self, struct pv_cli_run *o, struct pv_error *e);
/* Fills in defaults and what follows from other options: target, driver, workers, colour. */
void pv_cli_run_complete(struct pv_cli_run *o);
/* Prints the planted defects. Returns the exit status. */
int pv_cli_run_list_defects(void);

#endif
