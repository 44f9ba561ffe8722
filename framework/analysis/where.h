/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --where: an expression over the fields of a decoded record, compiled into a small program that runs for each
 * record without allocation. docs/trace.md describes the language.
 */
#ifndef PV_ANALYSIS_WHERE_H
#define PV_ANALYSIS_WHERE_H

#include "framework/trace/trace.h"

#define PV_WHERE_OPS	128 /* maximum number of tests and jumps */
#define PV_WHERE_RANGES 256 /* maximum number of values and ranges */
#define PV_WHERE_DEPTH	32  /* maximum nesting of parentheses and negations */
#define PV_WHERE_NAMES	128 /* values of a field with names are smaller */

struct pv_where_range {
	uint64_t lo, hi; /* inclusive; field with names: mask of its values, 0 to 63 in lo, 64 to 127 in hi */
};

struct pv_where_op {
	uint8_t code, field;
	uint16_t arg; /* jump: target, always forward; test: index of its first range */
	uint16_t n;   /* tests: number of ranges */
};

/* A compiled expression. Plain memory: it needs no free. */
struct pv_where {
	unsigned n_ops, n_ranges;
	struct pv_where_op ops[PV_WHERE_OPS];
	struct pv_where_range ranges[PV_WHERE_RANGES];
};

/* Compiles an expression; NULL or blank selects every record. 0, or -EINVAL with the position in *e. */
int pv_where_compile(struct pv_where *w, const char *text, struct pv_error *e);
/* Returns true if the program matches every record. */
static inline bool pv_where_is_all(const struct pv_where *w)
{
	return !w || !w->n_ops;
}
/* Tests a record. Comparing a field that the record lacks is false. w NULL: every record matches. */
bool pv_where_match(const struct pv_where *w, const struct pv_trace_record *r);

/* ---- the fields, for help and messages ---- */

enum pv_where_type { PV_WHERE_NUMBER, PV_WHERE_BDF, PV_WHERE_FLAG, PV_WHERE_NAME };

struct pv_where_field {
	const char *name;
	enum pv_where_type type;
	uint16_t offset, bytes; /* of the member in struct pv_trace_record; 0 bytes: `value` computes it */
	uint64_t (*value)(const struct pv_trace_record *r);
	unsigned when;			   /* mask of pv_where_when() */
	const char *(*of)(unsigned value); /* PV_WHERE_NAME: returns the name of a value, NULL: none */
};
extern const struct pv_where_field pv_where_fields[]; /* ended by a NULL name */

/* Returns the mask of fields that a record has, for pv_where_field.when. */
unsigned pv_where_when(const struct pv_trace_record *r);
uint64_t pv_where_value(const struct pv_where_field *f, const struct pv_trace_record *r);

#endif
