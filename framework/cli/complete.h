/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the two halves of pcieval complete: words of a command line, and values of options. */
#ifndef PV_CLI_COMPLETE_H
#define PV_CLI_COMPLETE_H

#include "framework/cli/cli.h"

/* Lines that stand for what the shell knows itself. */
#define PV_COMPLETE_FILES ":files"
#define PV_COMPLETE_PLANS ":plans"

struct pv_completion {
	const struct pv_command *command;
	const char *word;	/* as far as it is typed */
	const char *before;	/* what goes before each candidate: "--tag=" */
	const char **arguments; /* of the command, without options, before the word */
	size_t n_arguments;
};

/* Prints the candidate if it begins with the word. `help` may be NULL. */
void pv_complete_offer(const struct pv_completion *c, const char *value, const char *help);
/* Prints what the option can be. */
void pv_complete_value(const struct pv_completion *c, const struct pv_option *o);

#endif
