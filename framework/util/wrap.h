/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paragraphs for a terminal of 80 columns. */
#ifndef PV_UTIL_WRAP_H
#define PV_UTIL_WRAP_H

#include <stdio.h>

/*
 * Prints `head` and, after a blank, the words, which blanks separate. Further lines begin at column `indent`, from 0
 * and at least 1. A word that is longer than a line stands on a line of its own.
 */
void pv_put_wrapped(FILE *f, const char *head, const char *words, unsigned indent);

#endif
