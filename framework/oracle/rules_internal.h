/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use, between the judge (rules.c) and the devices. Private to framework/oracle. */
#ifndef PV_ORACLE_RULES_INTERNAL_H
#define PV_ORACLE_RULES_INTERNAL_H

#include <stdbool.h>

#include "drivers/regs/wire.h"

struct pv_rules;
struct pv_rule_access;

#define PV_RULE_BLOCKS 16 /* register blocks of a function that are looked at: more than any topology has */

/* Where a CPMU, or the mailbox of a CXL memory device, has its registers. */
struct pv_rule_block {
	int bar;
	uint32_t off;
};

/* A function whose registers have rules, and the little that its registers do not say. */
struct pv_rule_function {
	pv_bdf bdf;
	uint32_t id;			     /* vendor and device */
	const struct pv_rule_device *device; /* NULL: it has no rules */

	struct pv_rule_block cpmu[PV_RULE_BLOCKS];
	unsigned cpmus;
	struct pv_rule_block mailbox; /* bar -1: none */

	uint32_t ras_des, exp;	  /* DWC: the capabilities; 0: none */
	uint32_t (*enabled)[256]; /* DWC: a bit for each lane whose counter is on, by group and event; else NULL */
	uint32_t selected;	  /* DWC: fields of EVENT_CNT_CTL as the driver wrote them last */
	bool selects;

	uint32_t sriov; /* a physical function's capability */

	bool trace_reset; /* PTT: a reset of the engine has ended since the last trace */
};

struct pv_rule_device {
	/* Returns true if the function is one, and notes where its registers are. */
	bool (*find)(struct pv_rules *r, struct pv_rule_function *f);
	void (*access)(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a);
};
extern const struct pv_rule_device pv_rule_cxl, pv_rule_dwc, pv_rule_ptt, pv_rule_sriov;

/* Reads a register of a function as it is. */
uint64_t pv_rule_peek(const struct pv_rules *r, const struct pv_rule_function *f, int bar, uint32_t off,
		      unsigned bytes);
/*
 * Returns what a register of `bytes` at `off` with the value `old` holds after the write `a`, which may hit a part of
 * it.
 */
uint64_t pv_rule_merged(const struct pv_rule_access *a, uint32_t off, unsigned bytes, uint64_t old);
/* Returns true if `a` hits any of `bytes` at `off` of that BAR. */
bool pv_rule_hits(const struct pv_rule_access *a, int bar, uint32_t off, uint32_t bytes);
/* Finds a vendor-specific (`dvsec` false) or designated one, by vendor and id; 0: none. */
uint32_t pv_rule_vsec(const struct pv_rules *r, const struct pv_rule_function *f, bool dvsec, uint16_t vendor,
		      uint16_t id);
/* Finds an extended capability by its id; 0: none. */
uint32_t pv_rule_ext_cap(const struct pv_rules *r, const struct pv_rule_function *f, uint16_t id);
/* Finds a capability of the first 256 bytes; 0: none. */
uint32_t pv_rule_cap(const struct pv_rules *r, const struct pv_rule_function *f, uint8_t id);
/* Notes a break. */
void pv_rule_broken(struct pv_rules *r, const struct pv_rule_access *a, const char *rule, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
