/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from the dump of a machine about the functions that a trace names: names, sizes, ceilings. */
#ifndef PV_ANALYSIS_STAT_MACHINE_H
#define PV_ANALYSIS_STAT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_stat_function {
	uint16_t requester;
	bool ambiguous;	    /* functions of several domains have this ID: only requester is filled */
	char bdf[20];	    /* "0000:65:00.0" */
	char name[192];	    /* of pci.ids or lspci; "": unknown */
	char link[32];	    /* the slowest up to the Root Port: "16GT/s x8"; "": unknown */
	unsigned mps, mrrs; /* bytes; a VF's are those of its PF; 0: unknown */
	unsigned tags;	    /* requests that it may have in flight; 0: unknown */
	bool relaxed;	    /* Enable Relaxed Ordering is set */
	/* Payload bytes per second at most, of 4096-byte transfers with these sizes; 0: unknown. */
	double write_ceiling, read_ceiling;
};

struct pv_stat_machine {
	const char *name;		    /* of the dump */
	struct pv_stat_function *functions; /* by requester, each once */
	size_t n;
};

/* NULL: the dump has no such function, or there is no dump. */
const struct pv_stat_function *pv_stat_function_of(const struct pv_stat_machine *m, uint16_t requester);
/* "0000:65:00.0 Ethernet controller: ...", cut to size; "65:00.0" without a dump. Returns buf. */
#define PV_STAT_FUNCTION_TEXT 64
const char *pv_stat_function_text(const struct pv_stat_machine *m, uint16_t requester, char *buf, size_t size);

#endif
