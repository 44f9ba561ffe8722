/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subcommands: each is one file, and one line of the table in commands.c. A command declares its options in a table,
 * from which parser and help are made.
 */
#ifndef PV_CLI_CLI_H
#define PV_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "framework/plan/plan.h"

enum pv_option_kind {
	PV_OPTION_FLAG,	  /* bool */
	PV_OPTION_TEXT,	  /* const char * */
	PV_OPTION_MAYBE,  /* const char *; the value is optional, "" if absent: --name or --name=VALUE */
	PV_OPTION_NUMBER, /* unsigned */
	PV_OPTION_LIST,	  /* const char **, terminated by NULL; may be given several times; freed by pv_cli_free() */
};

struct pv_option {
	const char *name; /* "target"; NULL ends the table */
	char letter;	  /* 0: none */
	enum pv_option_kind kind;
	size_t offset;		   /* offset of the member in the command's struct */
	const char *arg;	   /* placeholder for the value in the help */
	const char *help;	   /* lines separated by \n; see pv_cli_option_help() */
	const char *const *values; /* possible values for completion, terminated by NULL; NULL: any */
	const char *targets;	   /* targets on which it has an effect: "local ssh"; NULL: all */
};
#define PV_CLI_VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})

struct pv_command {
	const char *name;
	const char *args; /* "FILE..." */
	const char *help; /* one line for the list of commands */
	const char *text; /* further text for the command's own help; may be NULL */
	const struct pv_option *options;
	const struct pv_command *const *commands; /* subcommands, terminated by NULL; see subcommands.h */
	int (*run)(const struct pv_command *self, int argc, char **argv); /* returns an enum pv_exit */
};

extern const struct pv_command *const pv_commands[]; /* terminated by NULL */

/*
 * Parses options into *into; the remaining arguments are argv[*first..argc). False: the command is done, with the exit
 * status in *status (help was printed, or a mistake reported).
 */
bool pv_cli_parse(const struct pv_command *self, int argc, char **argv, void *into, int *first, int *status);
/* Returns the help of an option in `buf`, preceded by the targets on which it has an effect. */
const char *pv_cli_option_help(const struct pv_option *o, char buf[512]);
/* Returns true if the option has a value other than "", 0 and false. */
bool pv_cli_is_given(const struct pv_option *o, const void *options);
/*
 * Checks that each given option has an effect on the target: otherwise it would be ignored silently. With `agent` (not
 * NULL) all options are accepted. 0 or -EINVAL.
 */
int pv_cli_check_options(const struct pv_command *self, const void *options, const char *target, const char *agent,
			 struct pv_error *e);
/* Frees the lists of the options. */
void pv_cli_free(const struct pv_command *self, void *into);

/* Prints "pcieval: " and the text, as pv_text_clean() leaves it, on standard error; returns PV_EXIT_USAGE. */
int pv_cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a problem of a file in the same way. The text begins with the file's name. */
void pv_cli_problem(void *ctx, const struct pv_error *e);
/* Returns true if -errno is a full or failing file system, which is no mistake of the user. */
bool pv_cli_is_storage_error(int err);
/* Flushes standard output. Returns true if output was lost, which is reported. */
bool pv_cli_flush(void);
/*
 * Write the output of `put` to a file, completely or not at all, or to standard output for "-". Return an enum pv_exit;
 * errors name `option`, or --html.
 */
int pv_cli_write_output(const char *option, const char *path, void (*put)(const void *ctx, FILE *f), const void *ctx);
int pv_cli_write_page(const char *path, void (*put)(const void *ctx, FILE *f), const void *ctx);
/* Returns true if a page (NULL: none) goes to standard output: then nothing else may. */
bool pv_cli_is_stdout(const char *page);
/* Loads plans (of a folder: its *.xml), and prints every problem. NULL: there were problems. */
struct pv_plans *pv_cli_load(const char *const *files, size_t n, const struct pv_plan_options *opt);
/* Returns "pcieval" and the arguments of a command, quoted for a shell. The caller frees it; NULL: no memory. */
char *pv_cli_command_line(int argc, char **argv);
/* Returns the width of the terminal on standard output; 0: not a terminal. */
unsigned pv_cli_columns(void);

/* Options that select cases, for tables of options; struct pv_cli_selection must be the member `selection`. */
struct pv_cli_selection {
	const char **names, **excludes, **tags, **requirements;
	const char *cases_file;	     /* --cases */
	struct pv_case_list *listed; /* list read from cases_file by pv_cli_selection_read() */
	const char *target;
	bool allow_empty;
};
struct pv_selection pv_cli_selection(const struct pv_cli_selection *s);
/* Reads the file of --cases, if given. False: it cannot be read, which is reported. */
bool pv_cli_selection_read(struct pv_cli_selection *s);
void pv_cli_selection_free(struct pv_cli_selection *s);
/*
 * Returns true if each value of the options that select cases matches a case of the target. Reports the others on
 * standard error; with --allow-empty only as a warning, and returns true.
 */
bool pv_cli_selection_matches(const struct pv_plans *plans, const struct pv_cli_selection *s);
/* The help of an option --color. */
#define PV_CLI_COLOUR_HELP "auto (default: on a terminal, unless NO_COLOR is\nset), always, never"
extern const char *const pv_cli_colours[]; /* terminated by NULL */
int pv_cli_check_colour(const char *when, struct pv_error *e);

/* Checks that the target has the driver. Accepts any driver if an agent is given (not NULL). */
int pv_cli_check_driver(const char *target, const char *driver, const char *agent, struct pv_error *e);
/* Checks that this program has the target. Accepts any target if an agent is given (not NULL). NULL: the model. */
int pv_cli_check_target(const struct pv_cli_selection *s, const char *agent, struct pv_error *e);
/* Returns the default name of a machine. */
const char *pv_cli_board_name(const char *target);
/*
 * Returns the folder of goldens: `given`, otherwise fixtures/golden in the closest parent folder of the first plan that
 * has it, independent of the working directory. The caller frees it; NULL: no memory.
 */
char *pv_cli_golden_folder(const char *given, const char *const *plans, size_t n);
/*
 * Finds the folder `name` in the parent folders of the first plan, then in the working directory, then in the
 * installation. The caller frees it; NULL: not found.
 */
char *pv_cli_find_upwards(const char *const *plans, size_t n, const char *name);
/* Prints the tags of the selected cases with their counts. */
void pv_cli_list_tags(const struct pv_plans *plans, const struct pv_selection *s);

/* clang-format off: a list that expands to entries */
#define PV_CLI_TARGET_HELP   "cases for this target: model, qemu, local, ssh:HOST"
#define PV_CLI_TARGET_VALUES PV_CLI_VALUES("model", "qemu", "local")
#define PV_CLI_DRIVER_VALUES PV_CLI_VALUES("reference", "kernel", "system")
#define PV_CLI_KERNEL_VALUES PV_CLI_VALUES("fast", "debug", "debian:6.12", "debian:newest", "fast+fixed")
#define PV_CLI_SELECTION(type)             \
	{"target",                         \
	 't',                              \
	 PV_OPTION_TEXT,                   \
	 offsetof(type, selection.target), \
	 "TARGET",                         \
	 PV_CLI_TARGET_HELP,               \
	 PV_CLI_TARGET_VALUES},            \
		PV_CLI_CASES(type)
/* All of them but --target. */
#define PV_CLI_CASES(type)                                                                                             \
	{"name",	 'n',                                                                                          \
	 PV_OPTION_LIST, offsetof(type, selection.names),                                                              \
	 "GLOB",	 "cases whose name matches: plan/case or case, with or\nwithout its parameters"},              \
		{"exclude",	 0,                                                                                    \
		 PV_OPTION_LIST, offsetof(type, selection.excludes),                                                   \
		 "GLOB",	 "leave out cases whose name matches, like --name"},                                   \
		{"cases",                                                                                              \
		 0,                                                                                                    \
		 PV_OPTION_TEXT,                                                                                       \
		 offsetof(type, selection.cases_file),                                                                 \
		 "FILE",                                                                                               \
		 "cases listed in FILE: one PLAN/CASE per line, as\n`list` prints them; # is a comment; -: "           \
		 "standard input"},                                                                                    \
		{"tag",		 'T',                                                                                  \
		 PV_OPTION_LIST, offsetof(type, selection.tags),                                                       \
		 "TAG",		 "cases with this tag; '!TAG': without it"},                                           \
		{"requirement",	 'r',                                                                                  \
		 PV_OPTION_LIST, offsetof(type, selection.requirements),                                               \
		 "GLOB",	 "cases that verify a requirement: PTT-TR-03, 'CP-*'"},                                \
	{                                                                                                              \
		"allow-empty", 0, PV_OPTION_FLAG, offsetof(type, selection.allow_empty), NULL,                         \
			"a name, tag, requirement or line of --cases that\nmatches no case is a warning, not an error" \
	}
/* clang-format on */

#endif
