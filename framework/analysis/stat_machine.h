/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from the dump of a machine about the functions that a trace names: names, sizes, ceilings. */
#ifndef PV_ANALYSIS_STAT_MACHINE_H
#define PV_ANALYSIS_STAT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_stat_function {
	uint16_t requester;
	bool ambiguous;	    /* functions of several domains have this ID, which no TLP tells apart: no more is filled */
	bool is_host;	    /* a Root Port or a function inside the Root Complex: its requests go downstream */
	char bdf[20];	    /* "0000:65:00.0" */
	char name[192];	    /* of pci.ids or lspci; "": unknown */
	char link[32];	    /* the slowest up to the Root Port: "16GT/s x8"; "": unknown */
	unsigned mps, mrrs; /* bytes; a VF's are those of its PF; 0: unknown */
	unsigned tags;	    /* requests that it may have in flight; 0: unknown */
	bool relaxed;	    /* Enable Relaxed Ordering is set */
	double link_bytes_per_s; /* after encoding; 0: unknown, as at 64 GT/s */
	/* Payload bytes per second at most, of 4096-byte transfers with these sizes; 0: unknown. */
	double write_ceiling, read_ceiling;
};

struct pv_stat_machine {
	const char *name;		    /* of the dump */
	struct pv_stat_function *functions; /* by requester, each once */
	size_t n;
};

/* Sorts n functions by requester, and makes of several with one ID a single ambiguous one. Returns how many are left.
 */
size_t pv_stat_functions_sort(struct pv_stat_function *functions, size_t n);
/* NULL: the dump has no such function, or there is no dump. */
const struct pv_stat_function *pv_stat_function_of(const struct pv_stat_machine *m, uint16_t requester);
/* "0000:65:00.0", or "65:00.0" where the dump does not tell the domain. Returns buf. */
const char *pv_stat_function_bdf(const struct pv_stat_machine *m, uint16_t requester, char buf[20]);

#endif
