/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the program like a user or a CI job does: each test in its own folder, which is the current one. */
#ifndef PV_CLI_TESTS_PROGRAM_H
#define PV_CLI_TESTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* For TestSuite(). Standard input is empty. */
void program_set_up(void);
void program_tear_down(void);

extern char *output; /* output of the last pcieval(), both streams */
extern char *errors; /* standard error alone; only after pcieval_row() */

/* Runs "pcieval ARGUMENTS" in a shell, so ARGUMENTS may redirect. Returns its exit status, 128 + N for signal N. */
int pcieval(const char *arguments);
/* Expects that `output` contains this text. */
void expect_output(const char *part);

/*
 * A command line and its expected outputs. NULL: any, "": nothing, otherwise a part of the output. Each row also
 * expects that a success prints nothing on standard error, and that a usage error (2) prints only there.
 */
struct program_row {
	const char *arguments; /* '@' is replaced by the `at` of program_expect() */
	int status;
	const char *output, *errors;
};
void program_expect(const struct program_row *row, const char *at);
void program_expect_all(const struct program_row *rows, size_t n);

/* Runs a shell script with $pcieval set; `output` has both streams. Returns its exit status. */
int program_script(const char *script);

/*
 * Expects that "pcieval ARGUMENTS --help" succeeds, and prints at most 80 columns on standard output; that an option
 * which does not exist is refused.
 */
void program_expect_help(const char *arguments);

char *read_file(const char *path); /* the caller frees */
bool exists(const char *path);
/* Returns the number of files in the folder, without those of the test program. */
int program_files(void);

#endif
