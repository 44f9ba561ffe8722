/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subcommands: each is one object, defined in one file. */
#ifndef PV_CLI_COMMANDS_H
#define PV_CLI_COMMANDS_H

#include "framework/cli/cli.h"

extern const struct pv_command pv_command_agent;    /* agent.c */
extern const struct pv_command pv_command_golden;   /* golden.c */
extern const struct pv_command pv_command_list;	    /* list.c */
extern const struct pv_command pv_command_validate; /* validate.c */
extern const struct pv_command pv_command_coverage; /* coverage.c */
extern const struct pv_command pv_command_bench;    /* bench.c */
extern const struct pv_command pv_command_run;	    /* run.c */
extern const struct pv_command pv_command_explore;  /* explore.c */
extern const struct pv_command pv_command_shrink;   /* shrink.c */
extern const struct pv_command pv_command_report;   /* report.c */
extern const struct pv_command pv_command_history;  /* history.c */
extern const struct pv_command pv_command_submit;   /* submit.c */
extern const struct pv_command pv_command_merge;    /* merge.c */
extern const struct pv_command pv_command_compare;  /* compare.c */
extern const struct pv_command pv_command_trace;    /* trace.c */
extern const struct pv_command pv_command_board;    /* board.c */
extern const struct pv_command pv_command_complete; /* complete.c */
extern const struct pv_command pv_command_mps;	    /* mps.c */
extern const struct pv_command pv_command_watch;    /* watch.c */

#endif
