/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from the dump of a machine about the functions in a trace: names, sizes, ceilings. */
#ifndef PV_ANALYSIS_STAT_MACHINE_H
#define PV_ANALYSIS_STAT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/analysis/stat_bars.h"

struct pv_stat_function {
	uint16_t requester;
	bool ambiguous;		 /* functions of several domains have this ID: the other members are empty */
	bool is_host;		 /* a Root Port or a function inside the Root Complex: its requests go downstream */
	char bdf[20];		 /* "0000:65:00.0" */
	char name[192];		 /* from pci.ids or lspci; "": unknown */
	char link[32];		 /* the slowest link up to the Root Port: "16GT/s x8"; "": unknown */
	unsigned mps, mrrs;	 /* bytes; a VF has those of its PF; 0: unknown */
	unsigned tags;		 /* maximum number of requests in flight; 0: unknown */
	bool relaxed;		 /* Enable Relaxed Ordering is set */
	double link_bytes_per_s; /* after encoding; 0: unknown, for example at 64 GT/s */
	/* Maximum payload bytes per second, for transfers of 4096 bytes with these sizes; 0: unknown. */
	double write_ceiling, read_ceiling;
};

struct pv_stat_machine {
	const char *name;		    /* name of the dump */
	struct pv_stat_function *functions; /* sorted by requester, each once */
	size_t n;
	struct pv_stat_bar *bars; /* from pv_stat_bars_sort(); NULL: none is known */
	size_t n_bars;
};

/*
 * Sorts n functions by requester, and merges functions with the same ID into one ambiguous entry. Returns the remaining
 * number.
 */
size_t pv_stat_functions_sort(struct pv_stat_function *functions, size_t n);
/* Returns the function of a requester. NULL: the dump does not contain it, or there is no dump. */
const struct pv_stat_function *pv_stat_function_of(const struct pv_stat_machine *m, uint16_t requester);
/* Writes "0000:65:00.0", or "65:00.0" if the domain is unknown. Returns buf. */
const char *pv_stat_function_bdf(const struct pv_stat_machine *m, uint16_t requester, char buf[20]);

#endif
