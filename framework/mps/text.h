/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for people, at most 80 columns wide. */
#ifndef PV_MPS_TEXT_H
#define PV_MPS_TEXT_H

#include <stdio.h>

#include "framework/mps/cure.h"
#include "framework/mps/peers.h"
#include "framework/mps/remark.h"
#include "framework/mps/whatif.h"

/*
 * The tree, as lspci -t draws it, a line for each function; those of a mismatch are marked with '!'. `shown`:
 * of these functions only, NULL: of all.
 */
void pv_text_show(const struct pv_pci_machine *m, const struct pv_mismatches *found, const bool *shown, FILE *f);
/* Ids, names and drivers, a paragraph for each function of which anything is known. */
void pv_text_names(const struct pv_pci_machine *m, const bool *shown, FILE *f);
/* A line for each function that has sizes; '*': it changes, '~': it depends on firmware. */
void pv_text_plan(const struct pv_policy_plan *plan, double round_trip_ns, FILE *f);
/* A paragraph for each mismatch: with cures and evidence, unless `cures` is NULL. */
void pv_text_check(const struct pv_mismatches *found, const struct pv_cures *cures, FILE *f);
/* A table of all policies: the MPS that each sets, MRRS of perf, which alone sets it, and the mismatches that it
 * leaves. */
void pv_text_all(const struct pv_cures *cures, const struct pv_cures *peers, FILE *f);
/* A line for each function that limits others, or that keeps what firmware left. `head` begins each line. */
void pv_text_limits(const struct pv_policy_plan *plan, const char *head, FILE *f);
/* The functions that change, then mismatches that are new, mended and as before. */
void pv_text_what_if(const struct pv_what_if *w, double round_trip_ns, FILE *f);
/* A paragraph for each sender and what its peers take; the last line has the counts. */
void pv_text_peers(const struct pv_peer_list *peers, FILE *f);
/* A table of the uplinks of switches, and what is behind each. Returns how many there are. */
size_t pv_text_budgets(const struct pv_pci_machine *m, FILE *f);
void pv_text_remarks(const struct pv_remarks *remarks, FILE *f);

#endif
