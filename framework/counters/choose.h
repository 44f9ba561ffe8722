/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the useful ones of the events of a machine's PMUs. */
#ifndef PV_COUNTERS_CHOOSE_H
#define PV_COUNTERS_CHOOSE_H

#include <stddef.h>

struct pv_choice {
	const char *const *pmus; /* globs, terminated by NULL; NULL: the PMUs of Root Ports and CXL memory devices */
	char *events;		 /* in the syntax of perf -e: "dwc_rootport_8/eventid=0x21,type=0x0/,..."; NULL: none */
	size_t n;		 /* number of events */
};

enum { PV_CHOICE_MAX = 512 };

/*
 * Adds the event of a line "PMU/events/NAME TERMS", as in sysfs: of a Root Port the payload in both directions, of a
 * CXL memory device each opcode, of any other PMU all events without parameters. 0; -E2BIG: more than PV_CHOICE_MAX;
 * -ENOMEM.
 */
int pv_choice_add(struct pv_choice *c, const char *line);
void pv_choice_free(struct pv_choice *c);

#endif
