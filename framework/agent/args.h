/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of a step. A table defines their names and types, framework/plan/plan.xsd what they mean; all attributes of a
 * case are checked before its first step runs, so the getters below cannot fail.
 */
#ifndef PV_AGENT_ARGS_H
#define PV_AGENT_ARGS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

enum pv_arg_type {
	PV_ARG_TEXT,
	PV_ARG_NUMBER, /* decimal or 0x, suffix KiB MiB GiB or K M G (decimal) */
	PV_ARG_SIGNED, /* may be negative */
	PV_ARG_REAL,
	PV_ARG_YESNO,
	PV_ARG_ERRNO,  /* "EINVAL", "0" */
	PV_ARG_REGEX,  /* POSIX extended */
	PV_ARG_CHOICE, /* one of the words of `choices` */
	PV_ARG_DEVICE, /* a function by name or BDF; looked up by the step */
};

struct pv_arg_def {
	const char *name;
	enum pv_arg_type type;
	bool required;
	const char *def;     /* default value; NULL: none */
	uint64_t max;	     /* NUMBER: largest; 0: no limit */
	const char *choices; /* CHOICE: "|a|b|c" */
};
#define PV_ARG_WORD(id, word) "|" word

/*
 * A time in a plan, 11 days at most (plan.xsd: types nanoseconds, microseconds, milliseconds), so that picoseconds
 * fit into 64 bits. The three ways to write one:
 */
#define PV_TIME_NS_MAX UINT64_C(999999999999999)
#define PV_TIME_US_MAX (PV_TIME_NS_MAX / 1000)
#define PV_TIME_MS_MAX (PV_TIME_US_MAX / 1000)
#define PV_ARG_TIME                                                                                 \
	{"ns", PV_ARG_NUMBER, .max = PV_TIME_NS_MAX}, {"us", PV_ARG_NUMBER, .max = PV_TIME_US_MAX}, \
	{                                                                                           \
		"ms", PV_ARG_NUMBER, .max = PV_TIME_MS_MAX                                          \
	}

/* The attributes of one step, its position in the plan, and the table that they were checked against. */
struct pv_args {
	const char *file, *kind;
	int line;
	const struct pv_arg_def *defs; /* ends with name NULL */
	json_object *obj;
};

/* 0, or -EINVAL with "FILE:LINE: kind: attribute x: expected ..., got ...". */
int pv_args_check(const struct pv_args *a, struct pv_error *e);

bool pv_arg_has(const struct pv_args *a, const char *name);	    /* given in the plan */
const char *pv_arg_text(const struct pv_args *a, const char *name); /* NULL: absent, no default */
uint64_t pv_arg_number(const struct pv_args *a, const char *name);  /* 0: absent, no default */
int64_t pv_arg_signed(const struct pv_args *a, const char *name);
double pv_arg_real(const struct pv_args *a, const char *name);
bool pv_arg_yes(const struct pv_args *a, const char *name);
int pv_arg_errno(const struct pv_args *a, const char *name); /* positive; 0: absent */
/* Index of the value among the choices; -1: absent, no default. */
int pv_arg_choice(const struct pv_args *a, const char *name);
/* Sum of the attributes ns, us and ms (PV_ARG_TIME). */
uint64_t pv_arg_time_ns(const struct pv_args *a);
/* Returns true if `text` matches the regex of the attribute, or if there is none. */
bool pv_arg_matches(const struct pv_args *a, const char *name, const char *text);

/* Parses a number such as "0x10", "64KiB", "3G". 0 or -EINVAL. */
int pv_number_parse(const char *text, uint64_t *out);
/* Copies the next word of a list separated by blanks or commas to buf. Returns false at the end. */
bool pv_word_next(const char **list, char *buf, size_t size);
/* Returns true if the list contains the word. */
bool pv_word_in(const char *list, const char *word);

#endif
