/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text output of at most 80 columns. */
#ifndef PV_MPS_TEXT_H
#define PV_MPS_TEXT_H

#include <stdio.h>

#include "framework/mps/cure.h"
#include "framework/mps/peers.h"
#include "framework/mps/remark.h"
#include "framework/mps/whatif.h"

/*
 * Prints the tree like lspci -t, one line for each function; '!' marks those of a mismatch. `shown` selects functions;
 * NULL: all.
 */
void pv_text_show(const struct pv_pci_machine *m, const struct pv_mismatches *found, const bool *shown, FILE *f);
/* Prints ids, names and drivers: a paragraph for each function with known facts. */
void pv_text_names(const struct pv_pci_machine *m, const bool *shown, FILE *f);
/* Prints a line for each function that has sizes; '*': it changes, '~': it depends on firmware. */
void pv_text_plan(const struct pv_policy_plan *plan, double round_trip_ns, FILE *f);
/* Prints a paragraph for each mismatch, with cures and evidence unless `cures` is NULL. */
void pv_text_check(const struct pv_mismatches *found, const struct pv_cures *cures, FILE *f);
/*
 * Prints a table of all policies: each MPS, the MRRS of perf (no other policy sets it), and the remaining mismatches.
 */
void pv_text_all(const struct pv_cures *cures, const struct pv_cures *peers, FILE *f);
/* Prints a line for each function that limits others, or that keeps the firmware's value. `head` begins each line. */
void pv_text_limits(const struct pv_policy_plan *plan, const char *head, FILE *f);
/* Prints the functions that change, then mismatches that are new, mended and unchanged. */
void pv_text_what_if(const struct pv_what_if *w, double round_trip_ns, FILE *f);
/* Prints a paragraph for each sender with its limiting peers, and the counts in the last line. */
void pv_text_peers(const struct pv_peer_list *peers, FILE *f);
/* Prints a table of the uplinks of switches, with the devices behind each. Returns the number of uplinks. */
size_t pv_text_budgets(const struct pv_pci_machine *m, FILE *f);
void pv_text_remarks(const struct pv_remarks *remarks, FILE *f);

#endif
