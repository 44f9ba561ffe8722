/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by `explore` and `shrink`: the options of a target, running cases on it, findings as plans. */
#ifndef PV_CLI_EXPLORE_TARGET_H
#define PV_CLI_EXPLORE_TARGET_H

#include "framework/cli/run_options.h"
#include "framework/explore/session.h"

struct pv_cli_explore {
	struct pv_cli_run run; /* must be first: the options of `run` and its table expect it here */
	const char **subjects, **corpus;
	const char *time, *results, *seed;
	unsigned cases, steps, findings_max;
	bool no_shrink;
	bool target_found;
	char folder[64]; /* folder of files that are removed at the end; "": none */
};

/* Options of the target, for tables of options. */
#define PV_CLI_EXPLORE_AT(member) offsetof(struct pv_cli_explore, member)
/* clang-format off: a list that expands to entries */
#define PV_CLI_EXPLORE_TARGET                                                                                          \
	{"target",                                                                                                     \
	 't',                                                                                                          \
	 PV_OPTION_TEXT,                                                                                               \
	 PV_CLI_EXPLORE_AT(run.selection.target),                                                                      \
	 "TARGET",                                                                                                     \
	 "model (default) or qemu",                                                                                    \
	 PV_CLI_VALUES("model", "qemu")},                                                                              \
		{"driver",                                                                                             \
		 0,                                                                                                    \
		 PV_OPTION_TEXT,                                                                                       \
		 PV_CLI_EXPLORE_AT(run.run.driver),                                                                    \
		 "DRIVER",                                                                                             \
		 "driver under test (default: reference; on target\nqemu kernel)",                                     \
		 PV_CLI_VALUES("reference", "kernel")},                                                                \
		{"kernel",                                                                                             \
		 0,                                                                                                    \
		 PV_OPTION_TEXT,                                                                                       \
		 PV_CLI_EXPLORE_AT(run.guest.kernel),                                                                  \
		 "KERNEL",                                                                                             \
		 "fast (default), debug, debian:SERIES,\nsource:TREE, or an arm64 Image; fast+fixed:\nwith the fixes " \
		 "of ci/driver-fixes",                                                                                 \
		 PV_CLI_KERNEL_VALUES,                                                                                 \
		 .targets = "qemu"},                                                                                   \
		{"modules",                                                                                            \
		 0,                                                                                                    \
		 PV_OPTION_TEXT,                                                                                       \
		 PV_CLI_EXPLORE_AT(run.guest.modules),                                                                 \
		 "DIR",                                                                                                \
		 "modules to load instead of the kernel's\nmodules of the same name",                                  \
		 .targets = "qemu"},                                                                                   \
		{"source",                                                                                             \
		 0,                                                                                                    \
		 PV_OPTION_TEXT,                                                                                       \
		 PV_CLI_EXPLORE_AT(run.guest.source),                                                                  \
		 "PATH",                                                                                               \
		 "a driver's FILE.c, or its folder:\ncompiled for the kernel, and loaded instead\nof the kernel's "    \
		 "own",                                                                                                \
		 .targets = "qemu"},                                                                                   \
		{"timeout-scale",  0,                                                                                  \
		 PV_OPTION_TEXT,   PV_CLI_EXPLORE_AT(run.timeout_scale),                                               \
		 "FACTOR",	   "multiply the time that a case\nmay take by FACTOR",                                \
		 .targets = "qemu"},                                                                                   \
		{"known-failures", 0,                                                                                  \
		 PV_OPTION_TEXT,   PV_CLI_EXPLORE_AT(run.known_failures),                                              \
		 "FILE",	   "say nothing of these known failures",                                              \
		 .targets = "qemu"},                                                                                   \
		{"defect",	 0,                                                                                    \
		 PV_OPTION_LIST, PV_CLI_EXPLORE_AT(run.defects),                                                       \
		 "NAME",	 "switch on a planted defect of the models"},                                          \
	{                                                                                                              \
		"jobs", 'j', PV_OPTION_NUMBER, PV_CLI_EXPLORE_AT(run.jobs), "N",                                       \
			"parallel cases (default, and 0: one per processor)"                                           \
	}
/* clang-format on */

/* Checks the options of the target and fills in what is tested. 0 or -errno with *e. */
int pv_cli_explore_check(const struct pv_command *self, struct pv_cli_explore *o, struct pv_explore_tried *t,
			 struct pv_error *e);
/* Writes a case as a plan with this name. 0 or -errno with *e. */
int pv_cli_explore_write(const char *path, const char *name, json_object *c, struct pv_error *e);
/*
 * Runs the plans, with the target's options, in a new folder of runs. 0 with the result, which the caller frees, or
 * -errno with *e.
 */
int pv_cli_explore_confirm(struct pv_cli_explore *o, const char *const *paths, size_t n, const char *folder,
			   struct pv_run_result **out, struct pv_error *e);
/* Removes the folder of temporary files. */
void pv_cli_explore_end(struct pv_cli_explore *o);

#endif
