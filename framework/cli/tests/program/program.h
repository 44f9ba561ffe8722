/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program as a user or a CI job runs it: each test in a folder of its own, which is the current one. */
#ifndef PV_CLI_TESTS_PROGRAM_H
#define PV_CLI_TESTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* For TestSuite(). Standard input is empty. */
void program_set_up(void);
void program_tear_down(void);

extern char *output; /* what the last pcieval() printed, both streams */
extern char *errors; /* standard error alone; only of pcieval_row() */

/* Runs "pcieval ARGUMENTS" by the shell; ARGUMENTS may redirect. Its exit status, 128 + N for signal N. */
int pcieval(const char *arguments);
/* Does `output` have this part? */
void expect_output(const char *part);

/*
 * A command line and what comes of it. NULL: anything, "": nothing, else a part of what is printed.
 * Of every row it is expected that a success says nothing on standard error, and that a usage error (2) says something
 * there, and nothing on standard output.
 */
struct program_row {
	const char *arguments; /* '@' stands for the `at` of program_expect() */
	int status;
	const char *output, *errors;
};
void program_expect(const struct program_row *row, const char *at);
void program_expect_all(const struct program_row *rows, size_t n);

/* Runs a shell script with $pcieval set; both streams in `output`. Its exit status. */
int program_script(const char *script);

/* "pcieval ARGUMENTS --help": status 0, on standard output, at most 80 columns. */
void program_expect_help(const char *arguments);

char *read_file(const char *path); /* the caller frees */
bool exists(const char *path);
/* How many files are in the folder, not counting those of this file. */
int program_files(void);

#endif
