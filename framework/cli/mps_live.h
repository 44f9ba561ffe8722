/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by `pcieval mps apply`, `set` and `restore`: the functions of a running machine, and the journal. */
#ifndef PV_CLI_MPS_LIVE_H
#define PV_CLI_MPS_LIVE_H

#include "framework/mps/apply.h"
#include "framework/mps/whatif.h"

/* Paths of the functions and of the journal, and consent. */
struct pv_cli_place {
	const char *sysfs, *journal; /* NULL: the defaults */
	bool live, yes, dry_run;
};

struct pv_cli_live {
	struct pv_pci_live pci;
	struct pv_undo undo;
	char *journal; /* its path */
	struct pv_apply apply;
};

/* Opens the functions; for writing only with `yes`. 0, or the exit status after a report. */
int pv_cli_live_open(struct pv_cli_live *live, const struct pv_cli_place *place);
/* Opens the journal. 0, or the exit status. */
int pv_cli_live_journal(struct pv_cli_live *live);
void pv_cli_live_close(struct pv_cli_live *live);
/* Returns true for a dry run: with --dry-run, or without --yes. */
bool pv_cli_live_is_dry(const struct pv_cli_place *place);
/* Blocks or unblocks signals around writes, which take one or two seconds. */
void pv_cli_live_hold_signals(bool hold);

/* Warns about functions that do not answer: their sizes stay. */
void pv_cli_live_warn(const struct pv_pci_machine *m);
/* Prints the sizes that a plan changes. */
void pv_cli_live_print(const struct pv_policy_plan *plan);
/*
 * Refuses sizes that cause a mismatch, or that concern functions which cannot be judged; with `force` it only names
 * the latter. `mend`: advice against mismatches. 0, or the exit status after a report.
 */
int pv_cli_live_judge(const struct pv_what_if *w, const char *mend, bool force);
/*
 * Writes the sizes that a plan changes, or says how many it would write. `policy`: its name, for the text; NULL: none.
 * Returns an enum pv_exit.
 */
int pv_cli_live_write(struct pv_cli_live *live, const struct pv_cli_place *place, const struct pv_policy_plan *plan,
		      const char *policy);

#define PV_CLI_LIVE_FORCE(type)                                                         \
	{                                                                               \
		"force", 'f', PV_OPTION_FLAG, offsetof(type, force), NULL,              \
			"write although mismatches would be new, or could not\nbe told" \
	}
#define PV_CLI_LIVE_OPTIONS(type)                                                                                        \
	{"yes", 'y', PV_OPTION_FLAG, offsetof(type, place.yes), NULL, "write; without it, this is a dry run"},           \
		{"dry-run", 'n', PV_OPTION_FLAG, offsetof(type, place.dry_run), NULL, "write nothing, even with --yes"}, \
		{"live", 0, PV_OPTION_FLAG, offsetof(type, place.live), NULL, "do not stop devices while writing"},      \
		{"journal",	 0,                                                                                      \
		 PV_OPTION_TEXT, offsetof(type, place.journal),                                                          \
		 "FILE",	 "journal of the old values; default:\n/var/lib/pcieval/mps.journal"},                   \
	{                                                                                                                \
		"sysfs", 0, PV_OPTION_TEXT, offsetof(type, place.sysfs), "DIR",                                          \
			"a folder laid out as /sys/bus/pci, with its journal\nin it, instead of this machine's"          \
	}

#endif
