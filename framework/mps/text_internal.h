/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for people: what its files share. */
#ifndef PV_MPS_TEXT_INTERNAL_H
#define PV_MPS_TEXT_INTERNAL_H

#include <stdio.h>

/* Prints words after `head`, at most 80 columns wide; further lines are indented. */
void pv_text_words(const char *head, const char *words, FILE *f);

#endif
