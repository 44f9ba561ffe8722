/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of use: what software must not do although the hardware obeys silently. Each rule is a statement of
 * docs/hardware-notes.md ("CP-1"). The judge sees every access of a driver and looks at the registers as they are
 * before a write takes effect, so that it follows resets and unplugged functions without state of its own.
 */
#ifndef PV_ORACLE_RULES_H
#define PV_ORACLE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/wire.h"

enum { PV_RULE_CONFIG = -1 }; /* instead of a BAR: configuration space */

struct pv_rule_access {
	uint64_t number; /* in the register log, from 0 */
	pv_bdf bdf;
	int bar; /* 0 to 5, or PV_RULE_CONFIG */
	uint32_t off;
	unsigned bytes;
	uint64_t value;
	bool write;
};

/*
 * The machine: a register as it is now, read without a side effect and without taking time. All ones: it is not there.
 */
struct pv_rule_machine {
	void *ctx;
	uint64_t (*peek)(void *ctx, pv_bdf bdf, int bar, uint32_t off, unsigned bytes);
};

struct pv_rule_break {
	const char *rule; /* id of the statement */
	uint64_t count;
	struct pv_rule_access access; /* the first one that broke it */
	char text[160];		      /* the access, with register, index and values */
};

struct pv_rules;

/* NULL: no memory. */
struct pv_rules *pv_rules_new(const struct pv_rule_machine *machine);
void pv_rules_free(struct pv_rules *r);

/* Judges an access of the driver: a write before it takes effect, a read afterwards. */
void pv_rules_access(struct pv_rules *r, const struct pv_rule_access *a);
/* The machine starts anew: earlier accesses do not count any more. Broken rules are kept. */
void pv_rules_restart(struct pv_rules *r);

/* Returns the number of rules that were broken, in the order in which they were first; *out belongs to `r`. */
size_t pv_rules_broken(const struct pv_rules *r, const struct pv_rule_break **out);
/* Returns the number of accesses that were judged, of all starts of the machine. */
uint64_t pv_rules_accesses(const struct pv_rules *r);

#endif
