/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval mps`: each subcommand is one file, and one line of the table in mps.c. */
#ifndef PV_CLI_MPS_H
#define PV_CLI_MPS_H

#include "framework/schema/schema.h"
#include <json-c/json.h>

#include "framework/cli/cli.h"
#include "framework/mps/check.h"
#include "framework/mps/engine.h"
#include "framework/pci/machine.h"

extern const struct pv_command pv_mps_show_command;    /* mps_show.c */
extern const struct pv_command pv_mps_plan_command;    /* mps_plan.c */
extern const struct pv_command pv_mps_check_command;   /* mps_check.c */
extern const struct pv_command pv_mps_diff_command;    /* mps_diff.c */
extern const struct pv_command pv_mps_apply_command;   /* mps_apply.c */
extern const struct pv_command pv_mps_set_command;     /* mps_set.c */
extern const struct pv_command pv_mps_restore_command; /* mps_restore.c */

/* The source of functions: this machine, or the user's choice. */
struct pv_cli_mps {
	const char *sysfs; /* --sysfs */
	const char *dump;  /* the argument */
	bool json;
};

/*
 * Parses options into *into, and the argument DUMP, if given, into its *source. False: the command is done, with the
 * exit status in *status.
 */
bool pv_cli_mps_parse(const struct pv_command *self, int argc, char **argv, void *into, struct pv_cli_mps *source,
		      int *status);
/* Reads the machine. NULL: an error was reported; *status is the exit status. */
struct pv_pci_machine *pv_cli_mps_read(const struct pv_cli_mps *o, int *status);
/* Returns the exit status if a source cannot be opened: 2 if the command line is wrong, otherwise 3. */
int pv_cli_mps_status(int code);
/* Reports unreadable functions, with the remedy. Returns true if there are any. */
bool pv_cli_mps_few_bytes(const struct pv_cli_mps *o, const struct pv_pci_machine *m);
/*
 * Reports functions that pv_check() could not judge, only the first ones: a dump with few bytes has many for the same
 * reason. Returns true if there are any.
 */
bool pv_cli_mps_unjudged(const struct pv_mismatches *found);
extern const char *const pv_cli_mps_policies[]; /* words of --policy, terminated by NULL */
/* Parses --policy. 0, or the exit status after a report. */
int pv_cli_mps_policy(const struct pv_command *self, const char *name, enum pv_mps_policy *policy);
/* Returns true for names of functions, not of files: "65:00.0" and "0000:65:00.0". */
bool pv_cli_mps_is_function(const char *text);
/* Parses --round-trip (NULL: not given). 0, or the exit status after a report. */
int pv_cli_mps_round_trip(const char *text, double *ns);
/* Prints and frees the object. Returns the exit status. */
int pv_cli_mps_print(json_object *all);

#define PV_CLI_MPS_POLICIES "tune_off, default, safe, perf or peer2peer"
#define PV_CLI_MPS_POLICY(type)                                                                       \
	{                                                                                             \
		"policy", 'p', PV_OPTION_TEXT, offsetof(type, policy), "POLICY",                      \
			PV_CLI_MPS_POLICIES ": as\npci=pcie_bus_POLICY of Linux", pv_cli_mps_policies \
	}
#define PV_CLI_MPS_SYSFS(type)                                                          \
	{                                                                               \
		"sysfs", 0, PV_OPTION_TEXT, offsetof(type, source.sysfs), "DIR",        \
			"a folder laid out as /sys/bus/pci, instead of\nthis machine's" \
	}
#define PV_CLI_MPS_JSON(type)                                                   \
	{                                                                       \
		"json", 'j', PV_OPTION_FLAG, offsetof(type, source.json), NULL, \
			"a JSON array of objects, sizes in bytes"               \
	}

#endif
