/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of a step, whose declarations are in framework/schema. All attributes of a case are checked before its
 * first step runs, so the getters below cannot fail.
 */
#ifndef PV_AGENT_ARGS_H
#define PV_AGENT_ARGS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/schema/schema.h"
#include "framework/util/error.h"

/* The attributes of one step, and its position in the plan. */
struct pv_args {
	const char *file, *kind;
	int line;
	const struct pv_element_decl *decl;
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
/* Sum of the attributes ns, us and ms . */
uint64_t pv_arg_time_ns(const struct pv_args *a);
/* Returns true if `text` matches the regex of the attribute, or if there is none. */
bool pv_arg_matches(const struct pv_args *a, const char *name, const char *text);

/* Copies the next word of a list separated by blanks or commas to buf. Returns false at the end. */
bool pv_word_next(const char **list, char *buf, size_t size);
/* Returns true if the list contains the word. */
bool pv_word_in(const char *list, const char *word);

#endif
